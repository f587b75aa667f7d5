// SPDX-License-Identifier: GPL-3.0-or-later
// What every container promises, whatever it is: add a sample here with each new one.
#include "made_bundle.h"

#include "core/container/container_reader.h"
#include "core/patch/patch.h"

#include <QDir>
#include <QFile>
#include <QTest>

#include <algorithm>

using namespace kernscope;
using namespace Qt::StringLiterals;

namespace {

test::Bytes bytesOf(const QByteArray &raw)
{
    const auto all =
        std::as_bytes(std::span(raw.constData(), static_cast<std::size_t>(raw.size())));
    return {all.begin(), all.end()};
}

test::Bytes seed(const QString &name)
{
    QFile file(QStringLiteral(KERNSCOPE_SOURCE_DIR "/tests/fuzz/seeds/") + name);
    return file.open(QIODevice::ReadOnly) ? bytesOf(file.readAll()) : test::Bytes();
}

struct Sample {
    BundleKind kind = BundleKind::Unknown;
    const char *name = "";
    OpenOptions files;
    std::string fuzzTarget;
    bool readOnly = false;
};

Sample lone(BundleKind kind, const char *name, test::Bytes bytes, std::string fuzzTarget,
            bool readOnly = false)
{
    Sample sample{kind, name, {}, std::move(fuzzTarget), readOnly};
    sample.files.memory = {{name, std::move(bytes)}};
    return sample;
}

std::vector<Sample> samples()
{
    test::MadeBundle made;
    made.constant("tensor<fp16, [2, 2]>", "w",
                  made.blob(ElementType::Fp16, "[2, 2]", test::halves({1, 2, 3, 4})));
    made.consume("w");
    Sample compiled{BundleKind::Mlmodelc, "x.mlmodelc", made.options(), "fuzz_bundle", false};
    Sample quantized{BundleKind::Quantized, "folder", {}, "fuzz_quantized", false};
    quantized.files.memory = {
        {"data.bin", test::Bytes(6, std::byte{3})},
        {"quantize.json", bytesOf(R"({"format":"int8","rows":2,"columns":3,"input":"w.npy"})")},
        {"scale.bin", bytesOf(QByteArray("\0\0\x80\x3F\0\0\0\x40", 8))}};
    return {std::move(compiled),
            lone(BundleKind::MilBlob, "weight.bin", made.weights(), "fuzz_milblob"),
            lone(BundleKind::Network, "net.mlmodel", seed(u"network.mlmodel"_s), "fuzz_network"),
            lone(BundleKind::Pipeline, "pipe.mlmodel", seed(u"network_pipeline.mlmodel"_s),
                 "fuzz_network"),
            std::move(quantized),
            lone(BundleKind::Safetensors, "x.safetensors", seed(u"two.safetensors"_s),
                 "fuzz_checkpoint", true),
            lone(BundleKind::Npz, "x.npz", seed(u"arrays.npz"_s), "fuzz_checkpoint", true)};
}

std::vector<test::Bytes> contentOf(const Bundle &bundle)
{
    std::vector<test::Bytes> content;
    for (const BundleFile &file : bundle.files()) {
        const auto bytes = file.file->bytes();
        content.emplace_back(bytes.begin(), bytes.end());
    }
    return content;
}

std::string indexText(const Shape &shape)
{
    std::string text;
    for (std::size_t i = 0; i < shape.size(); ++i)
        text += i == 0 ? "0" : ",0";
    return text.empty() ? "0" : text;
}

} // namespace

class TestContainerContract : public QObject
{
    Q_OBJECT

private slots:
    void opens_data() { rows(); }
    void opens();
    void patches_data() { rows(); }
    void patches();
    void damaged_data() { rows(); }
    void damaged();
    void everyReaderHasASample();

private:
    static void rows();
    static Sample sample();
};

void TestContainerContract::rows()
{
    QTest::addColumn<int>("index");
    const auto all = samples();
    for (std::size_t i = 0; i < all.size(); ++i)
        QTest::newRow(all[i].name) << static_cast<int>(i);
}

Sample TestContainerContract::sample()
{
    QFETCH(int, index);
    return samples()[static_cast<std::size_t>(index)];
}

