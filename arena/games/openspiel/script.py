"""The conversation of a match."""

from __future__ import annotations

from arena.core import Answer, Ask, Fate, Outcome, Reply, Scene, Script, Show, Tell, ask_all
from arena.games.kit import game_over_line, joined, player_names, ranks, tell
from arena.games.openspiel import words
from arena.games.openspiel.frames import frame
from arena.games.openspiel.world import SpielWorld, move


def script(world: SpielWorld) -> Script:
    """A whole match, or the rest of it."""
    seats = range(world.seats)
    if world.round == 0:
        for seat in seats:
            yield from tell(seat, words.opening_lines(world, seat))
        yield Show(frame(world))
    while not world.over:
        yield from play_move(world)
    end = outcome(world)
    for seat in seats:
        yield Tell(seat, game_over_line(end.ranks[seat], end.points[seat]))
    return end


def play_move(world: SpielWorld) -> Scene:
    """One move of a seat, or of several at the same time."""
    movers = world.movers
    for seat in movers:
        yield from tell(seat, words.state_lines(world, seat))
        yield from tell(seat, words.legal_lines(world, seat))
    replies = yield from ask_all(tuple([Ask(seat, "go move") for seat in movers]))
    made = {seat: read(world, seat, reply) for seat, reply in zip(movers, replies, strict=True)}
    move(world, {seat: action for seat, (action, _) in made.items()})
    for seat, (_, refused) in made.items():
        if refused:
            yield words.NOT_OFFERED.note(seat, refused)
            yield words.NOT_OFFERED.tell(seat)
    yield from tell_others(world)
    yield Show(frame(world))


def read(world: SpielWorld, seat: int, reply: Reply) -> tuple[int, str]:
    """The action of a reply, and the answer if it is not legal: then the first legal action."""
    legal = words.legal(world, seat)
    if isinstance(reply, Answer) and reply.text in legal:
        return legal[reply.text], ""
    refused = (reply.text or "No moves") if isinstance(reply, Answer) else ""
    return next(iter(legal.values())), refused


def tell_others(world: SpielWorld) -> Scene:
    """Tell the seats what the others did, as far as they see it. What they see now, they are told
    where it is not asked for in time: at the end, and where the library's text has no past."""
    for seat in range(world.seats):
        others = [made for made in world.moves if made[0] != seat and not world.hidden]
        for mover, action in others:
            yield Tell(seat, f"opponent_moves player{mover + 1} {words.word(action)}")
        if world.over or (world.hidden and not world.whole_past):
            yield from tell(seat, words.state_lines(world, seat))


def outcome(world: SpielWorld) -> Outcome:
    """The end of the match: the points that the library gives, and ranks by them."""
    points = tuple([value + 0.0 for value in world.state.returns()])  # -0.0 becomes 0.0
    places, names = ranks(points), player_names(world.seats)
    best = [names[seat] for seat in range(world.seats) if places[seat] == 1]
    ended = world.state.is_terminal()
    after = f"{'after' if ended else 'when time was up, after'} {world.round} moves"
    verdict = f"{best[0]} won" if len(best) == 1 else f"{joined(best)} tie"
    return Outcome(
        ranks=places,
        points=points,
        fates=(Fate.SURVIVED,) * world.seats,
        reason="end" if ended else "moves",
        sentence=f"{verdict} {after}.",
    )
