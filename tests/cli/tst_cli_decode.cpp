// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli_process.h"
#include "written_bundle.h"

#include "core/numeric/npy.h"
#include "tests/test_program.h"

#include <QElapsedTimer>
#include <QProcess>
#include <QTest>

#include <array>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

using namespace kernscope;
using namespace kernscope::test;
using Json = nlohmann::ordered_json;

namespace {

QByteArray contentOf(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace

/// `decode`: the values of one weight as a file, whole or not at all.
class TestCliDecode : public QObject
{
    Q_OBJECT

private slots:
    void allWeights();
    void noWeights();
    void initTestCase();
    void values_data();
    void values();
    void saysWhatIsRounded();
    void saysWhatIsReadAsAnotherType();
    void textAndStandardOutput();
    void refused_data();
    void refused();
    void interrupted();

private:
    CliResult decode(const QString &weight, const QString &output, const QStringList &more = {});
    QStringList leftOvers() const;

    QTemporaryDir m_scratch;
    QString m_bundle;
    QString m_out;
};

/// A model without weights has nothing to decode, which is no fault of it.
void TestCliDecode::noWeights()
{
    const QString path = writeBundle(m_scratch, "none.mlmodelc", MadeBundle());
    const QString out = m_scratch.filePath(QStringLiteral("none.safetensors"));
    const QStringList words{QStringLiteral("decode"), path, QStringLiteral("--all"),
                            QStringLiteral("-o"), out};
    const CliResult result = runCli(words);
    QVERIFY2(result.exitCode == 0, result.err.constData());
    QVERIFY(result.out.contains("no weights"));
    const CliResult json = runCli(words + QStringList{QStringLiteral("--json")});
    QCOMPARE(json.exitCode, 0);
    QVERIFY(json.json()["tensors"].empty() && json.json()["output"].is_null());
    QVERIFY(!QFile::exists(out));
}

void TestCliDecode::initTestCase()
{
    MadeBundle made;
    made.constant("tensor<fp16, [3, 2]>", "w",
                  made.blob(ElementType::Fp16, "[3, 2]", halves({1, 2, 3, 4, 5, -6})));
    made.constant("tensor<fp16, [9]>", "bad", MadeBundle::blobAt("fp16", "[9]", 64));
    m_bundle = writeBundle(m_scratch, "decode.mlmodelc", made);
    m_out = m_scratch.filePath(QStringLiteral("out"));
    QVERIFY(QDir().mkpath(m_out));
}

CliResult TestCliDecode::decode(const QString &weight, const QString &output,
                                const QStringList &more)
{
    return runCli(QStringList{QStringLiteral("decode"), m_bundle, weight,
                              QStringLiteral("--output"), output} +
                  more);
}

QStringList TestCliDecode::leftOvers() const
{
    return QDir(m_out).entryList(QDir::Files | QDir::Hidden);
}

void TestCliDecode::values_data()
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<QStringList>("options");
    QTest::addColumn<QByteArray>("shape");
    QTest::addColumn<QList<double>>("values");
    const QString npy = QStringLiteral("w.npy");
    const QList<double> all{1, 2, 3, 4, 5, -6};
    const QString rows = QStringLiteral("--rows");
    const QStringList wide{QStringLiteral("--as"), QStringLiteral("fp32")};
    QTest::newRow("all") << npy << QStringList() << QByteArray("[3, 2]") << all;
    QTest::newRow("fp32") << npy << wide << QByteArray("[3, 2]") << all;
    QTest::newRow("rows") << npy << QStringList{rows, QStringLiteral("1:2")} << QByteArray("[1, 2]")
                          << QList<double>{3, 4};
    QTest::newRow("first rows") << npy << QStringList{rows, QStringLiteral(":2")}
                                << QByteArray("[2, 2]") << QList<double>{1, 2, 3, 4};
    QTest::newRow("last rows") << npy << (QStringList{rows, QStringLiteral("2:")} + wide)
                               << QByteArray("[1, 2]") << QList<double>{5, -6};
    QTest::newRow("no rows") << npy << QStringList{rows, QStringLiteral("2:2")}
                             << QByteArray("[0, 2]") << QList<double>{};
    QTest::newRow("raw") << QStringLiteral("w.bin") << QStringList() << QByteArray() << all;
    QTest::newRow("by --format") << QStringLiteral("w.x")
                                 << QStringList{QStringLiteral("--format"), QStringLiteral("npy")}
                                 << QByteArray("[3, 2]") << all;
}

void TestCliDecode::values()
{
    QFETCH(QString, file);
    QFETCH(QStringList, options);
    QFETCH(QByteArray, shape);
    QFETCH(QList<double>, values);
    const QString path = m_out + QLatin1Char('/') + file;
    const CliResult result =
        decode(QStringLiteral("w"), path, options + QStringList{QStringLiteral("--json")});
    QCOMPARE(result.exitCode, 0);
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
    const auto array = readNpy(
        std::as_bytes(std::span(content.constData(), std::size_t(content.size()))), "w.npy");
    QVERIFY(array);
    QCOMPARE(QByteArray::fromStdString(shapeText(array->shape)), shape);
    QCOMPARE(QList<double>(array->values.begin(), array->values.end()), values);
}

/// Whoever decodes fp32 as fp16 hears of it; nothing is said where nothing is lost.
/// The record says fp16, the program int8, and the bytes are as many as int8 has.
void TestCliDecode::saysWhatIsReadAsAnotherType()
{
    MadeBundle made;
    made.blob(ElementType::Fp16, "[2]",
              Bytes{std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}});
    made.constant("tensor<int8, [4]>", "w", MadeBundle::blobAt("int8", "[4]", made.lastRecord()));
    made.consume("w");
    const auto result = runCli({QStringLiteral("decode"),
                                writeBundle(m_scratch, "typed.mlmodelc", made), QStringLiteral("w"),
                                QStringLiteral("-o"), m_scratch.filePath(QStringLiteral("t.npy"))});
    QCOMPARE(result.exitCode, 0);
    QVERIFY2(result.err.contains("[blob.type]"), result.err.constData());
}

