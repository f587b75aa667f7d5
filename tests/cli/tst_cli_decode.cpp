// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli_process.h"

#include "core/numeric/npy.h"

using Json = nlohmann::ordered_json;

/// `decode`: the values of one weight as a file, whole or not at all.
class TestCliDecode : public QObject
{
    Q_OBJECT

private slots:
    /// All weights as one file of tensors: those that cannot be read are named and left out.
    void allWeights()
    {
        const QString path = m_out + u"/all.safetensors"_s;
        const auto run = [&](const QStringList &more) {
            return runCli(args("decode %", m_bundle) + more);
        };
        const QString all = u"--all"_s, out = u"-o"_s;
        const CliResult result = run({all, out, path, u"--json"_s});
        QCOMPARE(result.exitCode, 3); // "bad"
        HOLDS(result.json(), "tensors#=1 tensors.0.name=w");
        QCOMPARE(result.json()["bytes"].get<qint64>(), contentOf(path).size());
        const CliResult back = RAN(0, runCli("inspect % --json", path));
        QCOMPARE(back.json()["weights"][0]["form"].get<std::string>(), "dense-fp16");
        QCOMPARE(run({all, out, path}).exitCode, 4); // it is there
        QFile::remove(path);
        QCOMPARE(run({u"w"_s, out, path}).exitCode, 0);
        QFile::remove(path);
        QCOMPARE(run({u"bad"_s, out, path}).exitCode, 3);
        const QString arrays = m_out + u"/all.npz"_s;
        const CliResult zipped = RAN(3, run({all, out, arrays, u"--json"_s}));
        QCOMPARE(zipped.json()["bytes"].get<qint64>(), contentOf(arrays).size());
        const CliResult members = RAN(0, runCli("inspect % --json", arrays));
        QCOMPARE(members.json()["weights"][0]["name"].get<std::string>(), "w");
        QFile::remove(arrays);
        QCOMPARE(run({u"w"_s, out, arrays}).exitCode, 0); // of one weight too
        QVERIFY(contentOf(arrays).startsWith("PK"));
        QFile::remove(arrays);
        QCOMPARE(run({out, path}).exitCode, 2);
        QCOMPARE(run({u"w"_s, all, out, path}).exitCode, 2);
        QCOMPARE(run({all, out, m_out + u"/all.npy"_s}).exitCode, 2);
        QCOMPARE(run({all, out, path, u"--rows"_s, u"0:1"_s}).exitCode, 2);
        QVERIFY(leftOvers().isEmpty());
    }

    /// A model without weights has nothing to decode, which is no fault of it.
    void noWeights()
    {
        const QString path = writeBundle(m_scratch, "none.mlmodelc", MadeBundle());
        const QString out = m_scratch.filePath(u"none.safetensors"_s);
        const QStringList words = args("decode % --all -o %", path, out);
        const CliResult result = RAN(0, runCli(words));
        QVERIFY(result.out.contains("no weights"));
        const CliResult json = RAN(0, runCli(words + args("--json")));
        QVERIFY(json.json()["tensors"].empty() && json.json()["output"].is_null());
        QVERIFY(!QFile::exists(out));
    }

    void initTestCase()
    {
        MadeBundle made;
        made.weight("w", "[3, 2]", halves({1, 2, 3, 4, 5, -6}));
        made.constant("tensor<fp16, [9]>", "bad", MadeBundle::blobAt("fp16", "[9]", 64));
        m_bundle = writeBundle(m_scratch, "decode.mlmodelc", made);
        m_out = m_scratch.filePath(u"out"_s);
        QVERIFY(QDir().mkpath(m_out));
    }

    void values_data()
    {
        const auto row = addColumns<QString, QStringList, QByteArray, QList<double>>();
        const QString npy = u"w.npy"_s;
        const QList<double> all{1, 2, 3, 4, 5, -6};
        const QString rows = u"--rows"_s;
        const QStringList wide = args("--as fp32");
        row("all", npy, {}, "[3, 2]", all);
        row("fp32", npy, wide, "[3, 2]", all);
        row("rows", npy, {rows, u"1:2"_s}, "[1, 2]", QList<double>{3, 4});
        row("first rows", npy, {rows, u":2"_s}, "[2, 2]", QList<double>{1, 2, 3, 4});
        row("last rows", npy, args("% 2:", rows) + wide, "[1, 2]", QList<double>{5, -6});
        row("no rows", npy, {rows, u"2:2"_s}, "[0, 2]", QList<double>{});
        row("raw", "w.bin", {}, {}, all);
        row("by --format", "w.x", {u"--format"_s, u"npy"_s}, "[3, 2]", all);
    }

