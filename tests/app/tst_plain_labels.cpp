// SPDX-License-Identifier: GPL-3.0-or-later
// Names of a file that look like markup are shown as they stand, in every workspace.
#include "tests/app/window_fixture.h"
#include "tests/test_program.h"

#include <QFile>
#include <QLabel>
#include <QMenu>
#include <QMessageBox>
#include <QToolTip>
#include <QtEndian>

#include <algorithm>
#include <functional>

using namespace kernscope;
using app::Layout;

class TestPlainLabels : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void namesAreNoMarkup();
    void toolTipsAndMessagesAreNoMarkup();
    void markupOfOurOwnIsShown();
    void labelsBeginWhereTheWindowDoes_data();
    void labelsBeginWhereTheWindowDoes();
};

namespace {

const QString kName = QStringLiteral("<h1>w</h1>");

/// One tensor of that name, of 2 x 4 fp16 values.
QString writeCheckpoint(const QString &path)
{
    const QByteArray header =
        "{\"" + kName.toUtf8() + "\":{\"dtype\":\"F16\",\"shape\":[2,4],\"data_offsets\":[0,16]}}";
    QByteArray bytes(8, '\0');
    qToLittleEndian<quint64>(quint64(header.size()), bytes.data());
    QFile file(path);
    const QByteArray whole = bytes + header + QByteArray(16, '\x3c');
    return file.open(QIODevice::WriteOnly) && file.write(whole) == whole.size() ? path : QString();
}

/// Every label of every workspace, with the first weight chosen; `check` may fail the test.
void forEachLabel(test::TestWindow &window, QObject *origin,
                  const std::function<void(const QLabel &)> &check)
{
    for (const Layout layout :
         {Layout::Inspect, Layout::Compare, Layout::Patch, Layout::Performance, Layout::Hardware}) {
        window->showLayout(layout);
        window->session().goToWeight(0, origin);
        QVERIFY(window.settle());
        for (const QLabel *label : window->findChildren<QLabel *>()) {
            check(*label);
            if (QTest::currentTestFailed())
                return;
        }
    }
}

} // namespace

void TestPlainLabels::namesAreNoMarkup()
{
    const QTemporaryDir folder;
    const QString a = writeCheckpoint(folder.filePath(QStringLiteral("a.safetensors")));
    const QString b = writeCheckpoint(folder.filePath(QStringLiteral("b.safetensors")));
    QVERIFY(!a.isEmpty() && !b.isEmpty());
    test::TestWindow window;
    QVERIFY(window.open({a, b}));
    int named = 0;
    forEachLabel(window, this, [&named](const QLabel &label) {
        if (!label.isVisible())
            return;
        QVERIFY(label.textFormat() != Qt::AutoText);
        const bool holds = label.text().contains(kName);
        named += holds ? 1 : 0;
        QVERIFY2(!holds || label.textFormat() == Qt::PlainText, qPrintable(label.text()));
    });
    if (QTest::currentTestFailed())
        return;
    QVERIFY(named >= 3);
}

void TestPlainLabels::toolTipsAndMessagesAreNoMarkup()
{
    test::TestWindow window;
    QMessageBox box(QMessageBox::Question, QStringLiteral("Question"), kName, QMessageBox::Ok,
                    &*window);
    box.open();
    const auto *text = box.findChild<QLabel *>(QStringLiteral("qt_msgbox_label"));
    QVERIFY(text);
    QTRY_COMPARE(text->textFormat(), Qt::PlainText);
    box.close();
    QToolTip::showText(window->mapToGlobal(QPoint(50, 50)), kName, &*window);
    const auto tip = [] {
        const auto widgets = QApplication::topLevelWidgets();
        const auto at = std::find_if(widgets.begin(), widgets.end(), [](const QWidget *widget) {
            return widget->inherits("QTipLabel");
        });
        return at == widgets.end() ? nullptr : qobject_cast<QLabel *>(*at);
    };
    QTRY_VERIFY(tip());
    QTRY_COMPARE(tip()->textFormat(), Qt::PlainText);
    QCOMPARE(tip()->text(), kName);
    QToolTip::hideText();
}

/// Labels that have markup say so: none of ours is shown with its signs.
void TestPlainLabels::markupOfOurOwnIsShown()
{
    const QTemporaryDir folder;
    test::TestWindow window;
    QVERIFY(window.open({test::writeSample(folder.path(), QStringLiteral("dense")),
                         test::writeSample(folder.path(), QStringLiteral("palette"))}));
    int rich = 0;
    forEachLabel(window, this, [&rich](const QLabel &label) {
        const bool markup = Qt::mightBeRichText(label.text());
        rich += markup && label.isVisible() ? 1 : 0;
        QVERIFY2(!markup || label.textFormat() == Qt::RichText, qPrintable(label.text()));
    });
    if (QTest::currentTestFailed())
        return;
    QVERIFY(rich >= 5);
}

namespace {

/// Middle of what the label paints, from 0 at the left to 1 at the right.
double middleOfInk(const QString &text, Qt::Alignment alignment, bool selectable, bool turn)
{
    QWidget window;
    window.setLayoutDirection(turn ? Qt::LeftToRight : Qt::RightToLeft);
    auto *label = new QLabel(text, &window);
    label->setAlignment(alignment);
    if (selectable)
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    label->resize(400, 40);
    window.resize(400, 40);
    window.show();
    if (turn)
        window.setLayoutDirection(Qt::RightToLeft);
    const QImage image = label->grab().toImage();
    const QRgb ground = image.pixel(image.width() / 2, 1);
    int first = image.width(), last = 0;
    for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x) {
            if (image.pixel(x, y) != ground) {
                first = std::min(first, x);
                last = std::max(last, x);
            }
        }
    }
    return (first + last) / 2.0 / image.width();
}

} // namespace

void TestPlainLabels::labelsBeginWhereTheWindowDoes_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("alignment");
    for (const char *text : {"conv_0_weight", "\u05D0\u05D1\u05D2\u05D3"}) {
        for (const Qt::Alignment alignment : {Qt::AlignLeft, Qt::AlignRight, Qt::AlignHCenter})
            QTest::addRow("%s, %d", text, int(alignment))
                << QString::fromUtf8(text) << int(alignment | Qt::AlignVCenter);
    }
}

/// In a window that is read from the right, from its start or since it was turned.
void TestPlainLabels::labelsBeginWhereTheWindowDoes()
{
    QFETCH(QString, text);
    QFETCH(int, alignment);
    test::TestWindow window; // it looks after the labels of the application
    for (const bool turn : {false, true}) {
        for (const bool selectable : {false, true}) {
            const double middle = middleOfInk(text, Qt::Alignment(alignment), selectable, turn);
            const int side = middle > 0.6 ? 1 : middle < 0.4 ? -1 : 0;
            QCOMPARE(side, alignment & Qt::AlignLeft ? 1 : alignment & Qt::AlignRight ? -1 : 0);
        }
    }
}

KERNSCOPE_TEST(TestPlainLabels, QApplication)
#include "tst_plain_labels.moc"
