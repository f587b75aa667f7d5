// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/little_endian.h"
#include "core/bundle/section_map.h"
#include "core/codec/decode/decoder.h"
#include "core/container/mil/model_files.h"
#include "made_bundle.h"
#include "tests/test_program.h"

#include <sys/fsuid.h>
#include <unistd.h>

// Folders and files that are damaged as a whole: kinds, paths, random bytes, claims that overlap.

namespace {

using Make = std::function<void(MadeBundle &)>;

void result(MadeBundle &made, std::string_view shape, std::string_view op, std::string_view inputs,
            std::string_view attributes = {})
{
    made.line(fmt::format("tensor<fp16, {}> w = {}({})[{}name = string(\"w_op\")]", shape, op,
                          inputs, attributes));
    made.consume("w");
}

Make palette(std::string shape, std::string lut, std::string more = {})
{
    return [=](MadeBundle &made) {
        const auto indices = made.blob(ElementType::Uint1, "[2, 2]", hex("06"), 4);
        result(made, shape, "constexpr_lut_to_dense",
               fmt::format("indices = {}, lut = {}{}", indices, lut, more));
    };
}

Make affine(std::string attributes)
{
    return [=](MadeBundle &made) {
        const auto data = made.blob(ElementType::Int8, "[2, 4]", Bytes(8));
        result(made, "[2, 4]", "constexpr_affine_dequantize", "",
               fmt::format("quantized_data = {}, {}, ", data, attributes));
    };
}

/// A joint form whose two ops name different masks.
void twoMasks(MadeBundle &made)
{
    const auto first = made.blob(ElementType::Uint1, "[2, 2]", hex("06"), 4);
    const auto second = made.blob(ElementType::Uint1, "[2, 2]", hex("06"), 4);
    made.line(fmt::format("tensor<uint1, [2, 2]> m, tensor<fp16, [2]> v = "
                          "constexpr_sparse_blockwise_shift_scale(data_mask = {}, nonzero_data = "
                          "tensor<int8, [2]>([1, 2]), scale = tensor<fp16, [1, 1]>([0x1p0]))[name "
                          "= string(\"q\")]",
                          first));
    result(made, "[2, 2]", "constexpr_sparse_to_dense",
           fmt::format("mask = {}, nonzero_data = v", second));
}

/// Sixty ops in a row, each scaling the one before.
void longChain(MadeBundle &made)
{
    made.weight("c0", "[2]", Bytes(2), ElementType::Int8);
    std::string before = "c0";
    for (int i = 1; i <= 60; ++i) {
        const std::string name = i == 60 ? "w" : fmt::format("c{}", i);
        made.line(fmt::format("tensor<fp16, [2]> {} = constexpr_blockwise_shift_scale(data = {}, "
                              "scale = tensor<fp16, [1]>([0x1p0]))[name = string(\"n\")]",
                              name, before));
        before = name;
    }
    made.consume("w");
}

Bytes readable(std::string_view text)
{
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

Make denseFault(std::string declared, std::string value)
{
    return [=](MadeBundle &made) {
        made.blob(ElementType::Fp16, "[4]", Bytes(8));
        made.constant(declared, "w", value);
    };
}

Make blockwiseFault(std::string scale, std::string more = {})
{
    return [=](MadeBundle &made) {
        const auto data = made.blob(ElementType::Int8, "[2, 4]", Bytes(8));
        result(made, "[2, 4]", "constexpr_blockwise_shift_scale",
               fmt::format("data = {}, scale = {}{}", data, scale, more));
    };
}

Make sparse(std::string survivors, std::size_t count)
{
    return [=](MadeBundle &made) {
        const auto mask = made.blob(ElementType::Uint1, "[2, 2]", hex("06"), 4);
        const auto values = made.blob(ElementType::Fp16, survivors, Bytes(2 * count));
        result(made, "[2, 2]", "constexpr_sparse_to_dense",
               fmt::format("mask = {}, nonzero_data = {}", mask, values));
    };
}

void compactedReadAsDense(MadeBundle &made)
{
    const auto mask = made.blob(ElementType::Uint1, "[2, 2]", hex("06"), 4);
    made.line(fmt::format("tensor<uint1, [2, 2]> m, tensor<fp16, [2]> w = "
                          "constexpr_sparse_blockwise_shift_scale(data_mask = {}, nonzero_data = "
                          "tensor<int8, [2]>([1, 2]), scale = tensor<fp16, [1, 1]>([0x1p0]))[name "
                          "= string(\"q\")]",
                          mask));
    made.consume("w");
}

/// Resident bytes of this process.
std::uint64_t resident()
{
    std::ifstream statm("/proc/self/statm");
    std::uint64_t all = 0;
    std::uint64_t pages = 0;
    statm >> all >> pages;
    return pages * std::uint64_t(sysconf(_SC_PAGESIZE));
}

constexpr std::uint64_t kRecords = 32;
constexpr std::uint64_t kElements = std::uint64_t(1) << 25; // of each: 64 MiB of fp16

/// A weight file of 2 GiB whose payloads are holes of the file system.
bool writeHoles(const QString &path)
{
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly))
        return false;
    Bytes header(64);
    storeLittle<std::uint32_t>(header, 0, kRecords);
    storeLittle<std::uint32_t>(header, 4, milblob::kVersion);
    bool good = file.write(reinterpret_cast<const char *>(header.data()), 64) == 64;
    for (std::uint64_t i = 0; i < kRecords; ++i) {
        const std::uint64_t meta = 64 + i * (64 + 2 * kElements);
        Bytes record(64);
        storeLittle<std::uint32_t>(record, 0, milblob::kSentinel);
        storeLittle<std::uint32_t>(record, 4, 1);
        storeLittle<std::uint64_t>(record, 8, 2 * kElements);
        storeLittle<std::uint64_t>(record, 16, meta + 64);
        good = good && file.seek(qint64(meta)) &&
               file.write(reinterpret_cast<const char *>(record.data()), 64) == 64;
    }
    return good && file.resize(qint64(64 + kRecords * (64 + 2 * kElements)));
}

