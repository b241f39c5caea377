/* Local search, tabu search and the best exchanges. local_search.py defines the terms. Weights are multiples of one
 * power of two, so that every sum is exact, and the first of equal exchanges wins. The answers are therefore the same
 * on every machine.
 *
 * If the selection holds word a n times, and sentence i holds it c_i times, then with step(n, c) = V_a(n + c) - V_a(n),
 * summed over words,
 * - adding sentence i gains step(n, c_i);
 * - removing the member k loses step(n - c_k, c_k);
 * - after removing k, adding sentence i gains step(n - c_k, c_i) - step(n, c_i) more than before (freed).
 *
 * A chosen sentence is called a member, and occupies one of the slots of a state. Functions that Python calls return
 * DONE when they are finished, GROW if the state needs more slots, and GO_ON after some time, so that Python can
 * handle signals. After GROW and GO_ON the caller must call again. NO_MEMORY means that malloc failed.
 *
 * The code does not need Python's headers, because it is called by ctypes.
 */

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { DONE = 0, GROW = 1, GO_ON = 2, NO_MEMORY = 3 };

/* A call returns GO_ON after this much work, or after this many steps of tabu search. */
#define TURN 20000000
#define STEPS 256
/* Exchanges that remove two sentences and add one are tried only if their table has at most this many entries. */
#define MOST_PAIRS 20000000
/* Exchanges that remove one sentence and add two: candidates that are tried for the better of the two. In very large
 * problems they are fewer, so that the table of overlaps has at most MOST_OVERLAPS entries. */
#define MOST_FIRSTS 200
#define MOST_OVERLAPS 4000000
/* The number of sentences that are tested together. */
#define BLOCK 32
/* summc_exchanges returns at most MOST_FOUND exchanges, and tries as many sentences to add without a removal. After a
 * removal it tries FEW_FIRSTS sentences to add, and beside each of them FEW_SECONDS more. Two members are removed
 * together only if at most FEW_MEMBERS may be removed, and two sentences are added together only if at most
 * MANY_MEMBERS may be. Python reads these numbers from here, and pages get those that begin with FEW. */
#define MOST_FOUND 40
#define FEW_FIRSTS 6
#define FEW_SECONDS 2
#define FEW_MEMBERS 6
#define MANY_MEMBERS 40

typedef struct {
    int64_t sentences, words;
    double budget;
    const double *cost, *own;
    const double *value;                           /* V_a(0), V_a(1), ... up to the levels of a word, word by word */
    const int64_t *value_start;                    /* where each word begins in value */
    const int64_t *word_start, *word, *word_count; /* the words of each sentence, and how often it holds them */
    /* The sentences that hold each word. A run is those that hold it equally often; run_count is this number, which
     * rises from run to run. The runs of word a begin at run_start[a], and the sentences of a run at run_begin. */
    const int64_t *run_start, *run_count, *run_begin, *holder;
    const int64_t *by_cost; /* the sentences in order of rising cost */
    /* What has changed since the last call of settle(). before: how often the state held each word then, or -1 for a
     * word whose number has not changed. touched: the words whose number has changed. is_new: the members added. */
    int64_t *before, *touched, touched_size;
    uint8_t *is_new;
    int64_t most_work, work; /* work counts processed table entries; local search stops at most_work */
} Problem;

typedef struct {
    int64_t slots;
    double spent;
    uint8_t *chosen;
    int64_t *member, *count;
    double *gain, *freed, *loss;
} State;

typedef struct {
    int64_t step, last, patience, most_work, wobbles, stay, away;
    const int64_t *wobble;
    int64_t *bound_until;
    double best;
} Tabu;

/* A checksum of the sources of this library. Python does not use a library that was built from other sources. */
#ifndef SOURCES
#define SOURCES 0
#endif
uint32_t summc_sources(void) { return SOURCES; }

static int64_t free_slots(const State *s) {
    int64_t found = 0;
    for (int64_t j = 0; j < s->slots; j++) found += s->member[j] < 0;
    return found;
}

static int64_t slot_of(const State *s, int64_t member) {
    int64_t j = 0;
    while (s->member[j] != member) j++;
    return j;
}

/* What words are worth */

static int64_t levels_of(const Problem *p, int64_t a) { return p->value_start[a + 1] - p->value_start[a] - 1; }

