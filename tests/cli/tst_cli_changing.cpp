// SPDX-License-Identifier: GPL-3.0-or-later
// Another program writes, cuts or replaces a file while a command reads it. Before, a cut ended 23
// of 28 command lines with SIGBUS, and a rewrite gave answers of old and new bytes.
#include "cli_process.h"
#include "core/numeric/npy.h"
#include "synthetic.h"

namespace {

constexpr std::size_t kChannels =
    512; ///< a command is stopped where it looks at the file: size counts little

Bytes randomHalves(std::size_t count, unsigned seed)
{
    std::mt19937 random(seed);
    Bytes bytes(2 * count);
    for (std::size_t i = 0; i < count; ++i) {
        bytes[2 * i] = static_cast<std::byte>(random());
        bytes[2 * i + 1] = static_cast<std::byte>(0x30 + random() % 8); // 0.125 to 2
    }
    return bytes;
}

MadeBundle bigBundle(unsigned seed)
{
    MadeBundle made;
    const std::string shape = "[512, 512, 1, 1]";
    made.weight("w", shape, randomHalves(kChannels * kChannels, seed));
    made.parameters = "tensor<fp16, [1, 512, 1, 64]> x";
    made.op("y", "[1, 512, 1, 64]",
            "conv(dilations = tensor<int32, [2]>([1, 1]), groups = int32(1), pad = tensor<int32, "
            "[4]>([0, 0, 0, 0]), pad_type = string(\"valid\"), strides = tensor<int32, [2]>([1, "
            "1]), weight = w, x = x)");
    made.constant("fp32", "one", "fp32(0x1p+0)");
    made.line("fp32 e = exp(x = one)[name = string(\"e\")]"); // what convert looks for
    made.result = "y";
    return made;
}

} // namespace

