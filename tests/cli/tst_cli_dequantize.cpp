// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli_process.h"
#include "written_bundle.h"

#include "core/numeric/npy.h"
#include "tests/test_program.h"
#include "written_array.h"

#include <cmath>

#include <QTest>

using namespace kernscope;
using namespace kernscope::test;

/// `dequantize`, with folders that are damaged or refer to files elsewhere.
class TestCliDequantize : public QObject
{
    Q_OBJECT

private slots:
    void dequantizesBeyondFp32();
    void referenceElsewhere();
    void damagedFolders();

private:
    QTemporaryDir m_scratch;
};

/// 448 * 2^120 is a microscaled number and no fp32 one: it is not written as infinity.
void TestCliDequantize::dequantizesBeyondFp32()
{
    const QString input = m_scratch.filePath(QStringLiteral("large.npy"));
    QFile file(input);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(QByteArray::fromStdString(npyHeader(ElementType::Fp32, {1, 32})));
    for (int i = 0; i < 32; ++i) {
        const float value = i == 0 ? HUGE_VALF : 1.0f;
        file.write(reinterpret_cast<const char *>(&value), 4);
    }
    file.close();
    const QString folder = m_scratch.filePath(QStringLiteral("large"));
    QCOMPARE(runCli({QStringLiteral("quantize"), input, QStringLiteral("--format"),
                     QStringLiteral("mxfp8"), QStringLiteral("--output"), folder})
                 .exitCode,
             0);
    const auto valuesAs = [&](const QStringList &options, const char *type) {
        const CliResult back =
            runCli(QStringList{QStringLiteral("dequantize"), folder, QStringLiteral("--json"),
                               QStringLiteral("--force")} +
                   options);
        if (back.exitCode != 0 || back.json()["dtype"].get<std::string>() != type)
            return std::vector<double>{};
        const QByteArray array = contentOf(folder + QStringLiteral("/dequantized.npy"));
        return readNpy(std::as_bytes(std::span(array.constData(), std::size_t(array.size()))), "x")
            ->values;
    };
    const auto exact = valuesAs({}, "fp64");
    QCOMPARE(exact.size(), std::size_t(32));
    QCOMPARE(exact[0], 448 * 0x1p120);
    QCOMPARE(exact[1], 0.0);
    const auto narrow = valuesAs({QStringLiteral("--as"), QStringLiteral("fp32")}, "fp32");
    QCOMPARE(narrow.size(), std::size_t(32));
    QVERIFY(std::isinf(narrow[0]));
}

void TestCliDequantize::referenceElsewhere()
{
    const QString input = writeArray(m_scratch, "half.npy", {32, 64}, ElementType::Fp16);
    const QString folder = m_scratch.filePath(QStringLiteral("half"));
    QCOMPARE(runCli({QStringLiteral("quantize"), input, QStringLiteral("--format"),
                     QStringLiteral("mxfp4"), QStringLiteral("--output"), folder})
                 .exitCode,
             0);
    const QString moved = m_scratch.filePath(QStringLiteral("moved.npy"));
    QVERIFY(QFile::rename(input, moved));
    const auto recorded = runCli({QStringLiteral("dequantize"), folder, QStringLiteral("--json")});
    QCOMPARE(recorded.exitCode, 0);
    QCOMPARE(recorded.json()["error_from"].get<std::string>(), std::string("recorded"));
    QCOMPARE(recorded.json()["error"]["max_abs"].get<double>(), 0.0); // 1 and -2 are exact
    const auto given = runCli({QStringLiteral("dequantize"), folder, QStringLiteral("--reference"),
                               moved, QStringLiteral("--json"), QStringLiteral("--force")});
    QCOMPARE(given.json()["error_from"].get<std::string>(), std::string("reference"));
    QCOMPARE(text(given.json()["error"]), text(recorded.json()["error"]));
}

void TestCliDequantize::damagedFolders()
{
    const QString input = writeArray(m_scratch, "d.npy", {32, 64});
    const QString folder = m_scratch.filePath(QStringLiteral("damaged"));
    QCOMPARE(runCli({QStringLiteral("quantize"), input, QStringLiteral("--format"),
                     QStringLiteral("mxfp8"), QStringLiteral("--output"), folder})
                 .exitCode,
             0);
    const QString manifest = folder + QStringLiteral("/quantize.json");
    const QByteArray sound = contentOf(manifest);
    const auto codeWith = [&](const QByteArray &from, const QByteArray &to) {
        QFile file(manifest);
        QByteArray damaged = sound;
        damaged.replace(from, to);
        if (!file.open(QIODevice::WriteOnly) || file.write(damaged) != damaged.size())
            return -1;
        file.close();
        return runCli({QStringLiteral("dequantize"), folder, QStringLiteral("--force")}).exitCode;
    };
    QCOMPARE(codeWith("", ""), 0);
    QCOMPARE(codeWith("\"rows\": 32", "\"rows\": 18446744073709551615"), 3);
    QCOMPARE(codeWith("\"columns\": 64", "\"columns\": 4"), 3);
    QCOMPARE(codeWith("\"columns_stored\": 64", "\"columns_stored\": 4611686018427387904"), 3);
    QCOMPARE(codeWith("\"axis\": 1", "\"axis\": \"x\""), 3);
    QCOMPARE(codeWith("mxfp8", "mxfp9"), 3);
    QCOMPARE(codeWith("{", "["), 3);
    const QByteArray deep = "\"x\": " + QByteArray(70, '[') + QByteArray(70, ']') + ", \"rows\"";
    QCOMPARE(codeWith("\"rows\"", deep), 3);
    const auto nested = runCli({QStringLiteral("dequantize"), folder, QStringLiteral("--force"),
                                QStringLiteral("--json")});
    QCOMPARE(text(nested.json()["diagnostics"][0]["file"]), QByteArray("\"quantize.json\""));
    QVERIFY(text(nested.json()["diagnostics"][0]["expected"]).contains("64 levels"));
    QCOMPARE(codeWith("", ""), 0);
    QVERIFY(QFile::resize(folder + QStringLiteral("/exp.bin"), 3));
    QCOMPARE(runCli({QStringLiteral("dequantize"), folder, QStringLiteral("--force")}).exitCode, 3);
    QVERIFY(QFile::remove(folder + QStringLiteral("/data.bin")));
    QCOMPARE(runCli({QStringLiteral("dequantize"), folder, QStringLiteral("--force")}).exitCode, 4);
}

KERNSCOPE_TEST(TestCliDequantize, QCoreApplication)
#include "tst_cli_dequantize.moc"