void TestCliDecode::saysWhatIsRounded()
{
    MadeBundle made;
    Bytes payload(2 * sizeof(float));
    const std::array<float, 2> wide{1.0F / 3.0F, 100'000.0F};
    std::memcpy(payload.data(), wide.data(), payload.size());
    made.constant("tensor<fp32, [2]>", "wide", made.blob(ElementType::Fp32, "[2]", payload));
    made.consume("wide");
    const QString bundle = writeBundle(m_scratch, "wide.mlmodelc", made);
    const auto run = [&](const QStringList &more) {
        return runCli(QStringList{QStringLiteral("decode"), bundle, QStringLiteral("wide"),
                                  QStringLiteral("-f"), QStringLiteral("-o"),
                                  m_out + QStringLiteral("/w.npy")} +
                      more);
    };
    const CliResult half = run({QStringLiteral("--json")});
    QCOMPARE(half.exitCode, 0);
    QCOMPARE(half.json()["diagnostics"].size(), std::size_t{2});
    QCOMPARE(half.json()["diagnostics"][1]["code"].get<std::string>(), "decode.overflow");
    QCOMPARE(half.json()["diagnostics"][1]["found"].get<std::string>(), "1 value beyond it");
    QCOMPARE(half.json()["diagnostics"][0]["code"].get<std::string>(), "decode.rounded");
    QVERIFY(run({}).err.contains("rounded to fp16"));
    const CliResult whole =
        run({QStringLiteral("--as"), QStringLiteral("fp32"), QStringLiteral("--json")});
    QCOMPARE(whole.exitCode, 0);
    QVERIFY(whole.json()["diagnostics"].empty());
    QFile::remove(m_out + QStringLiteral("/w.npy"));
}

/// Values as text, and standard output in place of a file.
void TestCliDecode::textAndStandardOutput()
{
    const QString path = m_out + QStringLiteral("/w.csv");
    const QStringList rows{QStringLiteral("--rows"), QStringLiteral("1:3")};
    QCOMPARE(decode(QStringLiteral("w"), path, rows).exitCode, 0);
    QCOMPARE(contentOf(path), QByteArray("3,4\n5,-6\n"));
    QFile::remove(path);
    const CliResult text = decode(QStringLiteral("w"), QStringLiteral("-"),
                                  {QStringLiteral("--format"), QStringLiteral("csv")});
    QCOMPARE(text.exitCode, 0);
    QCOMPARE(text.out, QByteArray("1,2\n3,4\n5,-6\n"));
    const CliResult array = decode(QStringLiteral("w"), QStringLiteral("-"));
    QCOMPARE(array.exitCode, 0);
    QVERIFY(array.out.startsWith("\x93NUMPY") && array.out.size() == 128 + 12);
    QCOMPARE(decode(QStringLiteral("w"), QStringLiteral("-"), {QStringLiteral("--json")}).exitCode,
             2);
    QVERIFY(leftOvers().isEmpty() && !QFile::exists(QStringLiteral("-")));
}

void TestCliDecode::refused_data()
{
    QTest::addColumn<QString>("weight");
    QTest::addColumn<QString>("file");
    QTest::addColumn<QStringList>("options");
    QTest::addColumn<int>("exitCode");
    const QString w = QStringLiteral("w");
    const QString file = QStringLiteral("/x.npy");
    const auto row = [&](const char *name, const QStringList &options) {
        QTest::newRow(name) << w << file << options << 2;
    };
    row("rows past the end", {QStringLiteral("--rows"), QStringLiteral("0:4")});
    row("rows backwards", {QStringLiteral("--rows"), QStringLiteral("2:1")});
    row("rows without colon", {QStringLiteral("--rows"), QStringLiteral("2")});
    row("rows of letters", {QStringLiteral("--rows"), QStringLiteral("a:b")});
    row("rows beyond 64 bits",
        {QStringLiteral("--rows"), QStringLiteral("0:99999999999999999999")});
    row("type", {QStringLiteral("--as"), QStringLiteral("fp64")});
    for (const char *name : {"/x.txt", "/x", "/x.npy.gz"})
        QTest::newRow(name) << w << QString::fromLatin1(name) << QStringList() << 2;
    QTest::newRow("unknown weight") << QStringLiteral("x") << file << QStringList() << 2;
    QTest::newRow("faulty weight") << QStringLiteral("bad") << file << QStringList() << 3;
    QTest::newRow("no such folder") << w << QStringLiteral("/a/b.npy") << QStringList() << 4;
}

void TestCliDecode::refused()
{
    QFETCH(QString, weight);
    QFETCH(QString, file);
    QFETCH(QStringList, options);
    QFETCH(int, exitCode);
    const CliResult result = decode(weight, m_out + file, options);
    QCOMPARE(result.exitCode, exitCode);
    QVERIFY(!result.err.isEmpty());
    QCOMPARE(leftOvers(), QStringList());
}

/// Ctrl-C in the middle: no half file, and what was there before is as it was.
void TestCliDecode::interrupted()
{
    constexpr std::uint64_t kElements = std::uint64_t(1) << 26;
    MadeBundle made;
    made.blob(ElementType::Fp16, "[1]", halves({1}));
    const std::string shape = fmt::format("[{}]", kElements);
    made.constant("tensor<fp16, " + shape + ">", "big", MadeBundle::blobAt("fp16", shape, 64));
    Bytes weights = made.weights();
    for (int i = 0; i < 8; ++i)
        weights[72 + std::size_t(i)] = static_cast<std::byte>((2 * kElements) >> (8 * i) & 0xFF);
    const QString bundle = writeBundle(m_scratch, "big.mlmodelc", made.text(), weights);
    std::filesystem::resize_file((bundle + QStringLiteral("/weights/weight.bin")).toStdString(),
                                 128 + 2 * kElements);
    const QString output = m_out + QStringLiteral("/big.bin");
    std::ofstream(output.toStdString()) << "before";

    QProcess process;
    process.start(cliProgram(), {QStringLiteral("decode"), bundle, QStringLiteral("big"),
                                 QStringLiteral("--output"), output, QStringLiteral("--force")});
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
    QCOMPARE(leftOvers(), QStringList{QStringLiteral("big.bin")});
    if (process.exitCode() == 4)
        QCOMPARE(contentOf(output), QByteArray("before"));
    else // the machine was faster than the signal
        QCOMPARE(QFileInfo(output).size(), qint64(2 * kElements));
    QFile::remove(output);
}

/// All weights as one file of tensors: those that cannot be read are named and left out.
void TestCliDecode::allWeights()
{
    const QString path = m_out + QStringLiteral("/all.safetensors");
    const auto run = [&](const QStringList &more) {
        return runCli(QStringList{QStringLiteral("decode"), m_bundle} + more);
    };
    const QString all = QStringLiteral("--all"), out = QStringLiteral("-o");
    const CliResult result = run({all, out, path, QStringLiteral("--json")});
    QCOMPARE(result.exitCode, 3); // "bad"
    QCOMPARE(result.json()["tensors"].size(), std::size_t{1});
    QCOMPARE(result.json()["tensors"][0]["name"].get<std::string>(), "w");
    QCOMPARE(result.json()["bytes"].get<qint64>(), contentOf(path).size());
    const CliResult back = runCli({QStringLiteral("inspect"), path, QStringLiteral("--json")});
    QCOMPARE(back.exitCode, 0);
    QCOMPARE(back.json()["weights"][0]["form"].get<std::string>(), "dense-fp16");
    QCOMPARE(run({all, out, path}).exitCode, 4); // it is there
    QFile::remove(path);
    QCOMPARE(run({QStringLiteral("w"), out, path}).exitCode, 0);
    QFile::remove(path);
    QCOMPARE(run({QStringLiteral("bad"), out, path}).exitCode, 3);
    const QString arrays = m_out + QStringLiteral("/all.npz");
    const CliResult zipped = run({all, out, arrays, QStringLiteral("--json")});
    QCOMPARE(zipped.exitCode, 3);
    QCOMPARE(zipped.json()["bytes"].get<qint64>(), contentOf(arrays).size());
    const CliResult members = runCli({QStringLiteral("inspect"), arrays, QStringLiteral("--json")});
    QCOMPARE(members.exitCode, 0);
    QCOMPARE(members.json()["weights"][0]["name"].get<std::string>(), "w");
    QFile::remove(arrays);
    QCOMPARE(run({QStringLiteral("w"), out, arrays}).exitCode, 0); // of one weight too
    QVERIFY(contentOf(arrays).startsWith("PK"));
    QFile::remove(arrays);
    QCOMPARE(run({out, path}).exitCode, 2);
    QCOMPARE(run({QStringLiteral("w"), all, out, path}).exitCode, 2);
    QCOMPARE(run({all, out, m_out + QStringLiteral("/all.npy")}).exitCode, 2);
    QCOMPARE(run({all, out, path, QStringLiteral("--rows"), QStringLiteral("0:1")}).exitCode, 2);
    QVERIFY(leftOvers().isEmpty());
}

KERNSCOPE_TEST(TestCliDecode, QCoreApplication)
#include "tst_cli_decode.moc"
