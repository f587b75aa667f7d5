// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli_process.h"
#include "written_bundle.h"

#include "core/numeric/npy.h"
#include "tests/test_program.h"
#include "written_array.h"

using namespace kernscope;
using namespace kernscope::test;

/// `quantize`, `dequantize` and `encode`, as processes.
class TestCliQuantize : public QObject
{
    Q_OBJECT

private slots:
    void roundTrips_data()
    {
        addColumns<QString, double, int, int>();
        const auto row = [](const char *options, double relative, int bytes, int rows = 64) {
            addRow((options + QByteArray(rows < 64 ? " of fewer rows" : "")).constData(),
                   QString::fromUtf8(options), relative, bytes, rows);
        };
        row("--format mxfp8", 0.04, 64 * 128 + 256);
        row("--format mxfp8 --axis 0 --algorithm nv", 0.04, 64 * 128 + 256);
        row("--format mxfp8_e5m2", 0.08, 64 * 128 + 256);
        row("--format mxfp8_e5m2 --layout nz", 0.08, 64 * 128 + 256);
        row("--format mxfp8 --axis 0 --layout nz", 0.04, 64 * 128 + 256, 40);
        row("--format mxfp8 --layout nz", 0.04, 64 * 128 + 256);
        row("--format mxfp8 --axis 0 --layout nz --exponents interleaved", 0.04, 64 * 128 + 256);
        row("--format mxfp4 --source fp16", 0.15, 64 * 64 + 256);
        row("--format mxfp4 --simulator --layout nz --axis 0", 0.15, 64 * 64 + 256);
        row("--format int8", 0.01, 64 * 128 + 256);
        row("--format int8 --per-tensor --chain direct", 0.012, 64 * 128 + 256);
        row("--format uint8 --chain four", 0.01, 64 * 128 + 512);
    }

    void roundTrips()
    {
        const auto [options, relative, bytes, rows] = fetched<QString, double, int, int>();
        const QString input = writeArray(m_scratch, "in.npy", {std::uint64_t(rows), 128});
        const QString folder = m_scratch.filePath(u"out"_s);
        QDir(folder).removeRecursively();
        const CliResult made =
            runCli(QStringList{u"quantize"_s, input, u"--output"_s, folder, u"--json"_s} +
                   options.split(u' '));
        QVERIFY2(made.exitCode == 0, made.err.constData());
        const auto json = made.json();
        QCOMPARE(json["command"].get<std::string>(), "quantize");
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
        const QStringList line{u"dequantize"_s, folder, u"--json"_s};
        const CliResult recorded = runCli(line);
        QCOMPARE(recorded.exitCode, 0);
        QCOMPARE(recorded.json()["error_from"].get<std::string>(), "recorded");
        QCOMPARE(text(recorded.json()["error"]), text(json["error"]));
        const CliResult back = runCli(line + QStringList{u"--reference"_s, input, u"--force"_s});
        QCOMPARE(back.exitCode, 0);
        QCOMPARE(back.json()["error_from"].get<std::string>(), "reference");
        QCOMPARE(text(back.json()["error"]), text(json["error"]));
        const QByteArray array = contentOf(folder + u"/dequantized.npy"_s);
        const auto values = VERIFIED(
            readNpy(std::as_bytes(std::span(array.constData(), std::size_t(array.size()))), "x"));
        QCOMPARE(values->shape, (Shape{std::uint64_t(rows), 128}));
        // What the folder is as a bundle, padding behind it.
        const QString decoded = m_scratch.filePath(u"decoded.npy"_s);
        QCOMPARE(runCli({u"decode"_s, folder, u"in"_s, u"--as"_s, u"fp32"_s, u"-o"_s, decoded,
                         u"--force"_s})
                     .exitCode,
                 0);
        const QByteArray whole = contentOf(decoded);
        auto all = VERIFIED(
            readNpy(std::as_bytes(std::span(whole.constData(), std::size_t(whole.size()))), "y"));
        QCOMPARE(all->shape.front(), std::uint64_t(64));
        all->values.resize(values->values.size());
        QCOMPARE(all->values, values->values);
        // The figures for people too.
        const CliResult plain = runCli({u"dequantize"_s, folder, u"--force"_s});
        QVERIFY(plain.out.contains("relative") && plain.out.contains("cosine"));
    }

