// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/form/operand_place.h"
#include "core/patch/reencode/reencode.h"
#include "core/patch/reencode/reencode_draft.h"

#include <unordered_set>

/// Private to re-encoding weights.
namespace kernscope::patch {

/// Builds a new bundle step by step in which weights have other forms.
class Reencoder
{
public:
    /// Both must outlive it.
    Reencoder(const Bundle &bundle, std::span<const Reencoding> weights);

    /// The new bundle, in memory. Errors: "encode.*" with the place that cannot be written anew.
    Result<BundlePtr> run();

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

    Result<void> checkWeights() const;
    Result<void> findStatements();
    Result<void> draft();
    void findServants(const mil::Function &function, const std::vector<const Job *> &jobs);
    void chooseBlobFiles();
    void chooseBlobFile(Job &job) const;
    Result<void> layOutBlobs();
    Result<void> layOutFile(std::size_t file);
    std::set<std::uint64_t> recordsOf(const Job &job) const;
    std::optional<std::size_t> fileOf(const mil::BlobReference &blob) const;
    /// Of a compiled pipeline one model's program is written anew.
    bool isOurs(const mil::Function &function) const
    {
        return m_bundle.programFileOf(function.model) == m_file;
    }
    bool removed(const mil::Operation &operation) const { return m_removed.count(&operation) > 0; }
    std::vector<Splice> splices() const;
    Splice statement(const Job &job) const;
    Splice removal(const mil::Operation &operation) const;
    Result<Bytes> program() const;
    Result<BundlePtr> open(Bytes program);
    Result<void> verify(const Bundle &made) const;
    /// What is wrong with a weight as it was written; empty where nothing is.
    std::string fault(const Job &job, const Bundle &made,
                      const std::map<std::string, std::size_t> &places) const;

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

/// The bytes of a file that stays as it is. Errors: "encode.size".
Result<std::vector<std::byte>> copiedFile(const BundleFile &file);

} // namespace kernscope::patch
