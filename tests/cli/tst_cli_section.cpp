// SPDX-License-Identifier: GPL-3.0-or-later
#include "section_files.h"
#include "tests/test_program.h"

#include <QFile>
#include <QTest>

using namespace kernscope;
using namespace kernscope::test;
using Json = nlohmann::ordered_json;

/// `section` in all its forms.
class TestCliSection : public SectionFiles
{
    Q_OBJECT

private slots:
    void initTestCase() { makeFiles(); }
    void builds_data();
    void builds();
    void buildsAsAsked();
    void lists();
    void relocatesAndStrips();
    void refuses_data();
    void refuses();
};

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
    QVERIFY2(result.exitCode == 2 && result.err.contains("odd index width"), result.err);
    QVERIFY(!QFile::exists(at("refused.ksec")));
    // Options that make no palette are wrong use as well, as in encode.
    result = build(m_bundle, at("refused.ksec"),
                   {QStringLiteral("w"), QStringLiteral("--form"), QStringLiteral("palette"),
                    QStringLiteral("--bits"), QStringLiteral("5"), QStringLiteral("--force")});
    QVERIFY2(result.exitCode == 2, result.err);
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

KERNSCOPE_TEST(TestCliSection, QCoreApplication)
#include "tst_cli_section.moc"
