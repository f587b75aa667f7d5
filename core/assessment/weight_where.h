// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/weight_facts.h"

/// Which weights are meant, in the small language of the window's filter.
namespace kernscope {

/// What is not in the tables of a bundle: worked out only where a term asks for it.
struct WhereFacts {
    std::optional<double> zeros; ///< share of zeros, 0 to 1; empty: not counted
    /// What a chip does with the weight; may be empty.
    std::function<std::optional<decision::Outcome>(const target::Target &)> outcome;
};

/// Terms separated by spaces, which must all hold; a minus before a term negates it:
///
///     conv_1            the name, function, form, or an operation that reads it has these letters
///     form:sparse       also name, function, op, type, source
///     bytes>1M          also elements, ratio, zeros, axes; > >= < <= =; k, M, G, Ki, Mi, Gi, KB, %
///     folds:M1          also streams, dense, rejected; any name of a chip
///
/// Letters count in either case. A figure that is not known makes no term true, nor its reverse.
class WeightWhere
{
public:
    WeightWhere() = default;
    /// Errors: "where.term" (with the term, and what it may be), "target.name".
    static Result<WeightWhere> parse(std::string_view text);

    bool empty() const { return m_terms.empty(); }
    bool needsZeros() const;
    /// The chips that terms name, each once.
    std::vector<const target::Target *> targets() const;
    bool passes(const Weight &weight, const WhereFacts &facts) const;

private:
    enum class Kind : std::uint8_t { Letters, Number, Outcome };
    enum class Compare : std::uint8_t { More, AtLeast, Less, AtMost, Equal };
    struct Term {
        Kind kind = Kind::Letters;
        bool negated = false;
        std::string key, letters; ///< lower case; no key: any text of the weight
        Compare compare = Compare::Equal;
        double number = 0;
        const target::Target *target = nullptr;
        decision::Outcome outcome = decision::Outcome::Unknown;
    };
    static Result<Term> parseTerm(std::string_view text);
    static std::optional<bool> holds(const Term &term, const Weight &weight,
                                     const WhereFacts &facts);

    std::vector<Term> m_terms;
};

/// By weight of the bundle, whether it passes; `zeros` is empty or has one entry a weight.
std::vector<bool> selectWeights(const Bundle &bundle, const WeightWhere &where,
                                const std::vector<std::optional<double>> &zeros = {});

/// What a term that begins with `word` can become, in the order in which people need it: keys
/// ("form:", "bytes>") as long as no key is whole, then the values that the weights have for it, or
/// the names of the chips. A minus in front is kept. Letters count in either case; a word that is
/// whole already has no completions. At most `most`.
std::vector<std::string> whereCompletions(std::string_view word, std::span<const Weight> weights,
                                          std::size_t most = 40);

} // namespace kernscope