/* V_a(n): what n occurrences of a word are worth. */
static double worth(const Problem *p, int64_t a, int64_t n) {
    int64_t first = p->value_start[a], last = p->value_start[a + 1] - 1;
    return p->value[first + n < last ? first + n : last];
}

/* What c more occurrences of a word are worth after n. */
static double step(const Problem *p, int64_t a, int64_t n, int64_t c) {
    return worth(p, a, n + c) - worth(p, a, n);
}

/* The number of sentences that hold a word. */
static int64_t degree(const Problem *p, int64_t a) {
    return p->run_begin[p->run_start[a + 1]] - p->run_begin[p->run_start[a]];
}

/* The largest number of times that a sentence holds a word. */
static int64_t most_held(const Problem *p, int64_t a) { return p->run_count[p->run_start[a + 1] - 1]; }

static void add_to_run(const Problem *p, int64_t run, double *values, double change) {
    for (int64_t h = p->run_begin[run]; h < p->run_begin[run + 1]; h++) values[p->holder[h]] += change;
}

/* Updates of a state when sentences are added or removed */

/* Add (sign 1) or subtract (sign -1) the words of a sentence, and update the gains of all sentences. */
static void count_words(Problem *p, State *s, int64_t i, int64_t sign) {
    for (int64_t e = p->word_start[i]; e < p->word_start[i + 1]; e++) {
        int64_t a = p->word[e], levels = levels_of(p, a);
        int64_t before = s->count[a], after = before + sign * p->word_count[e];
        int64_t others = before < after ? before : after;
        if (p->before[a] < 0) {
            p->before[a] = before;
            p->touched[p->touched_size++] = a;
        }
        s->count[a] = after;
        if (others > levels) continue;
        if (others < levels) {
            for (int64_t r = p->run_start[a]; r < p->run_start[a + 1]; r++)
                add_to_run(p, r, s->gain, step(p, a, after, p->run_count[r]) - step(p, a, before, p->run_count[r]));
            p->work += degree(p, a);
        }
        if (others > 0) p->work += degree(p, a); /* the work that settle() will do for members that hold the word */
    }
}

static void put_in(Problem *p, State *s, int64_t i) {
    int64_t slot = slot_of(s, -1);
    count_words(p, s, i, 1);
    s->loss[slot] = p->own[i];
    s->member[slot] = i;
    s->chosen[i] = p->is_new[i] = 1;
    s->spent += p->cost[i];
}

static void take_out(Problem *p, State *s, int64_t i) {
    int64_t slot = slot_of(s, i);
    count_words(p, s, i, -1);
    memset(s->freed + slot * p->sentences, 0, sizeof(double) * (size_t)p->sentences);
    s->loss[slot] = 0.0;
    s->member[slot] = -1;
    s->chosen[i] = p->is_new[i] = 0;
    s->spent -= p->cost[i];
}

/* Update loss (the weight lost by removing each member) and freed (how much more every sentence would add then). This
 * is done once after several additions and removals, because words of many levels affect all members that hold them. */
static void settle(Problem *p, State *s) {
    for (int64_t j = 0; j < s->slots; j++) {
        int64_t i = s->member[j];
        if (i < 0) continue;
        double *freed = s->freed + j * p->sentences;
        int is_new = p->is_new[i];
        p->is_new[i] = 0;
        for (int64_t e = p->word_start[i]; e < p->word_start[i + 1]; e++) {
            int64_t a = p->word[e], old = p->before[a], now = s->count[a], held = p->word_count[e];
            if (old < 0 || (old == now && !is_new)) continue;
            int64_t least = old < now && !is_new ? old : now;
            if (least - held >= levels_of(p, a)) continue;
            s->loss[j] += step(p, a, now - held, held);
            if (!is_new) s->loss[j] -= step(p, a, old - held, held);
            for (int64_t r = p->run_start[a]; r < p->run_start[a + 1]; r++) {
                int64_t c = p->run_count[r];
                double change = step(p, a, now - held, c) - step(p, a, now, c);
                if (!is_new) change -= step(p, a, old - held, c) - step(p, a, old, c);
                if (change != 0) add_to_run(p, r, freed, change);
            }
        }
    }
    while (p->touched_size) p->before[p->touched[--p->touched_size]] = -1;
}

int summc_add(Problem *p, State *s, int64_t i) {
    if (!free_slots(s)) return GROW;
    put_in(p, s, i);
    settle(p, s);
    return DONE;
}

