"""Find what a sentence refers back to, and whether another sentence introduces it.

What a sentence refers back to is called a need. An earlier sentence of the summary must introduce it:

- A surname alone needs the full name, if an earlier sentence of the document has the full name: "Drell" after
  "Casimir Drell". This works in any script with capital letters.
- "The crack" needs a sentence that mentions a crack, if an earlier sentence of the document does so, or if
  "The crack" begins a sentence that is not the document's first. English only, because other languages use
  articles differently.
- A pronoun needs a name or noun before it in its own sentence. If it has none, no other sentence can help.
  English only.
- "Here" and "there" need a place, and no sentence can supply it. English only.

The first mention in a document needs no introduction, because the writer expected readers to know it.

A whole sentence is one that is not a headline, a date or a caption. Methods refer to a sentence by ``index``,
its index in the cluster.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import regex

from summc.records import Cluster
from summc.system.resources import english_stopwords


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_WORD = regex.compile(r"[\p{L}\p{M}\p{N}]+(?:['\u2019-][\p{L}\p{M}\p{N}]+)*|[^\s\p{L}\p{M}\p{N}]")
_NAME = regex.compile(r"\p{Lu}[\p{L}\p{M}'\u2019-]*+(?:\.? \p{Lu}[\p{L}\p{M}'\u2019-]*+)*+")
_HE = _words("he she him his her")
_THEY = _words("they them their")
_IT = _words("it its")
_PRONOUNS = _HE | _THEY | _IT
_OWNERS = _words("its their his her")
#: Nouns in the plural that do not end in -s.
_PLURALS = _words("people police children men women crew staff personnel")
#: Numbers that come before a noun in the plural.
_NUMBERS = _words(
    "two three four five six seven eight nine ten eleven twelve fifteen twenty dozens hundreds both"
)
#: After "the", these words refer to things that were mentioned before: "the third egg", "the other man".
_ONE_OF_SEVERAL = _words("second third fourth fifth other others latter former same")
_HERE = _words("here there")
_POINTING = _words("this these those such")
#: A noun phrase with one of these words after it needs no introduction, because the words that follow say
#: which one is meant: "the head of ...", "the man who ...".
_EXPLAINED_BY = _words("of who which that where whose for in at on between")
#: After "this" and the like, these nouns refer to no other sentence: "this week".
_TIMES = _words(
    "week year month day morning evening afternoon night time season summer winter spring fall autumn "
    "weekend century decade"
)
#: Capitalized words that are not names.
_CALENDAR = _words(
    "Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March April May June July "
    "August September October November December"
)
#: A pronoun such as "it" has something to refer to if this many content words come before it in its sentence.
_ENOUGH_NOUNS = 2
#: A noun phrase has at most this many words after "the".
_LONGEST_PHRASE = 3


class Introductions:
    """What each sentence of a cluster refers back to, and which sentences introduce it.

    Everything is computed on first use. ``whole`` has the indices of the whole sentences: those that are not
    headlines, dates or captions.
    """

    def __init__(self, cluster: Cluster, whole: Collection[int]) -> None:
        self._sentences, self._whole = cluster.sentences, whole
        self._is_english = cluster.language == "en"
        self._found: dict[int, tuple[list[str], list[str]]] = {}
        self._needs: dict[int, tuple[str, ...]] = {}
        self._names: dict[int, tuple[tuple[str, ...], ...]] = {}
        self._said: dict[int, frozenset[str]] = {}
        self._introduced: dict[str, dict[int, bool]] = {}
        self._said_in: dict[int, _Said] = {}

    def needs(self, index: int) -> tuple[str, ...]:
        """Return what a sentence refers back to, so that another sentence must introduce it.

        Each need is a text of a kind and a word: "name Drell", "the crack", "pronoun it", "place here".
        """
        if index not in self._needs:
            self._needs[index] = tuple(dict.fromkeys(self._find_needs(index)))
        return self._needs[index]

    def introduces(self, index: int, need: str) -> bool:
        """Tell whether a sentence introduces ``need``, which is one of the texts that ``needs`` returns."""
        kind, _, what = need.partition(" ")
        if kind == "the":
            return _root(what) in self._roots(index)
        return kind == "name" and what in self._surnames(index)

    def times(self, need: str, before: Sequence[int]) -> bool:
        """Tell whether one of the sentences ``before`` introduces what another sentence refers back to.

        ``need`` names it, as ``needs`` does: "name Drell", "the crack". ``before`` has indices in the
        cluster.
        """
        known = self._introduced.setdefault(need, {})
        for index in before:
            if index not in known:
                known[index] = self.introduces(index, need)
            if known[index]:
                return True
        return False

    def _find_needs(self, index: int) -> Iterator[str]:
        yield from (f"name {name}" for name in self._bare_names(index))
        if not self._is_english:
            return
        found, words = self._words(index)
        yield from (f"the {noun}" for noun in self._known_nouns(index, found, words))
        if pronoun := self._loose_pronoun(found, words):
            yield f"pronoun {pronoun}"
        yield from (f"place {word}" for word in words if word in _HERE)

    def _words(self, index: int) -> tuple[list[str], list[str]]:
        """Return the words and punctuation marks of a sentence, and the same in lower case."""
        if index not in self._found:
            found = _WORD.findall(self._sentences[index].text)
            self._found[index] = found, [word.lower() for word in found]
        return self._found[index]

    # Names

    def _runs(self, index: int) -> tuple[tuple[str, ...], ...]:
        """Return the runs of capitalized words in a sentence: full names, single names and first words."""
        if index not in self._names:
            runs = _NAME.findall(self._sentences[index].text)
            self._names[index] = tuple(tuple(run.replace(".", "").split()) for run in runs)
        return self._names[index]

    def _surnames(self, index: int) -> frozenset[str]:
        """Return the last word of each full name (two or more capitalized words) in a sentence."""
        return frozenset(_bare(run[-1]) for run in self._runs(index) if len(run) > 1)

    def _bare_names(self, index: int) -> Iterator[str]:
        """Yield the names of one word in a sentence that are surnames in earlier sentences of the document.

        A name is left out if this sentence has the full name too.
        """
        full = self._surnames(index)
        for run in self._runs(index):
            name = _bare(run[0])
            if len(run) == 1 and name not in full and self._said_before(index).names.get(name, index) < index:
                yield name

    # Nouns after "the"

    def _known_nouns(self, index: int, found: list[str], words: list[str]) -> Iterator[str]:
        """Yield the nouns after "the", "this" and the like that refer back to another sentence.

        ``found`` are the words of the sentence, ``words`` the same in lower case.
        """
        said: set[str] = set()
        for k, word in enumerate(words[:-1]):
            following = words[k + 1]
            if word == "the" and found[k + 1][:1].isupper() and following.endswith("ans"):
                yield following  # "the Americans": the reader cannot tell which of them
            if word not in _POINTING and word != "the":
                said.add(_root(word))
                continue
            phrase = _phrase(found, k + 1)
            after = k + 1 + len(phrase)
            if not phrase:
                continue
            if word != "the":
                yield from (noun for noun in phrase[-1:] if noun not in _TIMES)
            elif following in _ONE_OF_SEVERAL:
                yield " ".join(phrase[:2])
            elif after >= len(words) or words[after] not in _EXPLAINED_BY:
                yield from self._meant(index, phrase, said, begins=k == 0)

    def _meant(self, index: int, phrase: list[str], said: set[str], *, begins: bool) -> Iterator[str]:
        """Yield the noun of a phrase after "the" if it refers back to another sentence.

        It refers back if an earlier sentence of the document has the noun, or if the phrase begins a sentence
        (``begins``) that is not the document's first. It does not refer back if the noun is in ``said``, the
        words before the phrase in the same sentence.
        """
        if not said.isdisjoint(map(_root, phrase)):
            return
        before = self._said_before(index)
        known = [noun for noun in phrase if before.roots.get(_root(noun), index) < index]
        if known:
            yield known[-1]
        elif begins and before.first < index:
            yield phrase[0]

    def _roots(self, index: int) -> frozenset[str]:
        """Return the words of a sentence in lower case, without plural or genitive endings."""
        if index not in self._said:
            self._said[index] = frozenset(map(_root, self._words(index)[1]))
        return self._said[index]

    # Pronouns

    def _loose_pronoun(self, found: list[str], words: list[str]) -> str:
        """Return the first pronoun of a sentence if no word before it in the sentence can be meant by it.

        Otherwise, or if the sentence has no pronoun, return "". ``found`` are the words of the sentence,
        ``words`` the same in lower case.
        """
        k = next((k for k, word in enumerate(words) if word in _PRONOUNS), -1)
        if k < 0:
            return ""
        word, before = words[k], [each for each in found[:k] if _is_content(each)]
        is_name = [each[:1].isupper() for each in before]
        if word in _OWNERS and before and all(is_name) and found[k - 1] == ",":
            return word  # "Jonas Wick, its spokesman": "its" does not mean Jonas Wick
        if word in _THEY:
            # Skip the word right before "they", because it is usually a verb, and a verb may end in -s like a
            # plural noun: "believes they".
            return "" if any(map(_is_plural, words[: k - 1])) else word
        can_be_meant = len(before) >= _ENOUGH_NOUNS or (word in _HE and any(is_name))
        return "" if can_be_meant else word

    # What was said before

    def _said_before(self, index: int) -> _Said:
        """Return which words and full names a document has, and the first whole sentence with each of them.

        It has at least those of the whole sentences before ``index``. It also has those of later sentences if
        an earlier call has read them, so callers must compare the index that they get with ``index``.
        """
        sentence = self._sentences[index]
        nothing = _Said(index - sentence.position, {}, {}, len(self._sentences))
        said = self._said_in.setdefault(sentence.document, nothing)
        for i in range(said.read, index):
            if i in self._whole:
                said.first = min(said.first, i)
                for root in self._roots(i) if self._is_english else ():  # only English needs the roots
                    said.roots.setdefault(root, i)
                for name in self._surnames(i):
                    said.names.setdefault(name, i)
        said.read = max(said.read, index)
        return said


@dataclass(slots=True)
class _Said:
    """For each word and each full name of a document, the first whole sentence that contains it.

    A whole sentence is not a headline, a date or a caption. Sentences are given by their index in the
    cluster.

    Attributes:
        read: the sentences of the document before this index have been read.
        roots: word without its ending -> first sentence that contains it.
        names: last word of a full name -> first sentence that contains the full name.
        first: the first whole sentence of the document.
    """

    read: int
    roots: dict[str, int]
    names: dict[str, int]
    first: int


def _phrase(found: list[str], start: int) -> list[str]:
    """Return the words of the noun phrase that starts at an index of ``found``.

    They are words in lower case, up to a function word, a word in -ed or -ly, or the longest length allowed.
    """
    stop, words = english_stopwords(), list[str]()
    for word in found[start : start + _LONGEST_PHRASE]:
        is_part = word.islower() and (word not in stop or word in _ONE_OF_SEVERAL)
        if not is_part or (words and word.endswith(("ed", "ly"))):
            break
        words.append(word)
    return words


def _is_content(word: str) -> bool:
    return word[:1].isalpha() and word.lower() not in english_stopwords() and word not in _CALENDAR


def _is_plural(word: str) -> bool:
    """Tell whether a word is a plural, or a number before a plural, so that "they" may refer to it."""
    ends_in_s = word.endswith("s") and len(word) > len("his") and word != "says"
    return ends_in_s or word in _PLURALS or word in _NUMBERS or (word.isdigit() and word != "1")


def _bare(name: str) -> str:
    return name.removesuffix("'s").removesuffix("\u2019s")


def _root(word: str) -> str:
    """Return a word without a plural or genitive ending, so that two forms of a noun compare as equal."""
    if not word.endswith("s"):
        return word
    word = _bare(word)
    return word[:-1] if word.endswith("s") and len(word) > len("his") else word
