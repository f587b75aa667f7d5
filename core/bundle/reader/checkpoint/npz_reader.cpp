// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/error_builder.h"
#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"
#include "core/bundle/reader/checkpoint/tensor_weight.h"
#include "core/bundle/reader/readers.h"
#include "core/container/archive/zip.h"
#include "core/numeric/npy.h"

#include <algorithm>

#include <fmt/format.h>

namespace kernscope::checkpoint {

namespace {

constexpr std::uint64_t kMaxUnpacked = std::uint64_t(4) << 30; ///< of all members together
constexpr const char *kSourceOp = "npy";
constexpr std::string_view kArray = ".npy";

ByteClaim claimOf(std::uint64_t offset, std::uint64_t bytes, SectionKind kind, std::string name)
{
    return {{FileOffset(offset), ByteCount(bytes)}, kind, std::move(name)};
}

std::string nameOf(std::string_view path)
{
    if (path.ends_with(kArray))
        path.remove_suffix(kArray.size());
    return std::string(path);
}

/// The array of a .npy that begins at `offset`.
StoredTensor arrayTensor(const Result<NpyLayout> &layout, const std::string &path,
                         const std::string &fileName, std::uint64_t offset)
{
    StoredTensor tensor;
    tensor.name = nameOf(path);
    if (!layout) {
        tensor.fault = layout.error();
        tensor.fault->field = tensor.name;
        tensor.fault->message = fmt::format("{}: {}", tensor.name, layout.error().message);
        return tensor;
    }
    tensor.type = layout->type;
    tensor.shape = layout->shape;
    tensor.firstAxisInnermost = layout->fortranOrder;
    tensor.bytes = {FileOffset(offset + layout->dataAt), layout->bytes};
    if (layout->bigEndian) {
        tensor.fault = valueError({fileName, FileOffset(offset)}, "npz.array", tensor.name,
                                  "little-endian numbers", "big-endian numbers",
                                  tensor.name + ": An array of this byte order is not read");
    }
    return tensor;
}

/// An array whose .npy bytes lie at `offset` of the file.
void addArray(std::span<const std::byte> bytes, std::uint64_t offset, const std::string &path,
              const std::string &fileName, ContainerContents &out)
{
    const auto layout = readNpyLayout(bytes, fileName);
    const StoredTensor tensor = arrayTensor(layout, path, fileName, offset);
    if (layout)
        out.claims[0].push_back(claimOf(offset, layout->dataAt, SectionKind::Metadata,
                                        fmt::format("{}: header", tensor.name)));
    addTensor(tensor, kSourceOp, out);
}

bool isArray(std::span<const std::byte> bytes)
{
    constexpr std::string_view kMagic("\x93NUMPY", 6);
    return bytes.size() > kMagic.size() &&
           std::string_view(reinterpret_cast<const char *>(bytes.data()), kMagic.size()) == kMagic;
}

/// What the header of a packed array says; only that is unpacked.
Result<NpyLayout> packedLayout(std::span<const std::byte> archive, const archive::ZipMember &member,
                               std::uint64_t left, const std::string &archiveName)
{
    TRY(archive::checkSize(member, left, archiveName));
    constexpr std::size_t kHead = 1024, kLongHead = std::size_t{1} << 17;
    for (const std::size_t most : {kHead, kLongHead}) {
        auto head = TRY(archive::unpackHead(archive, member, most, archiveName));
        auto layout = readNpyLayout(head, member.bytes, archiveName);
        if (layout || head.size() < kHead || most == kLongHead)
            return layout;
    }
    return tl::unexpected(Error());
}

void addMember(const std::vector<BundleFile> &files, const archive::ZipMember &member,
               std::uint64_t &left, ContainerContents &out)
{
    const std::string archiveName = files.front().path;
    const auto bytes = files.front().file->bytes();
    out.claims[0].push_back(claimOf(member.headerOffset, member.dataOffset - member.headerOffset,
                                    SectionKind::Metadata, fmt::format("{}: member", member.path)));
    const bool stored = member.method == 0 && !member.encrypted;
    if (!member.path.ends_with(kArray))
        out.claims[0].push_back(claimOf(member.dataOffset, member.storedBytes, SectionKind::Data,
                                        fmt::format("{}: as stored", member.path)));
    if (!member.path.ends_with(kArray))
        return;
    if (stored) {
        addArray(bytes.subspan(member.dataOffset, member.storedBytes), member.dataOffset,
                 member.path, archiveName, out);
        return;
    }
    const auto layout = packedLayout(bytes, member, left, archiveName);
    StoredTensor tensor = arrayTensor(layout, member.path, archiveName, member.dataOffset);
    if (!tensor.fault) {
        left -= member.bytes;
        tensor.bytes = {FileOffset(member.dataOffset), ByteCount(member.storedBytes)};
        tensor.packed = [zip = files.front().file, member, archiveName] {
            return archive::unpack(zip->bytes(), member, member.bytes, archiveName);
        };
        tensor.packedAt = layout->dataAt;
    } else {
        out.claims[0].push_back(claimOf(member.dataOffset, member.storedBytes, SectionKind::Data,
                                        fmt::format("{}: as stored", member.path)));
    }
    addTensor(tensor, kSourceOp, out);
}

/// A zip archive whose first member is an array, or one called .npz of which any is, or none is
/// there; or an array alone.
bool knowsNpz(std::span<const std::byte> bytes, std::string_view path)
{
    constexpr std::size_t kNameAt = 30, kLengthAt = 26;
    if (isArray(bytes) || !archive::isZip(bytes))
        return isArray(bytes);
    if (path.ends_with(".npz")) {
        const auto members = archive::readZip(bytes, path);
        return !members || members->empty() ||
               std::ranges::any_of(
                   *members, [](const auto &member) { return member.path.ends_with(kArray); });
    }
    if (bytes.size() < kNameAt)
        return false;
    const std::size_t length = std::to_integer<std::size_t>(bytes[kLengthAt]) |
                               std::to_integer<std::size_t>(bytes[kLengthAt + 1]) << 8;
    if (length > bytes.size() - kNameAt)
        return false;
    return std::string_view(reinterpret_cast<const char *>(bytes.data()) + kNameAt, length)
        .ends_with(kArray);
}

void readNpz(ContainerInput &input, ContainerContents &out)
{
    std::vector<BundleFile> &files = input.files;
    out.readOnlyReason = kReadOnly;
    files.front().role = SectionKind::Values;
    const std::string name = files.front().path;
    const auto bytes = files.front().file->bytes();
    if (isArray(bytes)) {
        const auto slash = name.rfind('/');
        addArray(bytes, 0, slash == name.npos ? name : name.substr(slash + 1), name, out);
        return;
    }
    auto members = archive::readZip(bytes, name);
    if (!members)
        return out.log.add(Severity::Error, std::move(members.error()));
    keepWithinLimits(*members, &archive::ZipMember::path, name, out.log);
    std::uint64_t left = kMaxUnpacked;
    for (const archive::ZipMember &member : *members)
        addMember(files, member, left, out);
}

} // namespace

const ContainerReader &npzReader()
{
    static const ContainerReader reader{.kind = BundleKind::Npz,
                                        .key = "npz",
                                        .name = "arrays of NumPy",
                                        .wanted = "a .npz, a .npy",
                                        .endings = {".npz"},
                                        .knows = knowsNpz,
                                        .read = readNpz,
                                        .helpPage = "sources",
                                        .fuzzTarget = "fuzz_checkpoint"};
    return reader;
}

} // namespace kernscope::checkpoint
