"""The HTML page in a real browser: keyboard, pointer, no script, dark mode and print."""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement

from summc.config import Config
from summc.documents.sources import cluster_of_texts, load
from summc.method import reading_prices, select, summarize, summarize_one
from summc.records import Run
from summc.report.budgets import ClusterReport, report_of
from summc.report.explain import PLACE, MissedText, explain
from summc.report.html import render_page
from tests.conftest import PATIENCE, SAMPLE
from tests.report.test_report import HOSTILE, made_of, made_of_news, report_for
from tests.support.depth import is_deep

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
DRIVER = shutil.which("chromedriver")
CHECKS = Path(__file__).with_name("checks.js").read_text(encoding="utf-8")
PHONE, DESKTOP = (390, 844), (1280, 860)


class Browser:
    """A real browser, with short commands for the tests."""

    def __init__(self, driver: webdriver.Chrome) -> None:
        self.driver = driver

    def set_screen(self, size: tuple[int, int], *, dark: bool = False, media: str = "") -> None:
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        still = {"name": "prefers-reduced-motion", "value": "reduce"}
        self.do("Emulation.setEmulatedMedia", features=[scheme, still], media=media)
        self.do(
            "Emulation.setDeviceMetricsOverride",
            width=size[0], height=size[1], deviceScaleFactor=1, mobile=size == PHONE,
        )  # fmt: skip

    def do(self, command: str, **parameters: Any) -> Any:
        return self.driver.execute_cdp_cmd(command, parameters)

    def ask(self, name: str, *arguments: Any) -> Any:
        """Return what a function of checks.js returns."""
        return self.run(f"return {name}(...arguments)", *arguments)

    def run(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(f"{CHECKS}\n{script}", *arguments)

    def go_to(self, name: str) -> None:
        """Go to an anchor of the page, and wait until the page has handled it."""
        self.driver.execute_async_script(f"{CHECKS}\ngoTo(...arguments)", name)

    def all(self, selector: str) -> list[WebElement]:
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def texts(self, selector: str) -> list[str]:
        """Return the visible texts, asked for all at once: each question to the browser takes a while."""
        found: list[str] = self.ask("visibleTexts", selector)
        return found

    def one(self, selector: str) -> WebElement:
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def announced(self) -> str:
        """Return what was last read out to users who cannot see the page."""
        return str(self.run("return document.querySelector('.told').textContent"))

    def press(self, *keys: str) -> WebElement:
        """Press keys one after another, and return the element that has the focus afterwards."""
        ActionChains(self.driver).send_keys(*keys).perform()
        return self.driver.switch_to.active_element

    def point_at(self, element: WebElement) -> None:
        self.run("arguments[0].scrollIntoView({block: 'center'})", element)
        ActionChains(self.driver, duration=0).move_to_element(element).perform()

    def complaints(self) -> list[str]:
        return [entry["message"] for entry in self.driver.get_log("browser")]  # type: ignore[no-untyped-call]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if not BROWSER or not DRIVER:
        pytest.skip("no Chromium with its driver here: apt-get install chromium chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = BROWSER
    # An app has no address bar, which is a page of its own and takes a second to load.
    for argument in (
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--app=data:,",
    ):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(DRIVER))
    driver.set_script_timeout(PATIENCE)
    driver.set_page_load_timeout(PATIENCE)
    yield Browser(driver)
    driver.quit()


def report_of_sample(
    name: str, few: int, *lengths: float, **settings: object
) -> tuple[ClusterReport, Config]:
    """Return a report of the first few documents of a cluster of the sample: large pages are slow.

    It has a summary of 100 words, and those of other lengths: the usual ones if none are given.
    """
    config = Config().with_settings(settings)
    (whole,) = load([SAMPLE / "docs" / name])
    cluster = dataclasses.replace(whole, documents=whole.documents[:few])
    configs = [config.with_settings({"budget": each}) for each in (100, *lengths)]
    made, *others = (each for each in summarize([cluster], *configs) if isinstance(each, Run))
    return report_of(made, others or None), config


BY_COVERAGE: dict[str, Any] = {"selector": "g-greedy", "weighting": "position", "reading": 0}


@pytest.fixture(scope="module")
def reports() -> list[ClusterReport]:
    return [report_of_sample(*each, **BY_COVERAGE)[0] for each in (("d90004t", 2), ("d90002t", 1, 25))]


def show(browser: Browser, folder: Path, *reports: ClusterReport, size: tuple[int, int] = DESKTOP) -> Path:
    """Write the page of some reports to a folder, and open it in the browser."""
    page = folder / "page.html"
    page.write_text(render_page(reports))
    browser.set_screen(size)
    browser.driver.get(page.as_uri())
    return page


@pytest.fixture
def first(browser: Browser, reports: list[ClusterReport], tmp_path: Path) -> ClusterReport:
    """Return the report whose page the browser shows."""
    show(browser, tmp_path, reports[0])
    return reports[0]


def visible(browser: Browser) -> list[str]:
    """Return the sentences of the visible summary."""
    return browser.texts(".sentences .s")


def sentences_of(report: ClusterReport, k: int) -> list[str]:
    return [sentence.text for sentence in report.explanations[k].summary.sentences]


def test_the_summary_is_shown_and_linked_with_the_documents(browser: Browser, first: ClusterReport) -> None:
    expected = sentences_of(first, 3)
    assert visible(browser) == expected
    assert browser.texts(".body .chosen") == expected
    assert browser.ask("attributes", ".body .chosen", "data-n") == [str(n + 1) for n in range(len(expected))]
    (paper, *_), marked = (browser.ask("papers", f".body .s{each}") for each in (":not(.chosen)", ".chosen"))
    assert {*marked} == {marked[0]} != {paper}
    # Links lead both ways.
    name = f"c1-k3-s{first.explanations[3].sentences[0].location.index}"
    browser.one(f"#{name}").click()
    target = browser.one(":target.chosen")
    assert target.text == expected[0]
    assert 0 <= browser.ask("boxOf", target)[1] < DESKTOP[1]
    target.click()
    assert browser.ask("attributes", ":target", "id") == [name]
    # On paper there are no controls.
    browser.set_screen(DESKTOP, media="print")
    assert browser.ask("shows", ".budget", ".hint", f"#{name}", ".body .chosen") == [False, False, True, True]
    assert browser.one(".summary").value_of_css_property("overflow-y") == "visible"
    assert len(browser.do("Page.printToPDF", printBackground=True)["data"]) > 10_000


def test_pointing_and_focusing_show_what_a_sentence_covers(browser: Browser, first: ClusterReport) -> None:
    assert browser.ask("shows", ".card") == [False]
    chosen = min(first.explanations[3].sentences, key=lambda each: len(each.alone))  # a card shows no more
    link = browser.one(f"#c1-k3-s{chosen.location.index}")
    browser.point_at(link)
    card = browser.one(".card")
    assert f"{chosen.lost_without:.3g}" in card.text
    assert browser.texts(".card li.alone") == [word.word for word in chosen.alone]
    assert set(browser.texts(".card li.shared")) == {word.word for word in chosen.shared}
    words = [word for word in chosen.alone if word.word != PLACE and " " not in word.word]
    marked = link.find_elements(By.CSS_SELECTOR, ".w.alone")
    assert len(browser.all(f"#c1-s{chosen.location.index} .w.alone")) == len(marked) >= len(words) > 0
    browser.point_at(browser.one("h1"))
    assert browser.ask("shows", ".card") == [False]
    assert not browser.all(".w.alone, .w.shared")
    # By keyboard: a sentence that is not in the summary.
    chosen_ids = {each.location.index for each in first.explanations[3].sentences}
    other = next(i for i in first.run.graph.sentence_ids.tolist() if i not in chosen_ids)
    browser.ask("focusOn", f"#c1-s{other}")
    assert "Not in the summary: it would add" in card.text
    assert "It would add:" in browser.announced()
    browser.press(Keys.ESCAPE)
    assert browser.ask("shows", ".card") == [False]
    # The card does not cover its own sentence.
    for selector in (".choice:not([hidden]) .s", ".body .s.chosen"):
        element = browser.one(selector)
        browser.point_at(element)
        left, top, right, bottom = browser.ask("boxOf", element)
        l2, t2, r2, b2 = browser.ask("boxOf", card)
        assert right <= l2 or r2 <= left or bottom <= t2 or b2 <= top


def test_the_slider_moves_between_summaries(browser: Browser, first: ClusterReport) -> None:
    slider = browser.one("input[type=range]")
    assert len(browser.all(".told[role=status][aria-live=polite]")) == 1
    assert browser.ask("shows", "input[type=range]") == [True]
    assert slider.get_property("value") == "3"
    assert browser.ask("attributes", "input[type=range]", "aria-valuetext") == ["100 words"]
    assert slider.accessible_name == "Length"
    browser.ask("focusOn", "input[type=range]")
    for key, k in ((Keys.ARROW_RIGHT, 4), (Keys.END, 5), (Keys.HOME, 0), (Keys.ARROW_RIGHT, 1)):
        browser.press(key)
        expected = sentences_of(first, k)
        assert visible(browser) == expected
        assert browser.texts(".body .chosen") == expected
        selection = first.explanations[k].summary.selection
        assert browser.texts(".now")[0].startswith(f"in {selection.cost:g} of {selection.budget:g} words, ")
        assert browser.ask("attributes", "input[type=range]", "aria-valuetext") == [
            f"{selection.budget:g} words"
        ]
        assert browser.announced().startswith(f"{selection.budget:g} words: {len(expected)} sentence")
        assert browser.texts(",".join(browser.ask("attributes", ".body .chosen", "href"))) == expected
        # Sentences outside this summary are not links.
        assert not browser.all(".body .s:not(.chosen)[href]")
    # A link to another length shows that summary.
    browser.go_to(f"c1-k0-s{first.explanations[0].sentences[0].location.index}")
    assert visible(browser) == sentences_of(first, 0)
    assert slider.get_property("value") == "0"


def numbers_in(text: str) -> list[float]:
    return [float(part.strip(";.")) for part in text.split() if part[0].isdigit()]


def test_the_card_agrees_with_the_explanation_at_every_length(browser: Browser, tmp_path: Path) -> None:
    """Words have several levels here, and weights that depend on the length."""
    settings = {"selector": "g-greedy", "weighting": "expected", "reading": 0}
    report, config = report_of_sample("d90004t", 3, *() if is_deep() else (25, 150), **settings)
    show(browser, tmp_path, report)
    made = report.run
    asked = [MissedText("", i, quoted=True) for i in range(0, len(report.spans), 4)]
    candidates = set(made.graph.sentence_ids.tolist())
    for k, choice in enumerate(report.explanations):
        browser.ask("slide", k)
        budget = choice.summary.selection.budget
        changed = config.with_settings({"budget": budget})
        alone = summarize_one(made.tokenized, made.weights.weigher, changed, made.weights.question)
        assert choice.summary.selection.chosen == alone.summary.selection.chosen
        assert choice.summary.selection.bound is not None
        assert alone.summary.selection.covered_weight <= choice.summary.selection.bound
        told = explain(alone, asked)
        shown = browser.ask("verdicts", [f"c1-k{k}-s{chosen.location.index}" for chosen in told.sentences])
        for chosen, text in zip(told.sentences, shown, strict=True):
            assert numbers_in(text) == pytest.approx([chosen.weight, chosen.lost_without], rel=0.006)
        left_out = [answer for answer in told.why_not if answer.chosen_as is None]
        assert sum(answer.location.index in candidates for answer in left_out) > 3
        shown = browser.ask("verdicts", [f"c1-s{answer.location.index}" for answer in left_out])
        for answer, text in zip(left_out, shown, strict=True):
            if answer.location.index not in candidates:
                assert text == "Not in the summary: no candidate for it."
                continue
            expected = [answer.adds, answer.weight, answer.cost, answer.room, budget]
            assert numbers_in(text) == pytest.approx(expected, rel=0.006, abs=1e-9)
        assert alone.summary.forecast is not None
        assert browser.texts(".forecast") == [
            f"Expected to contain {alone.summary.forecast:.0%} of a person's summary of this length."
        ]
    # A word counts as alone if no other sentence of the summary has it.
    browser.ask("slide", report.asked)
    only = min(report.explanations[report.asked].sentences, key=lambda each: each.cost)
    link = browser.one(f"#c1-k{report.asked}-s{only.location.index}")
    browser.point_at(link)
    words, elsewhere = (*only.alone, *only.shared), {word.word for word in only.shared}
    content, hidden = ({word.word for word in words if word.function is kind} for kind in (False, True))
    assert set(browser.texts(".card li.alone")) == content - elsewhere
    assert set(browser.texts(".card li.shared")) == content & elsewhere
    assert browser.texts(".card li.more") == [f"and {len(hidden)} more"]
    marked = {each.text.lower() for each in link.find_elements(By.CSS_SELECTOR, ".w.alone, .w.shared")}
    assert len(marked) > 3
    assert marked.isdisjoint({word.lower() for word in hidden})


def check_value(browser: Browser, made: Run, config: Config, banned: list[int]) -> None:
    """Check that the page's own summary is worth about as much as that of the command without ``banned``."""
    changed = config.with_settings({"must": ()})
    posed = summarize_one(made.tokenized, made.weights.weigher, changed, made.weights.question)
    cost = np.where(np.isin(posed.graph.sentence_ids, banned), np.inf, posed.graph.cost)
    graph = dataclasses.replace(posed.graph, cost=cost)
    selection = select(graph, config, "", made.tokenized)
    chosen = graph.sentence_ids[list(selection.chosen)].tolist()
    found, spent, value, covered, expected = browser.ask("values", chosen)
    assert covered == pytest.approx(selection.covered_weight, rel=1e-4)
    assert spent <= config.select.budget
    assert value >= 0.99 * expected
    assert visible(browser) == [made.tokenized.cluster.sentences[i].text for i in found]


def test_pinning_and_banning_solve_the_summary_again(browser: Browser, tmp_path: Path) -> None:
    report, config = report_of_sample("d90004t", 2, 25, 150)  # easy reading counts
    made = report.run
    browser.complaints()
    show(browser, tmp_path, report)
    chosen = [each.location.index for each in report.explanations[report.asked].sentences]
    header = browser.texts(".now")
    # The page has the prices of the command.
    prices = reading_prices(made.graph, made.tokenized, config.select)
    assert prices is not None
    sizes = range(len(made.graph.cost))
    several = [*(list(sizes[::step]) for step in (1, 2, 5, 17)), *([i] for i in sizes)]
    expected = [prices.of(each) for each in several]
    assert browser.ask("prices", several) == pytest.approx(expected, rel=1e-4)

    # Ban the first sentence, with its button in the summary.
    browser.one(".choice:not([hidden]) .ban").click()
    assert made.tokenized.cluster.sentences[chosen[0]].text not in visible(browser)
    assert browser.texts(".changes li")[0].startswith("Banned: “A crack opened")
    assert browser.announced().startswith("Solved again: ")
    assert browser.texts(".now") != header
    assert browser.texts(".body .chosen") == visible(browser)
    assert browser.run("return document.activeElement.closest('.changes') !== null")
    check_value(browser, made, config, [chosen[0]])

    # Pin a sentence of a document, by keyboard.
    others = [i for i in made.graph.sentence_ids.tolist() if i not in chosen]
    pinned = max(others, key=lambda i: made.tokenized.cluster.sentences[i].words)
    browser.ask("focusOn", f"#c1-s{pinned}")
    assert browser.press(Keys.TAB).text == "Pin"
    assert browser.press(Keys.SPACE).text == "Pinned"
    text = made.tokenized.cluster.sentences[pinned].text
    assert text in visible(browser)
    must = config.with_settings({"must": (text,)})
    check_value(browser, made, must, [chosen[0]])

    # The slider solves again for another length.
    browser.ask("slide", report.asked + 1)
    longer = must.with_settings({"budget": report.explanations[report.asked + 1].summary.selection.budget})
    assert text in visible(browser)
    check_value(browser, made, longer, [chosen[0]])

    # What is too long for a length is said to be.
    browser.ask("slide", 0)
    assert visible(browser) == [text]
    assert "The pinned sentences are longer than this length" in browser.texts(".own figcaption")[0]

    # Without changes the summary of the command is back.
    browser.ask("slide", report.asked)
    browser.one(".undo").click()
    assert visible(browser) == sentences_of(report, report.asked)
    assert browser.texts(".now") == header
    assert browser.ask("shows", ".changes") == [False]
    assert browser.complaints() == []


def test_a_question_marks_the_sentences_with_its_rare_words(browser: Browser, tmp_path: Path) -> None:
    show(browser, tmp_path, made_of_news())
    browser.one(".fold").click()
    field = browser.one(".ask input")
    field.send_keys("When did family members return?")
    (answer,) = browser.run("return [...document.querySelectorAll('.answer')].map((e) => e.textContent)")
    assert "families" in answer
    field.send_keys(Keys.ENTER)
    assert browser.ask("shows", ".answer") == [True]
    field.send_keys("xyz")
    field.clear()
    field.send_keys("Zeppelin")
    assert browser.texts(".ask output") == ["No sentence has these words"]
    assert browser.all(".answer") == []


def test_titles_dates_and_folding(browser: Browser, tmp_path: Path) -> None:
    show(browser, tmp_path, made_of_news())
    assert browser.texts("article .title") == ["Dam breaks at dawn", "5 May 2021"]
    assert browser.texts(".from") == [
        "2 May 2021, 2021-05-02.txt, 5 sentences",
        "2021-05-05.txt, 3 sentences",
    ]
    assert browser.texts(".body h4") == ["What happens next"]
    assert browser.texts(".axis span") == ["2 May 2021", "5 May"]
    marks = browser.ask("marks")
    numbers = browser.ask("attributes", ".body .chosen", "data-n")
    assert len(numbers) == 2
    assert [text.split()[1].strip(",") for text, _ in marks] == numbers
    assert marks[0][1] < DESKTOP[0] / 4
    assert marks[1][1] > DESKTOP[0] * 3 / 4
    assert [text.split("\n")[0] for text in browser.texts(".list li")] == [
        "Dam breaks at dawn", "The water fell on Wednesday and the first families went…",
    ]  # fmt: skip

    # Folded documents hide their text, but a link, find in page and print show it.
    browser.one(".fold").click()
    assert browser.texts(".body .s") == []
    assert browser.texts(".opening") == ["The water fell on Wednesday and the first families went…"]
    browser.one(".timeline li:not([hidden]) a").click()
    assert len(browser.all("article > details[open]")) == 1
    assert browser.ask("shows", ":target") == [True]
    browser.run("dispatchEvent(new Event('beforeprint'))")
    assert len(browser.all("article > details[open]")) == 2
    browser.run("dispatchEvent(new Event('afterprint'))")
    assert len(browser.all("article > details[open]")) == 1

    # The copied text is the summary, as the command prints it.
    browser.run("navigator.clipboard.writeText = async (text) => { window.copied = text }")
    browser.one(".copy").click()
    assert browser.run("return window.copied").split("\n") == visible(browser)
    assert browser.announced() == "The summary was copied."


@pytest.mark.usefixtures("first")
def test_the_page_can_be_used_by_keyboard_alone(browser: Browser) -> None:
    skip = browser.press(Keys.TAB)
    assert skip.text == "Skip to the summary"
    assert browser.ask("boxOf", skip)[1] >= 0
    marks = browser.all(".timeline li:not([hidden]) a")
    assert browser.press(*[Keys.TAB] * len(marks)) == marks[-1]
    assert browser.press(Keys.TAB).text == "Copy"
    assert browser.press(Keys.TAB).get_property("type") == "range"
    link = browser.press(Keys.TAB)
    assert link.text == visible(browser)[0]
    assert [link.value_of_css_property(f"outline-{each}") for each in ("style", "width")] == ["solid", "2px"]
    assert browser.press(Keys.TAB).text.endswith("words Why?")
    browser.press(Keys.SPACE)
    assert "would be lost without it" in browser.one(".choice:not([hidden]) .why dl").text
    # After the link of the runner-up come the buttons.
    assert [browser.press(Keys.TAB).text for _ in range(3)][1:] == ["Pin", "Ban"]
    # Each document is one tab stop besides its heading, and arrow keys move within it.
    browser.ask("focusOn", "#c1-s0")
    assert browser.press(Keys.ARROW_RIGHT).get_property("id") == "c1-s1"
    assert browser.press(Keys.ARROW_DOWN, Keys.ARROW_LEFT).get_property("id") == "c1-s1"
    assert browser.ask("shows", ".card") == [True]
    stops = len(browser.all(".body .s[tabindex='0'], .body .s[href]"))
    assert stops < len(browser.all("article")) + len(browser.all(".body .chosen")) + 1


def test_several_clusters_have_links_between_them(
    browser: Browser, reports: list[ClusterReport], tmp_path: Path
) -> None:
    browser.complaints()
    show(browser, tmp_path, *reports)
    links = browser.all("nav[aria-label=Clusters] a")
    assert [link.text for link in links] == ["d90004t", "d90002t"]
    links[1].click()
    assert browser.ask("attributes", ":target", "id") == ["c2"]
    assert abs(browser.ask("boxOf", browser.one("#c2"))[1]) < 100
    browser.ask("focusOn", "#c2 input[type=range]")
    browser.press(Keys.HOME)
    expected = sentences_of(reports[0], 3) + sentences_of(reports[1], 0)
    assert visible(browser) == expected
    assert browser.ask("attributes", "#c2 .neighbours a", "href") == ["#c1"]
    # The page makes no requests and logs no errors.
    assert browser.complaints() == []
    assert browser.run("return performance.getEntriesByType('resource').length") == 0
    # Landmarks and controls have accessible names.
    nodes = [
        (node["role"]["value"], node.get("name", {}).get("value", ""))
        for node in browser.do("Accessibility.getFullAXTree")["nodes"]
        if not node.get("ignored") and "role" in node
    ]
    roles = [role for role, _ in nodes]
    assert roles.count("main") == 1
    assert {"banner", "contentinfo", "navigation", "region", "article", "slider", "status"} <= set(roles)
    named = ("link", "slider", "region", "navigation", "heading", "button")
    assert all(name.strip() for role, name in nodes if role in named)
    assert {("region", "Summary"), ("region", "d90004t")} <= set(nodes)
    check_contrast(browser)


def test_without_script_everything_but_the_slider_works(
    browser: Browser, reports: list[ClusterReport], tmp_path: Path
) -> None:
    browser.do("Emulation.setScriptExecutionDisabled", value=True)
    try:
        show(browser, tmp_path, first := reports[0])
        assert browser.ask("shows", "input[type=range]") == [False]
        expected = sentences_of(first, 3)
        assert visible(browser) == expected
        assert browser.texts(".body .chosen[href]") == expected
        browser.one(".choice:not([hidden]) .why summary").click()
        assert "would be lost without it" in browser.one(".choice:not([hidden]) .why dl").text
    finally:
        browser.do("Emulation.setScriptExecutionDisabled", value=False)


def test_hostile_text_is_harmless_in_the_browser(browser: Browser, tmp_path: Path) -> None:
    browser.complaints()
    show(browser, tmp_path, made_of(HOSTILE), made_of(HOSTILE[::-1], (), budget=30))
    browser.point_at(browser.one("#c1 .body .s"))
    browser.run("document.querySelectorAll('#c1 .s').forEach((s) => s.focus())")  # it shows the same card
    texts = "return [...document.querySelectorAll('#c1 .body .s')].map((each) => each.textContent)"
    assert browser.run(texts) == HOSTILE
    assert browser.run("return typeof window.hacked") == "undefined"
    assert [len(browser.all(name)) for name in ("img", "iframe", "script")] == [0, 0, 2]
    assert browser.complaints() == []
    # The content security policy is the second line of defence, should escaping ever fail.
    browser.ask("inject")
    assert browser.run("return typeof window.hacked") == "undefined"
    assert browser.ask("shows", "h1") == [True]
    assert len(browser.complaints()) >= 4


def check_contrast(browser: Browser) -> None:
    """Check that a page of two clusters has enough contrast and fits the screen."""
    browser.ask("openAll")
    for button in (".ban", ".pin"):
        browser.one(f"#c1 .choice:not([hidden]) {button}").click()
    for size, dark, selector in ((PHONE, False, ".choice:not([hidden]) .s"), (DESKTOP, True, "#c2-s1")):
        browser.set_screen(size, dark=dark)
        browser.ask("focusOn", selector)
        worst, text = browser.ask("contrast")
        assert worst >= 4.5, (size, dark, text)
        paper = browser.run("return getComputedStyle(document.documentElement).backgroundColor")
        red = int(paper.split("(")[1].split(",")[0])
        assert red < 64 if dark else red > 224
        assert browser.run("return document.documentElement.scrollWidth") <= size[0]
        side, documents = (browser.one(name).rect["x"] for name in (".side", ".documents"))
        assert (side == documents) == (size == PHONE)


def test_a_slider_with_many_lengths_fits_the_screen(browser: Browser, tmp_path: Path) -> None:
    configs = [Config().with_settings({**BY_COVERAGE, "budget": k}) for k in range(3, 93, 3)]
    cluster = cluster_of_texts([" ".join(f"Dam{i} broke up{i}." for i in range(30))])
    first, *others = (each for each in summarize([cluster], *configs) if isinstance(each, Run))
    show(browser, tmp_path, report_of(first, others), size=PHONE)
    assert len(browser.all(".budget li")) == 30
    for k in (0, 14):
        browser.ask("slide", k)
        assert browser.texts(".budget li") == [f"{3 * (k + 1)}"]
        assert browser.one(".budget input").rect["width"] < PHONE[0]
        assert browser.run("return document.documentElement.scrollWidth") <= PHONE[0]


def test_arrow_keys_follow_right_to_left_text(browser: Browser, tmp_path: Path) -> None:
    text = "انهار السد عند الفجر. ارتفعت المياه في المدينة. لم يصب أحد."
    show(browser, tmp_path, report_for(cluster_of_texts([text], language="ar"), (), budget=6))
    assert browser.one(".body").value_of_css_property("direction") == "rtl"
    browser.ask("focusOn", "#c1-s0")
    assert browser.press(Keys.ARROW_LEFT).get_property("id") == "c1-s1"
    assert browser.press(Keys.ARROW_RIGHT).get_property("id") == "c1-s0"
