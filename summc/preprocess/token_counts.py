"""Count tokens as a language model's tokenizer does, for a budget such as ``2000t``.

The user names the tokenizer: a file of the library tokenizers (``tokenizer.json``), an installed package that
has one, or a Python function of a text that returns a number or a list of tokens. Nothing is downloaded.
"""

from __future__ import annotations

import importlib.util
import os
import runpy
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from operator import attrgetter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from summc.errors import SettingError, SummcError, as_typed
from summc.records import Cluster
from summc.system.inputs import MOST_MEMORY, most, read_file
from summc.system.processes import MEMORY, TIME, Helpers, LimitError, Limits

_MOST = 10**15  # tokens, as in a budget
#: The limits of the helper that reads a tokenizer: seconds for each megabyte of the file and of the texts,
#: and megabytes of memory for each megabyte of the file, besides what is always allowed.
_SECONDS, _COPIES = 30.0, 20
_HELPERS = Helpers()
_NAME = "tokenizer.json"
_SHAPES = "name a tokenizer.json, a package that has one, a FILE.py:FUNCTION or a MODULE:FUNCTION"


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
    if ":" in tokenizer:
        return list(map(_counter(tokenizer), texts))
    problem, remedy = "", _SHAPES
    try:
        megabytes = len(file_data(tokenizer)) // 1024**2
        length = sum(map(len, texts)) / 1024**2
        limits = Limits(_SECONDS * (1 + megabytes + length), most(MOST_MEMORY) + _COPIES * megabytes)
        numbers = _HELPERS.call(count_in_helper, os.path.abspath(_file(tokenizer)), texts, limits=limits)  # noqa: PTH100 (links stay)
    except LimitError as error:
        problem = {MEMORY: f"takes more than {limits.megabytes} MB", TIME: "takes too long"}.get(
            str(error), "makes its library crash"
        )
    except SummcError as error:
        problem = f"cannot be used: {error.problem}"
    except Exception as error:  # noqa: BLE001 (the library raises plain exceptions)
        # In a message, summc shows names in backquotes as flags.
        problem = f"cannot be used: {str(error).replace('`', chr(39))}"
        is_lacking = isinstance(error, ModuleNotFoundError) and error.name == "tokenizers"
        remedy = "pip install tokenizers" if is_lacking else _SHAPES
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
    """Return the path of the file of a tokenizer; for the name of a package, that of its tokenizer.json."""
    name = tokenizer.replace("-", "_")
    is_name = name.isidentifier() and not os.path.exists(tokenizer)  # noqa: PTH110 (never raises)
    package = importlib.util.find_spec(name) if is_name else None
    folders = (package and package.submodule_search_locations) or []
    return next((str(path) for folder in folders if (path := Path(folder, _NAME)).is_file()), tokenizer)


def count_in_helper(path: str, texts: Sequence[str]) -> list[int]:
    """Return the number of tokens of each text by the tokenizer in a file; runs in the helper process."""
    encode = _encoder(path).encode
    return [len(encode(text, add_special_tokens=False).ids) for text in texts]


@cache
def _encoder(path: str) -> Any:
    from tokenizers import Tokenizer  # noqa: PLC0415 (few need it)

    encoder = Tokenizer.from_file(path)
    encoder.no_truncation()  # the file may ask for these
    encoder.no_padding()
    if getattr(encoder.model, "dropout", None):
        encoder.model.dropout = None  # it would change the tokens of a text each time
    return encoder


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
