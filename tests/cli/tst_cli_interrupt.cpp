// SPDX-License-Identifier: GPL-3.0-or-later
// Signals at several moments of each command, on inputs that take seconds.
#include "cli_process.h"
#include "core/numeric/npy.h"
#include "core/patch/save/journal.h"

#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kElements = std::uint64_t(1) << 23; ///< of the weight and of the array
/// A signal that comes this soon (ms) may end the program before it catches signals.
constexpr int kBeforeSignalsAreCaught = 200;

/// Name, size and time of change of every entry.
using State = std::map<std::string, std::pair<std::uintmax_t, fs::file_time_type>>;

State stateOf(const QString &folder)
{
    State state;
    for (const auto &entry : fs::recursive_directory_iterator(folder.toStdString())) {
        const bool file = entry.is_regular_file();
        state[entry.path().lexically_relative(folder.toStdString()).string()] = {
            file ? entry.file_size() : 0, file ? entry.last_write_time() : fs::file_time_type()};
    }
    return state;
}

/// Halves of many values, none of them special.
Bytes numbers(std::size_t count)
{
    std::mt19937 random(7);
    Bytes bytes(2 * count);
    for (std::size_t i = 0; i < bytes.size(); i += 2) {
        bytes[i] = static_cast<std::byte>(random());
        bytes[i + 1] = static_cast<std::byte>(0x30 | (random() & 0x8b));
    }
    return bytes;
}

