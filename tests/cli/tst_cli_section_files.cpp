// SPDX-License-Identifier: GPL-3.0-or-later
#include "section_files.h"
#include "tests/test_program.h"

using namespace kernscope;
using namespace kernscope::test;
using Json = nlohmann::ordered_json;

namespace {

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

/// What other commands say of weight sections, and the slices of hardware containers.
class TestCliSectionFiles : public SectionFiles
{
    Q_OBJECT

private slots:
    void initTestCase() { makeFiles(); }

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
            const CliResult result = runCli(
                {u"decode"_s, at(source), kernelName(), u"--output"_s, at("out.bin"), m_force});
            QCOMPARE(result.exitCode, 0);
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
        result =
            runCli({u"diff"_s, at("dense.hwx"), at("changed.ksec"), u"--values"_s, u"--json"_s});
        QCOMPARE(result.exitCode, 1);
        const Json values = result.json()["weights"][0]["values"];
        QCOMPARE(values["changed"].get<int>(), 1);
        QCOMPARE(values["equal"].get<int>(), 32 * 27 - 1);
        // A zero that is left out stays one, in a section as in a container.
        for (const char *source : {"sparse.ksec", "sparse.hwx"}) {
            result = runCli({u"patch"_s, at(source), u"--set"_s, kernelName() + u"[0,0,0,0]=1"_s,
                             u"--dry-run"_s, u"--json"_s});
            QVERIFY(result.exitCode != 0);
            QVERIFY2(result.out.contains("patch.sparse_zero"), result.out);
        }
    }

    void comparesWithItsContainer()
    {
        const CliResult result =
            runCli({u"diff"_s, at("dense.hwx"), at("dense.ksec"), u"--values"_s, u"--json"_s});
        QCOMPARE(result.exitCode, 1); // other files, the same numbers
        const Json json = result.json();
        QCOMPARE(json["weights"].size(), std::size_t(2)); // and the biases
        QVERIFY(json["only_a"].empty() && json["only_b"].empty());
        for (const Json &pair : json["weights"])
            QCOMPARE(text(pair["values"]["equal"]), text(pair["a"]["elements"]));
    }

    void comparesSparseForms()
    {
        const CliResult result =
            runCli({u"diff"_s, at("sparse.hwx"), at("sparse.ksec"), u"--values"_s, u"--json"_s});
        QCOMPARE(result.exitCode, 1);
        const Json json = result.json();
        QCOMPARE(json["weights"].size(), std::size_t(2));
        for (const char *side : {"a", "b"}) {
            const Json &parts = json["weights"][0][side]["parts"];
            QCOMPARE(parts[0]["role"].get<std::string>(), "mask");
            QCOMPARE(text(parts[1]["shape"]), QByteArray("[320]"));
        }
        QCOMPARE(json["weights"][0]["values"]["equal"].get<int>(), 480);
        QCOMPARE(json["weights"][1]["values"]["equal"].get<int>(), 96);
    }

    /// Sections pair whatever their files are called; one pairs with the bundle that it was built
    /// from, whatever that calls its weights.
    void comparesByContent()
    {
        QCOMPARE(build(m_bundle, at("one.ksec")).exitCode, 0);
        QVERIFY(QFile::copy(at("one.ksec"), at("two.ksec")));
        const auto compared = [this](const QString &a, const char *b,
                                     const QStringList &more = {}) {
            return runCli(QStringList{u"diff"_s, a, at(b), u"--json"_s} + more);
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
        made.layer("other", "[2]", Bytes(4));
        made.layer("renamed", "[32, 6, 1, 1]", numbers);
        const QString renamed = writeBundle(m_scratch, "renamed.mlmodelc", made);
        const QStringList exact{u"--max-abs"_s, u"0"_s, u"--allow-missing"_s};
        result = compared(renamed, "one.ksec", exact);
        QCOMPARE(result.exitCode, 0);
        const Json pair = result.json()["weights"][0];
        QCOMPARE(pair["name"].get<std::string>(), "renamed");
        QCOMPARE(pair["name_b"].get<std::string>(), "w");
        QCOMPARE(pair["pairing"].get<std::string>(), "content");
        QCOMPARE(pair["values"]["equal"].get<int>(), 192);
        // Without leave to lack the other weight, that is what does not hold.
        result = compared(renamed, "one.ksec", exact.mid(0, 2));
        QCOMPARE(result.exitCode, 1);
        QCOMPARE(result.json()["verdict"]["faults"][0]["weight"].get<std::string>(), "other");
    }

    void writesSlices_data()
    {
        addColumns<QString, bool, QByteArray>();
        addRow("dense", "dense.hwx", false, bytesOf(m_dense.slices));
        addRow("sparse", "sparse.hwx", true, bytesOf(m_sparse.kernel.slices));
    }

    void writesSlices()
    {
        const auto [source, leaveZeros, expected] = fetched<QString, bool, QByteArray>();
        QStringList more{u"--hwx-slices"_s, u"--json"_s, m_force};
        if (leaveZeros)
            more.append(u"--leave-zeros"_s);
        const QString output = at("slices.bin");
        const CliResult result = build(m_scratch.filePath(source), output, more);
        QCOMPARE(result.exitCode, 0);
        QCOMPARE(contentOf(output), expected);
        const Json json = result.json();
        QCOMPARE(json["target"].get<std::string>(), "H13");
        QCOMPARE(json["slices"].size(), std::size_t(16));
        std::uint64_t offset = 0;
        for (const Json &slice : json["slices"]) {
            QCOMPARE(slice["offset"].get<std::uint64_t>(), offset);
            offset += slice["bytes"].get<std::uint64_t>();
        }
        QCOMPARE(offset, std::uint64_t(expected.size()));
        more.removeOne(u"--json"_s);
        const CliResult plain =
            build(m_scratch.filePath(source), output,
                  more + QStringList{u"--target"_s, u"H14"_s, u"--image-side"_s, u"16"_s});
        QCOMPARE(plain.exitCode, 0);
        QVERIFY(plain.out.contains("lane"));
    }
};

KERNSCOPE_TEST(TestCliSectionFiles, QCoreApplication)
#include "tst_cli_section_files.moc"
