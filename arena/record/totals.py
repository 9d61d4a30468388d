"""The record of what a seat used and did wrong in all."""

from __future__ import annotations

from arena.core.clock import to_ms
from arena.core.tally import SeatTotals
from arena.record.format import PlayerTotals


def player_totals(totals: SeatTotals) -> PlayerTotals:
    """The record of what a seat used and did wrong."""
    tally = totals.tally
    charged, delay, cpu, counts = tally.charged, tally.delay, tally.cpu, tally.instructions
    return PlayerTotals(
        totals.seat,
        totals.stopped,
        {code: known.count for code, known in tally.faults.items()},
        tally.requests,
        to_ms(charged.total),
        to_ms(charged.most),
        totals.cpu_ms,
        totals.peak_memory,
        to_ms(delay.total) if delay else None,
        to_ms(cpu.total) if cpu else None,
        to_ms(tally.prompt_cpu) if tally.prompt_cpu else None,
        totals.pondered_ms,
        totals.start_up_ms,
        counts.total if counts else None,
        counts.most if counts else None,
        to_ms(tally.held_up.total) if tally.held_up else None,
    )
