// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli_process.h"
#include "tests/test_program.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <QXmlStreamReader>

using namespace kernscope;
using namespace kernscope::test;

/// `odix` and the commands that read any bundle, on the program that this project made.
class TestCliOdix : public QObject
{
    Q_OBJECT

private slots:
    void text();
    void document();
    void picture();
    void againstItself();
    void otherKind();
    void otherCommands_data();
    void otherCommands();

private:
    static QString seed(const QString &name)
    {
        return QString::fromUtf8(sourceFolder()) + QStringLiteral("/tests/fuzz/seeds/") + name;
    }
    static CliResult run(const QStringList &arguments)
    {
        return runCli(QStringList{QStringLiteral("odix"), seed(QStringLiteral("made.odix"))} +
                      arguments);
    }
    QTemporaryDir m_scratch;
};

void TestCliOdix::text()
{
    const CliResult shown = run({QStringLiteral("--instructions")});
    QCOMPARE(shown.exitCode, 0);
    QVERIFY(shown.out.contains("scratch memory: 256"));
    QVERIFY(shown.out.contains("coreai.lut_to_dense"));
    QVERIFY(shown.out.contains("Memory plan"));
    QVERIFY(shown.out.contains("set_context"));
    QVERIFY(!run({}).out.contains("set_context"));
}

void TestCliOdix::document()
{
    const CliResult shown = run({QStringLiteral("--json")});
    const auto json = shown.json();
    QCOMPARE(json["command"].get<std::string>(), std::string("odix"));
    QCOMPARE(json["odix"]["functions"].size(), std::size_t(3));
    QCOMPARE(json["odix"]["buffers"][0]["views"].size(), std::size_t(4));
    QCOMPARE(json["odix"]["constants"][0]["coreai_ops"].dump(), std::string("[4]"));
}

void TestCliOdix::picture()
{
    const QString path = m_scratch.filePath(QStringLiteral("plan.svg"));
    QCOMPARE(run({QStringLiteral("--memory"), path}).exitCode, 0);
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QXmlStreamReader reader(&file);
    int rectangles = 0;
    while (!reader.atEnd()) {
        if (reader.readNext() == QXmlStreamReader::StartElement &&
            reader.name() == QLatin1String("rect"))
            ++rectangles;
    }
    QVERIFY(!reader.hasError());
    QCOMPARE(rectangles, 5);                                        // the buffer and four views
    QVERIFY(run({QStringLiteral("--memory"), path}).exitCode != 0); // exists
}

void TestCliOdix::againstItself()
{
    const CliResult same = run(
        {QStringLiteral("--against"), seed(QStringLiteral("made.odix")), QStringLiteral("--json")});
    QCOMPARE(same.exitCode, 0);
    const auto json = same.json();
    QCOMPARE(json["weights"].size(), std::size_t(3));
    for (const auto &row : json["weights"])
        QCOMPARE(row["fate"].get<std::string>(), std::string("kept"));
}

void TestCliOdix::otherKind()
{
    const CliResult other =
        runCli({QStringLiteral("odix"), seed(QStringLiteral("two.safetensors"))});
    QCOMPARE(other.exitCode, 3);
    QVERIFY(other.err.contains("compiled Core AI program"));
}

void TestCliOdix::otherCommands_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QByteArray>("says");
    const QString path = seed(QStringLiteral("made.odix"));
    const auto row = [&path](const char *command, QStringList more, const char *says) {
        QTest::newRow(command) << QStringList{QLatin1String(command), path} + more
                               << QByteArray(says);
    };
    row("inspect", {}, "layer.0.weight");
    row("weight", {QStringLiteral("layer.0.weight")}, "lut");
    row("bytes", {QStringLiteral("0x40"), QStringLiteral("--file"), QStringLiteral("made.odix")},
        "program");
    row("graph", {QStringLiteral("mul_1")}, "mul_1");
    row("diff", {path}, "identical");
}

void TestCliOdix::otherCommands()
{
    QFETCH(QStringList, arguments);
    QFETCH(QByteArray, says);
    const CliResult shown = runCli(arguments);
    QVERIFY2(shown.exitCode == 0, shown.err.constData());
    QVERIFY2(shown.out.contains(says), shown.out.constData());
}

KERNSCOPE_TEST(TestCliOdix, QCoreApplication)
#include "tst_cli_odix.moc"
