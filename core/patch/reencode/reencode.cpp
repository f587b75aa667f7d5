// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/patch/reencode/reencode.h"

#include "core/bundle/bundle_files.h"
#include "core/codec/decode/decoder.h"
#include "core/patch/reencode/reencode_draft.h"
#include "core/patch/reencode/reencode_visit.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <string>

#include <fmt/format.h>

namespace kernscope {

namespace {

using Bytes = std::vector<std::byte>;
using patch::DraftOperation;
using patch::Splice;
using patch::visitBlocks;
using patch::visitOperands;
using patch::visitOperations;

/// Builds the new bundle step by step.
class Reencoder
{
public:
    Reencoder(const Bundle &bundle, std::size_t weight, const codec::EncodedWeight &encoded)
        : m_bundle(bundle), m_weight(bundle.weights()[weight]), m_encoded(encoded)
    {
    }

    Result<BundlePtr> run();

private:
    Result<void> findStatement();
    void findServants();
    Result<void> chooseBlobFile();
    Result<void> layOutBlobs();
    std::optional<std::size_t> fileOf(const mil::BlobReference &blob) const;
    bool removed(const mil::Operation &operation) const { return m_removed.count(&operation) > 0; }
    std::vector<Splice> splices() const;
    Splice removal(const mil::Operation &operation) const;
    Result<Bytes> program() const;
    Result<BundlePtr> open(Bytes program) const;
    Result<void> verify(const Bundle &made) const;

