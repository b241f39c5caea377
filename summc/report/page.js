"use strict";

// The page is whole without this: here only the slider, and what a sentence covers when one points at it.

const MOST_WORDS = 30;

document.documentElement.classList.add("js");

const make = (name, className, text) => {
  const element = document.createElement(name);
  element.className = className;
  element.textContent = text;
  return element;
};
const shown = (value) => {
  const digits = value.toPrecision(3);
  return digits.includes("e") ? value.toFixed(value < 1 ? 4 : 0) : digits;
};

class Cluster {
  constructor(section, data) {
    this.section = section;
    this.data = data;
    this.sentences = new Map(); // index -> its element in the documents
    for (const element of section.querySelectorAll(".body .s")) this.sentences.set(+element.dataset.s, element);
    this.card = section.querySelector(".card");
    this.told = section.querySelector(".told");
    this.slider = section.querySelector(".budget input");
    section.querySelector(".hint").hidden = false;
    this.k = data.asked;
    this.function = new Set(data.function);
    this.listen();
    this.choose(data.asked, false);
  }

  listen() {
    if (this.slider) {
      this.slider.closest(".budget").hidden = false;
      this.slider.value = this.data.asked;
      this.slider.addEventListener("input", () => this.choose(+this.slider.value, true));
    }
    const sentence = (event) => event.target.closest?.(".s");
    this.section.addEventListener("pointerover", (event) => {
      const element = sentence(event);
      if (event.pointerType !== "touch" && element && element !== this.shown) this.show(element, false);
    });
    this.section.addEventListener("pointerout", (event) => {
      const to = event.relatedTarget?.closest?.(".s");
      if (event.pointerType === "touch" || !sentence(event) || to) return;
      const focused = document.activeElement?.closest?.(".s");
      if (focused && this.section.contains(focused)) this.show(focused, false);
      else this.clear();
    });
    this.section.addEventListener("focusin", (event) => sentence(event) && this.show(sentence(event), true));
    this.section.addEventListener("focusout", (event) => sentence(event) && this.clear());
    this.section.addEventListener("click", (event) => {
      const element = sentence(event);
      if (element && !element.hasAttribute("href")) element.focus({ preventScroll: true });
    });
    this.section.addEventListener("keydown", (event) => this.step(event));
  }

  // Arrow keys go from sentence to sentence of a document, so that Tab need not stop at each.
  step(event) {
    const element = event.target.closest?.(".body .s");
    if (event.key === "Escape") this.clear();
    if (!element || event.altKey || event.ctrlKey || event.metaKey) return;
    const back = getComputedStyle(element).direction === "rtl" ? "ArrowRight" : "ArrowLeft";
    const forward = back === "ArrowLeft" ? "ArrowRight" : "ArrowLeft";
    const by = { [forward]: 1, ArrowDown: 1, [back]: -1, ArrowUp: -1 }[event.key];
    const next = by && this.sentences.get(+element.dataset.s + by);
    if (!next) return;
    event.preventDefault();
    next.focus({ preventScroll: true });
    next.scrollIntoView({ block: "nearest" });
  }

  choose(k, tell) {
    const choice = this.data.choices[k];
    this.k = k;
    // What each candidate covers by itself, and what it adds, or would add, to the others in the summary.
    this.figures = new Map(this.data.candidates[choice.candidates].map((index, i) => [index, choice.figures[i]]));
    this.clear();
    for (const element of this.section.querySelectorAll(".choice")) element.hidden = +element.dataset.k !== k;
    const numbers = new Map(choice.chosen.map((index, i) => [index, i + 1]));
    let body = null;
    for (const [index, element] of this.sentences) {
      const number = numbers.get(index);
      element.classList.toggle("chosen", number !== undefined);
      // In each document Tab stops at the first sentence, and at those of the summary.
      const first = element.closest(".body") !== body;
      body = element.closest(".body");
      if (number === undefined) {
        element.removeAttribute("href");
        element.removeAttribute("data-n");
        element.tabIndex = first ? 0 : -1;
      } else {
        element.href = `#${this.section.id}-k${k}-s${index}`;
        element.dataset.n = number;
        element.removeAttribute("tabindex");
      }
    }
    this.count = new Map();
    for (const index of choice.chosen) {
      for (const word of this.wordsOf(index)) this.count.set(word, (this.count.get(word) ?? 0) + 1);
    }
    this.chosen = numbers;
    if (this.slider) {
      this.slider.value = k;
      this.slider.setAttribute("aria-valuetext", `${choice.budget} ${choice.unit}`);
      this.section.querySelectorAll(".budget li").forEach((item, i) => item.classList.toggle("now", i === k));
    }
    if (tell) this.told.textContent = choice.told;
  }

