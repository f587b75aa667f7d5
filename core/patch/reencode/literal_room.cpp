// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers in the text of a program that get more digits than they have: in a copy.
#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"
#include "core/container/mil/model_files.h"
#include "core/numeric/convert.h"
#include "core/patch/edit/find_weight.h"
#include "core/patch/edit/literal_rewrite.h"
#include "core/patch/patch.h"
#include "core/patch/reencode/reencoder.h"

#include <algorithm>
#include <map>
#include <set>

namespace kernscope::patch {

namespace {

/// No notation of a number is longer.
constexpr std::size_t kLongest = 24;
/// … and no varint.
constexpr std::size_t kLongestVarint = 10;

/// The bytes of a number of the program followed by so much room that it has `length` bytes and
/// reads as before: spaces, or of a varint further groups of zeros.
std::vector<std::byte> padded(std::span<const std::byte> number, std::size_t length, bool text)
{
    std::vector<std::byte> bytes(number.begin(), number.end());
    if (text) {
        bytes.resize(std::max(length, bytes.size()), std::byte{' '});
        return bytes;
    }
    while (bytes.size() < std::min(length, kLongestVarint)) {
        bytes.back() |= std::byte{0x80};
        bytes.push_back(std::byte{0});
    }
    return bytes;
}

std::size_t varintLength(std::uint64_t value)
{
    std::size_t length = 1;
    while ((value >>= 7) != 0)
        ++length;
    return length;
}

/// Builds bundles in which numbers of literals have room.
class LiteralRoom
{
public:
    LiteralRoom(const Bundle &bundle, std::set<std::size_t> weights)
        : m_bundle(bundle), m_weights(std::move(weights))
    {
    }

    /// `lengthOf(weight, operand, literal, element)`: bytes that the number needs. Null where all
    /// have room.
    template <class LengthOf>
    Result<BundlePtr> widened(const LengthOf &lengthOf)
    {
        std::map<std::size_t, std::vector<Splice>> splices; // by file
        for (const std::size_t weight : m_weights) {
            const std::size_t file = m_bundle.programFileOf(m_bundle.weights()[weight].model);
            const OperandList &operands = m_bundle.weights()[weight].operands();
            for (std::size_t i = 0; i < operands.size(); ++i) {
                const mil::Literal *literal = operands[i].place->literal.get();
                if (file == kNoIndex || !hasNumbers(literal, file))
                    continue;
                addWider(splices[file], file, *literal,
                         [&](std::uint64_t at) { return lengthOf(weight, i, *literal, at); });
            }
        }
        std::erase_if(splices, [](const auto &of) { return of.second.empty(); });
        return splices.empty() ? Result<BundlePtr>(nullptr) : open(std::move(splices));
    }

    bool isText(std::size_t file) const
    {
        const BundleFile &program = m_bundle.files()[file];
        return !isModelProtobuf(program.file->bytes(), program.path);
    }

private:
    /// A float of messages always has its four or eight bytes.
    bool hasNumbers(const mil::Literal *literal, std::size_t file) const
    {
        return literal != nullptr && !literal->packedSpan &&
               literal->elementSpans.size() == literal->count &&
               (isText(file) || !isFloatingPoint(literal->element));
    }

    /// Packed numbers of a message are one field and are replaced together.
    template <class LengthOf>
    void addWider(std::vector<Splice> &splices, std::size_t file, const mil::Literal &literal,
                  const LengthOf &lengthOf)
    {
        const auto &spans = literal.elementSpans;
        if (spans.empty() || !m_done.emplace(file, spans.front().offset).second)
            return;
        const auto bytes = m_bundle.files()[file].file->bytes();
        const bool text = isText(file);
        bool packed = !text;
        for (std::size_t i = 1; i < spans.size(); ++i)
            packed = packed && spans[i - 1].offset + spans[i - 1].length == spans[i].offset;
        bool wider = false;
        Splice all{{spans.front().offset, 0}, {{}}};
        for (std::size_t i = 0; i < spans.size(); ++i) {
            const std::size_t length = std::max<std::size_t>(lengthOf(i), spans[i].length);
            auto number = padded(bytes.subspan(spans[i].offset, spans[i].length), length, text);
            wider = wider || length > spans[i].length;
            if (packed) {
                all.span.length += spans[i].length;
                all.contents.front().insert(all.contents.front().end(), number.begin(),
                                            number.end());
            } else if (length > spans[i].length) {
                splices.push_back({spans[i], {std::move(number)}});
            }
        }
        if (packed && wider)
            splices.push_back(std::move(all));
    }

    Result<BundlePtr> open(std::map<std::size_t, std::vector<Splice>> splices) const
    {
        std::map<std::size_t, std::vector<std::byte>> files;
        for (auto &[file, own] : splices) {
            const auto bytes = m_bundle.files()[file].file->bytes();
            files[file] = TRY(isText(file) ? spliceText(bytes, std::move(own))
                                           : spliceProtobuf(bytes, std::move(own)));
        }
        return openWith(m_bundle, std::move(files));
    }

    const Bundle &m_bundle;
    std::set<std::size_t> m_weights;
    std::set<std::pair<std::size_t, std::uint64_t>> m_done; ///< a literal may serve several
};

} // namespace

Result<BundlePtr> withLiteralRoom(const Bundle &bundle, const std::vector<Edit> &edits,
                                  double tolerance)
{
    std::set<std::size_t> weights;
    for (const Edit &edit : edits) {
        const auto index =
            edit.isRaw() ? Result<std::size_t>(kNoIndex) : findWeight(bundle, edit.weight);
        if (index && *index != kNoIndex)
            weights.insert(*index);
    }
    const BundleReadLock lock(bundle);
    // As wide as any number could be, to learn what the edits make of each.
    const auto wide = TRY(LiteralRoom(bundle, weights)
                              .widened([](std::size_t, std::size_t, const mil::Literal &,
                                          std::uint64_t) { return kLongest; }));
    if (!wide)
        return nullptr;
    const auto planned = planOnFork(wide, edits, tolerance);
    if (!planned || planned->bundle->weights().size() != bundle.weights().size())
        return nullptr; // planned without room, they say what is wrong
    LiteralRoom room(bundle, weights);
    return room.widened([&](std::size_t weight, std::size_t operand, const mil::Literal &literal,
                            std::uint64_t at) -> std::size_t {
        const OperandList &made = planned->bundle->weights()[weight].operands();
        if (operand >= made.size() || !made[operand].place->literal)
            return 0;
        const std::int64_t before = loadCode(literal.bytes, literal.element, at);
        const std::int64_t after =
            loadCode(made[operand].place->literal->bytes, literal.element, at);
        if (before == after)
            return 0;
        if (!room.isText(bundle.programFileOf(bundle.weights()[weight].model)))
            return varintLength(static_cast<std::uint64_t>(after));
        const auto texts = notations(literal.element, after);
        const bool fits = std::any_of(texts.begin(), texts.end(), [&](const std::string &each) {
            return each.size() <= literal.elementSpans[at].length;
        });
        return texts.empty() || fits ? 0 : texts.front().size();
    });
}

} // namespace kernscope::patch
