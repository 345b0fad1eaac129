"""What a piece of an answer is on the page: prose, heading, list item, table row, code."""

import re
from dataclasses import dataclass, field, replace
from enum import Enum, auto

from server.grounding.analysis import analyse
from server.grounding.conversation import heads, vocabulary
from server.grounding.coverage import is_soft
from server.grounding.evidence import Evidence
from server.grounding.grammar import SUBJECTS

_TAG = re.compile(r"<[!/a-z]", re.IGNORECASE)
LONGEST_QUOTE = 300
"""Characters of a page's sentence that is shown instead of a withheld one."""
_HEADING = re.compile(r"\s*(#{1,6})\s+(.*)", re.DOTALL)
_ITEM = re.compile(r"(?:[-*+•]|(\d{1,3})[.)])[ \t]+(.*)", re.DOTALL)
_RULE = re.compile(r"\s*(?:\|?[\s:|-]*-[\s:|-]*\|?|[*_=]{3,})\s*")
_MARKS = re.compile(r"(?:\s*\[\d{1,3}\])+\s*$")
_DEPENDENT = re.compile(
    r"(?:so |and |but |en |maar |dus )?(?:this|that|these|those|it|they|dit|dat|deze|die|het|daarmee|daardoor|daarom|hierdoor|hiermee|"
    r"therefore|as a result|for this|both|beide|the (?:latter|former)|de (?:eerste|laatste))\b,?\s+(?:is|was|are|were|has|have|had|made|makes|means|"
    r"meant|will|would|can|could|did|does|became|werd|werden|wordt|worden|heeft|hebben|kan|kon|zijn|waren|maakt|maakte|betekent|betekende|"
    r"zal|zou|kreeg|gaf|ging|gaat|also|later|took|came|won|gave)\b|(?:he|she|hij|zij|ze) (?:also|ook)\b",
    re.IGNORECASE,
)


class Shape(Enum):
    """What a piece is. `RULE` is a line of dashes, between a table's head and its rows or on its own."""

    PROSE = auto()
    HEADING = auto()
    INTRO = auto()
    ITEM = auto()
    CONTINUED = auto()
    TABLE_HEAD = auto()
    ROW = auto()
    RULE = auto()
    CODE = auto()


@dataclass(frozen=True, slots=True)
class Piece:
    """A sentence as it came: `core` and the white space after it. `body` is what is judged."""

    shape: Shape
    core: str
    space: str
    body: str
    level: int = 0
    indent: int = 0
    number: int | None = None

    def renumbered(self, number: int) -> "Piece":
        """The ordered item with another number."""
        return replace(self, core=re.sub(r"\d{1,3}(?=[.)])", str(number), self.core, count=1))

    def saying(self, text: str) -> "Piece":
        """The sentence or item with other words; a list item keeps its bullet."""
        return replace(self, core=self.core.replace(self.body, text), body=text)

    def followed_by(self, space: str) -> "Piece":
        """The piece with other white space after it."""
        return replace(self, space=space)


@dataclass
class OpenList:
    """The list being read: what introduces it, the item's indent, and whether that item was let through."""

    intro: str = ""
    intro_passed: bool = True
    indent: int = 0
    shown: bool = True
    open: bool = False
    numbers: dict[int, int] = field(default_factory=dict)


def piece_of(sentence: str, lead: str, *, in_item: bool = False, in_table: bool = False) -> Piece:
    """What the sentence is. `lead` is the white space before it; `in_item`, `in_table`: what the piece before was."""
    core = sentence.rstrip()
    space = sentence[len(core) :]
    new_line = "\n" in lead
    indent = len(lead.rpartition("\n")[2].expandtabs(4)) if new_line else 0
    if new_line and core.startswith(("```", "~~~")):
        body = re.sub(r"^\s*(?:```+|~~~+).*$", "", core, flags=re.MULTILINE)
        return Piece(Shape.CODE, core, space, body)
    if new_line and _RULE.fullmatch(core):
        return Piece(Shape.RULE, core, space, "")
    if new_line and (heading := _HEADING.fullmatch(core)):
        return Piece(Shape.HEADING, core, space, heading[2], level=len(heading[1]))
    if new_line and core.startswith("|"):
        cells = ", ".join(cell.strip() for cell in core.strip("|").split("|") if cell.strip())
        return Piece(Shape.ROW if in_table else Shape.TABLE_HEAD, core, space, cells)
    if new_line and (item := _ITEM.fullmatch(core)):
        number = int(item[1]) if item[1] else None
        return Piece(Shape.ITEM, core, space, item[2], indent=indent, number=number)
    if _MARKS.sub("", core).rstrip("*_ ").endswith(":"):
        return Piece(Shape.INTRO, core, space, _MARKS.sub("", core).rstrip("*_ :"))
    continued = in_item and (not new_line or (indent > 0 and "\n\n" not in lead))
    return Piece(Shape.CONTINUED if continued else Shape.PROSE, core, space, core)


def joined(space: str, after: str) -> str:
    """The white space left where something between the two was taken out."""
    lines = max(space.count("\n"), after.count("\n"))
    if not lines:
        return space or after
    return "\n" * lines + (after if "\n" in after else space).rpartition("\n")[2]


def is_dependent(sentence: str) -> bool:
    """Whether it begins by pointing at the sentence before it: "It was …", "Daardoor …"."""
    return bool(_DEPENDENT.match(sentence.lstrip("*_ ")))


def quotable(sentence: str) -> str:
    """A sentence of a page as it can be shown by itself, without bullet and emphasis; "" when it is a heading, a row, a question or markup, is long, or
    points at the sentence before it."""
    body = sentence.strip()
    if item := _ITEM.fullmatch(body):
        body = item[2]
    body = " ".join(re.sub(r"[*_`]+", "", body).split())
    whole = body.endswith((".", "!", "…", '"', ")"))
    if not whole or "|" in body or len(body) > LONGEST_QUOTE or is_dependent(body):
        return ""
    return "" if body.startswith("#") or _TAG.search(body) else body


def topic_holds(text: str, evidence: Evidence) -> bool:
    """Whether a heading or an introduction names only what the evidence or the visitor speaks of.

    Enough for a few words that state nothing yet; what they lead to is judged with them.
    """
    heading = analyse(text, evidence.language, evidence.names)
    if any(token.folded in SUBJECTS for token in list(heading.tokens)[:1]):
        return False  # "She had a parrot" states something
    known = evidence.spoken_of | vocabulary() | evidence.owner_words | heads()
    content = [token for token in heading.tokens if token.content]
    return all(
        bool(token.said & known)
        if token.is_fact
        else token.folded in known or bool(token.keys & known) or is_soft(token)
        for token in content
    )