int summc_remove(Problem *p, State *s, const int64_t *sentences, int64_t size) {
    for (int64_t c = 0; c < size; c++) take_out(p, s, sentences[c]);
    settle(p, s);
    return DONE;
}

double summc_value(const Problem *p, const State *s) {
    double value = 0.0;
    for (int64_t a = 0; a < p->words; a++) value += worth(p, a, s->count[a]);
    for (int64_t i = 0; i < p->sentences; i++) value += s->chosen[i] ? p->own[i] : 0.0;
    return value;
}

int summc_fill(Problem *p, State *s, const double *preference) {
    for (;;) {
        double room = p->budget - s->spent, most = -1.0;
        int64_t best = -1;
        for (int64_t i = 0; i < p->sentences; i++)
            if (p->cost[i] <= room && !s->chosen[i] && s->gain[i] > 0 && s->gain[i] * preference[i] > most) {
                most = s->gain[i] * preference[i];
                best = i;
            }
        if (best < 0 || !free_slots(s)) {
            settle(p, s);
            return best < 0 ? DONE : GROW;
        }
        p->work += p->sentences;
        put_in(p, s, best);
    }
}

/* Finding exchanges. Each best_... function returns whether an exchange covers more, and puts the best one into x:
 * the sentences `out` are removed and `into` are added, where -1 means no sentence. */

typedef struct {
    int64_t out[2], into[2];
} Exchange;

typedef struct {
    int64_t member, count, next; /* a member that holds a word, how often, and the next entry for the word, or -1 */
} Holding;

typedef struct {
    double gain;
    int64_t sentence;
} Ranked;

typedef struct {
    int64_t size, *slot, *sentence; /* the number of members, the slot of each, and the sentence of each */
    double *first, *second;         /* a number for each sentence */
    int64_t *rows, *others;         /* a number for each sentence */
    double *pair, *held;            /* a number for each pair of members; held also for each sentence */
    int64_t *first_holding, *out_count; /* a number for each word; -1 and 0 while not in use */
    Holding *holding;                   /* an entry for each word of each member */
    Ranked *ranked;                     /* an entry for each sentence */
} Scratch;

/* Four numbers that are added and compared together, at any address of an array of doubles. Compilers do not find this
 * by themselves in any_better. GCC and Clang both know such types, and split them if the processor has shorter ones. */
typedef double Four __attribute__((vector_size(32), aligned(8), may_alias));

/* Return whether some sentence of a block would add more than `least` in place of a member, and costs at most `place`,
 * which is what fits after the removal. Usually no sentence does. */
static int any_better(const double *freed, const double *gain, const double *cost, double least, double place) {
    Four zero = {0}, lower = zero + least, upper = zero + place;
    __typeof__(zero > zero) found = zero > zero;
    for (int i = 0; i < BLOCK; i += 4) {
        Four sum = *(const Four *)(freed + i) + *(const Four *)(gain + i);
        found |= (sum > lower) & (*(const Four *)(cost + i) <= upper);
    }
    return (found[0] | found[1] | found[2] | found[3]) != 0;
}

static int best_single(const Problem *p, const State *s, const Scratch *w, Exchange *x) {
    int64_t n = p->sentences;
    double room = p->budget - s->spent, most = 0.0;
    for (int64_t i = 0; i < n; i++)
        if (s->gain[i] > most && p->cost[i] <= room && !s->chosen[i]) {
            most = s->gain[i];
            x->into[0] = i;
        }
    if (most > 0) return 1;
    for (int64_t j = 0; j < w->size; j++) {
        const double *freed = s->freed + w->slot[j] * n;
        double loss = s->loss[w->slot[j]], place = room + p->cost[w->sentence[j]];
        for (int64_t i = 0; i < n; i++) {
            while (i % BLOCK == 0 && i + BLOCK < n &&
                   !any_better(freed + i, s->gain + i, p->cost + i, most + loss, place))
                i += BLOCK;
            double more = freed[i] + s->gain[i] - loss;
            if (more > most && p->cost[i] <= place && !s->chosen[i]) {
                most = more;
                x->out[0] = w->sentence[j];
                x->into[0] = i;
            }
        }
    }
    return most > 0;
}

/* Return whether removing two members that hold a word may lose more of its weight than the sum of their single
 * losses. It does not if the other members hold the word often enough to cover all its levels. If the word has one
 * level and no sentence holds it twice, removing both loses more only if no third member holds the word. */
static int in_pairs(const Problem *p, const State *s, int64_t a) {
    return s->count[a] >= 2 && s->count[a] - 2 * most_held(p, a) < levels_of(p, a);
}

