"""A short run of the fuzzers, and all problems that they found before."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from summc import method
from summc.config import Config
from summc.errors import SummcError
from summc.graph import build_graph
from summc.records import Cluster, Document, Selection, Sentence
from summc.report import codec
from summc.selectors import SELECTORS
from summc.selectors.amounts import within_budget
from summc.system import json_objects
from tests.conftest import Cli, examples
from tests.fuzz import against_oracle
from tests.fuzz.targets import TARGETS, checked
from tests.support.depth import is_deep

CORPUS = Path(__file__).parent.parent / "fuzz" / "corpus"

# Every problem on which a selector once failed, as (seed, number).
FOUND = [(0, 12), (0, 16), (0, 146), (0, 383), (1, 976), (1, 1411), (1, 2051), (1, 2350), (2, 2035)]


@pytest.mark.parametrize(("seed", "number"), FOUND)
def test_problems_that_once_failed_are_solved(seed: int, number: int) -> None:
    problem = against_oracle.make_problem(seed, number)
    for name in SELECTORS:
        assert against_oracle.faults(problem, name) == [], (number, problem.kind, name)


def test_every_selector_against_enumeration() -> None:
    for number in range(100 if is_deep() else 6):
        test_problems_that_once_failed_are_solved(7, number)


@pytest.mark.parametrize("target", TARGETS)
def test_targets_survive_the_corpus_and_variations_of_it(target: str) -> None:
    files = sorted((CORPUS / target).iterdir())
    assert files
    rng = random.Random(target)
    for path in files:
        data = path.read_bytes()
        checked(TARGETS[target], data)
        for _ in range(100 if is_deep() else 12):
            checked(TARGETS[target], _spoilt(data, rng))


def _spoilt(data: bytes, rng: random.Random) -> bytes:
    """Return the data with a few bytes changed, a piece removed or a piece repeated."""
    new = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        start, length = rng.randrange(len(new) + 1), rng.randint(1, 20)
        kind = rng.randrange(3)
        if kind == 0 and start < len(new):
            new[start] = rng.randrange(256)
        elif kind == 1:
            del new[start : start + length]
        else:
            new[start:start] = new[start : start + length]
    return bytes(new)


# The stages in any valid order, with each record written and read back in between

WORDS = st.sampled_from(
    ["dam", "broke", "The", "3.5", "U.S.", "l'eau", "\u5927", "\u0633\u062f", "a\u0301", "=1", "\u200b", "-"]
)
SENTENCES = st.lists(WORDS, min_size=1, max_size=6).map(" ".join)
DOCUMENTS = st.lists(SENTENCES, min_size=0, max_size=5)


class Stages(RuleBasedStateMachine):
    """A line that stages extend: it always reads back equal, and its selection fits the budget."""

    line: dict[str, Any]
    budget = 1

    @initialize(documents=st.lists(DOCUMENTS, max_size=4), language=st.sampled_from(["en", "fr", "ar", "zh"]))
    def load(self, documents: list[list[str]], language: str) -> None:
        cluster = Cluster(
            "x",
            tuple(
                Document(
                    str(d), tuple(Sentence(d, i, text, len(text.split()), i) for i, text in enumerate(texts))
                )
                for d, texts in enumerate(documents)
            ),
            language=language,
        )
        self.line = {"cluster": codec.encode_cluster(cluster)}
        assert codec.decode_cluster(self.line, "x") == cluster

    @rule(stemmer=st.sampled_from(["porter", "snowball", "none"]), remove=st.booleans())
    def preprocess(self, stemmer: str, remove: bool) -> None:
        config = Config().with_settings({"stemmer": stemmer, "remove_stopwords": remove})
        made = method.preprocess(codec.decode_cluster(self.line, "x"), config)
        self.line = {
            "cluster": codec.encode_cluster(made.cluster), "tokenized": codec.encode_tokenized(made),
        }  # fmt: skip
        assert codec.decode_tokenized(self.line, "x") == made

    @precondition(lambda self: "tokenized" in self.line)
    @rule(
        weighting=st.sampled_from(["tfidf", "position", "document-frequency", "expected"]),
        unit=st.sampled_from(["cluster", "document", "sentence"]),
        boost=st.sampled_from([0, 1, 1.5, 1e9]),
    )
    def weigh(self, weighting: str, unit: str, boost: float) -> None:
        own = {"idf_unit": unit, "first_sentence_boost": boost} if weighting == "tfidf" else {}
        given = {"weighting": weighting, **own}
        config = Config().with_settings(given)
        try:
            made = method.weigh(
                codec.decode_tokenized(self.line, "x"),
                method.fit([codec.decode_tokenized(self.line, "x")], config),
                config,
            )
        except SummcError:
            return
        self.line = {**self.line, "weights": codec.encode_weights(made)}
        assert codec.decode_weights(self.line, "x").words == made.words
        assert codec.decode_weights(self.line, "x").weight.tolist() == made.weight.tolist()

    @precondition(lambda self: "weights" in self.line)
    @rule(budget=st.none() | st.integers(1, 20))
    def build(self, budget: int | None) -> None:
        if set(codec.decode_weights(self.line, "x").words) >= {
            term for terms in codec.decode_tokenized(self.line, "x").tokens for term in terms
        }:
            made = build_graph(codec.decode_tokenized(self.line, "x"), codec.decode_weights(self.line, "x"))
            made = made if budget is None else within_budget(made, budget)[0]
            self.line = {**self.line, "graph": codec.encode_graph(made)}
            self.line.pop("selection", None)
            assert codec.encode_graph(codec.decode_graph(self.line, "x")) == self.line["graph"]

    @precondition(lambda self: "graph" in self.line)
    @rule(name=st.sampled_from(sorted(SELECTORS)), budget=st.integers(1, 30), polish=st.booleans())
    def select(self, name: str, budget: int, polish: bool) -> None:
        config = Config().with_settings(
            {"selector": name, "budget": budget, "polish": polish, "certify": True}
        )
        try:
            made = method.select(codec.decode_graph(self.line, "x"), config, "x")
        except SummcError:
            return
        self.line = {**self.line, "selection": codec.encode_selection(made)}
        self.budget = budget

    @invariant()
    def it_can_be_written_and_read(self) -> None:
        if hasattr(self, "line"):
            assert codec.parse_line(json_objects.dump(self.line).encode(), "x") == self.line

    @invariant()
    def the_budget_is_kept(self) -> None:
        if hasattr(self, "line") and "selection" in self.line:
            made: Selection = codec.decode_selection(self.line, "x")
            assert made.cost <= self.budget
            assert made.bound is not None
            assert made.covered_weight <= made.bound


TestStages = Stages.TestCase
TestStages.settings = settings(examples(40), stateful_step_count=8)


# The command line with random arguments


def test_no_command_crashes_on_random_arguments(
    summc: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.txt").write_text("The dam broke. Nobody was hurt. The lake fell by night.")
    Path("c.jsonl").write_text(json.dumps({"id": "c", "documents": ["It broke."], "references": ["It."]}))
    Path("d").mkdir()
    commands = ["summarize", "explain", "curve", "load", "preprocess", "weigh", "graph", "select", "render", "score",
                "evaluate", "sweep", "datasets", "nonsense"]  # fmt: skip
    words = ["a.txt", "c.jsonl", "d", "-", "", "-k", "0", "5", "1e300", "nan", "-1", "--selector", "bp", "greedy", "=",
             "--beta", "--mu", "auto", "--config", "paper-fig3", "--format", "json", "csv", "html", "--dataset", "-v",
             "--jobs", "--save", "run", "--saved", "--language", "fr", "xx", "--encoding", "utf-16", "rot13",
             "--background", "--reference", "--why-not", "dam", "--explain", "-o", "out", "--stats", "check", "--",
             "--iterations", "--damping", "0.5", "--polish", "--certify", "\udcff", "1:2:0.1", "--show-config"]  # fmt: skip
    rng = random.Random(8)
    for _ in range(250):
        arguments = [rng.choice(commands), *(rng.choice(words) for _ in range(rng.randint(0, 6)))]
        result = summc(*arguments, stdin=rng.choice([b"", b"The dam broke.", b"{}", b"[", b"\xff\x00"]))
        assert result.code in (0, 2, 3, 4, 5, 6), (arguments, result.err)
        if result.code:
            assert "error: " in result.err, arguments
        assert "Traceback" not in result.err
