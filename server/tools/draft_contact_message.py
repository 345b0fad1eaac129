"""Prepares a message for the owner; it is passed on only if the owner says yes."""

from server.domain.tools import ContactDraft, Tool


def draft_contact_message() -> Tool:
    """The tool. Its effect is a row of ours, written in the ledger's transaction: exactly once.

    It is idempotent because nothing leaves the process: run again after a crash, it writes the same row.
    """

    def run(subject: str, message: str, sender_contact: str) -> ContactDraft:
        return ContactDraft(subject=subject, message=message, sender_contact=sender_contact)

    def card(subject: str, sender_contact: str, **_: str) -> str:
        return f"A visitor asks to pass on a message: “{subject}”, from {sender_contact}."

    return Tool(
        name="draft_contact_message",
        description=(
            "Leave a message for the owner on the visitor's behalf. Call it only when the visitor asked for it and "
            "you know what to say and how the visitor can be reached. The owner decides whether it is passed on."
        ),
        parameters={
            "type": "object",
            "properties": {
                "subject": {
                    "type": "string",
                    "minLength": 1,
                    "maxLength": 150,
                    "description": "What it is about, in a few words",
                },
                "message": {
                    "type": "string",
                    "minLength": 1,
                    "maxLength": 4000,
                    "description": "The message, in the visitor's words",
                },
                "sender_contact": {
                    "type": "string",
                    "minLength": 3,
                    "maxLength": 200,
                    "description": "The visitor's e-mail address or phone number",
                },
            },
            "required": ["subject", "message", "sender_contact"],
            "additionalProperties": False,
        },
        run=run,
        high_risk=True,
        idempotent=True,
        message=card,
        reason="contact_message",
    )