    void refused_data()
    {
        addColumns<QString, int, int, int, QByteArray>();
        const auto row = [](const char *options, int rows, int columns, int exitCode,
                            const char *word) {
            QTest::addRow("%s of %d x %d", options, rows, columns)
                << QString::fromUtf8(options) << rows << columns << exitCode << QByteArray(word);
        };
        row("--format mxfp8", 16, 40, 0, "N mod 32 = 0");
        row("--format mxfp8 --device A5", 16, 40, 3, "N mod 32 = 0");
        row("--format mxfp8 --axis 0", 48, 64, 0, "M mod 32 = 0");
        row("--format mxfp8 --axis 0 --device A5", 48, 64, 3, "M mod 32 = 0");
        row("--format mxfp8 --axis 0 --exponents zz", 32, 64, 3, "M mod 64 = 0");
        row("--format mxfp8 --exponents zz", 16, 96, 3, "N mod 64 = 0");
        row("--format mxfp8 --exponents interleaved", 64, 64, 3, "axis 0");
        row("--format mxfp4", 16, 64, 3, "fp16 or bf16");
        row("--format mxfp8", 256, 256, 3, "59461");
        row("--format mxfp8 --tiles", 256, 256, 0, "");
        row("--format mxfp9", 16, 32, 2, "mxfp9");
        row("--format mxfp8 --axis 2", 16, 32, 2, "axis");
    }

    void refused()
    {
        const auto [options, rows, columns, exitCode, word] =
            fetched<QString, int, int, int, QByteArray>();
        const QString input =
            writeArray(m_scratch, "shape.npy", {std::uint64_t(rows), std::uint64_t(columns)});
        const QString folder = m_scratch.filePath(u"refused"_s);
        QDir(folder).removeRecursively();
        const CliResult result =
            runCli(QStringList{u"quantize"_s, input, u"--output"_s, folder} + options.split(u' '));
        QCOMPARE(result.exitCode, exitCode);
        QVERIFY2(result.err.contains(word), result.err.constData());
        QCOMPARE(QDir(folder).exists(), exitCode == 0);
    }

    /// pto.tquant, supported input types: INT8 takes fp32 only.
    void integersFromHalfRefused()
    {
        const QString input = writeArray(m_scratch, "int.npy", {4, 8}, ElementType::Fp16);
        const QString folder = m_scratch.filePath(u"int"_s);
        const QStringList words{u"quantize"_s, input,         u"--format"_s,
                                u"int8"_s,     u"--output"_s, folder};
        const CliResult refused = runCli(words);
        QCOMPARE(refused.exitCode, 3);
        QVERIFY2(refused.err.contains("INT8 takes fp32") && refused.err.contains("--source fp32"),
                 refused.err.constData());
        QVERIFY(!QDir(folder).exists());
        const CliResult widened = runCli(
            words + QStringList{u"--source"_s, u"fp32"_s, u"--layout"_s, u"nz"_s, u"--json"_s});
        QCOMPARE(widened.exitCode, 0);
        const auto json = widened.json();
        QCOMPARE(json["constraints"][0]["name"].get<std::string>(), "source");
        QCOMPARE(json["tiles"].size(), std::size_t(4)); // src, dst, scale, tmp
        QCOMPARE(json["tiles"][3]["bytes"].get<int>(), 4 * 32);
        // An option that means nothing to the format is not passed over in silence.
        QCOMPARE(json["diagnostics"][0]["code"].get<std::string>(), "quantize.option");
        QCOMPARE(json["diagnostics"][0]["field"].get<std::string>(), "--layout");
    }

    /// Rows that do not fill the boxes, and columns of a 16-bit source that do not fill a group.
    void saysWhatItAdds()
    {
        const QString input = writeArray(m_scratch, "odd.npy", {17, 33}, ElementType::Fp16);
        const CliResult made =
            runCli({u"quantize"_s, input, u"--format"_s, u"mxfp4"_s, u"--layout"_s, u"nz"_s,
                    u"--output"_s, m_scratch.filePath(u"odd"_s), u"--json"_s});
        QVERIFY2(made.exitCode == 0, made.err.constData());
        const auto json = made.json();
        // 33 columns are stored as 64: an even number of groups, so that the exponents have a ZZ.
        QCOMPARE(json["exponent_layout"].get<std::string>(), "zz");
        std::set<std::string> padded;
        for (const auto &note : json["diagnostics"]) {
            QCOMPARE(note["code"].get<std::string>(), "quantize.padding");
            padded.insert(note["field"].get<std::string>());
        }
        QCOMPARE(padded, (std::set<std::string>{"columns", "NZ rows", "ZZ rows"}));
        QCOMPARE(json["tiles"][1]["bytes"].get<int>(), 17 * 64 / 2);
        QCOMPARE(json["tiles"][2]["shape"].dump(), "[17,2]");
    }