/* Add to each pair of members, for one word, the sum of their single losses minus the loss of removing both, which is
 * at most 0. `held` is how often the sentence that replaces them holds the word. `sign` is 1, or -1 to subtract. */
static void add_to_pairs(const Problem *p, const State *s, const Scratch *w, int64_t a, int64_t held, double sign,
                         double *pairs) {
    int64_t n = s->count[a] + held;
    for (int64_t x = w->first_holding[a]; x >= 0; x = w->holding[x].next) {
        int64_t c = w->holding[x].count;
        double lost = step(p, a, n - c, c);
        for (int64_t y = w->holding[x].next; y >= 0; y = w->holding[y].next) /* members that come before that of x */
            pairs[w->holding[y].member * w->size + w->holding[x].member] +=
                sign * (lost - step(p, a, n - w->holding[y].count - c, c));
    }
}

/* List the members that hold each word for which in_pairs() is true. Put the sum of add_to_pairs() over these words
 * into w->pair, as if the sentence that replaces a pair held none of them. */
static void words_of_pairs(const Problem *p, const State *s, const Scratch *w) {
    int64_t k = w->size, used = 0;
    memset(w->pair, 0, sizeof(double) * (size_t)(k * k));
    for (int64_t j = 0; j < k; j++)
        for (int64_t e = p->word_start[w->sentence[j]]; e < p->word_start[w->sentence[j] + 1]; e++) {
            int64_t a = p->word[e];
            if (!in_pairs(p, s, a)) continue;
            w->holding[used] = (Holding){j, p->word_count[e], w->first_holding[a]};
            w->first_holding[a] = used++;
        }
    /* Each word must be added once. Its list begins with the last member that holds it, so add it for that member. */
    for (int64_t j = 0; j < k; j++)
        for (int64_t e = p->word_start[w->sentence[j]]; e < p->word_start[w->sentence[j] + 1]; e++) {
            int64_t a = p->word[e];
            if (w->first_holding[a] >= 0 && w->holding[w->first_holding[a]].member == j)
                add_to_pairs(p, s, w, a, 0, 1.0, w->pair);
        }
}

static void forget_words_of_pairs(const Problem *p, const Scratch *w) {
    for (int64_t j = 0; j < w->size; j++)
        for (int64_t e = p->word_start[w->sentence[j]]; e < p->word_start[w->sentence[j] + 1]; e++)
            w->first_holding[p->word[e]] = -1;
}

static int best_two_for_one(Problem *p, const State *s, const Scratch *w, Exchange *x) {
    int64_t n = p->sentences, k = w->size, rows = 0;
    if (k < 2) return 0;
    double *best = w->first, *second = w->second;
    for (int64_t i = 0; i < n; i++) best[i] = second[i] = -INFINITY;
    for (int64_t j = 0; j < k; j++) {
        const double *freed = s->freed + w->slot[j] * n;
        double loss = s->loss[w->slot[j]];
        for (int64_t i = 0; i < n; i++) {
            double place = freed[i] - loss, lower = place < best[i] ? place : best[i];
            second[i] = lower > second[i] ? lower : second[i];
            best[i] = place > best[i] ? place : best[i];
        }
    }
    for (int64_t i = 0; i < n; i++)
        if (s->gain[i] + (best[i] + second[i]) > 0 && !s->chosen[i]) w->rows[rows++] = i;
    int64_t pairs = k * (k - 1) / 2;
    if (!rows || pairs * rows > MOST_PAIRS) return 0;
    p->work += pairs * rows;
    words_of_pairs(p, s, w);
    double room = p->budget - s->spent, most = 0.0;
    for (int64_t r = 0; r < rows; r++) {
        int64_t i = w->rows[r];
        /* Correct w->pair for the words that this sentence holds, but only once a pair is found where it matters. */
        int known = 0;
        for (int64_t a = 0; a < k - 1; a++) {
            double with_a = s->freed[w->slot[a] * n + i] - s->loss[w->slot[a]];
            for (int64_t b = a + 1; b < k; b++) {
                double more = with_a + (s->freed[w->slot[b] * n + i] - s->loss[w->slot[b]]) + s->gain[i];
                if (more <= most) continue;
                if (p->cost[i] > room + p->cost[w->sentence[a]] + p->cost[w->sentence[b]]) continue;
                if (!known) {
                    memset(w->held, 0, sizeof(double) * (size_t)(k * k));
                    for (int64_t e = p->word_start[i]; e < p->word_start[i + 1]; e++) {
                        if (w->first_holding[p->word[e]] < 0) continue;
                        add_to_pairs(p, s, w, p->word[e], 0, -1.0, w->held);
                        add_to_pairs(p, s, w, p->word[e], p->word_count[e], 1.0, w->held);
                    }
                    known = 1;
                }
                more += w->pair[a * k + b] + w->held[a * k + b];
                if (more > most) {
                    most = more;
                    x->out[0] = w->sentence[a];
                    x->out[1] = w->sentence[b];
                    x->into[0] = i;
                }
            }
        }
    }
    forget_words_of_pairs(p, w);
    return most > 0;
}

