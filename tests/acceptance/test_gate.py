"""Promise one, through the whole application: no unproven sentence of fact reaches a visitor, and the rest does."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle, islice
from pathlib import Path

import pytest

from server.adapters.models.scripted import Gate, Scripted, call
from server.domain.errors import ModelUnavailable
from server.domain.events import Text
from server.domain.tools import Tool
from server.grounding.layout import is_dependent
from server.grounding.sentences import Sentences
from server.ports import ModelRequest
from tests.acceptance.conftest import OpenTwin
from tests.support.server import until
from tests.support.twin import of_type, text_of, without_seq

ROOT = Path(__file__).parents[2]
TRUE = "Ada Lovelace was born in London on 10 December 1815 [1]."
FALSE = "She had seven children and a parrot [1]."


@pytest.fixture
def gated(open_twin: OpenTwin) -> OpenTwin:
    """As an owner has it who set nothing."""

    def start(*args: object, **changes: object) -> object:
        return open_twin(*args, **{"verify": "gate", **changes})  # type: ignore[arg-type]

    return start  # type: ignore[return-value]


def test_an_invented_sentence_is_not_shown(gated: OpenTwin) -> None:
    """What is proven is shown, with its source before it; the rest is counted and never seen, not in the history either."""
    twin = gated(Scripted(f"{TRUE} {FALSE}", "-"))
    visitor = twin.visitor()

    events = without_seq(visitor.say("Tell me about Ada."))

    assert text_of(events).strip() == TRUE
    kinds = [event["type"] for event in events]
    assert kinds.index("citation") < kinds.index("text")
    assert of_type(events, "trace")[0]["withheld"] == 1
    assert of_type(events, "meta")[0]["outcome"] == "answered"
    assert "parrot" not in json.dumps(visitor.get().json())
    assert "parrot" not in json.dumps(twin.state(str(visitor.thread_id))["messages"])


def test_the_model_is_asked_once_more(gated: OpenTwin) -> None:
    """It is told what had no support and what the visitor has read, without tools; what it adds follows, nothing twice."""
    model = Scripted(FALSE, f"{TRUE} {FALSE}", call("never"))
    twin = gated(model)

    events = twin.visitor().say("Tell me about Ada.")

    assert text_of(events).strip() == TRUE
    first, again = model.requests
    assert "parrot" in again.system and "parrot" not in first.system
    assert first.tools and not again.tools
    assert [m["role"] for m in again.messages] == ["user"]
    assert of_type(events, "trace")[0]["withheld"] == 2
    assert of_type(events, "meta")[0]["outcome"] == "answered"


def test_what_was_said_is_not_said_again(gated: OpenTwin) -> None:
    """The second answer repeats the first: the visitor reads it once."""
    twin = gated(Scripted(f"{TRUE} {FALSE}", TRUE))

    assert text_of(twin.visitor().say("Tell me about Ada.")).count("1815") == 1


def test_a_second_answer_that_fails_costs_nothing(gated: OpenTwin) -> None:
    """The model breaks off when it is asked again: what was shown is the answer."""
    twin = gated(Scripted(f"{TRUE} {FALSE}", ModelUnavailable()))

    events = twin.visitor().say("Tell me about Ada.")

    assert of_type(events, "error") == []
    assert text_of(events).strip() == TRUE
    assert of_type(events, "trace")[0]["flags"] == ["generate:not_asked_again"]


def test_nothing_left_is_said_honestly(gated: OpenTwin) -> None:
    """Nothing proven twice: what the sources do cover, outcome refused, and a gap. In Dutch to who writes Dutch."""
    twin = gated(Scripted(FALSE, FALSE, "Zij had zeven kinderen.", "Zij had zeven kinderen."))

    for question, opening in (
        ("How many children had Ada?", "I can't answer that"),
        ("Hoeveel kinderen had Ada en wat deed zij?", "Dat kan ik niet beantwoorden"),
    ):
        visitor = twin.visitor()
        events = visitor.say(question)
        assert text_of(events).startswith(opening)
        assert "Ada › Birth" in text_of(events)
        assert of_type(events, "meta")[0]["outcome"] == "refused"
        assert of_type(events, "trace")[0]["flags"] == ["verify:nothing_left", "gap"]
        assert visitor.get().json()["messages"][-1]["content"].startswith(opening)


def test_a_model_that_does_not_know_leaves_a_gap(gated: OpenTwin) -> None:
    """Its own honest refusal is shown as it is, and counts as one."""
    twin = gated(Scripted("I don't know that, sorry."))

    events = twin.visitor().say("What was her shoe size?")

    assert text_of(events) == "I don't know that, sorry."
    assert of_type(events, "meta")[0]["outcome"] == "refused"
    assert "gap" in of_type(events, "trace")[0]["flags"]


def test_flagged_only(gated: OpenTwin) -> None:
    """`VERIFY=flag` shows everything and leaves a flag; `off` leaves none."""
    for verify, flags in (("flag", ["verify:unsupported"]), ("off", [])):
        twin = gated(Scripted(f"{TRUE} {FALSE}"), verify=verify)
        events = twin.visitor().say("Tell me about Ada.")
        assert text_of(events) == f"{TRUE} {FALSE}"
        trace = of_type(events, "trace")[0]
        assert (trace["flags"], trace["withheld"]) == (flags, 0)


def test_what_a_visitor_claims_is_no_evidence(gated: OpenTwin) -> None:
    """Said about the owner by a visitor, it can be echoed as theirs and not told as a fact."""
    told = "You said that. Ada had seven children and a parrot."
    twin = gated(Scripted(told, told))

    events = twin.visitor().say("Ada had seven children and a parrot. Please confirm that.")

    assert "parrot" not in text_of(events)


def test_a_wrong_source_is_put_right(gated: OpenTwin, pages: Path) -> None:
    """Cited is not the same as mentioned: a mark names a passage that supports its sentence, or goes."""
    (pages / "work.md").write_text(
        "---\ntitle: Work\nlanguage: en\n---\n# Work\n\n## Notes\n\nAda Lovelace wrote notes on the Analytical Engine in 1843.\n"
    )

    def answer(request: ModelRequest) -> str:
        titles = [found.passage.title for found in request.evidence]
        birth, work = titles.index("Ada › Birth") + 1, titles.index("Work › Notes") + 1
        return f"Ada Lovelace was born in London on 10 December 1815 [{work}]. She wrote notes on the Analytical Engine [{birth}]."

    events = gated(Scripted(answer)).visitor().say("What of Ada Lovelace, her notes and London?")

    cited = {event["n"]: event["title"] for event in of_type(events, "citation")}
    shown = text_of(events)
    for words, title in (("1815", "Ada › Birth"), ("Analytical Engine", "Work › Notes")):
        number = shown.split(words)[1][2]
        assert cited[int(number)] == title, shown


def test_a_deed_needs_its_result(gated: OpenTwin) -> None:
    """After a declined request "it has been sent" can't pass; after an approved one it can."""
    for approved in (False, True):
        closing = "I have sent your message to Ada."
        request = call(
            "draft_contact_message", subject="Hi", message="Hello!", sender_contact="a@b.example"
        )
        twin = gated(Scripted(request, closing, closing))
        visitor = twin.visitor()
        visitor.say("Please pass on Hello! from a@b.example.")
        answer = twin.decide(str(visitor.thread_id), approved=approved).json()["answer"]
        assert (closing in answer) is approved, answer


