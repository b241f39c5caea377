/* Subgradient steps on the prices of words, which lower a proven upper bound: see selectors/bounds.py.
 *
 * A filling says which fraction x_i of each sentence is chosen. Prices p_a from 0 to the weight w_a of each word prove
 * the bound
 *
 *     max over fillings of sum_i x_i worth_i  +  sum over a and n of max(0, v_an - p_a),
 *
 * where v_an is the weight of the nth occurrence of word a, and worth_i the own weight of sentence i plus the prices of
 * its other words. The sum of x_i c_i is at most the budget, and x_i is from 0 to 1; or 0 or 1, if whole sentences are
 * asked for.
 *
 * All sums are added up in a fixed order, so the bound is the same on every machine.
 */

#include <math.h>
#include <stdint.h>
#include <string.h>

/* summc_lower returns after this much work, so that Python can handle signals. */
#define TURN 20000000
/* After this many steps without progress the step length is halved. At SHORTEST the search ends. */
#define PATIENCE 10
#define SHORTEST 1e-3
/* The direction of a step is the slope plus this share of the direction before it, which damps zigzags. */
#define MOMENTUM 0.8

/* At the start, bound is INFINITY, scale is 1, direction is 0 for all words, and order has every sentence. step, since
 * and summed are 0. */
typedef struct {
    int64_t sentences, words, edges;
    const double *cost, *own, *weight, *repeats;
    const int64_t *edge_sentence, *edge_word, *count;
    const int64_t *repeats_start;     /* where the weights of each word's occurrences after the first begin */
    double budget, known;             /* known is a weight that some selection covers: the search stops there */
    int64_t steps, whole;             /* the most steps; the budget if whole sentences are asked for, and else -1 */
    double *prices, *direction;       /* of the words */
    double *lowest, *worth, *filling; /* the prices that give the lowest bound, and what was found with them */
    double *fillings;                 /* the sum of the fillings of the second half of the steps */
    double bound, scale;              /* the lowest bound; the length of steps */
    int64_t step, since, summed;      /* steps so far, steps since the last progress, fillings in fillings */
    double *room; /* to compute in: two numbers for each sentence, one for each word, and the most that a sum has */
    int64_t *order, *left;            /* the sentences by falling worth per cost; as much room again */
    double *best;                     /* whole sentences: the most that sentences of each cost are worth */
    uint8_t *taken;                   /* whole sentences: whether this needs a sentence, for each sentence and cost */
} Prices;

/* Add numbers up as NumPy does: in eight sums side by side, and long rows by halves. */
static double sum(const double *x, int64_t size) {
    double result = 0.0, lane[8];
    int64_t i = 0;
    if (size > 128) {
        int64_t half = size / 2 - size / 2 % 8;
        return sum(x, half) + sum(x + half, size - half);
    }
    if (size >= 8) {
        memcpy(lane, x, sizeof lane);
        for (i = 8; i < size - size % 8; i += 8)
            for (int l = 0; l < 8; l++) lane[l] += x[i + l];
        result = ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]));
    }
    for (; i < size; i++) result += x[i];
    return result;
}

static inline int precedes(const double *ratio, int64_t i, int64_t j) {
    return ratio[i] > ratio[j] || (ratio[i] == ratio[j] && i < j);
}

/* Sort the sentences by falling ratio, then by index. Merge sort is quick here: the order changes little in a step. */
static void sort(int64_t size, const double *ratio, int64_t *order, int64_t *left) {
    for (int64_t width = 1; width < size; width *= 2)
        for (int64_t low = 0; low + width < size; low += 2 * width) {
            int64_t middle = low + width, high = middle + width < size ? middle + width : size;
            if (precedes(ratio, order[middle - 1], order[middle])) continue;
            memcpy(left, order + low, sizeof(int64_t) * (size_t)width);
            for (int64_t i = 0, j = middle, k = low; i < width; k++)
                order[k] = j < high && precedes(ratio, order[j], left[i]) ? order[j++] : left[i++];
        }
}

/* Fill the budget by falling worth per cost; the last sentence may fit in part. Return what the filling is worth. */
static double fill(Prices *p, const double *worth, double *x, double *terms) {
    double spent = 0.0;
    for (int64_t i = 0; i < p->sentences; i++) terms[i] = p->cost[i] > 0 ? worth[i] / p->cost[i] : INFINITY;
    sort(p->sentences, terms, p->order, p->left);
    for (int64_t k = 0; k < p->sentences; k++) {
        int64_t i = p->order[k];
        double cost = p->cost[i];
        spent += cost;
        double room = p->budget - (spent - cost);
        room = room < 0 ? 0 : room;
        x[i] = cost > 0 ? (room < cost ? room : cost) / cost : 1.0;
    }
    for (int64_t i = 0; i < p->sentences; i++) terms[i] = worth[i] * x[i];
    return sum(terms, p->sentences);
}

