// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/reader/readers.h"

#include "core/container/skeleton/skeleton.h"

namespace kernscope {

namespace {

void readSkeleton(ContainerInput &input, ContainerContents &out)
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
    codec::Encoding encoding;
    encoding.type = weight.type;
    encoding.shape = weight.shape;
    encoding.payload =
        operandAt(codec::PartRole::Data, weight.type, weight.shape, placeAt(0, tables->payload));
    weight.form = StorageForm(std::move(encoding));
    out.weights.push_back(std::move(weight));
    out.claims[0] = {
        {{FileOffset(0), ByteCount(skeleton::kHeaderBytes)}, SectionKind::Header, "header"},
        {tables->payload, SectionKind::Data, {}, 0, 0}};
}

} // namespace

const ContainerReader &skeletonReader()
{
    static const ContainerReader reader{
        .kind = BundleKind::Unknown, // a format that is shipped has its own (bundle/kinds.h)
        .key = "skeleton",
        .name = "a skeleton file (.skel)",
        .wanted = "a .skel",
        .endings = {".skel"},
        .knows = [](auto bytes, auto) { return skeleton::isSkeleton(bytes); },
        .read = readSkeleton,
        .helpPage = "page",
        .fuzzTarget = "fuzz_skeleton"};
    return reader;
}

} // namespace kernscope
