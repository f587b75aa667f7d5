// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli_process.h"
#include "tests/core/container/coreai_cache/made_compiled_folder.h"
#include "tests/test_program.h"

#include <QTemporaryDir>
#include <QTest>

using namespace kernscope;
using namespace kernscope::test;

/// `survey` on a made-up folder of the published layout.
class TestCliSurvey : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void text();
    void document();
    void against_data();
    void against();
    void leastBytes_data();
    void leastBytes();
    void refused();
    void wrongInput();

private:
    CliResult run(const QStringList &more = {}) const
    {
        return runCli(QStringList{QStringLiteral("survey"), m_folder} + more);
    }
    QTemporaryDir m_scratch;
    QString m_folder;
};

void TestCliSurvey::initTestCase()
{
    m_folder = madeCompiledFolder(m_scratch.path());
    QVERIFY(!m_folder.isEmpty());
}

void TestCliSurvey::text()
{
    const CliResult shown = run();
    QVERIFY2(shown.exitCode == 0, shown.err.constData());
    QVERIFY(shown.out.startsWith("48.8 of 500 MB lie on the engine, in 1 region\n"));
    for (const char *part : {"h17c", "7.0.63", "coreai-build-0", "main_0_ANE_region_0_0",
                             "48,800,000", "resources.bin", "unknown"})
        QVERIFY2(shown.out.contains(part), part);
    QVERIFY(!shown.out.contains("open each with hwx"));
}

void TestCliSurvey::document()
{
    const auto json = run({QStringLiteral("--json")}).json();
    QCOMPARE(json["command"].get<std::string>(), std::string("survey"));
    const auto &survey = json["survey"];
    QCOMPARE(survey["engine_bytes"].get<quint64>(), quint64(48800000));
    QCOMPARE(survey["bytes"].get<quint64>(), quint64(500000000));
    QCOMPARE(survey["regions"].get<int>(), 1);
    QCOMPARE(survey["parts"].size(), std::size_t(7));
    QCOMPARE(survey["parts"][0]["place"].get<std::string>(), std::string("engine"));
    QVERIFY(!survey.contains("compiled_from"));
    for (const auto &fact : survey["facts"])
        QVERIFY(!fact["source"].get<std::string>().empty());
}

void TestCliSurvey::against_data()
{
    QTest::addColumn<QByteArray>("hash");
    QTest::addColumn<int>("exitCode");
    QTest::addColumn<QByteArray>("says");
    QTest::newRow("same") << QByteArray(32, char(0xaa)) << 0
                          << QByteArray("compiled from this file: yes");
    QTest::newRow("other") << QByteArray(32, char(0xbb)) << 1
                           << QByteArray("compiled from this file: no");
    QTest::newRow("cut") << QByteArray(31, char(0xaa)) << 3 << QByteArray();
}

void TestCliSurvey::against()
{
    QFETCH(QByteArray, hash);
    QFETCH(int, exitCode);
    QFETCH(QByteArray, says);
    const QString package = madePackage(m_scratch.path(), hash);
    const CliResult shown = run({QStringLiteral("--against"), package});
    QCOMPARE(shown.exitCode, exitCode);
    QVERIFY(shown.out.contains(says));
}

void TestCliSurvey::leastBytes_data()
{
    QTest::addColumn<QString>("bytes");
    QTest::addColumn<int>("exitCode");
    QTest::newRow("all") << QStringLiteral("48800000") << 0;
    QTest::newRow("one more") << QStringLiteral("48800001") << 1;
    QTest::newRow("none") << QStringLiteral("0") << 0;
    QTest::newRow("no number") << QStringLiteral("many") << 2;
    QTest::newRow("negative") << QStringLiteral("-1") << 2;
}

void TestCliSurvey::leastBytes()
{
    QFETCH(QString, bytes);
    QFETCH(int, exitCode);
    QCOMPARE(run({QStringLiteral("--min-engine-bytes=") + bytes}).exitCode, exitCode);
}

void TestCliSurvey::refused()
{
    const QString folder =
        madeCompiledFolder(m_scratch.filePath(QStringLiteral("refused")), kNothing + "_1111");
    const CliResult shown = runCli({QStringLiteral("survey"), folder,
                                    QStringLiteral("--min-engine-bytes"), QStringLiteral("1")});
    QCOMPARE(shown.exitCode, 1);
    QVERIFY(shown.out.startsWith("0 of 500 MB"));
    QVERIFY(shown.out.contains("refused by the engine"));
}

void TestCliSurvey::wrongInput()
{
    const auto survey = [](const QString &path) {
        return runCli({QStringLiteral("survey"), path});
    };
    QCOMPARE(survey(QStringLiteral("/nowhere")).exitCode, 4);
    const QString other = m_scratch.filePath(QStringLiteral("other"));
    QVERIFY(putFile(other + QStringLiteral("/readme.txt"), "x"));
    QCOMPARE(survey(other).exitCode, 3);
    // A text that cannot be read: one line with file and offset, and the rest is still told.
    const QString folder = madeCompiledFolder(other);
    QVERIFY(putFile(folder + QStringLiteral("/metadata.json"), "{\"sourceHash\": "));
    const CliResult shown = survey(folder);
    QCOMPARE(shown.exitCode, 3);
    QVERIFY(shown.out.contains("lie on the engine, in 1 region"));
    QCOMPARE(shown.err.count('\n'), 1);
    QVERIFY2(shown.err.contains("metadata.json+0xf"), shown.err.constData());
}

KERNSCOPE_TEST(TestCliSurvey, QCoreApplication)
#include "tst_cli_survey.moc"
