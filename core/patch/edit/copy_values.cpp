// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/patch/edit/copy_values.h"

#include "core/bundle/bundle.h"
#include "core/bundle/stored_values.h"
#include "core/codec/edit/run_editor.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

namespace kernscope::patch {

namespace {

constexpr std::uint64_t kCopyRun = 65536;

tl::unexpected<Error> cannotCopy(const Weight &weight, std::string expected, std::string found,
                                 std::string message)
{
    return refused("patch.copy", weight.findableName(), expected, found, message);
}

tl::unexpected<Error> otherNumbers(const Weight &weight, std::string_view what, std::uint64_t to,
                                   std::uint64_t from)
{
    return cannotCopy(weight, fmt::format("{} {}", to, what), fmt::format("{} {}", from, what),
                      fmt::format("The two weights have different numbers of {}", what));
}

template <class Each>
void forEachCarried(const Edit &edit, const Each &each)
{
    std::uint64_t at = 0;
    for (const IndexRange &run : edit.indices) {
        for (std::uint64_t element = run.start; element < run.stop; ++element, ++at) {
            double value = 0;
            readCarried(edit, at, std::span(&value, 1));
            each(element, value);
        }
    }
}

/// Collects the edits of one weight, run by run.
class Copier
{
public:
    Copier(const Weight &weight, const codec::Decoder &target, const codec::Decoder &source,
           const CopyFilter &filter)
        : m_weight(weight), m_target(target), m_source(source), m_filter(filter),
          m_integers(isWideInteger(target.type()) || isWideInteger(source.type()))
    {
        m_carried.kind = Edit::Kind::FromNpy;
        m_carried.weight = weight.findableName();
    }

    Result<void> add(const CopyRun &run, Progress *progress)
    {
        const auto leaves = [&](std::uint64_t first, const codec::Decoder &decoder) {
            const std::uint64_t elements = decoder.elements().value;
            return first > elements || run.count > elements - first;
        };
        if (leaves(run.to, m_target) || leaves(run.from, m_source))
            return cannotCopy(m_weight, fmt::format("elements below {}", m_target.elements().value),
                              fmt::format("{} elements from {}", run.count, run.to),
                              "These elements leave the weight");
        for (std::uint64_t done = 0; done < run.count; done += kCopyRun) {
            const auto some = static_cast<std::size_t>(std::min(kCopyRun, run.count - done));
            m_before.resize(some);
            m_after.resize(some);
            decodeDoubles(m_target, run.to + done, m_before);
            decodeDoubles(m_source, run.from + done, m_after);
            for (std::size_t i = 0; i < some; ++i) {
                TRY(addElement(run.to + done + i, m_before[i], m_after[i]));
            }
            if (progress != nullptr && !progress->advance(some))
                return tl::unexpected(cancelledError("The copy was cancelled"));
        }
        return {};
    }

    /// `source`: what people shall read where the values are from.
    std::vector<Edit> take(std::string source)
    {
        if (carriedCount(m_carried) > kMostSingle) {
            m_carried.file = std::move(source);
            m_kept.push_back(std::move(m_carried));
            return std::move(m_kept);
        }
        std::vector<Edit> edits = std::move(m_kept);
        forEachCarried(m_carried, [&](std::uint64_t element, double value) {
            edits.push_back(single(Edit::Kind::Set, element, value));
        });
        std::ranges::stable_sort(edits, [](const Edit &x, const Edit &y) {
            return x.indices.front().start < y.indices.front().start;
        });
        return edits;
    }

private:
    Result<void> addElement(std::uint64_t element, double before, double after)
    {
        if (!(std::abs(before) < 0x1p53 && std::abs(after) < 0x1p53) && m_integers)
            return cannotCopy(m_weight, "integers below 2^53",
                              fmt::format("{} and {} at element {}", before, after, element),
                              "Set integers as large as these by their stored codes");
        if (codec::sameValue(before, after))
            return {};
        if (m_filter && !(std::isfinite(after) && m_filter(before, after)))
            return {};
        if (!std::isfinite(after))
            return cannotCopy(m_weight, "a finite value",
                              fmt::format("{} at element {}", after, element),
                              "Edits set finite values");
        if (m_target.stored(element)) {
            carryValue(m_carried, element, after);
            return {};
        }
        if (m_kept.size() == kMostCopied)
            return cannotCopy(m_weight, fmt::format("at most {}", kMostCopied), "more",
                              "Too many elements that the mask leaves out would be kept");
        m_kept.push_back(single(Edit::Kind::Keep, element, after));
        return {};
    }

    Edit single(Edit::Kind kind, std::uint64_t element, double value) const
    {
        Edit edit;
        edit.kind = kind;
        edit.weight = m_weight.findableName();
        edit.indices = {IndexRange{element, element + 1, false, true}};
        edit.value = value;
        return edit;
    }

