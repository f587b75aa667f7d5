// SPDX-License-Identifier: GPL-3.0-or-later
// What commands write: never over an input, whole or not there.
#include "cli_process.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

namespace {

namespace fs = std::filesystem;

void write(const QString &path, const QByteArray &bytes)
{
    QVERIFY(put(path, bytes));
}

/// Every file below a folder with its bytes, and every link and folder by its name.
std::map<std::string, QByteArray> treeOf(const QString &folder)
{
    std::map<std::string, QByteArray> tree;
    for (const auto &entry : fs::recursive_directory_iterator(folder.toStdString())) {
        const auto name = entry.path().lexically_relative(folder.toStdString()).string();
        tree[name] = entry.is_symlink()     ? QByteArray("link")
                     : entry.is_directory() ? QByteArray("folder")
                     : entry.is_regular_file()
                         ? contentOf(QString::fromStdString(entry.path().string()))
                         : QByteArray("something else");
    }
    return tree;
}

} // namespace

class TestCliOutput : public QObject
{
    Q_OBJECT

private slots:
    void init()
    {
        if (m_scratch && treeOf(m_scratch->path()) == m_tree)
            return; // nothing was written
        m_scratch = std::make_unique<QTemporaryDir>();
        MadeBundle made;
        const Bytes numbers = halves(16 * 32, [&](int i) { return float(i % 16) / 4; });
        made.layer("w", "[16, 32]", numbers);
        writeBundle(*m_scratch, "b.mlmodelc", made);
        writeBundle(*m_scratch, "model.mlmodelc", made);
        const CliResult array = RAN(0, runCli(arguments("decode %/b.mlmodelc w -o %/w.npy")));
        const CliResult folder =
            RAN(0, runCli(arguments("quantize %/w.npy --format mxfp8 -o %/q")));
        const CliResult section =
            RAN(0, runCli(arguments("section build %/b.mlmodelc -o %/w.ksec")));
        for (const char *name : {"other", "other.npy"})
            write(at(name), "a file of somebody");
        write(at("edits"), "from-npy w=" + at("w.npy").toUtf8() + "\n");
        fs::create_directory(at("folder").toStdString());
        fs::create_hard_link(at("b.mlmodelc/weights/weight.bin").toStdString(),
                             at("same.bin").toStdString());
        fs::create_symlink("b.mlmodelc/model.mil", at("link.mil").toStdString());
        fs::create_hard_link(at("q/quantize.json").toStdString(), at("quantize.npy").toStdString());
        fs::create_symlink("q/data.bin", at("data.npy").toStdString());
        fs::create_directory_symlink("b.mlmodelc/weights", at("door").toStdString());
        fs::create_symlink("nowhere", at("dangling").toStdString());
        QCOMPARE(::mkfifo(at("pipe").toLocal8Bit().constData(), 0600), 0);
        m_tree = treeOf(m_scratch->path());
    }

    /// Commands with an output that is none: `%` is the scratch folder.
    void refuses_data()
    {
        const auto row = addColumns<QByteArray, QByteArray>();
        row("decode %/b.mlmodelc w -o %/b.mlmodelc/weights/weight.bin", "io.input");
        row("decode %/b.mlmodelc w -o %/b.mlmodelc/new.npy", "io.input");
        row("decode %/b.mlmodelc w -o %/door/new.npy", "io.input");
        row("decode %/b.mlmodelc w --format npy -o %/link.mil", "io.input");
        row("decode %/b.mlmodelc w -o %/same.bin", "io.input");
        row("decode %/b.mlmodelc w --format npy -o %/b.mlmodelc", "io.input");
        row("decode %/b.mlmodelc w --format npy -o %/folder", "io.kind");
        row("decode %/b.mlmodelc w --format npy -o %/folder/", "io.kind");
        row("decode %/b.mlmodelc w --format npy -o %/pipe", "io.kind");
        row("decode %/b.mlmodelc w --format npy -o %/dangling", "io.kind");
        row("decode %/b.mlmodelc w --format npy -o /dev/null", "io.kind");
        row("decode %/b.mlmodelc w -o %/no/such/place.npy", "io.write");
        row("decode %/b.mlmodelc/weights/weight.bin blob@0x40 -o %/b.mlmodelc/weights/weight.bin",
            "io.input");
        row("section build %/b.mlmodelc --output %/b.mlmodelc/model.mil", "io.input");
        row("section relocate %/w.ksec --base 0 -o %/w.ksec", "io.input");
        row("section strip %/w.ksec -o /dev/null", "io.kind");
        row("dequantize %/q -o %/data.npy", "io.input");     // of the folder, by a link
        row("dequantize %/q -o %/quantize.npy", "io.input"); // by a second name
        row("dequantize %/q --reference %/w.npy -o %/w.npy", "io.input");
        row("dequantize %/q -o %/w.npy", "io.exists"); // which the folder was made from
        row("quantize %/w.npy --format mxfp8 -o %/w.npy", "io.input");
        row("quantize %/w.npy --format mxfp8 -o %/folder", "io.kind");
        row("quantize %/w.npy --format mxfp8 -o %/other", "io.kind"); // a file
        row("quantize %/w.npy --format mxfp8 -o %/model.mlmodelc", "io.kind");
        row("quantize %/w.npy --format mxfp8 -o %/model.mlmodelc/weights/weight.bin", "io.kind");
        row("encode %/b.mlmodelc w --form sparse -o %/q", "io.kind"); // a quantised matrix
        row("encode %/b.mlmodelc w --form sparse -o %/other", "io.kind");
        row("patch %/b.mlmodelc --set w[0]=1 -o %/other", "io.kind");
        row("encode %/b.mlmodelc w --form sparse -o %/b.mlmodelc", "io.input");
        row("encode %/b.mlmodelc w --form sparse -o %/b.mlmodelc/copy", "io.input");
        row("encode %/b.mlmodelc w --form sparse -o %/folder", "io.kind");
        row("encode %/b.mlmodelc w --form sparse -o /dev/null", "io.kind");
        row("patch %/b.mlmodelc --set w[0]=1 -o %/b.mlmodelc/copy", "io.input");
        row("patch %/b.mlmodelc --set w[0]=1 -o %/folder/", "io.kind");
        row("patch %/b.mlmodelc --from-npy w=%/w.npy -o %/w.npy", "io.input");
        row("patch %/b.mlmodelc --script %/edits -o %/edits", "io.input");
        row("patch %/b.mlmodelc --script %/edits -o %/w.npy", "io.input"); // which the script names
        row("patch %/w.ksec --script %/edits -o %/edits", "io.input");
    }

