"""Pictures: valid files of the right size, with text as text and the same bytes every time."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest

from summc.cli import main
from summc.system import versions
from tests.conftest import ROOT, Cli
from tests.support.depth import is_deep

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CASES = tomllib.loads((Path(__file__).parent / "cases" / "pictures.toml").read_text())["picture"]
CURVE = ["curve", "-k", "5,10", "--selector", "g-greedy", "--weighting", "position", "--reading", "0"]


def png(path: Path) -> tuple[tuple[int, int], dict[str, str]]:
    """Return the size in pixels and the text metadata of a PNG, and check that the file is complete."""
    from PIL import Image

    with Image.open(path) as image:
        image.load()
        return image.size, {str(name): str(value) for name, value in image.info.items() if name != "dpi"}


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Write a data set of two small clusters to the current folder: a long path would break captions."""
    monkeypatch.chdir(tmp_path)
    text = "The dam broke at dawn. Water rose in the town. People fled from the water to the hills."
    cluster = {"documents": [text], "references": ["The dam broke.", "People fled."]}
    Path("small.jsonl").write_text(f"{json.dumps(cluster)}\n" * 2)


@pytest.mark.parametrize("picture", CASES)
@pytest.mark.usefixtures("small")
def test_each_command_draws_its_picture(summc: Cli, picture: dict[str, Any]) -> None:
    command = picture["command"].split()
    result = summc(*command, "--plot", "a.svg")
    assert (result.code, result.err, result.out) == (0, "", summc(*command).out)
    drawn = ET.parse("a.svg").getroot()  # noqa: S314 (written by summc)
    width, height = (float(drawn.attrib[name].removesuffix("pt")) / 72 for name in ("width", "height"))
    assert width == pytest.approx(picture["width"])
    assert height / width == pytest.approx(picture["height"], rel=0.2)
    shown = " ".join("".join(element.itertext()) for element in drawn.iter())
    assert [text for text in picture["texts"] if text not in shown] == []


@pytest.mark.usefixtures("small")
def test_a_saved_evaluation_is_drawn_without_its_signature(summc: Cli) -> None:
    summc(*CASES[-1]["command"].split(), "--metrics", "rouge1", "--save", "run")
    saved = ("evaluate", "--saved", "run", "--versus", "before", "--no-signature")
    assert summc(*saved, "--plot", "b.svg").code == 0
    image = Path("b.svg").read_text()
    assert "ROUGE-1 recall, difference from the row above" in image
    assert image.count("|references:2,mean|") == 1  # in the metadata only


def swept(mus: list[float], betas: list[float], versus: str = "g-greedy", weighting: str = "tfidf") -> Figure:
    """Draw a sweep in which each pair of mu and beta covers their sum, and each other method covers 0."""
    from summc.config import Config
    from summc.lab.experiments.figures import draw_sweep
    from summc.lab.experiments.sweep import make_points, sweep_rows
    from summc.records import Outcome, Selection

    config = Config().with_settings({"weighting": weighting})
    points = make_points(config, "bp", mus, betas, {name: (name, config) for name in versus.split(",")})
    values = {point.label: float(point.beta or 0) + (point.mu or 0) for point in points}
    outcomes = [
        Outcome("a", label, selection=Selection("bp", 100, (), 0, value)) for label, value in values.items()
    ]
    rows = sweep_rows(points, outcomes)
    return draw_sweep(rows, {"dataset": "d", "clusters": 1, "k": 100}, "s")


def test_the_map_shows_each_pair_of_mu_and_beta_at_its_place() -> None:
    axes, bar = swept([1.0, 2.0, 4.0], [10.0, 20.0]).axes
    (mesh,) = [each for each in axes.collections if each.get_array() is not None]
    assert mesh.get_array().tolist() == [[11, 12, 14], [21, 22, 24]]  # type: ignore[union-attr]
    assert [line.get_xydata().tolist() for line in axes.lines] == [[[4, 20]]] * 2  # type: ignore[union-attr]
    assert bar.get_ylim() == (0, 24)  # the scale includes g-greedy, which has 0 here


def test_with_a_single_mu_the_picture_is_a_curve_over_beta() -> None:
    for weighting, label in (("tfidf", "covered weight (sum of TF-IDF)"), ("position", "covered weight")):
        figure = swept([4.0], [10.0, 20.0], weighting=weighting)
        assert "K = 100, mu = 4." in figure.texts[1].get_text()
        (axes,) = figure.axes
        assert axes.get_ylabel() == label
        assert [[10, 14], [20, 24]] in [line.get_xydata().tolist() for line in axes.lines]  # type: ignore[union-attr]


