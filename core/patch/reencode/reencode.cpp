// SPDX-License-Identifier: GPL-3.0-or-later
// Re-encoding weights: the weight files, the new bundle, and whether it is what it should be.
#include "core/patch/reencode/reencode.h"

#include "core/base/byte_text.h"
#include "core/base/error_builder.h"
#include "core/base/overlaid_file.h"
#include "core/bundle/build_facts.h"
#include "core/codec/decode/decoder.h"
#include "core/container/mil/model_files.h"
#include "core/container/mil/value_graph.h"
#include "core/patch/reencode/module_reencoder.h"
#include "core/patch/reencode/reencoder.h"

#include <cmath>
#include <cstring>
#include <functional>
#include <unordered_set>

#include <fmt/format.h>

namespace kernscope::patch {

Result<void> checkForm(const Weight &weight, const codec::EncodedWeight &encoded, bool casts)
{
    const bool cast =
        casts && weight.type == ElementType::Fp32 && encoded.type == ElementType::Fp16;
    if (weight.type != encoded.type && !cast)
        return refused("encode.type", weight.name, elementTypeName(encoded.type),
                       elementTypeName(weight.type),
                       "This form makes values of another type than the weight has");
    if (weight.shape != encoded.shape)
        return refused("encode.shape", weight.name, shapeText(weight.shape),
                       shapeText(encoded.shape), "A form does not change the shape");
    return {};
}

std::optional<std::size_t> blobFileOf(const Bundle &bundle, std::size_t program,
                                      const mil::BlobReference &blob)
{
    const auto path = resolveBlobPath(blob.path, modelFolderOf(bundle.files()[program].path));
    return path ? bundle.fileByPath(*path) : std::nullopt;
}

Result<BundlePtr> openWith(const Bundle &bundle,
                           std::map<std::size_t, std::vector<std::byte>> files)
{
    constexpr std::uint64_t kMostOther = std::uint64_t(512) << 20; // weights make a bundle large
    OpenOptions options;
    for (std::size_t i = 0; i < bundle.files().size(); ++i) {
        const BundleFile &file = bundle.files()[i];
        const auto bytes = file.file->bytes();
        const auto own = files.find(i);
        if (own == files.end() && file.role != SectionKind::Data && bytes.size() > kMostOther)
            return refused({file.path}, "encode.size", {},
                           fmt::format("at most {} bytes", kMostOther),
                           fmt::format("{} bytes", bytes.size()),
                           "A file beside the weights is too large to be copied");
        options.memory.emplace_back(
            file.path, own != files.end() ? std::move(own->second)
                                          : std::vector<std::byte>(bytes.begin(), bytes.end()));
    }
    return Bundle::open(bundle.name(), options);
}

std::string differenceTo(const codec::EncodedWeight &encoded, const Result<codec::Decoder> &found,
                         double rounding)
{
    const auto wanted = codec::Decoder::make(encoded.encoding());
    if (!found || !wanted || found->elements() != wanted->elements())
        return found ? "another number of elements" : describe(found.error());
    constexpr std::uint64_t kBlock = 65536;
    std::vector<float> a(std::min(kBlock, wanted->elements().value));
    std::vector<float> b(a.size());
    double largest = 0, furthest = 0;
    for (std::uint64_t at = 0; at < wanted->elements().value; at += kBlock) {
        const auto count =
            static_cast<std::size_t>(std::min(kBlock, wanted->elements().value - at));
        found->decodeFloat(at, std::span(a).first(count));
        wanted->decodeFloat(at, std::span(b).first(count));
        if (std::memcmp(a.data(), b.data(), count * sizeof(float)) == 0 && rounding == 0)
            continue;
        for (std::size_t i = 0; i < count; ++i) {
            const double own = static_cast<double>(a[i]), other = static_cast<double>(b[i]);
            const bool finite = std::isfinite(own) && std::isfinite(other);
            if (std::isnan(own) != std::isnan(other) ||
                (!finite && !std::isnan(own) && own != other))
                return "other values";
            largest = std::max(largest, finite ? std::abs(other) : 0);
            furthest = std::max(furthest, finite ? std::abs(own - other) : 0);
        }
    }
    return furthest > largest * rounding ? fmt::format("values that differ by up to {}", furthest)
                                         : std::string();
}

namespace {

/// Builds a new bundle step by step in which weights have other forms.
class Reencoder
{
public:
    /// Both must outlive it.
    Reencoder(const Bundle &bundle, std::span<const Reencoding> weights)
        : m_bundle(bundle), m_program(bundle.program())
    {
        for (const Reencoding &each : weights) {
            Job job;
            job.weight = &bundle.weights()[each.weight];
            job.encoded = each.encoded;
            m_jobs.push_back(std::move(job));
        }
        m_file = m_jobs.empty() ? bundle.programFile()
                                : bundle.programFileOf(m_jobs.front().weight->model);
    }

