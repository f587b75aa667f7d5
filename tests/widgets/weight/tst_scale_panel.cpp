// SPDX-License-Identifier: GPL-3.0-or-later
// The scales and zero points of an affine weight as a table: typed, copied, exported.
#include "made_bundle.h"
#include "tests/test_program.h"
#include "widgets/common/number_field.h"
#include "widgets/common/session.h"
#include "widgets/common/table_text.h"
#include "widgets/weight/scale_model.h"
#include "widgets/weight/scale_panel.h"

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QLabel>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>

using namespace kernscope;

namespace {

/// Three rows; the scales take more digits than a table shows.
BundlePtr affineBundle()
{
    test::MadeBundle made;
    const std::string data = made.blob(ElementType::Int8, "[3, 2]", test::hex("01 02 03 04 05 06"));
    const std::string scales =
        made.blob(ElementType::Fp16, "[3]", test::halves({0.0123456F, 0.0234567F, 1.3344F}));
    const std::string zeros = made.blob(ElementType::Int8, "[3]", test::hex("00 01 FF"));
    made.line("tensor<fp16, [3, 2]> w = constexpr_affine_dequantize()[axis = int32(0), "
              "name = string(\"w\"), quantized_data = " +
              data + ", scale = " + scales + ", zero_point = " + zeros + "]");
    made.consume("w");
    const auto bundle = made.open();
    return bundle ? *bundle : nullptr;
}

} // namespace

class TestScalePanel : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { qRegisterMetaType<std::vector<Edit>>(); }
    void init();
    void editorsHoldTheWholeValue();
    void lockedTypingIsAnswered();
    void typingIsAnswered();
    void marksWhatIsStillRead();
    void rowsAreCopied();
    void menusHoldTheTableAndThePlot();

private:
    QTableView &table() { return m_panel->table(); }
    /// Opens the editor of a cell as F2 does.
    QLineEdit *edit(int row, int column);

    BundlePtr m_bundle;
    std::unique_ptr<ui::Session> m_session;
    std::unique_ptr<ui::ScalePanel> m_panel;
};

void TestScalePanel::init()
{
    m_panel.reset();
    m_session = std::make_unique<ui::Session>();
    m_bundle = affineBundle();
    QVERIFY(m_bundle);
    m_session->setBundle(m_bundle);
    m_panel = std::make_unique<ui::ScalePanel>(*m_session);
    m_panel->resize(400, 500);
    m_panel->setWeight(m_bundle, 0);
    m_panel->show();
    m_panel->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(m_panel.get()));
    QTRY_VERIFY(!m_panel->working());
    QCOMPARE(m_panel->model().rowCount(), 3);
}

QLineEdit *TestScalePanel::edit(int row, int column)
{
    table().setCurrentIndex(m_panel->model().index(row, column));
    table().setFocus();
    QTest::keyClick(&table(), Qt::Key_F2);
    const auto editors = table().findChildren<QLineEdit *>(); // one that was closed goes later
    return editors.isEmpty() ? nullptr : editors.last();
}

/// Enter without a change writes what was there: not what the table shows of it.
void TestScalePanel::editorsHoldTheWholeValue()
{
    m_session->setPatchingEnabled(true);
    QSignalSpy scales(&m_panel->model(), &ui::ScaleModel::scaleEdited);
    for (int row = 0; row < 3; ++row) {
        QLineEdit *editor = edit(row, ui::ScaleModel::ScaleColumn);
        QVERIFY(editor);
        const double whole = m_panel->model().content().scaleOf(static_cast<std::size_t>(row));
        // Exactly: QCOMPARE takes numbers for equal that a table's few digits tell apart no more.
        QVERIFY2(editor->text().toDouble() == whole, qPrintable(editor->text()));
        QTest::keyClick(editor, Qt::Key_Escape);
    }
    QCOMPARE(scales.size(), 0);
    QLineEdit *editor = edit(1, ui::ScaleModel::ZeroColumn);
    QVERIFY(editor);
    QCOMPARE(editor->text(), QStringLiteral("1"));
}

/// An element of another weight: its scale is marked once the scales have come.
void TestScalePanel::marksWhatIsStillRead()
{
    m_panel->setWeight(nullptr, 0);
    m_panel->setWeight(m_bundle, 0);
    m_panel->showElement(5);
    QVERIFY(m_panel->working());
    QTRY_VERIFY(!m_panel->working());
    QCOMPARE(table().currentIndex().row(), 2);
    QVERIFY(table().selectionModel()->isRowSelected(2, {}));
}

