// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/difference_rows.h"

#include "core/base/printable.h"
#include "core/base/utf8.h"
#include "core/bundle/bundle.h"
#include "core/report/number_text.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <system_error>
#include <variant>

#include <fmt/format.h>

namespace kernscope::report {

namespace {

std::string faultsOf(const CheckedDifference &checked, const std::string &weight)
{
    std::string text;
    for (const LimitFault &fault : checked.faults) {
        if (fault.weight == weight)
            text += (text.empty() ? "" : "; ") + faultText(fault);
    }
    return text;
}

/// With the limits that its weight exceeds.
PairFacts checkedRow(const CheckedDifference &checked, PairFacts facts)
{
    facts.limits = faultsOf(checked, facts.name.empty() ? facts.nameB : facts.name);
    return facts;
}

/// Length of the UTF-8 sequence that begins there; 0 where none does that XML can hold.
std::size_t sequenceLength(std::string_view text)
{
    const auto [value, bytes] = utf8LetterAt(text);
    const bool control =
        (value < 0x20 && value != '\t' && value != '\n') || (value >= 0x80 && value < 0xA0);
    return control || value == 0xFFFE || value == 0xFFFF ? 0 : bytes;
}

} // namespace

std::vector<PairFacts> differenceRows(const CheckedDifference &checked)
{
    const Bundle &a = *checked.a, &b = *checked.b;
    std::vector<PairFacts> rows;
    for (const WeightPair &pair : checked.difference.weights)
        rows.push_back(checkedRow(checked, pairFacts(a, b, pair)));
    for (const JoinedWeights &joined : checked.difference.joined) {
        for (std::size_t i = 0; i < joined.parts.size(); ++i)
            rows.push_back(checkedRow(checked, partFacts(a, b, joined, i)));
    }
    for (const std::size_t i : checked.difference.onlyA)
        rows.push_back(checkedRow(checked, aloneFacts(a, i, true)));
    for (const std::size_t i : checked.difference.onlyB)
        rows.push_back(checkedRow(checked, aloneFacts(b, i, false)));
    if (checked.order == RowOrder::WorstFirst)
        std::stable_sort(rows.begin(), rows.end(), [](const PairFacts &x, const PairFacts &y) {
            return worse(x.severity, y.severity);
        });
    return rows;
}

const std::vector<std::size_t> &differenceColumns()
{
    static const std::vector<std::size_t> kColumns =
        columnOrder(pairTable().facts(), pairTable().documentOrder, kDocument);
    return kColumns;
}

std::string_view differenceHeadline(const CheckedDifference &checked)
{
    if (checked.holds())
        return checked.difference.identical ? "Equal" : "Holds";
    if (checked.faults.front().limit != "identical")
        return "Does not hold";
    return checked.difference.unread ? "Cannot be compared" : "Different";
}

std::string differenceTitle(const CheckedDifference &checked)
{
    return printable(checked.a->name()) + " > " + printable(checked.b->name());
}

std::string readableNumber(const std::string &text)
{
    const char *end = text.data() + text.size();
    std::uint64_t whole = 0;
    if (const auto read = std::from_chars(text.data(), end, whole);
        read.ec == std::errc() && read.ptr == end)
        return grouped(whole);
    double number = 0;
    const auto read = std::from_chars(text.data(), end, number);
    const bool longer = text.find('.') != std::string::npos && text.size() > 8;
    return longer && read.ec == std::errc() && read.ptr == end ? fmt::format("{:.6g}", number)
                                                               : text;
}

std::string readableCell(const Value &value)
{
    const bool number = std::holds_alternative<Count>(value) || std::holds_alternative<Real>(value);
    if (std::holds_alternative<Written>(value))
        return text(value);
    return number ? readableNumber(plainText(value)) : plainText(value);
}

std::string faultText(const LimitFault &fault)
{
    std::string text = fmt::format("{}: found {}, allowed {}", fault.limit,
                                   limitFigureText(fault.found), limitFigureText(fault.allowed));
    return printable(fault.rule.empty() ? text : text + " (rule " + fault.rule + ")");
}

std::string escapedMarkup(std::string_view text)
{
    std::string result;
    while (!text.empty()) {
        const std::size_t length = sequenceLength(text);
        switch (length == 1 ? text.front() : '\0') {
        case '&': result += "&amp;"; break;
        case '<': result += "&lt;"; break;
        case '>': result += "&gt;"; break;
        case '"': result += "&quot;"; break;
        case '\'': result += "&#39;"; break;
        default: result += length == 0 ? std::string_view("\uFFFD") : text.substr(0, length); break;
        }
        text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return result;
}

} // namespace kernscope::report