std::string programText()
{
    MadeBundle made;
    const std::string shape = fmt::format("[{}]", kElements);
    for (std::uint64_t i = 0; i < kRecords; ++i)
        made.constant("tensor<fp16, " + shape + ">", fmt::format("w{}", i),
                      MadeBundle::blobAt("fp16", shape, 64 + i * (64 + 2 * kElements)));
    return made.text();
}

} // namespace

/// What is wrong is said with its place, and everything else is still shown.
/// What opening costs follows the tables, not the weights.
class TestBundleDamage : public QObject
{
    Q_OBJECT

private slots:
    void blobPaths_data()
    {
        // path: empty: refused
        addColumns<QByteArray, QByteArray, QByteArray>();
        const auto row = [](const char *written, const char *folder, const char *path) {
            addRow(*written == '\0' ? "empty" : written, QByteArray(written), QByteArray(folder),
                   QByteArray(path));
        };
        row("@model_path/weights/weight.bin", "", "weights/weight.bin");
        row("@model_path//weights/./weight.bin", "Data/m/", "Data/m/weights/weight.bin");
        row("weights/weight.bin", "", "weights/weight.bin");
        row("@model_path/a..b/..c", "", "a..b/..c");
        row("@model_path/../x", "", "");
        row("@model_path/a/../../x", "", "");
        row("@model_path/..", "", "");
        row("..", "", "");
        row("/etc/hostname", "", "");
        row("@model_path//etc/hostname", "", "etc/hostname");
        row("@model_pathx/y", "", "");
        row("@model_path", "", "");
        row("@other/y", "", "");
        row("", "", "");
    }

    void blobPaths()
    {
        const auto [written, folder, path] = fetched<QByteArray, QByteArray, QByteArray>();
        const auto resolved = resolveBlobPath(written.toStdString(), folder.toStdString());
        QCOMPARE(resolved.has_value(), !path.isEmpty());
        if (resolved)
            QCOMPARE(QByteArray::fromStdString(*resolved), path);
        else
            QCOMPARE(resolved.error().code, "blob.path");
    }

