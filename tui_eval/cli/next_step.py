"""The last lines of a run, for a person: why calls failed, and the command that does what is left to do."""

from __future__ import annotations

import argparse
import math
import shlex
import textwrap
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tui_eval.cli.summary import WIDTH, gates_line
from tui_eval.configuring import reopening
from tui_eval.configuring.caps import enough_calls
from tui_eval.configuring.loading import Loaded
from tui_eval.core.errors import TuiEvalError
from tui_eval.core.money import MICRO
from tui_eval.core.plaintext import count_of, one_line
from tui_eval.core.plugins import passed_on
from tui_eval.engine.previous_sessions import earlier_lives
from tui_eval.engine.replaying import still_to_ask
from tui_eval.engine.run import RunEnd
from tui_eval.evaluation.stage_models import LONGER
from tui_eval.models.model_selection import asked_first
from tui_eval.reporting.result_writer import RetryableCalls
from tui_eval.runs.folder import CONFIG
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.toml_files import read_toml

SHOWN_FAILURES = 4
"""Reasons of failures that are printed."""
STOPPED, INCOMPLETE = 130, 3


@dataclass(frozen=True, slots=True)
class CommandWords:
    """The words of a command whose run has ended that the next one needs, too."""

    before: tuple[str, ...] = ()
    """Words before the verb."""
    behind: tuple[str, ...] = ()
    """Words behind the run."""
    failed: bool = False
    """Whether failed calls were asked again."""

    def resume(self, path: Path, *words: str) -> str:
        """Return the command that takes a run up again."""
        return shlex.join(["tui-eval", *self.before, "resume", str(path), *words, *self.behind])

    def rescore(self, path: Path) -> str:
        """Return the command that scores a run again."""
        return shlex.join(["tui-eval", *self.before, "rescore", str(path)])


def words_of_command(options: argparse.Namespace, workspace: Workspace) -> CommandWords:
    """Return what the next command needs of this one, by its options."""
    elsewhere = [] if workspace.root == Path() else ["--workspace", str(workspace.root)]
    keys = ["--keys-file", str(options.keys_file)] if options.keys_file is not None else []
    again = ["--ask-again"] if getattr(options, "ask_again", False) else []
    lock = ["--no-lock"] if options.no_lock else []
    workers = ["--cluster", options.cluster] if getattr(options, "cluster", "") else []
    workers += ["--insecure-cluster"] if getattr(options, "insecure_cluster", False) else []
    workers += ["--workers", options.workers] if getattr(options, "workers", "") else []
    return CommandWords((*elsewhere, *passed_on()), (*again, *lock, *workers, *keys), options.failed)


def closing_lines(path: Path, loaded: Loaded, ended: RunEnd, command: CommandWords) -> list[str]:
    """Return the closing lines of a run for a person; the last line is the next step, where there is one."""
    if ended.progress.refused:
        return _refused_lines(ended.progress.refused, command.resume(path))
    lines = broken_lines(ended)
    lines += _reason_lines("why calls failed:", ended.progress.failures)
    lines += _reason_lines("replies without a text, which still count:", ended.progress.without_text)
    total, progress = ended.progress.total, ended.progress
    if progress.cached:
        n_asked = total.asked - progress.replayed - progress.on_file.total()
        sent = f"{count_of(n_asked, 'call was', 'calls were')} asked" if n_asked else "nothing was sent"
        lines.append(
            f"{progress.cached} replies came from the cache (.cache/); {sent}. --set run.cache=false asks everything anew"
        )
    elif progress.replayed and progress.replayed == total.done and not progress.fetched:
        lines.append("every call was answered in the log already; nothing was sent")
    if ended.exit_code == 1 and ended.outcome:
        lines.append(gates_line(ended.outcome.report))
    again = ended.outcome.again if ended.outcome else RetryableCalls(total.error + total.timeout)
    words = _what_is_left(ended, again)
    if not words:
        return lines
    if _lacks_scores_alone(ended):
        return [*lines, _next_for_scores(path, loaded, ended, command)]
    try:
        return [*lines, f"{words}: {_command(path, loaded, ended, again, command)}"]
    except (TuiEvalError, OSError):  # the folder is gone or damaged, as was said above
        return [*lines, f"{words}: {command.resume(path)}"]


def _what_is_left(ended: RunEnd, again: RetryableCalls) -> str:
    """Return the reason for the next command; empty where nothing is left to do."""
    if ended.exit_code == STOPPED:
        return f"stopped: {ended.stopped}. Finish it with"
    if ended.exit_code == INCOMPLETE:
        why = f" ({ended.stopped})" if ended.stopped else ""
        return f"incomplete{why}: {_what_lacks(ended)}. Try the rest with"
    if again.unread:
        replies = count_of(again.unread, "reply", "replies")
        return (
            f"{replies} had no text or could not be parsed{', cut by the token limit' if again.cut_at else ''}. Ask again with"
        )
    return ""


def _what_lacks(ended: RunEnd) -> str:
    """Return the calls of an incomplete run that have no reply, by reason.

    Of a run that was stopped, all that were never asked are in it: those of samples that were not even begun, too.
    """
    total, planned = ended.progress.total, ended.progress.planned
    lost = f"{total.error} failed, {total.timeout} timed out, {total.skipped} over budget, "
    unscored = count_of(_unscored(ended), "reply", "replies")
    lost += f"{unscored} without a score of an own scorer, " if _unscored(ended) else ""
    lost += f"{total.lost} sent, reply lost (paid, cost unknown); " if total.lost else ""
    if not ended.stopped:
        return f"{lost}{total.not_sent} not sent"
    return f"{lost}{max(planned - total.settled, 0) + total.not_sent} not asked"


