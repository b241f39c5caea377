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
from typing import Any

from summc.errors import SettingError, as_typed
from summc.records import Cluster

_SHAPES = "name a tokenizer.json, a FILE.py:FUNCTION or a MODULE:FUNCTION"


def with_tokens(cluster: Cluster, tokenizer: str) -> Cluster:
    """Return the cluster with the number of tokens of each sentence; the end of its line counts too."""
    count = _counter(tokenizer)
    documents = []
    for document in cluster.documents:
        counted = [replace(each, tokens=max(count(f"{each.text}\n"), 1)) for each in document.sentences]
        documents.append(replace(document, sentences=tuple(counted)))
    return replace(cluster, documents=tuple(documents))


@cache
def _counter(tokenizer: str) -> Callable[[str], int]:
    """Return the function that counts the tokens of a text."""
    source, _, name = tokenizer.rpartition(":")
    try:
        if not source:
            from tokenizers import Tokenizer  # noqa: PLC0415 (few need it)

            encode = Tokenizer.from_file(tokenizer).encode
            return lambda text: len(encode(text, add_special_tokens=False))
        found: Any = (
            runpy.run_path(source) if source.endswith(".py") else vars(importlib.import_module(source))
        )
        function = found[name]
    except KeyError:
        raise SettingError(as_typed("tokenizer"), f"{source} has no function {name}", _SHAPES) from None
    except Exception as error:  # noqa: BLE001 (whatever a file or a module of the user's raises)
        problem = f"{tokenizer} cannot be used: {error}"
        raise SettingError(as_typed("tokenizer"), problem, _SHAPES) from None

    def count(text: str) -> int:
        try:
            made = function(text)
            return made if isinstance(made, int) else len(made)
        except Exception as error:
            problem = f"{tokenizer} fails: {type(error).__name__}: {error}"
            raise SettingError(as_typed("tokenizer"), problem, "return a number or tokens") from error

    return count