    void kinds_data()
    {
        // found: empty: opens
        const auto row = addColumns<QByteArray, QByteArray>();
        row("hwx", QByteArray("\xce\xfa\xef\xbe....", 8), {});
        row("zip", "PK\x03\x04....", "a zip archive that cannot be read");
        row("json", "{\"a\":1}", "a JSON file");
        row("empty", {}, "an empty file");
        row("text", "hello", "something else");
        row("program", "  \nprogram(1.0)\n{\n}", {});
    }

    void kinds()
    {
        const auto [content, found] = fetched<QByteArray, QByteArray>();
        const auto bundle =
            Bundle::open("file", {.memory = {{"file", readable(content.toStdString())}}});
        QCOMPARE(bundle.has_value(), found.isEmpty());
        if (bundle)
            return;
        QCOMPARE(bundle.error().code, "bundle.kind");
        QCOMPARE(QByteArray::fromStdString(bundle.error().found), found);
    }

    /// Folders on disk: links that leave are not followed, files beside a lone program are found.
    void folders()
    {
        namespace fs = std::filesystem;
        QTemporaryDir scratch;
        const fs::path root = scratch.path().toStdString();
        const fs::path folder = root / "x.mlmodelc";
        const auto write = [](const fs::path &path, const Bytes &bytes) {
            fs::create_directories(path.parent_path());
            std::ofstream(path, std::ios::binary)
                .write(reinterpret_cast<const char *>(bytes.data()), std::streamsize(bytes.size()));
        };
        QCOMPARE(Bundle::open(folder).error().code, "io.open");
        fs::create_directories(folder);
        QCOMPARE(Bundle::open(folder).error().code, "bundle.kind");

        MadeBundle made;
        made.layer("w", "[2]", halves({1, 2}));
        write(folder / "model.mil", readable(made.text()));
        write(root / "outside.bin", made.weights());
        fs::create_directories(folder / "weights");
        fs::create_symlink(root / "outside.bin", folder / "weights" / "weight.bin");
        const auto leaving = VERIFIED(Bundle::open(folder));
        QCOMPARE(faults((*leaving)->diagnostics()),
                 std::vector<std::string>({"warning bundle.link weights/weight.bin",
                                           "error blob.file weights/weight.bin"}));

        fs::remove(folder / "weights" / "weight.bin");
        write(folder / "weights" / "real.bin", made.weights());
        fs::create_symlink("real.bin", folder / "weights" / "weight.bin");
        const auto inside = VERIFIED(Bundle::open(folder.string() + "/"));
        QCOMPARE((*inside)->name(), "x.mlmodelc");
        QCOMPARE((*inside)->kind(), BundleKind::Mlmodelc);
        QCOMPARE(decoded(**inside, "w"), std::vector<float>({1, 2}));

        const auto lone = VERIFIED(Bundle::open(folder / "model.mil"));
        QCOMPARE((*lone)->kind(), BundleKind::MilText);
        QCOMPARE((*lone)->files().size(), 2U);
        QCOMPARE((*lone)->files()[1].path, "weights/weight.bin");
        QCOMPARE(decoded(**lone, "w"), std::vector<float>({1, 2}));
        QCOMPARE(sectionFault(**lone), std::string());

        const auto bare = VERIFIED(Bundle::open(folder / "weights" / "real.bin"));
        QCOMPARE((*bare)->kind(), BundleKind::MilBlob);
        QCOMPARE(decoded(**bare, "blob@0x40"), std::vector<float>({1, 2}));
        QCOMPARE((*bare)->weights()[0].sourceOp, "blob");
        QCOMPARE(sectionFault(**bare), std::string());
    }

