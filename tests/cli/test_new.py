from __future__ import annotations

from pathlib import Path

import pytest

from arena.cli.main import run


def test_it_says_what_it_made_and_what_to_do_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["new", "toroid", "python"]) == 0
    assert (tmp_path / "my_toroid_bot" / "bot.py").is_file()
    out = capsys.readouterr().out
    assert "my_toroid_bot: your bot is bot.py, beside toroid.py, bot.toml, README.md" in out
    assert "arena check toroid my_toroid_bot" in out


def test_a_folder_that_is_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "full").write_text("")
    assert run(["new", "toroid", "go", str(tmp_path / "full")]) == 2
    assert "exists already: name a new folder" in capsys.readouterr().err


def test_a_folder_that_cannot_be_made(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")
    assert run(["new", "toroid", "go", str(tmp_path / "file" / "bot")]) == 2
    assert "name another folder" in capsys.readouterr().err


def test_a_name_with_a_blank_is_quoted_where_it_is_to_be_typed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "my bot"
    assert run(["new", "toroid", "python", str(folder)]) == 0
    assert f"arena check toroid '{folder}'" in capsys.readouterr().out
    assert "arena play toroid 'my bot' 'my bot' --watch" in (folder / "README.md").read_text()


def test_the_game_comes_first(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["new", "python", "toroid"]) == 2
    assert "the game comes first: arena new toroid python" in capsys.readouterr().err
