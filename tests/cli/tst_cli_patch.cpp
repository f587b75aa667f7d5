// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli_process.h"
#include "tests/test_program.h"
#include "written_bundle.h"

#include <unistd.h>

#include <QTest>

using namespace kernscope;
using namespace kernscope::test;

namespace {

MadeBundle bundle()
{
    MadeBundle made;
    made.constant("tensor<fp16, [2, 5]>", "w",
                  made.blob(ElementType::Fp16, "[2, 5]", halves({1, 2, 3, 4, 5, 6, 7, 8, 9, 10})));
    const std::string indices = made.blob(ElementType::Uint2, "[10]", hex("e4 e4 04"), 4);
    made.line("tensor<fp16, [10]> lut = constexpr_lut_to_dense(indices = " + indices +
              ", lut = tensor<fp16, [1, 4, 1]>([-0x1p+0, 0x0p+0, 0x1p-1, 0x1p+0]))[name = "
              "string(\"lut\")]");
    made.consume("w");
    made.consume("lut");
    return made;
}

QByteArray contentOf(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace

/// `patch`: what is asked for, what is stored, which bytes are written, and nothing else.
class TestCliPatch : public QObject
{
    Q_OBJECT

private slots:
    void bytesAreNoFigure();
    void init();
    void inPlace();
    void text();
    void output();
    void dryRun();
    void orderOfOptions();
    void script();
    void refused_data();
    void refused();
    void wrongUse_data();
    void wrongUse();
    void existingTarget();
    void backup();
    void hardLinks();

private:
    CliResult patch(const QStringList &arguments)
    {
        return runCli(QStringList{QStringLiteral("patch"), m_path} + arguments);
    }
    QStringList edits(const QList<QByteArray> &texts) const
    {
        QStringList list;
        for (const QByteArray &text : texts)
            list << QString::fromUtf8(text);
        return list;
    }
    QByteArray weights() const { return contentOf(m_path + QStringLiteral("/weights/weight.bin")); }
    QByteArray program() const { return contentOf(m_path + QStringLiteral("/model.mil")); }

    std::unique_ptr<QTemporaryDir> m_scratch;
    QString m_path;
    const QString m_json = QStringLiteral("--json"), m_inPlace = QStringLiteral("--in-place");
};

void TestCliPatch::init()
{
    m_scratch = std::make_unique<QTemporaryDir>();
    m_path = writeBundle(*m_scratch, "x.mlmodelc", bundle());
}

void TestCliPatch::inPlace()
{
    const QByteArray before = weights(), text = program();
    const CliResult result = patch(edits({"--set", "w[1,2]=0.3", "--in-place", "--json"}));
    QCOMPARE(result.exitCode, 0);
    QVERIFY(result.err.isEmpty());
    const auto json = result.json();
    QCOMPARE(json["mode"].get<std::string>(), std::string("in-place"));
    const auto &edit = json["edits"][0];
    QCOMPARE(edit["asked"].get<double>(), 0.3);
    QCOMPARE(edit["stored"].get<double>(), 0.300048828125);
    QCOMPARE(edit["old"].get<std::string>(), std::string("8"));
    QCOMPARE(edit["ranges"].dump(),
             std::string("[{\"file\":\"weights/weight.bin\",\"offset\":142,\"bytes\":2,"
                         "\"before\":\"0048\",\"after\":\"cd34\"}]"));
    QCOMPARE(json["ranges"].dump(),
             std::string("[{\"file\":\"weights/weight.bin\",\"offset\":142,\"bytes\":2}]"));
    QVERIFY(json["verified"].get<bool>() && json["saved"]["verified"].get<bool>());
    QCOMPARE(json["saved"]["bytes_written"].get<int>(), 2);
    QByteArray expected = before;
    expected[142] = '\xcd';
    expected[143] = '\x34';
    QCOMPARE(weights(), expected);
    QCOMPARE(program(), text);
    // Nothing else was left behind.
    QCOMPARE(QDir(m_scratch->path()).entryList(QDir::AllEntries | QDir::NoDotAndDotDot),
             QStringList{QStringLiteral("x.mlmodelc")});
}

void TestCliPatch::text()
{
    const CliResult result = patch(edits({"--codebook", "lut[0][2]=0.25", "--in-place"}));
    QCOMPARE(result.exitCode, 0);
    QVERIFY(result.out.contains("codebook lut[0][2]=0.25"));
    QVERIFY(result.out.contains("codebook 0 entry 2"));
    QVERIFY(result.out.contains("1 byte changed in 1 range, read back and verified"));
    QVERIFY(program().contains("0x0p+0, 0x1p-2, 0x1p+0"));
    const CliResult again = patch(edits({"--codebook", "lut[0][2]=0.25", "--in-place"}));
    QCOMPARE(again.exitCode, 0);
    QVERIFY(again.out.contains("nothing to change"));
}

void TestCliPatch::output()
{
    const QByteArray before = weights();
    const QString target = m_scratch->filePath(QStringLiteral("y.mlmodelc"));
    const CliResult result = patch(edits({"--fill", "w[0,:]=0", "--json", "--output"}) << target);
    QCOMPARE(result.exitCode, 0);
    QCOMPARE(result.json()["edits"][0]["elements"].get<int>(), 5);
    QCOMPARE(weights(), before);
    const CliResult diff =
        runCli({QStringLiteral("diff"), m_path, target, m_json, QStringLiteral("--values")});
    QCOMPARE(diff.exitCode, 1);
    QCOMPARE(diff.json()["weights"][0]["values"]["zeroed"].get<int>(), 5);
    QCOMPARE(diff.json()["weights"][1]["values"]["equal"].get<int>(), 10);
}

void TestCliPatch::dryRun()
{
    const QByteArray before = weights();
    const CliResult result = patch(edits({"--set", "w[0]=2.5", "--dry-run", "--json"}));
    QCOMPARE(result.exitCode, 0);
    const auto json = result.json();
    QVERIFY(json["saved"].is_null() && json["verified"].is_null());
    QCOMPARE(json["ranges"].size(), std::size_t{1});
    QCOMPARE(weights(), before);
}

/// Edits of several options follow each other as they stand, a script in its place.
void TestCliPatch::orderOfOptions()
{
    QFile file(m_scratch->filePath(QStringLiteral("edits.txt")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("# in between\nset w[0]=3\nfill w[1,:]=1\n");
    file.close();
    const CliResult result =
        patch(edits({"--set", "w[0]=2", "--fill", "w[0,:]=7", "--script"})
              << file.fileName() << edits({"--set", "w[1]=4", "--in-place", "--json"}));
    QCOMPARE(result.exitCode, 0);
    QList<QByteArray> order;
    const auto json = result.json();
    for (const auto &edit : json["edits"])
        order << QByteArray::fromStdString(edit["edit"].get<std::string>());
    const QList<QByteArray> expected{"w[0]=2", "w[0,:]=7", "w[0]=3", "w[1,:]=1", "w[1]=4"};
    QCOMPARE(order, expected);
    QCOMPARE(weights().mid(128, 6), QByteArray::fromHex("004200440047"));
}

void TestCliPatch::script()
{
    QFile file(m_scratch->filePath(QStringLiteral("edits.txt")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("set w[0]=3\nset w[0=4\n");
    file.close();
    const QByteArray before = weights();
    const CliResult result =
        patch({QStringLiteral("--script"), file.fileName(), m_inPlace, m_json});
    QCOMPARE(result.exitCode, 2);
    const auto diagnostic = result.json()["diagnostics"][0];
    QCOMPARE(diagnostic["field"].get<std::string>(), std::string("line 2"));
    QCOMPARE(diagnostic["file"].get<std::string>(), file.fileName().toStdString());
    QCOMPARE(weights(), before);
}

void TestCliPatch::refused_data()
{
    QTest::addColumn<QList<QByteArray>>("arguments");
    QTest::addColumn<QByteArray>("code");
    QTest::addColumn<int>("exitCode");
    const auto row = [](const char *name, QList<QByteArray> arguments, const char *code,
                        int exitCode = 3) {
        QTest::newRow(name) << arguments << QByteArray(code) << exitCode;
    };
    row("value", {"--set", "lut[0]=0.3"}, "patch.unrepresentable");
    row("second edit", {"--set", "w[0]=9", "--set", "lut[0]=0.3"}, "patch.unrepresentable");
    row("weight", {"--set", "v[0]=1"}, "patch.weight", 2);
    row("index", {"--set", "w[10]=1"}, "patch.index");
    row("part", {"--keep", "w[0]=1"}, "patch.part");
    row("file", {"--from-npy", "w=/no/such/file.npy"}, "io.open", 4);
    row("expression", {"--compute", "w=w+1e9"}, "patch.unrepresentable");
    row("bytes", {"--bytes", "nothing.bin+0x0=00"}, "patch.file");
    row("field", {"--field", "task[0]/Header/x=1"}, "patch.field");
    row("script", {"--script", "/no/such/file.txt"}, "io.open", 4);
}

void TestCliPatch::refused()
{
    QFETCH(const QList<QByteArray>, arguments);
    QFETCH(const QByteArray, code);
    QFETCH(const int, exitCode);
    const QByteArray before = weights(), text = program();
    const CliResult result = patch(edits(arguments) << m_inPlace << m_json);
    QCOMPARE(result.exitCode, exitCode);
    const auto json = result.json();
    QCOMPARE(QByteArray::fromStdString(json["diagnostics"][0]["code"].get<std::string>()), code);
    QCOMPARE(weights(), before);
    QCOMPARE(program(), text);
}

void TestCliPatch::wrongUse_data()
{
    QTest::addColumn<QList<QByteArray>>("arguments");
    const auto row = [](const char *name, QList<QByteArray> arguments) {
        QTest::newRow(name) << arguments;
    };
    row("no mode", {"--set", "w[0]=1"});
    row("two modes", {"--set", "w[0]=1", "--in-place", "--dry-run"});
    row("no edit", {"--in-place"});
    row("syntax", {"--set", "w[0=1", "--in-place"});
    row("no such option", {"--sett", "w[0]=1", "--in-place"});
    row("tolerance", {"--set", "w[0]=1", "--in-place", "--tolerance", "-1"});
    row("backup of nothing", {"--set", "w[0]=1", "--dry-run", "--backup", "x", "y"});
}

void TestCliPatch::wrongUse()
{
    QFETCH(const QList<QByteArray>, arguments);
    const QByteArray before = weights();
    QCOMPARE(patch(edits(arguments)).exitCode, 2);
    QCOMPARE(weights(), before);
}

void TestCliPatch::existingTarget()
{
    const CliResult result = patch({QStringLiteral("--set"), QStringLiteral("w[0]=5"),
                                    QStringLiteral("--output"), m_scratch->path(), m_json});
    QCOMPARE(result.exitCode, 4);
    QCOMPARE(result.json()["diagnostics"][0]["code"].get<std::string>(), std::string("io.kind"));
}

void TestCliPatch::backup()
{
    const QByteArray before = weights();
    QCOMPARE(patch(edits({"--set", "w[0]=5", "--in-place", "--backup"})).exitCode, 0);
    QVERIFY(weights() != before);
    QCOMPARE(contentOf(m_path + QStringLiteral(".bak/weights/weight.bin")), before);
    QCOMPARE(QDir(m_path + QStringLiteral("/weights")).entryList(QDir::Files).size(), 1);
    // The next one goes beside it, and the document says where.
    const QByteArray second = weights();
    const CliResult again = patch(edits({"--set", "w[0]=6", "--in-place", "--backup"}) << m_json);
    QCOMPARE(again.exitCode, 0);
    const QString kept = m_path + QStringLiteral(".bak.2/weights/weight.bin");
    QCOMPARE(contentOf(kept), second);
    QCOMPARE(again.json()["saved"]["backups"][0].get<std::string>(), kept.toStdString());
}

/// Of a file with several names all would change.
void TestCliPatch::hardLinks()
{
    const QByteArray before = weights();
    const QString other = m_scratch->filePath(QStringLiteral("other"));
    QCOMPARE(::link(qPrintable(m_path + QStringLiteral("/weights/weight.bin")), qPrintable(other)),
             0);
    const CliResult refused = patch(edits({"--set", "w[0]=5", "--in-place"}));
    QCOMPARE(refused.exitCode, 4);
    QVERIFY(refused.err.contains("[io.links]"));
    QCOMPARE(weights(), before);
    QCOMPARE(patch(edits({"--set", "w[0]=5", "--in-place", "--break-links"})).exitCode, 0);
    QVERIFY(weights() != before);
    QCOMPARE(contentOf(other), before);
}

/// Bytes of a header: there is no value that was asked for, only bytes.
void TestCliPatch::bytesAreNoFigure()
{
    const CliResult result = patch(edits({"--bytes", "weights/weight.bin+0x8=01 02"})
                                   << QStringLiteral("--dry-run") << m_json);
    QCOMPARE(result.exitCode, 0);
    const auto edit = result.json()["edits"][0];
    QVERIFY(edit["asked"].is_null());
    QVERIFY(edit["stored"].is_null());
    QCOMPARE(edit["kind"].get<std::string>(), "bytes");
}

KERNSCOPE_TEST(TestCliPatch, QCoreApplication)
#include "tst_cli_patch.moc"
