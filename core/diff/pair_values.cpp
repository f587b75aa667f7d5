// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/overlaid_file.h"
#include "core/bundle/pair_read_lock.h"
#include "core/codec/decode/decoder.h"
#include "core/diff/build_pairs.h"
#include "core/diff/same_decoding.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace kernscope {

namespace {

/// Largest finite magnitude among the scales of a weight, where they are stored as numbers.
std::optional<double> largestScale(const Bundle &bundle, std::size_t weight)
{
    const auto decoder = bundle.decoder(weight);
    if (!decoder || !decoder->encoding().scaling)
        return std::nullopt;
    const auto *scale = std::get_if<codec::Operand>(&decoder->encoding().scaling->scale);
    const auto count = scale == nullptr ? std::nullopt : elementCount(scale->shape);
    if (!count || !isFloatingPoint(scale->type))
        return std::nullopt;
    double largest = 0;
    for (std::uint64_t i = 0; i < count->value; ++i) {
        const double value = codec::operandValue(*scale, i).value_or(0);
        if (std::isfinite(value))
            largest = std::max(largest, std::abs(value));
    }
    return largest;
}

} // namespace

std::optional<double> quantisationStep(const Bundle &a, std::size_t weightA, const Bundle &b,
                                       std::size_t weightB)
{
    const PairReadLock lock(a, b);
    const auto stepA = largestScale(a, weightA), stepB = largestScale(b, weightB);
    if (!stepA || !stepB)
        return stepA ? stepA : stepB;
    return std::max(*stepA, *stepB);
}

void describeValues(const Bundle &a, const Bundle &b, ComparedPair &pair)
{
    if (pair.content == ContentKind::Exact && !pair.values->identical())
        pair.content = ContentKind::Nearest;
    if (pair.slice)
        return;
    pair.step = quantisationStep(a, pair.a, b, pair.b);
    if (pair.values->identical() || pair.values->notFinite > 0)
        return;
    {
        const PairReadLock lock(a, b);
        pair.rule = diff::findRule(a, pair.a, b, pair.b, *pair.values);
        if (!pair.rule && !pair.order && pair.values->relativeRmse > kSimilarRmse)
            pair.order = diff::findChannelOrder(a, pair.a, b, pair.b);
    }
    if (pair.order)
        pair.reordered = diff::compareReordered(a, pair.a, b, pair.b, *pair.order, nullptr);
}

bool diff::valuesOfSameBytes(const Bundle &a, const Bundle &b, ComparedPair &pair)
{
    const Weight &from = a.weights()[pair.a], &to = b.weights()[pair.b];
    if (!pair.storedEqual || from.fault || to.fault || !from.form.encoding() ||
        !to.form.encoding() || !sameDecoding(*from.form.encoding(), *to.form.encoding()))
        return false;
    {
        // What only shows when it is read, such as a mask that does not fit, is a fault of one.
        const PairReadLock lock(a, b);
        if (!a.decoder(pair.a) || !b.decoder(pair.b))
            return false;
    }
    pair.values = ValueDifference::same(from.elements.value, from.type);
    pair.step = quantisationStep(a, pair.a, b, pair.b);
    return true;
}

bool findReshaped(const Bundle &a, const Bundle &b, ComparedPair &pair, Progress *progress)
{
    const Weight &from = a.weights()[pair.a], &to = b.weights()[pair.b];
    if (pair.shapeEqual || from.fault || to.fault || from.elements != to.elements)
        return true;
    const auto values = compareValues(a, b, pair, 0, progress);
    if (!values && values.error().code == "task.cancelled")
        return false;
    pair.reshaped = values && values->identical();
    if (!pair.reshaped) {
        const PairReadLock lock(a, b);
        pair.rule = diff::findTransposed(a, pair.a, b, pair.b);
    }
    return true;
}

bool findValues(const Bundle &a, const Bundle &b, ComparedPair &pair, double tolerance,
                Progress *progress)
{
    if (diff::valuesOfSameBytes(a, b, pair))
        return progress == nullptr || progress->advance(pair.values->elements());
    auto values = compareValues(a, b, pair, tolerance, progress);
    if (!values && values.error().code == "task.cancelled")
        return false;
    if (!values) {
        pair.fault = std::move(values.error());
        return true;
    }
    pair.values = *std::move(values);
    describeValues(a, b, pair);
    return true;
}

} // namespace kernscope
