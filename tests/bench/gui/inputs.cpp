// SPDX-License-Identifier: GPL-3.0-or-later
#include "inputs.h"

#include "tests/bench/large_models.h"

#include <QDir>
#include <QFileInfo>

#include <random>

using namespace Qt::StringLiterals;

namespace kernscope::bench {

namespace {

using test::Bytes;
using test::MadeBundle;

constexpr std::uint64_t kLargeSide = 32768; // fp16: 2 GiB
constexpr std::uint64_t kPageDistance = std::uint64_t{16} << 20;
constexpr int kManyWeights = 50'000;
constexpr unsigned kSeed = 14;

bool writeBytes(const std::filesystem::path &path, std::span<const std::byte> bytes)
{
    std::filesystem::create_directories(path.parent_path());
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char *>(bytes.data()), std::streamsize(bytes.size()));
    return file.good();
}

bool makeLarge(const std::filesystem::path &folder, unsigned seed)
{
    constexpr std::uint64_t kBytes = 2 * kLargeSide * kLargeSide;
    std::mt19937 random(seed);
    const auto pages = [&random](std::ofstream &file, std::uint64_t, MadeBundle &made) {
        const std::streamoff begin = file.tellp();
        Bytes page(4096);
        for (std::uint64_t at = 0; at < kBytes; at += kPageDistance) {
            for (std::size_t i = 0; i < page.size(); i += 2) // magnitudes about 0.1
                storeLittle<std::uint16_t>(
                    page, i, std::uint16_t(0x2C00 + random() % 0x800 + (random() % 2) * 0x8000));
            file.seekp(begin + std::streamoff(at));
            writeAll(file, page);
        }
        made.consume("w0");
    };
    return writeModel(folder, 1, fmt::format("[{0}, {0}]", kLargeSide), kBytes, {}, pages);
}

/// One weight of an operation, in the form that its number says.
void addWeight(MadeBundle &made, std::mt19937 &random, int number)
{
    static constexpr const char *kParts[] = {"attention_query",  "attention_key", "attention_value",
                                             "attention_output", "mlp_up",        "mlp_down"};
    const std::string name =
        fmt::format("encoder_layers_{}_{}_{}", number / 6, kParts[number % 6], number);
    const auto noise = [&random](std::size_t count) {
        Bytes bytes(count);
        for (std::size_t i = 0; i + 1 < count; i += 2)
            storeLittle<std::uint16_t>(bytes, i, std::uint16_t(0x2800 + random() % 0x1000));
        return bytes;
    };
    const auto result = [&](const std::string &operation, const std::string &attributes) {
        made.line(fmt::format("tensor<fp16, [8, 8]> {0} = {1}()[{2}, name = string(\"{0}_op\")]",
                              name, operation, attributes));
    };
    switch (number % 10) {
    case 0: {
        const auto indices = made.blob(ElementType::Uint8, "[32]", noise(32));
        const auto lut = made.blob(ElementType::Fp16, "[16]", noise(32));
        result("constexpr_lut_to_dense",
               fmt::format("indices = {}, lut = {}, shape = tensor<uint32, [2]>([8, 8])", indices,
                           lut));
        break;
    }
    case 1: {
        const auto data = made.blob(ElementType::Uint8, "[8, 8]", noise(64));
        const auto zero = made.blob(ElementType::Uint8, "[8]", noise(8));
        const auto scale = made.blob(ElementType::Fp16, "[8]", noise(16));
        result("constexpr_affine_dequantize",
               fmt::format("axis = int32(0), quantized_data = {}, scale = {}, zero_point = {}",
                           data, scale, zero));
        break;
    }
    case 2: {
        const auto mask = made.blob(ElementType::Uint8, "[8]", Bytes(8, std::byte{0x55}));
        const auto values = made.blob(ElementType::Fp16, "[32]", noise(64));
        result("constexpr_sparse_to_dense",
               fmt::format("mask = {}, nonzero_data = {}, shape = tensor<uint32, [2]>([8, 8])",
                           mask, values));
        break;
    }
    default: made.weight(name, "[8, 8]", noise(128));
    }
    made.consume(name);
}

bool makeMany(const std::filesystem::path &folder)
{
    MadeBundle made;
    std::mt19937 random(14);
    for (int i = 0; i < kManyWeights; ++i)
        addWeight(made, random, i);
    if (!writeBytes(folder / "weights/weight.bin", made.weights()))
        return false;
    std::ofstream text(folder / "model.mil");
    text << made.text();
    return text.good();
}

} // namespace

QStringList inputNames()
{
    return {u"sample"_s, u"silero"_s, u"large"_s, u"many"_s, u"pair"_s};
}

std::optional<QString> prepareInput(const QString &name, const QString &folder)
{
    if (name == "sample"_L1)
        return QString();
    if (name == "silero"_L1) {
        const QString data = qEnvironmentVariable("KERNSCOPE_DATA");
        const QString path =
            QDir(data).filePath(u"real/silero-vad/unified_palette_4bit.mlmodelc"_s);
        return !data.isEmpty() && QFileInfo::exists(path) ? std::optional(path) : std::nullopt;
    }
    const auto pathOf = [&folder](const QString &what) {
        return QDir(folder).filePath(what + u".mlmodelc"_s);
    };
    if (name == "pair"_L1) {
        const QString a = pathOf(u"pair_a"_s), b = pathOf(u"pair_b"_s);
        return makeLarge(a.toStdString(), kSeed) && makeLarge(b.toStdString(), kSeed + 1)
                   ? std::optional(a + kBetweenPaths + b)
                   : std::nullopt;
    }
    const std::filesystem::path target = pathOf(name).toStdString();
    const bool made = name == "large"_L1  ? makeLarge(target, kSeed)
                      : name == "many"_L1 ? makeMany(target)
                                          : false;
    return made ? std::optional(pathOf(name)) : std::nullopt;
}

} // namespace kernscope::bench
