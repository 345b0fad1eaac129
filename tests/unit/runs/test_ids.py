"""Ids of ours."""

import re

from server.runs.ids import new_id


def test_an_id_can_stand_in_a_path_and_on_a_command_line() -> None:
    made = {new_id() for _ in range(2_000)}
    assert len(made) == 2_000
    assert all(re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_-]{23}", each) for each in made)
