// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli_process.h"
#include "tests/core/container/coreai_cache/made_compiled_folder.h"

/// `survey` on a made-up folder of the published layout.
class TestCliSurvey : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_folder = madeCompiledFolder(m_scratch.path());
        QVERIFY(!m_folder.isEmpty());
    }

    void text()
    {
        const CliResult shown = RAN(0, run());
        QVERIFY(shown.out.startsWith("48.8 of 500 MB lie on the engine, in 1 region\n"));
        SAYS(shown.out, "h17c", "7.0.63", "coreai-build-0", "main_0_ANE_region_0_0", "48,800,000",
             "resources.bin", "unknown");
        QVERIFY(!shown.out.contains("open each with hwx"));
    }

    void document()
    {
        const auto json = run({u"--json"_s}).json();
        QCOMPARE(json["command"].get<std::string>(), "survey");
        const auto &survey = json["survey"];
        HOLDS(survey, "engine_bytes=48800000 bytes=500000000 regions=1 parts#=7 "
                      "parts.0.place=engine");
        QVERIFY(!survey.contains("compiled_from"));
        for (const auto &fact : survey["facts"])
            QVERIFY(!fact["source"].get<std::string>().empty());
    }

    void against_data()
    {
        const auto row = addColumns<QByteArray, int, QByteArray>();
        row("same", QByteArray(32, char(0xaa)), 0, "compiled from this file: yes");
        row("other", QByteArray(32, char(0xbb)), 1, "compiled from this file: no");
        row("cut", QByteArray(31, char(0xaa)), 3, {});
    }

    void against()
    {
        const auto [hash, exitCode, says] = fetched<QByteArray, int, QByteArray>();
        const QString package = madePackage(m_scratch.path(), hash);
        const CliResult shown = RAN(exitCode, run({u"--against"_s, package}));
        QVERIFY(shown.out.contains(says));
    }

    void leastBytes_data()
    {
        const auto row = addColumns<QString, int>();
        row("all", "48800000", 0);
        row("one more", "48800001", 1);
        row("none", "0", 0);
        row("no number", "many", 2);
        row("negative", "-1", 2);
    }

    void leastBytes()
    {
        const auto [bytes, exitCode] = fetched<QString, int>();
        QCOMPARE(run({u"--min-engine-bytes="_s + bytes}).exitCode, exitCode);
    }

    void refused()
    {
        const QString folder =
            madeCompiledFolder(m_scratch.filePath(u"refused"_s), kNothing + "_1111");
        const CliResult shown = RAN(1, runCli("survey % --min-engine-bytes 1", folder));
        QVERIFY(shown.out.startsWith("0 of 500 MB"));
        QVERIFY(shown.out.contains("refused by the engine"));
    }

    void wrongInput()
    {
        const auto survey = [](const QString &path) { return runCli("survey %", path); };
        QCOMPARE(survey(u"/nowhere"_s).exitCode, 4);
        const QString other = m_scratch.filePath(u"other"_s);
        QVERIFY(putFile(other + u"/readme.txt"_s, "x"));
        QCOMPARE(survey(other).exitCode, 3);
        // A text that cannot be read: one line with file and offset, and the rest is still told.
        const QString folder = madeCompiledFolder(other);
        QVERIFY(putFile(folder + u"/metadata.json"_s, "{\"sourceHash\": "));
        const CliResult shown = RAN(3, survey(folder));
        QVERIFY(shown.out.contains("lie on the engine, in 1 region"));
        QCOMPARE(shown.err.count('\n'), 1);
        QVERIFY2(shown.err.contains("metadata.json+0xf"), shown.err.constData());
    }

private:
    CliResult run(const QStringList &more = {}) const
    {
        return runCli(args("survey %", m_folder) + more);
    }
    QTemporaryDir m_scratch;
    QString m_folder;
};

KERNSCOPE_TEST(TestCliSurvey, QCoreApplication)
#include "tst_cli_survey.moc"
