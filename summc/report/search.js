"use strict";

// The search for the best summary with some sentences pinned and others banned. It runs on the problem that the
// page carries. Sentences are candidates of the problem, given by index. The best summary is the one with the
// largest covered weight, minus the price of what makes it hard to read. Without random numbers and clocks, the
// answer is always the same.

// An improvement must be larger than this, which is more than a rounding error.
const LEAST_GAIN = 1e-9;
// Summaries of more sentences are searched with single exchanges.
const MANY = 15;
const MOST_STEPS = 40;
// The search begins with each of this many first sentences.
const SEEDS = 6;

class Problem {
  // costs, own: one number for each sentence. held: its words. levels: the weights of the occurrences of a word.
  // reading: the prices, or null. kind, opening: the price of each sentence for its kind, and as the first.
  // ids: its index in the cluster. documents: its document. few: after a removal, FEW_FIRSTS sentences are tried as
  // the first to add, and for each of these, FEW_SECONDS as the second. Two sentences are removed together only if at
  // most FEW_MEMBERS may be.
  constructor({ budget, costs, own, held, levels, reading, kind, opening, ids, documents, few }) {
    Object.assign(this, { budget, costs, own, reading, kind, opening, ids, documents, few });
    // The words of all sentences one after another, each once, with its count. Those of sentence i begin at start[i].
    const words = held.map((each) => [...new Set(each)]);
    this.start = words.reduce((starts, each) => [...starts, starts.at(-1) + each.length], [0]);
    this.word = Int32Array.from(words.flat());
    this.count = Int32Array.from(words.flatMap((own, i) => own.map((a) => held[i].filter((b) => a === b).length)));
    // What n occurrences of a word are worth together, for n from 0 to the last that is worth something. The
    // values of word a begin at at[a].
    const curves = levels.map((weights) => weights.reduce((sums, weight) => [...sums, sums.at(-1) + weight], [0]));
    this.at = curves.reduce((starts, each) => [...starts, starts.at(-1) + each.length], [0]);
    this.worth = Float64Array.from(curves.flat());
    if (reading) {
      this.introduced = reading.introduced.map((sentences) => new Set(sentences));
      this.restated = costs.map(() => new Map());
      for (const [i, j, price] of reading.restated) this.restated[i].set(j, price);
    }
  }

  // The price of a summary as a share of the best coverage. chosen: its sentences in ascending order.
  price(chosen) {
    const reading = this.reading;
    if (!reading || !chosen.length) return 0;
    let scaled = 0;
    let kinds = 0;
    let opening = 0;
    const leavesOut = new Set(chosen.map((i) => reading.part[i])).size < reading.parts;
    chosen.forEach((i, place) => {
      scaled += reading.alone[i];
      if (!chosen.some((j) => this.ids[j] === this.ids[i] + 1)) scaled += reading.hanging[i];
      kinds += this.kind[i];
      const before = chosen.slice(0, place);
      const follows = place > 0 && this.ids[before.at(-1)] === this.ids[i] - 1
        && this.documents[before.at(-1)] === this.documents[i];
      const missing = follows
        ? []
        : reading.needs[i].filter((need) => !before.some((j) => this.introduced[need].has(j)));
      for (const need of missing.slice(0, reading.most_needs)) {
        scaled += (reading.lead_ins.includes(need) ? reading.lead_in : reading.introduction)[i];
      }
      if (place === 0) opening = this.opening[i] + (missing.length ? reading.bare : reading.lead[i]);
      if (!follows) scaled += (place === 0 ? reading.short_opening : reading.apart)[i];
      if (leavesOut && before.some((j) => reading.part[j] === reading.part[i])) scaled += reading.crowded[i];
      for (const j of before) scaled += this.restated[i].get(j) ?? 0;
    });
    const told = new Set(chosen.map((i) => reading.stage[i])).size;
    const missed = reading.stage.length ? (reading.stages - told) * reading.missed_stage : 0;
    return reading.factor * (scaled / this.budget + kinds + opening + missed);
  }
}

// A set of chosen sentences, with the weight that it covers.
class Draft {
  constructor(problem, chosen = []) {
    this.problem = problem;
    this.chosen = new Set();
    this.count = new Int32Array(problem.at.length - 1);
    this.spent = 0;
    this.value = 0;
    for (const i of chosen) this.add(i);
  }

  get room() {
    return this.problem.budget - this.spent;
  }

  // The weight that a sentence would add.
  gain(i) {
    const { start, word, count, at, worth, own } = this.problem;
    let sum = own[i];
    for (let edge = start[i]; edge < start[i + 1]; edge += 1) {
      const a = word[edge];
      const last = at[a + 1] - 1;
      const now = at[a] + this.count[a];
      if (now < last) sum += worth[Math.min(now + count[edge], last)] - worth[now];
    }
    return sum;
  }

