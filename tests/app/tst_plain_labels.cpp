// SPDX-License-Identifier: GPL-3.0-or-later
// Names of a file that look like markup are shown as they stand, in every workspace.
#include "tests/app/window_fixture.h"

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

QTEST_MAIN(TestPlainLabels)
#include "tst_plain_labels.moc"
