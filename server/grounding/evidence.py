"""What a sentence may rest on."""

import re
from dataclasses import dataclass, field
from functools import cached_property

from server.grounding.blocks import AS_NAME, ORGANISATIONS, Block, block
from server.grounding.grammar import PREPOSITIONS
from server.grounding.stems import keys
from server.grounding.words import fold

_ADDRESS = re.compile(r"\S*(?:@|://|www\.)\S*")
_KIND = re.compile(
    r"(?:([^\W\d_]+)\s+)?\b(?:(?:our|this|onze|ons|deze|dit|an?|een)\s+((?:\w+\s+){0,2}\w+)|(?:the|de|het)\s+(\w+))\b",
    re.IGNORECASE,
)
"""Where a page may say what kind of house it is of, with the word before it."""


@dataclass(frozen=True, slots=True)
class Source:
    """A passage as evidence. `language` is an ISO 639-1 code."""

    text: str
    language: str = "en"
    title: str = ""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool said this turn. `ok`: it was carried out; not declined, failed, in doubt or waiting."""

    tool: str
    text: str
    ok: bool


@dataclass(frozen=True)
class Evidence:
    """All that a turn may rely on.

    `visitor` is what the visitor wrote: it can be echoed ("You asked about …") and is never evidence of a fact.
    `owner` is the name the twin speaks for. `questions`: whether passages may say something by asking it, as in a dialogue. Passages keep their place: a verdict names them counted from 1.
    """

    passages: tuple[Source, ...] = ()
    tools: tuple[ToolResult, ...] = ()
    visitor: str = ""
    owner: str = ""
    language: str = field(default="en")
    questions: bool = False

    @cached_property
    def blocks(self) -> tuple["Block", ...]:
        """The passages, then the tool results that are `ok`, then those that are not."""
        told = sorted(self.tools, key=lambda result: not result.ok)
        return tuple(
            [block(p.text, p.language, p.title, self.questions) for p in self.passages]
            + [block(result.text, self.language, "") for result in told]
        )

    @cached_property
    def owner_words(self) -> frozenset[str]:
        """The owner's name, folded: it may always be named."""
        return frozenset(fold(word) for word in re.findall(r"[^\W_]+", self.owner))

    @cached_property
    def common_words(self) -> frozenset[str]:
        """Of the owner's name, folded, what is a word of the pages, too: "books" of Harbour Books."""
        text = " ".join([p.text for p in self.passages] + [t.text for t in self.tools])
        text = _ADDRESS.sub(" ", text)
        return self.owner_words & {fold(word) for word in re.findall(r"\b[^\W\d_A-Z]\w*", text)}

    @cached_property
    def anyway(self) -> frozenset[str]:
        """Folded words that may always be said: the owner's name, and what kind of place the evidence calls it. With `AS_NAME`
        before it: only as a name."""
        called = {word for word in ORGANISATIONS if keys(word) & self._own_kind}
        as_name = {AS_NAME + word for word in self.common_words}
        return (self.owner_words - self.common_words) | as_name | called

    @cached_property
    def _own_kind(self) -> frozenset[str]:
        """The keys of what the pages call the house: in its name, as "our school", "this school" or "a school", and as "the school" but for
        where somebody goes to it or is in it."""
        text = "\n".join(each.text for each in self.passages)
        said = {
            fold(word)
            for before, ours, the in _KIND.findall(text)
            for word in (ours or the).split()
            if ours or PREPOSITIONS.get(fold(before), "of") == "of"
        }
        return frozenset().union(*(keys(word) for word in said | self.owner_words))

    @cached_property
    def names(self) -> frozenset[str]:
        """Folded words that are names somewhere in the evidence, and nothing else there."""
        return self.owner_words.union(*(b.known_names for b in self.blocks)) - self.common_words

    @cached_property
    def echo(self) -> frozenset[str]:
        """The keys and facts of what the visitor wrote."""
        asked = block(self.visitor, self.language, "", questions=True)
        return (
            frozenset().union(*(unit.keys for unit in asked.units)) if asked.units else frozenset()
        )

    @cached_property
    def spoken_of(self) -> frozenset[str]:
        """The keys and facts of all evidence and of what the visitor wrote."""
        return self.everything | self.echo

    @cached_property
    def everything(self) -> frozenset[str]:
        """The keys and facts of all evidence, for what need only be mentioned somewhere."""
        return (
            frozenset().union(*(b.title | b.keys for b in self.blocks))
            if self.blocks
            else frozenset()
        )
