// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/bundle.h"

#include "core/base/find.h"
#include "core/base/overlaid_file.h"
#include "core/bundle/diagnostic_log.h"
#include "core/bundle/statistics.h"
#include "core/bundle/stored_bytes.h"
#include "core/codec/decode/decoder.h"
#include "core/container/aimodel/package.h"
#include "core/container/mil/program.h"

#include <functional>
#include <limits>
#include <tuple>

#include <fmt/format.h>

namespace kernscope {

std::string_view sectionKindName(SectionKind kind)
{
    static constexpr std::array<std::string_view, 13> kNames{
        "header", "metadata", "program",    "data",     "indices", "codebook", "mask",
        "values", "scale",    "zero_point", "manifest", "padding", "unknown"};
    return kNames[static_cast<std::size_t>(kind)];
}

void StoredBytes::add(const OperandList &operands)
{
    for (const codec::Operand &operand : operands) {
        const OperandPlace &place = *operand.place;
        if (place.isLiteral() || m_counted.insert({place.file, place.metaOffset.value}).second)
            m_sum = ByteCount(checkedAdd(m_sum.value, place.bytes.value).value_or(UINT64_MAX));
    }
}

double Weight::ratio() const
{
    return elements.value == 0 ? 0.0
                               : static_cast<double>(storedBytes.value) /
                                     (2.0 * static_cast<double>(elements.value));
}

bool isMissingFile(const Error &fault)
{
    return fault.code == "blob.file" || fault.code == "bundle.lfs";
}

std::optional<ByteCount> knownStoredBytes(const Weight &weight)
{
    const bool unread = weight.fault && weight.storedBytes.value == 0;
    return unread ? std::nullopt : std::optional(weight.storedBytes);
}

ByteCount unreadBytes(const Weight &weight)
{
    std::uint64_t unread = weight.fault ? weight.storedBytes.value : 0;
    for (const codec::Operand &operand : weight.operands())
        unread -= std::min(unread, operand.place->bytes.value);
    return ByteCount(unread - std::min(unread, weight.unreadElsewhere.value));
}

std::optional<double> storedRatio(const Weight &a, const Weight &b)
{
    const auto ofA = knownStoredBytes(a), ofB = knownStoredBytes(b);
    if (!ofA || !ofB || ofA->value == 0)
        return std::nullopt;
    return static_cast<double>(ofB->value) / static_cast<double>(ofA->value);
}

std::size_t weightsOfUnknownBytes(const Bundle &bundle)
{
    return static_cast<std::size_t>(
        std::count_if(bundle.weights().begin(), bundle.weights().end(),
                      [](const Weight &weight) { return !knownStoredBytes(weight).has_value(); }));
}

std::size_t Bundle::programFileOf(std::string_view model) const
{
    const auto own = m_programFiles.find(model);
    return own == m_programFiles.end() ? m_programFile : own->second;
}

bool Bundle::isProgramFile(std::size_t file) const
{
    return file < m_files.size() &&
           (file == m_programFile || std::ranges::any_of(m_programFiles, [file](const auto &each) {
                return each.second == file;
            }));
}

Totals Bundle::addUp() const
{
    Totals totals;
    totals.weights = m_weights.size();
    std::uint64_t dense = 0;
    struct Blob {
        std::size_t file;
        std::uint64_t offset, bytes;
    };
    std::vector<Blob> blobs; // of all weights: a codebook that two share counts once
    std::uint64_t stored = 0;
    const auto add = [&stored](std::uint64_t bytes) {
        stored = checkedAdd(stored, bytes).value_or(UINT64_MAX);
    };
    std::map<std::string, std::size_t> forms;    // their places in `totals`
    std::set<std::vector<std::uint64_t>> shared; // records of weights that share all of theirs
    for (const Weight &weight : m_weights) {
        std::vector<std::uint64_t> records{weight.elements.value};
        bool sharesAll = false;
        for (const codec::Operand &operand : weight.operands()) {
            const OperandPlace &place = *operand.place;
            if (place.isLiteral()) {
                add(place.bytes.value);
                continue;
            }
            if (place.bytes.value > 0) // an empty one may begin where another does
                blobs.push_back({place.file, place.metaOffset.value, place.bytes.value});
            sharesAll = place.shared && (sharesAll || records.size() == 1);
            records.insert(records.end(), {place.file, place.metaOffset.value});
        }
        add(unreadBytes(weight).value);
        // What several functions read is one weight, so that a ratio speaks of forms alone.
        const bool elsewhere = records.size() == 1 && weight.unreadElsewhere.value > 0 &&
                               weight.unreadElsewhere == weight.storedBytes;
        if (!elsewhere && (!sharesAll || shared.insert(std::move(records)).second))
            dense = checkedAdd(dense, weight.denseFp16Bytes().value).value_or(UINT64_MAX);
        const auto [form, added] = forms.try_emplace(formText(weight.form), forms.size());
        if (added)
            totals.forms.emplace_back(form->first, 0);
        ++totals.forms[form->second].second;
    }
    const auto before = [](const Blob &a, const Blob &b) {
        return std::tie(a.file, a.offset) < std::tie(b.file, b.offset);
    };
    if (!std::ranges::is_sorted(blobs, before)) // mostly they lie as they are named
        std::ranges::stable_sort(blobs, before);
    for (std::size_t i = 0; i < blobs.size(); ++i) {
        if (i == 0 || blobs[i].file != blobs[i - 1].file || blobs[i].offset != blobs[i - 1].offset)
            add(blobs[i].bytes);
    }
    totals.storedBytes = ByteCount(stored);
    totals.denseFp16Bytes = ByteCount(dense);
    totals.ratio = dense == 0
                       ? std::numeric_limits<double>::quiet_NaN() // of nothing there is no share
                       : static_cast<double>(totals.storedBytes.value) / static_cast<double>(dense);
    return totals;
}

std::string Weight::address() const
{
    std::string text;
    for (const std::string *step : {&model, &function, &name}) {
        if (!step->empty())
            text += (text.empty() ? "" : "/") + *step;
    }
    return text;
}

bool Bundle::isNamed(const Section &section, std::string_view name) const
{
    if (!section.givenName.empty())
        return section.givenName == name;
    const bool ofRecord = section.record != kNoIndex;
    if (ofRecord ? !name.starts_with("record ") : !name.starts_with(ownerOf(section)))
        return false;
    return nameOf(section) == name;
}

std::string Bundle::nameOf(const Section &section) const
{
    if (!section.givenName.empty())
        return section.givenName;
    if (section.record != kNoIndex)
        return fmt::format("record {}: metadata", std::size_t(section.record));
    if (section.weight < m_weights.size()) {
        const Weight &weight = m_weights[section.weight];
        const OperandList &operands = weight.operands();
        return section.operand < operands.size()
                   ? fmt::format("{}: {}", weight.name,
                                 codec::partRoleName(operands[section.operand].role))
                   : weight.name;
    }
    return section.kind == SectionKind::Padding ? "padding" : "unknown";
}

std::optional<std::size_t> Bundle::weightByName(std::string_view name) const
{
    std::optional<std::size_t> named;
    bool several = false;
    for (std::size_t i = 0; i < m_weights.size(); ++i) {
        const Weight &weight = m_weights[i];
        // The name is the end of the address: only then is it worth making that.
        if (!name.ends_with(weight.name))
            continue;
        if (name.size() == weight.name.size()) {
            several = named.has_value();
            if (several && weight.model.empty() && weight.function.empty())
                return i;
            named = i;
            if (several)
                break;
        } else if (weight.address() == name) {
            return i;
        }
    }
    return several ? std::nullopt : named;
}

std::size_t indexOfPath(const std::vector<BundleFile> &files, std::string_view path)
{
    const auto *found = findBy(files, &BundleFile::path, path);
    return found ? static_cast<std::size_t>(found - files.data()) : kNoIndex;
}

std::optional<std::size_t> Bundle::fileByPath(std::string_view path) const
{
    const std::size_t found = indexOfPath(m_files, path);
    return found == kNoIndex ? std::nullopt : std::optional(found);
}

std::size_t Bundle::sectionAt(std::size_t file, FileOffset offset) const
{
    const auto behind =
        std::upper_bound(m_sections.begin(), m_sections.end(), std::pair(file, offset),
                         [](const auto &place, const Section &section) {
                             return place.first != section.file
                                        ? place.first < section.file
                                        : place.second < section.range.offset;
                         });
    if (behind == m_sections.begin())
        return kNoIndex;
    const Section &section = *std::prev(behind);
    return section.file == file && section.range.contains(offset)
               ? static_cast<std::size_t>(std::prev(behind) - m_sections.begin())
               : kNoIndex;
}

std::pair<std::size_t, std::size_t> Bundle::sectionsOf(std::size_t file) const
{
    const auto first =
        std::partition_point(m_sections.begin(), m_sections.end(),
                             [file](const Section &section) { return section.file < file; });
    const auto last = std::partition_point(
        first, m_sections.end(), [file](const Section &section) { return section.file == file; });
    return {static_cast<std::size_t>(first - m_sections.begin()),
            static_cast<std::size_t>(last - m_sections.begin())};
}

bool Bundle::modified() const
{
    return std::ranges::any_of(m_files,
                               [](const BundleFile &file) { return file.file->modified(); });
}

Result<void> Bundle::checkUnchanged() const
{
    for (const BundleFile &file : m_files) {
        TRY(file.file->checkSame());
    }
    return {};
}

ByteCount Bundle::totalBytes() const
{
    std::uint64_t sum = 0;
    for (const BundleFile &file : m_files)
        sum = checkedAdd(sum, file.file->size().value).value_or(UINT64_MAX);
    return ByteCount(sum);
}

BundleReadLock::BundleReadLock(const Bundle &a, const Bundle &b)
{
    std::set<std::shared_mutex *, std::less<>> mutexes;
    for (const Bundle *bundle : {&a, &b}) {
        for (const BundleFile &file : bundle->files())
            mutexes.insert(&file.file->mutex());
    }
    m_locks.reserve(mutexes.size());
    for (std::shared_mutex *mutex : mutexes)
        m_locks.emplace_back(*mutex);
}

namespace {

/// Gives a fault of the codec, which knows no files, its place: the stored operand that its
/// field names, or the weight's first one. Literals lie in the program, at the place of their
/// notation.
void placeFault(const Bundle &bundle, const Weight &weight, Error &error)
{
    const auto role = codec::partRoleFromName(error.field);
    const codec::Operand *operand = role ? weight.operand(*role) : nullptr;
    if (!operand && !weight.operands().empty())
        operand = &weight.operands().front();
    if (!operand || !operand->place)
        return;
    const OperandPlace &place = *operand->place;
    if (!place.isLiteral()) {
        error.file = bundle.files()[place.file].path;
        error.offset = place.dataOffset;
        return;
    }
    const std::size_t program = bundle.programFileOf(weight.model);
    if (program == kNoIndex)
        return;
    error.file = bundle.files()[program].path;
    if (place.literal && !place.literal->elementSpans.empty())
        error.offset = FileOffset(place.literal->elementSpans.front().offset);
}

/// Of a Core AI package that is too large to be hashed as it is opened.
std::optional<Error> hashFinding(const Bundle &bundle)
{
    const auto module = bundle.fileByPath(aimodel::kModuleFile);
    const auto hash = bundle.fileByPath(aimodel::kHashFile);
    if (bundle.kind() != BundleKind::Aimodel || !module || bundle.files().size() == 1 ||
        bundle.files()[*module].file->size().value <= aimodel::kHashedOnOpening)
        return std::nullopt;
    return aimodel::hashFinding(bundle.files()[*module].file->bytes(),
                                hash ? std::optional(bundle.files()[*hash].file->bytes())
                                     : std::nullopt);
}

} // namespace

std::span<const std::byte> Bundle::operandBytes(const codec::Operand &operand) const
{
    if (!operand.place)
        return operand.bytes;
    const OperandPlace &place = *operand.place;
    if (place.isLiteral())
        return place.literal ? std::span<const std::byte>(place.literal->bytes)
                             : std::span<const std::byte>();
    if (place.file >= m_files.size())
        return {};
    const auto bytes = m_files[place.file].file->bytes();
    if (!place.pieces.empty())
        return bytes;
    if (!fitsInside(place.range(), ByteCount(bytes.size())))
        return {};
    return bytes.subspan(place.dataOffset.value, place.bytes.value);
}

std::vector<std::span<const std::byte>> Bundle::operandRuns(const codec::Operand &operand) const
{
    const auto bytes = operandBytes(operand);
    if (!operand.place || operand.place->pieces.empty())
        return {bytes};
    std::vector<std::span<const std::byte>> runs;
    for (const ByteRange &piece : operand.place->pieces) {
        if (fitsInside(piece, ByteCount(bytes.size())))
            runs.push_back(bytes.subspan(piece.offset.value, piece.bytes.value));
    }
    return runs;
}

Result<codec::Decoder> Bundle::decoder(std::size_t weight) const
{
    const Weight &wanted = m_weights[weight];
    if (wanted.fault)
        return tl::unexpected(*wanted.fault);
    codec::Encoding encoding =
        codec::withOperands(*wanted.form.encoding(), [this](codec::Operand &operand) {
            operand.bytes = operandBytes(operand);
        });
    auto decoder = codec::Decoder::make(std::move(encoding));
    if (!decoder)
        placeFault(*this, wanted, decoder.error());
    return decoder;
}

Diagnostics verifyPayload(const Bundle &bundle, std::size_t index, Progress *progress)
{
    const Weight &weight = bundle.weights()[index];
    const auto decoder = bundle.decoder(index);
    if (!decoder)
        return {{Severity::Error, decoder.error()}};
    Diagnostics all = decoder->verify(progress);
    for (Diagnostic &found : all) {
        placeFault(bundle, weight, found.error);
        found.error.field = weight.name + ": " + found.error.field;
    }
    return all;
}

std::optional<Error> maskFault(const Bundle &bundle, std::size_t weight)
{
    if (bundle.weights()[weight].operand(codec::PartRole::Mask)) {
        for (Diagnostic &found : verifyPayload(bundle, weight)) {
            if (found.error.code == "codec.mask")
                return std::move(found.error);
        }
    }
    return std::nullopt;
}

Diagnostics verifyPayloads(const Bundle &bundle, Progress *progress)
{
    DiagnosticLog log;
    if (auto finding = hashFinding(bundle))
        log.add(Severity::Warning, std::move(*finding));
    for (std::size_t i = 0; i < bundle.weights().size(); ++i) {
        if (progress && progress->cancelled())
            break;
        const auto packed = [](const codec::Operand &operand) {
            const auto *order = dynamic_cast<const codec::PackedBytes *>(operand.order.get());
            return order != nullptr && !order->isUnpacked();
        };
        const OperandList &operands = bundle.weights()[i].operands();
        if (bundle.weights()[i].fault || std::ranges::any_of(operands, packed))
            continue; // is among the bundle's diagnostics; is checked as it is unpacked
        for (Diagnostic &found : verifyPayload(bundle, i, progress))
            log.add(found.severity, std::move(found.error));
    }
    return log.take();
}

} // namespace kernscope
