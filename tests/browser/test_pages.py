"""How the pages are served: policy, caching, compression. Needs no browser."""

import gzip
import re
from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from server.adapters.models.scripted import Scripted
from server.main import create_app
from server.settings import Settings
from server.web.routes.pages import STATIC
from tests.browser.live import with_pages


@pytest.fixture
def client(settings: Settings) -> Iterator[TestClient]:
    changed = settings.model_copy(
        update={
            "owner_name": 'A "quoted" <b>owner</b>',
            "frame_ancestors": ("https://ada.example",),
        }
    )
    app = with_pages(create_app(changed, model=Scripted()), changed.frame_ancestors)
    with TestClient(app) as client:
        yield client


@pytest.mark.parametrize("path", ["/", "/inbox", "/widget", "/docs"])
def test_pages_run_nothing_inline_and_load_nothing_from_elsewhere(
    client: TestClient, path: str
) -> None:
    answer = client.get(path)

    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert ("require-trusted-types-for 'script'" in policy) == (path != "/docs")
    ancestors = "https://ada.example" if path == "/widget" else "'none'"
    assert f"frame-ancestors {ancestors}" in policy
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert answer.headers["Cache-Control"] == "no-cache"
    assert "<b>owner" not in answer.text
    assert "A &quot;quoted&quot; &lt;b&gt;owner&lt;/b&gt;" in answer.text
    assert not re.search(r"\son\w+=|style=|<style|javascript:|https?://", answer.text)
    assert not re.findall(r"<script(?![^>]*src=)", answer.text)


def test_hashed_files_are_kept_for_a_year_and_everything_a_page_names_is_there(
    client: TestClient,
) -> None:
    page = client.get("/").text
    named = re.findall(r'(?:src|href)="(/assets/[^"]+)"', page)
    assert len(named) == 3

    for path in named:
        answer = client.get(path)
        assert answer.status_code == 200
        kept = answer.headers["Cache-Control"]
        assert kept == (
            "public, max-age=300, must-revalidate"
            if path.endswith("svg")
            else "public, max-age=31536000, immutable"
        )
        assert (
            client.get(path, headers={"If-None-Match": answer.headers["ETag"]}).status_code == 304
        )


def test_files_are_sent_compressed_to_whoever_can_read_that(client: TestClient) -> None:
    path = f"/assets/{next((STATIC / 'assets').glob('chat-*.js')).name}"
    small = client.get(path, headers={"Accept-Encoding": "gzip"})
    plain = client.get(path, headers={"Accept-Encoding": "identity"})

    assert small.headers["Content-Encoding"] == "gzip"
    assert "Content-Encoding" not in plain.headers
    assert small.content == plain.content
    assert small.headers["Vary"] == "Accept-Encoding"


@pytest.mark.parametrize(
    "path", ["/assets/none.js", "/assets/..%2fchat.html", "/assets/%2e%2e/widget.js"]
)
def test_nothing_else_is_served(client: TestClient, path: str) -> None:
    assert client.get(path).status_code == 404


def test_the_widget_weighs_less_than_60_kilobytes() -> None:
    """Everything a visitor of somebody's site loads: launcher, frame, script and style, compressed."""
    parts = [
        STATIC / "widget.js",
        STATIC / "widget.html",
        *(STATIC / "assets").glob("chat-*.js"),
        *(STATIC / "assets").glob("chat-*.css"),
    ]
    assert len(parts) == 4

    weight = sum(len(gzip.compress(part.read_bytes(), 9, mtime=0)) for part in parts)

    assert weight < 60 * 1000, f"{weight} bytes"
