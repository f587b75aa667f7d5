// SPDX-License-Identifier: GPL-3.0-or-later
#include "section_files.h"
#include "tests/test_program.h"

using namespace kernscope;
using namespace kernscope::test;
using Json = nlohmann::ordered_json;

/// `section` in all its forms.
class TestCliSection : public SectionFiles
{
    Q_OBJECT

private slots:
    void initTestCase() { makeFiles(); }

    void builds_data()
    {
        addColumns<QString, QString>();
        const auto row = [](const char *form, const char *stored) {
            addRow(form, QString::fromLatin1(form), QString::fromLatin1(stored));
        };
        row("stored", "dense-fp16");
        row("dense", "dense-fp16");
        row("sparse", "sparse");
        row("palette", "lut");
        row("affine", "affine");
    }

    void builds()
    {
        const auto [form, stored] = fetched<QString, QString>();
        const QString output = at("built.ksec");
        CliResult result = build(
            m_bundle, output, {u"--form"_s, form, u"--json"_s, m_force, u"--target"_s, u"H14"_s});
        QCOMPARE(result.exitCode, 0);
        Json json = result.json();
        QCOMPARE(json["command"].get<std::string>(), "section");
        QCOMPARE(json["output"].get<std::string>(), output.toStdString());
        QCOMPARE(json["section"]["codegen_version"].get<int>(), 11);
        QCOMPARE(json["section"]["units"].size(), std::size_t(4)); // the chip's cores
        QVERIFY(json["diagnostics"].empty());
        result = runCli({u"inspect"_s, output, u"--json"_s, u"--stats"_s});
        QCOMPARE(result.exitCode, 0);
        json = result.json();
        QCOMPARE(json["kind"].get<std::string>(), "section");
        QCOMPARE(json["weights"][0]["form"].get<std::string>(), stored.toStdString());
        QCOMPARE(text(json["weights"][0]["shape"]), QByteArray("[32,6,1,1]"));
        QVERIFY(json["weights"][0]["zero_fraction"].get<double>() > 0.2);
        const bool masked = json["weights"][0]["parts"][0]["role"].get<std::string>() == "mask";
        QCOMPARE(masked, form == u"sparse"_s);
    }

    void buildsAsAsked()
    {
        CliResult result = build(m_bundle, at("few.ksec"),
                                 {u"w"_s, u"--cores"_s, u"4"_s, u"--lanes"_s, u"2"_s, u"--form"_s,
                                  u"palette"_s, u"--bits"_s, u"6"_s, u"--force"_s, u"--json"_s});
        QCOMPARE(result.exitCode, 0);
        const Json json = result.json();
        QCOMPARE(json["section"]["target"].get<std::string>(), "H13");
        QCOMPARE(json["section"]["units"].size(), std::size_t(4));
        QCOMPARE(json["section"]["units"][0]["sections"]["weights"]["bit_depth"].get<int>(), 6);
        for (const Json &record : json["section"]["records"])
            QCOMPARE(record["channels"].get<int>(), 2);
        QCOMPARE(json["diagnostics"][0]["code"].get<std::string>(), "section.legality");
        // Without --force the version-five encoder has no 6-bit palettes, and nothing is written.
        result = build(m_bundle, at("refused.ksec"),
                       {u"w"_s, u"--form"_s, u"palette"_s, u"--bits"_s, u"6"_s});
        QVERIFY2(result.exitCode == 2 && result.err.contains("odd index width"), result.err);
        QVERIFY(!QFile::exists(at("refused.ksec")));
        // Options that make no palette are wrong use as well, as in encode.
        result = build(m_bundle, at("refused.ksec"),
                       {u"w"_s, u"--form"_s, u"palette"_s, u"--bits"_s, u"5"_s, u"--force"_s});
        QVERIFY2(result.exitCode == 2, result.err);
        QVERIFY(!QFile::exists(at("refused.ksec")));
        result = build(m_bundle, at("taken.ksec"),
                       {u"w"_s, u"--form"_s, u"palette"_s, u"--bits"_s, u"6"_s, u"--target"_s,
                        u"M2"_s, u"--quiet"_s});
        QCOMPARE(result.exitCode, 0);
        result = build(m_bundle, at("text.ksec"));
        QVERIFY(result.out.contains("weights:") && result.err.isEmpty());
        result = build(m_bundle, at("quiet.ksec"), {u"--quiet"_s});
        QVERIFY(result.out.isEmpty() && QFile::exists(at("quiet.ksec")));
    }