static int by_gain(const void *left, const void *right) {
    const Ranked *a = left, *b = right;
    if (a->gain != b->gain) return a->gain > b->gain ? -1 : 1;
    return a->sentence < b->sentence ? -1 : a->sentence > b->sentence;
}

/* For each sentence, put the largest gain of any sentence that fits the room together with it into beside. */
static void largest_beside(const Problem *p, const double *gain, double room, double *beside) {
    double most = -INFINITY;
    int64_t reached = 0;
    for (int64_t c = p->sentences - 1; c >= 0; c--) { /* from the most expensive, which leaves the least room */
        int64_t i = p->by_cost[c];
        double left = room - p->cost[i];
        while (reached < p->sentences && p->cost[p->by_cost[reached]] <= left) {
            double next = gain[p->by_cost[reached++]];
            most = next > most ? next : most;
        }
        beside[i] = most;
    }
}

static int best_one_for_two(Problem *p, const State *s, const Scratch *w, Exchange *x) {
    int64_t n = p->sentences;
    if (n < 2) return 0;
    int64_t limit = MOST_OVERLAPS / n;
    limit = limit < 1 ? 1 : limit > MOST_FIRSTS ? MOST_FIRSTS : limit;
    double left = p->budget - s->spent, best = 0.0;
    double *gain = w->first, *beside = w->second, *overlap = w->held;
    Ranked *ranked = w->ranked;
    for (int64_t j = 0; j < w->size; j++) {
        const double *freed = s->freed + w->slot[j] * n;
        int64_t out = w->sentence[j];
        double room = left + p->cost[out], loss = s->loss[w->slot[j]], largest = -INFINITY, next = -INFINITY;
        for (int64_t i = 0; i < n; i++) {
            gain[i] = p->cost[i] >= room || s->chosen[i] ? 0.0 : s->gain[i] + freed[i];
            if (gain[i] > largest) {
                next = largest;
                largest = gain[i];
            } else if (gain[i] > next) {
                next = gain[i];
            }
        }
        if (largest + next <= loss) continue;
        double needed = loss + best;
        largest_beside(p, gain, room, beside);
        int64_t others = 0, firsts = 0;
        for (int64_t i = 0; i < n; i++)
            if (gain[i] > 0 && gain[i] + beside[i] > needed) {
                w->others[others++] = i;
                if (2 * gain[i] > needed) ranked[firsts++] = (Ranked){gain[i], i};
            }
        if (!firsts) continue;
        qsort(ranked, (size_t)firsts, sizeof(Ranked), by_gain);
        firsts = firsts > limit ? limit : firsts;
        p->work += firsts * others;
        for (int64_t e = p->word_start[out]; e < p->word_start[out + 1]; e++)
            w->out_count[p->word[e]] = p->word_count[e];
        for (int64_t f = 0; f < firsts; f++) {
            int64_t i = ranked[f].sentence;
            int known = 0;
            for (int64_t o = 0; o < others; o++) {
                int64_t other = w->others[o];
                double more = gain[i] + gain[other] - loss;
                if (more <= best || other == i || p->cost[i] + p->cost[other] > room) continue;
                if (!known) { /* how much less it and each other sentence gain together than separately */
                    memset(overlap, 0, sizeof(double) * (size_t)n);
                    for (int64_t e = p->word_start[i]; e < p->word_start[i + 1]; e++) {
                        int64_t a = p->word[e], c = p->word_count[e], n = s->count[a] - w->out_count[a];
                        if (n >= levels_of(p, a)) continue;
                        for (int64_t r = p->run_start[a]; r < p->run_start[a + 1]; r++)
                            add_to_run(p, r, overlap, step(p, a, n, c) - step(p, a, n + p->run_count[r], c));
                    }
                    known = 1;
                }
                more -= overlap[other];
                if (more > best) {
                    best = more;
                    *x = (Exchange){{out, -1}, {i, other}};
                }
            }
        }
        for (int64_t e = p->word_start[out]; e < p->word_start[out + 1]; e++) w->out_count[p->word[e]] = 0;
    }
    return best > 0;
}

