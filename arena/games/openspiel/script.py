"""The conversation of a match."""

from __future__ import annotations

from arena.core import Answer, Ask, Fate, Outcome, Reply, Scene, Script, Show, Tell, ask_all
from arena.games.kit import NO_MOVES, answer_text, game_over_line, joined, player_names, ranks, tell
from arena.games.openspiel import chess, words
from arena.games.openspiel.frames import frame
from arena.games.openspiel.world import SpielWorld, adjudicate, move

LOST_SINCE = {
    "time": "did not answer in time",
    "illegal": "gave no legal move",
    "gone": "had no program any more",
    "resigned": "scored its position as lost",
}


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
    legal = world.reading.legal
    movers = tuple(legal)
    for seat in movers:
        yield from tell(seat, words.state_lines(world, seat))
        yield from tell(seat, words.legal_lines(world, legal[seat]))
    replies = yield from ask_all(tuple([Ask(seat, "go move") for seat in movers]))
    pairs = list(zip(movers, replies, strict=True))
    if world.faults_lose:
        faulty = (
            (seat, lost_by(reply))
            for seat, reply in pairs
            if answered_word(world, reply) not in legal[seat]
        )
        world.lost = next(faulty, None)
    made = {seat: action_of(world, legal[seat], reply) for seat, reply in pairs}
    played = world.lost is None
    if played:
        move(world, {seat: action for seat, (action, _) in made.items()})
    for seat, (_, refused) in made.items():
        if refused:
            yield words.NOT_OFFERED.note(seat, refused)
            yield words.NOT_OFFERED.tell(seat)
    if played and world.failed:
        for seat in movers:
            yield from words.failure_of(world, seat)
    if not played or world.stuck:
        return
    if world.is_chess:
        adjudicate(world, movers[0], chess.split_answer(answer_text(replies[0]))[1])
    yield from tell_others(world)
    yield Show(frame(world))


def answered_word(world: SpielWorld, reply: Reply) -> str:
    """The word of the action in a reply. In chess a score may stand behind it."""
    text = answer_text(reply)
    return chess.split_answer(text)[0] if world.is_chess else text


def action_of(world: SpielWorld, legal: dict[str, int], reply: Reply) -> tuple[int, str]:
    """The action of a reply, and the answer if it is not legal: then the first legal action."""
    word = answered_word(world, reply)
    if word in legal:
        return legal[word], ""
    refused = (reply.text or NO_MOVES) if isinstance(reply, Answer) else ""
    return next(iter(legal.values())), refused


def tell_others(world: SpielWorld) -> Scene:
    """Tell the seats what the others did, as far as they see it. What they see now, they are told
    where it is not asked for in time: at the end, and where the library's text has no past."""
    for seat in range(world.seats):
        others = [made for made in world.moves if made[0] != seat and not world.hidden]
        for mover, action in others:
            made = words.made_word(world, action)
            yield Tell(seat, f"opponent_moves player{mover + 1} {made}")
        if world.over or (world.hidden and not world.whole_past):
            yield from tell(seat, words.state_lines(world, seat))


def lost_by(reply: Reply) -> str:
    """The reason of a loss for want of a legal answer."""
    if isinstance(reply, Answer):
        return "illegal"
    return "time" if reply.missed else "gone"


def outcome(world: SpielWorld) -> Outcome:
    """The end of the match: the points that the library gives, and ranks by them."""
    points = tuple(world.points)
    places, names = ranks(points), player_names(world.seats)
    best = [names[seat] for seat in range(world.seats) if places[seat] == 1]
    ended = world.reading.ended
    after = f"{'after' if ended else 'when time was up, after'} {world.round} moves"
    verdict = f"{best[0]} won" if len(best) == 1 else f"{joined(best)} tie"
    reason = "end" if ended else "moves"
    if world.drawn:
        after, reason = f"after {world.round} moves, since both scored it as level", "level"
    if world.stuck:
        after = f"after {world.round} moves, since OpenSpiel failed at every legal action"
        reason = "failed"
    if world.lost is not None:
        loser, reason = world.lost
        after = f"after {world.round} moves, since {names[loser]} {LOST_SINCE[reason]}"
    return Outcome(
        ranks=places,
        points=points,
        fates=(Fate.SURVIVED,) * world.seats,
        reason=reason,
        sentence=f"{verdict} {after}.",
    )