    void encode()
    {
        MadeBundle made;
        made.weight("w", "[2, 32]", Bytes(128, std::byte{0x3c}));
        made.weight("v", "[5]", halves({1, 2, 3, 4, 5}));
        made.consume("w");
        made.consume("v");
        const QString path = writeBundle(m_scratch, "made.mlmodelc", made);
        const QString output = m_scratch.filePath(u"new.mlmodelc"_s);
        const CliResult result =
            runCli({u"encode"_s, path, u"w"_s, u"--form"_s, u"blockwise"_s, u"--block"_s, u"16"_s,
                    u"--type"_s, u"int4"_s, u"--output"_s, output, u"--json"_s});
        QVERIFY2(result.exitCode == 0, result.err.constData());
        const auto json = result.json();
        QCOMPARE(json["before"]["form"].get<std::string>(), "dense-fp16");
        QCOMPARE(json["after"]["form"].get<std::string>(), "blockwise");
        QCOMPARE(json["after"]["stored_bytes"].get<int>(), 32 + 8);
        QVERIFY(json["verified"].get<bool>());
        QVERIFY(json["error"]["weight_relative"].get<double>() < 0.01);
        const auto seen = runCli({u"inspect"_s, output, u"--json"_s});
        QCOMPARE(seen.exitCode, 0);
        QVERIFY(seen.json()["diagnostics"].empty());
        const auto diff = runCli({u"diff"_s, path, output, u"--json"_s}).json();
        QCOMPARE(diff["weights"].size(), std::size_t(2));
        QVERIFY(diff["only_a"].empty() && diff["only_b"].empty());
        // Survivors that are palette indices, in two operations.
        const QString sparse = m_scratch.filePath(u"joint.mlmodelc"_s);
        const CliResult joint = runCli({u"encode"_s, path, u"w"_s, u"--form"_s, u"sparse"_s,
                                        u"--density"_s, u"0.5"_s, u"--survivors"_s, u"palette"_s,
                                        u"--bits"_s, u"2"_s, u"--output"_s, sparse, u"--json"_s});
        QVERIFY2(joint.exitCode == 0, joint.err.constData());
        QCOMPARE(joint.json()["after"]["form"].get<std::string>(), "sparse+lut");
        QCOMPARE(joint.json()["after"]["stored_bytes"].get<int>(), 8 + 8 + 8); // mask, indices, lut
        // A second time: the place is taken.
        const CliResult again =
            runCli({u"encode"_s, path, u"w"_s, u"--form"_s, u"sparse"_s, u"--output"_s, output});
        QCOMPARE(again.exitCode, 4);
    }

    void encodeRefused_data()
    {
        addColumns<QString, int>();
        const auto row = [](const char *options, int exitCode) {
            addRow(options, QString::fromUtf8(options), exitCode);
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

    void encodeRefused()
    {
        const auto [options, exitCode] = fetched<QString, int>();
        MadeBundle made;
        made.weight("w", "[4, 8]", Bytes(64, std::byte{0x3c}));
        made.weight("n", "[4, 8]", Bytes(64, std::byte{0x7e}));
        made.consume("w");
        made.consume("n");
        const QString path = writeBundle(m_scratch, "refuse.mlmodelc", made);
        const QString output = m_scratch.filePath(u"never.mlmodelc"_s);
        const CliResult result = runCli(QStringList{u"encode"_s, path} + options.split(u' ') +
                                        QStringList{u"-o"_s, output});
        QCOMPARE(result.exitCode, exitCode);
        QVERIFY(!result.err.isEmpty());
        QVERIFY(!QDir(output).exists());
    }

private:
    QTemporaryDir m_scratch;
};

KERNSCOPE_TEST(TestCliQuantize, QCoreApplication)
#include "tst_cli_quantize.moc"