class TestCliChanging : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        m_bundle = writeBundle(m_scratch, "a.mlmodelc", bigBundle(1));
        m_other = writeBundle(m_scratch, "b.mlmodelc", bigBundle(2));
        for (const char *name : {"a", "b"}) {
            const QString array = m_scratch.filePath(u"%1.npy"_s.arg(QLatin1String(name)));
            const Shape shape{256, 192};
            const Bytes values = randomHalves(256 * 192, *name);
            QVERIFY(put(array, QByteArray::fromStdString(npyHeader(ElementType::Fp16, shape)) +
                                   QByteArray(reinterpret_cast<const char *>(values.data()),
                                              qsizetype(values.size()))));
            const CliResult folder =
                RAN(0, runCli("quantize % --format mxfp8 -o %", array,
                              m_scratch.filePath(u"%1.q"_s.arg(QLatin1String(name)))));
            QByteArray container = QByteArray(reinterpret_cast<const char *>(syntheticH13().data()),
                                              qsizetype(syntheticH13().size()));
            if (*name == 'b')
                container[container.size() - 1] = char(container.back() ^ 1);
            QVERIFY(put(m_scratch.filePath(u"%1.hwx"_s.arg(QLatin1String(name))), container));
        }
        QVERIFY(put(m_scratch.filePath(u"nothing.ips"_s), "PATCHEOF"));
        // Folders that a Mac compiled: statistics of which the survey tells one by one.
        for (const char *name : {"a", "b"}) {
            const QString folder =
                m_scratch.filePath(u"%1.h17c.aimodelc"_s.arg(QLatin1String(name)));
            QByteArray statistics = "{\"model\": \"" + QByteArray(name) + "\"";
            for (int i = 0; i < 200; ++i)
                statistics += ", \"n" + QByteArray::number(100 + i) + "\": " + *name;
            statistics.replace(": a", ": 1").replace(": b", ": 2");
            QVERIFY(QDir().mkpath(folder));
            QVERIFY(put(folder + u"/stats.json"_s, statistics + "}"));
        }
        m_entries = QDir(m_scratch.path()).entryList(QDir::NoDotAndDotDot | QDir::AllEntries);
    }

    void cleanup()
    {
        if (!m_file.isEmpty())
            QVERIFY(put(m_file, m_old));
    }

    void everyCommand_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("file"); ///< without the "a" or "b" that it begins with
        QTest::addColumn<int>("turn");
        const QString &a = m_bundle, &b = m_other;
        const QString out = m_scratch.filePath(u"out"_s);
        const auto s = [](const char *text) { return QString::fromLatin1(text); };
        const QString weights = s(".mlmodelc/weights/weight.bin");
        int turn = 0;
        const auto row = [&](const char *name, const QStringList &arguments,
                             const QString &changed = {}) {
            addRow(name, arguments, changed.isEmpty() ? weights : changed, turn++);
        };
        row("inspect", {s("inspect"), a});
        row("inspect --stats --hash", {s("inspect"), a, s("--stats"), s("--hash")});
        row("weight", {s("weight"), a, s("w")});
        row("decode", {s("decode"), a, s("w"), s("-o"), out + s(".npy")});
        row("decode fp32",
            {s("decode"), a, s("w"), s("--as"), s("fp32"), s("-o"), out + s(".npy")});
        row("bytes", {s("bytes"), a, s("w[0]")});
        row("diff", {s("diff"), a, b});
        row("diff --values", {s("diff"), a, b, s("--values")});
        row("diff, as the other", {s("diff"), b, a, s("--values")});
        row("find", {s("find"), a, s("--value"), s("0.5")});
        row("find --bytes", {s("find"), a, s("--bytes"), s("01 30")});
        row("graph", {s("graph"), a});
        row("graph --svg", {s("graph"), a, s("--svg"), out});
        row("decide", {s("decide"), a, s("--all-targets")});
        row("geometry", {s("geometry"), a, s("--target"), s("M1")});
        row("roofline", {s("roofline"), a, s("--target"), s("M1")});
        row("patch --dry-run", {s("patch"), a, s("--set"), s("w[3,0,0,0]=0.5"), s("--dry-run")});
        row("patch --output", {s("patch"), a, s("--set"), s("w[3,0,0,0]=0.5"), s("--output"), out});
        const QString patch = m_scratch.filePath(s("nothing.ips"));
        row("patch --apply", {s("patch"), a, s("--apply"), patch, s("--file"),
                              s("weights/weight.bin"), s("--output"), out});
        row("convert", {s("convert"), a, s("--to"), s("fp16"), s("--output"), out});
        row("encode", {s("encode"), a, s("w"), s("--form"), s("blockwise"), s("--output"), out});
        row("section build",
            {s("section"), s("build"), a, s("w"), s("--target"), s("M1"), s("--output"), out});
        row("choose", {s("choose"), a, s("--target"), s("M1")});
        const QString array = m_scratch.filePath(s("a.npy")), folder = m_scratch.filePath(s("a.q"));
        const QString container = m_scratch.filePath(s("a.hwx"));
        row("quantize", {s("quantize"), array, s("--format"), s("mxfp8"), s("-o"), out}, s(".npy"));
        row("dequantize", {s("dequantize"), folder, s("-o"), out + s(".npy")}, s(".q/data.bin"));
        row("relayout", {s("relayout"), folder, s("--layout"), s("nz"), s("-o"), out},
            s(".q/data.bin"));
        row("descriptor --image", {s("descriptor"), s("--image"), container}, s(".hwx"));
        row("inspect a folder of quantize", {s("inspect"), folder, s("--stats")}, s(".q/data.bin"));
        row("hwx", {s("hwx"), container}, s(".hwx"));
        row("survey", {s("survey"), m_scratch.filePath(s("a.h17c.aimodelc"))},
            s(".h17c.aimodelc/stats.json"));
        row("inspect a container", {s("inspect"), container, s("--stats")}, s(".hwx"));
    }

    void everyCommand()
    {
        QFETCH(QStringList, arguments);
        QFETCH(QString, file);
        QFETCH(int, turn);
        choose(file);
        arguments << u"--json"_s;
        const QStringList outputs{m_scratch.filePath(u"out"_s), m_scratch.filePath(u"out.npy"_s)};
        const auto removeOutputs = [&outputs] {
            for (const QString &output : outputs) {
                QFile::remove(output);
                QDir(output).removeRecursively();
            }
        };
        removeOutputs();
        const CliResult before = runCli(arguments);
        QVERIFY2(before.exitCode == 0 || before.exitCode == 1, before.out + before.err);
        int changed = 0;
        // Each command has every change, and the next command has the others at a look. Where none
        // of them was found they change places.
        for (int at = 0; at < 3 || (at < 6 && changed == 0); ++at) {
            const int look = 1 + at % 3, first = (turn + at) % 2;
            for (const int how : {first, 2 + first}) {
                removeOutputs();
                QVERIFY(put(m_file, m_old));
                const CliResult result = runChanging(arguments, look, [this, how] { change(how); });
                QVERIFY2(!result.crashed, result.err);
                if (result.exitCode == before.exitCode && result.out == before.out)
                    continue; // it had looked for the last time before the change
                if (result.exitCode != 4) {
                    // The bundle was opened again, for it changed while it was opened: the answer
                    // is that of the new file.
                    removeOutputs();
                    const CliResult after = runCli(arguments);
                    QCOMPARE(result.exitCode, after.exitCode);
                    QCOMPARE(result.out, after.out);
                    continue;
                }
                QCOMPARE(result.exitCode, 4);
                const auto document = result.json();
                QVERIFY2(document.is_object(), result.out);
                QCOMPARE(document["diagnostics"].size(), std::size_t(1));
                const auto &row = document["diagnostics"][0];
                QVERIFY2(row["code"] == "io.changed", result.out);
                QVERIFY2(QByteArray::fromStdString(row["file"].get<std::string>())
                             .endsWith(QFileInfo(m_file).fileName().toUtf8()),
                         result.out);
                SAYS(row, "offset", "expected", "found");
                QVERIFY(!document.contains("weights") && !document.contains("decisions"));
                for (const QString &output : outputs)
                    QVERIFY2(!QFileInfo::exists(output), qUtf8Printable(output));
                ++changed;
            }
        }
        QVERIFY(changed > 0);
        // Nothing is left beside the outputs either.
        removeOutputs();
        QCOMPARE(QDir(m_scratch.path()).entryList(QDir::NoDotAndDotDot | QDir::AllEntries),
                 m_entries);
    }

    /// A file that is replaced by another one in one step, as careful programs do: what was mapped
    /// is still there, and the answer is that of the old file.
    void replacedIsAnswered()
    {
        choose(u".mlmodelc/weights/weight.bin"_s);
        const QStringList arguments = args("inspect % --hash --json", m_bundle);
        const CliResult before = runCli(arguments);
        const CliResult result = runChanging(arguments, 2, [this] {
            QVERIFY(put(m_file + u".new"_s, m_new));
            QVERIFY(QFile::remove(m_file));
            QVERIFY(QFile::rename(m_file + u".new"_s, m_file));
        });
        QVERIFY(!result.crashed);
        QCOMPARE(result.exitCode, 0);
        // It may have been replaced while the bundle was still being opened, which then starts
        // again.
        if (result.out != before.out)
            QCOMPARE(result.out, runCli(arguments).out);
    }