def test_figure_2_draws_the_means_and_the_paired_differences() -> None:
    from summc.lab.experiments.figures import draw_random_graphs

    found = {"g-greedy": (50.0, 0.0), "bp, mu = 2": (52.0, 2.0), "bp, mu = 1": (20.0, -30.0)}
    rows = [
        {"method": name, "mean": mean, "error": 9.0, "difference": change,
         "difference_ci": (change - 1, change + 1)}
        for name, (mean, change) in found.items()
    ]  # fmt: skip
    about = {"graphs": 1, "left_degree": 9, "right_degree": 3, "sentences": 9, "k": 9}
    mus = {"bp, mu = 2": ("bp", 2.0), "bp, mu = 1": ("bp", 1.0)}
    means, differences = draw_random_graphs(rows, mus, about, "s").axes
    for axes, (base, low, high) in ((means, (50, 20, 52)), (differences, (0, -30, 2))):
        drawn = [line.get_xydata().tolist() for line in axes.lines]  # type: ignore[union-attr]
        assert [[1, low], [2, high]] in drawn
        assert [[0, base], [1, base]] in drawn  # in axes coordinates: across the whole panel
    bottom, top = differences.get_ylim()
    assert (-5 < bottom < 0, top > 3) == (True, True)  # the point that is far below is cut off


def test_the_picture_of_an_evaluation_has_the_numbers_of_its_table() -> None:
    from summc.lab.evaluation.report import score_rows
    from summc.lab.experiments.figures import draw_comparison
    from summc.records import Outcome, Score

    recalls = {"a": (0.2, 0.4, 0.6), "b": (0.3, 0.5, 0.8)}
    outcomes = [
        Outcome(f"{i}", name, scores={"rouge1": Score(value, 0, 0, "s")})
        for name, values in recalls.items()
        for i, value in enumerate(values)
    ]
    bars, differences = draw_comparison(outcomes, "first", {"dataset": "d", "clusters": 3}, "").axes
    assert [bar.get_width() for bar in bars.patches] == pytest.approx([0.4, 1.6 / 3])  # type: ignore[attr-defined]
    versus = score_rows(outcomes)[1].means["rouge1"]
    point = next(line for line in differences.lines if line.get_marker() == "o")
    assert point.get_xydata().tolist() == [[versus.difference, 1]]  # type: ignore[union-attr]
    (ends,) = (each.get_segments()[0] for each in differences.collections)  # type: ignore[attr-defined]
    assert ends[:, 0].tolist() == pytest.approx(versus.difference_ci)
    # One system has nothing to be compared with.
    assert len(draw_comparison(outcomes[:3], "first", {"dataset": "d", "clusters": 3}, "").axes) == 1


# A name in any script is drawn. Fonts are embedded in a PDF, which takes long: a signature takes one more.
PLOTS = (["洪水 فيضان $x_2$.txt", "--plot", "a.svg"], ["small.jsonl", "--no-signature", "--plot", "a.pdf"])
# Run a command without a picture, check that this does not load matplotlib, and draw it in two formats.
DRAW = f"""
import sys
from summc.cli import main
for plot in (["small.jsonl"], *{PLOTS}):
    try:
        main([*sys.argv[1:], *plot])
    except SystemExit as leaving:
        assert leaving.code == 0
    assert "--plot" in plot or "matplotlib" not in sys.modules
"""


@pytest.mark.usefixtures("small")
def test_pictures_do_not_depend_on_the_date_or_the_users_settings(summc: Cli) -> None:
    Path(PLOTS[0][0]).write_text("The dam broke at dawn. Water rose in the town. People fled to the hills.")
    Path("theirs").write_text("font.size: 20\naxes.facecolor: red\n")
    # Fonts cannot be cached in this home folder, which is no reason for a warning.
    theirs = {"HOME": os.devnull, "MATPLOTLIBRC": "theirs"}
    changed = {"PYTHONHASHSEED": "7", "SOURCE_DATE_EPOCH": "1", "PYTHONPATH": str(ROOT), **theirs}
    command = [sys.executable, "-c", DRAW, *CURVE]
    ran = subprocess.run(command, env={**os.environ, **changed}, check=True, capture_output=True)
    assert ran.stderr == b""
    for plot in PLOTS:
        before = Path(plot[-1]).read_bytes()
        result = summc(*CURVE, *plot)
        assert (result.code, result.err) == (0, "")
        drawn = Path(plot[-1]).read_bytes()
        assert not re.search(rb"20\d\d-\d\d-\d\dT|D:20\d\d", drawn)
        assert before == drawn
    box = re.search(rb"/MediaBox \[ ?0 0 ([\d.]+) ([\d.]+) ?\]", drawn)
    assert box is not None
    assert float(box[1]) == pytest.approx(3.4 * 72)
    assert re.search(rb"/Subtype /(Type0|TrueType)", drawn)  # letters are stored as text, not as outlines


