// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli_process.h"
#include "written_bundle.h"

#include "core/numeric/npy.h"
#include "tests/test_program.h"
#include "written_array.h"

#include <set>

#include <QTest>

using namespace kernscope;
using namespace kernscope::test;

/// `quantize`, `dequantize` and `encode`, as processes.
class TestCliQuantize : public QObject
{
    Q_OBJECT

private slots:
    void roundTrips_data();
    void roundTrips();
    void refused_data();
    void refused();
    void integersFromHalfRefused();
    void saysWhatItAdds();
    void encode();
    void encodeRefused_data();
    void encodeRefused();

private:
    QTemporaryDir m_scratch;
};

void TestCliQuantize::roundTrips_data()
{
    QTest::addColumn<QString>("options");
    QTest::addColumn<double>("relative");
    QTest::addColumn<int>("bytes");
    const auto row = [](const char *options, double relative, int bytes) {
        QTest::newRow(options) << QString::fromUtf8(options) << relative << bytes;
    };
    row("--format mxfp8", 0.04, 64 * 128 + 256);
    row("--format mxfp8 --axis 0 --algorithm nv", 0.04, 64 * 128 + 256);
    row("--format mxfp8_e5m2", 0.08, 64 * 128 + 256);
    row("--format mxfp8 --layout nz", 0.04, 64 * 128 + 256);
    row("--format mxfp8 --axis 0 --layout nz --exponents interleaved", 0.04, 64 * 128 + 256);
    row("--format mxfp4 --source fp16", 0.15, 64 * 64 + 256);
    row("--format mxfp4 --simulator --layout nz --axis 0", 0.15, 64 * 64 + 256);
    row("--format int8", 0.01, 64 * 128 + 256);
    row("--format int8 --per-tensor --chain direct", 0.012, 64 * 128 + 256);
    row("--format uint8 --chain four", 0.01, 64 * 128 + 512);
}

void TestCliQuantize::roundTrips()
{
    QFETCH(QString, options);
    QFETCH(double, relative);
    QFETCH(int, bytes);
    const QString input = writeArray(m_scratch, "in.npy", {64, 128});
    const QString folder = m_scratch.filePath(QStringLiteral("out"));
    QDir(folder).removeRecursively();
    const CliResult made =
        runCli(QStringList{QStringLiteral("quantize"), input, QStringLiteral("--output"), folder,
                           QStringLiteral("--json")} +
               options.split(u' '));
    QVERIFY2(made.exitCode == 0, made.err.constData());
    const auto json = made.json();
    QCOMPARE(json["command"].get<std::string>(), std::string("quantize"));
    QCOMPARE(json["bytes"].get<int>(), bytes);
    QVERIFY(json["error"]["relative"].get<double>() < relative);
    qint64 found = 0;
    for (const auto &file : json["files"]) {
        const auto content =
            contentOf(folder + u'/' + QString::fromStdString(file["path"].get<std::string>()));
        QCOMPARE(content.size(), file["bytes"].get<qint64>());
        found += content.size();
    }
    QCOMPARE(found, qint64(bytes));
    // The array lies outside of the folder: it is opened where it is named only.
    const QStringList line{QStringLiteral("dequantize"), folder, QStringLiteral("--json")};
    const CliResult recorded = runCli(line);
    QCOMPARE(recorded.exitCode, 0);
    QCOMPARE(recorded.json()["error_from"].get<std::string>(), std::string("recorded"));
    QCOMPARE(text(recorded.json()["error"]), text(json["error"]));
    const CliResult back =
        runCli(line + QStringList{QStringLiteral("--reference"), input, QStringLiteral("--force")});
    QCOMPARE(back.exitCode, 0);
    QCOMPARE(back.json()["error_from"].get<std::string>(), std::string("reference"));
    QCOMPARE(text(back.json()["error"]), text(json["error"]));
    const QByteArray array = contentOf(folder + QStringLiteral("/dequantized.npy"));
    const auto values =
        readNpy(std::as_bytes(std::span(array.constData(), std::size_t(array.size()))), "x");
    QVERIFY(values);
    QCOMPARE(values->shape, (Shape{64, 128}));
    // The figures for people too.
    const CliResult plain =
        runCli({QStringLiteral("dequantize"), folder, QStringLiteral("--force")});
    QVERIFY(plain.out.contains("relative") && plain.out.contains("cosine"));
}