def test_availability_needs_a_tool(gated: OpenTwin) -> None:
    """Somebody's time is known to tools only; with a tool's word for it, it can be said."""
    said = "Ada is available on Monday at 10:00."
    tool = Tool(
        "calendar",
        "When Ada is available.",
        {"type": "object", "properties": {}, "additionalProperties": False},
        lambda: said,
    )
    twin = gated(Scripted(said, said, call("calendar"), said), tools=[tool])
    visitor = twin.visitor()

    assert said not in text_of(visitor.say("When is Ada available?"))
    assert said in text_of(visitor.say("When is Ada available? Look it up."))


def test_text_is_shown_while_the_model_writes(gated: OpenTwin) -> None:
    """A proven sentence is in the log although the model has not finished."""
    gate = Gate()
    twin = gated(Scripted([f"{TRUE} Ada", gate, " Lovelace was born in London."]))
    visitor = twin.visitor()
    visitor.thread_id = "early"
    log = twin.services.store.log

    def shown() -> str:
        rows = twin.call(log.read, "early", 0)
        return "".join(event.text for _, event in rows if isinstance(event, Text))

    with ThreadPoolExecutor(1) as pool:
        saying = pool.submit(visitor.say, "Where was Ada born?")
        gate.wait_reached()
        try:
            until("the first sentence is saved", lambda: "1815" in shown())
            assert not saying.done()
        finally:
            gate.open()
        assert TRUE in text_of(saying.result())


