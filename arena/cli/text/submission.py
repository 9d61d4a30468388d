"""The report on a submission, for its author: as text for a terminal, and as a page of one file.

The page loads nothing and runs nothing: it can be put on any web server, or sent by mail.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from arena.cli.text.layout import styled
from arena.text import safe, safe_lines
from arena.trial.diagnosis import Cause
from arena.trial.report import Amount, CheckStep, SubmissionReport

LOG_LINES = 200
"""Lines that are shown of a log: its first and its last."""

_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{title}</title>
<style>
body {{ font: 1rem/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem;
  color: #1b1b1b; background: #fff }}
table {{ border-collapse: collapse; width: 100% }}
th, td {{ text-align: left; vertical-align: top; padding: .3rem .6rem;
  border-bottom: 1px solid #ddd }}
pre {{ background: #f4f4f4; padding: .6rem; overflow-x: auto; white-space: pre-wrap }}
.ok {{ color: #00632b }} .FAILED {{ color: #a40000 }} .warning {{ color: #7a4d00 }}
@media (prefers-color-scheme: dark) {{ body {{ background: #161616; color: #eee }}
  pre {{ background: #262626 }} th, td {{ border-color: #444 }}
  .ok {{ color: #6fd08c }} .FAILED {{ color: #ff8a80 }} .warning {{ color: #ffca6b }} }}
</style>
<h1>{title}</h1>
<p class="{word}"><strong>{verdict}</strong></p>
{cause}
<h2>Steps</h2>
<table><tr><th>step<th>result<th>detail{steps}</table>
<h2>Limits</h2>
{limits}
{logs}
<p>Content: <code>{address}</code>. Walls: {sandbox}.</p>
</html>
"""


def verdict(report: SubmissionReport) -> str:
    """One sentence."""
    if report.ok:
        return f"{safe(report.name)} may play {report.game}."
    failed = next((step for step in report.steps if not step.ok and not step.warning), None)
    why = report.cause.sentence if report.cause else failed.detail if failed else "it failed"
    return f"{safe(report.name)} may not play {report.game}: {safe(why)}"


def text(report: SubmissionReport) -> str:
    """The report for a terminal (`layout.say`)."""
    lines = [verdict(report)]
    if report.cause is not None and report.ok:
        lines += _warned(report.cause)
    elif report.cause is not None:
        lines.append(f"  → {safe(report.cause.fix)}")
    lines += ["", *(_step(step) for step in report.steps)]
    if report.limits:
        lines += ["", *(f"{one.name}: {amount_text(one)}" for one in report.limits)]
    logs = {"its compiler": report.compiler, "its stderr": report.stderr}
    if not report.ok:
        logs |= {"last asked": report.last_request, "last answer": report.last_answer}
    for what, said in logs.items():
        if said is not None:
            lines += ["", f"{what}:", *(f"  {line}" for line in log_lines(said))]
    return "\n".join(lines)


def warnings(report: SubmissionReport) -> list[str]:
    """What the author of a bot that may play should mend all the same; lines for a terminal."""
    lines = _warned(report.cause) if report.ok and report.cause is not None else []
    return lines + [_step(step) for step in report.steps if step.warning and not step.ok]


def page(report: SubmissionReport) -> str:
    """The report as one HTML page."""
    steps = [
        f'<tr><td>{_html(step.name)}<td class="{_word(step)}">{_word(step)}<td>{_html(step.detail)}'
        for step in report.steps
    ]
    rows = [f"<tr><td>{_html(one.name)}<td>{_html(amount_text(one))}" for one in report.limits]
    cause = report.cause
    return _PAGE.format(
        title=_html(f"{report.name}, {report.game}"),
        word="ok" if report.ok else "FAILED",
        verdict=_html(verdict(report)),
        cause=_cause(cause) if cause else "",
        steps="\n".join(steps),
        limits=f"<table>{''.join(rows)}</table>" if rows else "<p>Not measured.</p>",
        logs="\n".join(_logs(report)),
        address=_html(report.address or "none"),
        sandbox=_html(report.sandbox or "none yet"),
    )


def _cause(cause: Cause) -> str:
    warned = "" if cause.fails else f'<p class="warning">{_html(cause.sentence)}</p>\n'
    return f"{warned}<p>What to do: {_html(cause.fix)}</p>"


def amount_text(one: Amount) -> str:
    """``12.5 of 64 MiB``"""
    return f"{one.used:g} of {one.allowed:g} {one.unit}".rstrip()


def log_lines(said: str) -> list[str]:
    """The lines of a log; of a long one the first and the last."""
    lines = safe_lines(said)
    if len(lines) <= LOG_LINES:
        return lines
    half = LOG_LINES // 2
    return [*lines[:half], f"… ({len(lines) - 2 * half} lines) …", *lines[-half:]]


def _warned(cause: Cause) -> list[str]:
    return [_marked("warning", cause.sentence), f"{'':7}  → {safe(cause.fix)}"]


def _step(step: CheckStep) -> str:
    return _marked(_word(step), f"{step.name}: {step.detail}")


def _marked(word: str, said: str) -> str:
    colour = {"ok": "green", "warning": "yellow", "FAILED": "red"}[word]
    return f"{styled(f'{word:7}', fg=colour)}  {safe(said)}"


def _word(step: CheckStep) -> str:
    return "ok" if step.ok else "warning" if step.warning else "FAILED"


def _html(said: str) -> str:
    return escape(safe(said))


def _logs(report: SubmissionReport) -> Iterator[str]:
    logs = {
        "What its compiler said": report.compiler,
        "What it wrote to stderr": report.stderr,
        "Last request": report.last_request,
        "Last answer": report.last_answer,
    }
    for title, said in logs.items():
        if said is not None:
            text = escape("\n".join(log_lines(said)))
            yield f"<h2>{title}</h2>\n<pre>{text}</pre>"
