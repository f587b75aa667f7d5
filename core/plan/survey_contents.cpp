// SPDX-License-Identifier: GPL-3.0-or-later
// The survey: which weights lie at the same place, and which hold the same.
#include "core/bundle/bundle.h"
#include "core/bundle/stored_bytes.h"
#include "core/plan/surveyor.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

namespace kernscope::plan {

namespace {

/// Where the bytes of an operand are: a file and an offset; of a literal its own address.
using Place = std::pair<std::size_t, std::uint64_t>;
Place placeOf(const codec::Operand &operand)
{
    const OperandPlace &place = *operand.place;
    if (place.isLiteral())
        return {kNoIndex, reinterpret_cast<std::uintptr_t>(place.literal.get())};
    return {place.file, place.dataOffset.value};
}

/// Of the bytes of a weight that could not be read.
Place unreadPlace(std::size_t weight)
{
    return {kNoIndex - 1, weight};
}

/// A quick number of a run of bytes; equal ones are compared.
std::uint64_t mix(std::uint64_t hash, std::span<const std::byte> bytes)
{
    constexpr std::uint64_t kPrime = 0x9e3779b97f4a7c15u;
    std::size_t at = 0;
    for (; at + 8 <= bytes.size(); at += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes.data() + at, 8);
        hash = (hash ^ word) * kPrime;
        hash ^= hash >> 29;
    }
    for (; at < bytes.size(); ++at)
        hash = (hash ^ std::to_integer<std::uint64_t>(bytes[at])) * kPrime;
    return hash ^ (hash >> 32);
}

bool sameInputs(const codec::InputStatistics *a, const codec::InputStatistics *b)
{
    if (a == b || a == nullptr || b == nullptr)
        return a == b;
    return a->axis == b->axis && a->meanSquare == b->meanSquare && a->mean == b->mean &&
           a->secondMoment == b->secondMoment;
}

} // namespace

/// Weights whose parts lie at the same places are one item: they change together or not at all.
void Surveyor::findItems()
{
    std::map<std::vector<Place>, std::size_t> items;
    std::vector<std::string> stays;
    for (Row &row : m_survey.rows) {
        std::vector<Place> places;
        for (const codec::Operand &operand : m_bundle.weights()[row.weight].operands())
            places.push_back(placeOf(operand));
        const Weight &weight = m_bundle.weights()[row.weight];
        if (unreadBytes(weight).value + weight.unreadElsewhere.value > 0)
            places.push_back(unreadPlace(row.weight)); // they lie nowhere, and so with no others
        row.item = items.emplace(places, items.size()).first->second;
        stays.resize(items.size());
        if (!row.fixed.empty())
            stays[row.item] = m_survey.nameOf(row.weight);
    }
    for (Row &row : m_survey.rows) {
        if (row.fixed.empty() && !stays[row.item].empty())
            row.fixed =
                SharedValue("shares its bytes with " + stays[row.item] + ", which stays as it is");
    }
    m_survey.items = items.size();
    std::map<Place, std::set<std::size_t>> users;
    for (const Row &row : m_survey.rows) {
        for (const codec::Operand &operand : m_bundle.weights()[row.weight].operands())
            users[placeOf(operand)].insert(row.item);
    }
    std::map<Place, std::size_t> numbers;
    for (const Row &row : m_survey.rows) {
        if (row.item < m_survey.parts.size()) // items are numbered as rows come to them
            continue;
        std::vector<PartBytes> parts;
        std::set<std::size_t> seen;
        for (const codec::Operand &operand : m_bundle.weights()[row.weight].operands()) {
            const Place place = placeOf(operand);
            const std::size_t number = numbers.emplace(place, numbers.size()).first->second;
            if (seen.insert(number).second)
                parts.push_back({number, users[place].size() > 1, operand.place->bytes.value});
        }
        if (const ByteCount unread = unreadBytes(m_bundle.weights()[row.weight]); unread.value > 0)
            parts.push_back({numbers.emplace(unreadPlace(row.weight), numbers.size()).first->second,
                             false, unread.value});
        m_survey.parts.add(parts);
    }
    m_survey.parts.shrink_to_fit();
}

bool Surveyor::sameContent(std::size_t a, std::size_t b) const
{
    const OperandList &operands = m_bundle.weights()[a].operands();
    const OperandList &others = m_bundle.weights()[b].operands();
    const Weight &first = m_bundle.weights()[a];
    const Weight &second = m_bundle.weights()[b];
    if (first.shape != second.shape || first.type != second.type ||
        first.sourceOp != second.sourceOp || operands.size() != others.size())
        return false;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        const codec::Operand &one = operands[i], &other = others[i];
        if (one.role != other.role || one.declaredType() != other.declaredType() ||
            one.declaredShape() != other.declaredShape())
            return false;
        const auto x = m_bundle.operandBytes(one);
        const auto y = m_bundle.operandBytes(other);
        if (x.size() != y.size() || std::memcmp(x.data(), y.data(), x.size()) != 0)
            return false;
    }
    return true;
}

std::size_t Surveyor::contentOf(std::size_t weight, const Axes &axes)
{
    auto inputs = inputsOf(m_options, weight);
    std::uint64_t hash = axes.input * 8 + axes.output;
    if (inputs) {
        for (const auto *numbers : {&inputs->meanSquare, &inputs->mean, &inputs->secondMoment})
            hash = mix(hash, std::as_bytes(std::span<const float>(*numbers)));
    }
    for (const codec::Operand &operand : m_bundle.weights()[weight].operands())
        hash = mix(hash, m_bundle.operandBytes(operand));
    const auto [first, last] = m_byHash.equal_range(hash);
    for (auto at = first; at != last; ++at) {
        const Content &content = m_contents[at->second];
        if (content.axes == axes && sameInputs(content.inputs.get(), inputs.get()) &&
            sameContent(content.weight, weight))
            return at->second;
    }
    Content content;
    content.weight = weight;
    content.axes = axes;
    content.inputs = std::move(inputs);
    m_contents.push_back(std::move(content));
    m_byHash.emplace(hash, m_contents.size() - 1);
    return m_contents.size() - 1;
}

Usage Surveyor::usageOf(std::size_t weight) const
{
    Usage usage;
    usage.form = m_forms[weight];
    usage.layers = m_layers[weight];
    usage.model = m_bundle.weights()[weight].model;
    usage.opset = m_opsets[weight];
    return usage;
}

void Surveyor::findContents()
{
    const BundleReadLock lock(m_bundle);
    m_used.resize(m_survey.rows.size());
    for (const Row &row : m_survey.rows) {
        if (m_options.progress != nullptr && m_options.progress->cancelled())
            return; // seen by who called
        if (!row.fixed.empty())
            continue;
        const std::size_t number = contentOf(row.weight, m_axes[row.weight]);
        Content &content = m_contents[number];
        const Usage usage = usageOf(row.weight);
        const auto same =
            std::find_if(content.usages.begin(), content.usages.end(),
                         [&usage](const Usage &other) { return usage.sameAs(other); });
        m_used[row.weight] = {number, static_cast<std::size_t>(same - content.usages.begin())};
        if (same == content.usages.end())
            content.usages.push_back(usage);
    }
}

} // namespace kernscope::plan