    /// The new bundle, in memory. Errors: "encode.*" with the place that cannot be written anew.
    Result<BundlePtr> run()
    {
        TRY(checkWeights());
        const BundleFile &file = m_bundle.files()[m_file];
        m_text = !isModelProtobuf(file.file->bytes(), file.path);
        for (const auto &step :
             {&Reencoder::findStatements, &Reencoder::draft, &Reencoder::layOutBlobs}) {
            TRY((this->*step)());
        }
        auto text = TRY(program());
        m_blobs[m_file] = std::move(text);
        auto made = TRY(openWith(m_bundle, std::move(m_blobs)));
        TRY(verify(*made));
        return made;
    }

private:
    using Bytes = std::vector<std::byte>;

    /// One weight on its way to another form.
    struct Job {
        const Weight *weight = nullptr;
        const codec::EncodedWeight *encoded = nullptr;
        const mil::Function *function = nullptr;
        const mil::Operation *operation = nullptr; ///< the statement that makes it
        std::vector<DraftOperation> drafts;
        std::size_t blobFile = kNoIndex;
        std::string blobPath;        ///< as the program writes it
        std::size_t twin = kNoIndex; ///< earlier job that writes the same records
    };

    Result<void> checkWeights() const
    {
        const std::string first = m_jobs.empty() ? std::string() : m_jobs.front().weight->name;
        if (m_bundle.kind() == BundleKind::Aimodelx)
            return refused(
                "encode.compiled", first, "a Core AI package (.aimodel)", "a compiled program",
                "A compiled program is not re-encoded: encode the .aimodel that it was "
                "compiled from and compile that anew; single values of what is stored can "
                "be patched here");
        if (m_bundle.programFile() == kNoIndex || m_bundle.kind() == BundleKind::MilBlob)
            return refused("encode.program", first, "a program beside the weight file",
                           std::string(bundleKindName(m_bundle.kind())),
                           "Without a program a weight has no form to change");
        std::set<const Weight *> seen;
        for (const Job &job : m_jobs) {
            if (isOfOldNetwork(*job.weight))
                return tl::unexpected(
                    oldNetworkError("encode.network", job.weight->findableName()));
            TRY(checkForm(*job.weight, *job.encoded, job.encoded->parts.size() == 1));
            if (!seen.insert(job.weight).second)
                return refused("encode.program", job.weight->name, "each weight once", "twice",
                               "A weight cannot get two forms");
        }
        return {};
    }

    /// The statement that makes each weight, and what makes every other value of its function.
    Result<void> findStatements()
    {
        std::map<std::pair<std::string, std::string>, std::vector<Job *>> byFunction;
        for (Job &job : m_jobs)
            byFunction[{job.weight->model, job.weight->function}].push_back(&job);
        for (const mil::Function &function : m_program->functions) {
            const auto jobs = byFunction.find({function.model, function.name});
            if (jobs == byFunction.end())
                continue;
            auto &makers = m_makers[&function];
            visitOperations(function.body, [&makers](const mil::Operation &operation) {
                for (const mil::NamedType &output : operation.outputs)
                    makers.emplace(output.name, &operation);
            });
            for (Job *job : jobs->second) {
                const auto maker = makers.find(job->weight->name);
                if (maker == makers.end() || job->operation != nullptr)
                    continue;
                job->operation = maker->second;
                job->function = &function;
            }
        }
        for (const Job &job : m_jobs) {
            if (job.operation == nullptr || job.operation->span.length == 0 ||
                !job.operation->blocks.empty() || job.operation->outputs.size() != 1)
                return refused("encode.program", job.weight->name,
                               "a statement that makes the weight alone", job.weight->sourceOp,
                               "The program has no statement that could be replaced");
            m_removed.insert(job.operation);
        }
        return {};
    }

