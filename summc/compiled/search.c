/* Local search and tabu search, compiled: the same steps as local_search.py and tabu.py, which say what they
 * do and why. Values are multiples of one power of two there and here, so that every sum is exact, and of equal
 * exchanges the first wins in both: the answers are the same, bit for bit.
 *
 * A call returns DONE; or GROW, when the state needs more slots; or GO_ON after a while, so that Python can see
 * to its signals. After either the caller calls again. Built without Python's headers, for ctypes.
 */

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { DONE = 0, GROW = 1, GO_ON = 2, NO_MEMORY = 3 };

/* Work in one call, and steps of tabu search, after which Python has its turn. */
#define TURN 20000000
#define STEPS 256
/* As in local_search.py. */
#define MOST_PAIRS 20000000
#define MOST_FIRSTS 200
#define MOST_OVERLAPS 4000000

typedef struct {
    int64_t sentences, words;
    double budget;
    const double *cost, *weight, *own;
    const int64_t *word_start, *word;       /* the words of each sentence */
    const int64_t *holder_start, *holder;   /* the sentences of each word */
    const int64_t *by_cost;
    int64_t most_work, work; /* local search ends when it has done so much */
} Problem;

typedef struct {
    int64_t slots;
    double spent;
    uint8_t *chosen;
    int64_t *member, *count, *owner;
    double *gain, *freed, *loss;
} State;

typedef struct {
    int64_t step, last, patience, most_work, wobbles, stay, away;
    const int64_t *wobble;
    int64_t *bound_until;
    double best;
} Tabu;

/* Of which sources the library was made, so that one of others is not taken for it. */
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

/* What changes with a sentence */

/* Count a word that one chosen sentence holds alone as its own, or no longer. */
static void free_word(Problem *p, State *s, int64_t a, double weight) {
    double *freed = s->freed + s->owner[a] * p->sentences;
    for (int64_t h = p->holder_start[a]; h < p->holder_start[a + 1]; h++) freed[p->holder[h]] += weight;
    s->loss[s->owner[a]] += weight;
    p->work += p->holder_start[a + 1] - p->holder_start[a];
}

static void add(Problem *p, State *s, int64_t i) {
    int64_t slot = slot_of(s, -1);
    double *freed = s->freed + slot * p->sentences;
    double loss = p->own[i];
    for (int64_t e = p->word_start[i]; e < p->word_start[i + 1]; e++) {
        int64_t a = p->word[e];
        double weight = p->weight[a];
        if (s->count[a] == 0) {
            for (int64_t h = p->holder_start[a]; h < p->holder_start[a + 1]; h++) {
                s->gain[p->holder[h]] -= weight;
                freed[p->holder[h]] += weight;
            }
            loss += weight;
            p->work += p->holder_start[a + 1] - p->holder_start[a];
        } else if (s->count[a] == 1) {
            free_word(p, s, a, -weight);
        }
        s->count[a] += 1;
        s->owner[a] += slot;
    }
    s->loss[slot] = loss;
    s->member[slot] = i;
    s->chosen[i] = 1;
    s->spent += p->cost[i];
}

static void take_out(Problem *p, State *s, int64_t i) {
    int64_t slot = slot_of(s, i);
    for (int64_t e = p->word_start[i]; e < p->word_start[i + 1]; e++) {
        int64_t a = p->word[e];
        double weight = p->weight[a];
        s->count[a] -= 1;
        s->owner[a] -= slot;
        if (s->count[a] == 0) {
            for (int64_t h = p->holder_start[a]; h < p->holder_start[a + 1]; h++)
                s->gain[p->holder[h]] += weight;
            p->work += p->holder_start[a + 1] - p->holder_start[a];
        } else if (s->count[a] == 1) {
            free_word(p, s, a, weight);
        }
    }
    memset(s->freed + slot * p->sentences, 0, sizeof(double) * (size_t)p->sentences);
    s->loss[slot] = 0.0;
    s->member[slot] = -1;
    s->chosen[i] = 0;
    s->spent -= p->cost[i];
}

int summc_add(Problem *p, State *s, int64_t i) {
    if (!free_slots(s)) return GROW;
    add(p, s, i);
    return DONE;
}

