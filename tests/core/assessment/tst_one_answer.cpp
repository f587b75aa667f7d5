// SPDX-License-Identifier: GPL-3.0-or-later
// Every bundle of the data folder on every chip: every part gives the same answer.
#include "one_answer.h"
#include "tests/data/data_folder.h"
#include "tests/test_program.h"

using namespace kernscope;

namespace {

QStringList bundlePaths()
{
    QStringList paths;
    QDirIterator folders(test::dataPath({}), QDir::Dirs | QDir::NoDotAndDotDot,
                         QDirIterator::Subdirectories);
    while (folders.hasNext()) {
        const QString path = folders.next();
        if (path.endsWith(u".mlmodelc"_s) || path.endsWith(u".mlpackage"_s))
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
            test::addRow(qPrintable(path.section(QLatin1Char('/'), -2)), path);
        if (paths.isEmpty())
            test::addRow("no bundles", QString());
    }
    void everyChip()
    {
        QFETCH(QString, path);
        if (path.isEmpty())
            QSKIP("KERNSCOPE_DATA has no bundles");
        const auto bundle = VERIFIED(Bundle::open(path.toStdString()));
        test::hasOneAnswer(**bundle);
        test::planIsDecided(**bundle);
    }
    /// Hardware containers: what their tasks say of shapes is all that is known, and is used.
    void everyContainer_data()
    {
        QTest::addColumn<QString>("path");
        QDirIterator files(test::dataPath({}), {u"*.hwx"_s}, QDir::Files,
                           QDirIterator::Subdirectories);
        bool any = false;
        for (; files.hasNext(); any = true) {
            const QString path = files.next();
            test::addRow(qPrintable(path.section(QLatin1Char('/'), -1)), path);
        }
        if (!any)
            test::addRow("no containers", QString());
    }
    void everyContainer()
    {
        QFETCH(QString, path);
        if (path.isEmpty())
            QSKIP("KERNSCOPE_DATA has no containers");
        const auto bundle = VERIFIED(Bundle::open(path.toStdString()));
        test::hasOneAnswer(**bundle);
        const auto forms = weightForms(**bundle);
        for (const roofline::Layer &layer : layersOf(**bundle, forms)) {
            const Weight &weight = (*bundle)->weights()[layer.weight];
            const Consumer &consumer = weight.consumers[layer.consumer];
            QCOMPARE(layer.flops.has_value(), consumer.geometry.output.has_value());
            if (weight.shape.size() < 2 || !layer.flops)
                continue;
            QVERIFY(layer.operation);
            QCOMPARE(layer.operation->outputChannels, weight.shape[0]);
            const std::uint64_t pixels = layer.operation->outputWidth *
                                         layer.operation->outputHeight *
                                         layer.operation->outputDepth;
            QCOMPARE(*layer.flops, 2 * weight.elements.value * pixels);
        }
    }

    void choiceAndRoofline_data() { everyChip_data(); }
    void choiceAndRoofline()
    {
        QFETCH(QString, path);
        if (path.isEmpty())
            QSKIP("KERNSCOPE_DATA has no bundles");
        const auto bundle = VERIFIED(Bundle::open(path.toStdString()));
        test::choiceIsPlaced(**bundle);
    }
};

KERNSCOPE_TEST(TestOneAnswer, QCoreApplication)
#include "tst_one_answer.moc"
