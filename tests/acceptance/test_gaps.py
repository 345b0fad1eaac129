"""What the twin could not answer reaches the owner, and the owner's answer reaches the next visitor."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from server.adapters.models.extractive import Extractive
from server.adapters.models.scripted import Scripted
from tests.acceptance.conftest import OpenTwin
from tests.support.twin import RunningTwin, of_type, text_of

SIZE = "What is her shoe size?"


@pytest.fixture
def twin(open_twin: OpenTwin) -> RunningTwin:
    """One that quotes its pages, and lets nothing through that it can't prove."""
    return open_twin(Extractive("Ada"), verify="gate")


def asked_in_vain(twin: RunningTwin, *questions: str) -> None:
    """Each by somebody new."""
    for question in questions:
        events = twin.visitor().say(question)
        assert of_type(events, "meta")[-1]["outcome"] == "refused"
        assert "gap" in of_type(events, "trace")[-1]["flags"]


def gaps(twin: RunningTwin, query: str = "") -> list[dict[str, Any]]:
    answer = twin.owner("GET", f"/gaps{query}")
    assert answer.status_code == 200, answer.text
    rows: list[dict[str, Any]] = answer.json()["gaps"]
    return rows


def settle(twin: RunningTwin, gap_id: str, **body: Any) -> Any:
    return twin.owner("POST", f"/gaps/{gap_id}", json=body)


def test_questions_that_ask_the_same_are_one_gap(twin: RunningTwin) -> None:
    """With how often, since when, and the visitors' own words; last asked first."""
    asked_in_vain(twin, SIZE, "Do you ship to Belgium?", "what's Ada's shoe size??")

    shoes, shipping = gaps(twin)

    assert (shoes["question"], shoes["count"], shoes["status"]) == (SIZE, 2, "open")
    assert [e["question"] for e in shoes["examples"]] == ["what's Ada's shoe size??", SIZE]
    assert shoes["first_asked_at"] < shipping["first_asked_at"] < shoes["last_asked_at"]
    assert (shipping["count"], shipping["languages"]) == (1, ["en"])
    assert (shoes["answered_at"], shoes["answered_by"], shoes["page"]) == (None, None, None)
    transcript = twin.owner("GET", f"/threads/{shoes['examples'][0]['thread_id']}").json()
    assert transcript["messages"][0]["content"] == "what's Ada's shoe size??"


def test_gaps_come_in_pages(twin: RunningTwin) -> None:
    questions = [f"How tall is building {number}?" for number in range(5)]
    asked_in_vain(twin, *questions)
    asked_in_vain(twin, *[f"How tall is building {number}?" for number in (0, 1)])

    first = twin.owner("GET", "/gaps?limit=3").json()
    rest = twin.owner("GET", "/gaps", params={"limit": 3, "before": first["next"]}).json()

    found = [(row["question"][-2], row["count"]) for row in first["gaps"] + rest["gaps"]]
    assert found == [("1", 2), ("0", 2), ("4", 1), ("3", 1), ("2", 1)]
    assert rest["next"] is None


def test_an_answer_becomes_a_page_and_the_next_visitor_is_answered_from_it(
    twin: RunningTwin, pages: Path
) -> None:
    """Without a restart, with its source; and the question is off the list, for all who asked it."""
    asked_in_vain(twin, SIZE, "what's Ada's shoe size")
    gap = next(row for row in gaps(twin) if row["question"] == SIZE)

    settled = settle(twin, gap["id"], answer="Ada wore shoes of size 38.", title="Ada's shoes")

    assert settled.status_code == 200, settled.text
    row = settled.json()
    assert (row["status"], row["answered_by"], row["count"]) == ("answered", "owner", 2)
    page = pages / row["page"]
    text = page.read_text("utf-8")
    assert page.name.endswith("-ada-s-shoes.md")
    assert text.startswith("---\ntitle: Ada's shoes\nlanguage: en\nanswered: '20")
    assert text.endswith("---\n\nAda wore shoes of size 38.\n")
    events = twin.visitor().say("What's the shoe size of Ada?")
    [citation] = of_type(events, "citation")
    assert f"Ada wore shoes of size 38. [{citation['n']}]" in text_of(events)
    assert (citation["title"], citation["quote"]) == ("Ada's shoes", "Ada wore shoes of size 38.")
    assert citation["source"].startswith(row["page"])
    assert gaps(twin) == []
    [answered] = gaps(twin, "?status=answered")
    assert answered == row
    assert gaps(twin, f"?status=answered&before={row['answered_at']}") == []


def test_a_page_answers_the_question_it_was_written_for_in_other_words(twin: RunningTwin) -> None:
    """It is found by what visitors asked, also when title and answer share no word with it."""
    asked_in_vain(twin, "Do you ship to Belgium?")
    [gap] = gaps(twin)
    answer = "Everything goes by post to all countries of the Benelux."
    assert settle(twin, gap["id"], answer=answer, title="Delivery").status_code == 200

    events = twin.visitor().say("Do you ship to Belgium?")

    assert answer in text_of(events)
    [citation] = of_type(events, "citation")
    assert "Belgium" not in citation["quote"] + citation["title"]


