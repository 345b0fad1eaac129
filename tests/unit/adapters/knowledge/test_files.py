"""What lies in the folder is text or a finding, never a crash."""

import os
from pathlib import Path

import pytest

from server.adapters.knowledge.files import LARGEST_FILE, read_folder
from server.adapters.knowledge.pages import Code


def outcome(folder: Path) -> tuple[list[str], dict[str, Code]]:
    files, findings = read_folder(folder)
    return [file.path for file in files], {finding.path: finding.code for finding in findings}


def test_markdown_is_read_in_the_order_of_its_paths(tmp_path: Path) -> None:
    """Folders inside the folder too, whatever the case of the ending."""
    for name in ("b.md", "a.MARKDOWN", "nl/deep/c.Md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    assert outcome(tmp_path) == (["a.MARKDOWN", "b.md", "nl/deep/c.Md"], {})


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"caf\xe9", Code.NOT_UTF8),
        ("hello".encode("utf-16"), Code.NOT_UTF8),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\xff", Code.BINARY),
        (b"\0" * 500, Code.BINARY),
        (b"x" * (LARGEST_FILE + 1), Code.TOO_LARGE),
    ],
)
def test_what_is_not_text_is_left_out(tmp_path: Path, content: bytes, code: Code) -> None:
    """And the pages next to it are read."""
    (tmp_path / "bad.md").write_bytes(content)
    (tmp_path / "good.md").write_text("Good.")
    assert outcome(tmp_path) == (["good.md"], {"bad.md": code})


@pytest.mark.parametrize(
    "content", [b"", b"\xef\xbb\xbfText.", b"a\r\nb", b"one \0 NUL", b"x" * LARGEST_FILE]
)
def test_what_can_be_read_is_read(tmp_path: Path, content: bytes) -> None:
    """An empty file, a byte order mark, CRLF, a stray NUL, exactly the largest size."""
    (tmp_path / "a.md").write_bytes(content)
    assert outcome(tmp_path) == (["a.md"], {})


def test_links_are_followed_only_inside_the_folder(tmp_path: Path) -> None:
    """A mounted config map links to its own files; a link to anything else shows visitors what was never meant."""
    inside, outside = tmp_path / "pages", tmp_path / "outside"
    for folder in (inside / "..data", outside):
        folder.mkdir(parents=True)
        (folder / "real.md").write_text("Real.")
    (inside / "page.md").symlink_to(Path("..data") / "real.md")
    (inside / "secret.md").symlink_to(outside / "real.md")
    (inside / "folder").symlink_to(outside, target_is_directory=True)
    (inside / "loop.md").symlink_to("loop.md")
    (inside / "nowhere.md").symlink_to("gone.md")
    assert outcome(inside) == (
        ["page.md"],
        {
            "..data": Code.HIDDEN,
            "folder": Code.LEAVES_FOLDER,
            "secret.md": Code.LEAVES_FOLDER,
            "loop.md": Code.UNREADABLE,
            "nowhere.md": Code.UNREADABLE,
        },
    )


def test_hidden_and_other_files_are_noted(tmp_path: Path) -> None:
    """They are left out on purpose, which is no error."""
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "x.md").write_text("no")
    (tmp_path / ".draft.md").write_text("no")
    (tmp_path / "photo.jpg").write_bytes(b"\xff")
    files, findings = read_folder(tmp_path)
    assert files == []
    assert {f.path: f.code for f in findings} == {
        ".git": Code.HIDDEN,
        ".draft.md": Code.HIDDEN,
        "photo.jpg": Code.NOT_MARKDOWN,
    }
    assert {f.code.severity for f in findings} == {"note"}


def test_a_pipe_does_not_block(tmp_path: Path) -> None:
    """Reading one would wait for ever."""
    os.mkfifo(tmp_path / "pipe.md")
    assert outcome(tmp_path) == ([], {"pipe.md": Code.NOT_A_FILE})


def test_a_name_no_id_can_hold_is_left_out(tmp_path: Path) -> None:
    """Bytes that are not UTF-8, line ends."""
    for name in (b"caf\xe9.md", b"two\nlines.md"):
        Path(os.fsdecode(os.path.join(os.fsencode(tmp_path), name))).write_text("x")  # noqa: PTH118
    paths, found = outcome(tmp_path)
    assert paths == []
    assert set(found.values()) == {Code.BAD_NAME}
    assert all(path.isprintable() for path in found)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission_is_a_finding(tmp_path: Path) -> None:
    """Said by name."""
    (tmp_path / "a.md").write_text("x")
    (tmp_path / "a.md").chmod(0)
    assert outcome(tmp_path) == ([], {"a.md": Code.UNREADABLE})


def test_a_folder_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    """So that a lost mount is not taken for an emptied folder."""
    (tmp_path / "file").write_text("x")
    for place in (tmp_path / "gone", tmp_path / "file"):
        with pytest.raises(OSError):
            read_folder(place)
