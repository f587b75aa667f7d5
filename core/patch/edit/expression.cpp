// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/patch/edit/expression.h"

#include "core/base/find.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace kernscope::patch {

namespace {

using Op = Expression::Op;

struct Function {
    std::string_view name;
    Op op;
    int arguments;
};
constexpr std::array kFunctions{
    Function{"abs", Op::Abs, 1},     Function{"sign", Op::Sign, 1}, Function{"sqrt", Op::Sqrt, 1},
    Function{"exp", Op::Exp, 1},     Function{"log", Op::Log, 1},   Function{"tanh", Op::Tanh, 1},
    Function{"floor", Op::Floor, 1}, Function{"ceil", Op::Ceil, 1}, Function{"round", Op::Round, 1},
    Function{"min", Op::Min, 2},     Function{"max", Op::Max, 2},   Function{"clip", Op::Clip, 3},
};

bool isLetter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

/// Values that one step is made for at a time: a loop over them for each step, not a walk through
/// the steps for each value.
constexpr std::size_t kRow = 256;

void makeRow(Op op, double *a, const double *b)
{
    const auto each = [a, b](auto &&made) {
        for (std::size_t i = 0; i < kRow; ++i)
            a[i] = made(a[i], b[i]);
    };
    switch (op) {
    case Op::Add: return each([](double x, double y) { return x + y; });
    case Op::Subtract: return each([](double x, double y) { return x - y; });
    case Op::Multiply: return each([](double x, double y) { return x * y; });
    case Op::Divide: return each([](double x, double y) { return x / y; });
    case Op::Min: return each([](double x, double y) { return y < x ? y : x; }); // of NaN: that
    case Op::Max: return each([](double x, double y) { return y > x ? y : x; });
    case Op::Negate: return each([](double x, double) { return -x; });
    case Op::Abs: return each([](double x, double) { return std::abs(x); });
    case Op::Sign: return each([](double x, double) { return x > 0 ? 1.0 : x < 0 ? -1.0 : x; });
    case Op::Sqrt: return each([](double x, double) { return std::sqrt(x); });
    case Op::Exp: return each([](double x, double) { return std::exp(x); });
    case Op::Log: return each([](double x, double) { return std::log(x); });
    case Op::Tanh: return each([](double x, double) { return std::tanh(x); });
    case Op::Floor: return each([](double x, double) { return std::floor(x); });
    case Op::Ceil: return each([](double x, double) { return std::ceil(x); });
    default: return each([](double x, double) { return std::nearbyint(x); });
    }
}

int argumentsOf(Op op)
{
    if (op == Op::Number || op == Op::Value)
        return 0;
    if (op == Op::Clip)
        return 3;
    const bool two = op == Op::Add || op == Op::Subtract || op == Op::Multiply ||
                     op == Op::Divide || op == Op::Min || op == Op::Max;
    return two ? 2 : 1;
}

} // namespace

/// Recursive descent: sums of products of signed terms.
class ExpressionParser
{
public:
    explicit ExpressionParser(const Piece &text) : m_text(text) {}

    Result<Expression> run()
    {
        TRY(sum());
        skip();
        if (m_at < m_text.text.size())
            return syntaxError(m_text.part(m_at), "an operator, or the end");
        return std::move(m_result);
    }

private:
    void skip()
    {
        while (m_at < m_text.text.size() && m_text.text[m_at] == ' ')
            ++m_at;
    }
    bool take(char c)
    {
        skip();
        if (m_at >= m_text.text.size() || m_text.text[m_at] != c)
            return false;
        ++m_at;
        return true;
    }
    Result<void> add(Op op, double number = 0)
    {
        if (m_result.m_steps.size() == Expression::kMostSteps)
            return syntaxError(m_text.part(m_at), "a shorter expression");
        m_result.m_steps.push_back({op, number});
        return {};
    }

    Result<void> sum()
    {
        auto done = product();
        while (done) {
            const bool plus = take('+');
            if (!plus && !take('-'))
                break;
            done = product();
            if (done)
                done = add(plus ? Op::Add : Op::Subtract);
        }
        return done;
    }