@pytest.mark.usefixtures("small")
def test_without_matplotlib_a_picture_is_refused_before_the_work(
    summc: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    for picture in CASES:
        result = summc(*picture["command"].split(), "--plot", "a.png")
        told = "error: --plot: drawing needs matplotlib; pip install 'summc[plots]'\n"
        assert (result.code, result.out, result.err) == (2, "", told)


def test_many_long_names_do_not_shrink_the_panels() -> None:
    from summc.lab.experiments.figures import styled

    def width(versus: str) -> float:
        figure = swept([1.0, 2.0], [45.0], versus)
        with styled():
            figure.draw_without_rendering()
        return figure.axes[0].get_window_extent().width

    names = "g-greedy-guaranteed,g-greedy-enumerated,lp-rounding,knapsack,bp-decimation"
    assert width(names) == pytest.approx(width("g-greedy"), rel=0.1)


def test_a_signature_part_longer_than_a_line_is_not_lost() -> None:
    from summc.lab.experiments.figures import make_panels

    signature = f"a:1|left-out:{'x' * 300}|b:2"
    figure, _ = make_panels(1, 1, width=3.4, panel_height=1, caption="", signature=signature)
    lines = figure.texts[0].get_text().splitlines()
    assert max(map(len, lines)) < 100
    assert "".join(lines).replace("|", "") == signature.replace("|", "")


# The pictures in the documentation


PAGE = "\n".join(path.read_text() for path in sorted((ROOT / "docs" / "pages" / "method").glob("*.md")))
SHOWN = re.findall(r"^(summc .* --plot (docs/pages/figures/\S+))$", PAGE, re.MULTILINE)


def test_the_documentation_shows_every_picture_with_its_command() -> None:
    files = {path.name for path in (ROOT / "docs" / "pages" / "figures").iterdir()}
    assert {Path(file).name for _, file in SHOWN} == files
    assert set(re.findall(r"!\[[^]]+\]\(\.\./figures/(\S+)\)", PAGE)) == files
    assert {f"figure-{n}.png" for n in (2, 3, 4)} <= files


# Figure 4 takes longer than the others and is drawn as figure 3 is, so only a deep run draws it.
@pytest.mark.parametrize(
    ("command", "file"),
    [
        each
        for each in SHOWN
        if not each[0].startswith("summc experiment ") and (is_deep() or "fig3" in each[0])
    ],
    ids=lambda value: value[-12:],
)
def test_the_commands_in_the_documentation_draw_its_pictures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest, command: str, file: str
) -> None:
    monkeypatch.chdir(ROOT)
    new, old = tmp_path / "a.png", ROOT / file
    # A picture shows the version that drew it, and the version changes with every commit.
    drawn_by = png(old)[1]["Software"].split()[1].rstrip(",")
    monkeypatch.setattr(versions, "checked_out", lambda _: drawn_by.partition("+g")[2])
    versions.version.cache_clear()
    request.addfinalizer(versions.version.cache_clear)
    with pytest.raises(SystemExit) as leaving:
        main([*command.replace(file, str(new)).split()[1:], "-o", os.devnull])
    assert leaving.value.code == 0
    (size, made), (shown_size, shown) = png(new), png(old)
    assert size == shown_size
    assert size[0] == round(3.4 * 300)
    assert not re.search(rb"20\d\d-\d\d-\d\dT", new.read_bytes())
    version = re.compile(r"(nltk|pystemmer|scikit-learn|splitter|sumeval):[^|]*")
    assert version.sub("", made["Description"]) == version.sub("", shown["Description"])
    if made != shown:
        pytest.skip(f"drawn by other versions: {shown}")
    assert new.read_bytes() == old.read_bytes()
