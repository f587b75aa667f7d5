// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/test_program.h"
#include "tests/widgets/weight/weight_dock_fixture.h"
#include "widgets/models/weight_grid_model.h"
#include "widgets/weight/weight_dock.h"
#include "widgets/weight/weight_grid_view.h"
#include "widgets/weight/weight_header.h"

using namespace kernscope;
using namespace kernscope::ui;

/// What has room beside what in the dock of a weight.
class TestWeightRoom : public test::WeightDockFixture
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { begin(); }

    /// A name that had room once does not keep the dock from becoming narrow.
    void longNamesGiveWay()
    {
        WeightHeader header(true);
        Weight weight;
        weight.name = std::string(150, 'w');
        header.resize(900, 60);
        header.setWeight(weight);
        header.setOutcome(decision::Outcome::Streams, u"H13"_s, {});
        QVERIFY2(header.minimumSizeHint().width() < 300,
                 qPrintable(QString::number(header.minimumSizeHint().width())));
    }

    /// Of every form: a changed cell's mark, code and value stand beside one another.
    void cellsHoldMarkCodeAndValue()
    {
        for (const char *name : {"sample-dense.mlmodelc", "sample-palette.mlmodelc"}) {
            auto [session, dock] = test::Alone<WeightDock>();
            session.setBundle(test::openSample(name));
            for (std::size_t weight = 0; weight < session.bundle()->weights().size(); ++weight) {
                session.goToWeight(weight);
                QVERIFY(test::showDock(dock, 700, 500));
                const QTableView &table = dock.grid().table();
                const WeightGridModel &model = dock.grid().model();
                QTRY_VERIFY(!model.loading());
                const QString code = model.index(0, 0).data(WeightGridModel::CodeRole).toString();
                QVERIFY(code.size() <= model.widestCode().size());
                const QString all =
                    theme::glyph(Token::MarkChanged) + u' ' + model.widestCode() + u" -0.0098765"_s;
                QVERIFY(table.columnWidth(0) > table.fontMetrics().horizontalAdvance(all) + 8);
            }
        }
    }

    /// The edge of the view cuts no column, however wide it is: they share the room.
    void columnsAreWhole()
    {
        auto [session, dock] = test::Alone<WeightDock>();
        session.setBundle(test::openSample("sample-dense.mlmodelc"));
        for (const int width : {500, 640, 790, 1200}) {
            session.goToWeight(0);
            QVERIFY(test::showDock(dock, width, 500));
            const QTableView &table = dock.grid().table();
            QTRY_VERIFY(!dock.grid().model().loading());
            const int room = table.viewport()->width(), column = table.columnWidth(0);
            if (dock.grid().model().columnCount() * column > room)
                QVERIFY2(room % column < room / column,
                         qPrintable(u"%1 of %2"_s.arg(column).arg(room)));
        }
    }

    /// "0.0448" of 0.044861 would be another number: where an edge of the view cuts it, none is
    /// shown.
    void edgesCutNoNumber()
    {
        const QFontMetrics metrics{QFont()};
        const QString code = u"0x29be"_s, value = u"0.044861"_s;
        const QString dots(QChar(0x2026));
        const QRect view(0, 0, 500, 20);
        const auto shown = [&](int left, int width) {
            return WeightCellDelegate::shownTexts(QRect(left, 0, width, 20), view, metrics, code,
                                                  value);
        };
        const auto whole = shown(300, 200);
        QCOMPARE(whole.code, code);
        QCOMPARE(whole.value, value);
        const auto right = shown(301, 200); // its last digit
        QCOMPARE(right.code, code);
        QCOMPARE(right.value, dots);
        const auto narrow = shown(500 - metrics.horizontalAdvance(code) + 1, 200);
        QCOMPARE(narrow.code, QString());
        QCOMPARE(narrow.value, dots);
        const auto left = shown(-1, 200);
        QCOMPARE(left.code, QString());
        QCOMPARE(left.value, value);
        QCOMPARE(shown(-200 + metrics.horizontalAdvance(value) - 1, 200).value, dots);
        QCOMPARE(
            WeightCellDelegate::shownTexts(QRect(450, 0, 200, 20), view, metrics, code, {}).value,
            QString());
    }

    /// Square cells would make of a long slice a strip in an empty panel.
    void longSlicesFillThePicture()
    {
        auto [session, dock] = test::Alone<WeightDock>();
        open(session, "sample-dense.mlmodelc", codec::PartRole::Data);
        session.goToWeight(m_weight);
        QVERIFY(test::showDock(dock, 1100, 500));
        auto *map = dock.findChild<TileView *>(u"heatMap"_s);
        QVERIFY(map && map->source());
        const std::uint64_t rows = map->source()->rows(), cols = map->source()->cols();
        const QRect all = map->cellRect({0, 0}) | map->cellRect({rows - 1, cols - 1});
        QVERIFY(all.height() > map->viewport()->height() / 2);
        QVERIFY2(all.width() > map->viewport()->width() / 2 || all.width() >= 4 * all.height(),
                 qPrintable(u"%1 of %2"_s.arg(all.width()).arg(map->viewport()->width())));
    }
};

KERNSCOPE_TEST(TestWeightRoom, QApplication)
#include "tst_weight_room.moc"
