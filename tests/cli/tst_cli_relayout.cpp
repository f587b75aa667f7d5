// SPDX-License-Identifier: GPL-3.0-or-later
// relayout, and what quantize says of the instruction, its devices and what is contested of it.
#include "cli_process.h"
#include "tests/test_program.h"
#include "written_array.h"

#include <QTest>

using namespace kernscope;
using namespace kernscope::test;

class TestCliRelayout : public QObject
{
    Q_OBJECT

private slots:
    void relayouts_data();
    void relayouts();
    void relayoutLosesNothing();
    void devices();
    void sayWhatIsContested();

private:
    QTemporaryDir m_scratch;
};

void TestCliRelayout::relayouts_data()
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

/// Every layout that quantize writes comes out of every other one byte for byte, and the way back
/// gives the folder that was read.
void TestCliRelayout::relayouts()
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
                   QStringList{QStringLiteral("--output"), folder(output)});
        QVERIFY2(result.exitCode == 0, result.err.constData());
    };
    const QStringList quantize{QStringLiteral("quantize"), input};
    const QStringList relayout{QStringLiteral("relayout")};
    run(quantize, made, "plain");
    run(relayout + QStringList{folder("plain")}, first, "one");
    run(relayout + QStringList{folder("one")}, second, "two");
    run(relayout + QStringList{folder("two")}, QStringLiteral("--layout nd --exponents nd"),
        "back");
    for (const char *file : {"data.bin", "exp.bin", "quantize.json"})
        QCOMPARE(contentOf(folder("back") + QLatin1Char('/') + QLatin1String(file)),
                 contentOf(folder("plain") + QLatin1Char('/') + QLatin1String(file)));
    // quantize itself, asked for the layout, writes the same bytes.
    const auto manifest = nlohmann::json::parse(
        contentOf(folder("one") + QStringLiteral("/quantize.json")).toStdString());
    run(quantize,
        made + QStringLiteral(" --layout %1 --exponents %2")
                   .arg(QString::fromStdString(manifest["layout"].get<std::string>()),
                        QString::fromStdString(manifest["exponent_layout"].get<std::string>())),
        "direct");
    for (const char *file : {"data.bin", "exp.bin", "quantize.json"})
        QCOMPARE(contentOf(folder("direct") + QLatin1Char('/') + QLatin1String(file)),
                 contentOf(folder("one") + QLatin1Char('/') + QLatin1String(file)));
}

/// Bytes that a change of the layout would drop, layouts that a matrix does not have, INT8.
void TestCliRelayout::relayoutLosesNothing()
{
    const QString input = writeArray(m_scratch, "rows17.npy", {17, 64}, ElementType::Fp16);
    const auto folder = [&](const char *name) { return m_scratch.filePath(QLatin1String(name)); };
    const auto relayout = [&](const char *from, const QStringList &options, const char *to) {
        return runCli(
            QStringList{QStringLiteral("relayout"), folder(from)} + options +
            QStringList{QStringLiteral("--output"), folder(to), QStringLiteral("--json")});
    };
    QCOMPARE(runCli({QStringLiteral("quantize"), input, QStringLiteral("--format"),
                     QStringLiteral("mxfp8"), QStringLiteral("--layout"), QStringLiteral("nz"),
                     QStringLiteral("--output"), folder("boxes")})
                 .exitCode,
             0);
    const QStringList plain{QStringLiteral("--layout"), QStringLiteral("nd")};
    QCOMPARE(relayout("boxes", plain, "sound").exitCode, 0);
    QByteArray data = contentOf(folder("boxes") + QStringLiteral("/data.bin"));
    data[data.size() - 1] = 1; // row 31 of 17
    QFile file(folder("boxes") + QStringLiteral("/data.bin"));
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write(data) == data.size());
    file.close();
    const CliResult lost = relayout("boxes", plain, "lost");
    QCOMPARE(lost.exitCode, 3);
    QCOMPARE(lost.json()["diagnostics"][0]["code"].get<std::string>(),
             std::string("quantize.padding"));
    QVERIFY(!QFileInfo::exists(folder("lost")));
    // 17 rows in groups of 32 columns have no interleaved exponents.
    const CliResult none =
        relayout("sound", {QStringLiteral("--exponents"), QStringLiteral("interleaved")}, "none");
    QCOMPARE(none.json()["diagnostics"][0]["code"].get<std::string>(),
             std::string("mx.constraint"));
    const QString whole = writeArray(m_scratch, "whole.npy", {16, 32});
    QCOMPARE(runCli({QStringLiteral("quantize"), whole, QStringLiteral("--format"),
                     QStringLiteral("int8"), QStringLiteral("--output"), folder("int8")})
                 .exitCode,
             0);
    QCOMPARE(relayout("int8", plain, "none").json()["diagnostics"][0]["field"].get<std::string>(),
             std::string("format"));
}

