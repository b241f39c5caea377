/* Logarithms and exponentials that are the same to the last bit on every machine: see text/arithmetic.py.
 *
 * They use only operations that IEEE 754 defines to the last bit: sums, products, quotients, rounding, and scaling by
 * powers of two. The build's flags forbid the compiler to fuse them. The exp and log of messages.c are others: the
 * compiler can turn loops of them into vector instructions, but they take fewer numbers.
 */

#include <math.h>
#include <stdint.h>
#include <string.h>

/* ln 2 in two parts. The first has 21 trailing zero bits, so its product with an exponent is exact. */
#define LN2_HIGH 0.693147180369123816490
#define LN2_LOW 1.90821492927058770002e-10
#define SQRT_HALF 0.70710678118654752440
/* Above the first, exp is inf; below the second, 0. */
#define LARGEST 709.0
#define SMALLEST -745.0

/* Terms of the power series, last one first: 2/3, 2/5, ... of ln((1 + s) / (1 - s)), and 1/2!, 1/3!, ... of exp. */
static const double OF_LOG[] = {2.0 / 23, 2.0 / 21, 2.0 / 19, 2.0 / 17, 2.0 / 15, 2.0 / 13,
                                2.0 / 11, 2.0 / 9,  2.0 / 7,  2.0 / 5,  2.0 / 3};
static const double OF_EXP[] = {1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800,
                                1.0 / 362880,     1.0 / 40320,     1.0 / 5040,     1.0 / 720,
                                1.0 / 120,        1.0 / 24,        1.0 / 6,        1.0 / 2};

static inline double polynomial(const double *terms, int size, double x) {
    double value = terms[0];
    for (int n = 1; n < size; n++) value = value * x + terms[n];
    return value;
}

static double log_of(double x) {
    if (!(x > 0 && x < INFINITY)) return x > 0 ? INFINITY : -INFINITY;
    int exponent;
    double m = frexp(x, &exponent);
    if (m < SQRT_HALF) {
        m = 2 * m;
        exponent--;
    }
    /* ln m = 2 (s + s^3/3 + s^5/5 + ...) for s = (m - 1) / (m + 1), where m is from sqrt(1/2) to sqrt(2). */
    double s = (m - 1) / (m + 1), square = s * s, series = polynomial(OF_LOG, 11, square) * square;
    return exponent * LN2_HIGH + (2 * s + (s * series + exponent * LN2_LOW));
}

/* 2^n, quicker than ldexp, for n from -1022 to 1023. */
static inline double two_to(int64_t n) {
    int64_t bits = (n + 1023) << 52;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static double exp_of(double x) {
    if (!(x >= SMALLEST && x <= LARGEST)) return x > LARGEST ? INFINITY : x < SMALLEST ? 0.0 : x;
    double power = rint(x / (LN2_HIGH + LN2_LOW)), half = floor(power / 2);
    double rest = (x - power * LN2_HIGH) - power * LN2_LOW; /* at most ln 2 / 2 */
    double series = rest + rest * rest * polynomial(OF_EXP, 12, rest);
    /* In two steps, because 2^power may be below the smallest normal number. */
    return (1 + series) * two_to((int64_t)half) * two_to((int64_t)(power - half));
}

/* Put ln x of each number into result; it is -inf for 0, and inf for inf. */
int summc_log(int64_t size, const double *x, double *result) {
    for (int64_t i = 0; i < size; i++) result[i] = log_of(x[i]);
    return 0;
}

/* Put e^x of each number into result. */
int summc_exp(int64_t size, const double *x, double *result) {
    for (int64_t i = 0; i < size; i++) result[i] = exp_of(x[i]);
    return 0;
}

/* Replace each number by the sum of the numbers up to it, from where its word begins; words is their number. */
int summc_accumulate(int64_t words, const int64_t *start, double *value) {
    for (int64_t a = 0; a < words; a++)
        for (int64_t n = start[a] + 1; n < start[a + 1]; n++) value[n] += value[n - 1];
    return 0;
}