    /// What is more than is listed is left out, and that is said.
    void folderLimits()
    {
        namespace fs = std::filesystem;
        const QTemporaryDir scratch;
        MadeBundle made;
        made.layer("w", "[2]", halves({1, 2}));
        const auto folder = [&](const char *name) {
            const fs::path path = fs::path(scratch.path().toStdString()) / name;
            fs::create_directories(path);
            std::ofstream(path / "model.mil") << made.text();
            return path;
        };
        const fs::path deep = folder("deep.mlmodelc");
        fs::create_directories(deep / "1/2/3/4/5/6/7/8/9");
        const auto listed = VERIFIED(Bundle::open(deep));
        QVERIFY(std::ranges::count(faults((*listed)->diagnostics()),
                                   "warning bundle.depth 1/2/3/4/5/6/7/8") == 1);
        const fs::path wide = folder("wide.mlmodelc");
        for (int i = 0; i < 4096; ++i)
            std::ofstream(wide / std::to_string(i));
        const auto some = Bundle::open(wide); // in the order of the disk, which may have all others
        QVERIFY(some ? std::ranges::count(faults((*some)->diagnostics()),
                                          "warning bundle.files ") == 1 &&
                           (*some)->files().size() == 4096
                     : some.error().code == "bundle.kind");
    }

    /// Of a folder that this user may not list, or of which names alone are told, nothing is known:
    /// an error, and what lies elsewhere is read.
    void closedFolders()
    {
        namespace fs = std::filesystem;
        const QTemporaryDir scratch;
        MadeBundle made;
        made.layer("w", "[2]", halves({1, 2}));
        const fs::path path = fs::path(scratch.path().toStdString()) / "made.mlmodelc";
        auto contents = made.options().memory;
        for (const char *name : {"a/file", "b/file", "c/d/file"})
            contents.emplace_back(name, Bytes(4));
        for (const auto &[name, bytes] : contents) {
            fs::create_directories((path / name).parent_path());
            QVERIFY(test::put(QString::fromStdString(path / name), bytes));
        }
        constexpr uid_t kNobody = 65534;
        fs::permissions(scratch.path().toStdString(), fs::perms(0755));
        fs::permissions(path / "a", fs::perms::none);
        fs::permissions(path / "b", fs::perms(0444));
        if (::geteuid() == 0)
            ::setfsuid(kNobody); // root may list everything
        const auto bundle = Bundle::open(path);
        ::setfsuid(::geteuid());
        for (const char *folder : {"a", "b"})
            fs::permissions(path / folder, fs::perms::owner_all);
        QVERIFY2(bundle, bundle ? "" : bundle.error().message.c_str());
        std::set<std::string> files;
        for (const BundleFile &file : (*bundle)->files())
            files.insert(file.path);
        QVERIFY(files.contains("c/d/file") && files.contains("model.mil"));
        QVERIFY(!files.contains("a/file") && !files.contains("b/file"));
        auto said = faults((*bundle)->diagnostics());
        std::ranges::sort(said);
        QCOMPARE(said, (std::vector<std::string>{"error bundle.files a", "error bundle.files b"}));
    }

    /// Bytes changed at random in the text and the weight file: it opens or says why, every byte is
    /// in one section, every sound weight decodes. Of a file that is cut one error says how much of
    /// it is gone; what is there is read.
    void cutFile()
    {
        MadeBundle made;
        for (const char *name : {"a", "b", "c", "d"}) {
            made.layer(name, "[2]", halves({1, 2}));
        }
        const auto cutAt = [&made](std::size_t length) {
            OpenOptions options = made.options();
            for (auto &[path, bytes] : options.memory) {
                if (path != "model.mil")
                    bytes.resize(length);
            }
            return *Bundle::open("made.mlmodelc", options);
        };
        // The header, and records of 64 bytes of metadata and 64 of payload each.
        const BundlePtr bundle = cutAt(64 + 128 + 64);
        QVERIFY2(faults(bundle->diagnostics()) ==
                     (std::vector<std::string>{"error blob.range weights/weight.bin+256"}),
                 fmt::format("{}", fmt::join(faults(bundle->diagnostics()), "; ")).c_str());
        const std::string said = bundle->diagnostics().front().error.message;
        QVERIFY2(said.find("before 3 of the 4 records") != std::string::npos, said.c_str());
        QCOMPARE(decoded(*bundle, "a"), std::vector<float>({1, 2}));
        for (std::size_t i = 1; i < 4; ++i)
            QVERIFY(bundle->weights()[i].fault);
        // Of a single one its own error says more.
        const BundlePtr last = cutAt(64 + 3 * 128 + 64);
        QCOMPARE(last->diagnostics().size(), 1U);
        QVERIFY(last->diagnostics().front().error.message.find("payload") != std::string::npos);
    }

