// The page is whole without this script. It adds the slider, what a sentence covers when one points at it, pinning
// and banning, questions, copying and folding.

const MOST_WORDS = 30;
const MOST_QUOTED = 60;
const MOST_ANSWERS = 5;

document.documentElement.classList.add("js");

const make = (name, className, text = "") => {
  const element = document.createElement(name);
  element.className = className;
  element.textContent = text;
  return element;
};
const button = (className, text, act, index) => {
  const element = make("button", className, text);
  element.type = "button";
  Object.assign(element.dataset, { act, s: index });
  return element;
};
const shown = (value) => {
  const digits = value.toPrecision(3);
  return digits.includes("e") ? value.toFixed(value < 1 ? 4 : 0) : digits;
};
// "deployed" and "deploys" are forms of a word: they begin alike and end in at most three other letters.
const areForms = (a, b) => {
  const same = Math.max(4, a.length - 3, b.length - 3);
  return a.slice(0, same) === b.slice(0, same);
};
const percent = (part, whole) => `${((100 * part) / whole).toFixed(1)}%`;
const amount = (number, unit) => `${number} ${number === 1 ? unit.replace(/s$/, "") : unit}`;
const run = (numbers) => {
  const isRun = numbers.length > 1 && numbers.at(-1) - numbers[0] === numbers.length - 1;
  return isRun ? `${numbers[0]}\u2013${numbers.at(-1)}` : numbers.join(", ");
};