    void refuses()
    {
        const auto [line, code] = fetched<QByteArray, QByteArray>();
        QStringList list = arguments(line);
        const auto before = treeOf(m_scratch->path());
        const CliResult result = runCli(list << u"--json"_s);
        QVERIFY(!result.crashed);
        QCOMPARE(result.exitCode, 4);
        QCOMPARE(
            QByteArray::fromStdString(result.json()["diagnostics"][0]["code"].get<std::string>()),
            code);
        QVERIFY(treeOf(m_scratch->path()) == before);
        struct stat device = {};
        QVERIFY(::stat("/dev/null", &device) == 0 && S_ISCHR(device.st_mode));
    }

    void forceNeverTakesAnInput_data() { refuses_data(); }

    void forceNeverTakesAnInput()
    {
        const auto line = std::get<0>(fetched<QByteArray, QByteArray>());
        const auto before = treeOf(m_scratch->path());
        const CliResult result = RAN(4, runCli(arguments(line) + args("--force")));
        QVERIFY(treeOf(m_scratch->path()) == before);
    }

    void replacesWithForceOnly_data()
    {
        QTest::addColumn<QByteArray>("line");
        for (const char *line :
             {"decode %/b.mlmodelc w --format csv -o %/other",
              "section build %/b.mlmodelc --output %/other",
              "section relocate %/w.ksec --base 0x40 -o %/other",
              "section strip %/w.ksec --output %/other", "dequantize %/q -o %/other.npy",
              "patch %/b.mlmodelc/weights/weight.bin --set blob@0x40[0]=1 -o %/other"})
            addRow(line, QByteArray(line));
    }

    void replacesWithForceOnly()
    {
        QFETCH(QByteArray, line);
        const QStringList list = arguments(line);
        const auto before = treeOf(m_scratch->path());
        const CliResult refused = RAN(4, runCli(list + args("--json")));
        QCOMPARE(refused.json()["diagnostics"][0]["code"].get<std::string>(), "io.exists");
        QVERIFY(treeOf(m_scratch->path()) == before);
        const CliResult forced = RAN(0, runCli(list + args("-f")));
        QVERIFY(contentOf(list.last()) != "a file of somebody");
        auto after = treeOf(m_scratch->path());
        auto rest = before;
        for (auto *tree : {&after, &rest})
            tree->erase(QFileInfo(list.last()).fileName().toStdString());
        QVERIFY(after == rest); // nothing is left beside it
    }

    void replacesABundle_data()
    {
        addColumns<QByteArray, QString>();
        const auto row = [](const char *line, const char *output) {
            addRow(line, QByteArray(line) + " -o %/" + output, QString::fromUtf8(output));
        };
        row("quantize %/w.npy --format mxfp4", "q");
        row("encode %/b.mlmodelc w --form sparse", "old.mlmodelc");
        row("patch %/b.mlmodelc --set w[0]=1", "old.mlmodelc");
        row("patch %/b.mlmodelc --set w[1]=1", "old.aimodel");
        row("patch %/b.mlmodelc --set w[2]=1", "compiled.aimodelx");
    }

