"""Costs of folders: files of token usage by hand, custom prices, what is unknown, and the origin's own figures."""

from __future__ import annotations

import json
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest

from tui_eval.cli import command_line
from tui_eval.core.calls import Price
from tui_eval.core.errors import ConfigError
from tui_eval.kinds.pipeline.output_files import Marked, eval_scores
from tui_eval.results.sums.stage_costs import stage_costs, tokens_untold
from tui_eval.results.usage_files import folder_costs

GOLDEN = Path(__file__).resolve().parents[2] / "golden"


def usage(folder: Path, model: str, *items: dict[str, Any]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"_token_usage__{model}.json").write_text(json.dumps({"model_id": model, "items": items}))


def test_a_hand_count_of_recorded_files(tmp_path: Path) -> None:
    """Cached tokens at their price, reasoning within output, sub-folders too; the file's price wins over what it said."""
    usage(tmp_path / "a" / "processed", "gpt-4o", {"input_tokens": 1000, "output_tokens": 200, "cached_tokens": 600,
                                                  "reasoning_tokens": 50, "cost_usd": 9.0})  # fmt: skip
    usage(tmp_path / "b" / "scores", "gpt-4o", {"input_tokens": 2000, "output_tokens": 0, "cost_usd": 0.25})
    usage(tmp_path / "b" / "scores", "other", {"input_tokens": 10, "output_tokens": 1})
    price = Price(input=2.5, output=10.0, cached_input=1.25)

    found = folder_costs([tmp_path], {"gpt-4o": price})
    plain = folder_costs([tmp_path], {})

    by_hand = (400 * 2.5 + 600 * 1.25 + 200 * 10.0) / 1e6
    assert found["models"]["gpt-4o"]["process"]["cost_usd"] == pytest.approx(by_hand)
    assert found["models"]["gpt-4o"]["judge"]["cost_usd"] == pytest.approx(2000 * 2.5 / 1e6)
    assert plain["models"]["gpt-4o"]["total"]["cost_usd"] == pytest.approx(9.25)
    assert found["models"]["other"]["judge"]["cost_usd"] is None is found["total"]["cost_usd"]
    assert (found["total"]["n_cost_unknown"], found["total"]["input_tokens"], len(found["files"])) == (1, 3010, 3)


def test_what_nobody_counted_is_at_no_price_free(tmp_path: Path) -> None:
    """A call without its tokens makes the cost unknown, whatever a token costs; without a price what was charged counts."""
    usage(tmp_path / "processed", "m", {"input_tokens": 1000, "output_tokens": 10, "cost_usd": 0.5}, {"cost_usd": 0.25})

    priced, plain = (folder_costs([tmp_path], prices)["total"] for prices in ({"m": Price(input=1.0, output=1.0)}, {}))

    assert (priced["cost_usd"], priced["n_cost_unknown"]) == (None, 1)
    assert (plain["cost_usd"], plain["n_cost_unknown"]) == (0.75, 0)


def test_what_was_on_file_cost_that_run_nothing(tmp_path: Path) -> None:
    """Its items say so: their cost is left out, whatever they say, and none is unknown."""
    kept = {"input_tokens": 1000, "output_tokens": 10, "cost_usd": 9.0, "cached": True}
    usage(tmp_path / "processed", "m", {**kept, "cost_usd": 0.5, "cached": False}, kept, {**kept, "cost_usd": None})
    usage(tmp_path / "answers", "m", kept)

    found = folder_costs([tmp_path], {})

    assert (found["total"]["cost_usd"], found["total"]["n_cached"], found["total"]["n_cost_unknown"]) == (0.5, 3, 0)
    assert (found["models"]["m"]["answers"]["cost_usd"], found["total"]["input_tokens"]) == (0.0, 4000)


