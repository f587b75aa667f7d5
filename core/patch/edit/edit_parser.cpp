// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/patch/edit/edit_parser.h"

#include "core/base/error_builder.h"
#include "core/base/little_endian.h"
#include "core/base/overlaid_file.h"
#include "core/base/platform.h"
#include "core/base/sha256.h"
#include "core/base/text.h"
#include "core/bundle/bundle.h"
#include "core/numeric/convert.h"
#include "core/patch/edit/copy_values.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>
#include <system_error>

#include <fmt/format.h>

namespace kernscope::patch {

namespace {

constexpr std::string_view kSpace = " \t\r\n";

std::string printed(std::string_view text)
{
    std::string out;
    for (const char c : text.substr(0, 60))
        out += static_cast<unsigned char>(c) < ' ' || c == '\x7f' ? '?' : c;
    return text.size() > 60 ? out + "…" : out;
}

struct Signed {
    std::string_view digits;
    bool negative = false;
    bool hexadecimal = false;
};

Signed splitSign(std::string_view text)
{
    Signed result;
    if (!text.empty() && (text.front() == '-' || text.front() == '+')) {
        result.negative = text.front() == '-';
        text.remove_prefix(1);
    }
    if (text.substr(0, 2) == "0x" || text.substr(0, 2) == "0X") {
        result.hexadecimal = true;
        text.remove_prefix(2);
    }
    result.digits = text;
    return result;
}

/// `stop`: where a number ends although the text goes on.
tl::unexpected<Error> notANumber(const Piece &piece, const char *stop, std::string expected)
{
    const auto at = static_cast<std::size_t>(stop - piece.text.data());
    if (at >= piece.text.size())
        return syntaxError(piece, std::move(expected));
    std::size_t letter = 1; // bytes of it
    while (at + letter < piece.text.size() && (piece.text[at + letter] & 0xC0) == 0x80)
        ++letter;
    return refused({{}, FileOffset(piece.at + at)}, "patch.syntax", {}, expected,
                   printed(piece.text),
                   fmt::format("The character '{}' belongs to no number",
                               printed(piece.text.substr(at, letter))));
}

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

Piece Piece::trimmed() const
{
    const auto first = text.find_first_not_of(kSpace);
    if (first == std::string_view::npos)
        return {{}, at + text.size()};
    const auto last = text.find_last_not_of(kSpace);
    return part(first, last - first + 1);
}

tl::unexpected<Error> syntaxError(const Piece &place, std::string expected)
{
    return refused({{}, FileOffset(place.at)}, "patch.syntax", {}, expected,
                   place.text.empty() ? "the end" : printed(place.text),
                   "The edit cannot be understood");
}

Result<double> parseNumber(const Piece &piece)
{
    const Signed number = splitSign(piece.text);
    double value = 0;
    const char *end = number.digits.data() + number.digits.size();
    const auto format = number.hexadecimal ? std::chars_format::hex : std::chars_format::general;
    const auto [stop, fault] = platform::readNumber(number.digits.data(), end, value, format);
    if (fault == std::errc::result_out_of_range)
        return syntaxError(piece, "a number that fp64 can hold");
    // from_chars takes a sign of its own: "--1" and "0x-1" must not pass.
    const bool twoSigns = !number.digits.empty() && number.digits.front() == '-';
    if (fault != std::errc() || stop != end || twoSigns)
        return notANumber(piece, twoSigns ? number.digits.data() : stop,
                          "a number such as 0.5, -0x1.8p-3, nan or inf");
    std::uint64_t whole = 0;
    const auto [last, left] =
        std::from_chars(number.digits.data(), end, whole, number.hexadecimal ? 16 : 10);
    if (left == std::errc() && last == end && !exactInDouble(whole))
        return syntaxError(piece,
                           "a whole number that fp64 holds exactly (--set-stored takes all)");
    return number.negative ? -value : value;
}

Result<std::int64_t> parseInteger(const Piece &piece, bool *beyond)
{
    const Signed number = splitSign(piece.text);
    std::uint64_t magnitude = 0;
    const char *end = number.digits.data() + number.digits.size();
    const int base = number.hexadecimal ? 16 : 10;
    const auto [stop, fault] = std::from_chars(number.digits.data(), end, magnitude, base);
    constexpr auto kLargest = static_cast<std::uint64_t>(INT64_MAX);
    const std::uint64_t most = number.negative ? kLargest + 1 : beyond ? UINT64_MAX : kLargest;
    if (fault == std::errc::result_out_of_range || (stop == end && magnitude > most))
        return syntaxError(piece, "an integer that 64 bits hold");
    if (fault != std::errc() || stop != end)
        return notANumber(piece, stop, "an integer such as 9 or 0x3c00");
    if (beyond)
        *beyond = !number.negative && magnitude > kLargest;
    return static_cast<std::int64_t>(number.negative ? 0 - magnitude : magnitude);
}

Result<std::uint64_t> parseIndex(const Piece &piece)
{
    std::uint64_t value = 0;
    const char *end = piece.text.data() + piece.text.size();
    const auto [stop, fault] = std::from_chars(piece.text.data(), end, value);
    if (fault != std::errc() || stop != end)
        return notANumber(piece, stop, "an index");
    return value;
}

Result<std::vector<std::byte>> parseHexBytes(const Piece &text)
{
    std::vector<std::byte> bytes;
    for (std::size_t at = 0; at < text.text.size();) {
        if (text.text[at] == ' ') {
            ++at;
            continue;
        }
        const Piece pair = text.part(at, 2);
        unsigned value = 0;
        const char *end = pair.text.data() + pair.text.size();
        const auto [stop, fault] = std::from_chars(pair.text.data(), end, value, 16);
        if (pair.text.size() != 2 || stop != end || fault != std::errc())
            return syntaxError(pair, "two hexadecimal digits a byte");
        if (bytes.size() == kMostTypedBytes)
            return syntaxError(pair, fmt::format("at most {} bytes", kMostTypedBytes));
        bytes.push_back(static_cast<std::byte>(value));
        at += 2;
    }
    if (bytes.empty())
        return syntaxError(text, "bytes as hexadecimal digits");
    return bytes;
}

Result<std::uint64_t> parseFileOffset(Piece &left)
{
    const auto plus = left.text.rfind('+');
    if (plus == std::string_view::npos)
        return syntaxError(left.part(left.text.size()), "+ and an offset in the file");
    const Piece number = left.part(plus + 1).trimmed();
    const bool hex = number.text.starts_with("0x") || number.text.starts_with("0X");
    const Piece digits = number.part(hex ? 2 : 0);
    std::uint64_t offset = 0;
    const char *end = digits.text.data() + digits.text.size();
    const auto [stop, fault] = std::from_chars(digits.text.data(), end, offset, hex ? 16 : 10);
    if (digits.text.empty() || stop != end || fault != std::errc() ||
        offset > UINT64_MAX - kMostTypedBytes)
        return syntaxError(number, "an offset in the file, such as 0x40");
    left = left.part(0, plus);
    return offset;
}

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
    const BundleReadLock lock(*edited, *before);
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