int summc_remove(Problem *p, State *s, const int64_t *sentences, int64_t size) {
    for (int64_t c = 0; c < size; c++) take_out(p, s, sentences[c]);
    return DONE;
}

double summc_value(const Problem *p, const State *s) {
    double value = 0.0;
    for (int64_t a = 0; a < p->words; a++) value += s->count[a] > 0 ? p->weight[a] : 0.0;
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
        if (best < 0) return DONE;
        if (!free_slots(s)) return GROW;
        p->work += p->sentences;
        add(p, s, best);
    }
}

/* The exchanges: each returns whether there is one that covers more, and which: out and into, -1 for none */

typedef struct {
    int64_t out[2], into[2];
} Exchange;

typedef struct {
    int64_t size, *slot, *sentence; /* the members: their slots and which sentences they are */
    double *first, *second;         /* room for a number of each sentence */
    int64_t *rows, *others;         /* the same */
    double *pair, *held;            /* room for a number of each pair of members */
    int64_t *pair_of;               /* room for a pair of each word */
} Scratch;

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

/* Find the words that just two members hold: what each pair holds so, and for each such word its pair. */
static void words_of_pairs(const Problem *p, const State *s, const Scratch *w) {
    int64_t k = w->size;
    memset(w->pair, 0, sizeof(double) * (size_t)(k * k));
    for (int64_t j = 0; j < k; j++)
        for (int64_t e = p->word_start[w->sentence[j]]; e < p->word_start[w->sentence[j] + 1]; e++)
            if (s->count[p->word[e]] == 2) w->pair_of[p->word[e]] = -1;
    for (int64_t j = 0; j < k; j++)
        for (int64_t e = p->word_start[w->sentence[j]]; e < p->word_start[w->sentence[j] + 1]; e++) {
            int64_t a = p->word[e];
            if (s->count[a] != 2) continue;
            if (w->pair_of[a] < 0) {
                w->pair_of[a] = j;
            } else {
                w->pair_of[a] = w->pair_of[a] * k + j;
                w->pair[w->pair_of[a]] += p->weight[a];
            }
        }
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
        /* What this sentence itself holds of the words of pairs is looked at only where it may matter. */
        int known = 0;
        for (int64_t a = 0; a < k - 1; a++) {
            double with_a = s->freed[w->slot[a] * n + i] - s->loss[w->slot[a]];
            for (int64_t b = a + 1; b < k; b++) {
                double more = with_a + (s->freed[w->slot[b] * n + i] - s->loss[w->slot[b]]) + s->gain[i];
                if (more <= most) continue;
                if (p->cost[i] > room + p->cost[w->sentence[a]] + p->cost[w->sentence[b]]) continue;
                if (!known) {
                    memset(w->held, 0, sizeof(double) * (size_t)(k * k));
                    for (int64_t e = p->word_start[i]; e < p->word_start[i + 1]; e++)
                        if (s->count[p->word[e]] == 2) w->held[w->pair_of[p->word[e]]] += p->weight[p->word[e]];
                    known = 1;
                }
                more = more - w->pair[a * k + b] + w->held[a * k + b];
                if (more > most) {
                    most = more;
                    x->out[0] = w->sentence[a];
                    x->out[1] = w->sentence[b];
                    x->into[0] = i;
                }
            }
        }
    }
    return most > 0;
}

typedef struct {
    double gain;
    int64_t sentence;
} Ranked;

static int by_gain(const void *left, const void *right) {
    const Ranked *a = left, *b = right;
    if (a->gain != b->gain) return a->gain > b->gain ? -1 : 1;
    return a->sentence < b->sentence ? -1 : a->sentence > b->sentence;
}

/* Put into beside the largest gain of a sentence that fits a room beside each. */
static void largest_beside(const Problem *p, const double *gain, double room, double *beside) {
    double most = -INFINITY;
    int64_t reached = 0;
    for (int64_t c = p->sentences - 1; c >= 0; c--) { /* from the dearest, which leaves the least */
        int64_t i = p->by_cost[c];
        double left = room - p->cost[i];
        while (reached < p->sentences && p->cost[p->by_cost[reached]] <= left) {
            double next = gain[p->by_cost[reached++]];
            most = next > most ? next : most;
        }
        beside[i] = most;
    }
}

