// SPDX-License-Identifier: GPL-3.0-or-later
// "-" where one file is read: standard input, once and bounded.
#include "cli_process.h"
#include "written_array.h"

#include <linux/landlock.h>
#include <sys/syscall.h>
#include <unistd.h>

class TestCliInput : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        MadeBundle bundle;
        bundle.layer("w", "[4, 32]", Bytes(256));
        QVERIFY(!writeBundle(m_scratch, "a.mlmodelc", bundle).isEmpty());
        writeArray(m_scratch, "w.npy", {4, 32});
        writeArray(m_scratch, "h.npy", {4, 32}, ElementType::Fp16);
        write("edits.txt", "set w[0,0]=1\nset w[3,1]=0.5\n");
        write("rules.toml", "max-abs = 0.5\n");
        write("p.ips", QByteArray("PATCH\0\0\2\0\2XYEOF", 15));
        write("plain.bin", "0123456789");
    }

    void sameAsTheFile_data()
    {
        QTest::addColumn<QByteArray>("line"); // @ stands for the file, or for -
        QTest::addColumn<QByteArray>("input");
        QTest::addColumn<QByteArray>("output");
        const auto row = [](const char *name, const char *line, const char *input,
                            const char *output = "") {
            addRow(name, QByteArray(line), QByteArray(input), QByteArray(output));
        };
        row("array, quantised", "quantize @ --format mxfp8 -o %/out", "w.npy", "out/data.bin");
        row("array of an edit", "patch %/a.mlmodelc --from-npy w=@ -o %/out", "h.npy",
            "out/weights/weight.bin");
        row("bundle of one file", "decode @ --all --format npz -o %/out",
            "a.mlmodelc/weights/weight.bin", "out");
        row("script", "patch %/a.mlmodelc --script @ -o %/out", "edits.txt",
            "out/weights/weight.bin");
        row("patch of a file", "patch %/plain.bin --apply @ -o %/out", "p.ips", "out");
        row("patched file", "patch @ --apply %/p.ips -o %/out", "plain.bin", "out");
        row("rules", "diff %/a.mlmodelc %/a.mlmodelc --rules @ --quiet", "rules.toml");
    }

    void sameAsTheFile()
    {
        QFETCH(QByteArray, line);
        QFETCH(QByteArray, input);
        QFETCH(QByteArray, output);
        const QString file = made(input.constData());
        std::vector<QByteArray> found;
        for (const bool piped : {false, true}) {
            const QStringList list =
                words(QByteArray(line).replace("@", piped ? QByteArray("-") : file.toUtf8()));
            const CliResult result =
                RAN(0, piped ? runCliWith(contentOf(file), list) : runCli(list));
            found.push_back(output.isEmpty() ? QByteArray("done") : contentOf(made(output)));
            QVERIFY(!found.back().isEmpty());
            QFileInfo(made("out")).isDir() ? QDir(made("out")).removeRecursively()
                                           : QFile::remove(made("out"));
        }
        QCOMPARE(found[1], found[0]);
    }

    void refused_data()
    {
        const auto row = addColumns<QByteArray, int, QByteArray>();
        row("inspect -", 3, "standard input");
        row("diff - %/a.mlmodelc", 3, "standard input");
        row("patch - --apply - -o %/x", 4, "can be read once");
        row("patch %/a.mlmodelc --from-npy w=- -o %/x", 3, "standard input");
        row("quantize - --format mxfp8 -o %/x", 3, "error: -");
    }

    void refused()
    {
        const auto [line, code, said] = fetched<QByteArray, int, QByteArray>();
        const CliResult result = runCliWith(contentOf(made("p.ips")), words(line));
        QVERIFY2(result.exitCode == code, (result.out + result.err).constData());
        QVERIFY2(result.err.contains(said), result.err.constData());
        QVERIFY(!QFileInfo::exists(made("x")) && !QFileInfo::exists(made("x.npy")));
    }

    /// A command that reads has given up what it does not need by the time that it opens a file:
    /// one that it was not given stays closed to it, which it could read otherwise.
    void readsInASandbox()
    {
        const QString bundle = made("b.mlmodelc");
        MadeBundle weights;
        weights.layer("w", "[4]", halves({1, 2, 3, 4}));
        writeBundle(m_scratch, "b.mlmodelc", weights);
        if (::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION) < 1)
            QSKIP("This kernel has no Landlock");
        // Beside the program: temporary files may be read.
        const QTemporaryDir outside(QCoreApplication::applicationDirPath() + u"/XXXXXX"_s);
        const QString other = outside.filePath(u"other"_s);
        QVERIFY(put(other, "a"));
        QByteArray mode;
        const auto tried = [&] {
            mode.clear();
            const CliResult result =
                runCliPaused(u"1 stat "_s + bundle + u"/weights/weight.bin"_s,
                             {u"inspect"_s, bundle}, [&](qint64 process) {
                                 const QByteArray status =
                                     contentOf(u"/proc/%1/status"_s.arg(process));
                                 mode = status.mid(status.indexOf("Seccomp:") + 8, 2).trimmed();
                             });
            return result.err;
        };
        qputenv("KERNSCOPE_TRY", other.toLocal8Bit());
        QVERIFY(tried().contains("tried: Permission denied"));
        QCOMPARE(mode, QByteArray("2"));
        qputenv("KERNSCOPE_SANDBOX", "off");
        QVERIFY(tried().contains("tried: read"));
        qunsetenv("KERNSCOPE_SANDBOX");
        qputenv("KERNSCOPE_TRY", (bundle + u"/model.mil"_s).toLocal8Bit());
        QVERIFY(tried().contains("tried: read"));
        qunsetenv("KERNSCOPE_TRY");
    }

private:
    QString made(const char *name) const { return m_scratch.filePath(QLatin1String(name)); }
    QString write(const char *name, const QByteArray &content) const
    {
        const QString path = made(name);
        return put(path, content) ? path : QString();
    }
    QStringList words(const QByteArray &line) const { return wordsBelow(m_scratch.path(), line); }

    QTemporaryDir m_scratch;
};

KERNSCOPE_TEST(TestCliInput, QCoreApplication)
#include "tst_cli_input.moc"