    Result<void> draft()
    {
        std::map<const mil::Function *, std::vector<const Job *>> byFunction;
        std::map<const codec::EncodedWeight *, std::size_t> uses;
        for (Job &job : m_jobs) {
            byFunction[job.function].push_back(&job);
            ++uses[job.encoded];
        }
        for (const auto &[function, jobs] : byFunction)
            findServants(*function, jobs);
        chooseBlobFiles();
        for (Job &job : m_jobs) {
            using Place = DraftTarget::Place;
            const Place place = job.blobFile == kNoIndex ? Place::Program
                                : uses[job.encoded] > 1  ? Place::Shared
                                                         : Place::WeightFile;
            job.drafts =
                TRY(draftOperations(*job.encoded, {job.weight->name, job.operation->displayName(),
                                                   job.function->opset, place, job.weight->type}));
        }
        return {};
    }

    /// Constants and constexpr ops that only the statements use, directly or through one another.
    void findServants(const mil::Function &function, const std::vector<const Job *> &jobs)
    {
        std::map<std::string, std::size_t> uses;
        std::map<std::string, const mil::Operation *> makers;
        const auto count = [](std::map<std::string, std::size_t> &counts) {
            return [&counts](std::string_view, const mil::ProgramValue &value) {
                if (const mil::Reference *reference = value.reference())
                    ++counts[reference->name];
            };
        };
        visitOperations(function.body, [&](const mil::Operation &operation) {
            forEachValue(operation, count(uses));
            for (const mil::NamedType &output : operation.outputs)
                makers[output.name] = &operation;
        });
        visitBlocks(function.body, [&](const mil::Block &block) {
            for (const std::string &output : block.outputs)
                ++uses[output];
        });
        std::map<std::string, std::size_t> served;
        for (const Job *job : jobs)
            forEachValue(*job->operation, count(served));
        for (bool grew = true; grew;) {
            grew = false;
            for (const auto &[name, maker] : makers) {
                const bool constant =
                    maker->type == "const" || maker->type.starts_with("constexpr_");
                const bool alone =
                    std::ranges::all_of(maker->outputs, [&](const mil::NamedType &output) {
                        const auto all = uses.find(output.name);
                        const auto here = served.find(output.name);
                        const std::size_t wanted = all == uses.end() ? 0 : all->second;
                        return wanted == (here == served.end() ? 0 : here->second);
                    });
                if (!constant || !alone || served.count(name) == 0 ||
                    !m_removed.insert(maker).second)
                    continue;
                forEachValue(*maker, count(served));
                grew = true;
            }
        }
    }

    /// Calls `each` for every blob of a job's statement and of the servants that it reads.
    void visitOwnBlobs(const Job &job,
                       const std::function<void(const mil::BlobReference &)> &each) const
    {
        const auto &makers = m_makers.at(job.function);
        std::vector<const mil::Operation *> open{job.operation};
        std::set<const mil::Operation *> seen;
        while (!open.empty()) {
            const mil::Operation *operation = open.back();
            open.pop_back();
            if (!seen.insert(operation).second)
                continue;
            forEachValue(*operation, [&](std::string_view, const mil::ProgramValue &value) {
                if (const mil::BlobReference *blob = value.blob())
                    each(*blob);
                const mil::Reference *reference = value.reference();
                const auto maker =
                    reference != nullptr ? makers.find(reference->name) : makers.end();
                if (maker != makers.end() && removed(*maker->second))
                    open.push_back(maker->second);
            });
        }
    }