    /// One error a file that is missing, and the sizes that the program's types fix. A folder whose
    /// models lie in folders of their own names them.
    void missingFiles()
    {
        MadeBundle made;
        for (const char *name : {"a", "b"})
            made.weight(name, "[2]", halves({1, 2}));
        const auto indices = made.blob(ElementType::Uint1, "[2, 2]", hex("06"), 4);
        made.line("tensor<fp16, [2, 2]> c = constexpr_lut_to_dense(indices = " + indices +
                  ", lut = tensor<fp16, [1, 1, 2, 1]>([0x1p0, 0x1p1]))[name = string(\"c\")]");
        for (const char *name : {"a", "b", "c"})
            made.consume(name);
        OpenOptions options = made.options();
        std::erase_if(options.memory, [](const auto &file) { return file.first != "model.mil"; });
        const auto bundle = VERIFIED(Bundle::open("made.mlmodelc", options));
        QCOMPARE(faults((*bundle)->diagnostics()),
                 (std::vector<std::string>{"error blob.file weights/weight.bin"}));
        QVERIFY((*bundle)->diagnostics().front().error.message.find("3 records") !=
                std::string::npos);
        std::vector<std::uint64_t> sizes;
        for (const Weight &weight : (*bundle)->weights())
            sizes.push_back(weight.storedBytes.value);
        QCOMPARE(sizes, (std::vector<std::uint64_t>{4, 4, 5}));
        QCOMPARE((*bundle)->totals().storedBytes.value, 13U);

        // Two weights that share a record of it, and one that has a record more.
        MadeBundle shared;
        const auto first = shared.blob(ElementType::Fp16, "[2]", halves({1, 2}));
        const auto codes = shared.blob(ElementType::Uint1, "[2, 2]", hex("06"), 4);
        const auto table = shared.blob(ElementType::Fp16, "[1, 1, 2, 1]", halves({1, 2}));
        const auto other = shared.blob(ElementType::Fp16, "[1, 1, 2, 1]", halves({3, 4}));
        shared.constant("tensor<fp16, [2]>", "a", first);
        shared.constant("tensor<fp16, [2]>", "b", first);
        for (const auto &[name, lut] : {std::pair("c", table), std::pair("d", other)})
            shared.line(
                fmt::format("tensor<fp16, [2, 2]> {0} = constexpr_lut_to_dense(indices = {1}, "
                            "lut = {2})[name = string(\"{0}\")]",
                            name, codes, lut));
        for (const char *name : {"a", "b", "c", "d"})
            shared.consume(name);
        const auto whole = shared.open();
        OpenOptions without = shared.options();
        std::erase_if(without.memory, [](const auto &file) { return file.first != "model.mil"; });
        const auto missing = Bundle::open("made.mlmodelc", without);
        QVERIFY(whole && missing);
        for (std::size_t i = 0; i < 4; ++i)
            QCOMPARE((*missing)->weights()[i].storedBytes, (*whole)->weights()[i].storedBytes);
        QCOMPARE((*missing)->totals().storedBytes, (*whole)->totals().storedBytes);
        QCOMPARE((*missing)->totals().denseFp16Bytes, (*whole)->totals().denseFp16Bytes);

        QTemporaryDir scratch;
        const std::filesystem::path folder = scratch.path().toStdString();
        std::ofstream(folder / "coremldata.bin") << "x";
        const Error compiled = REFUSED(Bundle::open(folder));
        QCOMPARE(compiled.found, "a compiled model without a program");
    }