def test_a_run_is_counted_by_all_its_attempts(tmp_path: Path) -> None:
    """Its statistics count, whatever files of token usage lie in it; of any kind; that it was simulated is said."""
    copytree(GOLDEN / "stopped", tmp_path / "run")
    usage(tmp_path / "run" / "processed", "gpt-4o", {"input_tokens": 1, "output_tokens": 1})
    stats = json.loads((tmp_path / "run" / "stats.json").read_text())["buckets"][0]

    found = folder_costs([tmp_path], {})

    assert found["total"]["calls"] == stats["attempts_total"] and found["simulated"] is True
    assert "gpt-4o" not in found["models"]


def test_a_run_s_calls_without_tokens_are_at_no_price_free(tmp_path: Path) -> None:
    """Of 8 attempts 4 were turned away: what the others cost is known, the sum is not, and how many that is of is said."""
    copytree(GOLDEN / "stopped", tmp_path / "run")
    busy, price = "fault:429-retry-after-ms:1", Price(input=1.0, output=2.0)

    found = folder_costs([tmp_path], {busy: price, "sim-scholar": price})["models"]

    told, whole = found[busy]["doer"], found["sim-scholar"]["doer"]
    assert (told["calls"], told["cost_usd"], told["average"], told["n_cost_unknown"], told["n_tokens_unknown"]) == (
        8,
        None,
        None,
        4,
        4,
    )
    assert told["known_cost_usd"] == found[busy]["total"]["known_cost_usd"] == pytest.approx((80 * 1.0 + 12 * 2.0) / 1e6)
    assert (whole["cost_usd"], whole["n_cost_unknown"]) == (pytest.approx((252 * 1.0 + 24 * 2.0) / 1e6), 0)
    assert "n_tokens_unknown" not in whole and "known_cost_usd" not in whole


@pytest.mark.parametrize(
    ("row", "untold"),
    [
        ({"n_tokens_known": 4, "n_cost_known": 0}, 4),
        ({"n_tokens_known": 0, "n_cost_known": 6, "calls_cached": 2}, 0),
        ({"n_tokens_known": 8, "n_cost_known": 0}, 0),
        ({"n_tokens_unknown": 3}, 3),
        ({}, 0),
    ],
)
def test_who_told_no_tokens_follows_from_statistics(row: dict[str, Any], untold: int) -> None:
    """By those that say a total, or by those whose cost is known; a server may say no total."""
    assert tokens_untold({"attempts_total": 8, **row}) == untold


def test_what_was_on_file_before_was_charged_nothing(tmp_path: Path) -> None:
    """That is known, so that it makes no sum unknown; and it is said, for a price counts its tokens."""
    (tmp_path / "call_logs.jsonl").write_text("")
    usual = {"scope": "stage_model", "attempts_total": 3, "sum_prompt_tokens": 30, "sum_completion_tokens": 3,
             "sum_total_tokens": 33, "n_tokens_known": 3}  # fmt: skip
    rows = [
        {**usual, "stage": "process", "model_id": "m", "calls_cached": 3, "n_cost_known": 0, "sum_cost_usd": None},
        {**usual, "stage": "judge", "model_id": "j", "calls_cached": 0, "n_cost_known": 3, "sum_cost_usd": 0.5},
    ]
    (tmp_path / "stats.json").write_text(json.dumps({"buckets": [{**row, "n_cost_unknown": 0} for row in rows]}))

    plain, priced = (folder_costs([tmp_path], prices) for prices in ({}, {"m": Price(input=1.0, output=1.0)}))

    assert (plain["models"]["m"]["process"]["cost_usd"], plain["total"]["cost_usd"]) == (0.0, 0.5)
    assert plain["total"]["n_cost_unknown"] == 0 and plain["total"]["n_cached"] == 3
    assert (priced["models"]["m"]["process"]["cost_usd"], priced["total"]["n_cached"]) == (33 / 1e6, 3)


def test_a_row_that_says_nothing_of_costs_was_not_free() -> None:
    """Only what was on file before is known to have cost nothing; of the others it is said how many they are."""
    row = {"stage": "process", "model_id": "m", "attempts_total": 3, "calls_cached": 1, "sum_cost_usd": None}

    found = stage_costs([row], {})["total"]

    assert (found["cost_usd"], found["n_cost_unknown"]) == (None, 2)