void TestScalePanel::lockedTypingIsAnswered()
{
    QSignalSpy said(m_session.get(), &ui::Session::statusMessage);
    table().setCurrentIndex(m_panel->model().index(0, ui::ScaleModel::ScaleColumn));
    table().setFocus();
    QTest::keyClick(&table(), Qt::Key_5);
    QCOMPARE(said.size(), 1);
    QVERIFY(said.last().first().toString().contains(QStringLiteral("Ctrl+E")));
    QTest::keyClick(&table(), Qt::Key_F2);
    QCOMPARE(said.size(), 2);
    QTest::keyClick(&table(), Qt::Key_Down); // moves only
    QCOMPARE(said.size(), 2);
    QVERIFY(!table().findChild<QLineEdit *>());
}

/// What the edit would come to, as in the value grid; far values in the colour of a warning.
void TestScalePanel::typingIsAnswered()
{
    m_session->setPatchingEnabled(true);
    const auto *answer = table().findChild<QLabel *>(QStringLiteral("cellAnswer"));
    QVERIFY(answer && !answer->isVisible());
    const auto type = [this](int row, int column, const QString &text) {
        QLineEdit *editor = edit(row, column);
        if (editor == nullptr)
            return;
        editor->clear();
        QTest::keyClicks(editor, text);
    };
    const auto inkIs = [answer](bool warns) {
        return (answer->palette().color(QPalette::WindowText) ==
                ui::warningInk(answer->palette())) == warns;
    };
    type(0, ui::ScaleModel::ScaleColumn, QStringLiteral("0.3"));
    QVERIFY2(answer->isVisible() && answer->text().startsWith(QLatin1String("0.3 is held as 0.30")),
             qPrintable(answer->text()));
    QVERIFY(inkIs(false));
    QVERIFY(table().viewport()->geometry().contains(answer->geometry()));
    QVERIFY(!answer->geometry().intersects(
        table().visualRect(table().currentIndex()).translated(table().viewport()->pos())));
    type(0, ui::ScaleModel::ScaleColumn, QStringLiteral("1e-9")); // held as 0 in fp16
    QVERIFY2(answer->text().contains(QLatin1String("off by")), qPrintable(answer->text()));
    QVERIFY(inkIs(true));
    type(2, ui::ScaleModel::ZeroColumn, QStringLiteral("5"));
    QVERIFY2(answer->text().contains(QLatin1String("1 B touched")), qPrintable(answer->text()));
    QVERIFY(inkIs(false));
    type(2, ui::ScaleModel::ZeroColumn, QStringLiteral("500"));
    QVERIFY2(answer->isVisible() && !answer->text().contains(QLatin1String("touched")),
             qPrintable(answer->text()));
    QVERIFY(inkIs(true));
    QLineEdit *editor = edit(1, ui::ScaleModel::ZeroColumn);
    QVERIFY(editor);
    QTest::keyClick(editor, Qt::Key_Escape);
    QVERIFY(!answer->isVisible());
}

void TestScalePanel::rowsAreCopied()
{
    table().selectAll();
    table().setFocus();
    QTest::keyClick(&table(), Qt::Key_C, Qt::ControlModifier);
    const QStringList lines = QGuiApplication::clipboard()->text().trimmed().split(u'\n');
    QCOMPARE(lines.size(), 3);
    QVERIFY2(lines[2].endsWith(QStringLiteral("\t-1")), qPrintable(lines[2]));
}

/// Context menus hold nothing that the menus of the window do not.
void TestScalePanel::menusHoldTheTableAndThePlot()
{
    const QList<QAction *> all = m_panel->menuActions();
    for (const QWidget *widget : {static_cast<QWidget *>(&table()),
                                  m_panel->findChild<QWidget *>(QStringLiteral("scalePlot"))}) {
        QVERIFY(widget);
        QVERIFY(!widget->actions().isEmpty());
        QCOMPARE(widget->contextMenuPolicy(), Qt::ActionsContextMenu);
        for (QAction *action : widget->actions())
            QVERIFY2(all.contains(action), qPrintable(action->text()));
    }
}

KERNSCOPE_TEST(TestScalePanel, QApplication)
#include "tst_scale_panel.moc"
