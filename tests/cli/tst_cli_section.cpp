// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli_process.h"
#include "synthetic_kernels.h"
#include "tests/core/lanes/encode_slices.h"

using Json = nlohmann::ordered_json;

namespace {

/// A bundle, and containers of a dense and a sparse kernel with the sections built of them.
class SectionFiles : public QObject
{
protected:
    void makeFiles();
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

CliResult SectionFiles::section(const QStringList &arguments) const
{
    return runCli(QStringList{QStringLiteral("section")} + arguments);
}

CliResult SectionFiles::build(const QString &source, const QString &output,
                              const QStringList &more) const
{
    return section(
        QStringList{QStringLiteral("build"), source, QStringLiteral("--output"), output} + more);
}

void SectionFiles::write(const char *name, const Bytes &bytes) const
{
    QVERIFY(put(at(name), bytes));
}

void SectionFiles::makeFiles()
{
    MadeBundle made;
    const Bytes numbers =
        halves(32 * 6, [&](int i) { return i % 5 == 0 ? 0.0f : float(i % 16) / 4; });
    made.weight("w", "[32, 6, 1, 1]", numbers);
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

QString kernelName()
{
    return QString::fromStdString(syntheticHash());
}

} // namespace

/// `section` in all its forms.
/// What other commands say of weight sections.
class TestCliSection : public SectionFiles
{
    Q_OBJECT

private slots:
    void initTestCase() { makeFiles(); }

    void builds_data()
    {
        const auto row = addColumns<QString, QString>();
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
        result = runCli("inspect % --json --stats", output);
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
        HOLDS(json, "section.target=H13 section.units#=4 "
                    "section.units.0.sections.weights.bit_depth=6");
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
        const CliResult listing = RAN(0, section({u"list"_s, at("dense.ksec")}));
        QVERIFY(listing.out.contains("weights:") && listing.out.contains("bias:"));
        const Json json = RAN(0, section({u"list"_s, at("dense.ksec"), u"--json"_s})).json();
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
        const CliResult bad = RAN(3, section({u"list"_s, at("damaged.ksec"), u"--json"_s}));
        HOLDS(bad.json(), "diagnostics.0.code=section.mask section.units#=4");
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
        result = runCli("diff % % --values --json", at("dense.ksec"), loaded);
        QCOMPARE(result.exitCode, 1);
        QVERIFY(result.json()["weights"][0]["stored_equal"].get<bool>());
    }

    void refuses_data()
    {
        const auto row = addColumns<QStringList, int>();
        const QString out = u"--output"_s, to = at("never.ksec"), from = at("dense.ksec");
        const QString build = u"build"_s, list = u"list"_s;
        const QString relocate = u"relocate"_s, base = u"--base"_s;
        row("nothing", {}, 2);
        row("another word", {u"check"_s, from}, 2);
        row("no output", {build, m_bundle}, 2);
        row("no such form", {build, m_bundle, out, to, u"--form"_s, u"blockwise"_s}, 2);
        row("no cores", {build, m_bundle, out, to, u"--cores"_s, u"0"_s}, 2);
        row("no such weight", {build, m_bundle, u"v"_s, out, to}, 2);
        row("no such target", {build, m_bundle, out, to, u"--target"_s, u"Z80"_s}, 2);
        row("no source", {build, at("none.hwx"), out, to}, 4);
        row("no folder", {build, m_bundle, out, at("none/x.ksec")}, 4);
        row("list of nothing", {list, at("none.ksec")}, 4);
        row("list of a container", {list, at("dense.hwx")}, 3);
        row("nowhere to write", {relocate, from, base, u"0x40"_s}, 2);
        row("two places", {relocate, from, base, u"0"_s, out, to, u"--in-place"_s}, 2);
        row("no base", {relocate, from, out, to}, 2);
        row("no address", {relocate, from, base, u"here"_s, out, to}, 2);
        row("not aligned", {relocate, from, base, u"0x41"_s, out, to}, 3);
        row("too far", {relocate, from, base, u"0x100000000"_s, out, to}, 3);
    }