static int allocate(const Problem *p, const State *s, Scratch *w) {
    size_t n = (size_t)p->sentences, m = (size_t)p->words, k = (size_t)s->slots, most = n > k * k ? n : k * k;
    int64_t longest = 0;
    for (int64_t i = 0; i < p->sentences; i++) {
        int64_t length = p->word_start[i + 1] - p->word_start[i];
        longest = length > longest ? length : longest;
    }
    w->slot = malloc(2 * k * sizeof(int64_t));
    w->sentence = w->slot + k;
    w->first = malloc((2 * n + k * k + most) * sizeof(double));
    w->second = w->first + n;
    w->pair = w->second + n;
    w->held = w->pair + k * k;
    w->rows = malloc(2 * (n + m) * sizeof(int64_t));
    w->others = w->rows + n;
    w->first_holding = w->others + n;
    w->out_count = w->first_holding + m;
    w->holding = malloc((k * (size_t)longest + 1) * sizeof(Holding));
    w->ranked = malloc(n * sizeof(Ranked));
    if (!w->slot || !w->first || !w->rows || !w->holding || !w->ranked) return 0;
    for (int64_t a = 0; a < p->words; a++) {
        w->first_holding[a] = -1;
        w->out_count[a] = 0;
    }
    return 1;
}

static void members_of(const State *s, Scratch *w) {
    w->size = 0;
    for (int64_t j = 0; j < s->slots; j++)
        if (s->member[j] >= 0) {
            w->slot[w->size] = j;
            w->sentence[w->size++] = s->member[j];
        }
}

int summc_improve(Problem *p, State *s) {
    Scratch w;
    int64_t before = p->work;
    int result = allocate(p, s, &w) ? DONE : NO_MEMORY;
    while (result == DONE) {
        if (p->work >= p->most_work) {
            break;
        } else if (!free_slots(s)) {
            result = GROW;
        } else if (p->work - before > TURN) {
            result = GO_ON;
        } else {
            Exchange x = {{-1, -1}, {-1, -1}};
            members_of(s, &w);
            p->work += p->sentences * w.size;
            if (!best_single(p, s, &w, &x) && !best_two_for_one(p, s, &w, &x) &&
                !best_one_for_two(p, s, &w, &x))
                break;
            for (int c = 0; c < 2; c++)
                if (x.out[c] >= 0) take_out(p, s, x.out[c]);
            for (int c = 0; c < 2; c++)
                if (x.into[c] >= 0) put_in(p, s, x.into[c]);
            settle(p, s);
        }
    }
    free(w.slot);
    free(w.first);
    free(w.rows);
    free(w.holding);
    free(w.ranked);
    return result;
}

/* Remove the sentences `gone` from a selection, fill it again and improve it. `size` is the number of sentences still
 * to be removed. It is set to 0 after they are removed, so that a repeated call does not remove them again. */
int summc_refill(Problem *p, State *s, const int64_t *gone, int64_t *size, const double *preference) {
    int result;
    for (int64_t c = 0; c < *size; c++) take_out(p, s, gone[c]);
    *size = 0;
    result = summc_fill(p, s, preference);
    return result == DONE ? summc_improve(p, s) : result;
}

/* Tabu search */

