/* Belief propagation: Eqs. (4) and (5) on all edges, until the messages settle. tests/oracles.py has the equations as
 * the paper writes them.
 *
 * The field of sentence i is its own field, which is constant, plus the messages of all its words. The cavity field
 * h_ia, Eq. (4), is the field without the message of word a. From the cavity fields of its sentences, Eq. (5) computes
 * the new messages of word a. Messages and fields are stored multiplied by beta.
 *
 * Each edge needs one exp and one log. The message of word a to sentence i depends on exp(-S), the product of
 * 1 - v_j over the other sentences j that hold the word, where v_j = sigmoid(beta h_ja). To compute 1 - exp(-S)
 * without cancellation, sentences are included one after another by q <- v_j + (1 - v_j) q. This is done from the
 * front of the word's list up to i, and from the back down to i.
 *
 * Level n of a word is the weight of its nth occurrence, and g(n) is the word's factor for n occurrences
 * (messages.py). A word of several levels sends the message ln(E[g(m + c)] / E[g(m)]) to a sentence that holds it c
 * times; m is how often the other chosen sentences hold it. P(m) is the probability that the sentences before i
 * hold the word m times, computed from the front of the list. B(m) is the expectation of g if they do, over the
 * sentences after i, computed from the back. Then E[g(m)] is the sum of P(m) B(m), and E[g(m + c)] is the sum of
 * P(m) B(m + c). Nothing is subtracted, so no digits are lost.
 *
 * exp and log are written here in plain arithmetic, so that the compiler turns loops of them into vector
 * instructions. The build's flags forbid it to fuse or reorder operations, so messages are the same on every
 * machine.
 */

#include <math.h>
#include <stdint.h>
#include <string.h>

/* A sum of exponentials below this has underflowed or is about to. */
#define UNDERFLOW 1e-290
/* g is scaled so that it has this value at the last level of a word. messages.py reads the number from here. */
#define TOP 0x1p800
/* If E[g(m)] and E[g(m + c)] are at least this, no term that matters has underflowed. */
#define LEAST_SUM 1e-45
/* The same limit for a tilted g (see join_levels), whose largest value is 1. After its maximum, a tilted g is taken
 * as 0 once it is below END_OF_TILTED. */
#define LEAST_TILTED 1e-80
#define END_OF_TILTED 1e-100
/* A word needs no tilt if ln g rises by at most this over its levels. */
#define RANGE 600.0
/* The number of edges that are processed together, so that their numbers stay in the fastest cache. */
#define BLOCK 1024
/* summc_settle returns after it has updated this many edges. */
#define TURN 20000000
/* Damping is adapted after this many updates, within these limits. It is left alone if the largest change of a message
 * has fallen to this fraction of the change at the last adaptation. 1 - damping is multiplied by SHRINK if messages
 * oscillate. It is multiplied by GROWTH if they creep: if the cosine between two updates is above CREEPING. */
#define LOOK 5
#define LEAST_DAMPING 0.5
#define MOST_DAMPING 0.97
#define FALL 0.7
#define SHRINK 0.7
#define GROWTH 1.2
#define CREEPING 0.9

#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__)
#define WIDE __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define WIDE
#endif

typedef struct {
    int64_t sentences, words, edges;
    const int64_t *word_start;  /* the first edge of each word; edges are sorted by word */
    const int32_t *sentence;    /* the sentence of each edge */
    /* sigmoid(beta w) and sigmoid(-beta w) of each word, and their logarithms */
    const double *present, *absent, *log_present, *log_absent;
    const int64_t *level_start; /* where each word begins in step and factor; words of one level have no entries */
    const double *step;         /* ln(g(n) / g(n - 1)) of each level n */
    const double *factor;       /* g(n - 1) of each level n; g is scaled to be TOP at the last level */
    const int32_t *count;       /* how often the sentence of each edge holds the word */
} Edges;

