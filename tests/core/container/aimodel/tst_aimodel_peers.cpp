// SPDX-License-Identifier: GPL-3.0-or-later
// Packages that the platform's own tools wrote, and broken ones.
#include "core/container/aimodel/package.h"
#include "tests/data/data_folder.h"

namespace {

std::optional<QByteArray> ifThere(const QString &path)
{
    return QFile::exists(path) ? std::optional(contentOf(path)) : std::nullopt;
}

} // namespace

class TestAimodelPeers : public QObject
{
    Q_OBJECT

private slots:
    void findings_data()
    {
        QTest::addColumn<QString>("path");
        for (const char *folder : {"coreai/*", "coreai-hostile"}) {
            const QString root =
                dataPath(u"../peers/"_s + QString::fromUtf8(folder).section(u'/', 0, 0));
            const QDir dir(root);
            const QStringList inner = QByteArray(folder).endsWith('*')
                                          ? dir.entryList(QDir::Dirs | QDir::NoDotAndDotDot)
                                          : QStringList{u"."_s};
            for (const QString &each : inner)
                for (const QString &package :
                     QDir(dir.filePath(each)).entryList({u"*.aimodel"_s}, QDir::Dirs))
                    QTest::newRow(qPrintable(package)) << dir.filePath(each) + u'/' + package;
        }
    }

    void findings()
    {
        KERNSCOPE_SKIP_WITHOUT_ROWS();
        QFETCH(QString, path);
        const QString name = path.section(u'/', -1).section(u'.', 0, 0);
        const QByteArray module = ifThere(path + u"/main.mlirb"_s).value_or(QByteArray());
        const auto hash = ifThere(path + u"/main.hash"_s);
        const auto finding = aimodel::hashFinding(
            asSpan(module), hash ? std::optional(asSpan(*hash)) : std::nullopt);
        static const QStringList wrong{u"hash-wrong"_s, u"hash-missing"_s, u"hash-bit"_s,
                                       u"hash-short"_s};
        QVERIFY2(bool(finding) == wrong.contains(name), qPrintable(name));
        const auto json = ifThere(path + u"/metadata.json"_s);
        QCOMPARE(json.has_value(), name != u"meta-missing"_s);
        if (!json)
            return;
        const auto metadata = aimodel::readMetadata(asSpan(*json), "metadata.json");
        QCOMPARE(metadata.has_value(), name != u"metadata-text"_s);
        if (metadata)
            QCOMPARE(*metadata->assetVersion, "2.0");
    }
};

KERNSCOPE_TEST(TestAimodelPeers, QCoreApplication)
#include "tst_aimodel_peers.moc"