    const Weight &m_weight;
    const codec::Decoder &m_target, &m_source;
    const CopyFilter &m_filter;
    const bool m_integers; ///< of 64 bits, of which fp64 does not have all
    std::vector<double> m_before, m_after;
    std::vector<Edit> m_kept; ///< elements that the mask left out
    Edit m_carried;           ///< the others
};

} // namespace

Result<std::vector<Edit>> copyRuns(const Bundle &to, std::size_t weightTo, const Bundle &from,
                                   std::size_t weightFrom, std::span<const CopyRun> runs,
                                   Progress *progress, const CopyFilter &filter)
{
    const BundleReadLock lock(to, from);
    const auto target = to.decoder(weightTo), source = from.decoder(weightFrom);
    if (!target || !source)
        return tl::unexpected(target ? source.error() : target.error());
    Copier copier(to.weights()[weightTo], *target, *source, filter);
    for (const CopyRun &run : runs) {
        TRY(copier.add(run, progress));
    }
    return copier.take(fmt::format("{}#{}", from.name(), from.weights()[weightFrom].name));
}

Result<std::vector<Edit>> copyValues(const Bundle &to, std::size_t weightTo, const Bundle &from,
                                     std::size_t weightFrom, std::uint64_t first,
                                     std::uint64_t count, Progress *progress,
                                     const CopyFilter &filter)
{
    const Weight &weight = to.weights()[weightTo];
    const std::uint64_t ofTarget = weight.elements.value;
    const std::uint64_t ofSource = from.weights()[weightFrom].elements.value;
    if (ofSource != ofTarget)
        return otherNumbers(weight, "elements", ofTarget, ofSource);
    const CopyRun run{first, first, count};
    return copyRuns(to, weightTo, from, weightFrom, std::span(&run, 1), progress, filter);
}

std::uint64_t copiedElements(std::span<const Edit> edits)
{
    std::uint64_t elements = 0;
    for (const Edit &edit : edits)
        elements += carriesValues(edit) ? carriedCount(edit) : 1;
    return elements;
}

Result<std::vector<Edit>> copyCodebooks(const Bundle &to, std::size_t weightTo, const Bundle &from,
                                        std::size_t weightFrom)
{
    const BundleReadLock lock(to, from);
    const auto target = to.decoder(weightTo), source = from.decoder(weightFrom);
    if (!target || !source)
        return tl::unexpected(target ? source.error() : target.error());
    const Weight &weight = to.weights()[weightTo];
    const auto &paletteTo = target->encoding().palette, &paletteFrom = source->encoding().palette;
    if (!paletteTo || !paletteFrom)
        return cannotCopy(weight, "a palette on both sides",
                          paletteTo ? "none in the other" : "none", "Only palettes have codebooks");
    if (paletteTo->entries != paletteFrom->entries)
        return otherNumbers(weight, "entries", paletteTo->entries, paletteFrom->entries);
    if (paletteTo->vector != paletteFrom->vector)
        return otherNumbers(weight, "lanes", paletteTo->vector, paletteFrom->vector);
    const std::span<const float> before = target->codebookValues(),
                                 after = source->codebookValues();
    const std::uint64_t lanes = paletteTo->vector, book = paletteTo->entries * lanes;
    if (before.size() != after.size() || book == 0)
        return otherNumbers(weight, "codebook values", before.size(), after.size());
    std::vector<Edit> edits;
    for (std::size_t i = 0; i < before.size(); ++i) {
        if (codec::sameValue(before[i], after[i]))
            continue;
        if (!std::isfinite(after[i]))
            return cannotCopy(weight, "a finite value", fmt::format("{}", after[i]),
                              "Edits set finite values");
        Edit edit;
        edit.kind = Edit::Kind::Codebook;
        edit.weight = weight.findableName();
        for (const std::uint64_t index : {i / book, i % book / lanes, i % lanes})
            edit.indices.push_back(IndexRange{index, index + 1, false, true});
        edit.indices.resize(lanes > 1 ? 3 : 2);
        edit.value = static_cast<double>(after[i]);
        edits.push_back(std::move(edit));
    }
    return edits;
}

void carryValue(Edit &edit, std::uint64_t element, double value)
{
    if (edit.indices.empty() || edit.indices.back().stop != element)
        edit.indices.push_back(IndexRange{element, element, false, false});
    ++edit.indices.back().stop;
    std::array<std::byte, sizeof value> raw{};
    std::memcpy(raw.data(), &value, sizeof value);
    edit.bytes.insert(edit.bytes.end(), raw.begin(), raw.end());
}

bool carriesValues(const Edit &edit)
{
    return edit.kind == Edit::Kind::FromNpy && !edit.bytes.empty();
}

std::uint64_t carriedCount(const Edit &edit)
{
    return carriesValues(edit) ? edit.bytes.size() / sizeof(double) : 0;
}

void readCarried(const Edit &edit, std::uint64_t first, std::span<double> out)
{
    if (!out.empty())
        std::memcpy(out.data(), edit.bytes.data() + first * sizeof(double), out.size_bytes());
}

std::string carriedScript(const Edit &edit)
{
    std::string text;
    Edit one;
    one.kind = Edit::Kind::Set;
    one.weight = edit.weight;
    forEachCarried(edit, [&](std::uint64_t element, double value) {
        one.indices = {IndexRange{element, element + 1, false, true}};
        one.value = value;
        text += fmt::format("{} {}\n", editKindName(one.kind), editText(one));
    });
    return text;
}

} // namespace kernscope::patch
