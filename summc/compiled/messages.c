/* Eqs. (4) and (5) on all edges, compiled: the same quantities as updates.py has in numpy, in other words.
 *
 * They need one exp and one log an edge. With v_j = sigmoid(beta h_ja), a word that sentence i asks hears
 * exp(-S), the product of 1 - v_j over the other sentences j, and 1 - exp(-S) is had without cancellation by
 * joining them one by one, q <- v_j + (1 - v_j) q, from the front and from the back of the word's list.
 *
 * exp and log are our own, of plain arithmetic: so loops of them become vector instructions, and as nothing is
 * contracted or reordered (see the flags of the build) the messages are the same on every machine.
 */

#include <math.h>
#include <stdint.h>
#include <string.h>

/* As in updates.py: below this a sum of exponentials has underflowed, or is about to. */
#define UNDERFLOW 1e-290
/* Edges that are worked on together: their numbers stay in the nearest cache. */
#define BLOCK 1024

#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__)
#define WIDE __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define WIDE
#endif

typedef struct {
    int64_t sentences, words, edges;
    const int64_t *word_start;  /* where the edges of each word begin: they stand word by word */
    const int32_t *sentence;    /* of each edge */
    const double *present, *absent, *log_present, *log_absent; /* of each word */
} Edges;

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

#define LN2_HIGH 6.93147180369123816490e-01 /* its last 21 bits are 0, so that its small multiples are exact */
#define LN2_LOW 1.90821492927058770002e-10
#define LOG2_E 1.44269504088896338700e+00
#define WHOLE 6755399441055744.0 /* 1.5 2^52: what is added to it is rounded to a whole number, in the low bits */

/* exp(x) for x <= 0; 0 below -708, where what is to come no longer is a normal number. x = k ln 2 + r, |r| <=
 * ln 2 / 2, and the series of exp(r) to the 13th power is exact to the last bit but one. */
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

/* log(x) of a normal number. x = 2^k m, m from sqrt(1/2) to sqrt(2); with t = (m - 1)/(m + 1) ln m is the series
 * 2 (t + t^3/3 + ...), to the 21st power. */
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
    /* 2 t = f - t f: the rounding of t counts only in the small part. */
    return k * LN2_HIGH + (f - (t * (f - 2.0 * z * s) - k * LN2_LOW));
}

/* What a word tells a sentence where all others are next to certainly not chosen, in logarithms: 1 - exp(-S) is
 * the sum of their exp(beta h_ja) then. */
static double in_logarithms(const Edges *g, int64_t a, int64_t edge, const double *cavity) {
    double largest = -INFINITY, sum = 0.0;
    for (int64_t e = g->word_start[a]; e < g->word_start[a + 1]; e++)
        if (e != edge && cavity[e] > largest) largest = cavity[e];
    if (largest == -INFINITY) return g->log_absent[a];
    for (int64_t e = g->word_start[a]; e < g->word_start[a + 1]; e++)
        if (e != edge) sum += exp(cavity[e] - largest);
    double left = g->log_absent[a], right = g->log_present[a] + (largest + log(sum));
    double high = left > right ? left : right, low = left > right ? right : left;
    return high == -INFINITY ? high : high + log1p(exp(low - high));
}

/* Put into joined, for each edge of some words, 1 - exp(-S); return whether any is next to nothing. */
static inline int join(const Edges *g, int64_t first, int64_t end, const double *chance, const double *other,
                       double *joined) {
    int64_t start = g->word_start[first];
    double least = 1.0;
    for (int64_t a = first; a < end; a++) {
        int64_t from = g->word_start[a] - start, to = g->word_start[a + 1] - start;
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
    return least < UNDERFLOW;
}

/* The largest of some numbers, their signs aside: in eight lanes, since a maximum waits for the one before. */
static inline double farthest(const double *x, int64_t size) {
    double lane[8] = {0};
    for (int64_t e = 0; e + 8 <= size; e += 8)
        for (int l = 0; l < 8; l++) lane[l] = fabs(x[e + l]) > lane[l] ? fabs(x[e + l]) : lane[l];
    for (int64_t e = size - size % 8; e < size; e++) lane[0] = fabs(x[e]) > lane[0] ? fabs(x[e]) : lane[0];
    for (int l = 1; l < 8; l++) lane[0] = lane[l] > lane[0] ? lane[l] : lane[0];
    return lane[0];
}

/* Move the messages of a run by a part of how far they were from where they go, and put into moved how far they
 * are from what Eqs. (4) and (5) make of all of them now; return how far at most. scratch has room for a number of each sentence and for four of each edge. */
WIDE static double step(const Edges *g, const double *own_field, double *message, double *moved, double taken,
                        double *scratch) {
    double *restrict field = scratch, *restrict cavity = field + g->sentences;
    double *restrict chance = cavity + g->edges, *restrict other = chance + g->edges;
    double *restrict joined = other + g->edges, change = 0.0;
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
        int lost = join(g, first, end, chance, other, joined);
        for (int64_t e = 0; e < size; e++) new[e] = log_of(joined[e]) + old[e];
        if (lost)
            for (int64_t a = first; a < end; a++)
                for (int64_t e = g->word_start[a]; e < g->word_start[a + 1]; e++)
                    if (joined[e - start] <= g->absent[a] + UNDERFLOW)
                        moved[e] = in_logarithms(g, a, e, cavity - start) + message[e];
        double far = farthest(new, size);
        change = far > change ? far : change;
    }
    return change;
}

/* The same for several runs: of each the own fields, the messages and how far they move are a row. */
void summc_step(const Edges *g, int64_t runs, const double *own_field, double *message, double *moved,
                const double *taken, double *change, double *scratch) {
    for (int64_t r = 0; r < runs; r++)
        change[r] = step(g, own_field + r * g->sentences, message + r * g->edges, moved + r * g->edges, taken[r],
                         scratch);
}
