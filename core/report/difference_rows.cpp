// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/difference_rows.h"

#include "core/base/printable.h"
#include "core/bundle/stored_bytes.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace kernscope::report {

namespace {

void addFigures(const ValueDifference &values, DifferenceRow &row)
{
    const auto &v = values;
    const std::array<std::string, 9> figures{std::to_string(v.equal),
                                             std::to_string(v.changed),
                                             std::to_string(v.zeroed),
                                             std::to_string(v.revived),
                                             fmt::format("{}", v.maxAbs),
                                             v.revived > 0 ? "inf" : fmt::format("{}", v.maxRel),
                                             std::to_string(v.maxUlp),
                                             fmt::format("{}", v.cosine),
                                             std::isfinite(v.snr) ? fmt::format("{:.3f}", v.snr)
                                                                  : "inf"};
    std::copy(figures.begin(), figures.end(), row.begin() + 7);
}

std::string faultsOf(const CheckedDifference &checked, const std::string &weight)
{
    std::string text;
    for (const LimitFault &fault : checked.faults) {
        if (fault.weight == weight)
            text += (text.empty() ? "" : "; ") + faultText(fault);
    }
    return text;
}

/// Empty where they are not known.
std::string storedText(const Weight &weight)
{
    const auto bytes = knownStoredBytes(weight);
    return bytes ? std::to_string(bytes->value) : std::string();
}

DifferenceRow pairRow(const CheckedDifference &checked, const WeightPair &pair)
{
    const Weight &a = checked.a->weights()[pair.a], &b = checked.b->weights()[pair.b];
    DifferenceRow row{printable(a.findableName()),
                      printable(b.findableName()),
                      formName(a),
                      formName(b),
                      storedText(a),
                      storedText(b),
                      std::string(pairingName(pair.pairing))};
    if (pair.values)
        addFigures(*pair.values, row);
    row[16] = verdict(pair, *checked.a, *checked.b);
    row[17] = faultsOf(checked, a.findableName());
    row[18] = pairChangesText(*checked.a, *checked.b, pair);
    return row;
}

DifferenceRow partRow(const CheckedDifference &checked, const JoinedWeights &joined,
                      std::size_t part)
{
    const Weight &a = checked.a->weights()[joined.weightA(part)];
    const Weight &b = checked.b->weights()[joined.weightB(part)];
    DifferenceRow row{printable(a.findableName()),
                      printable(b.findableName()),
                      formName(a),
                      formName(b),
                      storedText(a),
                      storedText(b),
                      "content"};
    if (joined.parts[part].values)
        addFigures(*joined.parts[part].values, row);
    row[16] = joinedVerdict(joined, part);
    row[17] = faultsOf(checked, a.findableName());
    row[18] = joinedText(joined, part);
    return row;
}

DifferenceRow aloneRow(const CheckedDifference &checked, const Weight &weight, bool ofA)
{
    DifferenceRow row;
    row[ofA ? 0 : 1] = printable(weight.findableName());
    row[ofA ? 2 : 3] = formName(weight);
    row[ofA ? 4 : 5] = storedText(weight);
    row[16] = ofA ? "only in A" : "only in B";
    row[17] = faultsOf(checked, weight.findableName());
    return row;
}

/// Length of the UTF-8 sequence that begins there; 0 where none does that XML can hold.
std::size_t sequenceLength(std::string_view text)
{
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned first = byte(0);
    if (first < 0x80)
        return first >= 0x20 || first == '\t' || first == '\n' ? 1 : 0;
    const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    if (first < 0xC2 || first > 0xF4 || text.size() < length)
        return 0;
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xC0) != 0x80)
            return 0;
    }
    const bool overlong = (first == 0xE0 && byte(1) < 0xA0) || (first == 0xF0 && byte(1) < 0x90);
    const bool outside = (first == 0xED && byte(1) >= 0xA0) || (first == 0xF4 && byte(1) >= 0x90);
    const bool control = first == 0xC2 && byte(1) < 0xA0;
    const bool noCharacter = first == 0xEF && byte(1) == 0xBF && byte(2) >= 0xBE;
    return overlong || outside || control || noCharacter ? 0 : length;
}

} // namespace

std::vector<DifferenceRow> differenceRows(const CheckedDifference &checked)
{
    std::vector<DifferenceRow> rows;
    for (const WeightPair &pair : checked.difference.weights)
        rows.push_back(pairRow(checked, pair));
    for (const JoinedWeights &joined : checked.difference.joined) {
        for (std::size_t i = 0; i < joined.parts.size(); ++i)
            rows.push_back(partRow(checked, joined, i));
    }
    for (const std::size_t i : checked.difference.onlyA)
        rows.push_back(aloneRow(checked, checked.a->weights()[i], true));
    for (const std::size_t i : checked.difference.onlyB)
        rows.push_back(aloneRow(checked, checked.b->weights()[i], false));
    return rows;
}

std::string_view differenceHeadline(const CheckedDifference &checked)
{
    if (checked.holds())
        return checked.difference.identical ? "Equal" : "Holds";
    return checked.faults.front().limit == "identical" ? "Different" : "Does not hold";
}

std::string differenceTitle(const CheckedDifference &checked)
{
    return printable(checked.a->name()) + " > " + printable(checked.b->name());
}

std::string faultText(const LimitFault &fault)
{
    std::string text = fmt::format("{}: found {}, allowed {}", fault.limit,
                                   limitFigureText(fault.found), limitFigureText(fault.allowed));
    return printable(fault.rule.empty() ? text : text + " (rule " + fault.rule + ")");
}

std::string formName(const Weight &weight)
{
    return formText(weight.form);
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
