// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli_process.h"
#include "core/base/files.h"
#include "core/patch/save/journal.h"
#include "tests/core/patch/cut_save.h"

namespace {

MadeBundle recoverBundle()
{
    MadeBundle made;
    made.layer("w", "[2, 5]", halves({1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
    return made;
}

} // namespace

/// A save that was cut short: every command says so and writes nothing, `recover` mends it.
class TestCliRecover : public QObject
{
    Q_OBJECT

private slots:
    void init()
    {
        qunsetenv("TMPDIR");
        m_scratch = std::make_unique<QTemporaryDir>();
        QVERIFY(QDir().mkpath(m_scratch->filePath(u"tmp"_s)));
        qputenv("TMPDIR", m_scratch->filePath(u"tmp"_s).toLocal8Bit()); // else all may be read
        m_path = writeBundle(*m_scratch, "x.mlmodelc", recoverBundle());
        m_journal = m_path + u".kernscope-journal"_s;
        m_old = m_new = weights();
        m_new[128] = m_new[146] = '\0';
        m_new[129] = m_new[147] = '\x38'; // 0.5
        cutSave(m_path.toStdString(), "set w[0]=0.5\nset w[9]=0.5");
        QVERIFY(weights() != m_old && weights() != m_new);
        QVERIFY(QFile::exists(m_journal));
    }

    void readingWritesNothing_data()
    {
        QTest::addColumn<QStringList>("arguments"); // PATH stands for the bundle, OUT for an output
        const auto row = [](const char *arguments) {
            addRow(arguments, QString::fromLatin1(arguments).split(u' '));
        };
        row("inspect PATH --stats --hash");
        row("decode PATH w -o OUT.npy");
        row("decide PATH");
        row("geometry PATH");
        row("roofline PATH");
        row("choose PATH");
        row("diff PATH PATH --values");
        row("patch PATH --set w[1]=3 --dry-run");
        row("patch PATH --set w[1]=3 --output OUT.mlmodelc");
        row("recover PATH --dry-run");
        row("recover PATH --finish --dry-run");
        row("recover PATH --discard --dry-run");
    }

    void readingWritesNothing()
    {
        QFETCH(QStringList, arguments);
        for (QString &argument : arguments) {
            argument.replace(u"PATH"_s, m_path);
            argument.replace(u"OUT"_s, m_scratch->filePath(u"out"_s));
        }
        const bool recover = arguments.first() == QLatin1String("recover");
        const auto before = tree();
        const CliResult result = runCli(arguments + QStringList{m_json});
        QVERIFY2(result.exitCode == (recover ? 0 : 3), (result.out + result.err).constData());
        const auto rows = result.json()["diagnostics"];
        const bool said = std::any_of(rows.begin(), rows.end(), [](const auto &row) {
            return row["code"] == "journal.pending" && row["severity"] == "error" &&
                   row["message"].template get<std::string>().starts_with("A save of this");
        });
        QCOMPARE(said, !recover);
        // The same on standard error without --json; the outputs are there already.
        if (!arguments.contains(u"-o"_s) && !arguments.contains(u"--output"_s))
            QCOMPARE(runCli(arguments).err.contains("[journal.pending]"), !recover);
        auto after = tree();
        for (auto file = before.begin(); file != before.end(); ++file)
            QVERIFY2(after.value(file.key()) == file.value(), qPrintable(file.key()));
        if (arguments.first() == QLatin1String("decode"))
            QVERIFY(after[arguments.last()].endsWith(m_old.mid(128, 20)));
        if (arguments.contains(u"--output"_s))
            QCOMPARE(after[arguments.last() + u"/weights/weight.bin"_s].mid(132, 16),
                     m_old.mid(132, 16));
    }

    void savingIsRefused()
    {
        const auto before = tree();
        const auto rows = RAN(3, runCli("patch % --set w[1]=3 --in-place %", m_path, m_json))
                              .json()["diagnostics"];
        QVERIFY(std::any_of(rows.begin(), rows.end(), [](const auto &row) {
            return row["code"] == "journal.pending" && row["severity"] == "error";
        }));
        QVERIFY(tree() == before);
    }

    void recovers_data()
    {
        QTest::addColumn<QString>("option");
        const DataRow<QString> row;
        row("undo", "");
        row("finish", "--finish");
        row("discard", "--discard");
    }

    void recovers()
    {
        QFETCH(const QString, option);
        const QByteArray half = weights();
        QStringList arguments{u"recover"_s, m_path, m_json};
        if (!option.isEmpty())
            arguments << option;
        const CliResult dry = RAN(0, runCli(arguments + args("--dry-run")));
        QVERIFY(weights() == half && QFile::exists(m_journal));
        const CliResult done = RAN(0, runCli(arguments));
        QCOMPARE(text(done.json()["saves"][0]["ranges"]), text(dry.json()["saves"][0]["ranges"]));
        QVERIFY(done.json()["verified"].get<bool>());
        QVERIFY(!QFile::exists(m_journal));
        QCOMPARE(weights(), option.isEmpty()                      ? m_old
                            : option == QLatin1String("--finish") ? m_new
                                                                  : half);
    }

    /// The exit code and each report of a release check say it as well.
    void everyFormatSaysIt_data()
    {
        QTest::addColumn<bool>("own");
        addRow("own", true);
        addRow("foreign", false);
    }

    void everyFormatSaysIt()
    {
        QFETCH(const bool, own);
        if (!own)
            QVERIFY(QDir(keyFolder()).removeRecursively());
        const auto diff = [&](const QStringList &options) {
            return runCli(args("diff % %", m_path, m_path) + options);
        };
        for (const char *format : {"junit", "csv", "markdown", "html", "json", "text"}) {
            const CliResult result = RAN(3, diff({u"--format"_s, QString::fromLatin1(format)}));
            const bool isText = QLatin1String(format) == QLatin1String("text");
            QVERIFY2((isText ? result.err : result.out).contains("journal.pending"), format);
            if (QLatin1String(format) == QLatin1String("json")) {
                const auto rows = result.json()["diagnostics"];
                QVERIFY(std::any_of(rows.begin(), rows.end(), [own](const auto &row) {
                    return row["code"] == "journal.pending" && row.contains("field") == !own;
                }));
            }
        }
        const CliResult quiet = RAN(3, diff({u"--quiet"_s}));
        QVERIFY(quiet.out.isEmpty() && quiet.err.contains("journal.pending"));
        // The values of a weight that may be half written go into no other bundle.
        const QString copy = writeBundle(*m_scratch, "y.mlmodelc", recoverBundle());
        const CliResult from =
            RAN(3, runCli("patch % --from-npy % --dry-run", copy, u"w="_s + m_path));
        QVERIFY(from.err.contains("journal.pending"));
    }

    void nothingToRecover()
    {
        QCOMPARE(runCli("recover % --discard", m_path).exitCode, 0);
        const auto before = tree();
        const CliResult none = RAN(0, runCli("recover %", m_path));
        QVERIFY(none.out.contains("nothing to recover"));
        QVERIFY(tree() == before);
        QCOMPARE(runCli("recover %", m_path + u"x"_s).exitCode, 4);
    }

    /// A copy has other files than the key of the save names; its journal lies where the bundle
    /// was.
    void movedWithoutItsJournal()
    {
        const QByteArray half = weights();
        const auto copyWith = [&](const char *name, const QByteArray &content) {
            const QString path = writeBundle(*m_scratch, name, recoverBundle());
            return put(path + u"/weights/weight.bin"_s, content) ? path : QString();
        };
        const QString moved = copyWith("moved.mlmodelc", half);
        const auto inspect = [&](const QString &path) {
            return runCli("inspect % %", path, m_json);
        };
        QCOMPARE(inspect(moved).exitCode, 0); // the bundle itself is there
        QVERIFY(QDir(m_path).removeRecursively());
        // Whole ones are none of it, nor is one with other bytes.
        QByteArray other = half;
        other[129] = 'x';
        other[147] = 'x';
        for (const QByteArray &content : {m_old, m_new, other}) {
            const QString path = copyWith("whole.mlmodelc", content);
            QCOMPARE(inspect(path).exitCode, 0);
            QVERIFY(QDir(path).removeRecursively());
        }
        const CliResult found = RAN(3, inspect(moved));
        QCOMPARE(text(found.json()["diagnostics"][0]["code"]), QByteArray("\"journal.pending\""));
        const QString out = m_scratch->filePath(u"w.npy"_s);
        QCOMPARE(runCli("decode % w -o %", moved, out).exitCode, 3);
        QVERIFY(tree()[out].endsWith(m_old.mid(128, 20)));
        const CliResult done = RAN(0, runCli("recover %", moved));
        QCOMPARE(tree()[moved + u"/weights/weight.bin"_s], m_old);
        QVERIFY(!QFile::exists(m_journal));
        QCOMPARE(inspect(moved).exitCode, 0);
    }

    void damaged()
    {
        QFile::resize(m_journal, QFileInfo(m_journal).size() - 1);
        const auto before = tree();
        const CliResult inspect = RAN(3, runCli("inspect % %", m_path, m_json));
        QCOMPARE(inspect.json()["weights"].size(), std::size_t{1}); // what can be read is printed
        QCOMPARE(text(inspect.json()["diagnostics"][0]["code"]), QByteArray("\"journal.damaged\""));
        const QString out = m_scratch->filePath(u"w.npy"_s);
        const CliResult decode = RAN(3, runCli("decode % w -o %", m_path, out));
        QVERIFY(decode.err.contains("[journal.damaged]"));
        QFile::remove(out);
        QCOMPARE(runCli("recover %", m_path).exitCode, 3);
        QVERIFY(tree() == before);
        QCOMPARE(runCli("recover % --discard", m_path).exitCode, 0);
        QVERIFY(!QFile::exists(m_journal));
    }

    /// A journal that came with the bundle, for a file beside it.
    void forged()
    {
        QFile::remove(m_journal);
        const QString victim = m_scratch->filePath(u".bashrc"_s);
        QVERIFY(put(victim, "precious"));
        const auto evil = OverlaidFile::fromMemory(Bytes(8, std::byte{'e'}), ".bashrc");
        const QByteArray now("precious");
        QVERIFY(evil->write(FileOffset(0), std::as_bytes(std::span(now.data(), 8))));
        const std::vector<patch::JournalPart> parts{
            {".bashrc", evil.get(), {{FileOffset(0), ByteCount(8)}}}};
        QVERIFY(patch::writeJournal(m_journal.toStdString(), parts));
        QVERIFY(QDir(keyFolder()).removeRecursively());
        const auto before = tree();
        const CliResult inspect = RAN(3, runCli("inspect % %", m_path, m_json));
        QCOMPARE(text(inspect.json()["diagnostics"][0]["code"]), QByteArray("\"journal.pending\""));
        QCOMPARE(runCli("recover %", m_path).exitCode, 3);
        QVERIFY(tree() == before);
    }

private:
    QHash<QString, QByteArray> tree() const
    {
        QHash<QString, QByteArray> files;
        for (const QString &path : pathsBelow(m_scratch->path()))
            files[path] = contentOf(path);
        return files;
    }
    static QString keyFolder()
    {
        return QString::fromStdString((stateFolder() / "saves").string());
    }
    QByteArray weights() const { return tree()[m_path + u"/weights/weight.bin"_s]; }

    std::unique_ptr<QTemporaryDir> m_scratch;
    QString m_path, m_journal;
    QByteArray m_old, m_new;
    const QString m_json = u"--json"_s;
};

KERNSCOPE_TEST(TestCliRecover, QCoreApplication)
#include "tst_cli_recover.moc"