    /// The file that holds the weight now, itself or through a servant of its statement. Weights
    /// that are in no file go to the first that the program names; where it names none, into the
    /// program.
    void chooseBlobFiles()
    {
        for (Job &job : m_jobs) {
            const auto choose = [&](const mil::BlobReference &blob) {
                const auto file = job.blobFile == kNoIndex ? fileOf(blob) : std::nullopt;
                if (file) {
                    job.blobFile = *file;
                    job.blobPath = blob.path;
                }
            };
            visitOwnBlobs(job, choose);
            if (job.blobFile == kNoIndex)
                visitBlobs(choose, true);
        }
    }

    Result<void> layOutBlobs()
    {
        std::map<std::tuple<const codec::EncodedWeight *, std::size_t, std::string>, std::size_t>
            first;
        std::set<std::size_t> files;
        for (std::size_t i = 0; i < m_jobs.size(); ++i) {
            Job &job = m_jobs[i];
            if (job.blobFile == kNoIndex)
                continue;
            files.insert(job.blobFile);
            const auto known =
                first.try_emplace({job.encoded, job.blobFile, job.function->opset}, i)
                    .first->second;
            if (known != i)
                job.twin = known;
        }
        for (const std::size_t file : files) {
            TRY(layOutFile(file));
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

    Result<void> layOutFile(std::size_t number)
    {
        std::set<std::uint64_t> kept;
        visitBlobs([&](const mil::BlobReference &blob) {
            if (fileOf(blob) == number)
                kept.insert(blob.offset);
        });
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
        auto layout = TRY(patch::layOutBlobs(file.file->bytes(), file.path, kept, groups));
        m_moved[number] = std::move(layout.moved);
        m_blobs[number] = std::move(layout.file);
        return {};
    }

    /// The records of its file that its statement and the servants of that name.
    std::set<std::uint64_t> recordsOf(const Job &job) const
    {
        std::set<std::uint64_t> records;
        visitOwnBlobs(job, [&](const mil::BlobReference &blob) {
            if (fileOf(blob) == job.blobFile)
                records.insert(blob.offset);
        });
        return records;
    }

    std::optional<std::size_t> fileOf(const mil::BlobReference &blob) const
    {
        return blobFileOf(m_bundle, m_file, blob);
    }
    /// Of a compiled pipeline one model's program is written anew.
    bool isOurs(const mil::Function &function) const
    {
        return m_bundle.programFileOf(function.model) == m_file;
    }
    bool removed(const mil::Operation &operation) const { return m_removed.count(&operation) > 0; }
    /// Calls `each` for every blob that what stays of our functions refers to.
    void visitBlobs(const std::function<void(const mil::BlobReference &)> &each,
                    bool removedToo = false) const
    {
        for (const mil::Function &function : m_program->functions) {
            if (!isOurs(function))
                continue;
            visitOperations(function.body, [&](const mil::Operation &operation) {
                if (removed(operation) && !removedToo)
                    return;
                forEachValue(operation, [&](std::string_view, const mil::ProgramValue &value) {
                    if (const mil::BlobReference *blob = value.blob(); blob != nullptr)
                        each(*blob);
                });
            });
        }
    }

    std::vector<Splice> splices() const
    {
        std::vector<Splice> all;
        std::set<const mil::Operation *> replaced;
        for (const Job &job : m_jobs) {
            all.push_back(statement(job));
            replaced.insert(job.operation);
        }
        for (const mil::Operation *operation : m_removed) {
            if (replaced.count(operation) == 0)
                all.push_back(removal(*operation));
        }
        visitBlobs([&](const mil::BlobReference &blob) {
            const auto file = fileOf(blob);
            const auto moved = file ? m_moved.find(*file) : m_moved.end();
            if (moved == m_moved.end())
                return;
            const std::uint64_t to = moved->second.at(blob.offset);
            if (to != blob.offset)
                all.push_back({blob.offsetSpan, {offsetBytes(to, m_text)}});
        });
        return all;
    }

    /// The operations that make a weight, in place of its statement.
    Splice statement(const Job &job) const
    {
        Splice own{job.operation->span, {}};
        if (!m_text) {
            for (const DraftOperation &draft : job.drafts)
                own.contents.push_back(serialiseProtobuf(draft, job.blobPath));
            return own;
        }
        std::string text;
        const unsigned opset = opsetNumber(job.function->opset);
        for (const DraftOperation &draft : job.drafts)
            text +=
                (text.empty() ? "" : ";\n            ") + serialiseText(draft, job.blobPath, opset);
        const auto bytes = m_bundle.files()[m_file].file->bytes();
        const std::uint64_t end = own.span.offset + own.span.length;
        if (own.span.length > 0 && std::to_integer<char>(bytes[end - 1]) == ';')
            text += ';';
        own.contents = {bytesOfText(text)};
        return own;
    }

    /// Nothing in the operation's place: of a text its line goes too.
    Splice removal(const mil::Operation &operation) const
    {
        Splice splice{operation.span, {}};
        if (!m_text)
            return splice;
        const auto text = m_bundle.files()[m_file].file->bytes();
        const auto at = [&](std::uint64_t offset) { return std::to_integer<char>(text[offset]); };
        std::uint64_t first = splice.span.offset;
        while (first > 0 && (at(first - 1) == ' ' || at(first - 1) == '\t'))
            --first;
        std::uint64_t end = splice.span.offset + splice.span.length;
        if (end < text.size() && at(end) == '\n' && first > 0 && at(first - 1) == '\n')
            ++end;
        else
            first = splice.span.offset;
        splice.span = {first, end - first};
        return splice;
    }

    Result<Bytes> program() const
    {
        const auto bytes = m_bundle.files()[m_file].file->bytes();
        if (m_text)
            return spliceText(bytes, splices());
        return spliceProtobuf(bytes, splices());
    }

    /// The new weights decode to what was encoded, and no other weight is gone or another.
    Result<void> verify(const Bundle &made) const
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
            const auto place = places.find(job.weight->address());
            const bool there = place != places.end() && place->second != kNoIndex;
            std::string found = differenceTo(*job.encoded, there ? made.decoder(place->second)
                                                                 : tl::unexpected(Error{}));
            if (!found.empty())
                return wrong(*job.weight, std::move(found));
        }
        return {};
    }

