// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli_process.h"

#include <unistd.h>

namespace {

MadeBundle bundle()
{
    MadeBundle made;
    made.weight("w", "[2, 5]", halves({1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
    const std::string indices = made.blob(ElementType::Uint2, "[10]", hex("e4 e4 04"), 4);
    made.line("tensor<fp16, [10]> lut = constexpr_lut_to_dense(indices = " + indices +
              ", lut = tensor<fp16, [1, 4, 1]>([-0x1p+0, 0x0p+0, 0x1p-1, 0x1p+0]))[name = "
              "string(\"lut\")]");
    made.consume("w");
    made.consume("lut");
    return made;
}

} // namespace

/// `patch`: what is asked for, what is stored, which bytes are written, and nothing else.
class TestCliPatch : public QObject
{
    Q_OBJECT

private slots:
    /// Bytes of a header: there is no value that was asked for, only bytes.
    void bytesAreNoFigure()
    {
        HOLDS(RAN(0, patch(edits({"--bytes", "weights/weight.bin+0x8=01 02"})
                           << u"--dry-run"_s << m_json))
                  .json()["edits"][0],
              "asked=null stored=null kind=bytes");
    }

    void init()
    {
        m_scratch = std::make_unique<QTemporaryDir>();
        m_path = writeBundle(*m_scratch, "x.mlmodelc", bundle());
    }

    void inPlace()
    {
        const QByteArray before = weights(), text = program();
        const CliResult result =
            RAN(0, patch(edits({"--set", "w[1,2]=0.3", "--in-place", "--json"})));
        QVERIFY(result.err.isEmpty());
        const auto json = result.json();
        QCOMPARE(json["mode"].get<std::string>(), "in-place");
        const auto &edit = json["edits"][0];
        HOLDS(edit,
              "asked=0.3 stored=0.300048828125 old=8 "
              "ranges=[{\"file\":\"weights/"
              "weight.bin\",\"offset\":142,\"bytes\":2,\"before\":\"0048\",\"after\":\"cd34\"}]");
        HOLDS(json, "ranges=[{\"file\":\"weights/weight.bin\",\"offset\":142,\"bytes\":2}] "
                    "verified=true saved.verified=true saved.bytes_written=2");
        QByteArray expected = before;
        expected[142] = '\xcd';
        expected[143] = '\x34';
        QCOMPARE(weights(), expected);
        QCOMPARE(program(), text);
        // Nothing else was left behind.
        QCOMPARE(QDir(m_scratch->path()).entryList(QDir::AllEntries | QDir::NoDotAndDotDot),
                 args("x.mlmodelc"));
    }

    void text()
    {
        SAYS(RAN(0, patch(edits({"--codebook", "lut[0][2]=0.25", "--in-place"}))).out,
             "codebook lut[0][2]=0.25", "codebook 0 entry 2",
             "1 byte changed in 1 range, read back and verified");
        QVERIFY(program().contains("0x0p+0, 0x1p-2, 0x1p+0"));
        const CliResult again =
            RAN(0, patch(edits({"--codebook", "lut[0][2]=0.25", "--in-place"})));
        QVERIFY(again.out.contains("nothing to change"));
    }

    void output()
    {
        const QByteArray before = weights();
        const QString target = m_scratch->filePath(u"y.mlmodelc"_s);
        QCOMPARE(RAN(0, patch(edits({"--fill", "w[0,:]=0", "--json", "--output"}) << target))
                     .json()["edits"][0]["elements"]
                     .get<int>(),
                 5);
        QCOMPARE(weights(), before);
        const CliResult diff = RAN(1, runCli("diff % % % --values", m_path, target, m_json));
        HOLDS(diff.json(), "weights.0.values.zeroed=5 weights.1.values.equal=10");
    }

    void dryRun()
    {
        const QByteArray before = weights();
        const auto json = RAN(0, patch(edits({"--set", "w[0]=2.5", "--dry-run", "--json"}))).json();
        HOLDS(json, "saved=null verified=null ranges#=1");
        QCOMPARE(weights(), before);
    }

    /// Edits of several options follow each other as they stand, a script in its place.
    void orderOfOptions()
    {
        const QString file = m_scratch->filePath(u"edits.txt"_s);
        QVERIFY(put(file, "# in between\nset w[0]=3\nfill w[1,:]=1\n"));
        const CliResult result =
            RAN(0, patch(edits({"--set", "w[0]=2", "--fill", "w[0,:]=7", "--script"})
                         << file << edits({"--set", "w[1]=4", "--in-place", "--json"})));
        QList<QByteArray> order;
        const auto json = result.json();
        for (const auto &edit : json["edits"])
            order << QByteArray::fromStdString(edit["edit"].get<std::string>());
        const QList<QByteArray> expected{"w[0]=2", "w[0,:]=7", "w[0]=3", "w[1,:]=1", "w[1]=4"};
        QCOMPARE(order, expected);
        QCOMPARE(weights().mid(128, 6), QByteArray::fromHex("004200440047"));
    }

    void script()
    {
        QFile file(m_scratch->filePath(u"edits.txt"_s));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("set w[0]=3\nset w[0=4\n");
        file.close();
        const QByteArray before = weights();
        const auto diagnostic = RAN(2, patch({u"--script"_s, file.fileName(), m_inPlace, m_json}))
                                    .json()["diagnostics"][0];
        QCOMPARE(diagnostic["field"].get<std::string>(), "line 2");
        QCOMPARE(diagnostic["file"].get<std::string>(), file.fileName().toStdString());
        QCOMPARE(weights(), before);
    }

    void refused_data()
    {
        addColumns<QList<QByteArray>, QByteArray, int>();
        const auto row = [](const char *name, QList<QByteArray> arguments, const char *code,
                            int exitCode = 3) {
            addRow(name, arguments, QByteArray(code), exitCode);
        };
        row("value", {"--set", "lut[0]=0.3"}, "patch.unrepresentable");
        row("second edit", {"--set", "w[0]=9", "--set", "lut[0]=0.3"}, "patch.unrepresentable");
        row("weight", {"--set", "v[0]=1"}, "patch.weight", 2);
        row("index", {"--set", "w[10]=1"}, "patch.index", 2);
        row("part", {"--keep", "w[0]=1"}, "patch.part", 2);
        row("file", {"--from-npy", "w=/no/such/file.npy"}, "io.open", 4);
        row("expression", {"--compute", "w=w+1e9"}, "patch.unrepresentable");
        row("bytes", {"--bytes", "nothing.bin+0x0=00"}, "patch.file", 2);
        row("field", {"--field", "task[0]/Header/x=1"}, "patch.field");
        row("script", {"--script", "/no/such/file.txt"}, "io.open", 4);
    }

    void refused()
    {
        const auto [arguments, code, exitCode] = fetched<QList<QByteArray>, QByteArray, int>();
        const QByteArray before = weights(), text = program();
        const auto json = RAN(exitCode, patch(edits(arguments) << m_inPlace << m_json)).json();
        QCOMPARE(QByteArray::fromStdString(json["diagnostics"][0]["code"].get<std::string>()),
                 code);
        QCOMPARE(weights(), before);
        QCOMPARE(program(), text);
    }

    void wrongUse_data()
    {
        QTest::addColumn<QList<QByteArray>>("arguments");
        const DataRow<QList<QByteArray>> row;
        row("no mode", {"--set", "w[0]=1"});
        row("two modes", {"--set", "w[0]=1", "--in-place", "--dry-run"});
        row("no edit", {"--in-place"});
        row("syntax", {"--set", "w[0=1", "--in-place"});
        row("no such option", {"--sett", "w[0]=1", "--in-place"});
        row("tolerance", {"--set", "w[0]=1", "--in-place", "--tolerance", "-1"});
        row("backup of nothing", {"--set", "w[0]=1", "--dry-run", "--backup", "x", "y"});
    }

    void wrongUse()
    {
        QFETCH(const QList<QByteArray>, arguments);
        const QByteArray before = weights();
        QCOMPARE(patch(edits(arguments)).exitCode, 2);
        QCOMPARE(weights(), before);
    }

    void existingTarget()
    {
        QCOMPARE(RAN(4, patch({u"--set"_s, u"w[0]=5"_s, u"--output"_s, m_scratch->path(), m_json}))
                     .json()["diagnostics"][0]["code"]
                     .get<std::string>(),
                 "io.kind");
    }

    void backup()
    {
        const QByteArray before = weights();
        QCOMPARE(patch(edits({"--set", "w[0]=5", "--in-place", "--backup"})).exitCode, 0);
        QVERIFY(weights() != before);
        QCOMPARE(contentOf(m_path + u".bak/weights/weight.bin"_s), before);
        QCOMPARE(QDir(m_path + u"/weights"_s).entryList(QDir::Files).size(), 1);
        // The next one goes beside it, and the document says where.
        const QByteArray second = weights();
        const CliResult again =
            RAN(0, patch(edits({"--set", "w[0]=6", "--in-place", "--backup"}) << m_json));
        const QString kept = m_path + u".bak.2/weights/weight.bin"_s;
        QCOMPARE(contentOf(kept), second);
        QCOMPARE(again.json()["saved"]["backups"][0].get<std::string>(), kept.toStdString());
    }

    /// Of a file with several names all would change.
    void hardLinks()
    {
        const QByteArray before = weights();
        const QString other = m_scratch->filePath(u"other"_s);
        QCOMPARE(::link(qPrintable(m_path + u"/weights/weight.bin"_s), qPrintable(other)), 0);
        const CliResult refused = RAN(4, patch(edits({"--set", "w[0]=5", "--in-place"})));
        QVERIFY(refused.err.contains("[io.links]"));
        QCOMPARE(weights(), before);
        QCOMPARE(patch(edits({"--set", "w[0]=5", "--in-place", "--break-links"})).exitCode, 0);
        QVERIFY(weights() != before);
        QCOMPARE(contentOf(other), before);
    }

private:
    CliResult patch(const QStringList &arguments)
    {
        return runCli(args("patch %", m_path) + arguments);
    }
    QStringList edits(const QList<QByteArray> &texts) const
    {
        QStringList list;
        for (const QByteArray &text : texts)
            list << QString::fromUtf8(text);
        return list;
    }
    QByteArray weights() const { return contentOf(m_path + u"/weights/weight.bin"_s); }
    QByteArray program() const { return contentOf(m_path + u"/model.mil"_s); }

    std::unique_ptr<QTemporaryDir> m_scratch;
    QString m_path;
    const QString m_json = u"--json"_s, m_inPlace = u"--in-place"_s;
};

KERNSCOPE_TEST(TestCliPatch, QCoreApplication)
#include "tst_cli_patch.moc"
