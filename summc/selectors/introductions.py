"""Find what a sentence refers back to, and whether another sentence introduces it.

What a sentence refers back to is called a need. An earlier sentence of the summary must introduce it:

- A surname alone needs the full name, if an earlier sentence of the document has the full name: "Drell" after
  "Casimir Drell". This works in any script with capital letters.
- "The crack" needs a sentence that mentions a crack, if an earlier sentence of the document does so, or if
  "The crack" begins a sentence that is not the document's first. English only, because other languages use
  articles differently.
- A pronoun needs a name or noun before it in its own sentence. If it has none, no other sentence can help.
  English only.
- "Here" and "there" need a place, and no sentence can supply it. English only. "There is" needs none.
- An item of a list needs the line that introduces the list.

The first mention in a document needs no introduction, because the writer expected readers to know it.

A sentence leans on the one before it if a reader cannot tell without it what is meant: it has such a pronoun,
it opens with "this" or "for example", "until then" or "after that date" stands in its first words, or it
answers somebody's question. It leans too if it opens with "however" or the like, and then the sentence before
is limited by it: neither is the whole truth alone.

A whole sentence is one that is not a headline, a date or a caption. Methods refer to a sentence by ``index``,
its index in the cluster.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import regex

from summc.records import HEADINGS, WHOLE_WORDS, Cluster
from summc.system.resources import act_words, english_stopwords, word_lists
from summc.text.openings import openings


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
_NUMBERS = frozenset(word_lists()["numbers"])
#: After "the", these words refer to things that were mentioned before: "the third egg", "the other man".
_ONE_OF_SEVERAL = _words("second third fourth fifth other others latter former same")
_BE = _words("is are was were will would has have had may might must can could should seems remains")
_POINTING = _words("this these those such")
#: A noun phrase with one of these words after it needs no introduction, because the words that follow say
#: which one is meant: "the head of ...", "the man who ...".
_EXPLAINED_BY = _words("of who which that where whose for in at on between")
#: After "this" and the like, these nouns refer to no other sentence: "this week".
_TIMES = frozenset(word_lists()["times"])
#: Capitalized words that are not names.
_CALENDAR = frozenset(word_lists()["calendar"])
#: "By that date" in the first words of a sentence, this many, refers to another sentence; so does "by then".
_FIRST_WORDS = 10
_BEFORE_THAT = _words("on by at until till since from before after in for of with to under behind besides")
_POINTING_BACK = _words("that this these those such")
#: "Those" and "it is" need no other sentence before these words: "those who left", "it is safer to wait".
_SAID_AFTER = _words("who whose with that to if when whether how why")
#: What a text calls itself: "this policy".
_ITSELF = _words(
    "document page policy guide handbook manual section chapter article report paper post blog book act law "
    "agreement contract project repository package library tool release version documentation website site"
)
#: A pronoun such as "it" has something to refer to if this many content words come before it in its sentence.
_ENOUGH_NOUNS = 2
#: A sentence of so few words, such as "No.", belongs to the next of its paragraph. Right below a heading it
#: may have more: "This plan was rejected."
_A_WORD, _A_VERDICT = 2, 5
#: A noun phrase has at most this many words after "the".
_LONGEST_PHRASE = 3
#: A sentence that is all in quotation marks.
_QUOTATION = regex.compile(r"""\s*["“”„«»「『].*["“”«»」』]\W*""")


class _Read(NamedTuple):
    """The words and names of one sentence.

    Attributes:
        tokens, words, roots: words and punctuation marks, the same in lower case, and those without endings.
        names, surnames: capitalized words that stand alone, and the last word of each run of several.
    """

    tokens: list[str]
    words: list[str]
    roots: frozenset[str]
    names: list[str]
    surnames: set[str]


class Introductions:
    """What each sentence of a cluster refers back to, and which sentences introduce it.

    Everything is computed on first use. ``whole`` has the indices of the whole sentences.
    """

    def __init__(self, cluster: Cluster, whole: Collection[int]) -> None:
        self._sentences, self._documents, self._whole = cluster.sentences, cluster.documents, whole
        self._is_english = cluster.language == "en"
        self._contrasts = act_words("contrast", cluster.language)
        self._own: dict[int, frozenset[str]] = {}
        self._reads: dict[int, _Read] = {}
        self._needs: dict[int, tuple[str, ...]] = {}
        self._introduced: dict[str, dict[int, bool]] = {}
        # By document: what ``_first_mentions`` returns, and the first sentence that was not read for it.
        self._mentions: dict[int, dict[str, int]] = {}
        self._next: dict[int, int] = {}

    def needs(self, index: int) -> tuple[str, ...]:
        """Return what a sentence refers back to, so that another sentence must introduce it.

        Each need is a text of a kind and a word: "name Drell", "the crack", "pronoun it", "place here".
        """
        if index not in self._needs:
            read, mentions = self._read(index), self._first_mentions(index)
            needs = list[str]()
            for name in read.names:
                if name not in read.surnames and mentions.get(name, index) < index:
                    needs.append(f"name {name}")
            if (lead_in := self._sentences[index].lead_in) is not None:
                needs.append(f"line {index - self._sentences[index].position + lead_in}")
            if self._is_english:
                needs += map("the {}".format, _nouns_referring_back(read, mentions, index))
                needs += map("pronoun {}".format, _loose_pronoun(read))
                for word, following in pairwise([*read.words, ""]):
                    if word == "here" or (word == "there" and following not in _BE):
                        needs.append(f"place {word}")
            self._needs[index] = tuple(dict.fromkeys(needs))
        return self._needs[index]

    def introduces(self, index: int, need: str) -> bool:
        """Tell whether a sentence introduces ``need``, which is one of the texts that ``needs`` returns."""
        kind, _, what = need.partition(" ")
        if kind == "the":
            return _root(what) in self._read(index).roots
        if kind == "line":
            return index == int(what)
        return kind == "name" and what in self._read(index).surnames

    def missing(self, index: int, before: Sequence[int]) -> list[str]:
        """Return the needs of a sentence that none of the sentences ``before`` introduces."""
        missing = list[str]()
        for need in self.needs(index):
            introduced = self._introduced.setdefault(need, {})
            for i in before:
                if i not in introduced:
                    introduced[i] = self.introduces(i, need)
                if introduced[i]:
                    break
            else:
                missing.append(need)
        return missing

    def leans(self, index: int) -> bool:
        """Tell whether a sentence needs the one before it in its document.

        An answer needs its question, a quotation alone what says whose it is, a remark of a few words what
        the same person said before, and what follows "No." needs that.
        """
        sentence, before = self._sentences[index], self._sentences[index - 1]
        if sentence.position == 0:
            return False
        text, is_same = sentence.text[sentence.label :], sentence.speaker == before.speaker
        is_answer = before.kind == "question" and not is_same
        above = self._sentences[index - 2].kind if sentence.position > 1 else ""
        few = _A_VERDICT if above in HEADINGS else _A_WORD
        is_after_word = before.words <= few and before.paragraph == sentence.paragraph
        is_remark = sentence.speaker and is_same and len(text.split()) < WHOLE_WORDS
        is_bare = not sentence.speaker and _QUOTATION.fullmatch(text)
        if is_answer or is_after_word or is_remark or is_bare or self._is_contrast(index):
            return True
        if not self._is_english:
            return sentence.kind == "linked"
        read = self._read(index)
        words = read.words[len(_WORD.findall(sentence.text[: sentence.label])) :]
        if pronoun := _loose_pronoun(read):
            after = words.index(pronoun[0]) + 1 if pronoun[0] in words else 0
            is_object = (
                after > 1 and words[after - 2].isalpha() and words[after - 2] not in english_stopwords()
            )
            follows = not _SAID_AFTER.isdisjoint(words[after : after + _FIRST_WORDS])
            return not (pronoun == ["it"] and follows and not is_object)
        if words[:1] == ["this"] and words[1:2] and words[1] in self._own_words(sentence.document):
            return False  # "This PEP" in a PEP
        return words[:2] in (["for", "example"], ["for", "instance"]) or _points_back(words[:_FIRST_WORDS])

    def _own_words(self, document: int) -> frozenset[str]:
        """Return what a document calls itself.

        These are the words above its first whole sentence, and after "this" in it: it can mean nothing else.
        """
        if document not in self._own:
            words = set[str]()
            for sentence in self._documents[document].sentences:
                in_sentence = _WORD.findall(sentence.text.lower())
                if sentence.is_whole:
                    words |= {noun for word, noun in pairwise(in_sentence) if word == "this"}
                    break
                words.update(in_sentence)
            self._own[document] = frozenset(words) - english_stopwords()
        return self._own[document]

    def is_limited(self, index: int) -> bool:
        """Tell whether the next sentence limits a sentence, such as one that opens with "however".

        It does so only if the same person goes on in the same paragraph. A sentence in brackets limits too.
        """
        sentence, *after = self._sentences[index : index + 2]
        place = sentence.document, sentence.paragraph, sentence.speaker
        is_same = any((s.document, s.paragraph, s.speaker) == place for s in after)
        return is_same and (after[0].text_without_label.startswith("(") or self._is_contrast(index + 1))

    def _is_contrast(self, index: int) -> bool:
        return not self._contrasts.isdisjoint(openings(self._sentences[index].text_without_label))

    def _read(self, index: int) -> _Read:
        if index not in self._reads:
            text = self._sentences[index].text
            tokens = _WORD.findall(text) if self._is_english else []  # only English needs the words
            words, names, surnames = list(map(str.lower, tokens)), list[str](), set[str]()
            for run in _NAME.findall(text):
                *first, last = run.replace(".", "").split()
                name = last.removesuffix("'s").removesuffix("\u2019s")
                if first:
                    surnames.add(name)
                else:
                    names.append(name)
            self._reads[index] = _Read(tokens, words, frozenset(map(_root, words)), names, surnames)
        return self._reads[index]

    def _first_mentions(self, index: int) -> dict[str, int]:
        """Return the first whole sentence of the document with each root or surname, and with any word ("").

        It may come after the sentence ``index``, because later sentences may have been read too. So callers
        must compare the two.
        """
        document, start = self._sentences[index].document, index - self._sentences[index].position
        mentions, done = self._mentions.setdefault(document, {}), self._next.get(document, start)
        for i in range(done, index):
            if i in self._whole:
                for mention in ("", *self._read(i).roots, *self._read(i).surnames):
                    mentions.setdefault(mention, i)
        self._next[document] = max(done, index)
        return mentions


def _nouns_referring_back(read: _Read, mentions: Mapping[str, int], index: int) -> Iterator[str]:
    """Yield the nouns after "the", "this" and the like that refer back to another sentence."""
    here: set[str] = set()
    tokens, words = read.tokens, read.words
    for k, word in enumerate(words[:-1]):
        following = words[k + 1]
        if word == "the" and tokens[k + 1][:1].isupper() and following.endswith("ans"):
            yield following  # "the Americans": the reader cannot tell which of them
        if word not in _POINTING and word != "the":
            here.add(_root(word))
            continue
        phrase = _phrase(tokens, k + 1)
        after = words[k + 1 + len(phrase) :]
        if not phrase:
            continue
        if word != "the":
            if phrase[-1] not in _TIMES:
                yield phrase[-1]
        elif following in _ONE_OF_SEVERAL:
            yield " ".join(phrase[:2])
        elif (not after or after[0] not in _EXPLAINED_BY) and here.isdisjoint(map(_root, phrase)):
            yield from _meant(phrase, mentions, index, begins=k == 0)


def _meant(phrase: list[str], mentions: Mapping[str, int], index: int, *, begins: bool) -> list[str]:
    """Return the noun of a phrase after "the", if it refers back to another sentence.

    It refers back if an earlier sentence of the document has the noun, or if the phrase begins a sentence
    (``begins``) that is not the document's first.
    """
    for noun in reversed(phrase):
        if mentions.get(_root(noun), index) < index:
            return [noun]
    return phrase[:1] if begins and mentions.get("", index) < index else []


def _loose_pronoun(read: _Read) -> list[str]:
    """Return the first pronoun of a sentence if no word before it in the sentence can be meant by it."""
    tokens, words, stop = read.tokens, read.words, english_stopwords()
    nouns, names = 0, 0
    for k, word in enumerate(words):
        if word in _PRONOUNS:
            break
        if word[:1].isalpha() and word not in stop and tokens[k] not in _CALENDAR:
            nouns, names = nouns + 1, names + tokens[k][:1].isupper()
    else:
        return []
    if word in _OWNERS and 0 < nouns == names and tokens[k - 1] == ",":
        return [word]  # "Jonas Wick, its spokesman": "its" does not mean Jonas Wick
    if word in _THEY:
        # Skip the word right before "they", because it is usually a verb, and a verb may end in -s like a
        # plural noun: "believes they".
        return [] if any(map(_is_plural, words[: k - 1])) else [word]
    # "In Swift 2, it may warn": a phrase such as "in Swift 2" is seldom what "it" means.
    is_after_phrase = words[0] in _BEFORE_THAT and words.index(",") == k - 1 if "," in words[:k] else False
    if word == "it" and is_after_phrase:
        return [word]
    return [] if nouns >= _ENOUGH_NOUNS or (word in _HE and names) else [word]


def _points_back(words: Sequence[str]) -> bool:
    """Tell whether first words such as "this" or "after that date" refer to another sentence."""
    clear = english_stopwords() | _TIMES | _ITSELF
    for k, (word, noun) in enumerate(pairwise([*words, ""])):
        if k > 0 and words[k - 1] not in _BEFORE_THAT:
            continue
        if word == "then":
            return True
        if word in _POINTING_BACK and noun not in _TIMES | _ITSELF | _SAID_AFTER:
            return k == 0 or (noun.isalpha() and noun not in clear)
    return False


def _phrase(tokens: list[str], start: int) -> list[str]:
    """Return the words of the noun phrase that starts at an index of ``tokens``.

    They are words in lower case, up to a function word, a word in -ed or -ly, or the longest length allowed.
    """
    stop, words = english_stopwords(), list[str]()
    for word in tokens[start : start + _LONGEST_PHRASE]:
        is_part = word.islower() and (word not in stop or word in _ONE_OF_SEVERAL)
        if not is_part or (words and word.endswith(("ed", "ly"))):
            break
        words.append(word)
    return words


def _is_plural(word: str) -> bool:
    """Tell whether a word is a plural, or a number before a plural, so that "they" may refer to it."""
    ends_in_s = word.endswith("s") and len(word) > len("his") and word != "says"
    return ends_in_s or word in _PLURALS or word in _NUMBERS or (word.isdigit() and word != "1")


def _root(word: str) -> str:
    """Return a word without a plural or genitive ending, so that two forms of a noun compare as equal."""
    if not word.endswith("s"):
        return word
    word = word.removesuffix("'s").removesuffix("\u2019s")
    return word[:-1] if word.endswith("s") and len(word) > len("his") else word
