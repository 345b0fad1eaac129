"""Vectors from a URL, from hashed words and, where the extra is installed, from e5."""

import json
from collections.abc import Callable

import httpx
import pytest

from server.adapters.knowledge.semantic import (
    LONGEST_QUERY,
    Embedder,
    EmbeddingFailed,
    HashedEmbedder,
    UrlEmbedder,
    find_embedder,
    shorten,
)

np = pytest.importorskip("numpy", reason="comes with the extra [semantic]")


def answering(answer: Callable[[httpx.Request], httpx.Response]) -> httpx.AsyncClient:
    return httpx.AsyncClient(transport=httpx.MockTransport(answer))


async def test_a_url_is_asked_in_the_openai_way() -> None:
    """Rows are taken by their index, and made unit vectors."""
    seen: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        data = [{"index": 1, "embedding": [0, 2]}, {"index": 0, "embedding": [3, 4]}]
        return httpx.Response(200, json={"data": data})

    async with answering(answer) as client:
        embedder = UrlEmbedder(client, "http://e.example/v1/", "m", api_key="k")
        vectors = await embedder.passages(["a", "b"])
        assert np.allclose(vectors, [[0.6, 0.8], [0, 1]])
    assert str(seen[0].url) == "http://e.example/v1/embeddings"
    assert seen[0].headers["authorization"] == "Bearer k"
    assert json.loads(seen[0].content) == {
        "model": "m",
        "input": ["a", "b"],
        "encoding_format": "float",
    }


async def test_a_model_of_the_e5_family_gets_its_prefixes() -> None:
    """Servers for it take the text as it comes."""
    inputs: list[list[str]] = []

    def answer(request: httpx.Request) -> httpx.Response:
        inputs.append(json.loads(request.content)["input"])
        return httpx.Response(200, json={"data": [{"index": 0, "embedding": [1.0]}]})

    async with answering(answer) as client:
        embedder = UrlEmbedder(client, "http://e.example/v1/embeddings", "multilingual-e5-base")
        await embedder.passages(["p"])
        await embedder.query("q\0")
    assert inputs == [["passage: p"], ["query: q "]]


@pytest.mark.parametrize(
    "response",
    [
        httpx.Response(500, text="secret text"),
        httpx.Response(200, text="not json"),
        httpx.Response(200, json={}),
        httpx.Response(200, json=[]),
        httpx.Response(200, json={"data": []}),
        httpx.Response(200, json={"data": [{"index": 0, "embedding": ["x"]}]}),
        httpx.Response(200, json={"data": [{"index": 0, "embedding": None}]}),
        httpx.Response(200, content=b'{"data": [{"index": 0, "embedding": [NaN]}]}'),
    ],
)
async def test_a_bad_answer_is_one_kind_of_failure(response: httpx.Response) -> None:
    """And its message holds nothing of the answer."""

    async with answering(lambda _: response) as client:
        with pytest.raises(EmbeddingFailed) as caught:
            await UrlEmbedder(client, "http://e.example", "m").query("q")
        assert "secret" not in str(caught.value)


async def test_no_connection_is_that_failure_too() -> None:
    """Whatever httpx calls it."""

    def answer(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("refused", request=request)

    async with answering(answer) as client:
        with pytest.raises(EmbeddingFailed):
            await UrlEmbedder(client, "http://e.example", "m").query("q")


def test_a_long_question_is_shortened_to_its_ends() -> None:
    """The point is at the beginning or at the end."""
    text = shorten("begin " + "x" * 4000 + " end")
    assert text.startswith("begin")
    assert text.endswith("end")
    assert len(text) <= LONGEST_QUERY + 1


async def test_hashed_vectors_know_words_and_what_they_are_told() -> None:
    """The same everywhere, each time."""

    embedder = HashedEmbedder(same={"hond": "dog"})
    passages = await embedder.passages(["A dog.", "A house."])
    cosines = passages @ await embedder.query("Heeft u een hond?")
    assert cosines[0] > 0.9
    assert abs(float(cosines[1])) < 0.1
    assert (await HashedEmbedder().query("")).tolist() == [0.0] * 256
    assert HashedEmbedder().name != HashedEmbedder(same={"hond": "dog"}).name


@pytest.fixture(scope="module")
def e5() -> Embedder:
    found = find_embedder()
    if found is None:
        pytest.skip("the extra [semantic] is not installed")
    return found


async def test_e5_finds_the_meaning_across_languages(e5: Embedder) -> None:
    """A Dutch question is closest to the English sentence that answers it."""

    passages = await e5.passages(["Her dog was called Sirius.", "Trains leave at noon."])
    cosines = passages @ await e5.query("Hoe heette haar hond?")
    assert cosines[0] > cosines[1]


@pytest.mark.parametrize("text", ["a\0b", "\ud800 lone", "🎉", " ", "x " * 2000])
async def test_e5_takes_any_text(e5: Embedder, text: str) -> None:
    """NUL, half a character, no word at all, 4,000 characters: a unit vector."""

    assert np.linalg.norm(await e5.query(text)) == pytest.approx(1.0, abs=1e-3)
