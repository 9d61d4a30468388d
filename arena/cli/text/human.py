"""A person who plays in the terminal: the board, what is new, the request; orders that are tried
before they are given."""

from __future__ import annotations

import click
import trio

from arena.cli.text.boards import painted
from arena.cli.text.layout import say, styled
from arena.cli.text.terminal import LineReader, has_keyboard
from arena.core.game import AnyGame
from arena.core.offers import NO_MOVES
from arena.guide.pages import find_guide
from arena.players.human import Turn
from arena.text import safe

DRAWN = ("settings ", "setup_map ", "update_map ")
"""Lines that are not shown by themselves: the board shows what they tell."""
LINE_WIDTH = 2000
"""Characters of a line that are shown."""
HELP = """\
Each answer is tried first: an order that the rules refuse is explained and not sent.

  Tab    completes a word          ↑ ↓    bring earlier lines back
  board  shows the board again     lines  shows all lines since your last request
  ?      this help                 quit   gives up (Ctrl-D too); Ctrl-C ends the match
"""


class TerminalDesk:
    """The terminal as the desk of one person or several, who take turns at it."""

    def __init__(self, game: AnyGame, people: int) -> None:
        self._game = game
        self._shared = people > 1
        self._free = trio.Lock()
        self._reader = LineReader()
        self._welcome = True
        self._held: list[str] | None = None
        """What waits until the person has answered."""

    def show(self, text: str) -> None:
        """Print a line beside the conversation: not while the person types."""
        if self._held is None:
            say(text)
        else:
            self._held.append(text)

    async def answer(self, turn: Turn) -> str | None:
        """See `Desk`."""
        began = trio.current_time()
        async with self._free:
            self._reader.drop()
            if self._shared:
                await self._hand_over(turn)
            _show_turn(turn)
            if self._welcome:
                say("type ? for help")
                self._welcome = False
            self._held = []
            try:
                return await self._listen(turn)
            except trio.Cancelled:
                if turn.seconds is not None and trio.current_time() - began >= turn.seconds:
                    say(f"\n{safe(turn.name)}: your time is over, and no answer was sent")
                raise
            finally:
                held, self._held = self._held, None
                for text in held:
                    say(text)

    async def dismiss(self, name: str, lines: tuple[str, ...]) -> None:
        """See `Desk`."""
        if news := _news(lines):
            say(f"\n{safe(name)}, your last lines:")
            say(news)

    async def _hand_over(self, turn: Turn) -> None:
        """Nothing of the one before stays on the screen."""
        who = f"{safe(turn.name)} ({turn.player})"  # two may have one name
        await self._reader.line(f"-- {who}, it is your turn: press Enter -- ")
        if has_keyboard():
            click.clear()

    async def _listen(self, turn: Turn) -> str | None:
        """The first line that can be given; None for giving up."""
        helper = turn.helper
        while True:
            line = await self._reader.line(f"{safe(turn.name)}> ", helper.completions)
            match text := (line or "").strip():
                case _ if line is None or text == "quit":
                    if line is None:
                        say("")
                    if await self._sure(turn):
                        return helper.surrender()
                case "":
                    idle = "to do nothing, type: No moves" if _may_idle(turn) else "type an answer"
                    say(f"{idle}    (? for help)")
                case "?" | "help":
                    say(_help(self._game, turn))
                case "board":
                    say(painted(helper.picture()) or "this game has no board to show: try lines")
                case "lines":
                    say("\n".join(_cut(told) for told in (*turn.lines, turn.request)))
                case _:
                    self._reader.remember(text)
                    if await self._is_taken(turn, text):
                        return text

    async def _is_taken(self, turn: Turn, text: str) -> bool:
        """Whether the rules take the answer. If not, they say why."""
        trial = await trio.to_thread.run_sync(turn.helper.trial, text)
        for problem in trial.problems:
            say(styled("not given: ", fg="yellow") + safe(problem))
        if trial.problems:
            say("no answer was sent: type it again (↑ brings it back), or ? for help")
        for remark in () if trial.problems else trial.remarks:
            say(safe(remark))
        return not trial.problems

    async def _sure(self, turn: Turn) -> bool:
        """Whether the person means it. The end of the input means yes."""
        how = "surrender" if turn.helper.surrender() else "leave: you stop answering"
        line = await self._reader.line(f"{how}? (yes or no) ")
        return line is None or line.strip().lower() in ("y", "yes")


def _show_turn(turn: Turn) -> None:
    """The board, what is new, and the request."""
    letter = chr(ord("A") + int(turn.player.removeprefix("player")) - 1)
    say(f"\n{styled(safe(turn.name), bold=True)}, you are {turn.player} ({painted(letter)})")
    if picture := turn.helper.picture():
        say(f"\n{painted(picture)}\n")
    if news := _news(turn.lines):
        say(news)
    left = "" if turn.seconds is None else f"    ({turn.seconds:.1f} s)"
    say(styled(_cut(turn.request), bold=True) + left)


def _news(lines: tuple[str, ...]) -> str:
    """The lines that the board does not show."""
    return "\n".join(f"  {_cut(line)}" for line in lines if not line.startswith(DRAWN))


def _cut(line: str) -> str:
    return safe(line if len(line) <= LINE_WIDTH else f"{line[:LINE_WIDTH]}…")


def _help(game: AnyGame, turn: Turn) -> str:
    examples = [f"  {_cut(example)}" for example in turn.helper.examples()]
    return "\n".join(
        [
            f"you are asked: {_cut(turn.request)}",
            *(["for example:", *examples] if examples else []),
            *_words(game),
            HELP,
            *(["To do nothing, type: No moves"] if _may_idle(turn) else []),
            f"the rules: arena games {game.name} --rules",
        ]
    )


def _may_idle(turn: Turn) -> bool:
    """Whether the rules take it that the person does nothing."""
    return not turn.helper.trial(NO_MOVES).problems


def _words(game: AnyGame) -> list[str]:
    """What the page on the protocol says of answers in this game, if it does."""
    for section in find_guide("protocol").text.split("\n## ")[1:]:
        heading, _, body = section.partition("\n")
        if game.title.startswith(heading) or heading.lower() == game.name:
            said = body.partition("### From the bot\n")[2].partition("\n\n|")[0]
            lines = said.partition("\n### ")[0].strip().splitlines()
            return ["", *(line for line in lines if not line.startswith("```")), ""]
    return []