    /// The compiler's own users write int8 under the code of fp16: the program says what it is,
    /// where the bytes agree with it alone.
    void recordOfAnotherType()
    {
        MadeBundle made;
        const std::string record = made.blob(ElementType::Fp16, "[2]", hex("01 02 FE FF"));
        const std::string as = MadeBundle::blobAt("int8", "[4]", made.lastRecord());
        made.constant("tensor<int8, [4]>", "w", as);
        made.constant("tensor<bf16, [2]>", "other",
                      MadeBundle::blobAt("bf16", "[2]", made.lastRecord()));
        made.consume("w");
        made.consume("other");
        const auto bundle = VERIFIED(made.open());
        QCOMPARE(decoded(**bundle, "w"), (std::vector<float>{1, 2, -2, -1}));
        QVERIFY(!(*bundle)->weights().at(0).fault);
        QVERIFY((*bundle)->weights().at(1).fault); // as many bytes as fp16 has
        QCOMPARE(faults((*bundle)->diagnostics()),
                 (std::vector<std::string>{"warning blob.type weights/weight.bin+68",
                                           "error blob.type weights/weight.bin+68"}));
    }

    void randomDamage()
    {
        MadeBundle made;
        longChain(made);
        twoMasks(made);
        palette("[2, 2]", "tensor<fp16, [1, 1, 2, 1]>([0x1p0, 0x1p1])")(made);
        affine("axis = int32(0), scale = fp16(0x1p0), zero_point = int8(3)")(made);
        const std::string text = made.text();
        const Bytes weights = made.weights();
        QRandomGenerator random(20);
        for (int round = 0; round < 600; ++round) {
            std::string brokenText = text;
            Bytes broken = weights;
            if (round % 2 == 0) {
                for (int i = 0; i < 3; ++i)
                    brokenText[random.bounded(quint32(text.size()))] =
                        char(32 + random.bounded(95));
            }
            for (int i = 0; i < round % 4; ++i)
                broken[random.bounded(quint32(broken.size()))] =
                    static_cast<std::byte>(random.bounded(256));
            if (round % 5 == 0)
                broken.resize(random.bounded(quint32(broken.size() + 1)));
            const auto bundle =
                VERIFIED(Bundle::open("x", MadeBundle::options(brokenText, broken)));
            QCOMPARE(sectionFault(**bundle).c_str(), "");
            for (std::size_t i = 0; i < (*bundle)->weights().size(); ++i) {
                const Weight &weight = (*bundle)->weights()[i];
                if (weight.fault || weight.elements.value >= 100000)
                    continue;
                const auto decoder = VERIFIED((*bundle)->decoder(i));
            }
        }
    }

    /// Claims in any order and overlap give a cover.
    void overlappingClaims()
    {
        QRandomGenerator random(21);
        for (int round = 0; round < 300; ++round) {
            const std::uint64_t size = random.bounded(1000U);
            std::vector<ByteClaim> claims;
            for (quint32 i = random.bounded(12U); i > 0; --i) {
                ByteClaim claim;
                claim.range = {FileOffset(random.bounded(1200U)), ByteCount(random.bounded(400U))};
                claim.name = "claim";
                claims.push_back(std::move(claim));
            }
            std::uint64_t at = 0;
            for (const Section &section : coverFile(3, ByteCount(size), claims)) {
                QCOMPARE(section.range.offset.value, at);
                QVERIFY(section.range.bytes.value > 0 && section.range.bytes.value <= size);
                QCOMPARE(section.file, 3U);
                if (section.kind == SectionKind::Padding)
                    QVERIFY(section.range.bytes.value < 64);
                at = section.range.end();
            }
            QCOMPARE(at, size);
        }
    }

