// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli_process.h"
#include "synthetic_kernels.h"
#include "written_bundle.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace kernscope;
using namespace kernscope::test;
using Json = nlohmann::ordered_json;

namespace {

QByteArray contentOf(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

QByteArray bytesOf(const std::vector<lanes::Slice> &slices)
{
    QByteArray all;
    for (const lanes::Slice &slice : slices)
        all.append(reinterpret_cast<const char *>(slice.data()), qsizetype(slice.size()));
    return all;
}

QString kernelName()
{
    return QString::fromStdString(syntheticHash());
}

} // namespace

/// `section` in all its forms, and what the other commands say of weight sections.
class TestCliSection : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void builds_data();
    void builds();
    void buildsAsAsked();
    void lists();
    void relocatesAndStrips();
    void writesInPlace();
    void decodesWhatItBuilt();
    void patchesASection();
    void comparesWithItsContainer();
    void comparesSparseForms();
    void comparesByContent();
    void writesSlices_data();
    void writesSlices();
    void refuses_data();
    void refuses();

private:
    CliResult section(const QStringList &arguments) const;
    CliResult build(const QString &source, const QString &output,
                    const QStringList &more = {}) const;
    QString at(const char *name) const { return m_scratch.filePath(QString::fromLatin1(name)); }
    void write(const char *name, const Bytes &bytes) const;

    QTemporaryDir m_scratch;
    QString m_bundle;
    const QString m_force = QStringLiteral("--force");
    SparseKernel m_sparse = sparseKernel(lanes::SparseForm::H13);
    MadeKernel m_dense;
};

CliResult TestCliSection::section(const QStringList &arguments) const
{
    return runCli(QStringList{QStringLiteral("section")} + arguments);
}

CliResult TestCliSection::build(const QString &source, const QString &output,
                                const QStringList &more) const
{
    return section(
        QStringList{QStringLiteral("build"), source, QStringLiteral("--output"), output} + more);
}

void TestCliSection::write(const char *name, const Bytes &bytes) const
{
    QFile file(at(name));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(reinterpret_cast<const char *>(bytes.data()), qint64(bytes.size()));
}

void TestCliSection::initTestCase()
{
    MadeBundle made;
    Bytes numbers;
    for (int i = 0; i < 32 * 6; ++i) {
        const Bytes one = halves({i % 5 == 0 ? 0.0f : float(i % 16) / 4});
        numbers.insert(numbers.end(), one.begin(), one.end());
    }
    made.constant("tensor<fp16, [32, 6, 1, 1]>", "w",
                  made.blob(ElementType::Fp16, "[32, 6, 1, 1]", numbers));
    m_bundle = writeBundle(m_scratch, "source.mlmodelc", made);
    m_dense.geometry = {32, 3, 1, 3, 3, 1, true};
    m_dense.lanesLog2 = 1;
    lanes::DealOptions options;
    options.cap = 2;
    const auto layout = *lanes::SliceLayout::make(m_dense.geometry, lanes::Law::Dense, options);
    m_dense.slices =
        *lanes::encodeSlices(layout, numbered(layout.elements(), 0x3000), numbered(32, 0x4000));
    write("dense.hwx", containerOf(m_dense));
    write("sparse.hwx", containerOf(m_sparse.kernel));
    QCOMPARE(build(at("dense.hwx"), at("dense.ksec")).exitCode, 0);
    QCOMPARE(build(at("sparse.hwx"), at("sparse.ksec")).exitCode, 0);
}

void TestCliSection::builds_data()
{
    QTest::addColumn<QString>("form");
    QTest::addColumn<QString>("stored");
    const auto row = [](const char *form, const char *stored) {
        QTest::newRow(form) << QString::fromLatin1(form) << QString::fromLatin1(stored);
    };
    row("stored", "dense-fp16");
    row("dense", "dense-fp16");
    row("sparse", "sparse");
    row("palette", "lut");
    row("affine", "affine");
}