    void lists()
    {
        const CliResult listing = section({u"list"_s, at("dense.ksec")});
        QCOMPARE(listing.exitCode, 0);
        QVERIFY(listing.out.contains("weights:") && listing.out.contains("bias:"));
        const CliResult result = section({u"list"_s, at("dense.ksec"), u"--json"_s});
        QCOMPARE(result.exitCode, 0);
        const Json json = result.json();
        QVERIFY(!json["section"]["resolved"].get<bool>());
        QCOMPARE(json["section"]["units"].size(), std::size_t(4)); // the chip's cores
        QVERIFY(json["section"]["records"][0]["slots"]["bias"].is_null());
        QVERIFY(json["listing"].get<std::string>().find("weights:") != std::string::npos);
        // A mask that does not match its values is a fault, and the rest is still shown.
        QByteArray damaged = contentOf(at("sparse.ksec"));
        const Json sparse = section({u"list"_s, at("sparse.ksec"), u"--json"_s}).json();
        const Json &unit = sparse["section"]["units"][0];
        const auto mask = qsizetype(unit["payload"].get<std::uint64_t>() +
                                    unit["sections"]["weights"]["offset"].get<std::uint64_t>());
        damaged[mask] = char(~damaged[mask]);
        QVERIFY(put(at("damaged.ksec"), damaged));
        const CliResult bad = section({u"list"_s, at("damaged.ksec"), u"--json"_s});
        QCOMPARE(bad.exitCode, 3);
        QCOMPARE(bad.json()["diagnostics"][0]["code"].get<std::string>(), "section.mask");
        QCOMPARE(bad.json()["section"]["units"].size(), std::size_t(4));
    }

    void relocatesAndStrips()
    {
        const QString loaded = at("loaded.ksec"), stripped = at("stripped.ksec");
        CliResult result =
            section({u"relocate"_s, at("dense.ksec"), u"--base"_s, u"0x40000"_s, u"--input-tile"_s,
                     u"0x800"_s, u"--output"_s, loaded, u"--json"_s});
        QCOMPARE(result.exitCode, 0);
        const Json json = result.json();
        QVERIFY(json["section"]["resolved"].get<bool>());
        const Json &slots_ = json["section"]["records"][0]["slots"];
        QVERIFY(slots_["bias"].is_string());
        QVERIFY(contentOf(loaded) != contentOf(at("dense.ksec")));
        result = section({u"strip"_s, loaded, u"--output"_s, stripped});
        QCOMPARE(result.exitCode, 0);
        QVERIFY(result.out.contains("addresses taken back"));
        QCOMPARE(contentOf(stripped), contentOf(at("dense.ksec")));
        // Addresses are no part of the values.
        result = runCli({u"diff"_s, at("dense.ksec"), loaded, u"--values"_s, u"--json"_s});
        QCOMPARE(result.exitCode, 1);
        QVERIFY(result.json()["weights"][0]["stored_equal"].get<bool>());
    }

    void refuses_data()
    {
        addColumns<QStringList, int>();
        const QString out = u"--output"_s, to = at("never.ksec"), from = at("dense.ksec");
        const QString build = u"build"_s, list = u"list"_s;
        const QString relocate = u"relocate"_s, base = u"--base"_s;
        addRow("nothing", QStringList(), 2);
        addRow("another word", QStringList{u"check"_s, from}, 2);
        addRow("no output", QStringList{build, m_bundle}, 2);
        addRow("no such form", QStringList{build, m_bundle, out, to, u"--form"_s, u"blockwise"_s},
               2);
        addRow("no cores", QStringList{build, m_bundle, out, to, u"--cores"_s, u"0"_s}, 2);
        addRow("no such weight", QStringList{build, m_bundle, u"v"_s, out, to}, 2);
        addRow("no such target", QStringList{build, m_bundle, out, to, u"--target"_s, u"Z80"_s}, 2);
        addRow("slices of H16",
               QStringList{build, m_bundle, out, to, u"--hwx-slices"_s, u"--target"_s, u"H16"_s},
               3);
        addRow("no source", QStringList{build, at("none.hwx"), out, to}, 4);
        addRow("no folder", QStringList{build, m_bundle, out, at("none/x.ksec")}, 4);
        addRow("list of nothing", QStringList{list, at("none.ksec")}, 4);
        addRow("list of a container", QStringList{list, at("dense.hwx")}, 3);
        addRow("nowhere to write", QStringList{relocate, from, base, u"0x40"_s}, 2);
        addRow("two places", QStringList{relocate, from, base, u"0"_s, out, to, u"--in-place"_s},
               2);
        addRow("no base", QStringList{relocate, from, out, to}, 2);
        addRow("no address", QStringList{relocate, from, base, u"here"_s, out, to}, 2);
        addRow("not aligned", QStringList{relocate, from, base, u"0x41"_s, out, to}, 3);
        addRow("too far", QStringList{relocate, from, base, u"0x100000000"_s, out, to}, 3);
    }

    void refuses()
    {
        const auto [arguments, exitCode] = fetched<QStringList, int>();
        const CliResult result = section(arguments + QStringList{u"--json"_s});
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
};

KERNSCOPE_TEST(TestCliSection, QCoreApplication)
#include "tst_cli_section.moc"