    void values()
    {
        const auto [file, options, shape, values] =
            fetched<QString, QStringList, QByteArray, QList<double>>();
        const QString path = m_out + QLatin1Char('/') + file;
        const CliResult result = RAN(0, decode(u"w"_s, path, options + args("--json")));
        QCOMPARE(result.json()["elements"].get<int>(), int(values.size()));
        const QByteArray content = contentOf(path);
        QCOMPARE(result.json()["bytes"].get<qint64>(), content.size());
        QCOMPARE(leftOvers(), QStringList{file});
        QFile::remove(path);
        if (shape.isNull()) {
            const Bytes wanted = halves({1, 2, 3, 4, 5, -6});
            QCOMPARE(content, QByteArray(reinterpret_cast<const char *>(wanted.data()),
                                         qsizetype(wanted.size())));
            return;
        }
        const auto array = VERIFIED(readNpy(
            std::as_bytes(std::span(content.constData(), std::size_t(content.size()))), "w.npy"));
        QCOMPARE(QByteArray::fromStdString(shapeText(array->shape)), shape);
        QCOMPARE(QList<double>(array->values.begin(), array->values.end()), values);
    }

    void saysWhatIsRounded()
    {
        MadeBundle made;
        Bytes payload(2 * sizeof(float));
        const std::array<float, 2> wide{1.0F / 3.0F, 100000.0F};
        std::memcpy(payload.data(), wide.data(), payload.size());
        made.layer("wide", "[2]", payload, ElementType::Fp32);
        const QString bundle = writeBundle(m_scratch, "wide.mlmodelc", made);
        const auto run = [&](const QStringList &more) {
            return runCli(args("decode % wide -f -o %", bundle, m_out + u"/w.npy"_s) + more);
        };
        HOLDS(RAN(0, run({u"--json"_s})).json(),
              "diagnostics#=2 diagnostics.1.code=decode.overflow diagnostics.1.found='1 value "
              "beyond it' diagnostics.0.code=decode.rounded");
        QVERIFY(run({}).err.contains("rounded to fp16"));
        const CliResult whole = RAN(0, run({u"--as"_s, u"fp32"_s, u"--json"_s}));
        QVERIFY(whole.json()["diagnostics"].empty());
        QFile::remove(m_out + u"/w.npy"_s);
    }