    void refuses()
    {
        const auto [arguments, exitCode] = fetched<QStringList, int>();
        const CliResult result = section(arguments + args("--json"));
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

    void writesInPlace()
    {
        const QString path = at("place.ksec");
        QVERIFY(QFile::copy(at("dense.ksec"), path));
        QCOMPARE(section({u"relocate"_s, path, u"--base"_s, u"64"_s, u"--in-place"_s}).exitCode, 0);
        QVERIFY(contentOf(path) != contentOf(at("dense.ksec")));
        QCOMPARE(section({u"strip"_s, path, u"--in-place"_s}).exitCode, 0);
        QCOMPARE(contentOf(path), contentOf(at("dense.ksec")));
    }

    void decodesWhatItBuilt()
    {
        QByteArray decoded;
        for (const char *source : {"dense.hwx", "dense.ksec"}) {
            const CliResult result = RAN(0, runCli({u"decode"_s, at(source), kernelName(),
                                                    u"--output"_s, at("out.bin"), m_force}));
            if (decoded.isEmpty())
                decoded = contentOf(at("out.bin"));
            QCOMPARE(contentOf(at("out.bin")), decoded);
        }
        QCOMPARE(decoded.size(), qsizetype(2 * 32 * 27));
    }

    void patchesASection()
    {
        const QString edit = kernelName() + u"[5,2,1,1]=0.5"_s;
        CliResult result = runCli(
            {u"patch"_s, at("dense.ksec"), u"--set"_s, edit, u"--output"_s, at("changed.ksec")});
        QCOMPARE(result.exitCode, 0);
        result = runCli("diff % % --values --json", at("dense.hwx"), at("changed.ksec"));
        QCOMPARE(result.exitCode, 1);
        HOLDS(result.json()["weights"][0]["values"], "changed=1 equal=863");
        // A zero that is left out stays one, in a section as in a container.
        for (const char *source : {"sparse.ksec", "sparse.hwx"}) {
            result = runCli("patch % --set % --dry-run --json", at(source),
                            kernelName() + u"[0,0,0,0]=1"_s);
            QVERIFY(result.exitCode != 0);
            QVERIFY2(result.out.contains("patch.sparse_zero"), result.out);
        }
    }

    void comparesWithItsContainer()
    {
        const CliResult result =
            runCli("diff % % --values --json", at("dense.hwx"), at("dense.ksec"));
        QCOMPARE(result.exitCode, 1); // other files, the same numbers
        const Json json = result.json();
        QCOMPARE(json["weights"].size(), std::size_t(2)); // and the biases
        QVERIFY(json["only_a"].empty() && json["only_b"].empty());
        for (const Json &pair : json["weights"])
            QCOMPARE(text(pair["values"]["equal"]), text(pair["a"]["elements"]));
    }

    void comparesSparseForms()
    {
        const Json json =
            RAN(1, runCli("diff % % --values --json", at("sparse.hwx"), at("sparse.ksec"))).json();
        QCOMPARE(json["weights"].size(), std::size_t(2));
        for (const char *side : {"a", "b"}) {
            const Json &parts = json["weights"][0][side]["parts"];
            HOLDS(parts, "0.role=mask 1.shape=[320]");
        }
        HOLDS(json, "weights.0.values.equal=480 weights.1.values.equal=96");
    }

    /// Sections pair whatever their files are called; one pairs with the bundle that it was built
    /// from, whatever that calls its weights.
    void comparesByContent()
    {
        QCOMPARE(build(m_bundle, at("one.ksec")).exitCode, 0);
        QVERIFY(QFile::copy(at("one.ksec"), at("two.ksec")));
        const auto compared = [this](const QString &a, const char *b,
                                     const QStringList &more = {}) {
            return runCli(args("diff % % --json", a, at(b)) + more);
        };
        CliResult result = compared(at("one.ksec"), "two.ksec");
        QCOMPARE(result.exitCode, 0);
        HOLDS(result.json(), "files#=1 identical=true");

        MadeBundle made;
        const Bytes numbers =
            halves(32 * 6, [&](int i) { return i % 5 == 0 ? 0.0f : float(i % 16) / 4; });
        made.layer("other", "[2]", Bytes(4));
        made.layer("renamed", "[32, 6, 1, 1]", numbers);
        const QString renamed = writeBundle(m_scratch, "renamed.mlmodelc", made);
        const QStringList exact = args("--max-abs 0 --allow-missing");
        result = compared(renamed, "one.ksec", exact);
        QCOMPARE(result.exitCode, 0);
        const Json pair = result.json()["weights"][0];
        HOLDS(pair, "name=renamed name_b=w pairing=content values.equal=192");
        // Without leave to lack the other weight, that is what does not hold.
        result = compared(renamed, "one.ksec", exact.mid(0, 2));
        QCOMPARE(result.exitCode, 1);
        QCOMPARE(result.json()["verdict"]["faults"][0]["weight"].get<std::string>(), "other");
    }
};

KERNSCOPE_TEST(TestCliSection, QCoreApplication)
#include "tst_cli_section.moc"