  wordsOf(index) {
    return this.data.held[index];
  }

  show(element, tell) {
    this.clear();
    this.shown = element;
    const index = +element.dataset.s;
    const number = this.chosen.get(index);
    const most = number === undefined ? 0 : 1;
    const words = [...this.wordsOf(index)].sort((a, b) => this.data.words[b][1] - this.data.words[a][1]);
    const own = new Set(words.filter((word) => (this.count.get(word) ?? 0) <= most));
    const [total, gain] = this.figures.get(index) ?? [];
    const choice = this.data.choices[this.k];
    const price = `It takes ${this.data.costs[index]} ${choice.unit}, with ${choice.room} of ${choice.budget} left.`;
    const verdict = total === undefined
      ? "Not in the summary: no candidate for it."
      : number === undefined
      ? `Not in the summary: it would add ${shown(gain)} of its weight of ${shown(total)}. ${price}`
      : `Weight ${shown(total)}; ${shown(gain)} would be lost without it.`;
    const title = number === undefined ? this.place(index) : `Sentence ${number} of the summary`;
    this.fill(title, verdict, words, own);
    // On the other side of what one points at, so as not to cover it.
    this.card.classList.toggle("opposite", element.closest(".summary") !== null);
    this.mark(index, words, own);
    if (tell) {
      const names = this.worthShowing([...own]).slice(0, 8).map((word) => this.data.words[word][0]).join(", ");
      const verb = number === undefined ? "It would add" : "It alone covers";
      this.told.textContent = names ? `${verdict} ${verb}: ${names}` : verdict;
    }
  }

  place(index) {
    const article = this.sentences.get(index).closest("article");
    const before = [...article.querySelectorAll(".s")].indexOf(this.sentences.get(index));
    return `${article.querySelector("h3, h4").textContent}, sentence ${before + 1}`;
  }

  // Without function words, where there are others.
  worthShowing(words) {
    const others = words.filter((word) => !this.function.has(word));
    return others.length ? others : words;
  }

  fill(title, verdict, words, own) {
    const list = document.createElement("ul");
    list.dir = this.section.querySelector(".sentences").dir;
    const ordered = [...words.filter((word) => own.has(word)), ...words.filter((word) => !own.has(word))];
    const listed = this.worthShowing(ordered).slice(0, MOST_WORDS);
    for (const word of listed) {
      list.append(make("li", own.has(word) ? "alone" : "shared", this.data.words[word][0]));
    }
    const more = ordered.length - listed.length;
    if (more) list.append(make("li", "more", `and ${more} more`));
    this.card.replaceChildren(make("p", "title", title), make("p", "verdict", verdict), list);
    this.card.hidden = false;
  }

  // The words of the sentence, where it stands and wherever the summary has them.
  mark(index, words, own) {
    const places = [this.sentences.get(index), ...this.section.querySelectorAll(".choice:not([hidden]) .s")];
    const held = new Set(words);
    for (const place of places) {
      place.classList.toggle("active", +place.dataset.s === index);
      for (const element of place.querySelectorAll(".w")) {
        const word = +element.dataset.w;
        if (held.has(word)) element.classList.add(own.has(word) ? "alone" : "shared");
      }
    }
  }

  clear() {
    for (const element of this.section.querySelectorAll(".w.alone, .w.shared")) {
      element.classList.remove("alone", "shared");
    }
    for (const element of this.section.querySelectorAll(".s.active")) element.classList.remove("active");
    this.card.hidden = true;
    this.shown = null;
  }
}

const all = JSON.parse(document.getElementById("data").textContent);
const clusters = all.map((data, i) => new Cluster(document.getElementById(`c${i + 1}`), data));

// A link into a summary of another length brings that one up.
const follow = () => {
  const choice = document.getElementById(location.hash.slice(1))?.closest(".choice");
  if (!choice || !choice.hidden) return;
  clusters.find((cluster) => cluster.section.contains(choice)).choose(+choice.dataset.k, true);
  document.getElementById(location.hash.slice(1)).scrollIntoView();
};
addEventListener("hashchange", follow);
follow();