void TestCliSection::builds()
{
    QFETCH(QString, form);
    QFETCH(QString, stored);
    const QString output = at("built.ksec");
    CliResult result = build(m_bundle, output,
                             {QStringLiteral("--form"), form, QStringLiteral("--json"), m_force,
                              QStringLiteral("--target"), QStringLiteral("H14")});
    QCOMPARE(result.exitCode, 0);
    Json json = result.json();
    QCOMPARE(json["command"].get<std::string>(), std::string("section"));
    QCOMPARE(json["output"].get<std::string>(), output.toStdString());
    QCOMPARE(json["section"]["codegen_version"].get<int>(), 11);
    QCOMPARE(json["section"]["units"].size(), std::size_t(4)); // the chip's cores
    QVERIFY(json["diagnostics"].empty());
    result = runCli(
        {QStringLiteral("inspect"), output, QStringLiteral("--json"), QStringLiteral("--stats")});
    QCOMPARE(result.exitCode, 0);
    json = result.json();
    QCOMPARE(json["kind"].get<std::string>(), std::string("section"));
    QCOMPARE(json["weights"][0]["form"].get<std::string>(), stored.toStdString());
    QCOMPARE(text(json["weights"][0]["shape"]), QByteArray("[32,6,1,1]"));
    QVERIFY(json["weights"][0]["zero_fraction"].get<double>() > 0.2);
    const bool masked = json["weights"][0]["parts"][0]["role"].get<std::string>() == "mask";
    QCOMPARE(masked, form == QStringLiteral("sparse"));
}

void TestCliSection::buildsAsAsked()
{
    CliResult result =
        build(m_bundle, at("few.ksec"),
              {QStringLiteral("w"), QStringLiteral("--cores"), QStringLiteral("4"),
               QStringLiteral("--lanes"), QStringLiteral("2"), QStringLiteral("--form"),
               QStringLiteral("palette"), QStringLiteral("--bits"), QStringLiteral("6"),
               QStringLiteral("--force"), QStringLiteral("--json")});
    QCOMPARE(result.exitCode, 0);
    const Json json = result.json();
    QCOMPARE(json["section"]["target"].get<std::string>(), std::string("H13"));
    QCOMPARE(json["section"]["units"].size(), std::size_t(4));
    QCOMPARE(json["section"]["units"][0]["sections"]["weights"]["bit_depth"].get<int>(), 6);
    for (const Json &record : json["section"]["records"])
        QCOMPARE(record["channels"].get<int>(), 2);
    QCOMPARE(json["diagnostics"][0]["code"].get<std::string>(), std::string("section.legality"));
    // Without --force the version-five encoder has no 6-bit palettes, and nothing is written.
    result = build(m_bundle, at("refused.ksec"),
                   {QStringLiteral("w"), QStringLiteral("--form"), QStringLiteral("palette"),
                    QStringLiteral("--bits"), QStringLiteral("6")});
    QVERIFY(result.exitCode != 0 && result.err.contains("odd index width"));
    QVERIFY(!QFile::exists(at("refused.ksec")));
    result = build(m_bundle, at("taken.ksec"),
                   {QStringLiteral("w"), QStringLiteral("--form"), QStringLiteral("palette"),
                    QStringLiteral("--bits"), QStringLiteral("6"), QStringLiteral("--target"),
                    QStringLiteral("M2"), QStringLiteral("--quiet")});
    QCOMPARE(result.exitCode, 0);
    result = build(m_bundle, at("text.ksec"));
    QVERIFY(result.out.contains("weights:") && result.err.isEmpty());
    result = build(m_bundle, at("quiet.ksec"), {QStringLiteral("--quiet")});
    QVERIFY(result.out.isEmpty() && QFile::exists(at("quiet.ksec")));
}