/// CPU time of a running process in seconds.
double secondsOf(qint64 process)
{
    std::ifstream file(fmt::format("/proc/{}/stat", process));
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    std::istringstream rest(text.substr(std::min(text.size(), text.rfind(')') + 2)));
    std::string field;
    for (int i = 3; i < 14 && rest; ++i)
        rest >> field;
    double user = 0, system = 0;
    rest >> user >> system;
    return (user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

double secondsOfChildren()
{
    rusage usage = {};
    ::getrusage(RUSAGE_CHILDREN, &usage);
    const auto seconds = [](const timeval &time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

} // namespace

class TestCliInterrupt : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        const std::string shape = fmt::format("[{}, 4096]", kElements / 4096);
        const Bytes values = numbers(kElements);
        MadeBundle made;
        made.layer("w", shape, values);
        writeBundle(m_scratch, "a.mlmodelc", made);
        writeBundle(m_scratch, "b.mlmodelc", made);
        std::ofstream array(m_scratch.filePath(u"w.npy"_s).toStdString(), std::ios::binary);
        array << npyHeader(ElementType::Fp16, {kElements / 4096, 4096});
        array.write(reinterpret_cast<const char *>(values.data()),
                    static_cast<std::streamsize>(values.size()));
        array.close();
        QVERIFY(array.good());
        const CliResult folder =
            RAN(0, runCli(arguments("quantize %/w.npy --format mxfp8 --tiles -o %/q")));
    }

    void stops_data()
    {
        QTest::addColumn<QByteArray>("line");
        QTest::addColumn<int>("delay"); // ms after the start
        for (const char *line :
             {"inspect %/a.mlmodelc --stats --hash", "decode %/a.mlmodelc w --as fp32 -o %/out.npy",
              "diff %/a.mlmodelc %/b.mlmodelc --values", "choose %/a.mlmodelc",
              "encode %/a.mlmodelc w --form palette --bits 8 -o %/out",
              "encode %/a.mlmodelc w --form dense -o %/out",
              "patch %/a.mlmodelc --fill w[:,:]=0.5 -o %/out",
              "section build %/a.mlmodelc -o %/out",
              "section build %/a.mlmodelc --form palette --bits 4 -o %/out",
              "quantize %/w.npy --format mxfp8 --axis 0 --tiles -o %/out",
              "dequantize %/q -o %/out.npy"}) {
            for (const int delay : {5, 120, 450})
                QTest::addRow("%s, %d ms", line, delay) << QByteArray(line) << delay;
        }
    }

    void stops()
    {
        QFETCH(QByteArray, line);
        QFETCH(int, delay);
        const State before = stateOf(m_scratch.path());
        const double spent = secondsOfChildren();
        QProcess process;
        process.start(cliProgram(), arguments(line) << u"--json"_s);
        QVERIFY(process.waitForStarted());
        const qint64 id = process.processId();
        process.waitForFinished(delay);
        const double used = secondsOf(id);
        if (process.state() == QProcess::Running)
            ::kill(pid_t(id), delay > 100 ? SIGTERM : SIGINT);
        QVERIFY(process.state() == QProcess::NotRunning || process.waitForFinished(60000));
        State after = stateOf(m_scratch.path());
        const bool written = after.count("out") > 0 || after.count("out.npy") > 0;
        if (process.exitStatus() == QProcess::CrashExit) {
            QVERIFY(delay < kBeforeSignalsAreCaught);
            QVERIFY(!written);
        } else if (process.exitCode() == 4) {
            const double more = secondsOfChildren() - spent - used;
            QVERIFY2(more < 1.0, qPrintable(u"%1 s of CPU time more"_s.arg(more)));
            const auto document = nlohmann::json::parse(
                process.readAllStandardOutput().toStdString(), nullptr, false);
            QVERIFY(!document.is_discarded());
            const std::string stopped = document["diagnostics"].dump();
            // The signal came when all was done; there may be notes on the work.
            if (stopped.find("Stopped; ") == std::string::npos)
                QVERIFY(written ||
                        process.readAllStandardError().contains("when the work was done"));
            else // what is there is whole, and said: a slow disk may take the time that is left
                QCOMPARE(stopped.find("was written before") != std::string::npos, written);
        } else { // done before the signal came
            QVERIFY(process.exitCode() == 0 || process.exitCode() == 1);
        }
        std::error_code fault;
        std::erase_if(after, [](const auto &entry) { return entry.first.starts_with("out"); });
        for (const char *output : {"out", "out.npy"})
            fs::remove_all(m_scratch.filePath(QString::fromUtf8(output)).toStdString(), fault);
        QVERIFY(after == before); // the inputs are as they were, and no part is left
        QVERIFY(stateOf(m_scratch.path()) == before);
    }

    /// --force, stopped when all of the new file is on the disk and not yet in its place: the file
    /// that was to be replaced is still there.
    void secondOutputReplacesNothing()
    {
        const QString output = m_scratch.filePath(u"old"_s);
        {
            QVERIFY(put(output, "before"));
        }
        const State before = stateOf(m_scratch.path());
        bool stopped = false;
        const CliResult result = runCliPaused(
            u"1 fsync"_s,
            arguments("section build %/a.mlmodelc --form palette --bits 4 --force -o %/old"),
            [&stopped](qint64 process) { stopped = ::kill(pid_t(process), SIGTERM) == 0; });
        QVERIFY(stopped);
        QCOMPARE(result.exitCode, 4);
        QVERIFY2(result.err.contains("nothing was written"), result.err);
        QVERIFY(stateOf(m_scratch.path()) == before);
    }

    void savesInPlaceAllOrNothing_data()
    {
        QTest::addColumn<int>("delay");
        for (const int delay : {150, 600, 3000})
            QTest::addRow("%d ms", delay) << delay;
    }

    /// Every byte is the old one, or every byte is the new one and the command says so: by its
    /// answer, or where the signal came before that, by what was written.
    void savesInPlaceAllOrNothing()
    {
        QFETCH(int, delay);
        const QTemporaryDir folder;
        const fs::path bundle = fs::path(folder.path().toStdString()) / "p.mlmodelc";
        fs::copy(m_scratch.filePath(u"a.mlmodelc"_s).toStdString(), bundle,
                 fs::copy_options::recursive);
        const QString weights = QString::fromStdString((bundle / "weights/weight.bin").string());
        const QByteArray old = contentOf(weights);
        QByteArray filled = old;
        const QByteArray half("\x00\x38", 2); // 0.5
        filled.chop(qsizetype(2 * kElements));
        filled += half.repeated(qsizetype(kElements));
        QProcess process;
        process.start(cliProgram(), {u"patch"_s, QString::fromStdString(bundle.string()),
                                     u"--fill"_s, u"w[:,:]=0.5"_s, u"--in-place"_s});
        QVERIFY(process.waitForStarted());
        const qint64 id = process.processId();
        process.waitForFinished(delay);
        if (process.state() == QProcess::Running)
            ::kill(pid_t(id), SIGTERM);
        QVERIFY(process.state() == QProcess::NotRunning || process.waitForFinished(60000));
        const bool caught = process.exitStatus() == QProcess::NormalExit;
        QVERIFY(caught || delay < kBeforeSignalsAreCaught);
        const QByteArray now = contentOf(weights);
        if (now == old) {
            QVERIFY(!caught || process.exitCode() == 4);
        } else {
            QVERIFY(caught && now == filled);
            QVERIFY(process.exitCode() == 0 || process.exitCode() == 4);
            const QByteArray said = process.readAllStandardError();
            QVERIFY2(process.readAllStandardOutput().contains("changed") ||
                         said.contains("p.mlmodelc was written before"),
                     said);
        }
        QCOMPARE(QDir(folder.path()).entryList(QDir::Files | QDir::Dirs | QDir::NoDotAndDotDot),
                 args("p.mlmodelc"));
    }

    void recoveryLeavesTheJournal_data()
    {
        QTest::addColumn<int>("delay");
        for (const int delay : {30, 120, 250})
            QTest::addRow("%d ms", delay) << delay;
    }

    /// The journal of a large save, whose new bytes are all there: recover stops at once at a
    /// signal, every byte is an old or a new one then, and the next recover puts the old ones back.
    void recoveryLeavesTheJournal()
    {
        QFETCH(int, delay);
        constexpr std::uint64_t kBytes = std::uint64_t(48) << 20, kFirst = 128;
        const QTemporaryDir folder;
        MadeBundle made;
        const std::string shape = fmt::format("[{}]", kBytes / 2);
        made.layer("w", shape, Bytes(kBytes, std::byte{1}));
        const QString path = writeBundle(folder, "r.mlmodelc", made);
        const fs::path weights = (path + u"/weights/weight.bin"_s).toStdString();
        const fs::path journal = patch::journalPath(path.toStdString());
        {
            const auto file = OverlaidFile::open(weights, "weight.bin");
            QVERIFY(file && (*file)->write(FileOffset(kFirst), Bytes(kBytes, std::byte{2})));
            const std::vector<patch::JournalPart> parts{
                {"weights/weight.bin", file->get(), {{FileOffset(kFirst), ByteCount(kBytes)}}}};
            QVERIFY(patch::writeJournal(journal, parts));
        }
        {
            QFile file(QString::fromStdString(weights.string()));
            QVERIFY(file.open(QIODevice::ReadWrite) && file.seek(qint64(kFirst)));
            QCOMPARE(file.write(QByteArray(qsizetype(kBytes), '\2')), qint64(kBytes));
        }
        const auto others = [&weights](const char *allowed) {
            QFile file(QString::fromStdString(weights.string()));
            if (!file.open(QIODevice::ReadOnly) || !file.seek(qint64(kFirst)))
                return true;
            const QByteArray all = file.readAll();
            qsizetype left = all.size();
            for (const char *one = allowed; *one; ++one)
                left -= all.count(*one);
            return left != 0;
        };
        const double spent = secondsOfChildren();
        QProcess process;
        process.start(cliProgram(), {u"recover"_s, path});
        QVERIFY(process.waitForStarted());
        const qint64 id = process.processId();
        process.waitForFinished(delay);
        const double used = secondsOf(id);
        if (process.state() == QProcess::Running)
            ::kill(pid_t(id), SIGINT);
        QVERIFY(process.state() == QProcess::NotRunning || process.waitForFinished(60000));
        const bool caught = process.exitStatus() == QProcess::NormalExit;
        QVERIFY(caught || delay < kBeforeSignalsAreCaught);
        if (!caught) {
            QVERIFY(!others("\2"));
        } else if (process.exitCode() == 4) {
            const double more = secondsOfChildren() - spent - used;
            QVERIFY2(more < 1.0, qPrintable(u"%1 s of CPU time more"_s.arg(more)));
            QVERIFY(!others("\1\2"));
        } else {
            QCOMPARE(process.exitCode(), 0);
        }
        QCOMPARE(runCli("recover %", path).exitCode, 0);
        QVERIFY(!others("\1"));
        QVERIFY(!fs::exists(journal));
    }

private:
    QStringList arguments(const QByteArray &line) const
    {
        return wordsBelow(m_scratch.path(), line);
    }

    QTemporaryDir m_scratch;
};

KERNSCOPE_TEST(TestCliInterrupt, QCoreApplication)
#include "tst_cli_interrupt.moc"