    /// A bundle by a bundle, whole, and nothing else is touched.
    void replacesABundle()
    {
        const auto [line, output] = fetched<QByteArray, QString>();
        const QString old = m_scratch->filePath(u"old.mlmodelc"_s);
        fs::copy(at("b.mlmodelc").toStdString(), old.toStdString(), fs::copy_options::recursive);
        write(old + u"/left_over"_s, "of the old bundle");
        for (const char *file :
             {"old.aimodel/main.mlirb", "compiled.aimodelx/main-universal.odix"}) {
            fs::create_directory(fs::path(at(file).toStdString()).parent_path());
            write(at(file), "a program");
        }
        const auto before = treeOf(m_scratch->path());
        const CliResult refused = RAN(4, runCli(arguments(line) + args("--json")));
        QCOMPARE(refused.json()["diagnostics"][0]["code"].get<std::string>(), "io.exists");
        QVERIFY(treeOf(m_scratch->path()) == before);
        const CliResult forced = RAN(0, runCli(arguments(line) + args("--force")));
        auto after = treeOf(m_scratch->path());
        const auto ofOutput = [&](const auto &entry) {
            return entry.first.starts_with(output.toStdString());
        };
        QVERIFY(!after.contains(output.toStdString() + "/left_over"));
        const auto taken = [&](auto tree) {
            std::erase_if(tree, [&](const auto &entry) { return !ofOutput(entry); });
            return tree;
        };
        QVERIFY(!taken(after).empty() && taken(after) != taken(before));
        auto rest = before;
        std::erase_if(rest, ofOutput);
        std::erase_if(after, ofOutput);
        QVERIFY(after == rest);
    }

    void keepsThePermissionsOfWhatItReplaces()
    {
        fs::permissions(at("other").toStdString(), fs::perms(0600));
        QCOMPARE(
            runCli(arguments("decode %/b.mlmodelc w --format npy --force -o %/other")).exitCode, 0);
        QVERIFY(fs::status(at("other").toStdString()).permissions() == fs::perms(0600));
    }

    /// "-" is standard output of every output that is one file.
    void streams_data()
    {
        const auto row = addColumns<QByteArray, QByteArray>();
        row("section build %/b.mlmodelc -o @", "s.ksec");
        row("section strip %/w.ksec -o @", "s.ksec");
        row("section relocate %/w.ksec --base 0x40000 -o @", "s.ksec");
        row("patch %/w.npy --apply %/p.ips -o @", "s.npy");
        row("inspect %/b.mlmodelc --findings --format sarif -o @", "s.sarif");
        row("inspect %/b.mlmodelc --format sarif -fo @", "s.html");
    }

    void streams()
    {
        const auto [line, name] = fetched<QByteArray, QByteArray>();
        write(at("p.ips"), "PATCHEOF");
        const CliResult file =
            RAN(0, runCli(arguments(QByteArray(line).replace("@", "%/" + name))));
        const CliResult streamed = RAN(0, runCli(arguments(QByteArray(line).replace("@", "-"))));
        QCOMPARE(streamed.out, contentOf(at(name.constData())));
        QVERIFY(!streamed.out.isEmpty());
    }

    void relocatesInPlace()
    {
        const QByteArray before = contentOf(at("w.ksec"));
        QCOMPARE(runCli(arguments("section relocate %/w.ksec --base 0x40 --in-place")).exitCode, 0);
        QCOMPARE(contentOf(at("w.ksec")).size(), before.size());
        QCOMPARE(runCli(arguments("section strip %/w.ksec --in-place")).exitCode, 0);
        QCOMPARE(contentOf(at("w.ksec")), before);
        // As every save in place: not into a file of several names, not beside a journal.
        QCOMPARE(::link(qPrintable(at("w.ksec")), qPrintable(at("other.ksec"))), 0);
        QCOMPARE(runCli(arguments("section relocate %/w.ksec --base 0x40 --in-place")).exitCode, 4);
        QVERIFY(QFile::remove(at("other.ksec")));
        write(at("w.ksec.kernscope-journal"), "KSJOURN1");
        QCOMPARE(runCli(arguments("section relocate %/w.ksec --base 0x40 --in-place")).exitCode, 3);
        QCOMPARE(contentOf(at("w.ksec")), before);
        QVERIFY(QFile::remove(at("w.ksec.kernscope-journal")));
    }

