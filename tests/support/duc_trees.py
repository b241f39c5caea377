"""Miniature trees in the layouts of DUC 2003 and of DUC 2005 to 2007, with invented text.

The layouts are NIST's. Each cluster is a folder of documents, and one file of topics holds the questions.
``ROUGE/models`` holds the summaries by people, ``ROUGE/peers`` those of all systems.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.documents.test_datasets import html_2003, sgml_2003
from tests.support.writers import tar_of, write_files

#: The question of each cluster. It asks about the flood, which most of the documents do not mention.
TITLE, NARRATIVE = "Flood at Hask", "Which valley did the flood reach &amp; who was saved?"
QUESTION = "Flood at Hask. Which valley did the flood reach & who was saved?"
_STORIES = (
    """The town of Hask opened a new market hall on Monday. Traders from the whole district came to it.
    The mayor praised the market hall and its traders in a long speech.""",
    """The market hall of Hask had nine thousand visitors in a week. Traders asked for longer hours there.
    The mayor promised to build another market hall in the east of the town.""",
    """A flood reached the lower valley of Marl on the night of the fair. Rescuers saved forty families there.
    The mayor of Hask sent bread from the market hall to the families.""",
)
_OF_PEOPLE = "Writer {}: the flood reached the lower valley.\n"
_OF_SYSTEMS = "System {} says that the flood reached a valley.\n"


@dataclass(frozen=True)
class Year:
    """The file names of a year of DUC. ``set_of`` gives the name of a cluster in summary files."""

    name: str
    clusters: Sequence[str]
    docs: str
    documents: Sequence[str]
    topics: str
    models: str
    peers: str
    writers: str

    def set_of(self, cluster: str) -> str:
        return f"{cluster[:-1].upper()}.M.250.{cluster[-1].upper()}"


YEAR_2005 = Year(
    "duc2005", ("d301i", "d307b"), "duc2005_docs", ("FT921-1", "FT921-2", "LA010190-0001"),
    "duc2005_topics.sgml", "results/ROUGE/models", "results/ROUGE/peers", "1A",
)  # fmt: skip
YEAR_2006 = Year(
    "duc2006", ("D0601A", "D0602B"), "duc2006_docs",
    ("APW19990707.0181", "NYT19990708.0001", "XIE19990709.0002"),
    "duc2006_topics.sgml", "NISTeval/ROUGE/models", "NISTeval/ROUGE/peers", "ABCD",
)  # fmt: skip
YEAR_2007 = Year(
    "duc2007", ("D0701A", "D0702A"), "duc2007_testdocs/main",
    ("XIN_ENG_20050210.0100", "APW_ENG_20050211.0001", "NYT_ENG_20050212.0002"),
    "duc2007_topics.sgml", "mainEval/ROUGE/models", "mainEval/ROUGE/peers", "ABCD",
)  # fmt: skip
YEARS = (YEAR_2005, YEAR_2006, YEAR_2007)


def news(docno: str, text: str, date: str = "1999-07-07 15:28:23") -> str:
    return (
        f"<DOC>\n<DOCNO> {docno} </DOCNO>\n<DOCTYPE> NEWS </DOCTYPE>\n<DATE_TIME> {date} </DATE_TIME>\n"
        f"<BODY>\n<HEADLINE> Not in the text </HEADLINE>\n"
        f"<TEXT>\n<P>\n\t{text}\n</P>\n</TEXT>\n</BODY>\n</DOC>\n"
    )


def documents_of(year: Year) -> dict[str, str]:
    return {
        f"{year.docs}/{cluster}/{docno}": news(docno, story)
        for cluster in year.clusters
        for docno, story in zip(year.documents, _STORIES, strict=True)
    }


def topics(clusters: Sequence[str], title: str = TITLE, narrative: str = NARRATIVE) -> str:
    return "".join(
        f"<topic>\n<num> {cluster} </num>\n<title> {title} </title>\n\n<narr>\n{narrative}\n</narr>\n\n"
        "<granularity> specific </granularity>\n</topic>\n\n"
        for cluster in clusters
    )


def summaries_of_people(year: Year) -> dict[str, str]:
    return {
        f"{year.models}/{year.set_of(cluster)}.{writer}": _OF_PEOPLE.format(writer)
        for cluster in year.clusters
        for writer in year.writers
    }


def summaries_of_systems(year: Year, systems: Sequence[str] = ("1", "2", "24")) -> dict[str, str]:
    return {
        f"{year.peers}/{year.set_of(cluster)}.{system}": _OF_SYSTEMS.format(system)
        for cluster in year.clusters
        for system in systems
    }


def update_task() -> dict[str, str]:
    """Return the files of the update task of 2007, which NIST ships next to the main task."""
    return {
        "duc2007_testdocs/update/D0701A/D0701A-A/APW1": news("APW1", "Of the update task."),
        "duc2007_testdocs/update/D0703A/APW2": news("APW2", "Of the update task."),
        "duc2007_update_topics.sgml": topics(["D0701A"], title="Of the update task", narrative="No."),
        "updateEval/ROUGE/models/D0701-A.M.100.A.A": "Of the update task.\n",
        "updateEval/ROUGE/models/D0701.M.100.A.A": "Of the update task.\n",
        "updateEval/ROUGE/peers/D0701-A.M.100.A.24": "Of the update task.\n",
    }


def all_files(year: Year) -> dict[str, str]:
    others = update_task() if year is YEAR_2007 else {}
    return {
        **documents_of(year),
        year.topics: topics(year.clusters),
        **summaries_of_people(year),
        **summaries_of_systems(year),
        **others,
    }


def as_nist_ships_it(root: Path, year: Year) -> Path:
    """Write the tree unpacked: documents, topics and evaluation in one folder."""
    return write_files(root / year.name, all_files(year))


def in_archives(root: Path, year: Year) -> Path:
    """Write the archives as downloaded: documents in a nested archive, the evaluation in another one."""
    folder = root / year.name
    folder.mkdir(parents=True)
    inner = tar_of(dict(documents_of(year)))
    outer = f"{year.name.upper()}_Summarization_Documents"
    documents = tar_of({f"{outer}/{year.docs.partition('/')[0]}.tar.gz": inner, f"{outer}/README": "x"})
    (folder / f"{outer}.tgz").write_bytes(documents)
    (folder / year.topics).write_text(topics(year.clusters))
    evaluation = year.models.partition("/")[0]
    people = tar_of({**summaries_of_people(year), **summaries_of_systems(year)})
    (folder / f"{evaluation}.tar.gz").write_bytes(people)
    return folder


def copied_together(root: Path, year: Year) -> Path:
    """Write the cluster folders, the topics and a folder ``models`` into one folder."""
    folder = root / year.name
    files = {name.removeprefix(f"{year.docs}/"): text for name, text in documents_of(year).items()}
    files |= {f"models/{name.rpartition('/')[2]}": text for name, text in summaries_of_people(year).items()}
    return write_files(folder, {**files, year.topics: topics(year.clusters)})


def beside_the_models(root: Path, year: Year) -> Path:
    """Write summc's own layout: ``docs/``, ``models/`` and the topics."""
    folder = root / year.name
    files = {f"docs/{name.removeprefix(f'{year.docs}/')}": text for name, text in documents_of(year).items()}
    files |= {f"models/{name.rpartition('/')[2]}": text for name, text in summaries_of_people(year).items()}
    return write_files(folder, {**files, year.topics: topics(year.clusters)})