def mixed(folder: Path, *rows: dict[str, Any], told: dict[str, bool]) -> Path:
    """A run of real and simulated models, by its statistics; `told`: what its progress says of them."""
    folder.mkdir(parents=True)
    usual = {"scope": "stage_model", "stage": "answer", "attempts_total": 1, "n_cost_known": 1, "n_cost_unknown": 0,
             "sum_prompt_tokens": 10, "sum_completion_tokens": 1, "sum_total_tokens": 11, "n_tokens_known": 1}  # fmt: skip
    (folder / "call_logs.jsonl").write_text("")
    (folder / "stats.json").write_text(
        json.dumps({"simulated": any(told.values()), "buckets": [{**usual, **row} for row in rows]})
    )
    models = {name: {"simulated": flag} for name, flag in told.items()}
    (folder / "progress.json").write_text(json.dumps({"models": models}))
    return folder


def test_real_and_simulated_money_are_never_one_sum(tmp_path: Path) -> None:
    """Each row says which it is, by model; of both there are two totals, and what is all simulated has one that says so."""
    real, pretend = ({"model": name, "model_id": f"{name}-1", "sum_cost_usd": cost} for name, cost in (("a", 0.5), ("s", 2.0)))
    run = mixed(tmp_path / "run", real, pretend, told={"a": False, "s": True})
    alone = mixed(tmp_path / "alone", pretend, told={"s": True})

    found, other = folder_costs([run], {}), folder_costs([alone], {})

    assert {name: (entry["answer"]["simulated"], entry["total"]["simulated"]) for name, entry in found["models"].items()} == {
        "a-1": (False, False), "s-1": (True, True),
    }  # fmt: skip
    assert [(found[name]["cost_usd"], found[name]["simulated"]) for name in ("total", "total_simulated")] == [
        (0.5, False), (2.0, True),
    ]  # fmt: skip
    assert (other["total"]["cost_usd"], other["total"]["simulated"], "total_simulated" in other) == (2.0, True, False)


def test_models_that_share_an_id_stand_apart(tmp_path: Path) -> None:
    """By our name and the id; a real and a simulated model of the same name and id, too; prices go by id all the same."""
    cheap, dear = (
        {"model": name, "model_id": "alpha", "sum_cost_usd": cost} for name, cost in (("alpha", 1.0), ("beta", 100.0))
    )
    run = mixed(tmp_path / "run", cheap, dear, told={"alpha": False, "beta": False})
    real = mixed(tmp_path / "real", cheap, told={"alpha": False})
    pretend = mixed(tmp_path / "pretend", cheap, told={"alpha": True})

    found, priced, both = (
        folder_costs(*given)["models"]
        for given in (([run], {}), ([run], {"alpha": Price(input=1.0, output=1.0)}), ([real, pretend], {}))
    )

    assert {name: entry["total"]["cost_usd"] for name, entry in found.items()} == {"alpha (alpha)": 1.0, "beta (alpha)": 100.0}
    assert {entry["total"]["cost_usd"] for entry in priced.values()} == {11 / 1e6}
    assert {name: entry["total"]["simulated"] for name, entry in both.items()} == {"alpha": False, "alpha, simulated": True}