    void removesWhatAKilledRunLeft()
    {
        write(at("out.npy.kernscope-part-aB3dE6"), "half");
        write(at("out.npy.kernscope-part-notours"), "of somebody"); // seven letters
        write(at("out.npy.kernscope-part-user01"), "of the user");  // only has such a name
        fs::create_directories(at("c.mlmodelc.kernscope-part-000000/weights").toStdString());
        for (const char *name :
             {"out.npy.kernscope-part-aB3dE6", "c.mlmodelc.kernscope-part-000000"})
            QCOMPARE(::setxattr(qPrintable(at(name)), "user.kernscope.part", "", 0, 0), 0);
        QCOMPARE(runCli(arguments("decode %/b.mlmodelc w -o %/out.npy")).exitCode, 0);
        QVERIFY(!QFile::exists(at("out.npy.kernscope-part-aB3dE6")));
        QVERIFY(QFile::exists(at("out.npy.kernscope-part-notours")));
        QVERIFY(QFile::exists(at("out.npy.kernscope-part-user01")));
        QCOMPARE(runCli(arguments("encode %/b.mlmodelc w --form sparse -o %/c.mlmodelc")).exitCode,
                 0);
        QVERIFY(!QFile::exists(at("c.mlmodelc.kernscope-part-000000")));
    }

    void stopsAtTheLimitOfTheFileSize()
    {
        const auto before = treeOf(m_scratch->path());
        for (const char *line : {"decode %/b.mlmodelc w -o %/out.npy",
                                 "encode %/b.mlmodelc w --form dense -o %/c.mlmodelc",
                                 "patch %/b.mlmodelc --set w[0]=1 -o %/c.mlmodelc",
                                 "section build %/b.mlmodelc -o %/out.ksec",
                                 "quantize %/w.npy --format mxfp8 -o %/q2"}) {
            QProcess process;
            process.setChildProcessModifier([] {
                const rlimit limit{200, 200};
                ::setrlimit(RLIMIT_FSIZE, &limit);
            });
            process.start(cliProgram(), arguments(line));
            QVERIFY(process.waitForFinished(60000));
            QCOMPARE(process.exitStatus(), QProcess::NormalExit);
            QCOMPARE(process.exitCode(), 4);
            QVERIFY(treeOf(m_scratch->path()) == before);
        }
    }

    void encodeCopiesAllOfTheBundle()
    {
        const QString bundle = at("b.mlmodelc");
        fs::create_directories((bundle + u"/empty"_s).toStdString());
        fs::create_symlink("model.mil", (bundle + u"/link"_s).toStdString());
        fs::create_symlink("/no/such/file", (bundle + u"/dangling"_s).toStdString());
        write(bundle + u"/notes.txt"_s, "notes");
        for (const char *name : {"/notes.txt", "/weights/weight.bin", "/model.mil"})
            fs::permissions((bundle + QString::fromUtf8(name)).toStdString(), fs::perms(0600));
        QCOMPARE(runCli(arguments("encode %/b.mlmodelc w --form sparse -o %/c.mlmodelc")).exitCode,
                 0);
        const QString copy = at("c.mlmodelc");
        auto from = treeOf(bundle), to = treeOf(copy);
        for (auto *tree : {&from, &to}) {
            tree->erase("model.mil");
            tree->erase("weights/weight.bin");
        }
        QVERIFY(from == to);
        for (const char *name : {"/notes.txt", "/weights/weight.bin", "/model.mil"})
            QVERIFY(fs::status((copy + QString::fromUtf8(name)).toStdString()).permissions() ==
                    fs::perms(0600));
    }

    void encodeRefusesWhatItCannotRead()
    {
        const QString secret = at("b.mlmodelc/secret");
        write(secret, "secret");
        fs::permissions(secret.toStdString(), fs::perms(0));
        fs::permissions(m_scratch->path().toStdString(), fs::perms(0777));
        for (const char *line : {"encode %/b.mlmodelc w --form sparse -o %/c.mlmodelc",
                                 "patch %/b.mlmodelc --set w[0]=1 -o %/c.mlmodelc"}) {
            QProcess process;
            process.setChildProcessModifier([] {
                if (::geteuid() == 0) // the superuser reads everything
                    (void)!::setuid(65534);
            });
            process.start(cliProgram(), arguments(line));
            QVERIFY(process.waitForFinished(60000));
            QCOMPARE(process.exitStatus(), QProcess::NormalExit);
            QCOMPARE(process.exitCode(), 4);
            QVERIFY(process.readAllStandardError().contains("secret"));
            QVERIFY(!QFile::exists(at("c.mlmodelc")));
            QVERIFY(QDir(m_scratch->path()).entryList({u"*kernscope-part*"_s}).isEmpty());
        }
    }

private:
    QString at(const char *name) const { return m_scratch->filePath(QString::fromUtf8(name)); }
    QStringList arguments(const QByteArray &line) const
    {
        return wordsBelow(m_scratch->path(), line);
    }

    std::unique_ptr<QTemporaryDir> m_scratch;
    std::map<std::string, QByteArray> m_tree; ///< of the scratch folder as it was made
};

KERNSCOPE_TEST(TestCliOutput, QCoreApplication)
#include "tst_cli_output.moc"
