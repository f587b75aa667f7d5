// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli_process.h"
#include "written_bundle.h"

#include "core/numeric/npy.h"
#include "tests/test_program.h"
#include "written_array.h"

using namespace kernscope;
using namespace kernscope::test;

/// `dequantize`, with folders that are damaged or refer to files elsewhere.
class TestCliDequantize : public QObject
{
    Q_OBJECT

private slots:
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
        QCOMPARE(runCli({u"quantize"_s, input, u"--format"_s, u"mxfp8"_s, u"--output"_s, folder})
                     .exitCode,
                 0);
        const auto valuesAs = [&](const QStringList &options, const char *type) {
            const CliResult back =
                runCli(QStringList{u"dequantize"_s, folder, u"--json"_s, u"--force"_s} + options);
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
        QCOMPARE(runCli({u"quantize"_s, input, u"--format"_s, u"mxfp4"_s, u"--output"_s, folder})
                     .exitCode,
                 0);
        const QString moved = m_scratch.filePath(u"moved.npy"_s);
        QVERIFY(QFile::rename(input, moved));
        const auto recorded = runCli({u"dequantize"_s, folder, u"--json"_s});
        QCOMPARE(recorded.exitCode, 0);
        QCOMPARE(recorded.json()["error_from"].get<std::string>(), "recorded");
        QCOMPARE(recorded.json()["error"]["max_abs"].get<double>(), 0.0); // 1 and -2 are exact
        const auto given =
            runCli({u"dequantize"_s, folder, u"--reference"_s, moved, u"--json"_s, u"--force"_s});
        QCOMPARE(given.json()["error_from"].get<std::string>(), "reference");
        QCOMPARE(text(given.json()["error"]), text(recorded.json()["error"]));
    }

    void damagedFolders()
    {
        const QString input = writeArray(m_scratch, "d.npy", {32, 64});
        const QString folder = m_scratch.filePath(u"damaged"_s);
        QCOMPARE(runCli({u"quantize"_s, input, u"--format"_s, u"mxfp8"_s, u"--output"_s, folder})
                     .exitCode,
                 0);
        const QString manifest = folder + u"/quantize.json"_s;
        const QByteArray sound = contentOf(manifest);
        const auto codeWith = [&](const QByteArray &from, const QByteArray &to) {
            QFile file(manifest);
            QByteArray damaged = sound;
            damaged.replace(from, to);
            if (!file.open(QIODevice::WriteOnly) || file.write(damaged) != damaged.size())
                return -1;
            file.close();
            return runCli({u"dequantize"_s, folder, u"--force"_s}).exitCode;
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
        const auto nested = runCli({u"dequantize"_s, folder, u"--force"_s, u"--json"_s});
        QCOMPARE(text(nested.json()["diagnostics"][0]["file"]), QByteArray("\"quantize.json\""));
        QVERIFY(text(nested.json()["diagnostics"][0]["expected"]).contains("64 levels"));
        QCOMPARE(codeWith("", ""), 0);
        QVERIFY(QFile::resize(folder + u"/exp.bin"_s, 3));
        QCOMPARE(runCli({u"dequantize"_s, folder, u"--force"_s}).exitCode, 3);
        QVERIFY(QFile::remove(folder + u"/data.bin"_s));
        QCOMPARE(runCli({u"dequantize"_s, folder, u"--force"_s}).exitCode, 4);
    }

private:
    QTemporaryDir m_scratch;
};

KERNSCOPE_TEST(TestCliDequantize, QCoreApplication)
#include "tst_cli_dequantize.moc"
