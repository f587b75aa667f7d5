// SPDX-License-Identifier: GPL-3.0-or-later
#include "container_samples.h"

#include "core/base/sha256.h"
#include "core/bundle/reader/readers.h"
#include "core/codec/encode/encoder.h"
#include "core/container/hwx/container.h"
#include "core/container/quantized/folder.h"
#include "core/container/section/builder.h"
#include "made_bundle.h"
#include "made_espresso.h"
#include "made_module.h"
#include "synthetic_kernels.h"
#include "tests/core/lanes/encode_slices.h"

namespace kernscope::test {

namespace {

ContainerSample lone(BundleKind kind, const char *name, Bytes bytes)
{
    ContainerSample sample{kind, name, {}};
    sample.files.memory = {{name, std::move(bytes)}};
    return sample;
}

MadeBundle madeProgram()
{
    MadeBundle made;
    made.layer("w", "[2, 2]", halves({1, 2, 3, 4}));
    return made;
}

/// A program whose weight is written in its text.
Bytes writtenProgram()
{
    MadeBundle made;
    made.line("tensor<fp16, [2, 2]> w = constexpr_affine_dequantize()[axis = int32(0), name = "
              "string(\"w\"), quantized_data = tensor<int8, [2, 2]>([1, 3, 4, 5]), scale = "
              "fp16(0x1p0), zero_point = int8(0)]");
    made.consume("w");
    const std::string text = made.text();
    return asBytes(QByteArray::fromStdString(text));
}

/// Two models of one name for their weights, one of them written in the text.
ContainerSample compiledPipeline()
{
    const MadeBundle made = madeProgram();
    ContainerSample sample{BundleKind::Mlmodelc, "pipe.mlmodelc", {}};
    sample.files.memory = {
        {"metadata.json", asBytes(R"([{"modelType": {"name": "MLModelType_pipeline"}}])")},
        {"model1/model.mil", writtenProgram()}};
    for (auto &[path, bytes] : made.options().memory)
        sample.files.memory.emplace_back("model0/" + path, std::move(bytes));
    return sample;
}

ContainerSample package()
{
    ContainerSample sample{BundleKind::Mlpackage, "x.mlpackage", {}};
    sample.files.memory = {
        {"Data/com.apple.CoreML/model.mlmodel", seed("network.mlmodel")},
        {"Manifest.json",
         asBytes(R"({"fileFormatVersion": "1.0.0", "itemInfoEntries": {"A": {"path":)"
                 R"( "com.apple.CoreML/model.mlmodel"}}, "rootModelIdentifier": "A"})")}};
    return sample;
}

/// 64 channels of 5 x 3 x 3, dense fp16, on four lanes.
Bytes hardware()
{
    MadeKernel kernel;
    kernel.geometry = {64, 5, 1, 3, 3, 1, false};
    kernel.lanesLog2 = 2;
    lanes::DealOptions options;
    options.cap = 4;
    const auto layout =
        lanes::SliceLayout::make(kernel.geometry, lanes::lawOf(kernel.geometry), options);
    if (!layout)
        return {};
    const auto slices = lanes::encodeSlices(*layout, numbered(layout->elements(), 0x3000), {});
    if (!slices)
        return {};
    kernel.slices = *slices;
    return containerOf(kernel);
}

/// The same text and kernel behind the header of the Linux driver's form.
Bytes driverImage()
{
    const Bytes source = hardware();
    const auto container = hwx::readContainer(source, "x.hwx");
    if (!container)
        return {};
    const hwx::SegmentSection *text = container->firstOf(hwx::SectionType::Text);
    const hwx::SegmentSection *kernel = container->firstOf(hwx::SectionType::Kernel);
    if (text == nullptr || kernel == nullptr || !text->bytes || !kernel->bytes)
        return {};
    const std::uint64_t begin = text->bytes->offset.value, end = kernel->bytes->end();
    Bytes bytes(0x1000);
    storeLittle<std::uint64_t>(bytes, 0, end - begin);
    storeLittle<std::uint32_t>(bytes, 8, std::uint32_t(text->size));
    storeLittle<std::uint32_t>(bytes, 12, 1);
    storeLittle<std::uint64_t>(bytes, 16, text->size);
    storeLittle<std::uint64_t>(bytes, 24, kernel->size);
    bytes.insert(bytes.end(), source.begin() + std::ptrdiff_t(begin),
                 source.begin() + std::ptrdiff_t(end));
    return bytes;
}

/// 54 numbers, a quarter of which are 0.
Bytes weightSection(FormNode form)
{
    const Shape shape{9, 2, 1, 3};
    std::vector<float> values(54);
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = float((i + 1) % 4);
    const auto encoded = form == FormNode::Sparse ? codec::encodeSparse(values, shape, 0.5F)
                         : form == FormNode::Palette
                             ? codec::encodePalette(values, shape, {})
                             : codec::encodeDense(values, shape, ElementType::Fp16);
    if (!encoded)
        return {};
    const auto decoder = codec::Decoder::make(encoded->encoding());
    if (!decoder)
        return {};
    section::BuildTarget target;
    target.name = "H13";
    target.cores = 4;
    section::BuildWeight weight;
    weight.name = "w";
    weight.decoder = &*decoder;
    weight.geometry = {9, 2, 1, 1, 3, 1, false};
    weight.mostLanes = 2;
    weight.bias.assign(9, 0x3c00);
    return section::buildSection(target, {weight}).value_or(Bytes());
}

/// 2 x 64 numbers in groups along the columns, as quantize writes them in these layouts.
ContainerSample quantizedFolder(const char *name, const char *data, const char *exponents)
{
    codec::Microscaled matrix;
    matrix.rows = 2;
    matrix.columns = matrix.validColumns = 64;
    matrix.data.assign(128, 0x38);
    matrix.exponents = {127, 128, 129, 130};
    quantized::Folder folder =
        quantized::beginFolder({"mxfp8", {2, 64}, 2, 64, "fp32", "w.npy", ""});
    ContainerSample sample{BundleKind::Quantized, name, {}};
    if (!quantized::addMicroscaled(folder, matrix, "ocp", data, exponents))
        return sample;
    const std::string manifest = quantized::manifestText(folder.manifest);
    folder.files.emplace_back(quantized::kManifest,
                              quantized::Bytes(manifest.begin(), manifest.end()));
    for (const auto &[path, bytes] : folder.files) {
        const auto all = std::as_bytes(std::span(bytes));
        sample.files.memory.emplace_back(path, Bytes(all.begin(), all.end()));
    }
    return sample;
}

/// Debug information and program, as they lie in a folder.
ContainerSample compiledProgram()
{
    ContainerSample sample{BundleKind::Aimodelx, "x.aimodelx", {}};
    sample.files.memory = {{"main-universal.dbginfo", seed("made.dbginfo")},
                           {"main-universal.odix", seed("made.odix")}};
    return sample;
}

/// Its module, the hash of that, and what every writer says of itself.
ContainerSample coreAiPackage()
{
    const Bytes module = madeWeights().bytes();
    Sha256 hash;
    hash.update(module);
    const auto digest = hash.finish();
    ContainerSample sample{BundleKind::Aimodel, "x.aimodel", {}};
    sample.files.memory = {
        {"main.hash", digest ? Bytes(digest->begin(), digest->end()) : Bytes()},
        {"main.mlirb", module},
        {"metadata.json", asBytes(R"({"assetVersion": "2.0", "producer": "tests 1.0"})")}};
    return sample;
}

/// The one to copy: two numbers.
ContainerSample skeleton()
{
    ContainerSample sample = lone(BundleKind::Unknown, "x.skel",
                                  asBytes(QByteArray("SKEL\x02\x00\x00\x3c\x00\x40", 10)));
    sample.files.reader = &skeletonReader();
    sample.pages = "core/container/skeleton";
    return sample;
}

} // namespace

std::vector<ContainerSample> containerSamples()
{
    const MadeBundle made = madeProgram();
    return {{BundleKind::Mlmodelc, "x.mlmodelc", made.options()},
            compiledPipeline(),
            {BundleKind::Mlmodelc, "net.mlmodelc", madeEspresso()},
            package(),
            coreAiPackage(),
            lone(BundleKind::Aimodel, "x.mlirb", madeWeights().bytes()),
            lone(BundleKind::MilText, "x.mil", writtenProgram()),
            lone(BundleKind::Network, "net.mlmodel", seed("network.mlmodel")),
            lone(BundleKind::Pipeline, "pipe.mlmodel", seed("network_pipeline.mlmodel")),
            lone(BundleKind::MilBlob, "weight.bin", made.weights()),
            lone(BundleKind::Hwx, "x.hwx", hardware()),
            lone(BundleKind::Anec, "x.anec", driverImage()),
            lone(BundleKind::Section, "x.ksec", weightSection(FormNode::Dense)),
            lone(BundleKind::Section, "sparse.ksec", weightSection(FormNode::Sparse)),
            lone(BundleKind::Section, "palette.ksec", weightSection(FormNode::Palette)),
            quantizedFolder("folder", "nd", "nd"),
            quantizedFolder("boxes", "nz", "zz"),
            lone(BundleKind::Safetensors, "x.safetensors", seed("two.safetensors")),
            lone(BundleKind::Npz, "x.npz", seed("arrays.npz")),
            compiledProgram(),
            skeleton()};
}

void addContainers()
{
    addColumns<int>();
    const auto all = containerSamples();
    for (std::size_t i = 0; i < all.size(); ++i)
        addRow(all[i].name, int(i));
}

ContainerSample fetchedContainer()
{
    const auto [index] = fetched<int>();
    return containerSamples()[std::size_t(index)];
}

std::string firstElementEdit(const Weight &weight)
{
    std::string index = "0";
    for (std::size_t i = 1; i < weight.shape.size(); ++i)
        index += ",0";
    return weight.findableName() + "[" + index + "]=2";
}

const ContainerReader &readerOf(const ContainerSample &sample)
{
    return sample.files.reader != nullptr ? *sample.files.reader : *containerReader(sample.kind);
}

} // namespace kernscope::test