def test_prices_for_nothing_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A misspelt id is told on stderr, and in the JSON; where every price is used, nothing is said."""
    usage(tmp_path / "processed", "alpha", {"input_tokens": 10, "output_tokens": 1})
    price, said = {"input_per_1m": 1.0, "output_per_1m": 2.0}, []
    for ids in (["alpha"], ["alhpa", "alpha"]):
        (tmp_path / "prices.json").write_text(json.dumps({"pricing": {"openai": dict.fromkeys(ids, price)}}))
        command = ["costs", str(tmp_path), "--pricing", str(tmp_path / "prices.json"), "--json"]
        assert command_line.main(["--workspace", str(tmp_path), *command]) == 0
        said.append(capsys.readouterr())

    assert "these ids" not in said[0].err and "unmatched_prices" not in said[0].out
    assert said[1].err.endswith("these ids: alhpa\n") and json.loads(said[1].out)["unmatched_prices"] == ["alhpa"]


def test_a_run_that_does_not_tell_its_models_apart_is_not_called_real(tmp_path: Path) -> None:
    """Its report says which are simulated, where its progress does not; where neither says so, all may be."""
    run = mixed(tmp_path / "run", {"model": "a", "model_id": "a", "sum_cost_usd": 0.5}, told={"s": True})
    (run / "progress.json").unlink()

    assert folder_costs([run], {})["total"]["simulated"] is True
    (run / "report.json").write_text(json.dumps({"simulated_models": ["s"]}))
    assert folder_costs([run], {})["total"]["simulated"] is False


def test_what_lies_in_two_folders_counts_once(tmp_path: Path) -> None:
    """Named twice, by a folder above, or through a link; and a run within a run's folder is that run's own."""
    copytree(GOLDEN / "stopped", tmp_path / "run")
    copytree(GOLDEN / "stopped", tmp_path / "run" / "kept")
    usage(tmp_path / "a" / "processed", "gpt-4o", {"input_tokens": 1000, "output_tokens": 200})
    (tmp_path / "again").symlink_to(tmp_path / "a")

    once = folder_costs([tmp_path], {})

    assert folder_costs([tmp_path, tmp_path / "a", tmp_path / "again", tmp_path / "run"], {}) == once
    assert len(once["files"]) == 2


def test_an_older_form_has_totals_and_no_items(tmp_path: Path) -> None:
    """As spec 000's origin wrote it, under one underscore or two, and with other names: tokens count, no cost is known."""
    place = tmp_path / "transcriptions"
    place.mkdir()
    older = {"model": "claude-opus-4-1", "total_input_tokens": 83020, "total_output_tokens": 47648, "calls": 44}
    files = {
        "_token_usage_claude-opus-4-1.json": older,
        "_token_usage__gpt-4o.json": {"total_prompt_tokens": 100, "total_completion_tokens": 20.0, "calls": 2},
        "_token_usage.json": [{"prompt_tokens": 7, "completion_tokens": 1, "cost_usd": 0.5}],
        "_token_usage__half.json": {"model_id": "half", "total_input_tokens": 5},
    }
    for name, content in files.items():
        (place / name).write_text(json.dumps(content))

    plain = folder_costs([tmp_path], {})
    priced = folder_costs([tmp_path], {"claude-opus-4-1": Price(input=15.0, output=75.0)})

    told = {name: entry["total"] for name, entry in plain["models"].items()}
    assert {name: (one["calls"], one["input_tokens"], one["output_tokens"], one["cost_usd"]) for name, one in told.items()} == {
        "claude-opus-4-1": (44, 83020, 47648, None), "gpt-4o": (2, 100, 20, None), "unknown": (1, 7, 1, 0.5),
        "half": (1, 5, None, None),
    }  # fmt: skip
    assert (plain["total"]["cost_usd"], plain["total"]["known_cost_usd"], plain["total"]["n_cost_unknown"]) == (None, 0.5, 47)
    half = tmp_path / "transcriptions" / "_token_usage__half.json"
    assert plain["notes"] == [f"{half}: does not say how many calls its tokens are from, so it counts as one call"]
    by_hand = (83020 * 15.0 + 47648 * 75.0) / 1e6
    assert priced["models"]["claude-opus-4-1"]["total"]["cost_usd"] == pytest.approx(by_hand)


