// What test_page.py asks a page. These functions stand before each script that a test runs.

const all = (selector) => [...document.querySelectorAll(selector)];
const isVisible = (element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
const visibleTexts = (selector) => all(selector).filter(isVisible).map((element) => element.innerText);
const shows = (...selectors) => selectors.map((selector) => isVisible(document.querySelector(selector)));
const attributes = (selector, name) => all(selector).map((element) => element.getAttribute(name));
const papers = (selector) => all(selector).map((element) => getComputedStyle(element).backgroundColor);

const boxOf = (element) => {
  const { left, top, right, bottom } = element.getBoundingClientRect();
  return [left, top, right, bottom];
};

const focusOn = (selector) => document.querySelector(selector).focus();

// Go to an anchor of the page, and wait until the page has handled it.
const goTo = (name, handled) => {
  addEventListener("hashchange", () => handled(), { once: true });
  location.hash = name;
};

// Move the slider to the summary with index k.
const slide = (k) => {
  const slider = document.querySelector("input[type=range]");
  slider.value = k;
  slider.dispatchEvent(new Event("input", { bubbles: true }));
};

// What the card says about each sentence, given by the id of an element.
const verdicts = (ids) => ids.map((id) => {
  document.getElementById(id).focus();
  return document.querySelector(".verdict").textContent;
});

// The text of each mark on the strip of time, and where it stands.
const marks = () => all(".timeline li:not([hidden])")
  .map((item) => [item.innerText.replace(/\s+/g, " ").trim(), item.getBoundingClientRect().left]);

// The reading price of each summary, given by the indices of its candidates.
const prices = (several) => several.map((chosen) => clusters[0].problem().price(chosen));

// The sentences of the page's own summary, its length and its value: the covered weight minus the reading price.
// Then the covered weight and the value of another summary, given by the indices of its sentences.
const values = (chosen) => {
  const problem = clusters[0].problem();
  const own = clusters[0].solved();
  const value = (draft) => draft.value - own.value * problem.price(draft.sorted());
  const other = new Draft(problem, chosen.map((index) => problem.ids.indexOf(index)));
  return [own.sorted().map((i) => problem.ids[i]), own.spent, value(own), other.value, value(other)];
};

// Put into the page what only a document with markup that was not escaped could put there.
const inject = () => {
  const added = { script: "window.hacked = 1", style: "body { display: none }", b: "", img: "" };
  for (const [name, text] of Object.entries(added)) {
    const element = document.createElement(name);
    element.textContent = text;
    if (name === "b") element.setAttribute("onclick", "window.hacked = 1");
    if (name === "img") element.src = "data:image/gif;base64,R0lGODlhAQABAAAAACw=";
    document.body.append(element);
    element.click();
  }
};

const openAll = () => all("details").forEach((details) => { details.open = true; });

// The lowest contrast of all visible text, with that text (WCAG 2.2, relative luminance and 1.4.3).
const contrast = () => {
  const parse = (colour) => colour.match(/[\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((v) => v / 255)
    .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const colour = parse(getComputedStyle(e).backgroundColor);
      if (colour.length < 4 || colour[3] > 0.99) return colour;
    }
    return [255, 255, 255];
  };
  let worst = [99, ""];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !element.checkVisibility()) continue;
    const [a, b] = [light(parse(getComputedStyle(element).color)), light(behind(element))];
    const found = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (found < worst[0]) worst = [found, walker.currentNode.data];
  }
  return worst;
};
