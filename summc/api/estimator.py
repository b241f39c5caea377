"""A transformer of scikit-learn that turns clusters of documents into summaries."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Any, Self, TypeVar

from sklearn.exceptions import NotFittedError

from summc import method
from summc.api import AnySelector, ConfigLike, Fill, Order, Sources, config_of, one_cluster
from summc.api.summaries import Summary, score
from summc.errors import InputError, SummcError
from summc.preprocess.quoting import check_all_quoted
from summc.records import TokenizedCluster
from summc.weights import WEIGHTINGS

Item = TypeVar("Item")
Result = TypeVar("Result")

if TYPE_CHECKING:  # scikit-learn has no types

    class _Base:
        def get_params(self, deep: bool = True) -> dict[str, Any]: ...  # noqa: FBT001, FBT002
        def set_params(self, **params: Any) -> Self: ...
        def __sklearn_tags__(self) -> Any: ...

else:
    from sklearn.base import BaseEstimator, TransformerMixin

    class _Base(TransformerMixin, BaseEstimator):
        pass


def _map_items(items: Sequence[Item], do: Callable[[Item], Result]) -> list[Result]:
    """Return the result of ``do`` for each item; an error gets a note with the cluster: ``X[number]``."""
    results = []
    for number, item in enumerate(items):
        try:
            results.append(do(item))
        except SummcError as error:
            error.add_note(f"in X[{number}]")
            raise
    return results


@dataclass(eq=False, repr=False)
class Summarizer(_Base):
    """Summarize many clusters, with the conventions of scikit-learn.

    ``X`` is a list of clusters. Each is what ``summarize`` takes: a text, several texts, a path, a cluster of
    ``load``. The parameters are those of ``summarize``.

    >>> clusters = ["The dam broke. Nobody was hurt.", ["Rain fell.", "Rain fell for a week."]]
    >>> Summarizer("1s", selector="g-greedy").fit_transform(clusters)
    ['The dam broke.', 'Rain fell for a week.']

    ``fit`` counts in how many clusters each word occurs, which the weighting tfidf uses. The other weightings
    need nothing but the cluster itself.
    """

    budget: float | str | None = None
    _: KW_ONLY
    language: str | None = None
    query: str | None = None
    selector: AnySelector | None = None
    weighting: str | None = None
    must: str | Sequence[str] | None = None
    without: str | Sequence[str] | None = None
    boost: Mapping[str, float] | Sequence[str] | None = None
    ignore: str | Sequence[str] | None = None
    order: Order | None = None
    reading: float | None = None
    fill: Fill | None = None
    config: ConfigLike | None = None

    def fit(self, X: Sequence[Sources], y: object = None) -> Self:  # noqa: ARG002, N803 (scikit-learn's names)
        """Fit the weighting on clusters; ``y`` is ignored."""
        self.config_ = config_of(**self.get_params(deep=False))
        self.clusters_ = self._tokenized(X)
        quotes = self.config_.select
        check_all_quoted((tokenized.cluster for tokenized in self.clusters_), quotes.must, quotes.without)
        self.weigher_ = method.fit(self.clusters_, self.config_)
        return self

    def transform(self, X: Sequence[Sources]) -> list[str]:  # noqa: N803
        """Return the text of the summary of each cluster."""
        return [summary.text for summary in self.summaries(X)]

    def fit_transform(self, X: Sequence[Sources], y: object = None) -> list[str]:  # noqa: N803
        """Fit the weighting on clusters, and return the text of the summary of each."""
        return self.fit(X, y).transform(X)

    def summaries(self, X: Sequence[Sources]) -> list[Summary]:  # noqa: N803
        """Return the summary of each cluster, as ``summarize`` does; ``transform`` has only their texts."""
        if not hasattr(self, "weigher_"):
            raise NotFittedError("This Summarizer is not fitted yet; call fit before transform.")
        return _map_items(self._tokenized(X), self._summary)

    def score(self, X: Sequence[Sources], y: Sequence[str | Sequence[str]]) -> float:  # noqa: N803
        """Return the mean ROUGE-1 recall of the summaries; ``y`` has the references of each cluster."""
        summaries = self.summaries(X)
        if len(summaries) != len(y):
            raise InputError("y", f"has references of {len(y)} clusters, where X has {len(summaries)}")
        if not summaries:
            raise InputError("X", "has no clusters to score")
        pairs = zip(summaries, y, strict=True)
        return fmean(
            score(summary, written, metrics="rouge1", language=summary.cluster.language)["rouge1"].recall
            for summary, written in pairs
        )

    def _summary(self, tokenized: TokenizedCluster) -> Summary:
        """Return the summary of a cluster.

        If weights depend on other clusters, as those of tfidf do, and ``fit`` was not given this cluster, the
        weighting is fitted again, on the clusters of ``fit`` and this one together.
        """
        weigher, uses_others = self.weigher_, WEIGHTINGS[self.config_.weigh.weighting].uses_other_texts
        if uses_others and tokenized not in self.clusters_:
            weigher = method.fit([*self.clusters_, tokenized], self.config_)
        question = method.question_of(tokenized, self.config_)
        return Summary(method.summarize_one(tokenized, weigher, self.config_, question))

    def _tokenized(self, X: Sequence[Sources]) -> list[TokenizedCluster]:  # noqa: N803
        if isinstance(X, str) or not isinstance(X, Iterable):
            raise InputError("X", "must be a list of clusters", "write [text] for one")
        config = self.config_
        return _map_items(X, lambda sources: method.preprocess(one_cluster(sources, config), config))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.string = True
        tags.no_validation = True
        return tags
