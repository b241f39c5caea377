"""Turn the explanations of summaries into JSON objects."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from summc.report.explain import Answer, Exchange, Explanation, Location, Word
from summc.report.summaries import forecast_of
from summc.text.numbers import plain


def explanation_object(explanation: Explanation) -> dict[str, Any]:
    """Return an explanation as a JSON object."""
    return {
        "covered_weight": explanation.summary.selection.covered_weight,
        "total_weight": explanation.summary.total_weight,
        "bound": explanation.summary.selection.bound,
        **forecast_of(explanation.summary),
        "sentences": [
            {
                **_location_object(each.location, each.cost),
                "weight": each.total,
                "lost_without": each.loss,
                "alone": _words_object(each.alone),
                "shared": _words_object(each.shared),
                "field": each.field,
                "runner_up": _exchange_object(each.runner_up),
                **({"required": True} if each.required else {}),
            }
            for each in explanation.sentences
        ],
        **({} if explanation.cut is None else {"cut": _location_object(explanation.cut)}),
        "uncovered": [
            {
                "word": each.word.text,
                "weight": each.word.weight,
                "in": _location_object(each.location),
                "adds": each.gain,
                **({"occurrences": each.covered} if each.covered else {}),
            }
            for each in explanation.missed
        ],
        "why_not": [_answer_object(each) for each in explanation.answers],
    }


def _answer_object(answer: Answer) -> dict[str, Any]:
    return {
        "asked": answer.question,
        "quoted": answer.quoted,
        **_location_object(answer.location, answer.cost),
        "chosen_as": answer.number,
        "no_candidate": answer.reason or None,
        "weight": answer.total,
        "adds": answer.gain,
        "new": _words_object(answer.new),
        "covered_by": [{"sentence": number, "words": _words_object(held)} for number, held in answer.covered],
        "room": plain(answer.room),
        "fits": answer.fits,
        "field": answer.field,
        "exchange": _exchange_object(answer.exchange),
    }


def _location_object(location: Location, cost: float | None = None) -> dict[str, Any]:
    found = {
        "document": location.document,
        **({"date": location.date} if location.date else {}),
        "position": location.sentence.position,
        "text": location.sentence.text,
    }
    return found if cost is None else {**found, "cost": plain(cost)}


def _exchange_object(exchange: Exchange | None) -> dict[str, Any] | None:
    if exchange is None:
        return None
    reading = {"reading": list(exchange.reasons)} if exchange.reasons else {}
    return {**_location_object(exchange.location), "change": exchange.change, **reading}


def _words_object(words: Iterable[Word]) -> list[dict[str, Any]]:
    return [_word_object(word) for word in words]


def _word_object(word: Word) -> dict[str, Any]:
    return {"word": word.text, "weight": word.weight}
