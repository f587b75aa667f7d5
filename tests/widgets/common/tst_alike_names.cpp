// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/test_program.h"
#include "widgets/common/alike_names.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/elided_name.h"

#include <QHeaderView>
#include <QStandardItemModel>
#include <QTableView>
#include <QTest>

using namespace kernscope::ui;

class TestAlikeNames : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void oneLongNameShortensAll();
};

void TestAlikeNames::oneLongNameShortensAll()
{
    QStandardItemModel model;
    model.appendRow(new QStandardItem(QStringLiteral("short")));
    QTableView table;
    table.setModel(&model);
    prepareTable(&table);
    table.setColumnWidth(0, 120);
    new AlikeNames(&table, 0);
    const auto brief = [&table] { return table.property(kAlwaysShort).toBool(); };
    QTest::qWait(0);
    QVERIFY(!brief());
    model.appendRow(new QStandardItem(QString(60, QLatin1Char('w'))));
    QTRY_VERIFY(brief());
    table.setColumnWidth(0, 60 * table.fontMetrics().horizontalAdvance(QLatin1Char('w')) + 40);
    QTRY_VERIFY(!brief());
    table.setColumnWidth(0, 30);
    QTRY_VERIFY(brief());
    model.removeRow(1);
    table.setColumnWidth(0, 120);
    QTRY_VERIFY(!brief());
}

KERNSCOPE_TEST(TestAlikeNames, QApplication)
#include "tst_alike_names.moc"
