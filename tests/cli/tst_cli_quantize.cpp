// SPDX-License-Identifier: GPL-3.0-or-later
// relayout, and what quantize says of the instruction, its devices and what is contested of it.
#include "cli_process.h"
#include "written_array.h"

/// `quantize`, `dequantize` and `encode`, as processes.
/// `dequantize`, with folders that are damaged or refer to files elsewhere.
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
        const auto json = RAN(0, runCli(args("quantize % --output % --json", input, folder) +
                                        options.split(u' ')))
                              .json();
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
        const QStringList line = args("dequantize % --json", folder);
        const CliResult recorded = RAN(0, runCli(line));
        QCOMPARE(recorded.json()["error_from"].get<std::string>(), "recorded");
        QCOMPARE(text(recorded.json()["error"]), text(json["error"]));
        const CliResult back = RAN(0, runCli(line + args("--reference % --force", input)));
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
        const CliResult plain = runCli("dequantize % --force", folder);
        QVERIFY(plain.out.contains("relative") && plain.out.contains("cosine"));
    }

    void refused_data()
    {
        const auto row = addColumns<QString, int, int, int, QByteArray>();
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
        const CliResult result = RAN(
            exitCode, runCli(args("quantize % --output %", input, folder) + options.split(u' ')));
        QVERIFY2(result.err.contains(word), result.err.constData());
        QCOMPARE(QDir(folder).exists(), exitCode == 0);
    }

    /// pto.tquant, supported input types: INT8 takes fp32 only.
    void integersFromHalfRefused()
    {
        const QString input = writeArray(m_scratch, "int.npy", {4, 8}, ElementType::Fp16);
        const QString folder = m_scratch.filePath(u"int"_s);
        const QStringList words = args("quantize % --format int8 --output %", input, folder);
        SAYS(RAN(3, runCli(words)).err, "INT8 takes fp32", "--source fp32");
        QVERIFY(!QDir(folder).exists());
        const auto json = RAN(0, runCli(words + args("--source fp32 --layout nz --json"))).json();
        QCOMPARE(json["constraints"][0]["name"].get<std::string>(), "source");
        QCOMPARE(json["tiles"].size(), std::size_t(4)); // src, dst, scale, tmp
        QCOMPARE(json["tiles"][3]["bytes"].get<int>(), 4 * 32);
        // An option that means nothing to the format is not passed over in silence.
        HOLDS(json, "diagnostics.0.code=quantize.option diagnostics.0.field=--layout");
    }

    /// Rows that do not fill the boxes, and columns of a 16-bit source that do not fill a group.
    void saysWhatItAdds()
    {
        const QString input = writeArray(m_scratch, "odd.npy", {17, 33}, ElementType::Fp16);
        const auto json = RAN(0, runCli("quantize % --format mxfp4 --layout nz --output % --json",
                                        input, m_scratch.filePath(u"odd"_s)))
                              .json();
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
        const auto json =
            RAN(0, runCli("encode % w --form blockwise --block 16 --type int4 --output % --json",
                          path, output))
                .json();
        HOLDS(json, "before.form=dense-fp16 after.form=blockwise after.stored_bytes=40 "
                    "verified=true");
        QVERIFY(json["error"]["weight_relative"].get<double>() < 0.01);
        const CliResult seen = RAN(0, runCli("inspect % --json", output));
        QVERIFY(seen.json()["diagnostics"].empty());
        HOLDS(runCli("diff % % --json", path, output).json(), "weights#=2 only_a#=0 only_b#=0");
        // Survivors that are palette indices, in two operations.
        const QString sparse = m_scratch.filePath(u"joint.mlmodelc"_s);
        const CliResult joint = RAN(0, runCli("encode % w --form sparse --density 0.5 --survivors "
                                              "palette --bits 2 --output % --json",
                                              path, sparse));
        QCOMPARE(joint.json()["after"]["form"].get<std::string>(), "sparse+lut");
        QCOMPARE(joint.json()["after"]["stored_bytes"].get<int>(), 8 + 8 + 8); // mask, indices, lut
        // A second time: the place is taken.
        const CliResult again = RAN(4, runCli("encode % w --form sparse --output %", path, output));
    }

    void encodeRefused_data()
    {
        const auto row = addColumns<QString, int>();
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
        const CliResult result = RAN(
            exitCode, runCli(args("encode %", path) + options.split(u' ') + args("-o %", output)));
        QVERIFY(!result.err.isEmpty());
        QVERIFY(!QDir(output).exists());
    }

    /// 448 * 2^120 is a microscaled number and no fp32 one: it is not written as infinity.
    void dequantizesBeyondFp32()
    {
        const QString input = m_scratch.filePath(u"large.npy"_s);
        QFile file(input);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QByteArray::fromStdString(npyHeader(ElementType::Fp32, {1, 32})));
        for (int i = 0; i < 32; ++i) {
            const float value = i == 0 ? HUGE_VALF : 1.0f;
            file.write(reinterpret_cast<const char *>(&value), 4);
        }
        file.close();
        const QString folder = m_scratch.filePath(u"large"_s);
        QCOMPARE(runCli("quantize % --format mxfp8 --output %", input, folder).exitCode, 0);
        const auto valuesAs = [&](const QStringList &options, const char *type) {
            const CliResult back = runCli(args("dequantize % --json --force", folder) + options);
            if (back.exitCode != 0 || back.json()["dtype"].get<std::string>() != type)
                return std::vector<double>{};
            const QByteArray array = contentOf(folder + u"/dequantized.npy"_s);
            return readNpy(std::as_bytes(std::span(array.constData(), std::size_t(array.size()))),
                           "x")
                ->values;
        };
        const auto exact = valuesAs({}, "fp64");
        QCOMPARE(exact.size(), std::size_t(32));
        QCOMPARE(exact[0], 448 * 0x1p120);
        QCOMPARE(exact[1], 0.0);
        const auto narrow = valuesAs({u"--as"_s, u"fp32"_s}, "fp32");
        QCOMPARE(narrow.size(), std::size_t(32));
        QVERIFY(std::isinf(narrow[0]));
    }

    void referenceElsewhere()
    {
        const QString input = writeArray(m_scratch, "half.npy", {32, 64}, ElementType::Fp16);
        const QString folder = m_scratch.filePath(u"half"_s);
        QCOMPARE(runCli("quantize % --format mxfp4 --output %", input, folder).exitCode, 0);
        const QString moved = m_scratch.filePath(u"moved.npy"_s);
        QVERIFY(QFile::rename(input, moved));
        const CliResult recorded = RAN(0, runCli("dequantize % --json", folder));
        QCOMPARE(recorded.json()["error_from"].get<std::string>(), "recorded");
        QCOMPARE(recorded.json()["error"]["max_abs"].get<double>(), 0.0); // 1 and -2 are exact
        const auto given = runCli("dequantize % --reference % --json --force", folder, moved);
        QCOMPARE(given.json()["error_from"].get<std::string>(), "reference");
        QCOMPARE(text(given.json()["error"]), text(recorded.json()["error"]));
    }

    void damagedFolders()
    {
        const QString input = writeArray(m_scratch, "d.npy", {32, 64});
        const QString folder = m_scratch.filePath(u"damaged"_s);
        QCOMPARE(runCli("quantize % --format mxfp8 --output %", input, folder).exitCode, 0);
        const QString manifest = folder + u"/quantize.json"_s;
        const QByteArray sound = contentOf(manifest);
        const auto codeWith = [&](const QByteArray &from, const QByteArray &to) {
            QFile file(manifest);
            QByteArray damaged = sound;
            damaged.replace(from, to);
            if (!file.open(QIODevice::WriteOnly) || file.write(damaged) != damaged.size())
                return -1;
            file.close();
            return runCli("dequantize % --force", folder).exitCode;
        };
        QCOMPARE(codeWith("", ""), 0);
        QCOMPARE(codeWith("\"rows\": 32", "\"rows\": 18446744073709551615"), 3);
        QCOMPARE(codeWith("\"columns\": 64", "\"columns\": 4"), 3);
        QCOMPARE(codeWith("\"columns_stored\": 64", "\"columns_stored\": 4611686018427387904"), 3);
        QCOMPARE(codeWith("\"axis\": 1", "\"axis\": \"x\""), 3);
        QCOMPARE(codeWith("mxfp8", "mxfp9"), 3);
        QCOMPARE(codeWith("{", "["), 3);
        const QByteArray deep =
            "\"x\": " + QByteArray(70, '[') + QByteArray(70, ']') + ", \"rows\"";
        QCOMPARE(codeWith("\"rows\"", deep), 3);
        const auto nested = runCli("dequantize % --force --json", folder);
        QCOMPARE(text(nested.json()["diagnostics"][0]["file"]), QByteArray("\"quantize.json\""));
        QVERIFY(text(nested.json()["diagnostics"][0]["expected"]).contains("64 levels"));
        QCOMPARE(codeWith("", ""), 0);
        QVERIFY(QFile::resize(folder + u"/exp.bin"_s, 3));
        QCOMPARE(runCli("dequantize % --force", folder).exitCode, 3);
        QVERIFY(QFile::remove(folder + u"/data.bin"_s));
        QCOMPARE(runCli("dequantize % --force", folder).exitCode, 4);
    }

    void relayouts_data()
    {
        QTest::addColumn<QString>("made"); ///< options of quantize
        QTest::addColumn<QString>("first");
        QTest::addColumn<QString>("second");
        const DataRow<QString, QString, QString> row;
        row("--format mxfp8", "--layout nz --exponents zz", "--layout nd --exponents nd");
        row("--format mxfp8 --axis 0", "--layout nz --exponents zz",
            "--layout nd --exponents interleaved");
        row("--format mxfp4 --source fp16", "--layout nz", "--exponents zz");
        row("--format mxfp4 --source fp16 --axis 0", "--exponents interleaved", "--exponents zz");
    }

    /// Every layout that quantize writes comes out of every other one byte for byte, and the way
    /// back gives the folder that was read.
    void relayouts()
    {
        QFETCH(QString, made);
        QFETCH(QString, first);
        QFETCH(QString, second);
        QTemporaryDir scratch;
        const QString input = writeArray(scratch, "in.npy", {128, 192});
        const auto folder = [&](const char *name) { return scratch.filePath(QLatin1String(name)); };
        const auto run = [&](const QStringList &start, const QString &options, const char *output) {
            const CliResult result =
                runCli(start + options.split(QLatin1Char(' '), Qt::SkipEmptyParts) +
                       args("--output %", folder(output)));
            QVERIFY2(result.exitCode == 0, result.err.constData());
        };
        const QStringList quantize = args("quantize %", input);
        const QStringList relayout = args("relayout");
        run(quantize, made, "plain");
        run(relayout + QStringList{folder("plain")}, first, "one");
        run(relayout + QStringList{folder("one")}, second, "two");
        run(relayout + QStringList{folder("two")}, u"--layout nd --exponents nd"_s, "back");
        for (const char *file : {"data.bin", "exp.bin", "quantize.json"})
            QCOMPARE(contentOf(folder("back") + QLatin1Char('/') + QLatin1String(file)),
                     contentOf(folder("plain") + QLatin1Char('/') + QLatin1String(file)));
        // quantize itself, asked for the layout, writes the same bytes.
        const auto manifest =
            nlohmann::json::parse(contentOf(folder("one") + u"/quantize.json"_s).toStdString());
        run(quantize,
            made + u" --layout %1 --exponents %2"_s.arg(
                       QString::fromStdString(manifest["layout"].get<std::string>()),
                       QString::fromStdString(manifest["exponent_layout"].get<std::string>())),
            "direct");
        for (const char *file : {"data.bin", "exp.bin", "quantize.json"})
            QCOMPARE(contentOf(folder("direct") + QLatin1Char('/') + QLatin1String(file)),
                     contentOf(folder("one") + QLatin1Char('/') + QLatin1String(file)));
    }

    /// Bytes that a change of the layout would drop, layouts that a matrix does not have, INT8.
    void relayoutLosesNothing()
    {
        const QString input = writeArray(m_scratch, "rows17.npy", {17, 64}, ElementType::Fp16);
        const auto folder = [&](const char *name) {
            return m_scratch.filePath(QLatin1String(name));
        };
        const auto relayout = [&](const char *from, const QStringList &options, const char *to) {
            return runCli(args("relayout %", folder(from)) + options +
                          args("--output % --json", folder(to)));
        };
        QCOMPARE(runCli("quantize % --format mxfp8 --layout nz --output %", input, folder("boxes"))
                     .exitCode,
                 0);
        const QStringList plain = args("--layout nd");
        QCOMPARE(relayout("boxes", plain, "sound").exitCode, 0);
        QByteArray data = contentOf(folder("boxes") + u"/data.bin"_s);
        data[data.size() - 1] = 1; // row 31 of 17
        QVERIFY(put(folder("boxes") + u"/data.bin"_s, data));
        const CliResult lost = RAN(3, relayout("boxes", plain, "lost"));
        QCOMPARE(lost.json()["diagnostics"][0]["code"].get<std::string>(), "quantize.padding");
        QVERIFY(!QFileInfo::exists(folder("lost")));
        // 17 rows in groups of 32 columns have no interleaved exponents.
        const CliResult none = relayout("sound", {u"--exponents"_s, u"interleaved"_s}, "none");
        QCOMPARE(none.json()["diagnostics"][0]["code"].get<std::string>(), "mx.constraint");
        const QString whole = writeArray(m_scratch, "whole.npy", {16, 32});
        QCOMPARE(runCli("quantize % --format int8 --output %", whole, folder("int8")).exitCode, 0);
        QCOMPARE(
            relayout("int8", plain, "none").json()["diagnostics"][0]["field"].get<std::string>(),
            "format");
    }

    /// A2 and A3 take five casts and a scratch tile, A5 one cast and none. The codes are the same.
    void devices()
    {
        const QString input = writeArray(m_scratch, "device.npy", {48, 64});
        QByteArray codes;
        for (const char *device : {"A2", "A3", "A5"}) {
            const QString folder = m_scratch.filePath(QLatin1String(device));
            const auto json = RAN(0, runCli("quantize % --format int8 --device % --output % --json",
                                            input, QLatin1String(device), folder))
                                  .json();
            const bool newest = QLatin1String(device) == QLatin1String("A5");
            QCOMPARE(json["chain"].get<std::string>(), std::string(newest ? "direct" : "five"));
            QCOMPARE(json["tiles"].back()["name"].get<std::string>() == "tmp", !newest);
            const std::string intrinsic = json["instruction"][0]["text"].get<std::string>();
            QCOMPARE(intrinsic.find("tmp") != std::string::npos, !newest);
            for (const auto &fact : json["devices"])
                QCOMPARE(fact["device"].get<std::string>(), std::string(device));
            const QByteArray found = contentOf(folder + u"/data.bin"_s);
            QVERIFY(codes.isEmpty() || codes == found);
            codes = found;
        }
        // Rows that do not fill boxes of 16: zeros are added, but not on a device.
        const QString odd = writeArray(m_scratch, "odd17.npy", {17, 64});
        const QStringList line = args("quantize % --format mxfp8 --layout nz --json --output", odd);
        const CliResult added = RAN(0, runCli(line + QStringList{m_scratch.filePath(u"odd0"_s)}));
        QCOMPARE(added.json()["diagnostics"][0]["severity"].get<std::string>(), "warning");
        QCOMPARE(RAN(3, runCli(line + args("% --device A5", m_scratch.filePath(u"odd5"_s))))
                     .json()["diagnostics"][0]["code"]
                     .get<std::string>(),
                 "mx.constraint");
    }

    void sayWhatIsContested()
    {
        const QString input = writeArray(m_scratch, "contested.npy", {32, 64}, ElementType::Fp16);
        const QStringList line = args("quantize % --format mxfp4 --axis 0 --output", input);
        const CliResult text = runCli(line + QStringList{m_scratch.filePath(u"c1"_s)});
        SAYS(text.out, "contested: mxfp4_exponent: 1 is subtracted", "contested: mx_rounding",
             "TQuant<0, MxQuantAlg::OcpMxFp4E2M1>", "AS level 2 (DPS)");
        const auto json = runCli(line + args("% --json", m_scratch.filePath(u"c2"_s))).json();
        HOLDS(json, "contested#=4 contested.0.taken=true contested.1.taken=false");
        const CliResult help = runCli("quantize --help");
        const QByteArray words = help.out.simplified(); // lines are wrapped
        QVERIFY(words.contains("2 is subtracted") && words.contains("stochastic"));
    }

private:
    QTemporaryDir m_scratch;
};

KERNSCOPE_TEST(TestCliQuantize, QCoreApplication)
#include "tst_cli_quantize.moc"
