"""Measurements that can be repeated; each prints a Markdown table."""