def test_a_file_that_cannot_be_read_costs_no_other(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One that was cut, a run whose statistics are none: each is named, the others are added up, and no total is known."""
    usage(tmp_path / "processed", "m", {"input_tokens": 1000, "output_tokens": 10, "cost_usd": 0.5})
    (tmp_path / "processed" / "_token_usage__cut.json").write_text('{"model_id": "cut", "items": [{"input_')
    (tmp_path / "run").mkdir()
    for name in ("stats.json", "call_logs.jsonl"):
        (tmp_path / "run" / name).write_text("{")

    found = folder_costs([tmp_path], {})
    code = command_line.main(["--workspace", str(tmp_path), "costs", str(tmp_path)])
    said = capsys.readouterr()

    assert (found["models"]["m"]["total"]["cost_usd"], found["total"]["cost_usd"], found["total"]["known_cost_usd"]) == (
        0.5,
        None,
        0.5,
    )
    assert [Path(why.partition(": ")[0]).name for why in found["unread"]] == ["stats.json", "_token_usage__cut.json"]
    assert code == 3 and "$0.5000" in said.out and "2 files could not be read and are in no figure." in said.out
    assert said.err.count("not counted: ") == 2 and "_token_usage__cut.json: not JSON" in said.err


def test_totals_that_contradict_the_items_are_told(tmp_path: Path) -> None:
    """The items count, which say what each call took; where there are none what is said counts."""
    items = [
        {"input_tokens": 10, "output_tokens": 1, "cost_usd": 0.25},
        {"input_tokens": None, "output_tokens": 2, "cost_usd": 0.25},
    ]
    same = {"total_input_tokens": 10, "total_output_tokens": 3, "items": items}
    contents = {
        "same": same,
        "other": {**same, "total_input_tokens": 54500},
        "none": {**same, "items": []},
        "nothing": {"items": []},
    }
    for name, content in contents.items():
        (tmp_path / f"_token_usage__{name}.json").write_text(json.dumps(content))

    found = folder_costs([tmp_path], {})

    notes = [note.rpartition("/")[2] for note in found["notes"]]
    assert notes == [
        "_token_usage__none.json: says 10 input tokens, but its items come to 0: it has no items, so its own figures count",
        "_token_usage__none.json: says 3 output tokens, but its items come to 0: it has no items, so its own figures count",
        "_token_usage__none.json: does not say how many calls its tokens are from, so it counts as one call",
        "_token_usage__other.json: says 54,500 input tokens, but its items come to 10: the items count",
    ]
    told = {name: entry["total"] for name, entry in found["models"].items()}
    assert [told[name]["input_tokens"] for name in ("same", "other", "none", "nothing")] == [10, 10, 10, None]
    assert [told[name]["cost_usd"] for name in ("same", "none", "nothing")] == [0.5, None, None]


def test_what_nobody_knows_is_unknown_in_every_sum(tmp_path: Path) -> None:
    """A file of no calls says nothing of a cost, and neither does the sum of such."""
    usage(tmp_path / "processed", "m")

    total = folder_costs([tmp_path], {})["total"]

    assert (total["calls"], total["cost_usd"], total["input_tokens"], total["average"]) == (0, None, None, None)


def test_sums_are_not_rounded_on_the_way(tmp_path: Path) -> None:
    """Small costs beside a large one, and counts that no float holds."""
    large, small = {"input_tokens": 2**53, "output_tokens": 1}, {"input_tokens": 1, "output_tokens": 0}
    usage(tmp_path / "processed", "m", {**large, "cost_usd": 1e8}, *[{**small, "cost_usd": 1e-8}] * 1000)
    usage(tmp_path / "scores", "m", {**large, "cost_usd": 0.1}, *[{**small, "cost_usd": 0.1}] * 9)

    found = folder_costs([tmp_path], {})

    assert found["total"]["input_tokens"] == 2**54 + 1009
    assert found["total"]["cost_usd"] == round(1e8 + 1e-5 + 1.0, 8)
    assert found["models"]["m"]["judge"]["cost_usd"] == 1.0


def test_one_id_under_two_providers_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Which price counts, where they differ; nothing where they do not."""
    usage(tmp_path / "processed", "alpha", {"input_tokens": 1_000_000, "output_tokens": 0})
    said = []
    for dear in (1.0, 3.0):
        prices = {"openai": {"alpha": {"input_per_1m": 1.0, "output_per_1m": 2.0}},
                  "azure": {"alpha": {"input_per_1m": dear, "output_per_1m": 2.0}}}  # fmt: skip
        (tmp_path / "prices.json").write_text(json.dumps({"pricing": prices}))
        command = ["costs", str(tmp_path), "--pricing", str(tmp_path / "prices.json"), "--json"]
        assert command_line.main(["--workspace", str(tmp_path), *command]) == 0
        said.append(capsys.readouterr())

    assert said[0].err == ""
    assert "alpha has a price each at openai and azure: that of azure counts" in said[1].err
    assert json.loads(said[1].out)["total"]["cost_usd"] == 3.0


def test_a_run_that_says_no_numbers_is_named(tmp_path: Path) -> None:
    copytree(GOLDEN / "stopped", tmp_path / "run")
    row = {"scope": "stage_model", "model_id": "m", "stage": "answer", "attempts_total": "many"}
    (tmp_path / "run" / "stats.json").write_text(json.dumps({"buckets": [row]}))
    with pytest.raises(ConfigError, match=r"stats\.json: attempts_total: must be a number"):
        folder_costs([tmp_path], {})


WRONG = [
    "no json",
    '"text"',
    "{}",
    '{"model": "m"}',
    '{"items": [{"input_tokens": -1}]}',
    '{"total_input_tokens": 1e400, "calls": 1}',
    '{"items": 3}',
    '{"items": [{"input_tokens": "3"}]}',
    '{"items": [{"cost_usd": "3"}]}',
    '{"items": [{"cost_usd": NaN}]}',
    '{"items": [{"cost_usd": true}]}',
]


@pytest.mark.parametrize("text", WRONG)
def test_what_is_no_file_of_token_usage_is_named(text: str, tmp_path: Path) -> None:
    (tmp_path / "_token_usage.json").write_text(text)
    with pytest.raises(ConfigError, match=r"_token_usage\.json: "):
        folder_costs([tmp_path], {})


def test_a_folder_without_either_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="holds no _token_usage"):
        folder_costs([tmp_path], {})


