// SPDX-License-Identifier: GPL-3.0-or-later
// relayout, and what quantize says of the instruction, its devices and what is contested of it.
#include "cli_process.h"
#include "tests/test_program.h"
#include "written_array.h"

using namespace kernscope;
using namespace kernscope::test;

class TestCliRelayout : public QObject
{
    Q_OBJECT

private slots:
    void relayouts_data()
    {
        QTest::addColumn<QString>("made"); ///< options of quantize
        QTest::addColumn<QString>("first");
        QTest::addColumn<QString>("second");
        const auto row = [](const char *made, const char *first, const char *second) {
            QTest::addRow("%s, %s, %s", made, first, second)
                << QString::fromUtf8(made) << QString::fromUtf8(first) << QString::fromUtf8(second);
        };
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
                       QStringList{u"--output"_s, folder(output)});
            QVERIFY2(result.exitCode == 0, result.err.constData());
        };
        const QStringList quantize{u"quantize"_s, input};
        const QStringList relayout{u"relayout"_s};
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
            return runCli(QStringList{u"relayout"_s, folder(from)} + options +
                          QStringList{u"--output"_s, folder(to), u"--json"_s});
        };
        QCOMPARE(runCli({u"quantize"_s, input, u"--format"_s, u"mxfp8"_s, u"--layout"_s, u"nz"_s,
                         u"--output"_s, folder("boxes")})
                     .exitCode,
                 0);
        const QStringList plain{u"--layout"_s, u"nd"_s};
        QCOMPARE(relayout("boxes", plain, "sound").exitCode, 0);
        QByteArray data = contentOf(folder("boxes") + u"/data.bin"_s);
        data[data.size() - 1] = 1; // row 31 of 17
        QVERIFY(put(folder("boxes") + u"/data.bin"_s, data));
        const CliResult lost = relayout("boxes", plain, "lost");
        QCOMPARE(lost.exitCode, 3);
        QCOMPARE(lost.json()["diagnostics"][0]["code"].get<std::string>(), "quantize.padding");
        QVERIFY(!QFileInfo::exists(folder("lost")));
        // 17 rows in groups of 32 columns have no interleaved exponents.
        const CliResult none = relayout("sound", {u"--exponents"_s, u"interleaved"_s}, "none");
        QCOMPARE(none.json()["diagnostics"][0]["code"].get<std::string>(), "mx.constraint");
        const QString whole = writeArray(m_scratch, "whole.npy", {16, 32});
        QCOMPARE(
            runCli({u"quantize"_s, whole, u"--format"_s, u"int8"_s, u"--output"_s, folder("int8")})
                .exitCode,
            0);
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
            const CliResult made =
                runCli({u"quantize"_s, input, u"--format"_s, u"int8"_s, u"--device"_s,
                        QLatin1String(device), u"--output"_s, folder, u"--json"_s});
            QVERIFY2(made.exitCode == 0, made.err.constData());
            const auto json = made.json();
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
        const QStringList line{u"quantize"_s, odd,     u"--format"_s, u"mxfp8"_s,
                               u"--layout"_s, u"nz"_s, u"--json"_s,   u"--output"_s};
        const CliResult added = runCli(line + QStringList{m_scratch.filePath(u"odd0"_s)});
        QCOMPARE(added.exitCode, 0);
        QCOMPARE(added.json()["diagnostics"][0]["severity"].get<std::string>(), "warning");
        const CliResult strict =
            runCli(line + QStringList{m_scratch.filePath(u"odd5"_s), u"--device"_s, u"A5"_s});
        QCOMPARE(strict.exitCode, 3);
        QCOMPARE(strict.json()["diagnostics"][0]["code"].get<std::string>(), "mx.constraint");
    }

    void sayWhatIsContested()
    {
        const QString input = writeArray(m_scratch, "contested.npy", {32, 64}, ElementType::Fp16);
        const QStringList line{u"quantize"_s, input,  u"--format"_s, u"mxfp4"_s,
                               u"--axis"_s,   u"0"_s, u"--output"_s};
        const CliResult text = runCli(line + QStringList{m_scratch.filePath(u"c1"_s)});
        for (const char *words :
             {"contested: mxfp4_exponent: 1 is subtracted", "contested: mx_rounding",
              "TQuant<0, MxQuantAlg::OcpMxFp4E2M1>", "AS level 2 (DPS)"})
            QVERIFY2(text.out.contains(words), words);
        const auto json =
            runCli(line + QStringList{m_scratch.filePath(u"c2"_s), u"--json"_s}).json();
        QCOMPARE(json["contested"].size(), std::size_t(4));
        QVERIFY(json["contested"][0]["taken"].get<bool>());
        QVERIFY(!json["contested"][1]["taken"].get<bool>());
        const CliResult help = runCli({u"quantize"_s, u"--help"_s});
        const QByteArray words = help.out.simplified(); // lines are wrapped
        QVERIFY(words.contains("2 is subtracted") && words.contains("stochastic"));
    }

private:
    QTemporaryDir m_scratch;
};

KERNSCOPE_TEST(TestCliRelayout, QCoreApplication)
#include "tst_cli_relayout.moc"