    const Bundle &m_bundle;
    std::shared_ptr<const mil::Program> m_program; ///< of the bundle: what is below points into it
    std::size_t m_file = kNoIndex;                 ///< of the program that writes the weights
    bool m_text = false;                           ///< the program is text, not messages
    std::vector<Job> m_jobs;
    /// By function and name: what makes each value.
    std::map<const mil::Function *, std::map<std::string, const mil::Operation *>> m_makers;
    std::unordered_set<const mil::Operation *> m_removed; ///< statements and their servants
    std::map<std::size_t, Bytes> m_blobs;                 ///< by file: laid out anew
    std::map<std::size_t, std::map<std::uint64_t, std::uint64_t>> m_moved; ///< by file
};

} // namespace

} // namespace kernscope::patch

namespace kernscope {

Result<BundlePtr> reencodeWeight(const Bundle &bundle, std::size_t weight,
                                 const codec::EncodedWeight &encoded)
{
    const Reencoding one{weight, &encoded};
    return reencodeWeights(bundle, std::span(&one, 1));
}

Result<BundlePtr> reencodeWeights(const Bundle &bundle, std::span<const Reencoding> weights)
{
    const BundleReadLock lock(bundle);
    if (bundle.kind() == BundleKind::Aimodel && bundle.programFile() != kNoIndex)
        return patch::reencodeModule(bundle, weights);
    if (!weights.empty() && isOfOldNetwork(bundle.weights()[weights.front().weight]))
        return patch::reencodeNetwork(bundle, weights);
    if (bundle.programFiles().empty())
        return patch::Reencoder(bundle, weights).run();
    // Of a compiled pipeline one program after the other; a weight keeps its place in the list.
    std::map<std::size_t, std::vector<Reencoding>> byFile;
    for (const Reencoding &each : weights)
        byFile[bundle.programFileOf(bundle.weights()[each.weight].model)].push_back(each);
    BundlePtr made;
    for (const auto &[file, own] : byFile) {
        auto next = TRY(patch::Reencoder(made ? *made : bundle, own).run());
        made = std::move(next);
    }
    return made ? Result<BundlePtr>(std::move(made)) : patch::Reencoder(bundle, weights).run();
}

} // namespace kernscope
