// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/patch/edit/script_text.h"

#include "core/base/error_builder.h"
#include "core/base/little_endian.h"
#include "core/base/overlaid_file.h"
#include "core/base/sha256.h"
#include "core/base/text.h"
#include "core/bundle/bundle.h"
#include "core/bundle/pair_read_lock.h"
#include "core/patch/edit/copy_values.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>

namespace kernscope::patch {

namespace {

bool holdsOneValue(Edit::Kind kind)
{
    return kind == Edit::Kind::Set || kind == Edit::Kind::Keep || kind == Edit::Kind::Codebook ||
           kind == Edit::Kind::Scale;
}

constexpr std::string_view kBaseMark = "# base sha256:", kResultMark = "# result sha256:";
constexpr std::size_t kDigits = 64;

std::string digitsAfter(std::string_view line, std::string_view mark)
{
    if (!line.starts_with(mark))
        return {};
    line.remove_prefix(mark.size());
    const std::string_view digits = line.substr(0, kDigits);
    const bool whole = digits.size() == kDigits &&
                       digits.find_first_not_of("0123456789abcdef") == std::string_view::npos &&
                       line.substr(kDigits).find_first_not_of(" \t\r") == std::string_view::npos;
    return whole ? std::string(digits) : std::string();
}

void feedNumber(Sha256 &hash, std::uint64_t number)
{
    std::array<std::byte, 8> bytes{};
    storeLittle(bytes, 0, number);
    hash.update(bytes);
}

Result<void> compareDigests(std::string_view code, const std::string &wanted,
                            const Result<std::string> &found, const std::string &script,
                            std::string message)
{
    if (!found)
        return tl::unexpected(found.error());
    if (wanted == *found)
        return {};
    return ErrorBuilder(std::string(code))
        .file(script)
        .expected("sha256:" + wanted)
        .found("sha256:" + *found)
        .message(std::move(message))
        .unexpected();
}

} // namespace

Edit heldEdit(const AppliedEdit &applied)
{
    Edit edit = applied.edit;
    if (holdsOneValue(edit.kind))
        edit.value = applied.stored;
    return edit;
}

double largestMiss(std::span<const std::shared_ptr<const AppliedEdit>> edits)
{
    double largest = 0;
    for (const auto &edit : edits) {
        const Edit::Kind kind = edit->edit.kind;
        if (kind == Edit::Kind::Fill || kind == Edit::Kind::FromNpy || kind == Edit::Kind::Compute)
            largest = std::max(largest, std::abs(edit->asked - edit->stored));
    }
    return largest;
}

std::string scriptText(std::span<const Edit> edits)
{
    std::string text;
    for (const Edit &edit : edits) {
        if (!edit.note.empty())
            text += fmt::format("{}{}\n", kNoteMark, printable(edit.note));
        text += carriesValues(edit)
                    ? carriedScript(edit)
                    : fmt::format("{} {}\n", editKindName(edit.kind), editText(edit));
    }
    return text;
}

Result<std::string> editScript(const BundlePtr &edited,
                               std::span<const std::shared_ptr<const AppliedEdit>> edits,
                               std::span<const Edit> lines, Progress *progress)
{
    std::vector<EditStep> back;
    for (std::size_t i = edits.size(); i > 0; --i)
        back.push_back({edits[i - 1], false});
    const auto before = TRY(forkWithSteps(edited, back, progress));
    std::vector<std::size_t> weights(edited->weights().size());
    std::iota(weights.begin(), weights.end(), std::size_t{0});
    const PairReadLock lock(*edited, *before);
    const auto base = bundleDigest(*before);
    const auto result = weightsDigest(*edited, weights);
    if (!base || !result)
        return tl::unexpected(base ? result.error() : base.error());
    if (progress != nullptr && progress->cancelled())
        return tl::unexpected(cancelledError("Writing the script was cancelled"));
    std::string text = fmt::format("# {} of {}. Apply them by kernscope-cli patch --script.\n",
                                   counted(lines.size(), "edit"), printable(edited->name())) +
                       originText({*base, *result});
    if (const double miss = largestMiss(edits); miss > 0)
        text += fmt::format("# The forms hold the nearest values: apply with --tolerance {}\n",
                            std::nextafter(miss, std::numeric_limits<double>::infinity()));
    return text + "\n" + scriptText(lines);
}

ScriptOrigin scriptOrigin(std::string_view script)
{
    ScriptOrigin origin;
    while (!script.empty()) {
        const auto end = std::min(script.find('\n'), script.size());
        const std::string_view line = script.substr(0, end);
        script.remove_prefix(std::min(end + 1, script.size()));
        const auto first = line.find_first_not_of(" \t\r");
        if (first != std::string_view::npos && line[first] != '#')
            break;
        if (origin.base.empty())
            origin.base = digitsAfter(line, kBaseMark);
        if (origin.result.empty())
            origin.result = digitsAfter(line, kResultMark);
    }
    return origin;
}

std::string originText(const ScriptOrigin &origin)
{
    std::string text;
    if (!origin.base.empty())
        text += std::string(kBaseMark) + origin.base + "\n";
    if (!origin.result.empty())
        text += std::string(kResultMark) + origin.result + "\n";
    return text;
}

Result<std::string> bundleDigest(const Bundle &bundle)
{
    Sha256 hash;
    for (const BundleFile &file : bundle.files()) {
        if (bundle.files().size() > 1) {
            feedNumber(hash, file.path.size());
            hash.update(std::as_bytes(std::span(file.path)));
        }
        feedNumber(hash, file.file->size().value);
        hash.update(file.file->bytes());
    }
    return hash.finishHex();
}

Result<std::string> weightsDigest(const Bundle &bundle, const std::vector<std::size_t> &weights)
{
    Sha256 hash;
    for (const std::size_t weight : weights) {
        for (const codec::Operand &operand : bundle.weights()[weight].operands()) {
            feedNumber(hash, operand.place->bytes.value);
            for (const auto run : bundle.operandRuns(operand))
                hash.update(run);
        }
    }
    return hash.finishHex();
}

Result<void> checkBase(const ScriptOrigin &origin, const Bundle &bundle, const std::string &script)
{
    if (origin.base.empty())
        return {};
    return compareDigests("patch.base", origin.base, bundleDigest(bundle), script,
                          "The script was made for another bundle than " + bundle.name());
}

Result<void> checkResult(const ScriptOrigin &origin, const Bundle &edited,
                         const std::string &script)
{
    if (origin.result.empty())
        return {};
    std::vector<std::size_t> all(edited.weights().size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    return compareDigests("patch.result", origin.result, weightsDigest(edited, all), script,
                          "The edits do not make the weights that the script was made of");
}

} // namespace kernscope::patch
