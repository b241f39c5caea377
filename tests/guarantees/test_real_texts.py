"""Texts that people wrote are read without their markup, and nobody's words stand under another name."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import summc
from tests.conftest import ROOT

REAL = ROOT.parent / "shared" / "data" / "real"
OTHERS = {"README.md", "SOURCES.md", "facts.json", "questions.json", "speakers.json"}
TEXTS = sorted(path for path in REAL.glob("*") if path.name not in OTHERS)
SPEAKERS = json.loads((REAL / "speakers.json").read_text(encoding="utf-8")) if TEXTS else {}
MARKUP = re.compile(
    r"""(?x)
    </[a-zA-Z][\w-]*> | <\w+\s[\w:-]+=["']             # a tag of HTML
    | &(?:\#\d+|\#x[\da-fA-F]+|[a-z]{2,8});            # an entity
    | \]\(\S*\)  | \*\*\w[^*]*\*\* | ^\#{1,6}\s | ```   # Markdown
    | \\(?:emph|cite|ref|label|begin|end|text\w\w|section|item|footnote|href)\b
    | (?:^|\s)(?:image|include|link|xref|code-block|toctree|ifdef)::
    | :(?:ref|doc|class|func|meth|term|option|attr|mod):` | `_\b
    | \{\{ | \}\} | \{% | %\} | \[\[[A-Z]
    | (?:^|\s)(?:={4,}|-{6,}|\|[-:\ |]+\|)(?:\s|$)     # the lines of tables
    | (?<![\w/])[A-Za-z0-9+/]{120,}                    # base64
    """
)


def flat(text: str) -> str:
    return " ".join(re.sub(r"[*_`>]", " ", text).lower().split())


@pytest.mark.skipif(not TEXTS, reason="the real texts are not here")
@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.name)
def test_no_sentence_holds_markup_and_no_words_stand_under_another_name(path: Path) -> None:
    sentences = [sentence for cluster in summc.load(path) for sentence in cluster.sentences]
    assert sentences
    assert not [sentence.text for sentence in sentences if MARKUP.search(sentence.text)]
    for words, speaker in SPEAKERS.get(path.name, ()):
        names = {flat(s.speaker) for s in sentences if flat(words)[:40] in flat(s.text)}
        assert all(who in flat(speaker) or flat(speaker) in who for who in names), (words, names)
