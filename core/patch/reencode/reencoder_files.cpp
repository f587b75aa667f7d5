// SPDX-License-Identifier: GPL-3.0-or-later
// Re-encoding weights: the weight files, the new bundle, and whether it is what it should be.
#include "core/base/error_builder.h"
#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"
#include "core/codec/decode/decoder.h"
#include "core/container/mil/model_files.h"
#include "core/patch/reencode/reencode_visit.h"
#include "core/patch/reencode/reencoder.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

namespace kernscope::patch {

std::optional<std::size_t> Reencoder::fileOf(const mil::BlobReference &blob) const
{
    const std::string folder = modelFolderOf(m_bundle.files()[m_file].path);
    const auto path = resolveBlobPath(blob.path, folder);
    return path ? m_bundle.fileByPath(*path) : std::nullopt;
}

/// The file that holds the weight now, itself or through a servant of its statement.
void Reencoder::chooseBlobFile(Job &job) const
{
    const auto &makers = m_makers.at(job.function);
    std::vector<const mil::Operation *> open{job.operation};
    std::set<const mil::Operation *> seen;
    while (!open.empty() && job.blobFile == kNoIndex) {
        const mil::Operation *operation = open.back();
        open.pop_back();
        if (!seen.insert(operation).second)
            continue;
        visitOperands(*operation, [&](const mil::ProgramValue &value) {
            const mil::BlobReference *blob = value.blob();
            const auto file = blob != nullptr ? fileOf(*blob) : std::nullopt;
            if (file && job.blobFile == kNoIndex) {
                job.blobFile = *file;
                job.blobPath = blob->path;
            }
            const mil::Reference *reference = value.reference();
            const auto maker = reference != nullptr ? makers.find(reference->name) : makers.end();
            if (maker != makers.end() && removed(*maker->second))
                open.push_back(maker->second);
        });
    }
}

/// Weights that are in no file go to the first that the program names; where it names none, into
/// the program.
void Reencoder::chooseBlobFiles()
{
    std::size_t first = kNoIndex;
    std::string firstPath;
    for (Job &job : m_jobs) {
        chooseBlobFile(job);
        if (job.blobFile != kNoIndex)
            continue;
        for (const mil::Function &function : m_program->functions) {
            if (first != kNoIndex)
                break;
            if (!isOurs(function))
                continue;
            visitOperations(function.body, [&](const mil::Operation &operation) {
                visitOperands(operation, [&](const mil::ProgramValue &value) {
                    const mil::BlobReference *blob = value.blob();
                    const auto file =
                        blob != nullptr && first == kNoIndex ? fileOf(*blob) : std::nullopt;
                    if (file) {
                        first = *file;
                        firstPath = blob->path;
                    }
                });
            });
        }
        job.blobFile = first;
        job.blobPath = firstPath;
    }
}

/// The records of its file that its statement and the servants of that name.
std::set<std::uint64_t> Reencoder::recordsOf(const Job &job) const
{
    const auto &makers = m_makers.at(job.function);
    std::set<std::uint64_t> records;
    std::vector<const mil::Operation *> open{job.operation};
    std::set<const mil::Operation *> seen;
    while (!open.empty()) {
        const mil::Operation *operation = open.back();
        open.pop_back();
        if (!seen.insert(operation).second)
            continue;
        visitOperands(*operation, [&](const mil::ProgramValue &value) {
            const mil::BlobReference *blob = value.blob();
            if (blob != nullptr && fileOf(*blob) == job.blobFile)
                records.insert(blob->offset);
            const mil::Reference *reference = value.reference();
            const auto maker = reference != nullptr ? makers.find(reference->name) : makers.end();
            if (maker != makers.end() && removed(*maker->second))
                open.push_back(maker->second);
        });
    }
    return records;
}

Result<void> Reencoder::layOutFile(std::size_t number)
{
    std::set<std::uint64_t> kept;
    for (const mil::Function &function : m_program->functions) {
        if (!isOurs(function))
            continue;
        visitOperations(function.body, [&](const mil::Operation &operation) {
            if (removed(operation))
                return;
            visitOperands(operation, [&](const mil::ProgramValue &value) {
                const mil::BlobReference *blob = value.blob();
                if (blob != nullptr && fileOf(*blob) == number)
                    kept.insert(blob->offset);
            });
        });
    }
    std::vector<BlobGroup> groups;
    std::map<std::size_t, std::size_t> groupOf; // of a job
    for (std::size_t i = 0; i < m_jobs.size(); ++i) {
        Job &job = m_jobs[i];
        if (job.blobFile != number)
            continue;
        if (job.twin != kNoIndex) {
            const auto records = recordsOf(job);
            groups[groupOf.at(job.twin)].dropped.insert(records.begin(), records.end());
            continue;
        }
        groupOf[i] = groups.size();
        groups.push_back({&job.drafts, recordsOf(job)});
    }
    const BundleFile &file = m_bundle.files()[number];
    auto layout = patch::layOutBlobs(file.file->bytes(), file.path, kept, groups);
    if (!layout)
        return tl::unexpected(layout.error());
    m_moved[number] = std::move(layout->moved);
    m_blobs[number] = std::move(layout->file);
    return {};
}

Result<void> Reencoder::layOutBlobs()
{
    std::map<std::tuple<const codec::EncodedWeight *, std::size_t, std::string>, std::size_t> first;
    std::set<std::size_t> files;
    for (std::size_t i = 0; i < m_jobs.size(); ++i) {
        Job &job = m_jobs[i];
        if (job.blobFile == kNoIndex)
            continue;
        files.insert(job.blobFile);
        const auto known =
            first.try_emplace({job.encoded, job.blobFile, job.function->opset}, i).first->second;
        if (known != i)
            job.twin = known;
    }
    for (const std::size_t file : files) {
        if (auto laid = layOutFile(file); !laid)
            return laid;
    }
    for (Job &job : m_jobs) {
        if (job.twin == kNoIndex)
            continue;
        const auto &same = m_jobs[job.twin].drafts; // of the same form and operation set
        for (std::size_t d = 0; d < job.drafts.size(); ++d) {
            for (std::size_t o = 0; o < job.drafts[d].operands.size(); ++o)
                job.drafts[d].operands[o].offset = same[d].operands[o].offset;
        }
    }
    return {};
}

/// Weights are what a bundle is large by.
Result<std::vector<std::byte>> copiedFile(const BundleFile &file)
{
    constexpr std::uint64_t kMostOther = std::uint64_t(512) << 20;
    const auto bytes = file.file->bytes();
    if (file.role != SectionKind::Data && bytes.size() > kMostOther)
        return ErrorBuilder("encode.size")
            .file(file.path)
            .expected(fmt::format("at most {} bytes", kMostOther))
            .found(fmt::format("{} bytes", bytes.size()))
            .message("A file beside the weights is too large to be copied")
            .unexpected();
    return std::vector<std::byte>(bytes.begin(), bytes.end());
}

Result<BundlePtr> Reencoder::open(Bytes program)
{
    OpenOptions options;
    for (std::size_t i = 0; i < m_bundle.files().size(); ++i) {
        const BundleFile &file = m_bundle.files()[i];
        const auto laid = m_blobs.find(i);
        if (i == m_file) {
            options.memory.emplace_back(file.path, std::move(program));
        } else if (laid != m_blobs.end()) {
            options.memory.emplace_back(file.path, std::move(laid->second));
        } else {
            auto copied = copiedFile(file);
            if (!copied)
                return tl::unexpected(std::move(copied.error()));
            options.memory.emplace_back(file.path, std::move(*copied));
        }
    }
    return Bundle::open(m_bundle.name(), options);
}

std::string Reencoder::fault(const Job &job, const Bundle &made,
                             const std::map<std::string, std::size_t> &places) const
{
    const auto place = places.find(job.weight->address());
    const auto found = place != places.end() && place->second != kNoIndex
                           ? made.decoder(place->second)
                           : tl::unexpected(Error{});
    const auto wanted = codec::Decoder::make(job.encoded->encoding());
    if (!found || !wanted || found->elements() != wanted->elements())
        return found ? "another number of elements" : describe(found.error());
    constexpr std::uint64_t kBlock = 65536;
    std::vector<float> a(std::min(kBlock, wanted->elements().value));
    std::vector<float> b(a.size());
    for (std::uint64_t at = 0; at < wanted->elements().value; at += kBlock) {
        const auto count =
            static_cast<std::size_t>(std::min(kBlock, wanted->elements().value - at));
        found->decodeFloat(at, std::span(a).first(count));
        wanted->decodeFloat(at, std::span(b).first(count));
        if (std::memcmp(a.data(), b.data(), count * sizeof(float)) != 0)
            return "other values";
    }
    return {};
}

/// The new weights decode to what was encoded, and no other weight is gone or another.
Result<void> Reencoder::verify(const Bundle &made) const
{
    const auto wrong = [&](const Weight &weight, std::string found) {
        return refused("encode.verify", weight.name, "the values that were encoded",
                       std::move(found), "The new bundle does not hold what it should");
    };
    const Weight &first = *m_jobs.front().weight;
    for (const Diagnostic &diagnostic : made.diagnostics()) {
        if (diagnostic.severity == Severity::Error && !hasErrors(m_bundle.diagnostics()))
            return wrong(first, describe(diagnostic.error));
    }
    if (made.weights().size() != m_bundle.weights().size())
        return wrong(first, fmt::format("{} weights instead of {}", made.weights().size(),
                                        m_bundle.weights().size()));
    std::map<std::string, std::size_t> places; // an address that is there twice has none
    for (std::size_t i = 0; i < made.weights().size(); ++i) {
        const auto [place, fresh] = places.emplace(made.weights()[i].address(), i);
        if (!fresh)
            place->second = kNoIndex;
    }
    for (const Job &job : m_jobs) {
        std::string found = fault(job, made, places);
        if (!found.empty())
            return wrong(*job.weight, std::move(found));
    }
    return {};
}

} // namespace kernscope::patch
