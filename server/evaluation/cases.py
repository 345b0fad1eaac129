"""What a file of cases holds. TOML, one `[[case]]` each; see `docs/how-to/evaluate.md`."""

import tomllib
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from server.domain.conversation import Outcome
from server.domain.errors import ConfigurationError


def _either(value: object) -> object:
    """One text is a list of one."""
    return (value,) if isinstance(value, str) else value


AnyOf = Annotated[tuple[str, ...], BeforeValidator(_either), Field(min_length=1)]
"""Texts of which one is enough."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Expected(_Part):
    """What the last answer must be. What is not given is not looked at.

    `contains`: each, in any case of letters; a list in the list: one of it. `cites`: a source that begins with one of these.
    `tools`: the names of the tools that were asked for, in order.
    """

    outcome: Outcome | None = None
    contains: tuple[AnyOf, ...] = ()
    contains_not: tuple[str, ...] = ()
    cites: AnyOf | None = None
    tools: tuple[str, ...] | None = None
    flags: tuple[str, ...] = ()
    withheld_at_most: int | None = Field(default=None, ge=0)


class Case(_Part):
    """A conversation of a visitor, in a thread of its own.

    `say`: one message after the other; the answer to the last is judged. `decide`: what the owner says to the question it stops at;
    then the ending is judged with it. `model = "down"`: the model does not answer.
    """

    id: str = Field(min_length=1, max_length=80)
    language: Literal["en", "nl"] = "en"
    kind: str = "other"
    say: Annotated[tuple[str, ...], BeforeValidator(_either), Field(min_length=1)]
    decide: Literal["approve", "reject"] | None = None
    model: Literal["up", "down"] = "up"
    expect: Expected


class _File(_Part):
    case: tuple[Case, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _named_apart(self) -> Self:
        ids = [case.id for case in self.case]
        if twice := {each for each in ids if ids.count(each) > 1}:
            raise ValueError(f"used twice: {', '.join(sorted(twice))}")
        return self


def read_cases(path: Path) -> tuple[Case, ...]:
    """The cases of a file. Raises ConfigurationError that names each wrong place."""
    try:
        return _File.model_validate(tomllib.loads(path.read_text("utf-8"))).case
    except OSError as error:
        raise ConfigurationError(f"{path}: {error.strerror or error}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{path} is not TOML: {error}") from None
    except ValidationError as error:
        wrong = "; ".join(
            f"{'.'.join(map(str, each['loc'])) or 'the file'}: {each['msg']}"
            for each in error.errors(include_url=False, include_input=False)
        )
        raise ConfigurationError(f"{path}: {wrong}") from None