    void weights_data()
    {
        const auto row = addColumns<Make, QByteArray, QByteArray>();
        const char *const text = "model.mil";
        const char *const blob = "weights/weight.bin";
        const auto at = [](const char *type, const char *shape, std::uint64_t offset) {
            return MadeBundle::blobAt(type, shape, offset);
        };
        row("type", denseFault("tensor<int8, [4]>", at("int8", "[4]", 64)), "blob.type", blob);
        row("elements", denseFault("tensor<fp16, [5]>", at("fp16", "[5]", 64)), "blob.elements",
            blob);
        row("fewer elements", denseFault("tensor<fp16, [3]>", at("fp16", "[3]", 64)),
            "blob.elements", blob);
        row("declared type", denseFault("tensor<fp32, [4]>", at("fp16", "[4]", 64)), "codec.type",
            text);
        row("declared shape", denseFault("tensor<fp16, [2, 2]>", at("fp16", "[4]", 64)),
            "codec.shape", text);
        row("offset outside", denseFault("tensor<fp16, [4]>", at("fp16", "[4]", 1024)),
            "blob.offset", blob);
        row("offset of nothing", denseFault("tensor<fp16, [4]>", at("fp16", "[4]", 65)),
            "blob.offset", blob);
        row("open extent", denseFault("tensor<fp16, [?]>", at("fp16", "[?]", 64)), "mil.shape",
            text);
        row("overflow",
            denseFault("tensor<fp16, [4294967296, 4294967296]>",
                       at("fp16", "[4294967296, 4294967296]", 64)),
            "mil.shape", text);
        const std::string good = "tensor<fp16, [1, 1, 2, 1]>([0x1p0, 0x1p1])";
        row("codebook too short", palette("[2, 2]", "tensor<fp16, [1, 1, 1, 1]>([0x1p0])"),
            "codec.codebook", text);
        row("codebook too long",
            palette("[2, 2]", "tensor<fp16, [1, 1, 3, 1]>([0x1p0, 0x1p1, 0x1p2])"),
            "codec.codebook", text);
        row("codebook rank", palette("[2, 2]", "tensor<fp16, [2, 1]>([0x1p0, 0x1p1])"),
            "codec.codebook", text);
        row("codebooks do not divide",
            palette("[2, 2]",
                    "tensor<fp16, [3, 1, 2, 1]>([0x1p0, 0x1p0, 0x1p0, 0x1p0, 0x1p0, 0x1p0])"),
            "codec.codebook", text);
        row("palette shape", palette("[2, 3]", good), "codec.shape", text);
        row("vectors without an axis",
            palette("[4, 2]", "tensor<fp16, [1, 1, 2, 2]>([0x1p0, 0x1p0, "
                              "0x1p0, 0x1p0])"),
            "mil.operand", text);
        row("vector axis",
            palette("[4, 2]", "tensor<fp16, [1, 1, 2, 2]>([0x1p0, 0x1p0, 0x1p0, 0x1p0])",
                    ", vector_axis = int32(2)"),
            "codec.shape", text);
        row("empty vectors",
            palette("[0, 2]", "tensor<fp16, [1, 1, 2, 0]>([])", ", vector_axis = int32(0)"),
            "codec.codebook", text);
        row("scale does not divide",
            blockwiseFault("tensor<fp16, [2, 3]>([0x1p0, 0x1p0, 0x1p0, 0x1p0, "
                           "0x1p0, 0x1p0])"),
            "codec.scale", text);
        row("scale rank", blockwiseFault("tensor<fp16, [2]>([0x1p0, 0x1p0])"), "codec.scale", text);
        row("scale type", blockwiseFault("tensor<int8, [2, 1]>([1, 2])"), "codec.type", text);
        row("no scales", blockwiseFault("tensor<fp16, [0, 1]>([])"), "codec.scale", text);
        row("offset shape",
            blockwiseFault("tensor<fp16, [2, 1]>([0x1p0, 0x1p0])",
                           ", offset = tensor<int8, [1, 1]>([1])"),
            "codec.scale", text);
        row("offset type",
            blockwiseFault("tensor<fp16, [2, 1]>([0x1p0, 0x1p0])",
                           ", offset = tensor<int32, [2, 1]>([1, 2])"),
            "codec.type", text);
        row("operand missing", blockwiseFault("nothing"), "mil.operand", text);
        row("zero point length",
            affine("axis = int32(0), scale = fp16(0x1p0), zero_point = "
                   "tensor<int8, [3]>([1, 2, 3])"),
            "codec.scale", text);
        row("axis",
            affine("axis = int32(-3), scale = tensor<fp16, [2]>([0x1p0, 0x1p0]), zero_point = "
                   "int8(0)"),
            "codec.shape", text);
        row("no zero point", affine("axis = int32(0), scale = fp16(0x1p0)"), "mil.operand", text);
        row("more values than elements", sparse("[5]", 5), "codec.mask", text);
        row("values not in a row", sparse("[1, 2]", 2), "codec.mask", text);
        row("two masks", twoMasks, "codec.mask", text);
        row("compacted values", compactedReadAsDense, "mil.unsupported", text);
        row("long chain", longChain, "mil.unsupported", text);
        row(
            "unknown op",
            [](MadeBundle &made) { result(made, "[2]", "constexpr_conjure", "a = x"); },
            "mil.unsupported", text);
        row(
            "not constant",
            [](MadeBundle &made) {
                result(made, "[1, 4]", "constexpr_blockwise_shift_scale",
                       "data = x, scale = tensor<fp16, [1, 1]>([0x1p0])");
            },
            "mil.operand", text);
    }

