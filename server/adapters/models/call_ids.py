"""Ids for tool calls that came without a usable one."""

from uuid import uuid4


def new_call_id() -> str:
    """A fresh id: nine letters and digits, the only form that every provider takes back in a history."""
    return uuid4().hex[:9]
