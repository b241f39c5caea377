"""Miniature trees in the layouts of DUC 2003 to 2007, with invented text.

The layouts are NIST's. Each cluster is a folder of documents, and one file of topics holds the questions.
``models`` holds the summaries by people, ``peers`` those of all systems.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.support.writers import tar_of, write_files, zipped

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
Files = dict[str, str]


def sgml(docno: str, text: str) -> str:
    """Return a story with the tags and entities that NIST's files have."""
    return (
        f"<DOC>\n<DOCNO> {docno} </DOCNO>\n<DOCTYPE> NEWS </DOCTYPE>\n"
        f"<DATE_TIME> 1999-07-07 15:28:23 </DATE_TIME>\n<BODY>\n"
        "<HEADER>\nA0001 &Cx1f; ttj-z\n</HEADER>\n<HEADLINE> Not in the text </HEADLINE>\n"
        f"<TEXT>\n<P>\n\t{text}\n<ANNOTATION> (editor's note) </ANNOTATION>\n</P>\n</TEXT>\n"
        f"<TRAILER>\nAAA-00-00\n</TRAILER>\n</BODY>\n</DOC>\n"
    )


def html(*sentences: str) -> str:
    """Return a summary by people, as DUC 2003 has it."""
    lines = "\n".join(
        f'<a name="{i}">[{i}]</a> <a href="#{i}" id={i}>{s}</a>' for i, s in enumerate(sentences, start=1)
    )
    return f"<html>\n<head>\n<title>D30003.M.100.T.B</title>\n</head>\n<body>\n{lines}\n</body>\n</html>\n"


# DUC 2005 to 2007


@dataclass(frozen=True)
class Year:
    """The file names of a year of DUC."""

    name: str
    clusters: Sequence[str]
    documents: Sequence[str]
    docs: str
    evaluation: str
    writers: str

    @property
    def topics(self) -> str:
        return f"{self.name}_topics.sgml"

    def summaries(self, folder: str, text: str, writers: Sequence[str]) -> Files:
        return {
            f"{folder}/{cluster[:-1].upper()}.M.250.{cluster[-1].upper()}.{writer}": text.format(writer)
            for cluster in self.clusters
            for writer in writers
        }

    def models(self, folder: str) -> Files:
        return self.summaries(folder, "Writer {}: the flood reached the lower valley.\n", self.writers)

    def peers(self) -> Files:
        text = "System {} says that the flood reached a valley.\n"
        return self.summaries(f"{self.evaluation}/ROUGE/peers", text, ("1", "2", "24"))

    def stories(self, docs: str) -> Files:
        return {
            f"{docs}{cluster}/{docno}": sgml(docno, story)
            for cluster in self.clusters
            for docno, story in zip(self.documents, _STORIES, strict=True)
        }


YEAR_2005 = Year(
    "duc2005", ("d301i", "d307b"), ("FT921-1", "FT921-2", "LA010190-0001"), "duc2005_docs", "results", "1A"
)
YEAR_2006 = Year(
    "duc2006", ("D0601A", "D0602B"), ("APW19990707.0181", "NYT19990708.0001", "XIE19990709.0002"),
    "duc2006_docs", "NISTeval", "ABCD",
)  # fmt: skip
YEAR_2007 = Year(
    "duc2007", ("D0701A", "D0702A"),
    ("XIN_ENG_20050210.0100", "APW_ENG_20050211.0001", "NYT_ENG_20050212.0002"),
    "duc2007_testdocs/main", "mainEval", "ABCD",
)  # fmt: skip
YEARS = (YEAR_2005, YEAR_2006, YEAR_2007)


def topics(clusters: Sequence[str], title: str = TITLE, narrative: str = NARRATIVE) -> str:
    return "".join(
        f"<topic>\n<num> {cluster} </num>\n<title> {title} </title>\n\n<narr>\n{narrative}\n</narr>\n\n"
        "<granularity> specific </granularity>\n</topic>\n\n"
        for cluster in clusters
    )


#: The files of the update task of 2007, which NIST ships next to the main task.
_UPDATE = {
    "duc2007_testdocs/update/D0701A/D0701A-A/APW1": sgml("APW1", "Of the update task."),
    "duc2007_testdocs/update/D0703A/APW2": sgml("APW2", "Of the update task."),
    "duc2007_update_topics.sgml": topics(["D0701A"], title="Of the update task", narrative="No."),
    "updateEval/ROUGE/models/D0701-A.M.100.A.A": "Of the update task.\n",
    "updateEval/ROUGE/models/D0701.M.100.A.A": "Of the update task.\n",
    "updateEval/ROUGE/peers/D0701-A.M.100.A.24": "Of the update task.\n",
}


def as_nist_ships_it(folder: Path, year: Year) -> Path:
    """Write the tree unpacked: documents, topics and evaluation in one folder."""
    files = year.stories(f"{year.docs}/") | year.models(f"{year.evaluation}/ROUGE/models") | year.peers()
    files |= year.summaries(f"{year.evaluation}/BE/models", "flood|reached|subj\n", year.writers)
    others = _UPDATE if year is YEAR_2007 else {}
    return write_files(folder, {**files, year.topics: topics(year.clusters), **others})