  // The weight that would be lost without a chosen sentence.
  loss(i) {
    this.remove(i);
    const lost = this.gain(i);
    this.add(i);
    return lost;
  }

  add(i) {
    this.value += this.gain(i);
    this.change(i, 1);
    this.chosen.add(i);
  }

  remove(i) {
    this.chosen.delete(i);
    this.change(i, -1);
    this.value -= this.gain(i);
  }

  change(i, sign) {
    const { start, word, count, costs } = this.problem;
    for (let edge = start[i]; edge < start[i + 1]; edge += 1) this.count[word[edge]] += sign * count[edge];
    this.spent += sign * costs[i];
  }

  sorted() {
    return [...this.chosen].sort((a, b) => a - b);
  }
}

class Search {
  constructor(problem, pinned, banned) {
    this.problem = problem;
    this.pinned = new Set(pinned);
    this.open = [...problem.costs.keys()].filter((i) => !banned.includes(i) && !this.pinned.has(i));
  }

  fitting(draft) {
    return this.open.filter((i) => !draft.chosen.has(i) && this.problem.costs[i] <= draft.room);
  }

  // The most valuable of some sentences, best first, without those that add nothing. worth: their values.
  best(sentences, worth, most) {
    return sentences.map((i) => [worth(i), i]).filter(([value]) => value > LEAST_GAIN)
      .sort((a, b) => b[0] - a[0] || a[1] - b[1]).slice(0, most);
  }

  // The sentences that fit, those that add the most weight per cost first.
  densest(draft, most) {
    return this.best(this.fitting(draft), (i) => draft.gain(i) / Math.max(this.problem.costs[i], 1e-9), most);
  }

  // Add the densest sentence to a draft until none fits.
  fill(draft) {
    for (;;) {
      const [first] = this.densest(draft, 1);
      if (!first) return draft;
      draft.add(first[1]);
    }
  }

  // Make the best exchange until none improves the draft. value: what is maximized, at most the covered weight.
  climb(draft, value) {
    let current = value(draft);
    for (let step = 0; step < MOST_STEPS; step += 1) {
      let found = null;
      let most = current + LEAST_GAIN;
      this.exchanges(draft, (changed, out, into) => {
        if (changed.value <= most) return;
        const reached = value(changed);
        if (reached > most) [most, found] = [reached, [[...out], [...into]]];
      });
      if (!found) break;
      found[0].forEach((i) => draft.remove(i));
      found[1].forEach((i) => draft.add(i));
      current = value(draft);
    }
    return draft;
  }

  // Call visit with the draft after each exchange to try: up to two sentences out, up to two in.
  exchanges(draft, visit) {
    const members = draft.sorted().filter((i) => !this.pinned.has(i));
    const outs = [[], ...members.map((i) => [i])];
    const { FEW_FIRSTS, FEW_SECONDS, FEW_MEMBERS } = this.problem.few;
    if (members.length <= FEW_MEMBERS) {
      members.forEach((i, at) => members.slice(at + 1).forEach((j) => outs.push([i, j])));
    }
    for (const out of outs) {
      out.forEach((i) => draft.remove(i));
      if (out.length && draft.chosen.size) visit(draft, out, []);
      const others = (left) => this.fitting(left).filter((i) => !out.includes(i));
      const firsts = this.best(others(draft), (i) => draft.gain(i), out.length ? FEW_FIRSTS : Infinity);
      for (const [, first] of firsts) {
        draft.add(first);
        visit(draft, out, [first]);
        if (out.length && members.length <= MANY) {
          for (const [, second] of this.best(others(draft), (i) => draft.gain(i), FEW_SECONDS)) {
            draft.add(second);
            visit(draft, out, [first, second]);
            draft.remove(second);
          }
        }
        draft.remove(first);
      }
      out.forEach((i) => draft.add(i));
    }
  }

  // The best summary found. known: the sentences of another summary, from which the search starts too.
  solve(known) {
    const { problem } = this;
    const kept = new Draft(problem, this.pinned);
    for (const i of known) if (this.open.includes(i) && problem.costs[i] <= kept.room) kept.add(i);
    const seeds = this.densest(new Draft(problem, this.pinned), SEEDS).map(([, seed]) => seed);
    const starts = [kept, ...seeds.map((seed) => new Draft(problem, [...this.pinned, seed]))];
    const drafts = starts.map((draft) => this.fill(draft));
    const best = (found, value) => found.reduce((first, each) => (value(each) > value(first) + LEAST_GAIN ? each : first));
    const covered = (draft) => draft.value;
    const climbed = drafts.map((draft) => this.climb(new Draft(problem, draft.chosen), covered));
    const covering = best(climbed, covered);
    if (!problem.reading || covering.value <= 0) return covering;
    const most = covering.value;
    const value = (draft) => draft.value - most * problem.price(draft.sorted());
    return best([...climbed, ...drafts].map((draft) => this.climb(draft, value)), value);
  }
}