/// A2 and A3 take five casts and a scratch tile, A5 one cast and none. The codes are the same.
void TestCliRelayout::devices()
{
    const QString input = writeArray(m_scratch, "device.npy", {48, 64});
    QByteArray codes;
    for (const char *device : {"A2", "A3", "A5"}) {
        const QString folder = m_scratch.filePath(QLatin1String(device));
        const CliResult made =
            runCli({QStringLiteral("quantize"), input, QStringLiteral("--format"),
                    QStringLiteral("int8"), QStringLiteral("--device"), QLatin1String(device),
                    QStringLiteral("--output"), folder, QStringLiteral("--json")});
        QVERIFY2(made.exitCode == 0, made.err.constData());
        const auto json = made.json();
        const bool newest = QLatin1String(device) == QLatin1String("A5");
        QCOMPARE(json["chain"].get<std::string>(), std::string(newest ? "direct" : "five"));
        QCOMPARE(json["tiles"].back()["name"].get<std::string>() == "tmp", !newest);
        const std::string intrinsic = json["instruction"][0]["text"].get<std::string>();
        QCOMPARE(intrinsic.find("tmp") != std::string::npos, !newest);
        for (const auto &fact : json["devices"])
            QCOMPARE(fact["device"].get<std::string>(), std::string(device));
        const QByteArray found = contentOf(folder + QStringLiteral("/data.bin"));
        QVERIFY(codes.isEmpty() || codes == found);
        codes = found;
    }
    // Rows that do not fill boxes of 16: zeros are added, but not on a device.
    const QString odd = writeArray(m_scratch, "odd17.npy", {17, 64});
    const QStringList line{QStringLiteral("quantize"), odd,
                           QStringLiteral("--format"), QStringLiteral("mxfp8"),
                           QStringLiteral("--layout"), QStringLiteral("nz"),
                           QStringLiteral("--json"),   QStringLiteral("--output")};
    const CliResult added = runCli(line + QStringList{m_scratch.filePath(QStringLiteral("odd0"))});
    QCOMPARE(added.exitCode, 0);
    QCOMPARE(added.json()["diagnostics"][0]["severity"].get<std::string>(), std::string("warning"));
    const CliResult strict =
        runCli(line + QStringList{m_scratch.filePath(QStringLiteral("odd5")),
                                  QStringLiteral("--device"), QStringLiteral("A5")});
    QCOMPARE(strict.exitCode, 3);
    QCOMPARE(strict.json()["diagnostics"][0]["code"].get<std::string>(),
             std::string("mx.constraint"));
}

void TestCliRelayout::sayWhatIsContested()
{
    const QString input = writeArray(m_scratch, "contested.npy", {32, 64}, ElementType::Fp16);
    const QStringList line{QStringLiteral("quantize"), input,
                           QStringLiteral("--format"), QStringLiteral("mxfp4"),
                           QStringLiteral("--axis"),   QStringLiteral("0"),
                           QStringLiteral("--output")};
    const CliResult text = runCli(line + QStringList{m_scratch.filePath(QStringLiteral("c1"))});
    for (const char *words :
         {"contested: mxfp4_exponent: 1 is subtracted", "contested: mx_rounding",
          "TQuant<0, MxQuantAlg::OcpMxFp4E2M1>", "AS level 2 (DPS)"})
        QVERIFY2(text.out.contains(words), words);
    const auto json = runCli(line + QStringList{m_scratch.filePath(QStringLiteral("c2")),
                                                QStringLiteral("--json")})
                          .json();
    QCOMPARE(json["contested"].size(), std::size_t(4));
    QVERIFY(json["contested"][0]["taken"].get<bool>());
    QVERIFY(!json["contested"][1]["taken"].get<bool>());
    const CliResult help = runCli({QStringLiteral("quantize"), QStringLiteral("--help")});
    const QByteArray words = help.out.simplified(); // lines are wrapped
    QVERIFY(words.contains("2 is subtracted") && words.contains("stochastic"));
}

KERNSCOPE_TEST(TestCliRelayout, QCoreApplication)
#include "tst_cli_relayout.moc"
