// SPDX-License-Identifier: GPL-3.0-or-later
// Writes small sound inputs for the fuzz targets: FOLDER/<target>/<number> each, and for every
// target FOLDER/<target>.list, which libFuzzer takes as -seed_inputs=@FILE.
//   make_seeds FOLDER
#include "core/base/little_endian.h"
#include "core/codec/encode/encoder.h"
#include "core/container/hwx/container.h"
#include "core/container/section/builder.h"
#include "made_module.h"
#include "synthetic_kernels.h"
#include "tests/fuzz/bundle_seeds.h"

#include <filesystem>
#include <fstream>
#include <iostream>
#include <random>
#include <string>
#include <vector>

using namespace kernscope;

namespace {

using Seeds = std::vector<std::string>;

std::string fromBytes(const std::vector<std::byte> &bytes)
{
    return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

Seeds blobSeeds()
{
    milblob::Writer one;
    const std::vector<std::byte> payload(40, std::byte{0x5A});
    for (std::uint32_t code = 1; code <= 17; ++code) {
        const auto type = milblob::elementTypeFromCode(code);
        one.add(type, std::span(payload).first(bitWidth(type) % 3 == 0 ? 39 : 40), 0);
    }
    milblob::Writer gaps;
    gaps.add(ElementType::Uint1, std::span(payload).first(2), 6);
    gaps.fill(std::span(payload).first(5));
    gaps.add(ElementType::Fp16, payload, 12345, payload, std::vector<std::byte>(64));
    return {fromBytes(milblob::Writer().finish()), fromBytes(one.finish()),
            fromBytes(gaps.finish())};
}

Seeds textSeeds()
{
    const std::string head =
        "program(1.3)\n[buildInfo = dict<string, string>({{\"a\", \"b\"}})]\n{\n";
    const std::string blob = "(BLOBFILE(path = string(\"@model_path/weights/weight.bin\"), "
                             "offset = uint64(64)))";
    const std::string compact =
        "tensor<int32, [2]> p = const()[name = string(\"p\"), val = tensor<int32, [2]>([1, -1])];\n"
        "tensor<fp16, [2, 3]> w = constexpr_lut_to_dense(indices = tensor<uint4, [2, 3]>" +
        blob +
        ", lut = tensor<fp16, [1, 1, 2, 1]>([0x1.8p-3, nan]))[name = string(\"w\")];\n"
        "tensor<fp16, [1, 3]> y = conv(values = (x, w), x = x)[name = string(\"y\")];\n";
    const std::string longForm =
        "tensor<string, []> s = const()[name = tensor<string, []>(\"\\x41\\n\"), val = "
        "tensor<string, []>(\"valid\")];\n"
        "list<tensor<fp32, [?]>, 3> l, state<tensor<fp16, [1]>> t = make(a = true, b = 1.5e3);\n";
    const std::string loop =
        "tensor<fp16, [1]> z = while_loop(v = x)[n = int32(1)] (fp16 i) { bool c = less(x = i); } "
        "-> (c), body (fp16 j) { fp16 k = f(b = {int32 q = g();} -> (q)); } -> (k);\n";
    const auto whole = [&head](const std::string &statements) {
        return head + "func main<ios18>(tensor<fp16, [1, ?]> x)[F = tuple<string>((\"D\"))] {\n" +
               statements + "} -> (x);\n}";
    };
    return {whole(""), whole(compact), whole(longForm), whole(loop),
            whole(compact + longForm + loop) + " trailing"};
}

std::string varint(std::uint64_t value)
{
    std::string raw;
    for (; value >= 0x80; value >>= 7)
        raw += static_cast<char>((value & 0x7F) | 0x80);
    return raw + static_cast<char>(value);
}

std::string number(std::uint64_t field, std::uint64_t value)
{
    return varint(field << 3) + varint(value);
}

std::string bytes(std::uint64_t field, const std::string &content)
{
    return varint(field << 3 | 2) + varint(content.size()) + content;
}

std::string entry(std::uint64_t field, const std::string &key, const std::string &value)
{
    return bytes(field, bytes(1, key) + bytes(2, value));
}

std::string tensorType(std::uint64_t type, std::uint64_t extent)
{
    return bytes(1, number(1, type) + number(2, 2) + bytes(3, bytes(1, number(1, extent))) +
                        bytes(3, bytes(2, "")));
}

std::string immediate(std::uint64_t type, std::uint64_t extent, std::uint64_t field,
                      const std::string &values)
{
    return bytes(2, tensorType(type, extent)) + bytes(3, bytes(1, bytes(field, bytes(1, values))));
}

Seeds protobufSeeds()
{
    const std::string output = bytes(3, bytes(1, "w") + bytes(2, tensorType(10, 2)));
    const std::string blob = bytes(2, tensorType(10, 2)) +
                             bytes(5, bytes(1, "@model_path/weights/weight.bin") + number(2, 64));
    const std::string constant = bytes(1, "const") + output + entry(5, "val", blob) +
                                 entry(5, "name", immediate(2, 1, 4, "w"));
    std::string values =
        bytes(1, "f") + bytes(2, bytes(1, "x") + bytes(2, bytes(1, bytes(1, "w"))));
    values +=
        entry(5, "a", immediate(10, 2, 7, "abcd")) + entry(5, "b", immediate(11, 1, 1, "abcd")) +
        entry(5, "c", immediate(23, 2, 2, varint(300) + varint(~std::uint64_t(0)))) +
        entry(5, "d", immediate(1, 1, 3, "\1")) + entry(5, "e", immediate(24, 1, 5, varint(7))) +
        entry(5, "g", immediate(12, 1, 6, "12345678")) + entry(5, "h", immediate(39, 8, 7, "abc"));
    const std::string item = bytes(1, immediate(23, 1, 2, varint(1)));
    values += entry(5, "t", bytes(3, bytes(2, item + item))) +
              entry(5, "m", bytes(3, bytes(4, entry(1, immediate(2, 1, 4, "k"), blob)))) +
              entry(5, "s", bytes(2, bytes(5, bytes(1, tensorType(10, 4)))));
    const std::string inner =
        bytes(1, bytes(1, "i") + bytes(2, tensorType(10, 1))) + bytes(2, "w") + bytes(3, constant);
    const std::string loop = bytes(1, "while_loop") + bytes(4, inner) + bytes(4, inner);
    const auto model = [](const std::string &operations) {
        const std::string function = bytes(1, bytes(1, "x") + bytes(2, tensorType(10, 4))) +
                                     bytes(2, "CoreML7") + entry(3, "CoreML7", operations);
        return number(1, 8) + bytes(502, number(1, 1) + entry(2, "main", function));
    };
    return {model(bytes(3, constant)), model(bytes(3, constant) + bytes(3, values)),
            model(bytes(3, loop)), number(1, 1) + bytes(500, "x")};
}

Seeds manifestSeeds()
{
    return {R"({"fileFormatVersion": "1.0.0", "itemInfoEntries": {"U": {"author": "a", "path": )"
            R"("com.apple.CoreML/model.mlmodel"}}, "rootModelIdentifier": "U"})",
            R"({"itemInfoEntries": {"U": {"path": "../\u0041"}}, "rootModelIdentifier": "U"})"};
}

/// The text and the kernel of a container in the form of the Linux driver.
std::string anecSeed(const test::Bytes &source)
{
    const auto container = hwx::readContainer(source, "synthetic.hwx");
    const hwx::SegmentSection *text = container->firstOf(hwx::SectionType::Text);
    const hwx::SegmentSection *kernel = container->firstOf(hwx::SectionType::Kernel);
    const std::uint64_t begin = text->bytes->offset.value, end = kernel->bytes->end();
    test::Bytes bytes(0x800);
    storeLittle<std::uint64_t>(bytes, 0, end - begin);
    storeLittle<std::uint32_t>(bytes, 8, 0x1f8);
    storeLittle<std::uint32_t>(bytes, 12, 2);
    storeLittle<std::uint64_t>(bytes, 16, text->size);
    storeLittle<std::uint64_t>(bytes, 24, kernel->size);
    bytes.insert(bytes.end(), source.begin() + static_cast<std::ptrdiff_t>(begin),
                 source.begin() + static_cast<std::ptrdiff_t>(end));
    return fromBytes(bytes);
}

Seeds containerSeeds()
{
    const test::Bytes h13 = test::syntheticH13(2);
    return {fromBytes(h13),
            anecSeed(h13),
            fromBytes(test::syntheticH14()),
            fromBytes(test::syntheticH16()),
            fromBytes(test::syntheticH18()),
            fromBytes(test::syntheticH18g()),
            fromBytes(test::syntheticOf(8, 9))};
}

/// Containers around kernels, and weight sections: what a bundle makes weights of.
Seeds hardwareSeeds(Seeds sections)
{
    Seeds seeds = containerSeeds();
    const auto h13 = test::sparseKernel(lanes::SparseForm::H13).kernel;
    const auto h14 = test::sparseKernel(lanes::SparseForm::H14).kernel;
    seeds.push_back(fromBytes(test::containerOf(h13)));
    seeds.push_back(fromBytes(test::twoStreams(h14, h14)));
    seeds.insert(seeds.end(), sections.begin(), sections.end());
    return seeds;
}

/// A byte that chooses the version, then a text section.
Seeds descriptorSeeds()
{
    test::Words linked(10), sized{1, 0, 0, 0}, stream;
    test::putFull(linked, 0x0c800, {0x82, 0x101c00});
    test::putMasked(stream, 0x1540, 0xff80, test::Words(10, 0x21));
    test::putDense(stream, 0x1551, test::Words(7, 0x20));
    test::putAddress(stream, 4, 0x1544, {0, 0});
    test::putTask(sized, 0, 9, 0x50001, stream);
    test::putTask(sized, 1, 9, 0x50009, stream);
    constexpr char kH13 = 4, kH18g = 11;
    return {kH13 + fromBytes(test::bytesOfWords(linked)),
            kH18g + fromBytes(test::bytesOfWords(sized))};
}

/// A small weight in each form that a section keeps, and all of them together.
Seeds sectionSeeds()
{
    const Shape shape{9, 2, 1, 3};
    std::vector<float> values(9 * 2 * 3);
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<float>(i % 4);
    codec::PaletteOptions palette;
    palette.bits = 2;
    section::BuildTarget target;
    target.name = "H13";
    target.cores = 4;
    Seeds seeds;
    std::vector<codec::EncodedWeight> encoded;
    for (auto made :
         {codec::encodeDense(values, shape, ElementType::Fp16),
          codec::encodeSparse(values, shape, 0.0F), codec::encodeAffine(values, shape, {}),
          codec::encodePalette(values, shape, palette)}) {
        if (made)
            encoded.push_back(std::move(*made));
    }
    std::vector<codec::Decoder> decoders;
    for (const codec::EncodedWeight &weight : encoded) {
        if (auto decoder = codec::Decoder::make(weight.encoding()))
            decoders.push_back(std::move(*decoder));
    }
    std::vector<section::BuildWeight> all;
    for (const codec::Decoder &decoder : decoders) {
        section::BuildWeight weight;
        weight.name = "w" + std::to_string(all.size());
        weight.decoder = &decoder;
        weight.geometry = {9, 2, 1, 1, 3, 1, false};
        weight.mostLanes = 2;
        weight.bias.assign(all.size() % 2 == 0 ? 9 : 0, 0x3c00);
        if (all.empty())
            weight.activationTable.assign(43, 0x3c00);
        if (const auto alone = section::buildSection(target, {weight}))
            seeds.push_back(fromBytes(*alone));
        all.push_back(std::move(weight));
    }
    if (const auto together = section::buildSection(target, all))
        seeds.push_back(fromBytes(*together));
    return seeds;
}

/// For targets that take choices off their input (fuzz::Choices): any bytes are sound.
Seeds choiceSeeds()
{
    std::minstd_rand random;
    Seeds seeds(20);
    for (std::string &seed : seeds) {
        for (int i = 0; i < 300; ++i)
            seed += static_cast<char>(random() >> 8);
    }
    return seeds;
}

bool write(const std::filesystem::path &folder, const std::string &target, const Seeds &seeds)
{
    std::filesystem::create_directories(folder / target);
    std::ofstream list(folder / (target + ".list"));
    for (std::size_t i = 0; i < seeds.size(); ++i) {
        const auto path = folder / target / std::to_string(i);
        std::ofstream(path, std::ios::binary) << seeds[i];
        list << (i == 0 ? "" : ",") << path.string();
    }
    return list.good();
}

} // namespace

int main(int argc, char **argv)
{
    if (argc != 2) {
        std::cerr << "usage: make_seeds FOLDER\n";
        return 2;
    }
    const std::filesystem::path folder(argv[1]);
    const bool written = write(folder, "fuzz_milblob", blobSeeds()) &&
                         write(folder, "fuzz_mil_text", textSeeds()) &&
                         write(folder, "fuzz_mil_protobuf", protobufSeeds()) &&
                         write(folder, "fuzz_manifest", manifestSeeds()) &&
                         write(folder, "fuzz_hwx", containerSeeds()) &&
                         write(folder, "fuzz_descriptor", descriptorSeeds()) &&
                         write(folder, "fuzz_section", sectionSeeds()) &&
                         write(folder, "fuzz_hardware", hardwareSeeds(sectionSeeds())) &&
                         write(folder, "fuzz_splice", protobufSeeds()) &&
                         write(folder, "fuzz_encode", choiceSeeds()) &&
                         write(folder, "fuzz_recovery", choiceSeeds()) &&
                         write(folder, "fuzz_mlir",
                               {fromBytes(test::madeWeights().bytes()),
                                fromBytes(test::madeWeights().operations)}) &&
                         write(folder, "fuzz_aimodel", {fromBytes(test::madeWeights().bytes())}) &&
                         write(folder, "fuzz_bundle", fuzz::bundleSeeds());
    return written ? 0 : 1;
}