/// Its kind, without a fault; the sections cover each byte once; weights decode; it has a fuzz
/// target; reading again gives the same.
void TestContainerContract::opens()
{
    const Sample given = sample();
    const auto bundle = Bundle::open(given.name, given.files);
    QVERIFY2(bundle, bundle ? "" : describe(bundle.error()).c_str());
    QCOMPARE((*bundle)->kind(), given.kind);
    QCOMPARE(test::faults((*bundle)->diagnostics()), std::vector<std::string>());
    QCOMPARE(test::sectionFault(**bundle), std::string());
    QVERIFY(!(*bundle)->weights().empty());
    for (std::size_t i = 0; i < (*bundle)->weights().size(); ++i) {
        QVERIFY((*bundle)->decoder(i));
        QCOMPARE((*bundle)->weightByName((*bundle)->weights()[i].findableName()), std::optional(i));
    }
    const auto again = (*bundle)->reread();
    QVERIFY(again);
    QCOMPARE((*again)->weights().size(), (*bundle)->weights().size());
    QCOMPARE((*again)->sections().size(), (*bundle)->sections().size());
    const auto source = QString::fromStdString(given.fuzzTarget);
    QVERIFY(
        QFile::exists(QStringLiteral(KERNSCOPE_SOURCE_DIR "/tests/fuzz/") + source + u".cpp"_s));
}

/// One element of the first weight: exactly the bytes announced change; or, of a container that is
/// read only, the edit is refused and nothing does.
void TestContainerContract::patches()
{
    const Sample given = sample();
    const auto bundle = Bundle::open(given.name, given.files);
    QVERIFY(bundle);
    const Weight &weight = (*bundle)->weights().front();
    const auto before = contentOf(**bundle);
    const auto edit =
        parseEdit(Edit::Kind::Set, weight.findableName() + "[" + indexText(weight.shape) + "]=2");
    QVERIFY(edit);
    const auto planned = planEdits(*bundle, {*edit}, 4);
    QVERIFY(contentOf(**bundle) == before);
    QCOMPARE(planned.has_value(), !given.readOnly);
    if (given.readOnly) {
        QCOMPARE(planned.error().code, std::string("patch.readonly"));
        return;
    }
    auto expected = before;
    for (const FileEdit &change : planned->front().bytes)
        std::copy(change.after.begin(), change.after.end(),
                  expected[change.file].begin() + static_cast<std::ptrdiff_t>(change.offset.value));
    QVERIFY(expected != before);
    const auto after = applyEdit(*bundle, planned->front());
    QVERIFY(after);
    QVERIFY(contentOf(**after) == expected);
    const auto undone = revertEdit(*after, planned->front());
    QVERIFY(undone);
    QVERIFY(contentOf(**undone) == before);
}

/// Each file cut, and each of its first bytes changed: it opens or is refused with a code, and what
/// opens is covered.
void TestContainerContract::damaged()
{
    const Sample given = sample();
    constexpr std::size_t kBytes = 600;
    const auto check = [&given](std::size_t file, test::Bytes content) {
        OpenOptions options = given.files;
        options.memory[file].second = std::move(content);
        const auto bundle = Bundle::open(given.name, options);
        if (!bundle) {
            QVERIFY(!bundle.error().code.empty() && !bundle.error().message.empty());
            return;
        }
        QCOMPARE(test::sectionFault(**bundle), std::string());
        for (const Diagnostic &diagnostic : (*bundle)->diagnostics())
            QVERIFY2(!diagnostic.error.file.empty(), diagnostic.error.code.c_str());
    };
    for (std::size_t file = 0; file < given.files.memory.size(); ++file) {
        const test::Bytes &whole = given.files.memory[file].second;
        for (std::size_t at = 0; at < std::min(whole.size(), kBytes); ++at) {
            check(file,
                  test::Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(at)));
            test::Bytes changed = whole;
            changed[at] ^= std::byte{0x55};
            check(file, std::move(changed));
        }
    }
}

void TestContainerContract::everyReaderHasASample()
{
    const auto all = samples();
    for (const ContainerReader *reader : containerReaders()) {
        QVERIFY(!reader->name().empty());
        QCOMPARE(containerReader(reader->kind()), reader);
        QVERIFY2(std::any_of(all.begin(), all.end(),
                             [&](const Sample &each) { return each.kind == reader->kind(); }),
                 std::string(reader->name()).c_str());
    }
}

QTEST_GUILESS_MAIN(TestContainerContract)
#include "tst_container_contract.moc"
