"""The words and phrases of a cluster that weigh the most, as they are written in the text."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from summc.config import Config
from summc.method import fit, preprocess_all, question_of, weigh
from summc.preprocess.concepts import is_bigram
from summc.preprocess.terms import stop_terms
from summc.preprocess.topics import SAYING
from summc.records import Cluster, TokenizedCluster, WordWeights
from summc.report.explain import Location, location, says_something
from summc.report.screens import harmless
from summc.report.text import weight as rounded
from summc.system.resources import stopwords

#: How many keywords are shown unless the user gives a number.
USUAL = 20


@dataclass(frozen=True, slots=True)
class Keyword:
    """A word or phrase in its most frequent form, its weight, and the sentences that hold it.

    The weight is w_a, what a summary gains by the first occurrence of the word.
    """

    word: str
    weight: float
    sentences: tuple[Location, ...]


def keywords_of(clusters: Sequence[Cluster], config: Config, most: int = USUAL) -> Iterator[list[Keyword]]:
    """Yield for each cluster its keywords, at most ``most``, heaviest first."""
    tokenized_clusters = preprocess_all(clusters, config)
    weigher = fit(tokenized_clusters, config)
    for tokenized in tokenized_clusters:
        sized = config.for_cluster(tokenized.cluster)
        weights = weigh(tokenized, weigher, sized, question_of(tokenized, sized))
        yield _heaviest(tokenized, weights, config, most)


def _heaviest(tokenized: TokenizedCluster, weights: WordWeights, config: Config, most: int) -> list[Keyword]:
    cluster = tokenized.cluster
    language, stemmer = cluster.language, config.preprocess.stemmer
    function = {*stop_terms(stemmer, language), *stopwords(language), *SAYING}
    holders: defaultdict[str, list[int]] = defaultdict(list)
    for i, terms in enumerate(tokenized.tokens):
        for term in {*terms}:
            holders[term].append(i)
    weight = {
        term: value
        for term, value in zip(weights.words, weights.weight.tolist(), strict=True)
        if value > 0 and says_something(term, function) and len(holders[term]) > is_bigram(term)
    }  # two words that stand together once are no phrase
    left = sorted(weight.keys() - _superfluous(weight), key=lambda term: (-weight[term], term))[:most]
    forms = {term: Counter[str]() for term in left}
    for sentence, spans in zip(cluster.sentences, config.preprocessor.locate(cluster), strict=True):
        for span in spans:
            if span.term in forms:  # a phrase with what stands between its words: "co-op", "水坝"
                forms[span.term][" ".join(sentence.text[span.start : span.end].split())] += 1
    return [
        Keyword(max(forms[term], key=forms[term].__getitem__, default=term), weight[term],
                tuple(location(cluster, i) for i in holders[term]))
        for term in left
    ]  # fmt: skip


def _superfluous(weight: Mapping[str, float]) -> set[str]:
    """Return the words that a phrase as heavy contains, and the phrases lighter than both their words."""
    superfluous = set[str]()
    for phrase in filter(is_bigram, weight):
        lighter = {word for word in phrase.split(" ") if weight.get(word, 0.0) <= weight[phrase]}
        superfluous |= lighter or {phrase}
    return superfluous


def render_keywords(keywords: Sequence[Keyword]) -> str:
    """Return keywords as lines of text: the weight, the number of sentences, and the word."""
    rows = [(rounded(item.weight), f"{len(item.sentences):,}", harmless(item.word)) for item in keywords]
    lines = [("weight", "sentences", "word"), *rows]
    return "".join(f"{weight:>8}  {sentences:>9}  {word}\n" for weight, sentences, word in lines)
