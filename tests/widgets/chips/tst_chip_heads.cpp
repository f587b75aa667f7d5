// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/test_program.h"
#include "tests/widgets/sample_session.h"
#include "widgets/chips/chip_words.h"
#include "widgets/chips/stream_dock.h"
#include "widgets/common/table_text.h"
#include "widgets/common/theme.h"

#include <QHeaderView>
#include <QTableView>
#include <QTest>

#include <algorithm>

using namespace kernscope;
using namespace kernscope::ui;
using namespace kernscope::test;

/// The head of the matrix of outcomes, and the room that its columns take.
class TestChipHeads : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    /// A column of a chip takes what its name, its sum and the words of the outcomes need; where a
    /// few chips have no room beside one another that way, glyphs stand for the words.
    void chipsTakeLittleRoom_data()
    {
        QTest::addColumn<int>("width");
        QTest::addColumn<bool>("words");
        QTest::newRow("wide") << 1000 << true;
        QTest::newRow("narrow") << 450 << false;
    }

    void chipsTakeLittleRoom()
    {
        Session session;
        StreamDock dock(session);
        session.setBundle(openSample("sample-palette.mlmodelc"));
        QFETCH(int, width);
        QFETCH(bool, words);
        QVERIFY(showDock(dock, width));
        const QHeaderView *header = dock.matrix().horizontalHeader();
        const StreamMatrixModel &model = dock.model();
        int word = 0;
        for (const auto outcome :
             {decision::Outcome::Streams, decision::Outcome::Folds, decision::Outcome::Dense,
              decision::Outcome::Rejected, decision::Outcome::Unknown})
            word = std::max(word, dock.fontMetrics().horizontalAdvance(outcomeLabel(outcome)));
        QVERIFY(!words || header->sectionSize(model.firstChip()) > word);
        QFont bold = dock.matrix().font();
        bold.setBold(true);
        const int sums = model.rowCount() - 1;
        int least = words ? word + theme::em(&dock, 1) : 0;
        for (int column = model.firstChip(); column < model.columnCount(); ++column) {
            const int sum =
                QFontMetrics(bold).horizontalAdvance(model.index(sums, column).data().toString());
            QVERIFY(header->sectionSize(column) > sum);
            QVERIFY(header->sectionSize(column) >= header->sectionSizeHint(column));
            least = std::max(least, sum + theme::em(&dock, 1));
            const QString product =
                model.headerData(column, Qt::Horizontal, kProductRole).toString();
            if (words)
                least = std::max(least, ChipHeader::leastWidth(product, header->fontMetrics()) +
                                            theme::em(&dock, 0.5));
        }
        // As many as there is room for share what is left of it; a long name has its own width.
        const int room =
            dock.matrix().viewport()->width() - header->sectionViewportPosition(model.firstChip());
        QVERIFY(room > least);
        for (int column = model.firstChip(); column < model.columnCount(); ++column)
            QVERIFY(header->sectionSize(column) <=
                    std::max(header->sectionSizeHint(column), room / (room / least) + 1));
    }

    /// What a chip is known by is read whole, over two lines where one is too narrow for it.
    void chipsAreNamedWhole()
    {
        Session session;
        StreamDock dock(session);
        session.setBundle(openSample("sample-palette.mlmodelc"));
        QVERIFY(showDock(dock, 1000)); // outcomes have room for their words
        const QHeaderView *header = dock.matrix().horizontalHeader();
        const QFontMetrics metrics = header->fontMetrics();
        qsizetype most = 0;
        for (int column = dock.model().firstChip(); column < dock.model().columnCount(); ++column) {
            const QString product =
                dock.model().headerData(column, Qt::Horizontal, kProductRole).toString();
            const QStringList lines = ChipHeader::productLines(
                product, metrics, header->sectionSize(column) - theme::em(header, 0.3));
            most = std::max(most, lines.size());
            QVERIFY2(!lines.join(QString()).contains(QChar(0x2026)), qPrintable(product));
            QCOMPARE(lines.join(QString()).remove(QLatin1Char(' ')),
                     QString(product).remove(QLatin1Char(' ')));
        }
        QCOMPARE(most, qsizetype{2});
        QVERIFY2(header->height() >= 3 * metrics.lineSpacing(),
                 qPrintable(QString::number(header->height())));
        QCOMPARE(ChipHeader::productLines(QStringLiteral("M1"), metrics, 200),
                 QStringList{QStringLiteral("M1")});
    }

    /// In a wide window names are as whole as chips are; what a person set stays.
    void namesTakeRoomThatIsThere()
    {
        Session session;
        StreamDock dock(session);
        session.setBundle(openSample("sample-palette.mlmodelc"));
        QVERIFY(showDock(dock, 770));
        QHeaderView *header = dock.matrix().horizontalHeader();
        const int name = dock.model().columnOf("name"), narrow = header->sectionSize(name);
        dock.resize(2200, dock.height());
        QTRY_VERIFY(header->sectionSize(name) > narrow);
        int widest = 0;
        for (int row = 0; row + 1 < dock.model().rowCount(); ++row)
            widest = std::max(widest, dock.matrix().fontMetrics().horizontalAdvance(
                                          dock.model().index(row, name).data().toString()));
        QVERIFY(header->sectionSize(name) > widest);
        header->resizeSection(name, narrow + 7);
        dock.resize(1800, dock.height());
        QVERIFY(settle(dock));
        QCOMPARE(header->sectionSize(name), narrow + 7);
    }
};

KERNSCOPE_TEST(TestChipHeads, QApplication)
#include "tst_chip_heads.moc"