void TestCliSection::lists()
{
    const CliResult listing = section({QStringLiteral("list"), at("dense.ksec")});
    QCOMPARE(listing.exitCode, 0);
    QVERIFY(listing.out.contains("weights:") && listing.out.contains("bias:"));
    const CliResult result =
        section({QStringLiteral("list"), at("dense.ksec"), QStringLiteral("--json")});
    QCOMPARE(result.exitCode, 0);
    const Json json = result.json();
    QVERIFY(!json["section"]["resolved"].get<bool>());
    QCOMPARE(json["section"]["units"].size(), std::size_t(4)); // the chip's cores
    QVERIFY(json["section"]["records"][0]["slots"]["bias"].is_null());
    QVERIFY(json["listing"].get<std::string>().find("weights:") != std::string::npos);
    // A mask that does not match its values is a fault, and the rest is still shown.
    QByteArray damaged = contentOf(at("sparse.ksec"));
    const Json sparse =
        section({QStringLiteral("list"), at("sparse.ksec"), QStringLiteral("--json")}).json();
    const Json &unit = sparse["section"]["units"][0];
    const auto mask = qsizetype(unit["payload"].get<std::uint64_t>() +
                                unit["sections"]["weights"]["offset"].get<std::uint64_t>());
    damaged[mask] = char(~damaged[mask]);
    QFile file(at("damaged.ksec"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(damaged);
    file.close();
    const CliResult bad =
        section({QStringLiteral("list"), at("damaged.ksec"), QStringLiteral("--json")});
    QCOMPARE(bad.exitCode, 3);
    QCOMPARE(bad.json()["diagnostics"][0]["code"].get<std::string>(), std::string("section.mask"));
    QCOMPARE(bad.json()["section"]["units"].size(), std::size_t(4));
}

void TestCliSection::relocatesAndStrips()
{
    const QString loaded = at("loaded.ksec"), stripped = at("stripped.ksec");
    CliResult result =
        section({QStringLiteral("relocate"), at("dense.ksec"), QStringLiteral("--base"),
                 QStringLiteral("0x40000"), QStringLiteral("--input-tile"), QStringLiteral("0x800"),
                 QStringLiteral("--output"), loaded, QStringLiteral("--json")});
    QCOMPARE(result.exitCode, 0);
    const Json json = result.json();
    QVERIFY(json["section"]["resolved"].get<bool>());
    const Json &slots_ = json["section"]["records"][0]["slots"];
    QVERIFY(slots_["bias"].is_string());
    QVERIFY(contentOf(loaded) != contentOf(at("dense.ksec")));
    result = section({QStringLiteral("strip"), loaded, QStringLiteral("--output"), stripped});
    QCOMPARE(result.exitCode, 0);
    QVERIFY(result.out.contains("addresses taken back"));
    QCOMPARE(contentOf(stripped), contentOf(at("dense.ksec")));
    // Addresses are no part of the values.
    result = runCli({QStringLiteral("diff"), at("dense.ksec"), loaded, QStringLiteral("--values"),
                     QStringLiteral("--json")});
    QCOMPARE(result.exitCode, 1);
    QVERIFY(result.json()["weights"][0]["stored_equal"].get<bool>());
}

void TestCliSection::writesInPlace()
{
    const QString path = at("place.ksec");
    QVERIFY(QFile::copy(at("dense.ksec"), path));
    QCOMPARE(section({QStringLiteral("relocate"), path, QStringLiteral("--base"),
                      QStringLiteral("64"), QStringLiteral("--in-place")})
                 .exitCode,
             0);
    QVERIFY(contentOf(path) != contentOf(at("dense.ksec")));
    QCOMPARE(section({QStringLiteral("strip"), path, QStringLiteral("--in-place")}).exitCode, 0);
    QCOMPARE(contentOf(path), contentOf(at("dense.ksec")));
}

void TestCliSection::decodesWhatItBuilt()
{
    QByteArray decoded;
    for (const char *source : {"dense.hwx", "dense.ksec"}) {
        const CliResult result = runCli({QStringLiteral("decode"), at(source), kernelName(),
                                         QStringLiteral("--output"), at("out.bin"), m_force});
        QCOMPARE(result.exitCode, 0);
        if (decoded.isEmpty())
            decoded = contentOf(at("out.bin"));
        QCOMPARE(contentOf(at("out.bin")), decoded);
    }
    QCOMPARE(decoded.size(), qsizetype(2 * 32 * 27));
}

void TestCliSection::patchesASection()
{
    const QString edit = kernelName() + QStringLiteral("[5,2,1,1]=0.5");
    CliResult result = runCli({QStringLiteral("patch"), at("dense.ksec"), QStringLiteral("--set"),
                               edit, QStringLiteral("--output"), at("changed.ksec")});
    QCOMPARE(result.exitCode, 0);
    result = runCli({QStringLiteral("diff"), at("dense.hwx"), at("changed.ksec"),
                     QStringLiteral("--values"), QStringLiteral("--json")});
    QCOMPARE(result.exitCode, 1);
    const Json values = result.json()["weights"][0]["values"];
    QCOMPARE(values["changed"].get<int>(), 1);
    QCOMPARE(values["equal"].get<int>(), 32 * 27 - 1);
    // A zero that is left out stays one, in a section as in a container.
    for (const char *source : {"sparse.ksec", "sparse.hwx"}) {
        result = runCli({QStringLiteral("patch"), at(source), QStringLiteral("--set"),
                         kernelName() + QStringLiteral("[0,0,0,0]=1"), QStringLiteral("--dry-run"),
                         QStringLiteral("--json")});
        QVERIFY(result.exitCode != 0);
        QVERIFY2(result.out.contains("patch.sparse_zero"), result.out);
    }
}

void TestCliSection::comparesWithItsContainer()
{
    const CliResult result = runCli({QStringLiteral("diff"), at("dense.hwx"), at("dense.ksec"),
                                     QStringLiteral("--values"), QStringLiteral("--json")});
    QCOMPARE(result.exitCode, 1); // other files, the same numbers
    const Json json = result.json();
    QCOMPARE(json["weights"].size(), std::size_t(2)); // and the biases
    QVERIFY(json["only_a"].empty() && json["only_b"].empty());
    for (const Json &pair : json["weights"])
        QCOMPARE(text(pair["values"]["equal"]), text(pair["a"]["elements"]));
}

void TestCliSection::comparesSparseForms()
{
    const CliResult result = runCli({QStringLiteral("diff"), at("sparse.hwx"), at("sparse.ksec"),
                                     QStringLiteral("--values"), QStringLiteral("--json")});
    QCOMPARE(result.exitCode, 1);
    const Json json = result.json();
    QCOMPARE(json["weights"].size(), std::size_t(2));
    for (const char *side : {"a", "b"}) {
        const Json &parts = json["weights"][0][side]["parts"];
        QCOMPARE(parts[0]["role"].get<std::string>(), std::string("mask"));
        QCOMPARE(text(parts[1]["shape"]), QByteArray("[320]"));
    }
    QCOMPARE(json["weights"][0]["values"]["equal"].get<int>(), 480);
    QCOMPARE(json["weights"][1]["values"]["equal"].get<int>(), 96);
}

/// Sections pair whatever their files are called; one pairs with the bundle that it was built from,
/// whatever that calls its weights.
void TestCliSection::comparesByContent()
{
    QCOMPARE(build(m_bundle, at("one.ksec")).exitCode, 0);
    QVERIFY(QFile::copy(at("one.ksec"), at("two.ksec")));
    const auto compared = [this](const QString &a, const char *b, const QStringList &more = {}) {
        return runCli(QStringList{QStringLiteral("diff"), a, at(b), QStringLiteral("--json")} +
                      more);
    };
    CliResult result = compared(at("one.ksec"), "two.ksec");
    QCOMPARE(result.exitCode, 0);
    QCOMPARE(result.json()["files"].size(), std::size_t(1));
    QVERIFY(result.json()["identical"].get<bool>());

    MadeBundle made;
    Bytes numbers;
    for (int i = 0; i < 32 * 6; ++i) {
        const Bytes one = halves({i % 5 == 0 ? 0.0f : float(i % 16) / 4});
        numbers.insert(numbers.end(), one.begin(), one.end());
    }
    made.constant("tensor<fp16, [2]>", "other", made.blob(ElementType::Fp16, "[2]", Bytes(4)));
    made.consume("other");
    made.constant("tensor<fp16, [32, 6, 1, 1]>", "renamed",
                  made.blob(ElementType::Fp16, "[32, 6, 1, 1]", numbers));
    made.consume("renamed");
    const QString renamed = writeBundle(m_scratch, "renamed.mlmodelc", made);
    const QStringList exact{QStringLiteral("--max-abs"), QStringLiteral("0"),
                            QStringLiteral("--allow-missing")};
    result = compared(renamed, "one.ksec", exact);
    QCOMPARE(result.exitCode, 0);
    const Json pair = result.json()["weights"][0];
    QCOMPARE(pair["name"].get<std::string>(), std::string("renamed"));
    QCOMPARE(pair["name_b"].get<std::string>(), std::string("w"));
    QCOMPARE(pair["pairing"].get<std::string>(), std::string("content"));
    QCOMPARE(pair["values"]["equal"].get<int>(), 192);
    // Without leave to lack the other weight, that is what does not hold.
    result = compared(renamed, "one.ksec", exact.mid(0, 2));
    QCOMPARE(result.exitCode, 1);
    QCOMPARE(result.json()["verdict"]["faults"][0]["weight"].get<std::string>(),
             std::string("other"));
}

void TestCliSection::writesSlices_data()
{
    QTest::addColumn<QString>("source");
    QTest::addColumn<bool>("leaveZeros");
    QTest::addColumn<QByteArray>("expected");
    QTest::newRow("dense") << "dense.hwx" << false << bytesOf(m_dense.slices);
    QTest::newRow("sparse") << "sparse.hwx" << true << bytesOf(m_sparse.kernel.slices);
}

void TestCliSection::writesSlices()
{
    QFETCH(QString, source);
    QFETCH(bool, leaveZeros);
    QFETCH(QByteArray, expected);
    QStringList more{QStringLiteral("--hwx-slices"), QStringLiteral("--json"), m_force};
    if (leaveZeros)
        more.append(QStringLiteral("--leave-zeros"));
    const QString output = at("slices.bin");
    const CliResult result = build(m_scratch.filePath(source), output, more);
    QCOMPARE(result.exitCode, 0);
    QCOMPARE(contentOf(output), expected);
    const Json json = result.json();
    QCOMPARE(json["target"].get<std::string>(), std::string("H13"));
    QCOMPARE(json["slices"].size(), std::size_t(16));
    std::uint64_t offset = 0;
    for (const Json &slice : json["slices"]) {
        QCOMPARE(slice["offset"].get<std::uint64_t>(), offset);
        offset += slice["bytes"].get<std::uint64_t>();
    }
    QCOMPARE(offset, std::uint64_t(expected.size()));
    more.removeOne(QStringLiteral("--json"));
    const CliResult plain =
        build(m_scratch.filePath(source), output,
              more + QStringList{QStringLiteral("--target"), QStringLiteral("H14"),
                                 QStringLiteral("--image-side"), QStringLiteral("16")});
    QCOMPARE(plain.exitCode, 0);
    QVERIFY(plain.out.contains("lane"));
}

void TestCliSection::refuses_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<int>("exitCode");
    const QString out = QStringLiteral("--output"), to = at("never.ksec"), from = at("dense.ksec");
    const QString build = QStringLiteral("build"), list = QStringLiteral("list");
    const QString relocate = QStringLiteral("relocate"), base = QStringLiteral("--base");
    QTest::newRow("nothing") << QStringList() << 2;
    QTest::newRow("another word") << QStringList{QStringLiteral("check"), from} << 2;
    QTest::newRow("no output") << QStringList{build, m_bundle} << 2;
    QTest::newRow("no such form") << QStringList{build,
                                                 m_bundle,
                                                 out,
                                                 to,
                                                 QStringLiteral("--form"),
                                                 QStringLiteral("blockwise")}
                                  << 2;
    QTest::newRow("no cores")
        << QStringList{build, m_bundle, out, to, QStringLiteral("--cores"), QStringLiteral("0")}
        << 2;
    QTest::newRow("no such weight")
        << QStringList{build, m_bundle, QStringLiteral("v"), out, to} << 2;
    QTest::newRow("no such target")
        << QStringList{build, m_bundle, out, to, QStringLiteral("--target"), QStringLiteral("Z80")}
        << 2;
    QTest::newRow("slices of H16") << QStringList{build,
                                                  m_bundle,
                                                  out,
                                                  to,
                                                  QStringLiteral("--hwx-slices"),
                                                  QStringLiteral("--target"),
                                                  QStringLiteral("H16")}
                                   << 3;
    QTest::newRow("no source") << QStringList{build, at("none.hwx"), out, to} << 4;
    QTest::newRow("no folder") << QStringList{build, m_bundle, out, at("none/x.ksec")} << 4;
    QTest::newRow("list of nothing") << QStringList{list, at("none.ksec")} << 4;
    QTest::newRow("list of a container") << QStringList{list, at("dense.hwx")} << 3;
    QTest::newRow("nowhere to write")
        << QStringList{relocate, from, base, QStringLiteral("0x40")} << 2;
    QTest::newRow("two places") << QStringList{relocate,
                                               from,
                                               base,
                                               QStringLiteral("0"),
                                               out,
                                               to,
                                               QStringLiteral("--in-place")}
                                << 2;
    QTest::newRow("no base") << QStringList{relocate, from, out, to} << 2;
    QTest::newRow("no address") << QStringList{relocate, from, base, QStringLiteral("here"),
                                               out,      to}
                                << 2;
    QTest::newRow("not aligned") << QStringList{relocate, from, base, QStringLiteral("0x41"),
                                                out,      to}
                                 << 3;
    QTest::newRow("too far") << QStringList{relocate, from, base, QStringLiteral("0x100000000"),
                                            out,      to}
                             << 3;
}

void TestCliSection::refuses()
{
    QFETCH(QStringList, arguments);
    QFETCH(int, exitCode);
    const CliResult result = section(arguments + QStringList{QStringLiteral("--json")});
    QVERIFY(!result.crashed);
    QCOMPARE(result.exitCode, exitCode);
    QVERIFY(!QFile::exists(at("never.ksec")));
    if (exitCode == 2)
        return;
    const Json json = result.json();
    QVERIFY(!json.is_discarded());
    QVERIFY(!json["diagnostics"].empty());
    QVERIFY(!json["diagnostics"][0]["code"].get<std::string>().empty());
}

QTEST_GUILESS_MAIN(TestCliSection)
#include "tst_cli_section.moc"