/* Fill the budget by the whole sentences that are worth the most together. Return what they are worth. */
static double fill_whole(Prices *p, const double *worth, double *x, double *terms) {
    int64_t total = p->whole, chosen = 0;
    memset(p->best, 0, sizeof(double) * (size_t)(total + 1));
    for (int64_t i = 0; i < p->sentences; i++) {
        int64_t cost = (int64_t)p->cost[i];
        uint8_t *taken = p->taken + i * (total + 1);
        for (int64_t c = total; c >= 0; c--) {
            double more = c >= cost ? p->best[c - cost] + worth[i] : -1.0;
            taken[c] = more > p->best[c];
            if (taken[c]) p->best[c] = more;
        }
    }
    for (int64_t i = p->sentences - 1, left = total; i >= 0; i--) {
        x[i] = p->taken[i * (total + 1) + left];
        if (x[i] > 0) left -= (int64_t)p->cost[i];
    }
    for (int64_t i = 0; i < p->sentences; i++)
        if (x[i] > 0) terms[chosen++] = worth[i];
    return sum(terms, chosen);
}

/* Return by how much weights of occurrences exceed the prices of their words, in all. */
static double excess(const Prices *p, double *terms) {
    for (int64_t a = 0; a < p->words; a++) terms[a] = p->weight[a] - p->prices[a];
    double first = sum(terms, p->words);
    for (int64_t a = 0; a < p->words; a++)
        for (int64_t n = p->repeats_start[a]; n < p->repeats_start[a + 1]; n++)
            terms[n] = p->repeats[n] > p->prices[a] ? p->repeats[n] - p->prices[a] : 0.0;
    return first + sum(terms, p->repeats_start[p->words]);
}

/* Put how fast the bound falls as the price of each word is lowered into slope. */
static void find_slope(const Prices *p, const double *x, double *slope) {
    memset(slope, 0, sizeof(double) * (size_t)p->words);
    for (int64_t e = 0; e < p->edges; e++) slope[p->edge_word[e]] += x[p->edge_sentence[e]] * (double)p->count[e];
    for (int64_t a = 0; a < p->words; a++) {
        int64_t dearer = 0;
        for (int64_t n = p->repeats_start[a]; n < p->repeats_start[a + 1]; n++) dearer += p->repeats[n] > p->prices[a];
        slope[a] = slope[a] - 1 - (double)dearer;
    }
}

/* Find the bound of the prices, and the filling there; keep them if the bound is the lowest. Then change the prices.
 * Return whether another step may lower the bound.
 *
 * If the filling holds a word more often than the occurrences of the word that weigh more than its price, the price is
 * lowered; if less often, raised. The price of a word is a Lagrange multiplier, and the length of a step is that of
 * Polyak: it would reach the bound known if the bound were linear. */
static int step(Prices *p) {
    int64_t n = p->sentences, m = p->words;
    double *x = p->room, *worth = x + n, *slope = worth + n, *terms = slope + m;
    memset(worth, 0, sizeof(double) * (size_t)n);
    for (int64_t e = 0; e < p->edges; e++)
        worth[p->edge_sentence[e]] += p->prices[p->edge_word[e]] * (double)p->count[e];
    for (int64_t i = 0; i < n; i++) worth[i] = p->own[i] + worth[i];
    double above = excess(p, terms);
    double bound = above + (p->whole < 0 ? fill(p, worth, x, terms) : fill_whole(p, worth, x, terms));
    if (p->step == p->steps / 2) p->summed = 0;
    for (int64_t i = 0; i < n; i++) p->fillings[i] = (p->summed ? p->fillings[i] : 0.0) + x[i];
    p->summed++;
    p->step++;
    p->since = bound < p->bound * (1 - 1e-6) ? 0 : p->since + 1;
    if (bound < p->bound || p->step == 1) { /* the first is kept even if it overflows */
        p->bound = bound;
        memcpy(p->lowest, p->prices, sizeof(double) * (size_t)m);
        memcpy(p->worth, worth, sizeof(double) * (size_t)n);
        memcpy(p->filling, x, sizeof(double) * (size_t)n);
    }
    if (p->since == PATIENCE) {
        p->scale /= 2;
        p->since = 0;
    }
    find_slope(p, x, slope);
    for (int64_t a = 0; a < m; a++) {
        double way = slope[a] + MOMENTUM * p->direction[a]; /* positive lowers the price */
        int at_end = way < 0 ? p->prices[a] >= p->weight[a] : p->prices[a] <= 0;
        p->direction[a] = at_end ? 0.0 : way;
        terms[a] = p->direction[a] * p->direction[a];
    }
    double length = sum(terms, m);
    if (length == 0 || p->bound <= p->known || p->scale < SHORTEST) return 0;
    double size = p->scale * (bound - p->known) / length;
    for (int64_t a = 0; a < m; a++) {
        double price = p->prices[a] - size * p->direction[a];
        price = price < 0 ? 0 : price;
        p->prices[a] = price < p->weight[a] ? price : p->weight[a];
    }
    return p->step < p->steps;
}

/* Change the prices until the bound is known to be the best, or short steps do not lower it, or p->steps times. Returns
 * 0 if this is done, and 1 after some time; then it must be called again. */
int summc_lower(Prices *p) {
    int64_t each = p->edges + p->words + p->sentences * (p->whole < 0 ? 20 : p->whole + 1) + 1;
    for (int64_t work = 0; work < TURN; work += each)
        if (!step(p)) return 0;
    return 1;
}