def _lacks_scores_alone(ended: RunEnd) -> bool:
    """Return whether all was asked and answered, and own scorers alone have left something out."""
    total, outcome = ended.progress.total, ended.outcome
    lacks = total.error + total.timeout + total.skipped + total.lost + total.not_sent
    return ended.exit_code == INCOMPLETE and bool(_unscored(ended)) and not (lacks or outcome is None or outcome.unfinished)


def _next_for_scores(path: Path, loaded: Loaded, ended: RunEnd, command: CommandWords) -> str:
    """Say how the scores come about that own scorers left out: nothing is asked for them."""
    replies = count_of(_unscored(ended), "reply", "replies")
    refused = loaded.evaluation.task.scorers.code_refused.partition(": ")[2]
    first = f"To trust the code: {refused}; then" if refused else "When the code is mended"
    return f"incomplete: all is answered, {replies} without a score of an own scorer. {first}: {command.rescore(path)}"


def _unscored(ended: RunEnd) -> int:
    return ended.outcome.unscored.n if ended.outcome else 0


def _command(path: Path, loaded: Loaded, ended: RunEnd, again: RetryableCalls, command: CommandWords) -> str:
    """Return the command that does what is left: it asks what is to be asked, and raises the caps that leave no room for it."""
    derived, limit = reopening.cap_is_derived(path, ()), _raised_limit(loaded, again)
    caps = _raised_caps(path, loaded, ended, limit)
    complete = ended.exit_code not in (STOPPED, INCOMPLETE)
    failed = complete or again.failed or command.failed or (derived and "max_calls" in caps)
    if derived:
        caps.pop("max_calls", None)  # --failed makes a new one
    settings = [f"run.{key}={value}" for key, value in caps.items()]
    if failed and limit is not None:
        settings.append(f"run.max_output_tokens={limit}")
    return command.resume(path, *(["--failed"] if failed else []), *(word for each in settings for word in ("--set", each)))


def _raised_caps(path: Path, loaded: Loaded, ended: RunEnd, limit: int | None) -> dict[str, str]:
    """The caps, as keys of [run], that leave no room for what is still to be asked, each with a value that does.

    `limit`: the token limit of calls that are asked again. The log is read and every flow driven by it, but where the cap on
    calls has room for the whole plan once more, with all that may follow it.
    """
    run = read_toml(path / CONFIG).content["run"]
    cap, progress = int(run["max_calls"]), ended.progress
    usd_cap: float | None = run.get("max_cost_usd")
    over = usd_cap is not None and ("max_cost_usd" in progress.caps_reached or progress.charged_usd > usd_cap)
    reached = "max_calls" in progress.caps_reached
    real, once_more = asked_first(loaded.asked_models), loaded.plan["total_calls"] + loaded.plan["up_to_more"]
    if not over and not reached and enough_calls(progress.calls_used, once_more, len(real)) <= cap:
        return {}
    life = earlier_lives(path, loaded.evaluation.repeat, taken=loaded.evaluation.task.recorded)
    with life.log.recorded as recorded:
        to_ask = still_to_ask(loaded.evaluation, recorded, limit_again=limit, costs=over)
    n_used, caps = life.ledger.calls, {}
    strangers = sum(model.name not in life.log.answered for model in real)
    enough = enough_calls(n_used, to_ask.calls + to_ask.may_follow, strangers)
    if reached or enough > cap:
        caps["max_calls"] = str(max(enough, cap + progress.total.skipped))
    if over and to_ask.most is not None:  # no cap can be named that has room for a cost that is not known
        caps["max_cost_usd"] = _usd_cap(life.ledger.spent + to_ask.most)
    return caps


def _raised_limit(loaded: Loaded, again: RetryableCalls) -> int | None:
    """The token limit to set for calls that are asked again, where one of them was cut; None where none was, or where what was
    set before allows them enough.
    """
    of_run, limit = loaded.run.max_output_tokens, LONGER * again.cut_at
    if limit <= (loaded.run.max_output_tokens_again or 0):
        return None
    return limit if limit > of_run else LONGER * of_run


def _usd_cap(most: int) -> str:
    """Return a cap on cost that has room for so many micro-dollars: in USD, rounded up to cents."""
    return f"{math.ceil(most / MICRO * 100) / 100:.2f}"


def broken_lines(ended: RunEnd) -> list[str]:
    """Return the errors that the evaluation itself raised, so that nobody looks for them among the models' failures."""
    broken = ended.outcome.broken if ended.outcome else {}
    return [
        f"{count_of(n, 'sample')} stopped at an error: {one_line(error, 200)} (a bug of the evaluation; see run.log)"
        for error, n in broken.items()
    ]


def _refused_lines(refused: Mapping[str, str], command: str) -> list[str]:
    """Why nothing was started, model by model, and what to do about it."""
    reasons = [_filled(f"{name}: {one_line(why, 2000)}") for name, why in refused.items()]
    none = "nothing was started, since not every model can answer (--models A,B leaves some out; --no-preflight goes on):"
    return [_filled(none), *reasons, f"mend these, then: {command}"]


def _reason_lines(heading: str, reasons: Counter[tuple[str, str]]) -> list[str]:
    """The most frequent reasons, each with its model and how often; nothing where there are none."""
    most = reasons.most_common(SHOWN_FAILURES)
    lines = [_filled(f"{n} x {model}: {one_line(text, 1000)}") for (model, text), n in most]
    more = len(reasons) - len(most)
    return [heading, *lines, *([f"... and {more} other reasons, in call_logs.jsonl"] if more else [])] if lines else []


def _filled(text: str) -> str:
    return textwrap.fill(text, WIDTH, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)
