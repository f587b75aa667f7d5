// SPDX-License-Identifier: GPL-3.0-or-later
// Packages that the platform's own tools wrote, and broken ones.
#include "core/container/aimodel/package.h"
#include "tests/data/data_folder.h"

namespace {

std::optional<QByteArray> ifThere(const QString &path)
{
    return QFile::exists(path) ? std::optional(test::contentOf(path)) : std::nullopt;
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
            const QString root = test::dataPath(QStringLiteral("../peers/") +
                                                QString::fromUtf8(folder).section(u'/', 0, 0));
            const QDir dir(root);
            const QStringList inner = QByteArray(folder).endsWith('*')
                                          ? dir.entryList(QDir::Dirs | QDir::NoDotAndDotDot)
                                          : QStringList{QStringLiteral(".")};
            for (const QString &each : inner)
                for (const QString &package :
                     QDir(dir.filePath(each)).entryList({QStringLiteral("*.aimodel")}, QDir::Dirs))
                    QTest::newRow(qPrintable(package)) << dir.filePath(each) + u'/' + package;
        }
    }

    void findings()
    {
        KERNSCOPE_SKIP_WITHOUT_ROWS();
        QFETCH(QString, path);
        const QString name = path.section(u'/', -1).section(u'.', 0, 0);
        const QByteArray module =
            ifThere(path + QStringLiteral("/main.mlirb")).value_or(QByteArray());
        const auto hash = ifThere(path + QStringLiteral("/main.hash"));
        const auto finding = aimodel::hashFinding(
            test::asSpan(module), hash ? std::optional(test::asSpan(*hash)) : std::nullopt);
        static const QStringList wrong{QStringLiteral("hash-wrong"), QStringLiteral("hash-missing"),
                                       QStringLiteral("hash-bit"), QStringLiteral("hash-short")};
        QVERIFY2(bool(finding) == wrong.contains(name), qPrintable(name));
        const auto json = ifThere(path + QStringLiteral("/metadata.json"));
        QCOMPARE(json.has_value(), name != QStringLiteral("meta-missing"));
        if (!json)
            return;
        const auto metadata = aimodel::readMetadata(test::asSpan(*json), "metadata.json");
        QCOMPARE(metadata.has_value(), name != QStringLiteral("metadata-text"));
        if (metadata)
            QCOMPARE(*metadata->assetVersion, "2.0");
    }
};

KERNSCOPE_TEST(TestAimodelPeers, QCoreApplication)
#include "tst_aimodel_peers.moc"