/* One run of BP. The caller sets the first four; converged, made and change are 0 and last is INFINITY at the start. */
typedef struct {
    int64_t most, adapts;      /* the largest number of updates, and whether damping is adapted */
    double tolerance, damping; /* damping is the fraction of the old message that an update keeps */
    int64_t converged, made;   /* whether the messages have settled, and the number of updates so far */
    double change, last;       /* the largest change of a message without damping: now, and at the last adaptation */
} Run;

static inline int64_t bits_of(double x) {
    int64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double of_bits(int64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

#define LN2_HIGH 6.93147180369123816490e-01 /* the last 21 bits are 0, so that small multiples are exact */
#define LN2_LOW 1.90821492927058770002e-10
#define LOG2_E 1.44269504088896338700e+00
#define WHOLE 6755399441055744.0 /* 1.5 2^52: a number added to it is rounded to an integer, in the low bits */

/* exp(x) for x <= 0. It is 0 for x below -708, where exp(x) would no longer be a normal number. x is split into
 * k ln 2 + r with |r| <= ln 2 / 2. If the power series of exp(r) ends at r^13, only the last bit may be wrong. */
static inline double exp_of_negative(double x) {
    double bounded = x < -708.0 ? -708.0 : x;
    double shifted = bounded * LOG2_E + WHOLE, k = shifted - WHOLE;
    double r = (bounded - k * LN2_HIGH) - k * LN2_LOW;
    double s = 1.0 / 6227020800;
    s = s * r + 1.0 / 479001600;
    s = s * r + 1.0 / 39916800;
    s = s * r + 1.0 / 3628800;
    s = s * r + 1.0 / 362880;
    s = s * r + 1.0 / 40320;
    s = s * r + 1.0 / 5040;
    s = s * r + 1.0 / 720;
    s = s * r + 1.0 / 120;
    s = s * r + 1.0 / 24;
    s = s * r + 1.0 / 6;
    s = s * r + 0.5;
    s = (s * r * r + r) + 1.0;
    double scaled = of_bits(bits_of(s) + (int64_t)((uint64_t)bits_of(shifted) << 52));
    return x < -708.0 ? 0.0 : scaled;
}

/* log(x) of a positive normal number. x is split into 2^k m, with m from sqrt(1/2) to sqrt(2). With
 * t = (m - 1) / (m + 1), ln m is the series 2 (t + t^3/3 + ...), here up to t^21. */
static inline double log_of(double x) {
    const int64_t half = 0x3fe6a09e667f3bcdLL; /* sqrt(1/2) */
    int64_t above = bits_of(x) - half;
    int64_t exponent = above >> 52;
    double k = of_bits(bits_of(WHOLE) + exponent) - WHOLE;
    double m = of_bits((above & 0xfffffffffffffLL) + half);
    double f = m - 1.0, t = f / (2.0 + f), z = t * t;
    double s = 1.0 / 21;
    s = s * z + 1.0 / 19;
    s = s * z + 1.0 / 17;
    s = s * z + 1.0 / 15;
    s = s * z + 1.0 / 13;
    s = s * z + 1.0 / 11;
    s = s * z + 1.0 / 9;
    s = s * z + 1.0 / 7;
    s = s * z + 1.0 / 5;
    s = s * z + 1.0 / 3;
    /* 2 t is written as f - t f, so that the rounding error of t affects only the small term. */
    return k * LN2_HIGH + (f - (t * (f - 2.0 * z * s) - k * LN2_LOW));
}

/* Return the negative message of word a on one edge, computed in logarithms. This is for a word whose other sentences
 * almost certainly are not chosen. Then 1 - exp(-S) is the sum of their exp(beta h_ja), which may underflow. */
static double in_logarithms(const Edges *g, int64_t a, int64_t edge, const double *cavity) {
    double largest = -INFINITY, sum = 0.0;
    for (int64_t e = g->word_start[a]; e < g->word_start[a + 1]; e++)
        if (e != edge && cavity[e] > largest) largest = cavity[e];
    if (largest == -INFINITY) return g->log_absent[a];
    for (int64_t e = g->word_start[a]; e < g->word_start[a + 1]; e++)
        if (e != edge) sum += exp_of_negative(cavity[e] - largest);
    double left = g->log_absent[a], right = g->log_present[a] + (largest + log_of(sum));
    double high = left > right ? left : right, low = left > right ? right : left;
    return high == -INFINITY ? high : high + log_of(1.0 + exp_of_negative(low - high));
}

/* A nonnegative number of any size: part * 2^(512 scale). part is 0 or from 2^-256 to 2^256; scale is an integer. */
typedef struct {
    double part, scale;
} Wide;

static inline Wide settled(double part, double scale) {
    if (part >= 0x1p256) return (Wide){part * 0x1p-512, scale + 1};
    if (part < 0x1p-256) return (Wide){part * 0x1p512, scale - 1};
    return (Wide){part, scale};
}

static inline Wide times(Wide a, Wide b) { return settled(a.part * b.part, a.scale + b.scale); }

static inline Wide plus(Wide a, Wide b) {
    if (a.part == 0.0 || b.part == 0.0) return a.part == 0.0 ? b : a;
    if (a.scale < b.scale) return plus(b, a);
    if (a.scale > b.scale + 1) return a;
    return settled(a.part + (a.scale == b.scale ? b.part : b.part * 0x1p-512), a.scale);
}

#define LN_SCALE_HIGH (512 * LN2_HIGH)
#define LN_SCALE_LOW (512 * LN2_LOW)

static Wide wide_exp(double x) {
    if (x < -1e300) return (Wide){0.0, 0};
    double k = floor(x / LN_SCALE_HIGH + 0.5), rest = (x - k * LN_SCALE_HIGH) - k * LN_SCALE_LOW;
    /* If |x| is above 1e16, the rest is only a rounding error, so limit it. */
    double size = exp_of_negative(fabs(rest) > 180.0 ? -180.0 : -fabs(rest));
    return settled(rest > 0 ? 1.0 / size : size, k);
}

/* Put the negative messages of a word of several levels into negative, for g and fields of any size. room must hold
 * levels + 1 numbers for each edge, and levels + 1 more. */
static void in_wide_numbers(const Edges *g, int64_t a, const double *cavity, double *negative, Wide *room) {
    int64_t levels = g->level_start[a + 1] - g->level_start[a], states = levels + 1;
    int64_t from = g->word_start[a], degree = g->word_start[a + 1] - from;
    const double *step = g->step + g->level_start[a];
    const int32_t *count = g->count + from;
    Wide *back = room + degree * states, *row = room;
    for (int64_t n = 0; n < states; n++) row[n] = (Wide){n == 0, 0};
    back[0] = (Wide){1.0, 0};
    for (int64_t n = 1; n < states; n++) back[n] = times(back[n - 1], wide_exp(step[n - 1]));
    for (int64_t e = 0; e + 1 < degree; e++, row += states) {
        double small = 1.0 / (1.0 + exp_of_negative(-fabs(cavity[e])));
        Wide chance = cavity[e] < 0 ? times(wide_exp(cavity[e]), (Wide){small, 0}) : (Wide){small, 0};
        Wide other = cavity[e] < 0 ? (Wide){small, 0} : times(wide_exp(-cavity[e]), (Wide){small, 0});
        for (int64_t n = 0; n < states; n++) row[states + n] = times(other, row[n]);
        for (int64_t n = 0; n < states; n++) {
            int64_t then = n + count[e] < levels ? n + count[e] : levels;
            row[states + then] = plus(row[states + then], times(chance, row[n]));
        }
    }
    for (int64_t e = degree - 1; e >= 0; e--, row -= states) {
        Wide without = {0.0, 0}, with = {0.0, 0};
        double small = 1.0 / (1.0 + exp_of_negative(-fabs(cavity[e])));
        Wide chance = cavity[e] < 0 ? times(wide_exp(cavity[e]), (Wide){small, 0}) : (Wide){small, 0};
        Wide other = cavity[e] < 0 ? (Wide){small, 0} : times(wide_exp(-cavity[e]), (Wide){small, 0});
        for (int64_t n = 0; n < states; n++) {
            Wide then = back[n + count[e] < levels ? n + count[e] : levels];
            without = plus(without, times(row[n], back[n]));
            with = plus(with, times(row[n], then));
            back[n] = plus(times(other, back[n]), times(chance, then));
        }
        double scales = without.scale - with.scale, ratio = without.part / with.part;
        double rest = ratio > 0 && ratio < INFINITY ? log_of(ratio) : ratio > 0 ? INFINITY : -INFINITY;
        negative[e] = rest + scales * LN_SCALE_HIGH + scales * LN_SCALE_LOW;
    }
}

/* Put E[g(m)] / E[g(m + c)] of each edge of a word into joined; return the smallest of all these expectations.
 *
 * states: an even number. g(n) is table[n] for n below it, and top for larger n.
 * count, most: how often the sentence of each edge holds the word, and the largest of these.
 * chance, other: the probability that the sentence of each edge is chosen, and that it is not.
 * room: memory to compute in, for states + most + 2 numbers for each edge and three more edges. */
static inline __attribute__((always_inline)) double join_states(
    int64_t states, const double *table, double top, int64_t degree, const int32_t *count, int64_t most,
    const double *chance, const double *other, double *joined, double *room) {
    int64_t width = states + most + (most & 1);
    double *rows = room + (width - states); /* zeros precede each row, in place of counts below 0 */
    double *back = room + (degree + 1) * width, *next = back + width, *beyond = next + width, least = TOP;
    for (int64_t n = -(width - states); n < states; n++) rows[n] = n == 0;
    beyond[0] = 0.0;
    for (int64_t e = 0; e + 1 < degree; e++) {
        double *restrict after = rows + (e + 1) * width;
        const double *restrict before = rows + e * width, *restrict lower = before - count[e];
        double v = chance[e], u = other[e], passed = 0.0;
        for (int64_t n = -(width - states); n < 0; n++) after[n] = 0.0;
        for (int64_t n = 0; n < states; n += 2) {
            after[n] = u * before[n] + v * lower[n];
            after[n + 1] = u * before[n + 1] + v * lower[n + 1];
        }
        for (int64_t n = states - count[e]; n < states; n++) passed += before[n];
        beyond[e + 1] = beyond[e] + v * passed;
    }
    for (int64_t n = 0; n < width; n++) {
        back[n] = n < states ? table[n] : top;
        next[n] = top;
    }
    for (int64_t e = degree - 1; e >= 0; e--) {
        const double *restrict before = rows + e * width, *restrict upper = back + count[e];
        const double *restrict here = back;
        double *restrict after = next;
        double v = chance[e], u = other[e], without[2] = {beyond[e] * top, 0.0}, with[2] = {beyond[e] * top, 0.0};
        for (int64_t n = 0; n < states; n += 2)
            for (int l = 0; l < 2; l++) {
                without[l] += before[n + l] * here[n + l];
                with[l] += before[n + l] * upper[n + l];
                after[n + l] = u * here[n + l] + v * upper[n + l];
            }
        double low = without[0] + without[1], high = with[0] + with[1], lower = low < high ? low : high;
        least = lower < least ? lower : least;
        joined[e] = low / high;
        double *other_one = back;
        back = next;
        next = other_one;
    }
    return least;
}

/* Do the same as join_states. The compiler unrolls the loops over states if these are few. */
static inline double join_few(int64_t states, const double *table, double top, int64_t degree, const int32_t *count,
                              int64_t most, const double *chance, const double *other, double *joined, double *room) {
#define JOIN(n) join_states(n, table, top, degree, count, most, chance, other, joined, room)
    switch (states) {
        case 2: return JOIN(2);
        case 4: return JOIN(4);
        case 6: return JOIN(6);
        case 8: return JOIN(8);
        case 10: return JOIN(10);
        case 12: return JOIN(12);
        default: return JOIN(states);
    }
#undef JOIN
}

/* Put the probability that the sentence of each edge is chosen into chance, and 1 minus it into other. It is the
 * sigmoid of the cavity field, raised by tilt times the count of the edge. Return the mean number of times that the
 * chosen sentences hold the word. */
static inline double tilted(int64_t degree, const int32_t *count, const double *cavity, double tilt, double *chance,
                            double *other) {
    double mean = 0.0;
    for (int64_t e = 0; e < degree; e++) {
        double x = cavity[e] + tilt * count[e];
        double small = exp_of_negative(-fabs(x)), part = 1.0 / (1.0 + small), rest = small * part;
        chance[e] = x < 0 ? rest : part;
        other[e] = x < 0 ? part : rest;
    }
    for (int64_t e = 0; e < degree; e++) mean += count[e] * chance[e];
    return mean;
}

/* Return the tilt of a word, found by bisection: with it, g(n) exp(-tilt n) is largest at about the mean count n
 * that tilted() returns for the same tilt. */
static inline double find_tilt(int64_t levels, const double *step, int64_t degree, const int32_t *count,
                               const double *cavity, double *chance, double *other) {
    double low = 0.0, high = step[0];
    for (int halved = 0; halved < 64 && high - low > 1.0; halved++) {
        double tilt = 0.5 * (low + high), mean = tilted(degree, count, cavity, tilt, chance, other);
        int64_t steeper = 0;
        while (steeper < levels && step[steeper] > tilt) steeper++;
        if (fabs(mean - (double)steeper) < 1.0) return tilt;
        if (mean < (double)steeper) low = tilt; else high = tilt;
    }
    return high;
}

/* Put exp(-beta hhat) of each edge of one word of several levels into joined.
 *
 * If g exceeds the range of a double, it is tilted: g(n) is replaced by g(n) exp(-t n), and the cavity fields are
 * raised by t times the count c of the edge. The messages are then too small by t c, which mend() corrects. t is
 * chosen so that the tilted g is largest at a likely count, which keeps important terms from underflowing. Return t,
 * which is 0 without a tilt, or -1 if an important term may have underflowed even so. */
static inline double join_levels(const Edges *g, int64_t a, const double *cavity, double *chance, double *other,
                                 double *joined, double *room) {
    const double *step = g->step + g->level_start[a], *factor = g->factor + g->level_start[a];
    int64_t levels = g->level_start[a + 1] - g->level_start[a];
    int64_t degree = g->word_start[a + 1] - g->word_start[a], most = 1;
    const int32_t *count = g->count + g->word_start[a];
    for (int64_t e = 0; e < degree; e++) most = count[e] > most ? count[e] : most;
    double *table = room, tilt = 0.0, range = 0.0;
    int64_t states = levels + (levels & 1), largest = 0;
    room += 2 * levels + 2;
    if (factor[0] < TOP * 2.65e-261) { /* exp(-RANGE) */
        tilt = find_tilt(levels, step, degree, count, cavity, chance, other);
        for (int64_t n = 0; n < levels; n++) range += step[n] < tilt ? step[n] : tilt;
        if (range <= RANGE) tilt = 0.0;
        tilted(degree, count, cavity, tilt, chance, other);
    }
    if (tilt == 0.0) {
        for (int64_t n = 0; n < states; n++) table[n] = n < levels ? factor[n] : TOP;
        return join_few(states, table, TOP, degree, count, most, chance, other, joined, room) < LEAST_SUM ? -1 : 0;
    }
    while (largest < levels && step[largest] > tilt) largest++;
    table[largest] = 1.0;
    for (int64_t n = largest; n > 0; n--) table[n - 1] = table[n] * exp_of_negative(tilt - step[n - 1]);
    for (states = largest + 1; states < 2 * levels && table[states - 1] >= END_OF_TILTED; states++)
        table[states] = table[states - 1] * exp_of_negative((states <= levels ? step[states - 1] : 0.0) - tilt);
    if (table[states - 1] >= END_OF_TILTED) return -1;
    if (states & 1) table[states++] = 0.0;
    return join_few(states, table, 0.0, degree, count, most, chance, other, joined, room) < LEAST_TILTED ? -1 : tilt;
}

/* Put exp(-beta hhat) of each edge of the words from first to end - 1 into joined. Put what join_levels returns for
 * words of several levels into tilt. Return whether a word was tilted or has underflowed, so that mend() is needed. */
static inline int join(const Edges *g, int64_t first, int64_t end, const double *cavity, double *chance,
                       double *other, double *joined, double *tilt, double *room) {
    int64_t start = g->word_start[first];
    double least = 1.0;
    int any = 0;
    for (int64_t a = first; a < end; a++) {
        int64_t from = g->word_start[a] - start, to = g->word_start[a + 1] - start;
        if (g->level_start[a] < g->level_start[a + 1]) {
            tilt[a - first] = join_levels(g, a, cavity + from, chance + from, other + from, joined + from, room);
            any |= tilt[a - first] != 0.0;
            continue;
        }
        double q = 0.0;
        for (int64_t e = from; e < to; e++) {
            joined[e] = q;
            q = chance[e] + other[e] * q;
        }
        q = 0.0;
        for (int64_t e = to - 1; e >= from; e--) {
            double both = joined[e] + (1.0 - joined[e]) * q;
            least = both < least ? both : least;
            joined[e] = g->absent[a] + g->present[a] * both;
            q = chance[e] + other[e] * q;
        }
    }
    return any || least < UNDERFLOW;
}

/* Correct the new values of a word's edges if its sums have underflowed or its g was tilted. new has the old message
 * minus the new message of each edge, as computed from joined. */
static void mend(const Edges *g, int64_t a, const double *cavity, const double *joined, double tilt,
                 const double *old, double *new, double *room) {
    int64_t from = g->word_start[a], degree = g->word_start[a + 1] - from;
    if (g->level_start[a] == g->level_start[a + 1]) {
        for (int64_t e = 0; e < degree; e++)
            if (joined[e] <= g->absent[a] + UNDERFLOW) new[e] = in_logarithms(g, a, from + e, cavity - from) + old[e];
    } else if (tilt < 0.0) {
        in_wide_numbers(g, a, cavity, new, (Wide *)room);
        for (int64_t e = 0; e < degree; e++) new[e] += old[e];
    } else {
        for (int64_t e = 0; e < degree; e++) new[e] -= tilt * g->count[from + e];
    }
}

/* Return the largest absolute value of some numbers. Eight maxima are computed side by side, because each step of a
 * single maximum would have to wait for the step before. */
static inline double farthest(const double *x, int64_t size) {
    double lane[8] = {0};
    for (int64_t e = 0; e + 8 <= size; e += 8)
        for (int l = 0; l < 8; l++) lane[l] = fabs(x[e + l]) > lane[l] ? fabs(x[e + l]) : lane[l];
    for (int64_t e = size - size % 8; e < size; e++) lane[0] = fabs(x[e]) > lane[0] ? fabs(x[e]) : lane[0];
    for (int l = 1; l < 8; l++) lane[0] = lane[l] > lane[0] ? lane[l] : lane[0];
    return lane[0];
}

/* Update the messages of one run: subtract taken times moved from them. Then compute the new messages by Eqs. (4) and
 * (5), and put each message minus its new value into moved. Return the largest absolute value in moved. scratch has
 * room for one number for each sentence and each word, four for each edge, and what join_levels or in_wide_numbers
 * needs for one word. */
WIDE static double step(const Edges *g, const double *own_field, double *message, double *moved, double taken,
                        double *scratch) {
    double *restrict field = scratch, *restrict cavity = field + g->sentences;
    double *restrict chance = cavity + g->edges, *restrict other = chance + g->edges;
    double *restrict joined = other + g->edges, *restrict tilt = joined + g->edges;
    double *restrict room = tilt + g->words, change = 0.0;
    memcpy(field, own_field, sizeof(double) * (size_t)g->sentences);
    for (int64_t e = 0; e < g->edges; e++) {
        message[e] -= taken * moved[e];
        field[g->sentence[e]] += message[e];
    }
    for (int64_t first = 0, end = 0; first < g->words; first = end) {
        int64_t start = g->word_start[first];
        while (end < g->words && (end == first || g->word_start[end + 1] - start <= BLOCK)) end++;
        int64_t size = g->word_start[end] - start;
        const double *restrict old = message + start;
        const int32_t *sentence = g->sentence + start;
        double *restrict new = moved + start;
        for (int64_t e = 0; e < size; e++) cavity[e] = field[sentence[e]] - old[e];
        for (int64_t e = 0; e < size; e++) {
            double small = exp_of_negative(-fabs(cavity[e])), part = 1.0 / (1.0 + small), rest = small * part;
            chance[e] = cavity[e] < 0 ? rest : part;
            other[e] = cavity[e] < 0 ? part : rest;
        }
        int lost = join(g, first, end, cavity, chance, other, joined, tilt, room);
        for (int64_t e = 0; e < size; e++) new[e] = log_of(joined[e]) + old[e];
        if (lost)
            for (int64_t a = first; a < end; a++) {
                int64_t from = g->word_start[a] - start;
                mend(g, a, cavity + from, joined + from, tilt[a - first], old + from, new + from, room);
            }
        double far = farthest(new, size);
        change = far > change ? far : change;
    }
    return change;
}

/* Adapt the damping of a run that settles too slowly: more if its last two updates point in opposite directions
 * (messages oscillate), less if they point in nearly the same direction (messages creep). */
static void adapt(Run *r, int64_t size, const double *now, const double *before) {
    double along = 0.0, squares = 0.0, squares_before = 0.0, taken = 1.0 - r->damping;
    for (int64_t e = 0; e < size; e++) {
        along += now[e] * before[e];
        squares += now[e] * now[e];
        squares_before += before[e] * before[e];
    }
    /* The root of each square is taken first, because the product of the two squares may overflow. */
    double lengths = sqrt(squares) * sqrt(squares_before), cosine = along / (lengths > 1e-150 ? lengths : 1e-150);
    if (r->change > FALL * r->last && cosine < 0) taken *= SHRINK;
    if (r->change > FALL * r->last && cosine > CREEPING) taken *= GROWTH;
    taken = taken < 1.0 - MOST_DAMPING ? 1.0 - MOST_DAMPING : taken;
    r->damping = 1.0 - (taken > 1.0 - LEAST_DAMPING ? 1.0 - LEAST_DAMPING : taken);
    r->last = r->change;
}

/* Update the messages until they settle, or r->most times. Returns 0 if this is done, and 1 after some time, so that
 * Python can handle signals; then it must be called again. moved and before have a number for each edge. moved is 0 at
 * the start, and the last move is applied to message at the end. */
int summc_settle(const Edges *g, const double *own_field, double *message, double *moved, double *before,
                 double *scratch, Run *r) {
    if (!g->edges) {
        r->converged = 1;
        return 0;
    }
    for (int64_t work = 0; work < TURN; work += g->edges) {
        r->change = step(g, own_field, message, moved, 1.0 - r->damping, scratch);
        r->made++;
        if (r->made % LOOK == LOOK - 1) memcpy(before, moved, sizeof(double) * (size_t)g->edges);
        if (r->adapts && r->made % LOOK == 0) adapt(r, g->edges, moved, before);
        r->converged = r->change <= r->tolerance;
        if (r->converged || r->made >= r->most) {
            for (int64_t e = 0; e < g->edges; e++) message[e] -= (1.0 - r->damping) * moved[e];
            return 0;
        }
    }
    return 1;
}
