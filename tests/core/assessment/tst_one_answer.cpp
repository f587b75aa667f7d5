// SPDX-License-Identifier: GPL-3.0-or-later
// Every bundle of the data folder on every chip: whoever is asked, the answer is the same.
#include "one_answer.h"
#include "tests/data/data_folder.h"

#include <QDirIterator>
#include <QtTest/QtTest>

using namespace kernscope;

namespace {

QStringList bundlePaths()
{
    QStringList paths;
    QDirIterator folders(test::dataPath({}), QDir::Dirs | QDir::NoDotAndDotDot,
                         QDirIterator::Subdirectories);
    while (folders.hasNext()) {
        const QString path = folders.next();
        if (path.endsWith(QStringLiteral(".mlmodelc")) ||
            path.endsWith(QStringLiteral(".mlpackage")))
            paths << path;
    }
    paths.sort();
    return paths;
}

} // namespace

class TestOneAnswer : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyChip_data()
    {
        QTest::addColumn<QString>("path");
        const QStringList paths = bundlePaths();
        for (const QString &path : paths)
            QTest::newRow(qPrintable(path.section(QLatin1Char('/'), -2))) << path;
        if (paths.isEmpty())
            QTest::newRow("no bundles") << QString();
    }
    void everyChip()
    {
        QFETCH(QString, path);
        if (path.isEmpty())
            QSKIP("KERNSCOPE_DATA has no bundles");
        const auto bundle = Bundle::open(path.toStdString());
        QVERIFY(bundle);
        test::hasOneAnswer(**bundle);
        test::planIsDecided(**bundle);
    }
    void choiceAndRoofline_data() { everyChip_data(); }
    void choiceAndRoofline()
    {
        QFETCH(QString, path);
        if (path.isEmpty())
            QSKIP("KERNSCOPE_DATA has no bundles");
        const auto bundle = Bundle::open(path.toStdString());
        QVERIFY(bundle);
        test::choiceIsPlaced(**bundle);
    }
};

QTEST_GUILESS_MAIN(TestOneAnswer)
#include "tst_one_answer.moc"
