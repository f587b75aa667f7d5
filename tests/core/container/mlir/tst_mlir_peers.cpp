// SPDX-License-Identifier: GPL-3.0-or-later
// Modules that the platform's own tools wrote, beside what its own library printed of them.
#include "core/container/mlir/aicode.h"
#include "core/container/mlir/writer.h"
#include "module_text.h"
#include "tests/data/data_folder.h"

#include <sys/resource.h>

namespace {

/// A row for each main.mlirb below a folder of the peers.
void addModules(const QStringList &folders)
{
    QTest::addColumn<QString>("path");
    for (const QString &folder : folders) {
        const QString root = dataPath(u"../peers/"_s + folder);
        for (const QString &path : pathsBelow(root, {u"main.mlirb"_s})) {
            if (contentOf(path).startsWith("ML\xefR"))
                QTest::newRow(qPrintable(path.mid(root.size()))) << path;
        }
    }
}

} // namespace

/// Numbers by their value: the vendor's library cuts the last digit of some, 9.99999974E-6.
static QByteArray withValues(const QByteArray &line)
{
    static const QRegularExpression number(u"-?\\d\\.\\d+E[+-]\\d+"_s);
    QString text = QString::fromUtf8(line);
    for (qsizetype at = 0;;) {
        const auto match = number.match(text, at);
        if (!match.hasMatch())
            return text.toUtf8();
        const QString value = QString::number(match.captured().toFloat(), 'g', 9);
        text.replace(match.capturedStart(), match.capturedLength(), value);
        at = match.capturedStart() + value.size();
    }
}

class TestMlirPeers : public QObject
{
    Q_OBJECT

private slots:
    void writesTheSameBytes_data() { addModules({u"coreai"_s, u"coreai-found"_s, u"odix"_s}); }

    void writesTheSameBytes()
    {
        KERNSCOPE_SKIP_WITHOUT_ROWS();
        QFETCH(QString, path);
        const QByteArray content = contentOf(path);
        const mlir::Module module = mlir::readModule(asSpan(content), "main.mlirb");
        QVERIFY2(!module.fault, module.fault ? describe(*module.fault).c_str() : "");
        QVERIFY(module.diagnostics.empty());
        for (const mlir::Operation &operation : module.operations) {
            const bool known = operation.properties == mlir::kNone ||
                               module.operationNames[operation.name].row != nullptr;
            QVERIFY2(known, module.operationName(operation).c_str());
        }
        mlir::WriteReport report;
        const auto written = VERIFIED(mlir::writeModule(module, nullptr, &report));
        QVERIFY(std::ranges::equal(*written, asSpan(content)));
        QCOMPARE(report.kept.size(), 0U); // all of it was understood
    }

    void printsAsTheVendor_data() { addModules({u"coreai"_s}); }

    void printsAsTheVendor()
    {
        KERNSCOPE_SKIP_WITHOUT_ROWS();
        QFETCH(QString, path);
        const QString stored = path.section(u'/', 0, -3) + u"/stored.mlir"_s;
        KERNSCOPE_NEEDS(stored);
        const QByteArray content = contentOf(path);
        const mlir::Module module = mlir::readModule(asSpan(content), "main.mlirb");
        QVERIFY(!module.fault);
        const QByteArray expected = contentOf(stored);
        const qsizetype resources = expected.indexOf("\n{-#");
        const QByteArrayList lines =
            expected.left(resources < 0 ? expected.size() : resources).split('\n');
        const std::string text = moduleText(module, std::size_t(1) << 30);
        const QByteArrayList own = QByteArray::fromStdString(text).split('\n');
        for (qsizetype i = 0; i < std::min(own.size(), lines.size()); ++i) {
            const QByteArray mine = withValues(own[i]), theirs = withValues(lines[i]);
            const auto from =
                std::max<qsizetype>(std::ranges::mismatch(mine, theirs).in1 - mine.begin() - 60, 0);
            QVERIFY2(mine == theirs,
                     (mine.mid(from, 120) + " instead of " + theirs.mid(from, 120)).constData());
        }
        QCOMPARE(own.size(), lines.size());
        // Resources: key and, in hexadecimal digits, alignment and bytes.
        QMap<QByteArray, QByteArray> known;
        for (const QByteArray &line : expected.mid(std::max<qsizetype>(resources, 0)).split('\n')) {
            const qsizetype at = line.indexOf(": \"0x");
            if (at >= 0)
                known.insert(line.left(at).trimmed().replace('"', ""),
                             line.mid(at + 5).split('"')[0]);
        }
        for (const mlir::Resource &resource : module.resources) {
            const auto key = QByteArray::fromStdString(std::string(module.strings[resource.key]));
            const auto data = module.bytesOf(resource.data);
            QByteArray hex =
                QByteArray(1, char(resource.alignment)) + QByteArray(3, '\0') +
                QByteArray(reinterpret_cast<const char *>(data.data()), qsizetype(data.size()));
            if (known.contains(key))
                QCOMPARE(hex.toHex().toUpper(), known.take(key));
        }
        QVERIFY2(known.isEmpty(), known.isEmpty() ? "" : known.firstKey().constData());
    }

    void hostile_data() { addModules({u"coreai-hostile"_s}); }

    /// Refused with one line that has file and offset, or read: never more (README.md there).
    void hostile()
    {
        KERNSCOPE_SKIP_WITHOUT_ROWS();
        QFETCH(QString, path);
        const QByteArray content = contentOf(path);
        const QString name = path.section(u'/', -2, -2).section(u'.', 0, 0);
        // Whose fault is not one of the module, or is a weight's.
        static const QStringList read =
            QStringLiteral("sound string-escape attr-doubling attr-kind-unknown resource-key-twice "
                           "value-cycle lut-code-range mask-popcount hash-bit hash-short "
                           "metadata-text constant-too-short shape-overflow")
                .split(u' ');
        rusage before{}, after{};
        getrusage(RUSAGE_SELF, &before);
        const mlir::Module module = mlir::readModule(asSpan(content), "main.mlirb");
        const std::string text = moduleText(module, std::size_t(1) << 20);
        QVERIFY(text.size() <= (std::size_t(1) << 20) + 3);
        getrusage(RUSAGE_SELF, &after);
        QVERIFY(after.ru_maxrss - before.ru_maxrss < 64 * 1024);
        if (read.contains(name)) {
            QVERIFY2(!module.fault, module.fault ? describe(*module.fault).c_str() : "");
            const auto written = mlir::writeModule(module);
            QVERIFY(written && std::ranges::equal(*written, asSpan(content)));
            return;
        }
        QVERIFY2(module.fault, "read");
        qInfo("%s", describe(*module.fault).c_str());
        QVERIFY(module.fault->offset);
        QVERIFY(module.fault->offset->value <= std::uint64_t(content.size()));
        QVERIFY(!QByteArray::fromStdString(describe(*module.fault)).contains('\n'));
        QVERIFY(module.operations.empty());
        QVERIFY(!mlir::writeModule(module));
    }
};

KERNSCOPE_TEST(TestMlirPeers, QCoreApplication)
#include "tst_mlir_peers.moc"
