// SPDX-License-Identifier: GPL-3.0-or-later
// What every container promises, for every file of the data folder.
#include "rewrite.h"
#include "tests/data/data_folder.h"

namespace {

/// Names of the folders and files that hold weights.
QStringList containerNames()
{
    QStringList names;
    for (const ContainerReader *reader : containerReaders()) {
        for (const std::string_view ending : reader->endings)
            names << QLatin1Char('*') + QString::fromUtf8(ending.data(), qsizetype(ending.size()));
    }
    return names << u"weight.bin"_s;
}

} // namespace

class TestContainerData : public QObject
{
    Q_OBJECT

private slots:
    void writesBack_data() { addPaths(containerNames()); }

    /// Parsed and written again, each file has the same bytes.
    void writesBack()
    {
        KERNSCOPE_SKIP_WITHOUT_ROWS();
        QFETCH(QString, path);
        const auto bundle = VERIFIED(Bundle::open(QFile::encodeName(path).toStdString()));
        const ContainerReader *reader = VERIFIED(containerReader((*bundle)->kind()));
        const auto written = VERIFIED(rewrite(*reader, (*bundle)->files()));
        QCOMPARE(written->size(), (*bundle)->files().size());
        for (std::size_t i = 0; i < written->size(); ++i) {
            const BundleFile &file = (*bundle)->files()[i];
            const auto bytes = file.file->bytes();
            QVERIFY2(
                std::equal((*written)[i].begin(), (*written)[i].end(), bytes.begin(), bytes.end()),
                file.path.c_str());
        }
    }
};

KERNSCOPE_TEST(TestContainerData, QCoreApplication)
#include "tst_container_data.moc"
