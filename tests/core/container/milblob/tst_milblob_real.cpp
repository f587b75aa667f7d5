// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/milblob/milblob.h"
#include "tests/data/data_folder.h"
#include "tests/test_program.h"

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

using namespace kernscope;

namespace {

QByteArray contentOf(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

std::span<const std::byte> bytesOf(const QByteArray &raw)
{
    return std::as_bytes(std::span(raw.constData(), static_cast<std::size_t>(raw.size())));
}

/// Bundle -> what its weights are expected to be.
QList<std::pair<QString, QString>> expectations(const QDir &data)
{
    QList<std::pair<QString, QString>> found;
    QDirIterator files(data.path(), {QStringLiteral("*expected.json")}, QDir::Files,
                       QDirIterator::Subdirectories);
    while (files.hasNext()) {
        const QString path = files.next();
        const QString beside = path.chopped(static_cast<int>(qstrlen(".expected.json")));
        const QString inside = QFileInfo(path).path();
        if (QFileInfo(beside).isDir())
            found.append({beside, path});
        else if (QFileInfo::exists(inside + QStringLiteral("/model.mil")))
            found.append({inside, path});
    }
    return found;
}

} // namespace

/// Files that other tools wrote.
class TestMilblobReal : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        if (!QDir(test::dataFolder()).exists())
            QSKIP("The folder of KERNSCOPE_DATA is missing.");
    }
    void files_data();
    void files();
    void expectedParts_data();
    void expectedParts();
};

void TestMilblobReal::files_data()
{
    QTest::addColumn<QString>("path");
    const QDir data(test::dataFolder());
    QDirIterator files(data.path(), {QStringLiteral("weight.bin")}, QDir::Files,
                       QDirIterator::Subdirectories);
    while (files.hasNext()) {
        const QString path = files.next();
        QTest::newRow(qPrintable(data.relativeFilePath(path))) << path;
    }
}

void TestMilblobReal::files()
{
    KERNSCOPE_SKIP_WITHOUT_ROWS();
    QFETCH(QString, path);
    const QByteArray raw = contentOf(path);
    QVERIFY(!raw.isEmpty());
    const auto blob = milblob::readBlobFile(bytesOf(raw), "weight.bin");
    for (const Diagnostic &d : blob.diagnostics)
        QFAIL(describe(d.error).c_str());
    QCOMPARE(blob.records.size(), static_cast<std::size_t>(blob.count));
    QVERIFY(!blob.records.empty());
    const auto again = milblob::reencode(bytesOf(raw), "weight.bin");
    QVERIFY(again.has_value());
    QVERIFY(std::equal(again->begin(), again->end(), bytesOf(raw).begin(), bytesOf(raw).end()));
}

void TestMilblobReal::expectedParts_data()
{
    QTest::addColumn<QString>("bundle");
    QTest::addColumn<QString>("expected");
    const QDir data(test::dataFolder());
    for (const auto &[bundle, expected] : expectations(data))
        QTest::newRow(qPrintable(data.relativeFilePath(bundle))) << bundle << expected;
}

/// Type, size and place of every part of every weight, by the offset that the program names.
void TestMilblobReal::expectedParts()
{
    KERNSCOPE_SKIP_WITHOUT_ROWS();
    QFETCH(QString, bundle);
    QFETCH(QString, expected);
    const QJsonObject answer = QJsonDocument::fromJson(contentOf(expected)).object();
    int checked = 0;
    for (const QJsonValue &weight : answer[QStringLiteral("weights")].toArray()) {
        for (const QJsonValue &part : weight[QStringLiteral("parts")].toArray()) {
            if (!part[QStringLiteral("meta_offset")].isDouble())
                continue; // written out in the program
            const QByteArray raw =
                contentOf(bundle + QLatin1Char('/') + part[QStringLiteral("file")].toString());
            const auto offset =
                static_cast<std::uint64_t>(part[QStringLiteral("meta_offset")].toInteger());
            const auto record = milblob::readRecord(bytesOf(raw), FileOffset(offset), "w");
            QVERIFY2(record.has_value(), record ? "" : describe(record.error()).c_str());
            QCOMPARE(static_cast<qint64>(record->bytes.value),
                     part[QStringLiteral("bytes")].toInteger());
            QCOMPARE(static_cast<qint64>(record->dataOffset.value),
                     part[QStringLiteral("data_offset")].toInteger());
            QCOMPARE(QString::fromStdString(std::string(elementTypeName(record->type))),
                     part[QStringLiteral("dtype")].toString());
            ++checked;
        }
    }
    QVERIFY(checked > 0);
}

KERNSCOPE_TEST(TestMilblobReal, kernscope::test::NoApplication)
#include "tst_milblob_real.moc"
