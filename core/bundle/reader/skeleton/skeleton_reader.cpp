// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/reader/readers.h"

#include "core/container/skeleton/skeleton.h"

namespace kernscope {

namespace {

class SkeletonReader final : public ContainerReader
{
public:
    /// A format that is shipped has a kind of its own (bundle/kinds.h).
    BundleKind kind() const override { return BundleKind::Unknown; }
    std::string_view key() const override { return "skeleton"; }
    std::string_view name() const override { return "a skeleton file (.skel)"; }
    std::string_view wanted() const override { return "a .skel"; }
    std::vector<std::string_view> endings() const override { return {".skel"}; }
    std::string_view helpPage() const override { return "page"; }
    std::string_view fuzzTarget() const override { return "fuzz_skeleton"; }

    bool knows(std::span<const std::byte> bytes, std::string_view) const override
    {
        return skeleton::isSkeleton(bytes);
    }

    void read(ContainerInput &input, ContainerContents &out) const override
    {
        BundleFile &file = input.files.front();
        file.role = SectionKind::Data;
        const auto tables = skeleton::readSkeleton(file.file->bytes(), file.path);
        if (!tables)
            return out.log.add(Severity::Error, tables.error());
        Weight weight;
        weight.name = "numbers";
        weight.sourceOp = "skeleton";
        weight.type = ElementType::Fp16;
        weight.shape = {tables->numbers};
        weight.elements = ElementCount(tables->numbers);
        weight.storedBytes = tables->payload.bytes;
        OperandPlace place;
        place.file = 0;
        place.bytes = tables->payload.bytes;
        place.dataOffset = place.metaOffset = tables->payload.offset;
        codec::Encoding encoding;
        encoding.type = weight.type;
        encoding.shape = weight.shape;
        encoding.payload =
            operandAt(codec::PartRole::Data, weight.type, weight.shape, std::move(place));
        weight.form = StorageForm(std::move(encoding));
        out.weights.push_back(std::move(weight));
        out.claims[0] = {
            {{FileOffset(0), ByteCount(skeleton::kHeaderBytes)}, SectionKind::Header, "header"},
            {tables->payload, SectionKind::Data, {}, 0, 0}};
    }
};

} // namespace

const ContainerReader &skeletonReader()
{
    static const SkeletonReader reader;
    return reader;
}

} // namespace kernscope
