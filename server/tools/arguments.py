"""From the text a model wrote to arguments that fit a tool, or to what is wrong with it."""

import json
import math
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from typing import Any

from jsonschema import Draft202012Validator, FormatChecker
from jsonschema.exceptions import SchemaError, ValidationError
from jsonschema.validators import extend
from pydantic_core import SchemaError as PatternError
from pydantic_core import SchemaValidator, core_schema
from referencing import Registry, Resource
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT202012

from server.domain.errors import ConfigurationError, InvalidAnswer
from server.domain.tools import canonical_json

MAX_PROBLEMS = 5

_KNOWN_PATTERNS = 512


def parse_object(text: str) -> dict[str, Any]:
    """The JSON object in the text; an empty text is an empty object.

    Raises InvalidAnswer for anything else, also for repeated keys, for NaN or Infinity and for numbers too large to be
    a float: two readers of the same text could disagree about what those mean.
    """
    try:
        value = json.loads(
            text or "{}",
            object_pairs_hook=_unique,
            parse_constant=_refuse_constant,
            parse_float=_finite,
        )
    except (ValueError, RecursionError) as error:
        raise InvalidAnswer(f"$: not a JSON object ({error})") from None
    if not isinstance(value, dict):
        raise InvalidAnswer(f"$: expected object, got {json_type(value)}")
    return value


def check(value: Any, schema: Mapping[str, Any]) -> None:
    """Raises InvalidAnswer naming each problem by JSON path; the value itself is never repeated in it.

    Takes time in proportion to the value: patterns are matched without backtracking, nothing is fetched.
    """
    try:
        if not _is_finite(value):
            raise InvalidAnswer("$: a number is not finite")
        canonical_json(value).encode()
        problems = sorted(
            _validator(schema).iter_errors(value), key=lambda e: list(map(str, e.path))
        )
    except UnicodeEncodeError:
        raise InvalidAnswer("$: a text holds half a surrogate pair") from None
    except RecursionError:
        raise InvalidAnswer("$: nested too deeply") from None
    except ArithmeticError:
        raise InvalidAnswer("$: a number is too large") from None
    if problems:
        raise InvalidAnswer(*map(_in_words, problems[:MAX_PROBLEMS]))


def check_schema(schema: Mapping[str, Any], *, owner: str) -> None:
    """Raises ConfigurationError unless this is an object schema that lists every property and allows no others.

    A `$ref` must point into the schema itself. A `pattern` must be a regular expression without look-around and
    backreferences: one that is matched in linear time (syntax of Rust's `regex`, which is most of ECMA's).
    """
    try:
        # No formats: `pattern` would have to be Python's kind of regular expression.
        Draft202012Validator.check_schema(dict(schema), format_checker=FormatChecker(()))
    except SchemaError as error:
        raise ConfigurationError(
            f"{owner}: its parameters are not valid JSON Schema: {error.message}"
        ) from None
    if schema.get("type") != "object" or schema.get("additionalProperties") is not False:
        raise ConfigurationError(
            f"{owner}: its parameters must be an object schema with 'additionalProperties': false"
        )
    unlisted = set(schema.get("required", ())) - set(schema.get("properties", {}))
    if unlisted:
        raise ConfigurationError(
            f"{owner}: it requires what its 'properties' do not list: {', '.join(sorted(unlisted))}"
        )
    root = DRAFT202012.create_resource(dict(schema))
    try:
        parts = list(_parts(root))
        for part in parts:
            _check_part(part, owner)
            _check_reference(part.get("$ref"), root, parts, owner)
    except RecursionError:
        raise ConfigurationError(f"{owner}: its parameters are nested too deeply") from None


def _parts(schema: Resource[Any]) -> Iterator[Mapping[str, Any]]:
    """The schema and every schema inside it, wherever the specification allows one."""
    if isinstance(schema.contents, Mapping):
        yield schema.contents
    for inner in schema.subresources():
        yield from _parts(inner)


def _check_part(part: Mapping[str, Any], owner: str) -> None:
    if "patternProperties" in part:
        raise ConfigurationError(f"{owner}: list its properties; 'patternProperties' does not")
    if "$id" in part or "$dynamicRef" in part:
        raise ConfigurationError(f"{owner}: '$id' and '$dynamicRef' are not supported; use '$ref'")
    if (pattern := part.get("pattern")) is not None:
        try:
            _matcher(pattern)
        except PatternError as error:
            why = str(error).strip().splitlines()[-1].strip().removeprefix("error: ")
            raise ConfigurationError(
                f"{owner}: pattern '{pattern}' can't be matched in linear time: {why}"
            ) from None


def _check_reference(
    reference: str | None, root: Resource[Any], parts: list[Mapping[str, Any]], owner: str
) -> None:
    if reference is None:
        return
    found: object = None
    if reference.startswith("#"):
        with suppress(Unresolvable):
            resolver = Registry[Any]().with_resource("", root).resolver()
            found = resolver.lookup(reference).contents
    if not any(found is part for part in parts):
        raise ConfigurationError(
            f"{owner}: '$ref' must point to a schema inside the schema itself, and '{reference}' does not: "
            "nothing is fetched"
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
    validator: Draft202012Validator = _Validator(dict(schema), registry=Registry())
    return validator


@lru_cache(_KNOWN_PATTERNS)
def _matcher(pattern: str) -> SchemaValidator:
    """Pydantic's engine for regular expressions is an automaton: no pattern takes it longer than linear time,
    where Python's `re` can take for ever on thirty characters, with the whole event loop."""
    return SchemaValidator(core_schema.str_schema(pattern=pattern))


def _pattern(
    _validator: Any, pattern: str, instance: Any, _schema: Mapping[str, Any]
) -> Iterator[ValidationError]:
    if isinstance(instance, str) and not _matcher(pattern).isinstance_python(instance):
        yield ValidationError("does not match")


_Validator = extend(Draft202012Validator, {"pattern": _pattern})  # type: ignore[no-untyped-call]


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


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("a number is too large")
    return number


def _is_finite(value: Any) -> bool:
    match value:
        case float():
            return math.isfinite(value)
        case dict():
            return all(map(_is_finite, value.values()))
        case list():
            return all(map(_is_finite, value))
        case _:
            return True
