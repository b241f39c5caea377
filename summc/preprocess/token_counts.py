"""Count tokens as a language model's tokenizer does, for a budget such as ``2000t``.

The user names the tokenizer: a file of the library tokenizers (``tokenizer.json``), or a Python function of a
text that returns a number or a list of tokens. Nothing is downloaded.
"""

from __future__ import annotations

import importlib
import runpy
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from operator import attrgetter
from types import SimpleNamespace
from typing import Any

from summc.errors import SettingError, as_typed
from summc.records import Cluster

_MOST = 10**15  # tokens, as in a budget
_SHAPES = "name a tokenizer.json, a FILE.py:FUNCTION or a MODULE:FUNCTION"


def with_tokens(cluster: Cluster, tokenizer: str) -> Cluster:
    """Return the cluster with the number of tokens of each sentence; the end of its line counts too."""
    count = _counter(tokenizer)
    documents = []
    for document in cluster.documents:
        counted = [replace(sentence, tokens=count(f"{sentence.text}\n")) for sentence in document.sentences]
        documents.append(replace(document, sentences=tuple(counted)))
    return replace(cluster, documents=tuple(documents))


@cache
def _counter(tokenizer: str) -> Callable[[str], int]:
    """Return the function that counts the tokens of a text."""
    source, _, name = tokenizer.rpartition(":")
    try:
        if not source:
            from tokenizers import Tokenizer  # noqa: PLC0415 (few need it)

            encoder = Tokenizer.from_file(tokenizer)
            encoder.no_truncation()  # the file may ask for both
            encoder.no_padding()
            function: Callable[[str], Any] = lambda text: encoder.encode(text, add_special_tokens=False).ids  # noqa: E731
        else:
            is_file = source.endswith(".py")
            module = SimpleNamespace(**runpy.run_path(source)) if is_file else importlib.import_module(source)
            function = attrgetter(name)(module)
    except AttributeError:
        raise SettingError(as_typed("tokenizer"), f"{source} has no function {name}", _SHAPES) from None
    except (Exception, SystemExit) as error:  # noqa: BLE001 (whatever a file or a module of the user's raises)
        problem = f"{tokenizer} cannot be used: {error}"
        is_lacking = isinstance(error, ModuleNotFoundError) and error.name == "tokenizers"
        remedy = "pip install tokenizers" if is_lacking else _SHAPES
        raise SettingError(as_typed("tokenizer"), problem, remedy) from None

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