private:
    enum Change { Emptied, Cut, Rewritten, Grown };

    /// The file that the test's row changes, as it is and as another version of it is.
    void choose(const QString &file)
    {
        m_file = m_scratch.filePath(QLatin1String("a") + file);
        m_old = contentOf(m_file);
        m_new = contentOf(m_scratch.filePath(QLatin1String("b") + file));
        QVERIFY(m_old.size() > 1000 && m_old.size() == m_new.size() && m_old != m_new);
    }

    void change(int how) const
    {
        switch (how) {
        case Emptied: QVERIFY(put(m_file, QByteArray())); break;
        case Cut: QVERIFY(QFile::resize(m_file, m_old.size() / 2 + 100)); break;
        case Rewritten: QVERIFY(put(m_file, m_new)); break; // as cp does: emptied, then written
        case Grown: QVERIFY(put(m_file, m_new + m_new)); break;
        default: QFAIL("no such change");
        }
    }

    /// Stops the process after its `look`th look at the file, changes the file, lets it go on. The
    /// first look is made while the bundle is opened, the second when it is open, the last one
    /// before the answer is given.
    CliResult runChanging(const QStringList &arguments, int look,
                          const std::function<void()> &change) const
    {
        return runCliPaused(u"%1 stat %2"_s.arg(look).arg(m_file), arguments,
                            [&](qint64) { change(); });
    }

    QTemporaryDir m_scratch;
    QString m_bundle, m_other;
    QString m_file; ///< that is changed
    QByteArray m_old, m_new;
    QStringList m_entries; ///< of the folder, without outputs
};

KERNSCOPE_TEST(TestCliChanging, QCoreApplication)
#include "tst_cli_changing.moc"