def duc2003(root: Path) -> Path:
    """Write two clusters each of tasks 2 and 3, and the files of the other tasks next to them."""
    testdata = "DUC2003_Summarization_Documents/duc2003_testdata"
    of_task = {
        "2": ("d30001t", "d30002t"),
        "3": ("d100a", "d101b"),
        "1": ("d30001t", "d100a"),
        "4": ("d301e",),
    }
    files: dict[str, str] = {}
    for task, clusters in of_task.items():
        for cluster in clusters:
            docno = f"APW1999010{task}.0001"
            text = f"Cluster {cluster} of task {task}"
            files[f"{testdata}/task{task}/docs/{cluster}/{docno}"] = sgml_2003(docno, text)
    for cluster in (*of_task["2"], *of_task["3"], *of_task["4"]):
        set_, selector = cluster[:-1].upper(), cluster[-1].upper()
        for writer in "GH":
            name = f"{set_}.M.100.{selector}.{writer}.html"
            files[f"duc2003_results/models/{name}"] = html_2003(f"AT&amp;T by {writer} .")
        files[f"duc2003_results/models/{set_}.P.10.{selector}.G.APW1.html"] = html_2003("A headline .")
        files[f"duc2003_results/models/{set_}.M.10.{selector}.G.html"] = html_2003("Ten words .")
        files[f"duc2003_results/peers/{set_}.M.100.{selector}.24.html"] = html_2003("AT&amp;T by a system .")
    return write_files(root / "duc2003", files)
