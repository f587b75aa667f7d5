// SPDX-License-Identifier: GPL-3.0-or-later
// Every bundle of the data folder, and every chip: every part gives the same answer.
#include "one_answer.h"
#include "tests/data/data_folder.h"

class TestOneAnswer : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyChip_data() { addPaths({u"*.mlmodelc"_s, u"*.mlpackage"_s}); }
    void everyChip()
    {
        KERNSCOPE_SKIP_WITHOUT_ROWS();
        QFETCH(QString, path);
        const auto bundle = VERIFIED(Bundle::open(path.toStdString()));
        hasOneAnswer(**bundle);
        planIsDecided(**bundle);
    }
    /// Hardware containers: what their tasks say of shapes is all that is known, and is used.
    void everyContainer_data() { addPaths({u"*.hwx"_s}); }
    void everyContainer()
    {
        KERNSCOPE_SKIP_WITHOUT_ROWS();
        QFETCH(QString, path);
        const auto bundle = VERIFIED(Bundle::open(path.toStdString()));
        hasOneAnswer(**bundle);
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
        KERNSCOPE_SKIP_WITHOUT_ROWS();
        QFETCH(QString, path);
        const auto bundle = VERIFIED(Bundle::open(path.toStdString()));
        choiceIsPlaced(**bundle);
    }
};

KERNSCOPE_TEST(TestOneAnswer, QCoreApplication)
#include "tst_one_answer.moc"
