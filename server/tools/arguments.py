"""From the text a model wrote to arguments that fit a tool, or to what is wrong with it."""

import json
from collections.abc import Mapping
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, ValidationError
from referencing import Registry

from server.domain.errors import ConfigurationError, InvalidAnswer

MAX_PROBLEMS = 5


def parse_object(text: str) -> dict[str, Any]:
    """The JSON object in the text; an empty text is an empty object.

    Raises InvalidAnswer for anything else, also for repeated keys and for NaN or Infinity: two readers of the
    same text could disagree about what those mean.
    """
    try:
        value = json.loads(text or "{}", object_pairs_hook=_unique, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise InvalidAnswer(problems=f"not a JSON object ({error})") from None
    if not isinstance(value, dict):
        raise InvalidAnswer(problems=f"$: expected object, got {json_type(value)}")
    return value


def check(value: Any, schema: Mapping[str, Any]) -> None:
    """Raises InvalidAnswer naming each problem by JSON path; the value itself is never repeated in it."""
    problems = sorted(_validator(schema).iter_errors(value), key=lambda e: list(map(str, e.path)))
    if problems:
        raise InvalidAnswer(problems="; ".join(map(_in_words, problems[:MAX_PROBLEMS])))


def check_schema(schema: Mapping[str, Any], *, owner: str) -> None:
    """Raises ConfigurationError unless this is an object schema that lists every property and allows no others."""
    try:
        Draft202012Validator.check_schema(dict(schema))
    except SchemaError as error:
        raise ConfigurationError(
            f"{owner}: its parameters are not valid JSON Schema: {error.message}"
        ) from None
    if schema.get("type") != "object" or schema.get("additionalProperties") is not False:
        raise ConfigurationError(
            f"{owner}: its parameters must be an object schema with 'additionalProperties': false"
        )


def json_type(value: Any) -> str:
    """The name JSON Schema gives to the type of a parsed value."""
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int() | float():
            return "number"
        case str():
            return "string"
        case list():
            return "array"
        case _:
            return "object"


def _validator(schema: Mapping[str, Any]) -> Draft202012Validator:
    # An empty registry: by default jsonschema fetches a remote $ref over the network.
    return Draft202012Validator(dict(schema), registry=Registry())


def _in_words(error: ValidationError) -> str:
    path = error.json_path
    match error.validator:
        case "type":
            return f"{path}: expected {error.validator_value}, got {json_type(error.instance)}"
        case "required":
            return f"{path}: {error.message}"
        case "additionalProperties":
            return f"{path}: has properties that are not allowed"
        case _:
            return f"{path}: does not fit {error.validator} {error.validator_value!r}"


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise ValueError("a key is repeated")
    return result


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")