class Cluster {
  constructor(section, data) {
    this.section = section;
    this.data = data;
    this.articles = [...section.querySelectorAll("article")];
    this.sentences = new Map(); // index -> its element in the documents
    this.documents = []; // of each sentence
    this.articles.forEach((article, number) => {
      for (const element of article.querySelectorAll(".s")) {
        this.sentences.set(+element.dataset.s, element);
        this.documents[+element.dataset.s] = number;
      }
    });
    // In the order of the cluster, which differs from that of the page where a date stands above a headline.
    this.sentences = new Map([...this.sentences].sort((a, b) => a[0] - b[0]));
    this.card = section.querySelector(".card");
    this.told = section.querySelector(".told");
    this.slider = section.querySelector(".budget input");
    this.own = section.querySelector(".own");
    section.querySelector(".hint").hidden = false;
    this.k = data.asked;
    this.function = new Set(data.function);
    this.required = new Set(data.required);
    this.pinned = new Set();
    this.banned = new Set();
    this.problems = new Map();
    this.bar = make("span", "tools bar");
    if (this.own) this.addTools();
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
      // The page may have moved under a pointer at rest, because the focus went to a sentence.
      const rests = this.pointer === `${event.screenX},${event.screenY}`;
      this.pointer = `${event.screenX},${event.screenY}`;
      if (event.pointerType !== "touch" && element && element !== this.shown && !rests) this.show(element, false);
    });
    this.section.addEventListener("pointerout", (event) => {
      const to = event.relatedTarget?.closest?.(".s");
      if (event.pointerType === "touch" || !sentence(event) || to) return;
      const focused = document.activeElement?.closest?.(".s");
      if (focused && this.section.contains(focused)) this.show(focused, false);
      else this.clear();
    });
    this.section.addEventListener("focusin", (event) => {
      const element = sentence(event);
      if (!element) return;
      this.show(element, true);
      this.offer(element);
      // Otherwise Tab would lead from here to the first sentence of the document in some browsers.
      if (element.tabIndex < 0) {
        element.tabIndex = 0;
        element.addEventListener("focusout", () => { element.tabIndex = element.hasAttribute("href") ? 0 : -1; }, { once: true });
      }
    });
    this.section.addEventListener("focusout", (event) => {
      if (!sentence(event) && !this.bar.contains(event.target)) return;
      this.clear();
      if (!this.bar.contains(event.relatedTarget) && !event.relatedTarget?.closest?.(".s")) this.bar.remove();
    });
    this.section.addEventListener("click", (event) => {
      const pressed = event.target.closest?.("button[data-act]");
      if (pressed) this.act(pressed.dataset.act, +pressed.dataset.s, this.bar.contains(pressed));
      const element = sentence(event);
      if (element && !element.hasAttribute("href")) {
        event.preventDefault(); // a headline is within the control that folds its document
        element.focus({ preventScroll: true });
      }
    });
    this.section.addEventListener("keydown", (event) => this.step(event));
    // A click on one of the buttons behind a sentence must not take the focus from it: then they would go away.
    this.bar.addEventListener("mousedown", (event) => event.preventDefault());
    this.section.querySelector(".undo")?.addEventListener("click", () => this.act("undo all", -1, false));
    const copy = this.section.querySelector(".copy");
    copy.hidden = false;
    copy.addEventListener("click", () => this.copy(copy));
    const ask = this.section.querySelector(".ask");
    ask.hidden = false;
    ask.addEventListener("input", () => this.find(ask.elements.question.value));
    ask.addEventListener("submit", (event) => {
      event.preventDefault();
      this.nextAnswer();
    });
    const fold = this.section.querySelector(".fold");
    if (fold) {
      fold.hidden = false;
      fold.addEventListener("click", () => {
        const open = fold.textContent !== "Fold all";
        for (const article of this.articles) article.firstElementChild.open = open;
        fold.textContent = open ? "Fold all" : "Unfold all";
      });
    }
  }

  // Arrow keys go from sentence to sentence of a document, so that Tab need not stop at each.
  step(event) {
    const element = event.target.closest?.("article .s");
    if (event.key === "Escape") {
      this.clear();
      this.bar.remove();
    }
    if (!element || event.altKey || event.ctrlKey || event.metaKey) return;
    const back = getComputedStyle(element).direction === "rtl" ? "ArrowRight" : "ArrowLeft";
    const forward = back === "ArrowLeft" ? "ArrowRight" : "ArrowLeft";
    const by = { [forward]: 1, ArrowDown: 1, [back]: -1, ArrowUp: -1 }[event.key];
    const next = by && this.sentences.get(+element.dataset.s + by);
    if (!next) return;
    event.preventDefault();
    next.closest("details").open = true;
    next.focus({ preventScroll: true });
    next.scrollIntoView({ block: "nearest" });
  }

  // Show the summary of a length: that of the command, or if sentences are pinned or banned, a new one.
  choose(k, tell) {
    const choice = this.data.choices[k];
    this.k = k;
    this.clear();
    const draft = this.pinned.size || this.banned.size ? this.solved() : null;
    // What each candidate covers by itself, and what it adds, or would add, to the others in the summary.
    const figures = draft ? this.figuresOf(draft) : choice.figures;
    this.figures = new Map(this.candidates().map((index, i) => [index, figures[i]]));
    this.room = draft ? draft.room : choice.room;
    const chosen = draft ? draft.sorted().map((i) => this.candidates()[i]) : choice.chosen;
    for (const element of this.section.querySelectorAll(".choice")) {
      element.hidden = draft ? element !== this.own : element.dataset.k !== `${k}`;
    }
    if (draft) this.fillOwn(draft, chosen);
    this.mark(chosen, `#${this.section.id}-${draft ? "own" : `k${k}`}-s`);
    this.place(chosen);
    const share = draft ? percent(draft.value, this.data.problems[k].total) : choice.share;
    const now = draft ? `in ${draft.spent} of ${amount(choice.budget, choice.unit)}, ${share} of the weight covered` : choice.now;
    this.section.querySelector(".now").textContent = now;
    const listed = document.querySelector(`.contents a[href="#${this.section.id}"] + span .share`);
    if (listed) listed.textContent = share;
    if (this.slider) {
      this.slider.value = k;
      this.slider.setAttribute("aria-valuetext", `${choice.budget} ${choice.unit}`);
      this.section.querySelectorAll(".budget li").forEach((item, i) => item.classList.toggle("now", i === k));
    }
    const sentences = amount(chosen.length, "sentences");
    if (tell) this.told.textContent = draft ? `Solved again: ${sentences}, ${now}` : choice.told;
  }

  candidates() {
    return this.data.choices[this.k].candidates;
  }

  // Mark the sentences of a summary in the documents. to: the link to each, without its index.
  mark(chosen, to) {
    const numbers = new Map(chosen.map((index, i) => [index, i + 1]));
    let article = null;
    for (const [index, element] of this.sentences) {
      const number = numbers.get(index);
      element.classList.toggle("chosen", number !== undefined);
      element.classList.toggle("pinned", this.pinned.has(index));
      element.classList.toggle("banned", this.banned.has(index));
      // In each document Tab stops at the first sentence, and at those of the summary.
      const first = element.closest("article") !== article;
      article = element.closest("article");
      if (number === undefined) {
        element.removeAttribute("href");
        element.removeAttribute("data-n");
        element.tabIndex = first ? 0 : -1;
      } else {
        element.href = `${to}${index}`;
        element.dataset.n = number;
        element.removeAttribute("tabindex");
      }
    }
    this.count = new Map();
    for (const index of chosen) {
      for (const word of this.data.held[index]) this.count.set(word, (this.count.get(word) ?? 0) + 1);
    }
    this.chosen = numbers;
  }

  // Put the sentences of a summary on the strip of time, and their numbers into the contents.
  place(chosen) {
    const days = new Map();
    const documents = new Map();
    chosen.forEach((index, i) => {
      const day = this.data.days[this.documents[index]];
      days.set(day, [...(days.get(day) ?? []), [i + 1, index]]);
      documents.set(this.documents[index], [...(documents.get(this.documents[index]) ?? []), i + 1]);
    });
    this.section.querySelectorAll(".timeline li").forEach((item, day) => {
      const found = days.get(day);
      item.hidden = !found;
      if (!found) return;
      item.querySelector("a").href = `#${this.section.id}-s${found[0][1]}`;
      item.querySelector("b").textContent = run(found.map(([number]) => number));
    });
    this.section.querySelectorAll(".list li b").forEach((item, number) => {
      item.hidden = !documents.has(number);
      item.textContent = run(documents.get(number) ?? []);
    });
  }

  // Pinning and banning

  problem() {
    const { data, k } = this;
    if (!this.problems.has(k)) {
      const { setting, ...amounts } = data.problems[k];
      const ids = this.candidates();
      this.problems.set(k, new Problem({
        ...amounts,
        ...data.settings[setting],
        few: data.few,
        budget: data.choices[k].budget,
        costs: ids.map((index) => data.costs[index]),
        ids,
        documents: ids.map((index) => this.documents[index]),
      }));
    }
    return this.problems.get(k);
  }

  // The best summary with what is pinned and banned. If what is pinned is too long, there is nothing else in it.
  solved() {
    const problem = this.problem();
    const at = new Map(problem.ids.map((index, i) => [index, i]));
    const numbers = (indices) => [...indices].map((index) => at.get(index)).filter((i) => i !== undefined);
    const pinned = numbers(new Set([...this.required, ...this.pinned]));
    const fixed = new Draft(problem, pinned);
    if (fixed.room < 0) return fixed;
    return new Search(problem, pinned, numbers(this.banned)).solve(numbers(this.data.choices[this.k].chosen));
  }

  figuresOf(draft) {
    return draft.problem.costs.map((_, i) => [
      new Draft(draft.problem, [i]).value,
      draft.chosen.has(i) ? draft.loss(i) : draft.gain(i),
    ]);
  }

  fillOwn(draft, chosen) {
    const choice = this.data.choices[this.k];
    const { covered, total, setting } = this.data.problems[this.k];
    const width = (name, value) => this.own.querySelector(name).setAttribute("width", ((100 * value) / total).toFixed(3));
    width(".covered", draft.value);
    width(".bound", Math.max(covered, draft.value));
    this.own.querySelector("strong").textContent = percent(draft.value, total);
    const counts = this.data.settings[setting].reading ? "coverage and easy reading as the command does" : "coverage alone";
    this.own.querySelector("figcaption span").textContent = draft.room < 0
      ? ". The pinned sentences are longer than this length; choose a greater one."
      : `, where it was ${percent(covered, total)} without your changes. Found by a quick search in this page, which weighs ${counts}.`;
    this.own.querySelector(".sentences").replaceChildren(...chosen.map((index) => this.item(index)));
    this.own.querySelector(".rest").textContent = `${draft.spent} of ${amount(choice.budget, choice.unit)}.`;
  }

  item(index) {
    const item = document.createElement("li");
    const link = make("a", "s");
    link.id = `${this.section.id}-own-s${index}`;
    link.href = `#${this.section.id}-s${index}`;
    link.dataset.s = index;
    link.append(...this.sentences.get(index).cloneNode(true).childNodes);
    const source = make("p", "why", `${this.source(index)}, ${amount(this.data.costs[index], this.data.choices[this.k].unit)}`);
    source.lang = "en";
    source.dir = "ltr";
    item.append(link, source, this.tools(index));
    return item;
  }

  addTools() {
    for (const link of this.section.querySelectorAll(".choice .sentences .s")) {
      link.closest("li").append(this.tools(+link.dataset.s));
    }
  }

  // The buttons of a sentence.
  tools(index) {
    const tools = make("p", "tools");
    tools.lang = "en";
    tools.dir = "ltr";
    this.fillTools(tools, index);
    return tools;
  }

  // Make the buttons of a sentence, or if they are there, show what is pressed.
  fillTools(tools, index) {
    if (this.required.has(index)) {
      tools.replaceChildren(make("span", "", "Required"));
      return;
    }
    if (tools.firstElementChild?.dataset.s !== `${index}`) {
      tools.replaceChildren(button("pin", "", "pin", index), button("ban", "", "ban", index));
    }
    const states = [["Pin", "keep", this.pinned], ["Ban", "leave out", this.banned]];
    states.forEach(([name, what, held], i) => {
      const element = tools.children[i];
      element.textContent = held.has(index) ? `${name}ned` : name;
      element.setAttribute("aria-pressed", held.has(index));
      element.setAttribute("aria-label", `${element.textContent}: ${what} \u201c${this.quoted(index)}\u201d`);
    });
  }

  // Offer the buttons for a sentence of a document, behind it, so that Tab leads to them.
  offer(element) {
    const index = +element.dataset.s;
    const isSmall = this.figures.has(index) && this.data.costs[index] <= this.data.choices[this.k].budget;
    const isOffered = isSmall || this.banned.has(index) || this.pinned.has(index);
    this.bar.remove();
    if (!this.own || !element.closest(".body") || !isOffered) return;
    this.bar.lang = "en";
    this.bar.dir = "ltr";
    this.fillTools(this.bar, index);
    element.after(this.bar);
    // On a phone the card is at the bottom of the screen, and may cover the buttons.
    const [bar, card] = [this.bar, this.card].map((each) => each.getBoundingClientRect());
    if (card.left < bar.right && bar.left < card.right && bar.bottom > card.top) scrollBy(0, bar.bottom - card.top + 8);
  }

  // Pin or ban a sentence, or undo that. inBar: whether the button stands behind a sentence of a document.
  act(act, index, inBar) {
    const held = { pin: this.pinned, ban: this.banned }[act];
    const other = { pin: this.banned, ban: this.pinned }[act];
    const focused = document.activeElement;
    if (act === "undo all") [this.pinned, this.banned].forEach((each) => each.clear());
    if (act === "undo") [this.pinned, this.banned].forEach((each) => each.delete(index));
    if (held) {
      if (!held.delete(index)) held.add(index);
      other.delete(index);
    }
    const hadFocus = this.bar.contains(focused);
    this.choose(this.k, true);
    this.listChanges();
    if (inBar) this.fillTools(this.bar, index);
    // The pressed button was replaced: its successor gets the focus.
    if (hadFocus) this.bar.querySelector(`[data-act="${act}"]`).focus({ preventScroll: true });
    else if (!inBar) this.heirOf(act, index)?.focus({ preventScroll: true });
  }

  // The element that takes the focus after a button was pressed in the summary or in the list of changes.
  heirOf(act, index) {
    return this.section.querySelector(`.choice:not([hidden]) .tools [data-act="${act}"][data-s="${index}"]`)
      ?? this.section.querySelector(`.changes [data-s="${index}"]`)
      ?? this.section.querySelector(".changes:not([hidden]) .undo")
      ?? this.section.querySelector(".choice:not([hidden]) .sentences .s");
  }

  listChanges() {
    const box = this.section.querySelector(".changes");
    const entries = [...[...this.pinned].map((i) => ["Pinned", i]), ...[...this.banned].map((i) => ["Banned", i])];
    box.hidden = !entries.length;
    box.querySelector("ul").replaceChildren(...entries.map(([what, index]) => {
      const item = make("li", "", `${what}: `);
      const link = make("a", "", `\u201c${this.quoted(index)}\u201d`);
      link.href = `#${this.section.id}-s${index}`;
      const undo = button("undo-one", "Undo", "undo", index);
      undo.setAttribute("aria-label", `Undo: ${what.toLowerCase()} \u201c${this.quoted(index)}\u201d`);
      item.append(link, " ", undo);
      return item;
    }));
  }

  quoted(index) {
    const text = this.sentences.get(index).textContent.trim();
    const end = text.lastIndexOf(" ", MOST_QUOTED);
    return text.length <= MOST_QUOTED ? text : `${text.slice(0, end > 0 ? end : MOST_QUOTED)}\u2026`;
  }

  async copy(control) {
    const parts = this.section.querySelectorAll(".choice:not([hidden]) .sentences :is(.s, .cut)");
    const text = [...parts].map((each) => each.textContent).join("\n");
    let done = true;
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // Older browsers, and pages opened from a file in some others.
      const area = make("textarea", "told", "");
      area.value = text;
      document.body.append(area);
      area.select();
      done = document.execCommand("copy");
      area.remove();
      control.focus();
    }
    control.textContent = done ? "Copied" : "Not copied";
    this.told.textContent = done ? "The summary was copied." : "The browser does not allow copying.";
    setTimeout(() => { control.textContent = "Copy"; }, 2000);
  }

  // Questions, by their words

  wordsOf(text) {
    this.segmenter ??= new Intl.Segmenter(this.articles[0].lang || "en", { granularity: "word" });
    const parts = [...this.segmenter.segment(text.toLowerCase())].filter((part) => part.isWordLike);
    return new Set(parts.map((part) => part.segment));
  }

  // The sentences that have each word of the documents.
  index() {
    const holders = new Map();
    for (const [index, element] of this.sentences) {
      for (const word of this.wordsOf(element.textContent)) {
        if (!holders.has(word)) holders.set(word, []);
        holders.get(word).push(index);
      }
    }
    return holders;
  }

  // Mark the sentences with the most of a question's words. A word counts more the fewer sentences have it.
  find(question) {
    this.holders ??= this.index();
    const scores = new Map();
    for (const asked of this.wordsOf(question)) {
      const forms = [...this.holders.keys()].filter((word) => areForms(word, asked));
      const sentences = new Set(forms.flatMap((word) => this.holders.get(word)));
      const worth = Math.log(this.sentences.size / sentences.size);
      if (worth <= Math.LN2) continue; // half of the sentences have it
      for (const index of sentences) scores.set(index, (scores.get(index) ?? 0) + worth);
    }
    for (const index of this.answers ?? []) this.sentences.get(index).classList.remove("answer");
    this.answers = [...scores].sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, MOST_ANSWERS).map(([index]) => index);
    for (const index of this.answers) this.sentences.get(index).classList.add("answer");
    this.next = 0;
    const found = this.answers.length ? `${amount(this.answers.length, "sentences")} marked; Enter goes to the best` : "No sentence has these words";
    this.section.querySelector(".ask output").textContent = question.trim() ? found : "";
  }

  // Go to the best sentence for the question, and at the next call to the second best.
  nextAnswer() {
    if (!this.answers?.length) return;
    const element = this.sentences.get(this.answers[this.next]);
    this.next = (this.next + 1) % this.answers.length;
    element.closest("details").open = true;
    element.scrollIntoView({ block: "center" });
    this.show(element, true);
  }

  // What a sentence covers

  show(element, tell) {
    this.clear();
    this.shown = element;
    const index = +element.dataset.s;
    const number = this.chosen.get(index);
    const most = number === undefined ? 0 : 1;
    const words = [...this.data.held[index]].sort((a, b) => this.data.words[b][1] - this.data.words[a][1]);
    const own = new Set(words.filter((word) => (this.count.get(word) ?? 0) <= most));
    const [total, gain] = this.figures.get(index) ?? [];
    const choice = this.data.choices[this.k];
    const price = `It takes ${this.data.costs[index]} ${choice.unit}, with ${this.room} of ${choice.budget} left.`;
    const verdict = total === undefined
      ? "Not in the summary: no candidate for it."
      : number === undefined
      ? `Not in the summary: it would add ${shown(gain)} of its weight of ${shown(total)}. ${price}`
      : `Weight ${shown(total)}; ${shown(gain)} would be lost without it.`;
    const title = number === undefined ? this.source(index) : `Sentence ${number} of the summary`;
    this.fill(title, verdict, words, own);
    // On the other side of what one points at, so as not to cover it.
    this.card.classList.toggle("opposite", element.closest(".summary") !== null);
    this.light(index, words, own);
    if (tell) {
      const names = this.worthShowing([...own]).slice(0, 8).map((word) => this.data.words[word][0]).join(", ");
      const verb = number === undefined ? "It would add" : "It alone covers";
      this.told.textContent = names ? `${verdict} ${verb}: ${names}` : verdict;
    }
  }

  source(index) {
    const article = this.articles[this.documents[index]];
    const all = this.documents.filter((number) => number === this.documents[index]).length;
    const before = index - this.documents.indexOf(this.documents[index]);
    const headline = article.querySelector(".title .s") ?? article.querySelector(".title bdi, .from bdi");
    const date = article.querySelector("time");
    const document_ = this.articles.length > 1 ? [headline.textContent] : [];
    return [...document_, ...(date ? [date.textContent] : []), `sentence ${before + 1} of ${all}`].join(", ");
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

  // Light up the words of the sentence, where it stands and wherever the summary has them.
  light(index, words, own) {
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

// A link into a folded document unfolds it. A link into a summary of another length brings that one up.
const follow = () => {
  const target = document.getElementById(location.hash.slice(1));
  const folded = target?.closest("article")?.firstElementChild;
  if (folded && !folded.open) {
    folded.open = true;
    target.scrollIntoView();
  }
  const choice = target?.closest(".choice[data-k]");
  if (!choice || !choice.hidden) return;
  clusters.find((cluster) => cluster.section.contains(choice)).choose(+choice.dataset.k, true);
  target.scrollIntoView();
};
addEventListener("hashchange", follow);
// The address does not change if the reader follows the same link again.
document.addEventListener("click", (event) => {
  if (event.target.closest?.("a[href]")?.hash === location.hash) follow();
});
follow();

// On paper every document is there in full.
let folded = [];
addEventListener("beforeprint", () => {
  folded = [...document.querySelectorAll("article > details:not([open])")];
  for (const each of folded) each.open = true;
});
addEventListener("afterprint", () => {
  for (const each of folded) each.open = false;
});
