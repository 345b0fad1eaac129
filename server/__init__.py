"""Sayso: a twin for your website that says only what it can prove and does only what you approve."""

__version__ = "0.1.0"
