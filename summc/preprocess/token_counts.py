"""Count tokens as a language model's tokenizer does, for a budget such as ``2000t``.

The user names the tokenizer: a file of the library tokenizers (``tokenizer.json``) or of mistral-common
(``tekken.json``), an installed package that has one, an encoding of tiktoken whose file is in its cache, or a
Python function of a text that returns a number or a list of tokens. Nothing is downloaded.
"""

from __future__ import annotations

import importlib.util
import os
import runpy
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, partial
from operator import attrgetter
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NoReturn

from summc.errors import SettingError, SummcError, as_typed
from summc.records import Cluster
from summc.system.inputs import MOST_MEMORY, most, read_file
from summc.system.processes import MEMORY, TIME, Helpers, LimitError, Limits

_MOST = 10**15  # tokens, as in a budget
#: The limits of the helper that reads a tokenizer: seconds for each megabyte of the file and of the texts,
#: and megabytes of memory for each megabyte of the file, besides what is always allowed.
_SECONDS, _COPIES = 30.0, 20
_HELPERS = Helpers()
#: The files that are looked for in a package; the last by name is the newest.
_FILES = ("tokenizer.json", "data/tekken_*.json")
_TIKTOKEN = "tiktoken:"
_SHAPES = "name a tokenizer.json, an installed package that has one, FILE.py:FUNCTION or MODULE:FUNCTION"


def with_tokens(cluster: Cluster, tokenizer: str) -> Cluster:
    """Return the cluster with the number of tokens of each sentence; the end of its line counts too."""
    texts = [f"{sentence.text}\n" for document in cluster.documents for sentence in document.sentences]
    numbers = iter(counts(tokenizer, texts))
    documents = [
        replace(document, sentences=tuple(replace(s, tokens=next(numbers)) for s in document.sentences))
        for document in cluster.documents
    ]
    return replace(cluster, documents=tuple(documents))


def counts(tokenizer: str, texts: Sequence[str]) -> list[int]:
    """Return the number of tokens of each text; raise a ``SettingError`` if the tokenizer cannot be used.

    A file may come from anywhere and make its library crash, so it is read in a helper process with limits.
    """
    if ":" in tokenizer and not tokenizer.startswith(_TIKTOKEN):
        return list(map(_counter(tokenizer), texts))
    remedy = _SHAPES
    try:
        megabytes = len(file_data(tokenizer)) // 1024**2
        length = sum(map(len, texts)) / 1024**2
        limits = Limits(_SECONDS * (1 + megabytes + length), most(MOST_MEMORY) + _COPIES * megabytes)
        numbers = _HELPERS.call(count_in_helper, _file(tokenizer), texts, limits=limits)
    except LimitError as error:
        problem = {MEMORY: f"takes more than {limits.megabytes} MB", TIME: "takes too long"}.get(
            str(error), "makes its library crash"
        )
    except SummcError as error:
        problem = f"cannot be used: {error.problem}"
        remedy = error.remedy if isinstance(error, SettingError) else _SHAPES
    except Exception as error:  # noqa: BLE001 (the library raises plain exceptions)
        # In a message, summc shows names in backquotes as flags.
        problem = f"cannot be used: {(str(error) or repr(error))[:200].replace('`', chr(39))}"
        remedy = f"pip install {error.name}" if isinstance(error, ModuleNotFoundError) else _SHAPES
    else:
        if all(numbers):
            return numbers
        problem = f"has no tokens for {texts[numbers.index(0)].strip()!r:.40}"
    raise SettingError(as_typed("tokenizer"), f"{tokenizer} {problem}", remedy)


@cache
def file_data(tokenizer: str) -> bytes:
    """Return the data of the file of a tokenizer, or those of a file of Python; b"" for a module."""
    path, _, _ = tokenizer.rpartition(":")
    return read_file(path or _file(tokenizer)) if not path or path.endswith(".py") else b""


def _file(tokenizer: str) -> str:
    """Return the path of the file of a tokenizer, or its name if it is an encoding of tiktoken."""
    if tokenizer.startswith(_TIKTOKEN):
        return tokenizer
    name = tokenizer.replace("-", "_")
    is_name = name.isidentifier() and not os.path.exists(tokenizer)  # noqa: PTH110 (never raises)
    package = importlib.util.find_spec(name) if is_name else None
    folders = (package and package.submodule_search_locations) or []
    paths = (max(Path(folder).glob(file), default=None) for folder in folders for file in _FILES)
    return os.path.abspath(next(filter(None, paths), tokenizer))  # noqa: PTH100 (links stay)


def count_in_helper(tokenizer: str, texts: Sequence[str]) -> list[int]:
    """Return the number of tokens of each text by a tokenizer; runs in the helper process."""
    encode = _encoder(tokenizer)
    return [len(encode(text)) for text in texts]


@cache
def _encoder(tokenizer: str) -> Any:
    """Return the function that cuts a text into tokens. Few users need these libraries."""
    if tokenizer.startswith(_TIKTOKEN):
        import tiktoken.load  # noqa: PLC0415

        tiktoken.load.read_file = _refuse  # it would download a file that the cache lacks
        return tiktoken.get_encoding(tokenizer.removeprefix(_TIKTOKEN)).encode_ordinary
    if Path(tokenizer).name.startswith("tekken"):
        from mistral_common.tokens.tokenizers.tekken import Tekkenizer  # noqa: PLC0415

        return partial(Tekkenizer.from_file(tokenizer).encode, bos=False, eos=False)
    from tokenizers import Tokenizer  # noqa: PLC0415

    encoder = Tokenizer.from_file(tokenizer)
    encoder.no_truncation()  # the file may ask for these
    encoder.no_padding()
    if getattr(encoder.model, "dropout", None):
        encoder.model.dropout = None  # it would change the tokens of a text each time
    return partial(encoder.encode, add_special_tokens=False)


def _refuse(url: str) -> NoReturn:
    raise SettingError("", f"TIKTOKEN_CACHE_DIR lacks {url}", "let tiktoken download it; summc does not")


@cache
def _counter(tokenizer: str) -> Callable[[str], int]:
    """Return the function of the user that counts the tokens of a text."""
    source, _, name = tokenizer.rpartition(":")
    try:
        is_file = source.endswith(".py")
        module = SimpleNamespace(**runpy.run_path(source)) if is_file else importlib.import_module(source)
        function: Callable[[str], Any] = attrgetter(name)(module)
    except AttributeError:
        raise SettingError(as_typed("tokenizer"), f"{source} has no function {name}", _SHAPES) from None
    except (Exception, SystemExit) as error:  # noqa: BLE001 (whatever a file or a module of the user's raises)
        raise SettingError(as_typed("tokenizer"), f"{tokenizer} cannot be used: {error}", _SHAPES) from None

    def count(text: str) -> int:
        try:
            result = function(text)
            number = result if isinstance(result, int) else len(result)
        except (Exception, SystemExit) as error:
            problem = f"{tokenizer} fails: {type(error).__name__}: {error}"
            raise SettingError(as_typed("tokenizer"), problem, "return a number or tokens") from error
        if isinstance(result, str) or not 1 <= number <= _MOST:
            problem = f"{tokenizer} returns {result!r:.40}"
            raise SettingError(as_typed("tokenizer"), problem, "return a number from 1, or tokens")
        return number

    return count
