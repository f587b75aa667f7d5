// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/counted_text.h"
#include "core/diff/diff.h"

#include <fmt/format.h>

namespace kernscope {

namespace {

/// So few elements are counted rather than judged.
constexpr std::uint64_t kFew = 16;

std::string storedVerdict(const WeightPair &pair, const Weight &a, const Weight &b)
{
    if (pair.unreadable())
        return "cannot be compared";
    if (!pair.shapeEqual)
        return "shapes differ";
    if (pair.storedEqual)
        return "identical";
    if (pair.layoutEqual)
        return "stored bytes differ";
    return a.form == b.form ? "layouts differ" : "forms differ";
}

/// Of a pair whose channels stand in another order.
std::string reorderedVerdict(const WeightPair &pair)
{
    const std::string text = "channels reordered, ";
    if (pair.reordered->different == 0)
        return text + "same values";
    if (pair.step && pair.reordered->maxAbs <= *pair.step)
        return text + "within one step";
    return text + (pair.order->correlation >= 0.999 ? "close" : "similar");
}

std::string valueVerdict(const WeightPair &pair, const ValueDifference &values)
{
    if (values.identical())
        return pair.storedEqual ? "identical" : "same values";
    if (pair.order && pair.reordered)
        return reorderedVerdict(pair);
    const std::uint64_t different = values.changed + values.zeroed + values.revived;
    // A patch leaves the layout as it is: there the number says more than any word.
    if (pair.layoutEqual && different <= kFew)
        return different == 1 ? "1 value differs" : fmt::format("{} values differ", different);
    if (values.changed == 0)
        return values.revived == 0 ? "kept values exact" : "other zeros, kept values exact";
    if (pair.step && values.maxAbs <= *pair.step)
        return "within one step";
    if (values.maxUlp <= 1 && values.ulpHistogram.back() == 0)
        return "within one ULP";
    const std::string likeness = values.cosine >= 0.999 ? "close"
                                 : values.cosine >= 0.9 ? "similar"
                                                        : "different";
    return values.revived > 0 ? likeness + ", zeros revived" : likeness;
}

std::string programSummary(const Difference &difference)
{
    const auto &program = difference.program;
    if (!program.bytesA && !program.bytesB)
        return {};
    if (!program.bytesA || !program.bytesB)
        return program.bytesA ? "program only in A" : "program only in B";
    if (program.sameBytes)
        return fmt::format("program identical ({} bytes)", grouped(program.bytesA->value));
    if (program.equal)
        return "program equal, in other bytes";
    if (program.sameComputation)
        return "program equal but for how weights are stored";
    const std::size_t changes = program.detail.changes.size();
    return changes == 0 ? "program differs" : "program differs in " + counted(changes, "place");
}

void addWeights(const Difference &difference, std::vector<std::string> &parts)
{
    std::uint64_t encoded = 0, edited = 0, unreadable = 0, differing = 0;
    bool compared = false;
    for (const WeightPair &pair : difference.weights) {
        unreadable += pair.unreadable();
        encoded += pair.reencoded();
        edited += pair.layoutEqual && !pair.storedEqual && !pair.unreadable();
        compared = compared || pair.values;
        differing += pair.values ? pair.values->unfaithful : 0;
    }
    const std::size_t all = difference.weights.size();
    const auto share = [&](std::uint64_t count, std::string_view what) {
        if (count > 0)
            parts.push_back(
                fmt::format("{} of {} {}", grouped(count), counted(all, "weight"), what));
    };
    if (all > 0 && encoded + edited + unreadable == 0)
        parts.push_back(counted(all, "weight") + " identical");
    share(encoded, "re-encoded");
    share(edited, "with other bytes");
    share(unreadable, "unreadable");
    std::uint64_t split = 0;
    for (const JoinedWeights &joined : difference.joined) {
        split += joined.split;
        for (const JoinedPart &part : joined.parts) {
            compared = compared || part.values;
            differing += part.values ? part.values->unfaithful : 0;
        }
    }
    const std::uint64_t merged = difference.joined.size() - split;
    if (split > 0)
        parts.push_back(counted(split, "weight") + " split");
    if (merged > 0)
        parts.push_back("parts merged into " + counted(merged, "weight"));
    if (!difference.onlyA.empty())
        parts.push_back(counted(difference.onlyA.size(), "weight") + " only in A");
    if (!difference.onlyB.empty())
        parts.push_back(counted(difference.onlyB.size(), "weight") + " only in B");
    if (compared)
        parts.push_back(counted(differing, "value") + " changed beyond fp16 rounding");
}

} // namespace

std::string differenceSummary(const Bundle &, const Bundle &, const Difference &difference)
{
    std::vector<std::string> parts;
    if (std::string program = programSummary(difference); !program.empty())
        parts.push_back(std::move(program));
    addWeights(difference, parts);
    std::string text;
    for (const std::string &part : parts)
        text += (text.empty() ? "" : ", ") + part;
    return text;
}

std::string verdict(const WeightPair &pair, const Bundle &a, const Bundle &b)
{
    if (pair.fault)
        return "cannot be compared";
    if (pair.values)
        return valueVerdict(pair, *pair.values);
    return storedVerdict(pair, a.weights()[pair.a], b.weights()[pair.b]);
}

} // namespace kernscope
