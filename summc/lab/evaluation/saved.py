"""Save and load an evaluation: every summary with its selection, its scores and its settings.

The folder has four parts. ``evaluation.json`` describes the run, and ``config.toml`` holds its settings.
``outcomes.jsonl`` has a line for each cluster and selector. Each summary is the text file
``summaries/<selector>/<cluster>.<selector>``, so that ``read_peers`` can read the summaries.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from summc.documents.peers import summary_file
from summc.errors import InputError, NotFoundError, OutputError, as_typed
from summc.lab.evaluation.report import score_rows
from summc.records import Outcome, Score, Selection
from summc.report.codec import encode_selection, parse_line
from summc.system.json_objects import dump, parse_object
from summc.system.outputs import make_folder, remove, remove_if_empty, write_whole

_PARTS = {"dataset", "clusters", "signature", "selectors"}


def save(folder: Path, about: dict[str, Any], config: str, outcomes: Sequence[Outcome]) -> None:
    """Write an evaluation to a folder, and remove an earlier evaluation from it.

    ``about`` is the description of the run, and ``config`` its settings as TOML. ``evaluation.json`` is
    removed first and written last, so that it never describes the outcomes of another run.
    """
    earlier = _earlier_summaries(folder)
    remove(folder / "evaluation.json")
    for path in earlier:  # ``read_peers`` would read them as part of this evaluation
        remove(path)
        remove_if_empty(path.parent)
    texts = {_summary(folder, each): f"{each.text}\n" for each in outcomes if not each.problem}
    texts[folder / "config.toml"] = config
    texts[folder / "outcomes.jsonl"] = "".join(f"{dump(_encode(outcome))}\n" for outcome in outcomes)
    texts[folder / "evaluation.json"] = dump(about, indent=2) + "\n"
    for path, text in texts.items():
        make_folder(path.parent)
        write_whole(str(path), [text])


def _summary(folder: Path, outcome: Outcome) -> Path:
    return folder / "summaries" / summary_file(outcome.cluster, outcome.selector)


def _earlier_summaries(folder: Path) -> list[Path]:
    """Return the summary files of an earlier evaluation in the folder, or [] if it has no evaluation."""
    if not all((folder / name).exists() for name in ("evaluation.json", "outcomes.jsonl")):
        return []
    try:
        return [_summary(folder, each) for each in load(folder)[1]]
    except InputError:
        return []
    except NotFoundError:  # the files exist but cannot be read
        raise OutputError(str(folder), "what is saved there cannot be read", "save elsewhere") from None


def load(folder: Path) -> tuple[dict[str, Any], list[Outcome]]:
    """Return the description and the outcomes of a saved evaluation, of which a table can be made."""
    remedy = f"make one with {as_typed('save')}"
    try:
        about = parse_object((folder / "evaluation.json").read_bytes(), str(folder), "an evaluation")
        lines = (folder / "outcomes.jsonl").read_bytes().splitlines()
        outcomes = [
            _decode(parse_line(line, f"{folder}/outcomes.jsonl:{i}")) for i, line in enumerate(lines, 1)
        ]
        score_rows(outcomes)
    except OSError:
        raise NotFoundError(str(folder), "no saved evaluation", remedy) from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise InputError(str(folder), "not a saved evaluation", remedy) from None
    alike = len({tuple(outcome.scores) for outcome in outcomes if not outcome.problem}) <= 1
    if not (about.keys() >= _PARTS and isinstance(about["selectors"], dict) and outcomes and alike):
        raise InputError(str(folder), "not a saved evaluation", remedy)
    return about, outcomes


def _encode(outcome: Outcome) -> dict[str, Any]:
    selection = outcome.selection and encode_selection(outcome.selection)
    return {**dataclasses.asdict(outcome), "selection": selection}


def _decode(line: dict[str, Any]) -> Outcome:
    selection = line["selection"]
    if selection is not None:
        selection = Selection(**{**selection, "chosen": tuple(selection["chosen"])})
    scores = {metric: Score(**score) for metric, score in line["scores"].items()}
    texts = [line[name] for name in ("cluster", "selector", "text", "problem")]
    if not all(isinstance(text, str) for text in texts) or bool(scores) == bool(line["problem"]):
        raise ValueError
    return Outcome(**{**line, "scores": scores, "selection": selection})