    /// Decoding fp32 as fp16 says so; nothing is said where nothing is lost.
    /// The record says fp16, the program int8, and the bytes are as many as int8 has.
    void saysWhatIsReadAsAnotherType()
    {
        MadeBundle made;
        made.blob(ElementType::Fp16, "[2]",
                  Bytes{std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}});
        made.constant("tensor<int8, [4]>", "w",
                      MadeBundle::blobAt("int8", "[4]", made.lastRecord()));
        made.consume("w");
        const CliResult result =
            RAN(0, runCli("decode % w -o %", writeBundle(m_scratch, "typed.mlmodelc", made),
                          m_scratch.filePath(u"t.npy"_s)));
        QVERIFY2(result.err.contains("[blob.type]"), result.err.constData());
    }

    /// Values as text, and standard output in place of a file.
    void textAndStandardOutput()
    {
        const QString path = m_out + u"/w.csv"_s;
        const QStringList rows = args("--rows 1:3");
        QCOMPARE(decode(u"w"_s, path, rows).exitCode, 0);
        QCOMPARE(contentOf(path), QByteArray("3,4\n5,-6\n"));
        QFile::remove(path);
        const CliResult text = RAN(0, decode(u"w"_s, u"-"_s, {u"--format"_s, u"csv"_s}));
        QCOMPARE(text.out, QByteArray("1,2\n3,4\n5,-6\n"));
        const CliResult array = RAN(0, decode(u"w"_s, u"-"_s));
        QVERIFY(array.out.startsWith("\x93NUMPY") && array.out.size() == 128 + 12);
        QCOMPARE(decode(u"w"_s, u"-"_s, {u"--json"_s}).exitCode, 2);
        QVERIFY(leftOvers().isEmpty() && !QFile::exists(u"-"_s));
    }

    void refused_data()
    {
        addColumns<QString, QString, QStringList, int>();
        const QString w = u"w"_s;
        const QString file = u"/x.npy"_s;
        const auto row = [&](const char *name, const QStringList &options) {
            addRow(name, w, file, options, 2);
        };
        row("rows past the end", {u"--rows"_s, u"0:4"_s});
        row("rows backwards", {u"--rows"_s, u"2:1"_s});
        row("rows without colon", {u"--rows"_s, u"2"_s});
        row("rows of letters", {u"--rows"_s, u"a:b"_s});
        row("rows beyond 64 bits", {u"--rows"_s, u"0:99999999999999999999"_s});
        row("type", {u"--as"_s, u"fp64"_s});
        for (const char *name : {"/x.txt", "/x", "/x.npy.gz"})
            addRow(name, w, QString::fromLatin1(name), QStringList(), 2);
        addRow("unknown weight", u"x"_s, file, QStringList(), 2);
        addRow("faulty weight", u"bad"_s, file, QStringList(), 3);
        addRow("no such folder", w, u"/a/b.npy"_s, QStringList(), 4);
    }

    void refused()
    {
        const auto [weight, file, options, exitCode] =
            fetched<QString, QString, QStringList, int>();
        const CliResult result = RAN(exitCode, decode(weight, m_out + file, options));
        QVERIFY(!result.err.isEmpty());
        QCOMPARE(leftOvers(), QStringList());
    }

    /// Ctrl-C in the middle: no half file, and what was there before is as it was.
    void interrupted()
    {
        constexpr std::uint64_t kElements = std::uint64_t(1) << 26;
        MadeBundle made;
        made.blob(ElementType::Fp16, "[1]", halves({1}));
        const std::string shape = fmt::format("[{}]", kElements);
        made.constant("tensor<fp16, " + shape + ">", "big", MadeBundle::blobAt("fp16", shape, 64));
        Bytes weights = made.weights();
        for (int i = 0; i < 8; ++i)
            weights[72 + std::size_t(i)] =
                static_cast<std::byte>((2 * kElements) >> (8 * i) & 0xFF);
        const QString bundle = writeBundle(m_scratch, "big.mlmodelc", made.text(), weights);
        std::filesystem::resize_file((bundle + u"/weights/weight.bin"_s).toStdString(),
                                     128 + 2 * kElements);
        const QString output = m_out + u"/big.bin"_s;
        std::ofstream(output.toStdString()) << "before";

        QProcess process;
        process.start(cliProgram(),
                      {u"decode"_s, bundle, u"big"_s, u"--output"_s, output, u"--force"_s});
        QVERIFY(process.waitForStarted());
        const qint64 id = process.processId();
        QElapsedTimer timer;
        timer.start();
        while (leftOvers().size() < 2 && process.state() == QProcess::Running &&
               timer.elapsed() < 60000)
            process.waitForFinished(1);
        if (process.state() == QProcess::Running)
            ::kill(pid_t(id), SIGINT);
        QVERIFY(process.state() == QProcess::NotRunning || process.waitForFinished(60000));
        QCOMPARE(process.exitStatus(), QProcess::NormalExit);
        QCOMPARE(leftOvers(), args("big.bin"));
        if (process.exitCode() == 4)
            QCOMPARE(contentOf(output), QByteArray("before"));
        else // the machine was faster than the signal
            QCOMPARE(QFileInfo(output).size(), qint64(2 * kElements));
        QFile::remove(output);
    }

private:
    CliResult decode(const QString &weight, const QString &output, const QStringList &more = {});
    QStringList leftOvers() const;

    QTemporaryDir m_scratch;
    QString m_bundle;
    QString m_out;
};

CliResult TestCliDecode::decode(const QString &weight, const QString &output,
                                const QStringList &more)
{
    return runCli(args("decode % % --output %", m_bundle, weight, output) + more);
}

QStringList TestCliDecode::leftOvers() const
{
    return QDir(m_out).entryList(QDir::Files | QDir::Hidden);
}

KERNSCOPE_TEST(TestCliDecode, QCoreApplication)
#include "tst_cli_decode.moc"