    void weights()
    {
        const auto [make, code, file] = fetched<Make, QByteArray, QByteArray>();
        MadeBundle made;
        make(made);
        made.weight("sound", "[2]", halves({1, 2}));
        const auto bundle = VERIFIED(made.open());
        QCOMPARE(decoded(**bundle, "sound"), std::vector<float>({1, 2}));
        const auto index = VERIFIED((*bundle)->weightByName("w"));
        const Weight &weight = (*bundle)->weights()[*index];
        QVERIFY(weight.fault);
        QCOMPARE(QByteArray::fromStdString(weight.fault->code), code);
        QCOMPARE(QByteArray::fromStdString(weight.fault->file), file);
        QVERIFY(weight.fault->offset);
        QVERIFY(!weight.fault->message.empty() && !weight.fault->found.empty() &&
                !weight.fault->expected.empty());
        QVERIFY(hasErrors((*bundle)->diagnostics()));
        QVERIFY(!(*bundle)->decoder(*index));
        QCOMPARE(sectionFault(**bundle).c_str(), "");
    }

    void openingTwoGibibytes()
    {
        QTemporaryDir scratch;
        const QString folder = scratch.filePath(u"large.mlmodelc"_s);
        std::filesystem::create_directories((folder + u"/weights"_s).toStdString());
        if (!writeHoles(folder + u"/weights/weight.bin"_s))
            QSKIP("The scratch folder cannot hold a file with holes of 2 GiB.");
        std::ofstream(folder.toStdString() + "/model.mil") << programText();

        const std::uint64_t before = resident();
        const auto bundle = Bundle::open(folder.toStdString());
        const std::uint64_t after = resident();
        QVERIFY(bundle);
        QCOMPARE(faults((*bundle)->diagnostics()), std::vector<std::string>());
        QCOMPARE((*bundle)->weights().size(), std::size_t(kRecords));
        QCOMPARE(sectionFault(**bundle).c_str(), "");
        QVERIFY2(after - before < std::uint64_t(64) << 20, "resident memory grew with the weights");

        const auto decoder = VERIFIED((*bundle)->decoder(kRecords - 1));
        std::vector<std::uint16_t> last(16, 1);
        decoder->decodeHalf(kElements - 16, last);
        QCOMPARE(last, std::vector<std::uint16_t>(16, 0));
        QVERIFY(resident() - before < std::uint64_t(64) << 20);
    }
};

KERNSCOPE_TEST(TestBundleDamage, NoApplication)
#include "tst_bundle_damage.moc"