def test_scores_of_the_vectors(vectors: dict[str, Any]) -> None:
    """Mean and pass rate over the marks that came, in two decimals and one; the bounds over all; how much was covered."""
    for case in vectors["numeric"]["judge_summary"]["cases"]:
        given, wanted = case["inputs"], case["expected"]
        marks = [Marked("", float(m)) for m, n in given["distribution"].items() for _ in range(n)]

        found = eval_scores([*marks, *[Marked("", None)] * given["invalid"]], given["pass_threshold"])

        assert (found["n_scored"], found["n_missing"], found["n_passed"]) == (wanted["n"], given["invalid"], wanted["passes"])
        assert found["average_score"] == pytest.approx(wanted["mean"], abs=0.005), case["id"]
        assert found["pass_rate"] == pytest.approx(100 * wanted["pass_rate"], abs=0.05)
        assert found["pass_rate_bounds"] == pytest.approx([100 * bound for bound in wanted["pass_rate_bounds"]], abs=0.05)
        assert found["coverage"] == pytest.approx(wanted["valid_rate"], abs=1e-6)


def test_the_origins_published_figures_come_out_of_its_own_numbers() -> None:
    """Spec 000 §3: 3.67 and 52.9 % of 1,250 marks; one that is missing is in no average, and in the bounds of the rate."""
    distribution = {0: 0, 1: 21, 2: 384, 3: 184, 4: 63, 5: 598}
    marks = [Marked("easy", float(mark)) for mark, n in distribution.items() for _ in range(n)]

    found, one_missing = eval_scores(marks, 4), eval_scores([*marks[:159], Marked("easy", None)], 4)

    assert (found["total_items"], found["average_score"], found["pass_rate"]) == (1250, 3.67, 52.9)
    assert found["score_distribution"] == {str(mark): n for mark, n in distribution.items()}
    assert (one_missing["n_scored"], one_missing["n_missing"], one_missing["coverage"]) == (159, 1, round(159 / 160, 6))
    low, high = one_missing["pass_rate_bounds"]
    assert low <= one_missing["pass_rate"] <= high and low < high