static int best_one_for_two(Problem *p, const State *s, const Scratch *w, Ranked *ranked, Exchange *x) {
    int64_t n = p->sentences;
    if (n < 2) return 0;
    int64_t limit = MOST_OVERLAPS / n;
    limit = limit < 1 ? 1 : limit > MOST_FIRSTS ? MOST_FIRSTS : limit;
    double left = p->budget - s->spent, best = 0.0;
    double *gain = w->first, *beside = w->second, *overlap = w->held;
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
        /* The words of the one that goes are marked, those that it alone holds being free then. */
        for (int64_t e = p->word_start[out]; e < p->word_start[out + 1]; e++) w->pair_of[p->word[e]] = -2;
        for (int64_t f = 0; f < firsts; f++) {
            int64_t i = ranked[f].sentence;
            int known = 0;
            for (int64_t o = 0; o < others; o++) {
                int64_t other = w->others[o];
                double more = gain[i] + gain[other] - loss;
                if (more <= best || other == i || p->cost[i] + p->cost[other] > room) continue;
                if (!known) { /* what it gains in common with every other */
                    memset(overlap, 0, sizeof(double) * (size_t)n);
                    for (int64_t e = p->word_start[i]; e < p->word_start[i + 1]; e++) {
                        int64_t a = p->word[e];
                        if (s->count[a] != 0 && !(s->count[a] == 1 && w->pair_of[a] == -2)) continue;
                        for (int64_t h = p->holder_start[a]; h < p->holder_start[a + 1]; h++)
                            overlap[p->holder[h]] += p->weight[a];
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
        for (int64_t e = p->word_start[out]; e < p->word_start[out + 1]; e++) w->pair_of[p->word[e]] = -1;
    }
    return best > 0;
}

static int allocate(const Problem *p, const State *s, Scratch *w, Ranked **ranked) {
    size_t n = (size_t)p->sentences, k = (size_t)s->slots, most = n > k * k ? n : k * k;
    w->slot = malloc(2 * k * sizeof(int64_t));
    w->sentence = w->slot + k;
    w->first = malloc((2 * n + k * k + most) * sizeof(double));
    w->second = w->first + n;
    w->pair = w->second + n;
    w->held = w->pair + k * k;
    w->rows = malloc((2 * n + (size_t)p->words) * sizeof(int64_t));
    w->others = w->rows + n;
    w->pair_of = w->others + n;
    *ranked = malloc(n * sizeof(Ranked));
    if (!w->slot || !w->first || !w->rows || !*ranked) return 0;
    for (int64_t a = 0; a < p->words; a++) w->pair_of[a] = -1;
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
    Ranked *ranked;
    int64_t before = p->work;
    int result = allocate(p, s, &w, &ranked) ? DONE : NO_MEMORY;
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
                !best_one_for_two(p, s, &w, ranked, &x))
                break;
            for (int c = 0; c < 2; c++)
                if (x.out[c] >= 0) take_out(p, s, x.out[c]);
            for (int c = 0; c < 2; c++)
                if (x.into[c] >= 0) add(p, s, x.into[c]);
        }
    }
    free(w.slot);
    free(w.first);
    free(w.rows);
    free(ranked);
    return result;
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
            double more = freed[i] + s->gain[i] - loss;
            if (more <= most || p->cost[i] > place || s->chosen[i]) continue;
            if ((bound || t->bound_until[i] > t->step) && more + value <= t->best) continue;
            most = more;
            *gone = s->member[j];
            *came = i;
        }
    }
    /* All that may go or come is bound: the member that loses least leaves room. */
    if (*came < 0) *gone = s->member[least];
}

static void copy_state(const Problem *p, const State *from, State *to) {
    size_t n = (size_t)p->sentences, m = (size_t)p->words, k = (size_t)from->slots;
    to->spent = from->spent;
    memcpy(to->chosen, from->chosen, n);
    memcpy(to->member, from->member, k * sizeof(int64_t));
    memcpy(to->count, from->count, m * sizeof(int64_t));
    memcpy(to->owner, from->owner, m * sizeof(int64_t));
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
            add(p, s, came);
            t->bound_until[came] = t->step + t->stay + t->wobble[(2 * t->step + 1) % t->wobbles];
        }
        if (value > t->best) {
            t->best = value;
            t->last = t->step;
            copy_state(p, s, best);
        }
    }
    return DONE;
}