void TestCliQuantize::refused_data()
{
    QTest::addColumn<QString>("options");
    QTest::addColumn<int>("rows");
    QTest::addColumn<int>("columns");
    QTest::addColumn<int>("exitCode");
    QTest::addColumn<QByteArray>("word");
    const auto row = [](const char *options, int rows, int columns, int exitCode,
                        const char *word) {
        QTest::addRow("%s of %d x %d", options, rows, columns)
            << QString::fromUtf8(options) << rows << columns << exitCode << QByteArray(word);
    };
    row("--format mxfp8", 16, 40, 3, "N mod 32 = 0");
    row("--format mxfp8 --axis 0", 48, 64, 3, "M mod 32 = 0");
    row("--format mxfp8 --axis 0 --exponents zz", 32, 64, 3, "M mod 64 = 0");
    row("--format mxfp8 --exponents zz", 16, 96, 3, "N mod 64 = 0");
    row("--format mxfp8 --exponents interleaved", 64, 64, 3, "axis 0");
    row("--format mxfp4", 16, 64, 3, "fp16 or bf16");
    row("--format mxfp8", 256, 256, 3, "59461");
    row("--format mxfp8 --tiles", 256, 256, 0, "");
    row("--format mxfp9", 16, 32, 2, "mxfp9");
    row("--format mxfp8 --axis 2", 16, 32, 2, "axis");
}

void TestCliQuantize::refused()
{
    QFETCH(QString, options);
    QFETCH(int, rows);
    QFETCH(int, columns);
    QFETCH(int, exitCode);
    QFETCH(QByteArray, word);
    const QString input =
        writeArray(m_scratch, "shape.npy", {std::uint64_t(rows), std::uint64_t(columns)});
    const QString folder = m_scratch.filePath(QStringLiteral("refused"));
    QDir(folder).removeRecursively();
    const CliResult result =
        runCli(QStringList{QStringLiteral("quantize"), input, QStringLiteral("--output"), folder} +
               options.split(u' '));
    QCOMPARE(result.exitCode, exitCode);
    QVERIFY2(result.err.contains(word), result.err.constData());
    QCOMPARE(QDir(folder).exists(), exitCode == 0);
}

/// pto.tquant, supported input types: INT8 takes fp32 only.
void TestCliQuantize::integersFromHalfRefused()
{
    const QString input = writeArray(m_scratch, "int.npy", {4, 8}, ElementType::Fp16);
    const QString folder = m_scratch.filePath(QStringLiteral("int"));
    const QStringList words{QStringLiteral("quantize"), input,
                            QStringLiteral("--format"), QStringLiteral("int8"),
                            QStringLiteral("--output"), folder};
    const CliResult refused = runCli(words);
    QCOMPARE(refused.exitCode, 3);
    QVERIFY2(refused.err.contains("INT8 takes fp32") && refused.err.contains("--source fp32"),
             refused.err.constData());
    QVERIFY(!QDir(folder).exists());
    const CliResult widened =
        runCli(words + QStringList{QStringLiteral("--source"), QStringLiteral("fp32"),
                                   QStringLiteral("--layout"), QStringLiteral("nz"),
                                   QStringLiteral("--json")});
    QCOMPARE(widened.exitCode, 0);
    const auto json = widened.json();
    QCOMPARE(json["constraints"][0]["name"].get<std::string>(), std::string("source"));
    QCOMPARE(json["tiles"].size(), std::size_t(4)); // src, dst, scale, tmp
    QCOMPARE(json["tiles"][3]["bytes"].get<int>(), 4 * 32);
    // An option that means nothing to the format is not passed over in silence.
    QCOMPARE(json["diagnostics"][0]["code"].get<std::string>(), std::string("quantize.option"));
    QCOMPARE(json["diagnostics"][0]["field"].get<std::string>(), std::string("--layout"));
}

/// Rows that do not fill the boxes, and columns of a 16-bit source that do not fill a group.
void TestCliQuantize::saysWhatItAdds()
{
    const QString input = writeArray(m_scratch, "odd.npy", {17, 33}, ElementType::Fp16);
    const CliResult made = runCli(
        {QStringLiteral("quantize"), input, QStringLiteral("--format"), QStringLiteral("mxfp4"),
         QStringLiteral("--layout"), QStringLiteral("nz"), QStringLiteral("--output"),
         m_scratch.filePath(QStringLiteral("odd")), QStringLiteral("--json")});
    QVERIFY2(made.exitCode == 0, made.err.constData());
    const auto json = made.json();
    // 33 columns are stored as 64: an even number of groups, so that the exponents have a ZZ.
    QCOMPARE(json["exponent_layout"].get<std::string>(), std::string("zz"));
    std::set<std::string> padded;
    for (const auto &note : json["diagnostics"]) {
        QCOMPARE(note["code"].get<std::string>(), std::string("quantize.padding"));
        padded.insert(note["field"].get<std::string>());
    }
    QCOMPARE(padded, (std::set<std::string>{"columns", "NZ rows", "ZZ rows"}));
    QCOMPARE(json["tiles"][1]["bytes"].get<int>(), 17 * 64 / 2);
    QCOMPARE(json["tiles"][2]["shape"].dump(), std::string("[17,2]"));
}

