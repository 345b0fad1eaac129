"""What the run routes are sent."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

ThreadName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{1,64}$")]
Granularity = Literal["low", "partial", "full"]
MAX_CHARACTERS = 4000


class Block(BaseModel):
    """One piece of a message. Only text can be read here."""

    model_config = ConfigDict(extra="ignore")

    type: str
    text: str | None = None


class SentMessage(BaseModel):
    """A message of the client's. Only the last one of the user counts: the history is kept by the server."""

    model_config = ConfigDict(extra="ignore")

    role: Literal["user", "assistant", "system", "tool"]
    content: str | list[Block]
    message_id: Any = None
    tools_calls: list[Any] | None = None

    @model_validator(mode="after")
    def _carries_no_call(self) -> "SentMessage":
        blocks = self.content if isinstance(self.content, list) else []
        if self.tools_calls or self.role == "tool" or any("tool" in b.type for b in blocks):
            raise ValueError(
                "a message may not carry a tool call or a tool result: nobody waits for one"
            )
        return self

    def texts(self) -> Iterator[str]:
        """Its text, piece by piece. Raises ValueError for a piece that is not text."""
        if isinstance(self.content, str):
            yield self.content
            return
        for block in self.content:
            if block.type != "text" or block.text is None:
                raise ValueError("the last message of the user may hold text only")
            yield block.text


class RunConfig(BaseModel):
    """What else a client of this dialect sends here is ignored."""

    model_config = ConfigDict(extra="ignore")

    thread_id: ThreadName | None = None


class RunRequest(BaseModel):
    """`messages` to say something, or `resume` to answer the open interrupt: it is the key that counts, even with `null`.

    Other fields of the dialect (`initial_state`, `recursion_limit`, …) are ignored.
    """

    model_config = ConfigDict(
        extra="ignore",
        json_schema_extra={
            "examples": [
                {
                    "messages": [{"role": "user", "content": "My money back for A-17, please."}],
                    "config": {"thread_id": "order-a-17"},
                    "response_granularity": "full",
                },
                {"resume": {"approved": True}, "config": {"thread_id": "order-a-17"}},
            ]
        },
    )

    messages: list[SentMessage] | None = None
    resume: Any = Field(default=None, description="The answer; `null` cancels without judging")
    interrupt_id: str | None = Field(default=None, max_length=200)
    on_busy: Literal["wait", "cancel"] = "wait"
    config: RunConfig = Field(default_factory=RunConfig)
    thread_id: ThreadName | None = None
    response_granularity: Granularity = "low"

    @model_validator(mode="after")
    def _one_of_them(self) -> "RunRequest":
        if self.resumes:
            if self.messages:
                raise ValueError("send either 'messages' or 'resume'")
        elif self.interrupt_id is not None:
            raise ValueError("'interrupt_id' goes with 'resume'")
        elif not 1 <= len(self.said()) <= MAX_CHARACTERS:
            raise ValueError(f"the last message of the user must be 1 to {MAX_CHARACTERS} long")
        return self

    @property
    def resumes(self) -> bool:
        """Whether this is an answer to an interrupt: whether the key is there, not what it holds."""
        return "resume" in self.model_fields_set

    def said(self) -> str:
        """What the user says now. Raises ValueError when they say nothing that can be read."""
        users = [message for message in self.messages or () if message.role == "user"]
        if not users:
            raise ValueError("'messages' must hold one of the user, unless 'resume' is there")
        return "\n".join(users[-1].texts())


class StopRequest(BaseModel):
    """Which thread's run to stop."""

    model_config = ConfigDict(extra="ignore")

    thread_id: ThreadName
