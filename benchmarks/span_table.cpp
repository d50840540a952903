// The span table of src/permutopic/model/kernels/span_table.py once more, as a yardstick for the
// compiled Python: the same loops over the same arrays, eight topics beside four starts.
//
// It comes in two shapes that differ in the inner loop alone. `fill_spans_plain` leaves finding
// the vectors to the compiler; `fill_spans_vectors` names them, by an extension of GCC and Clang.

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace {

constexpr int64_t LANES = 8, STARTS = 4, WIDE = LANES * STARTS;
constexpr double LN2 = 0.6931471805599453;
constexpr double LN2_HIGH = 0.693147180369123816490, LN2_LOW = 1.90821492927058770002e-10;
constexpr int64_t SQRT_HALF_BITS = 0x3FE6A09E667F3BCD, ONE_BITS = 0x3FF0000000000000;

// One document between its cuts, as in `span_table.CutDocument`.
struct Text {
    const int32_t *__restrict tokens;
    const int64_t *__restrict cut_tokens;
    const int64_t *__restrict reach;
    int64_t n_cuts;
};

// As in `span_table.Scratch`.
struct Scratch {
    double *__restrict seen;
    double *__restrict products;
    double *__restrict exponents;
    double *__restrict logs;
    double *__restrict powers;
};

inline int64_t bits_of(double x) {
    int64_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    return bits;
}

inline double from_bits(int64_t bits) {
    double x;
    std::memcpy(&x, &bits, sizeof x);
    return x;
}

// ln x of a positive normal float, as `elementary.fast_log`.
inline double fast_log(double x) {
    const int64_t bits = bits_of(x);
    const int64_t exponent = (bits - SQRT_HALF_BITS) >> 52;
    const double m = from_bits(bits - (exponent << 52));
    const double f = (m - 1.0) / (m + 1.0);
    const double s = f * f;
    double series = 0.1461644968504340586;
    series = series * s + 0.1533172160055604127;
    series = series * s + 0.1818288912526172208;
    series = series * s + 0.2222221113479507986;
    series = series * s + 0.2857142862597548492;
    series = series * s + 0.3999999999989950449;
    series = series * s + 0.6666666666666669686;
    const double e = static_cast<double>(exponent);
    return e * LN2_HIGH + (f * (2.0 + s * series) + e * LN2_LOW);
}

// The inner loop: the factors of some tokens into the products of four starts and eight topics.
struct Plain {
    static void multiply(const int32_t *__restrict tokens, int64_t first, int64_t last,
                         const double *__restrict rows, double *__restrict seen,
                         double *__restrict products) {
        double a[LANES], b[LANES], c[LANES], d[LANES];
        for (int lane = 0; lane < LANES; ++lane) {
            a[lane] = products[lane];
            b[lane] = products[LANES + lane];
            c[lane] = products[2 * LANES + lane];
            d[lane] = products[3 * LANES + lane];
        }
        for (int64_t token = first; token < last; ++token) {
            const uint64_t word = static_cast<uint64_t>(tokens[token]);
            const double *__restrict row = rows + word * LANES;
            double *__restrict met = seen + word * STARTS;
            const double m0 = met[0], m1 = met[1], m2 = met[2], m3 = met[3];
            for (int lane = 0; lane < LANES; ++lane) {
                a[lane] *= row[lane] + m0;
                b[lane] *= row[lane] + m1;
                c[lane] *= row[lane] + m2;
                d[lane] *= row[lane] + m3;
            }
            met[0] = m0 + 1.0;
            met[1] = m1 + 1.0;
            met[2] = m2 + 1.0;
            met[3] = m3 + 1.0;
        }
        for (int lane = 0; lane < LANES; ++lane) {
            products[lane] = a[lane];
            products[LANES + lane] = b[lane];
            products[2 * LANES + lane] = c[lane];
            products[3 * LANES + lane] = d[lane];
        }
    }
};

// Arrays of numpy begin at any multiple of 8 bytes, hence the alignment.
typedef double Lanes __attribute__((vector_size(64), aligned(8), may_alias));
typedef double Four __attribute__((vector_size(32), aligned(8), may_alias));

struct Vectors {
    static void multiply(const int32_t *__restrict tokens, int64_t first, int64_t last,
                         const double *__restrict rows, double *__restrict seen,
                         double *__restrict products) {
        Lanes *products_of = reinterpret_cast<Lanes *>(products);
        Lanes a = products_of[0], b = products_of[1], c = products_of[2], d = products_of[3];
        for (int64_t token = first; token < last; ++token) {
            const uint64_t word = static_cast<uint64_t>(tokens[token]);
            const Lanes row = *reinterpret_cast<const Lanes *>(rows + word * LANES);
            double *met = seen + word * STARTS;
            a *= row + met[0];
            b *= row + met[1];
            c *= row + met[2];
            d *= row + met[3];
            *reinterpret_cast<Four *>(met) += 1.0;
        }
        products_of[0] = a;
        products_of[1] = b;
        products_of[2] = c;
        products_of[3] = d;
    }
};

inline void shed_exponents(double *__restrict products, double *__restrict exponents) {
    for (int64_t n = 0; n < WIDE; ++n) {
        const int64_t exponent = (bits_of(products[n]) - ONE_BITS) >> 52;
        products[n] = from_bits(bits_of(products[n]) - (exponent << 52));
        exponents[n] += static_cast<double>(exponent);
    }
}

// The n-th of `stored` cuts, for the lanes that hold a topic.
inline void note(const Scratch &scratch, int64_t n, int64_t stored, int64_t width) {
    int64_t row = n;
    for (int64_t lane = 0; lane < width; ++lane) {
        for (int64_t start = 0; start < STARTS; ++start) {
            scratch.logs[row] = scratch.products[start * LANES + lane];
            scratch.powers[row] = scratch.exponents[start * LANES + lane];
            row += stored;
        }
    }
}

inline void take_logs(double *__restrict logs, const double *__restrict powers, int64_t size) {
    for (int64_t n = 0; n < size; ++n) {
        logs[n] = fast_log(logs[n]) + powers[n] * LN2;
    }
}

template <class Inner>
void walk(const Text &text, const double *rows, int64_t block, int64_t first, int64_t width,
          const Scratch &scratch) {
    double *products = scratch.products, *exponents = scratch.exponents, *seen = scratch.seen;
    std::fill(products, products + WIDE, 1.0);
    std::fill(exponents, exponents + WIDE, 0.0);
    std::fill(seen, seen + text.reach[first] * STARTS, 0.0);
    for (int64_t cut = first + 1; cut < text.n_cuts; ++cut) {
        int64_t here = text.cut_tokens[cut - 1];
        const int64_t end = text.cut_tokens[cut];
        while (here < end) {
            const int64_t stop = std::min(end, here + block);
            Inner::multiply(text.tokens, here, stop, rows, seen, products);
            shed_exponents(products, exponents);
            here = stop;
        }
        note(scratch, cut - first - 1, text.n_cuts - first - 1, width);
        for (int64_t start = cut - first; start < STARTS; ++start) {
            std::fill(products + start * LANES, products + (start + 1) * LANES, 1.0);
            std::fill(exponents + start * LANES, exponents + (start + 1) * LANES, 0.0);
            for (int64_t token = text.cut_tokens[cut - 1]; token < end; ++token) {
                seen[text.tokens[token] * STARTS + start] = 0.0;
            }
        }
    }
}

template <class Inner>
void fill_spans(double *__restrict scores, int64_t n_topics, int64_t n_starts, int64_t pitch,
                const Text &text, const double *rows, int64_t n_words,
                const int64_t *__restrict held, const double *__restrict log_gamma, int64_t block,
                const Scratch &scratch) {
    const int64_t *__restrict cut_tokens = text.cut_tokens;
    const double *__restrict logs = scratch.logs;
    const int64_t n_groups = (n_topics + LANES - 1) / LANES;
    for (int64_t group = 0; group < n_groups; ++group) {
        for (int64_t first = 0; first < n_starts; first += STARTS) {
            const int64_t width = std::min(LANES, n_topics - group * LANES);
            const int64_t stored = text.n_cuts - first - 1;
            walk<Inner>(text, rows + group * n_words * LANES, block, first, width, scratch);
            take_logs(scratch.logs, scratch.powers, width * STARTS * stored);
            for (int64_t lane = 0; lane < width; ++lane) {
                const int64_t topic = group * LANES + lane;
                for (int64_t start = first; start < std::min(first + STARTS, n_starts); ++start) {
                    const double *__restrict behind = log_gamma + held[topic] - cut_tokens[start];
                    const double below = log_gamma[held[topic]];
                    double *__restrict out = scores + (topic * n_starts + start) * pitch;
                    const double *__restrict above =
                        logs + (lane * STARTS + start - first) * stored - first - 1;
                    for (int64_t cut = start + 1; cut < text.n_cuts; ++cut) {
                        out[cut] = above[cut] - (behind[cut_tokens[cut]] - below);
                    }
                }
            }
        }
    }
}

}  // namespace

#define FILL_SPANS(NAME, INNER)                                                                    \
    extern "C" void NAME(double *scores, int64_t n_topics, int64_t n_starts, int64_t pitch,        \
                         const int32_t *tokens, const int64_t *cut_tokens, const int64_t *reach,   \
                         int64_t n_cuts, const double *rows, int64_t n_words,                      \
                         const int64_t *held, const double *log_gamma, int64_t block,              \
                         double *seen, double *products, double *exponents, double *logs,          \
                         double *powers) {                                                         \
        fill_spans<INNER>(scores, n_topics, n_starts, pitch,                                       \
                          Text{tokens, cut_tokens, reach, n_cuts}, rows, n_words, held,            \
                          log_gamma, block, Scratch{seen, products, exponents, logs, powers});     \
    }

FILL_SPANS(fill_spans_plain, Plain)
FILL_SPANS(fill_spans_vectors, Vectors)