void TestCliQuantize::encode()
{
    MadeBundle made;
    made.constant("tensor<fp16, [2, 32]>", "w",
                  made.blob(ElementType::Fp16, "[2, 32]", Bytes(128, std::byte{0x3c})));
    made.constant("tensor<fp16, [5]>", "v",
                  made.blob(ElementType::Fp16, "[5]", halves({1, 2, 3, 4, 5})));
    made.consume("w");
    made.consume("v");
    const QString path = writeBundle(m_scratch, "made.mlmodelc", made);
    const QString output = m_scratch.filePath(QStringLiteral("new.mlmodelc"));
    const CliResult result =
        runCli({QStringLiteral("encode"), path, QStringLiteral("w"), QStringLiteral("--form"),
                QStringLiteral("blockwise"), QStringLiteral("--block"), QStringLiteral("16"),
                QStringLiteral("--type"), QStringLiteral("int4"), QStringLiteral("--output"),
                output, QStringLiteral("--json")});
    QVERIFY2(result.exitCode == 0, result.err.constData());
    const auto json = result.json();
    QCOMPARE(json["before"]["form"].get<std::string>(), std::string("dense-fp16"));
    QCOMPARE(json["after"]["form"].get<std::string>(), std::string("blockwise"));
    QCOMPARE(json["after"]["stored_bytes"].get<int>(), 32 + 8);
    QVERIFY(json["verified"].get<bool>());
    QVERIFY(json["error"]["weight_relative"].get<double>() < 0.01);
    const auto seen = runCli({QStringLiteral("inspect"), output, QStringLiteral("--json")});
    QCOMPARE(seen.exitCode, 0);
    QVERIFY(seen.json()["diagnostics"].empty());
    const auto diff =
        runCli({QStringLiteral("diff"), path, output, QStringLiteral("--json")}).json();
    QCOMPARE(diff["weights"].size(), std::size_t(2));
    QVERIFY(diff["only_a"].empty() && diff["only_b"].empty());
    // Survivors that are palette indices, in two operations.
    const QString sparse = m_scratch.filePath(QStringLiteral("joint.mlmodelc"));
    const CliResult joint =
        runCli({QStringLiteral("encode"), path, QStringLiteral("w"), QStringLiteral("--form"),
                QStringLiteral("sparse"), QStringLiteral("--density"), QStringLiteral("0.5"),
                QStringLiteral("--survivors"), QStringLiteral("palette"), QStringLiteral("--bits"),
                QStringLiteral("2"), QStringLiteral("--output"), sparse, QStringLiteral("--json")});
    QVERIFY2(joint.exitCode == 0, joint.err.constData());
    QCOMPARE(joint.json()["after"]["form"].get<std::string>(), std::string("sparse+lut"));
    QCOMPARE(joint.json()["after"]["stored_bytes"].get<int>(), 8 + 8 + 8); // mask, indices, lut
    // A second time: the place is taken.
    const CliResult again =
        runCli({QStringLiteral("encode"), path, QStringLiteral("w"), QStringLiteral("--form"),
                QStringLiteral("sparse"), QStringLiteral("--output"), output});
    QCOMPARE(again.exitCode, 4);
}

void TestCliQuantize::encodeRefused_data()
{
    QTest::addColumn<QString>("options");
    QTest::addColumn<int>("exitCode");
    const auto row = [](const char *options, int exitCode) {
        QTest::newRow(options) << QString::fromUtf8(options) << exitCode;
    };
    row("w --form palette --bits 5", 2);
    row("w --form palette --vector 3", 2);
    row("w --form blockwise --block 7", 2);
    row("w --form sparse --density 2", 2);
    row("w --form sparse --density 0.5 --threshold 1", 2);
    row("w --form sparse --pattern 2-4", 2);
    row("w --form sparse --pattern 5:4", 2);
    row("x --form dense", 2);
    row("w --form fractal", 2);
    row("w --form palette --entries e4m3", 3);
    row("n --form palette", 3); // its values are NaN
    row("w --form sparse --survivors palette --vector 2", 2);
}

void TestCliQuantize::encodeRefused()
{
    QFETCH(QString, options);
    QFETCH(int, exitCode);
    MadeBundle made;
    made.constant("tensor<fp16, [4, 8]>", "w",
                  made.blob(ElementType::Fp16, "[4, 8]", Bytes(64, std::byte{0x3c})));
    made.constant("tensor<fp16, [4, 8]>", "n",
                  made.blob(ElementType::Fp16, "[4, 8]", Bytes(64, std::byte{0x7e})));
    made.consume("w");
    made.consume("n");
    const QString path = writeBundle(m_scratch, "refuse.mlmodelc", made);
    const QString output = m_scratch.filePath(QStringLiteral("never.mlmodelc"));
    const CliResult result =
        runCli(QStringList{QStringLiteral("encode"), path} + options.split(u' ') +
               QStringList{QStringLiteral("-o"), output});
    QCOMPARE(result.exitCode, exitCode);
    QVERIFY(!result.err.isEmpty());
    QVERIFY(!QDir(output).exists());
}

KERNSCOPE_TEST(TestCliQuantize, QCoreApplication)
#include "tst_cli_quantize.moc"
