// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/bundle/made_bundle.h"
#include "tests/test_program.h"
#include "tests/widgets/sample_session.h"
#include "widgets/common/labels.h"
#include "widgets/models/theme.h"
#include "widgets/weight/inspector_dock.h"

using namespace kernscope;
using namespace kernscope::ui;

/// The panel of the inspector as a whole; its parts have tests of their own.
class TestInspectorDock : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { theme::apply(false); }

    /// The name of an operation is one word, whatever its length: it must not widen the panel.
    void longNamesOfReadersFit()
    {
        const std::string reader = "StatefulPartitionedCall_model_1_cq_t2010v2_1_normalized_Sqrt";
        test::MadeBundle made;
        made.weight("w", "[1, 4]", test::Bytes(8, std::byte{0x3c}));
        made.line("tensor<fp16, [1, 4]> y = mul(x = x, y = w)[name = string(\"" + reader + "\")]");
        made.result = "y";
        auto [session, dock] = test::Alone<InspectorDock>();
        session.setBundle(*made.open());
        session.goToWeight(0);
        QVERIFY(test::showDock(dock, theme::em(&dock, 22), 800));
        const ElidedLabel *line = nullptr;
        for (const ElidedLabel *label : dock.findChildren<ElidedLabel *>()) {
            if (label->wholeText().contains(QString::fromStdString(reader)))
                line = label;
        }
        QVERIFY(line && line->isVisible());
        QVERIFY(line->toolTip().contains(QString::fromStdString(reader)));
        int seen = 0;
        for (const QScrollArea *area : dock.findChildren<QScrollArea *>()) {
            if (!area->isVisible())
                continue;
            QCOMPARE(area->horizontalScrollBar()->maximum(), 0);
            ++seen;
        }
        QVERIFY(seen > 0);
    }
};

KERNSCOPE_TEST(TestInspectorDock, QApplication)
#include "tst_inspector_dock.moc"