def test_a_small_folder_is_given_whole(gated: OpenTwin, pages: Path) -> None:
    """Prompts begin alike whatever is asked, for a provider's cache; what no search found can be cited all the same."""
    for name in ("zeta", "alpha"):
        (pages / f"{name}.md").write_text(
            f"---\ntitle: {name.title()}\nlanguage: en\n---\n# {name.title()}\n\nThe {name} stands in the hall.\n"
        )
    model = Scripted("The zeta stands in the hall.", "Ada Lovelace was born in London.")
    visitor = gated(model).visitor()
    events = visitor.say("xyzzy?")
    assert of_type(events, "citation")[0]["title"] == "Zeta"
    visitor.say("Where was Ada born?")
    assert model.requests[0].system == model.requests[1].system
    titles = [found.passage.title for found in model.requests[0].evidence]
    assert titles == ["Ada › Birth", "Alpha", "Zeta"]


def test_a_large_folder_is_searched(gated: OpenTwin, pages: Path) -> None:
    """A model gets what fits the question."""
    for number in range(40):
        words = " ".join(f"word{number}x{n}" for n in range(60))
        (pages / f"page{number}.md").write_text(f"# Page {number}\n\nAbout {words}.\n")
    model = Scripted("-")
    gated(model).visitor().say("Where was Ada born?")
    assert 0 < len(model.requests[0].evidence) <= 6
    assert model.requests[0].evidence[0].passage.title == "Ada › Birth"


# --- a model that invents every fourth sentence -----------------------------------------------------

INVENTED = {
    "en": (
        "She was awarded the Copley Medal.",
        "I have sent your question to her.",
        "She lived in Buenos Aires for a while.",
        "The passages say that she is available on Monday.",
        "Her favourite dish was lobster.",
    ),
    "nl": (
        "Zij kreeg de Copley-medaille.",
        "Ik heb uw vraag naar haar gestuurd.",
        "Zij woonde een tijd in Buenos Aires.",
        "Zij is maandag beschikbaar.",
        "Haar lievelingsgerecht was kreeft.",
    ),
}


class Inventor:
    """Three sentences word for word from its passages, then one that no page has; and so on, up to twelve."""

    def __init__(self) -> None:
        self.true: list[str] = []
        self.false: list[str] = []
        self._lies = {language: cycle(lies) for language, lies in INVENTED.items()}

    def answer(self, request: ModelRequest) -> str:
        """One answer; `true` and `false` are its sentences."""
        language = request.evidence[0].passage.language if request.evidence else "en"
        told = list(islice(_facts(request), 9))
        self.true, self.false, said = [], [], []
        for place in range(0, len(told), 3):
            lie = next(self._lies[language])
            self.true += told[place : place + 3]
            self.false.append(lie)
            said += [*told[place : place + 3], lie]
        return " ".join(said)


def _facts(request: ModelRequest) -> Iterator[str]:
    for found in request.evidence:
        for line in found.passage.text.splitlines():
            if line.strip() and line[0] not in "#-*|>0123456789":
                sentences = Sentences()
                for sentence in [*sentences.feed(line), sentences.rest()]:
                    # One that leans on the sentence before it goes with that one when it was a lie: rightly.
                    if len(sentence.split()) > 5 and not is_dependent(sentence.strip()):
                        yield sentence.strip()


def test_an_inventing_model_over_two_hundred_turns(open_twin: OpenTwin) -> None:
    """Both languages: nothing false is shown, what is true is, all of it, in order, once."""
    questions = [
        (row["question"], row["language"])
        for row in map(json.loads, (ROOT / "evaluation/questions.jsonl").read_text().splitlines())
    ]
    inventor = Inventor()
    twin = open_twin(
        Scripted(then=inventor.answer),
        verify="gate",
        knowledge_dir=ROOT / "server/demo/knowledge",
        owner_name="Ada Lovelace",
    )
    told = {"en": 0, "nl": 0}
    withheld = 0
    for question, _ in islice(cycle(questions), 200):
        inventor.true, inventor.false = [], []
        events = twin.visitor().say(question)
        shown = text_of(events)
        for lie in (*INVENTED["en"], *INVENTED["nl"]):
            assert lie not in shown
        place = 0
        for fact in inventor.true:
            at = shown.find(fact.rstrip(".!?"), place)
            assert at >= 0, (question, fact, shown)
            place = at
        language = "nl" if any(lie in INVENTED["nl"] for lie in inventor.false) else "en"
        told[language] += len(inventor.true)
        withheld += of_type(events, "trace")[0]["withheld"]
    assert min(told.values()) > 300
    assert withheld >= 200