def in_archives(folder: Path, year: Year) -> Path:
    """Write the archives as downloaded: documents in a nested archive, the evaluation in another one."""
    inner = tar_of(year.stories(f"{year.docs}/"))
    outer = f"{year.name.upper()}_Summarization_Documents"
    documents = tar_of({f"{outer}/{year.docs.partition('/')[0]}.tar.gz": inner, f"{outer}/README": "x"})
    evaluation = tar_of(year.models(f"{year.evaluation}/ROUGE/models") | year.peers())
    files = {f"{outer}.tgz": documents, f"{year.evaluation}.tar.gz": evaluation}
    return write_files(folder, {**files, year.topics: topics(year.clusters)})


def copied_together(folder: Path, year: Year) -> Path:
    """Write the cluster folders, the topics and a folder ``models`` into one folder."""
    return beside_the_models(folder, year, "")


def beside_the_models(folder: Path, year: Year, docs: str = "docs/") -> Path:
    """Write summc's own layout: ``docs/``, ``models/`` and the topics."""
    files = year.stories(docs) | year.models("models") | {year.topics: topics(year.clusters)}
    return write_files(folder, files)


LAYOUTS = (as_nist_ships_it, in_archives, copied_together, beside_the_models)

# DUC 2003 and 2004


def duc2003(root: Path, *, packed: bool = False) -> Path:
    """Write two clusters each of tasks 2 and 3, and the files of the other tasks next to them."""
    of_task = {
        "2": ("d30001t", "d30002t"),
        "3": ("d100a", "d101b"),
        "1": ("d30001t", "d100a"),
        "4": ("d301e",),
    }
    tasks = {task: Files() for task in of_task}
    for task, clusters in of_task.items():
        for cluster in clusters:
            text = f"Cluster {cluster} of task {task} &AMP; more.&LR;"
            tasks[task][f"docs/{cluster}/APW1999010{task}.0001"] = sgml("APW1", text)
    tasks["2"]["docs/d1000x/BBB1"] = sgml("BBB1", "It has no references.")
    files: dict[str, str | bytes] = {}
    testdata = "DUC2003_Summarization_Documents/duc2003_testdata"
    for task, own in tasks.items():
        files |= {f"{testdata}/task{task}/{name}": text for name, text in own.items()}
    if packed:
        inner = {f"{testdata}/{task}.docs.tar.gz": tar_of(own, f"task{task}/") for task, own in tasks.items()}
        files = {"DUC2003_Summarization_Documents.tgz": tar_of(inner)}
    for cluster in (*of_task["2"], *of_task["3"], *of_task["4"]):
        name, end = f"duc2003_results/models/{cluster[:-1].upper()}", cluster[-1].upper()
        for writer in "GH":
            files[f"{name}.M.100.{end}.{writer}.html"] = html(f"AT&amp;T by {writer} .", "It had &lt;1&gt; .")
        files[f"{name}.P.10.{end}.G.APW1.html"] = html("A headline .")
        files[f"{name}.M.10.{end}.G.html"] = html("Ten words .")
        files[f"{name.replace('models', 'peers')}.M.100.{end}.24.html"] = html("AT&amp;T by a system .")
    return write_files(root / "duc2003", files)


def duc2004(root: Path, shape: str = "plain") -> Path:
    """Write three clusters: plain, as NIST's archives, as both of them, or as a zip file."""
    docs, models = Files(), Files()
    for c in "123":
        for d in "01":
            docno = f"AAA2030010{c}.000{d}"
            docs[f"d3000{c}t/{docno}"] = sgml(docno, f"Dam number {c} broke on day {d}. Nobody was hurt.")
        for writer in "ABCD":
            models[f"2/D3000{c}.M.100.T.{writer}"] = f"Writer {writer} says that dam {c} broke.\n"
        models[f"1/D3000{c}.P.10.T.A.AAA2030010{c}.0000"] = "A headline of task one.\n"
        models[f"5/D3000{c}.M.100.T.E"] = "Of task five.\n"
    folder = root / "duc2004"
    if shape == "zip":
        files = {f"docs/{name}": text for name, text in docs.items()}
        files |= {f"models/{name}": text for name, text in models.items()}
        return write_files(root, {"duc2004.zip": zipped(files)})
    if shape in ("plain", "both"):
        write_files(folder / "docs", docs)
        write_files(folder / "models", {name[2:]: text for name, text in models.items() if name[0] == "2"})
    if shape in ("archives", "both"):
        inner = "DUC2004_Summarization_Documents/duc2004_testdata/tasks1and2/docs.tar.gz"
        results = {
            "ROUGE/duc2004.task2.ROUGE.models.tar.gz": tar_of(models, "./eval/models/"),
            "README": b"x",
        }
        archives = {
            "DUC2004_Summarization_Documents.tgz": tar_of({inner: tar_of(docs, "docs/")}),
            "duc2004_results.tgz": tar_of(results, "duc2004_results/"),
        }
        write_files(folder, archives)
    return folder