static void best_step(Problem *p, const State *s, const Tabu *t, double value, int64_t *gone, int64_t *came) {
    int64_t n = p->sentences, members = 0, least = -1;
    double room = p->budget - s->spent, most = 0.0;
    *gone = *came = -1;
    for (int64_t i = 0; i < n; i++)
        if (s->gain[i] > most && p->cost[i] <= room && !s->chosen[i] && t->bound_until[i] <= t->step) {
            most = s->gain[i];
            *came = i;
        }
    if (*came >= 0) return;
    for (int64_t j = 0; j < s->slots; j++) {
        if (s->member[j] < 0) continue;
        members++;
        if (least < 0 || s->loss[j] < s->loss[least]) least = j;
    }
    if (!members) return;
    p->work += members * n;
    most = -INFINITY;
    for (int64_t j = 0; j < s->slots; j++) {
        if (s->member[j] < 0) continue;
        const double *freed = s->freed + j * n;
        double loss = s->loss[j], place = room + p->cost[s->member[j]];
        int bound = t->bound_until[s->member[j]] > t->step;
        for (int64_t i = 0; i < n; i++) {
            while (i % BLOCK == 0 && i + BLOCK < n &&
                   !any_better(freed + i, s->gain + i, p->cost + i, most + loss, place))
                i += BLOCK;
            double more = freed[i] + s->gain[i] - loss;
            if (more <= most || p->cost[i] > place || s->chosen[i]) continue;
            if ((bound || t->bound_until[i] > t->step) && more + value <= t->best) continue;
            most = more;
            *gone = s->member[j];
            *came = i;
        }
    }
    /* No exchange is allowed: remove the member with the smallest loss to make room. */
    if (*came < 0) *gone = s->member[least];
}

static void copy_state(const Problem *p, const State *from, State *to) {
    size_t n = (size_t)p->sentences, m = (size_t)p->words, k = (size_t)from->slots;
    to->spent = from->spent;
    memcpy(to->chosen, from->chosen, n);
    memcpy(to->member, from->member, k * sizeof(int64_t));
    memcpy(to->count, from->count, m * sizeof(int64_t));
    memcpy(to->gain, from->gain, n * sizeof(double));
    memcpy(to->freed, from->freed, k * n * sizeof(double));
    memcpy(to->loss, from->loss, k * sizeof(double));
}

int summc_tabu(Problem *p, State *s, State *best, Tabu *t) {
    double value = summc_value(p, s);
    for (int64_t turn = 0; t->step - t->last < t->patience && p->work < t->most_work; turn++) {
        int64_t gone, came;
        if (!free_slots(s)) return GROW;
        if (turn >= STEPS) return GO_ON;
        t->step += 1;
        best_step(p, s, t, value, &gone, &came);
        if (gone < 0 && came < 0) return DONE;
        if (gone >= 0) {
            value -= s->loss[slot_of(s, gone)];
            take_out(p, s, gone);
            t->bound_until[gone] = t->step + t->away + t->wobble[2 * t->step % t->wobbles];
        }
        if (came >= 0) {
            value += s->gain[came];
            put_in(p, s, came);
            t->bound_until[came] = t->step + t->stay + t->wobble[(2 * t->step + 1) % t->wobbles];
        }
        settle(p, s);
        if (value > t->best) {
            t->best = value;
            t->last = t->step;
            copy_state(p, s, best);
        }
    }
    return DONE;
}

/* The exchanges after which the most weight is covered */

typedef struct {
    double value;
    Exchange exchange;
} Found;

static int by_value(const void *left, const void *right) {
    const Found *a = left, *b = right;
    if (a->value != b->value) return a->value > b->value ? -1 : 1;
    const int64_t *x = a->exchange.out, *y = b->exchange.out;
    for (int c = 0; c < 2; c++)
        if (x[c] != y[c]) return x[c] < y[c] ? -1 : 1;
    x = a->exchange.into, y = b->exchange.into;
    for (int c = 0; c < 2; c++)
        if (x[c] != y[c]) return x[c] < y[c] ? -1 : 1;
    return 0;
}

/* Put the sentences with the largest gains into `top`, at most `most`, and return their number. Only sentences that
 * cost at most `room` and are not chosen are considered, and not the sentence `beside`. The first of equals wins. */
static int64_t largest(const Problem *p, const State *s, double room, int64_t beside, int64_t most, Ranked *top) {
    int64_t size = 0;
    for (int64_t i = 0; i < p->sentences; i++) {
        double gain = s->gain[i];
        if (gain <= 0 || p->cost[i] > room || s->chosen[i] || i == beside) continue;
        if (size == most && gain <= top[size - 1].gain) continue;
        int64_t j = size < most ? size++ : size - 1;
        for (; j > 0 && top[j - 1].gain < gain; j--) top[j] = top[j - 1];
        top[j] = (Ranked){gain, i};
    }
    return size;
}

/* Return the weight that a selection loses if sentence i is removed. */
static double loss_of(const Problem *p, const State *s, int64_t i) {
    double loss = p->own[i];
    for (int64_t e = p->word_start[i]; e < p->word_start[i + 1]; e++) {
        int64_t a = p->word[e], held = p->word_count[e];
        loss += step(p, a, s->count[a] - held, held);
    }
    return loss;
}

