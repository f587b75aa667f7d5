// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/milblob/milblob.h"
#include "rewrite.h"
#include "tests/data/data_folder.h"

namespace {

/// Bundle -> what its weights are expected to be.
QList<std::pair<QString, QString>> expectations(const QDir &data)
{
    QList<std::pair<QString, QString>> found;
    for (const QString &path : pathsBelow(data.path(), {u"*expected.json"_s})) {
        const QString beside = path.chopped(int(qstrlen(".expected.json")));
        const QString inside = QFileInfo(path).path();
        if (QFileInfo(beside).isDir())
            found.append({beside, path});
        else if (QFileInfo::exists(inside + u"/model.mil"_s))
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
    void initTestCase() { KERNSCOPE_NEEDS(dataFolder()); }

    void files_data() { addPaths({u"weight.bin"_s}); }

    void files()
    {
        KERNSCOPE_SKIP_WITHOUT_ROWS();
        QFETCH(QString, path);
        const QByteArray raw = contentOf(path);
        QVERIFY(!raw.isEmpty());
        const auto blob = milblob::readBlobFile(asSpan(raw), "weight.bin");
        for (const Diagnostic &d : blob.diagnostics)
            QFAIL(describe(d.error).c_str());
        QCOMPARE(blob.records.size(), std::size_t(blob.count));
        QVERIFY(!blob.records.empty());
        const auto again = VERIFIED(milblob::reencode(asSpan(raw), "weight.bin"));
        QVERIFY(std::equal(again->begin(), again->end(), asSpan(raw).begin(), asSpan(raw).end()));
    }

    void expectedParts_data()
    {
        addColumns<QString, QString>();
        const QDir data(dataFolder());
        for (const auto &[bundle, expected] : expectations(data))
            addRow(qPrintable(data.relativeFilePath(bundle)), bundle, expected);
    }

    /// Type, size and place of every part of every weight, by the offset that the program names.
    void expectedParts()
    {
        KERNSCOPE_SKIP_WITHOUT_ROWS();
        const auto [bundle, expected] = fetched<QString, QString>();
        const QJsonObject answer = QJsonDocument::fromJson(contentOf(expected)).object();
        int checked = 0;
        for (const QJsonValue &weight : answer[u"weights"_s].toArray()) {
            for (const QJsonValue &part : weight[u"parts"_s].toArray()) {
                if (!part[u"meta_offset"_s].isDouble())
                    continue; // written out in the program
                const QByteArray raw =
                    contentOf(bundle + QLatin1Char('/') + part[u"file"_s].toString());
                const auto offset = std::uint64_t(part[u"meta_offset"_s].toInteger());
                const auto record =
                    VERIFIED(milblob::readRecord(asSpan(raw), FileOffset(offset), "w"));
                QCOMPARE(qint64(record->bytes.value), part[u"bytes"_s].toInteger());
                QCOMPARE(qint64(record->dataOffset.value), part[u"data_offset"_s].toInteger());
                QCOMPARE(QString::fromStdString(std::string(elementTypeName(record->type))),
                         part[u"dtype"_s].toString());
                ++checked;
            }
        }
        QVERIFY(checked > 0);
    }
};

KERNSCOPE_TEST(TestMilblobReal, NoApplication)
#include "tst_milblob_real.moc"