    Result<void> product()
    {
        auto done = term();
        while (done) {
            const bool times = take('*');
            if (!times && !take('/'))
                break;
            done = term();
            if (done)
                done = add(times ? Op::Multiply : Op::Divide);
        }
        return done;
    }

    Result<void> term()
    {
        if (++m_depth > Expression::kMostNested)
            return syntaxError(m_text.part(m_at), "fewer brackets in each other");
        skip();
        Result<void> done;
        const char c = m_at < m_text.text.size() ? m_text.text[m_at] : '\0';
        if (take('-')) {
            done = term();
            if (done)
                done = add(Op::Negate);
        } else if (take('(')) {
            done = sum();
            if (done && !take(')'))
                done = syntaxError(m_text.part(m_at), ")");
        } else if (isLetter(c)) {
            done = name();
        } else {
            done = number();
        }
        --m_depth;
        return done;
    }

    Result<void> number()
    {
        std::size_t end = m_at;
        const auto &text = m_text.text;
        while (end < text.size() && (isDigit(text[end]) || text[end] == '.' ||
                                     ((text[end] == 'e' || text[end] == 'E') && end > m_at) ||
                                     ((text[end] == '-' || text[end] == '+') && end > m_at &&
                                      (text[end - 1] == 'e' || text[end - 1] == 'E'))))
            ++end;
        const Piece digits = m_text.part(m_at, end - m_at);
        if (digits.text.empty())
            return syntaxError(m_text.part(m_at), "a number, w, a function or (");
        const auto value = TRY(parseNumber(digits));
        m_at = end;
        return add(Op::Number, value);
    }

    Result<void> name()
    {
        std::size_t end = m_at;
        while (end < m_text.text.size() && isLetter(m_text.text[end]))
            ++end;
        const Piece word = m_text.part(m_at, end - m_at);
        if (word.text == "w") {
            m_at = end;
            return add(Op::Value);
        }
        const auto *function = findBy(kFunctions, &Function::name, word.text);
        if (!function)
            return syntaxError(word,
                               "w, abs, sign, sqrt, exp, log, tanh, floor, ceil, round, min, max "
                               "or clip");
        m_at = end;
        if (!take('('))
            return syntaxError(m_text.part(m_at), "(");
        for (int argument = 0; argument < function->arguments; ++argument) {
            if (argument > 0 && !take(','))
                return syntaxError(m_text.part(m_at), ", and another argument");
            TRY(sum());
        }
        if (!take(')'))
            return syntaxError(m_text.part(m_at), ")");
        return add(function->op);
    }

    Piece m_text;
    std::size_t m_at = 0;
    int m_depth = 0;
    Expression m_result;
};

Result<Expression> Expression::parse(const Piece &text)
{
    return ExpressionParser(text).run();
}

std::size_t Expression::depth() const
{
    std::size_t now = 0, most = 1;
    for (const Step &step : m_steps) {
        now += 1 - static_cast<std::size_t>(argumentsOf(step.op));
        most = std::max(most, now);
    }
    return most;
}

void Expression::apply(std::span<double> values) const
{
    std::vector<double> rows((depth() + 1) * kRow); // the last one: beside those of one value
    for (std::size_t at = 0; at < values.size(); at += kRow) {
        const std::size_t count = std::min(kRow, values.size() - at);
        double *top = rows.data();
        for (const Step &step : m_steps) {
            const int arguments = argumentsOf(step.op);
            top -= static_cast<std::size_t>(arguments) * kRow;
            if (step.op == Op::Value) {
                std::copy_n(values.data() + at, count, top);
            } else if (step.op == Op::Number) {
                std::fill_n(top, kRow, step.number);
            } else if (step.op == Op::Clip) {
                makeRow(Op::Max, top, top + kRow);
                makeRow(Op::Min, top, top + 2 * kRow);
            } else {
                makeRow(step.op, top, top + kRow);
            }
            top += kRow;
        }
        std::copy_n(rows.data(), count, values.data() + at);
    }
}

} // namespace kernscope::patch
