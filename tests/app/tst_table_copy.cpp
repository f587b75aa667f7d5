// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/table_copy.h"
#include "tests/app/window_fixture.h"
#include "tests/test_program.h"
#include "widgets/models/table_text.h"

#include <QClipboard>
#include <QHeaderView>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QStandardItemModel>
#include <QTableView>
#include <QTreeView>

using namespace kernscope;
using ui::TableFormat;

/// Selected rows as text for a spreadsheet, a report, a script.
class TestTableCopy : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void formats();
    void asTheViewShowsIt();
    void nothingSelected();
    void fromTheMenu();

private:
    static void fill(QStandardItemModel &model);
};

void TestTableCopy::fill(QStandardItemModel &model)
{
    model.setHorizontalHeaderLabels(
        {QStringLiteral("Name"), QStringLiteral("Bytes"), QStringLiteral("Note")});
    for (int row = 0; row < 3; ++row) {
        auto *bytes = new QStandardItem(QStringLiteral("%1,000").arg(row + 1));
        bytes->setData(QString::number(1000 * (row + 1)), ui::CopyRole);
        bytes->setData(QVariant::fromValue(Qt::Alignment(Qt::AlignRight | Qt::AlignVCenter)),
                       Qt::TextAlignmentRole);
        model.appendRow({new QStandardItem(QStringLiteral("w%1").arg(row)), bytes,
                         new QStandardItem(QStringLiteral("a|b\tc"))});
    }
}

void TestTableCopy::formats()
{
    QStandardItemModel model;
    fill(model);
    QTableView view;
    view.setModel(&model);
    view.setSelectionBehavior(QAbstractItemView::SelectRows);
    view.selectRow(2);
    view.selectionModel()->select(model.index(0, 0),
                                  QItemSelectionModel::Select | QItemSelectionModel::Rows);
    QCOMPARE(app::copiedTable(view, TableFormat::TabSeparated),
             QStringLiteral("Name\tBytes\tNote\nw0\t1000\ta|b c\nw2\t3000\ta|b c\n"));
    QCOMPARE(app::copiedTable(view, TableFormat::Markdown),
             QStringLiteral("| Name | Bytes | Note |\n| --- | ---: | --- |\n"
                            "| w0 | 1000 | a\\|b c |\n| w2 | 3000 | a\\|b c |\n"));
    const QJsonArray rows =
        QJsonDocument::fromJson(app::copiedTable(view, TableFormat::Json).toUtf8()).array();
    QCOMPARE(rows.size(), 2);
    QCOMPARE(rows[1].toObject()[QStringLiteral("Name")].toString(), QStringLiteral("w2"));
    QVERIFY(rows[1].toObject()[QStringLiteral("Bytes")].isDouble());
    QCOMPARE(rows[1].toObject()[QStringLiteral("Bytes")].toInt(), 3000);
    QCOMPARE(rows[1].toObject()[QStringLiteral("Note")].toString(), QStringLiteral("a|b\tc"));
}

void TestTableCopy::asTheViewShowsIt()
{
    QStandardItemModel model;
    fill(model);
    model.item(0)->appendRow({new QStandardItem(QStringLiteral("below")),
                              new QStandardItem(QStringLiteral("7")), new QStandardItem()});
    QTreeView view;
    view.setModel(&model);
    view.header()->moveSection(1, 0);
    view.header()->hideSection(2);
    view.expandAll();
    view.setSelectionMode(QAbstractItemView::ExtendedSelection);
    view.selectAll();
    QCOMPARE(app::copiedTable(view, TableFormat::TabSeparated),
             QStringLiteral("Bytes\tName\n1000\tw0\n7\tbelow\n2000\tw1\n3000\tw2\n"));
}

void TestTableCopy::nothingSelected()
{
    QTableView empty;
    QCOMPARE(app::copiedTable(empty, TableFormat::Json), QString());
    QStandardItemModel model;
    fill(model);
    empty.setModel(&model);
    QCOMPARE(app::copiedTable(empty, TableFormat::Markdown), QString());
}

void TestTableCopy::fromTheMenu()
{
    test::TestWindow window;
    QTemporaryDir folder;
    QVERIFY(QTest::qWaitForWindowExposed(&*window));
    QVERIFY(window.open({test::writeSample(folder.path(), QStringLiteral("sparse"))}));
    window->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&*window));
    window->session().goToWeight(0);
    QVERIFY(window.settle());
    auto *tree = window->docks().dock(QStringLiteral("bundle"))->findChild<QTreeView *>();
    tree->setFocus();
    QTest::keyClick(tree, Qt::Key_M, Qt::ControlModifier | Qt::ShiftModifier);
    const QString text = QGuiApplication::clipboard()->text();
    QVERIFY2(text.startsWith(QStringLiteral("| Name |")), qPrintable(text));
    QVERIFY(text.contains(QString::fromStdString(window->session().bundle()->weights()[0].name)));
}

KERNSCOPE_TEST(TestTableCopy, QApplication)
#include "tst_table_copy.moc"