def test_of_owners_who_answer_at_once_one_does_and_one_page_is_left(
    twin: RunningTwin, pages: Path
) -> None:
    asked_in_vain(twin, SIZE)
    [gap] = gaps(twin)
    with ThreadPoolExecutor(4) as owners:
        answers = list(
            owners.map(lambda n: settle(twin, gap["id"], answer=f"Size {n}."), range(36, 40))
        )
    assert sorted(answer.status_code for answer in answers) == [200, 409, 409, 409]
    [kept] = (answer.json() for answer in answers if answer.status_code == 200)
    assert [f"answers/{page.name}" for page in (pages / "answers").iterdir()] == [kept["page"]]
    events = twin.visitor().say(SIZE)
    assert len(of_type(events, "citation")) == 1


def test_a_dutch_answer_is_a_dutch_page(twin: RunningTwin, pages: Path) -> None:
    asked_in_vain(twin, "Wat is haar schoenmaat?")
    [gap] = gaps(twin)
    settled = settle(twin, gap["id"], answer="De schoenen van Ada zijn in de maat 38.").json()
    text = (pages / settled["page"]).read_text("utf-8")
    assert "title: Wat is haar schoenmaat?\nlanguage: nl\n" in text


def test_a_gap_is_dismissed_and_leaves_no_page(twin: RunningTwin, pages: Path) -> None:
    asked_in_vain(twin, SIZE)
    [gap] = gaps(twin)

    dismissed = settle(twin, gap["id"], dismiss=True)

    assert (dismissed.status_code, dismissed.json()["status"]) == (200, "dismissed")
    assert gaps(twin) == gaps(twin, "?status=answered") == []
    assert not (pages / "answers").exists()
    again = settle(twin, gap["id"], answer="38.")
    assert (again.status_code, again.json()["code"]) == (409, "already_decided")
    assert (again.json()["decided_status"], again.json()["by"]) == ("dismissed", "owner")
    assert not (pages / "answers").exists()


def test_the_demo_has_no_folder_for_answers(open_twin: OpenTwin) -> None:
    """A conflict that says what to do, and nothing is recorded."""
    twin = open_twin(Extractive("Ada"), verify="gate", knowledge_dir=None)
    asked_in_vain(twin, "Do you sell vacuum cleaners?")
    [gap] = gaps(twin)

    refused = settle(twin, gap["id"], answer="38.")

    assert (refused.status_code, refused.json()["code"]) == (409, "answer_not_kept")
    assert "KNOWLEDGE_DIR" in refused.json()["detail"]
    assert gaps(twin) == [gap]


def test_a_folder_that_can_not_be_written_to_records_nothing(
    twin: RunningTwin, pages: Path
) -> None:
    """Here a file stands in the way; read-only folders end the same."""
    (pages / "answers").write_text("in the way")
    asked_in_vain(twin, SIZE)
    [gap] = gaps(twin)

    refused = settle(twin, gap["id"], answer="38.")

    assert (refused.status_code, refused.json()["code"]) == (409, "answer_not_kept")
    assert gaps(twin) == [gap]
    assert (pages / "answers").read_text() == "in the way"


def test_bad_settlings_change_nothing(twin: RunningTwin) -> None:
    asked_in_vain(twin, SIZE)
    [gap] = gaps(twin)
    statuses = [
        settle(twin, gap_id, **body).status_code
        for gap_id, body in [
            ("unknown", {"dismiss": True}),
            (gap["id"], {}),
            (gap["id"], {"answer": ""}),
            (gap["id"], {"answer": " \n"}),
            (gap["id"], {"answer": "\u200b"}),
            (gap["id"], {"answer": "x" * 4001}),
            (gap["id"], {"answer": "38.", "title": " "}),
            (gap["id"], {"dismiss": False}),
            (gap["id"], {"dismiss": True, "answer": "38."}),
        ]
    ]
    assert statuses == [404, 422, 422, 422, 422, 422, 422, 422, 422]
    assert gaps(twin) == [gap]


def test_a_gap_goes_with_the_conversation_it_was_asked_in(twin: RunningTwin) -> None:
    visitor = twin.visitor()
    visitor.say(SIZE)
    asked_in_vain(twin, SIZE)
    assert gaps(twin)[0]["count"] == 2

    forgotten = twin.client.delete(f"/api/threads/{visitor.thread_id}", headers=visitor.headers)

    assert forgotten.status_code == 204
    assert [row["count"] for row in gaps(twin)] == [1]


def test_what_a_model_invented_and_was_kept_back_leaves_a_gap(open_twin: OpenTwin) -> None:
    """The honest line that stands in its place says what the sources are about."""
    twin = open_twin(Scripted(then="Ada's shoes were size 38."), verify="gate")
    asked_in_vain(twin, SIZE)
    assert [row["question"] for row in gaps(twin)] == [SIZE]


def test_a_turn_that_was_answered_leaves_no_gap(open_twin: OpenTwin) -> None:
    twin = open_twin(Scripted("Ada Lovelace was born in London. [1]"))
    twin.visitor().say("Where was Ada Lovelace born?")
    assert gaps(twin) == []