static void keep_better(Found *found, int64_t *size, double least, double value, const int64_t *out, int64_t first,
                        int64_t second) {
    if (value > least) found[(*size)++] = (Found){value, {{out[0], out[1]}, {first, second}}};
}

/* Add the exchanges that remove the sentences `out` to `found`, if they cover more than `least`. `s` has the gains
 * after `out` is removed, `value` is the weight covered then, and `room` is the free budget. The sentences `out` are
 * not added again. `pairs`: whether two sentences may be added. */
static void replace_by(Problem *p, State *s, double value, double room, const int64_t *out, int pairs, double least,
                       Found *found, int64_t *size) {
    Ranked firsts[MOST_FOUND], seconds[FEW_SECONDS];
    int64_t tried = largest(p, s, room, -1, out[0] < 0 ? MOST_FOUND : FEW_FIRSTS, firsts);
    for (int64_t f = 0; f < tried; f++) {
        int64_t first = firsts[f].sentence;
        double added = value + firsts[f].gain, left = room - p->cost[first];
        keep_better(found, size, least, added, out, first, -1);
        if (!pairs) continue;
        /* A second sentence adds at most as much beside the first as without it, so test the largest gain first. */
        if (!largest(p, s, left, first, 1, seconds) || added + seconds[0].gain <= least) continue;
        count_words(p, s, first, 1);
        int64_t beside = largest(p, s, left, first, FEW_SECONDS, seconds);
        for (int64_t g = 0; g < beside; g++)
            keep_better(found, size, least, added + seconds[g].gain, out, first, seconds[g].sentence);
        count_words(p, s, first, -1);
    }
}

/* Put the exchanges after which the most weight is covered, and more than `least`, into `best`: at most MOST_FOUND,
 * best first. Put their number into `size`. `may_go` is a mask of the sentences that may be removed. */
int summc_exchanges(Problem *p, const State *s, const uint8_t *may_go, double least, Found *best, int64_t *size) {
    int64_t n = p->sentences, m = p->words, chosen = 0, k = 0;
    for (int64_t i = 0; i < n; i++) {
        chosen += s->chosen[i];
        k += s->chosen[i] && may_go[i];
    }
    int64_t outs = 1 + k + (k <= FEW_MEMBERS ? k * (k - 1) / 2 : 0);
    int64_t most = MOST_FOUND + outs * (1 + FEW_FIRSTS * (1 + FEW_SECONDS));
    int64_t *count = malloc((size_t)(m + k + 1) * sizeof(int64_t)), *member = count + m;
    double *gain = malloc((size_t)n * sizeof(double)), value = summc_value(p, s);
    Found *found = malloc((size_t)most * sizeof(Found));
    int result = count && gain && found ? DONE : NO_MEMORY;
    *size = k = 0;
    for (int64_t i = 0; i < n && result == DONE; i++)
        if (s->chosen[i] && may_go[i]) member[k++] = i;
    for (int64_t a = -1; a < k && result == DONE; a++)
        for (int64_t b = a; b < (a >= 0 && k <= FEW_MEMBERS ? k : a + 1); b++) {
            int64_t out[2] = {a < 0 ? -1 : member[a], b > a ? member[b] : -1}, gone = (a >= 0) + (b > a);
            State left = *s;
            left.count = memcpy(count, s->count, (size_t)m * sizeof(int64_t));
            left.gain = memcpy(gain, s->gain, (size_t)n * sizeof(double));
            double kept = value, cost = 0.0;
            for (int64_t c = 0; c < gone; c++) {
                kept -= loss_of(p, &left, out[c]);
                count_words(p, &left, out[c], -1);
                cost += p->cost[out[c]];
            }
            /* Keep at least one sentence: an empty summary has no faults, but says nothing. */
            if (gone && gone < chosen) keep_better(found, size, least, kept, out, -1, -1);
            double room = p->budget - s->spent + cost;
            replace_by(p, &left, kept, room, out, gone && k <= MANY_MEMBERS, least, found, size);
        }
    while (p->touched_size) p->before[p->touched[--p->touched_size]] = -1;
    if (result == DONE) {
        qsort(found, (size_t)*size, sizeof(Found), by_value);
        *size = *size < MOST_FOUND ? *size : MOST_FOUND;
        memcpy(best, found, (size_t)*size * sizeof(Found));
    }
    free(count);
    free(gain);
    free(found);
    return result;
}