    const Bundle &m_bundle;
    const Weight &m_weight;
    const codec::EncodedWeight &m_encoded;
    const mil::Function *m_function = nullptr;
    const mil::Operation *m_operation = nullptr;
    std::set<const mil::Operation *> m_removed; ///< the statement's own and its servants
    std::vector<DraftOperation> m_drafts;
    std::size_t m_blobFile = kNoIndex;
    std::string m_blobPath;                         ///< as the program spells it
    std::map<std::uint64_t, std::uint64_t> m_moved; ///< offsets of kept records, old to new
    Bytes m_blobs;
};

Result<void> Reencoder::findStatement()
{
    for (const mil::Function &function : m_bundle.program().functions) {
        if (function.name != m_weight.function || function.model != m_weight.model)
            continue;
        visitOperations(function.body, [&](const mil::Operation &operation) {
            for (const mil::NamedType &output : operation.outputs) {
                if (output.name == m_weight.name && m_operation == nullptr) {
                    m_operation = &operation;
                    m_function = &function;
                }
            }
        });
    }
    if (m_operation == nullptr || m_operation->span.length == 0 || !m_operation->blocks.empty() ||
        m_operation->outputs.size() != 1)
        return refused("encode.program", m_weight.name, "a statement that makes the weight alone",
                       m_weight.sourceOp, "The program has no statement that could be replaced");
    m_removed.insert(m_operation);
    return {};
}

/// Constants and constexpr ops that only the statement uses, directly or through one another.
void Reencoder::findServants()
{
    std::map<std::string, std::size_t> uses;
    std::map<std::string, const mil::Operation *> makers;
    const auto count = [](std::map<std::string, std::size_t> &counts) {
        return [&counts](const mil::Value &value) {
            if (const mil::Reference *reference = value.reference())
                ++counts[reference->name];
        };
    };
    visitOperations(m_function->body, [&](const mil::Operation &operation) {
        visitOperands(operation, count(uses));
        for (const mil::NamedType &output : operation.outputs)
            makers[output.name] = &operation;
    });
    visitBlocks(m_function->body, [&](const mil::Block &block) {
        for (const std::string &output : block.outputs)
            ++uses[output];
    });
    std::map<std::string, std::size_t> served;
    visitOperands(*m_operation, count(served));
    for (bool grew = true; grew;) {
        grew = false;
        for (const auto &[name, maker] : makers) {
            const bool constant = maker->type == "const" || maker->type.starts_with("constexpr_");
            const bool alone = std::all_of(
                maker->outputs.begin(), maker->outputs.end(), [&](const mil::NamedType &output) {
                    const auto all = uses.find(output.name);
                    const auto here = served.find(output.name);
                    const std::size_t wanted = all == uses.end() ? 0 : all->second;
                    return wanted == (here == served.end() ? 0 : here->second);
                });
            if (!constant || !alone || served.count(name) == 0 || !m_removed.insert(maker).second)
                continue;
            visitOperands(*maker, count(served));
            grew = true;
        }
    }
}

std::optional<std::size_t> Reencoder::fileOf(const mil::BlobReference &blob) const
{
    const std::string folder = modelFolderOf(m_bundle.files()[m_bundle.programFile()].path);
    const auto path = resolveBlobPath(blob.path, folder);
    return path ? m_bundle.fileByPath(*path) : std::nullopt;
}

/// The file that holds the weight now; otherwise the first that the program names.
Result<void> Reencoder::chooseBlobFile()
{
    const auto look = [&](const mil::Operation &operation) {
        visitOperands(operation, [&](const mil::Value &value) {
            const mil::BlobReference *blob = value.blob();
            if (blob == nullptr || m_blobFile != kNoIndex)
                return;
            if (const auto file = fileOf(*blob)) {
                m_blobFile = *file;
                m_blobPath = blob->path;
            }
        });
    };
    look(*m_operation);
    for (const mil::Operation *operation : m_removed)
        look(*operation);
    for (const mil::Function &function : m_bundle.program().functions)
        visitOperations(function.body, look);
    if (m_blobFile == kNoIndex)
        return refused("encode.blob", m_weight.name, "a weight file that the program names", "none",
                       "The bundle has no weight file to put the weight into");
    return {};
}

Result<void> Reencoder::layOutBlobs()
{
    std::set<std::uint64_t> kept;
    std::set<std::uint64_t> dropped;
    for (const mil::Function &function : m_bundle.program().functions) {
        visitOperations(function.body, [&](const mil::Operation &operation) {
            visitOperands(operation, [&](const mil::Value &value) {
                const mil::BlobReference *blob = value.blob();
                if (blob != nullptr && fileOf(*blob) == m_blobFile)
                    (removed(operation) ? dropped : kept).insert(blob->offset);
            });
        });
    }
    const BundleFile &file = m_bundle.files()[m_blobFile];
    auto layout = patch::layOutBlobs(file.file->bytes(), file.path, kept, dropped, m_drafts);
    if (!layout)
        return tl::unexpected(layout.error());
    m_moved = std::move(layout->moved);
    m_blobs = std::move(layout->file);
    return {};
}

Bytes bytesOf(std::string_view text)
{
    const auto raw = std::as_bytes(std::span(text));
    return {raw.begin(), raw.end()};
}

Bytes varint(std::uint64_t value)
{
    Bytes out;
    for (; value >= 0x80; value >>= 7)
        out.push_back(static_cast<std::byte>((value & 0x7f) | 0x80));
    out.push_back(static_cast<std::byte>(value));
    return out;
}

bool isText(const Bundle &bundle)
{
    const BundleFile &program = bundle.files()[bundle.programFile()];
    return !isModelProtobuf(program.file->bytes(), program.path);
}

/// Nothing in the operation's place: of a text its line goes too.
Splice Reencoder::removal(const mil::Operation &operation) const
{
    Splice splice{operation.span, {}};
    if (!isText(m_bundle))
        return splice;
    const auto text = m_bundle.files()[m_bundle.programFile()].file->bytes();
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

std::vector<Splice> Reencoder::splices() const
{
    std::vector<Splice> all;
    const unsigned opset = patch::opsetNumber(m_function->opset);
    Splice own{m_operation->span, {}};
    if (isText(m_bundle)) {
        std::string text;
        for (const DraftOperation &draft : m_drafts)
            text += (text.empty() ? "" : ";\n            ") +
                    patch::spellText(draft, m_blobPath, opset);
        const auto bytes = m_bundle.files()[m_bundle.programFile()].file->bytes();
        const std::uint64_t end = own.span.offset + own.span.length;
        if (own.span.length > 0 && std::to_integer<char>(bytes[end - 1]) == ';')
            text += ';';
        own.contents = {bytesOf(text)};
    } else {
        for (const DraftOperation &draft : m_drafts)
            own.contents.push_back(patch::spellProtobuf(draft, m_blobPath));
    }
    all.push_back(std::move(own));
    for (const mil::Operation *operation : m_removed) {
        if (operation != m_operation)
            all.push_back(removal(*operation));
    }
    for (const mil::Function &function : m_bundle.program().functions) {
        visitOperations(function.body, [&](const mil::Operation &operation) {
            if (removed(operation))
                return;
            visitOperands(operation, [&](const mil::Value &value) {
                const mil::BlobReference *blob = value.blob();
                if (blob == nullptr || fileOf(*blob) != m_blobFile)
                    return;
                const std::uint64_t to = m_moved.at(blob->offset);
                if (to != blob->offset)
                    all.push_back({blob->offsetSpan,
                                   {isText(m_bundle) ? bytesOf(std::to_string(to)) : varint(to)}});
            });
        });
    }
    return all;
}

Result<Bytes> Reencoder::program() const
{
    const auto bytes = m_bundle.files()[m_bundle.programFile()].file->bytes();
    if (isText(m_bundle))
        return patch::spliceText(bytes, splices());
    return patch::spliceProtobuf(bytes, splices());
}

Result<BundlePtr> Reencoder::open(Bytes program) const
{
    OpenOptions options;
    for (std::size_t i = 0; i < m_bundle.files().size(); ++i) {
        const BundleFile &file = m_bundle.files()[i];
        if (i == m_bundle.programFile()) {
            options.memory.emplace_back(file.path, std::move(program));
        } else if (i == m_blobFile) {
            options.memory.emplace_back(file.path, m_blobs);
        } else {
            const auto bytes = file.file->bytes();
            options.memory.emplace_back(file.path, Bytes(bytes.begin(), bytes.end()));
        }
    }
    return Bundle::open(m_bundle.name(), options);
}

/// The new weight decodes to what was encoded, and no other weight is gone or another.
Result<void> Reencoder::verify(const Bundle &made) const
{
    const auto wrong = [&](std::string found) {
        return refused("encode.verify", m_weight.name, "the values that were encoded",
                       std::move(found), "The new bundle does not hold what it should");
    };
    for (const Diagnostic &diagnostic : made.diagnostics()) {
        if (diagnostic.severity == Severity::Error && !hasErrors(m_bundle.diagnostics()))
            return wrong(describe(diagnostic.error));
    }
    if (made.weights().size() != m_bundle.weights().size())
        return wrong(fmt::format("{} weights instead of {}", made.weights().size(),
                                 m_bundle.weights().size()));
    const auto index = made.weightByName(m_weight.address());
    const auto found = index ? made.decoder(*index) : tl::unexpected(Error{});
    const auto wanted = codec::Decoder::make(m_encoded.encoding());
    if (!found || !wanted || found->elements() != wanted->elements())
        return wrong(found ? "another number of elements" : describe(found.error()));
    constexpr std::uint64_t kBlock = 65536;
    std::vector<float> a(kBlock);
    std::vector<float> b(kBlock);
    for (std::uint64_t at = 0; at < wanted->elements().value; at += kBlock) {
        const auto count =
            static_cast<std::size_t>(std::min(kBlock, wanted->elements().value - at));
        found->decodeFloat(at, std::span(a).first(count));
        wanted->decodeFloat(at, std::span(b).first(count));
        if (std::memcmp(a.data(), b.data(), count * sizeof(float)) != 0)
            return wrong("other values");
    }
    return {};
}

Result<BundlePtr> Reencoder::run()
{
    if (m_bundle.programFile() == kNoIndex || m_bundle.kind() == BundleKind::MilBlob)
        return refused("encode.program", m_weight.name, "a program beside the weight file",
                       std::string(bundleKindName(m_bundle.kind())),
                       "Without a program a weight has no form to change");
    if (m_weight.type != m_encoded.type)
        return refused("encode.type", m_weight.name, std::string(elementTypeName(m_encoded.type)),
                       std::string(elementTypeName(m_weight.type)),
                       "This form makes values of another type than the weight has");
    if (auto found = findStatement(); !found)
        return tl::unexpected(found.error());
    auto drafts = patch::draftOperations(
        m_encoded, {m_weight.name, m_operation->displayName(), m_function->opset});
    if (!drafts)
        return tl::unexpected(drafts.error());
    m_drafts = std::move(*drafts);
    findServants();
    for (const auto &step : {&Reencoder::chooseBlobFile, &Reencoder::layOutBlobs}) {
        if (auto done = (this->*step)(); !done)
            return tl::unexpected(done.error());
    }
    auto text = program();
    if (!text)
        return tl::unexpected(text.error());
    auto made = open(std::move(*text));
    if (!made)
        return made;
    if (auto sound = verify(**made); !sound)
        return tl::unexpected(sound.error());
    return made;
}

} // namespace

Result<BundlePtr> reencodeWeight(const Bundle &bundle, std::size_t weight,
                                 const codec::EncodedWeight &encoded)
{
    const BundleReadLock lock(bundle);
    return Reencoder(bundle, weight, encoded).run();
}

} // namespace kernscope
