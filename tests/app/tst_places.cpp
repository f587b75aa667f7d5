// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/go_to_box.h"
#include "tests/app/main_window_fixture.h"
#include "tests/cli/written_bundle.h"
#include "widgets/bytes/hex_view.h"
#include "widgets/common/tile_view.h"
#include "widgets/weight/weight_grid_view.h"

using ui::Place;

/// Where a jump ends, in every dock.
class TestPlaces : public MainWindowTest
{
    Q_OBJECT

private Q_SLOTS:
    /// One window for all rows, as a person has: a new one takes longer than most of them.
    void initTestCase() { openActiveWindow(); }

    void jumpsEndWhereTheyGo_data()
    {
        addColumns<QString, QString>();
        for (const char *layout : {"inspect", "patch", "performance", "hardware", "compare"}) {
            for (const char *kind : {"offset", "part", "weight", "element", "select weight",
                                     "section", "bytes", "back", "hex", "grid", "tree"})
                QTest::addRow("%s, %s", layout, kind)
                    << QString::fromLatin1(layout) << QString::fromLatin1(kind);
        }
    }

    void jumpsEndWhereTheyGo()
    {
        const auto [layout, kind] = fetched<QString, QString>();
        if (!document().isOpen())
            QVERIFY(m_window->open({sample(u"dense"_s), sample(u"sparse"_s)}));
        for (const app::Layout one : app::kLayouts) {
            if (app::layoutId(one) == layout && layouts().current() != one)
                layouts().show(one);
        }
        QVERIFY(m_window->settle());
        const Bundle &bundle = *session().bundle();
        const std::size_t weight = bundle.weights().size() - 1;
        const Weight &wanted = bundle.weights()[weight];
        const OperandPlace &part = *wanted.operands().front().place;
        const std::uint64_t offset = part.dataOffset.value + 0x20;
        const QString name = QString::fromStdString(wanted.name);
        const ByteRange one{FileOffset(offset), ByteCount(1)};
        const bool element = kind == u"element"_s || kind == u"grid"_s;
        const bool byte =
            QStringList{u"offset"_s, u"part"_s, u"bytes"_s, u"back"_s, u"hex"_s}.contains(kind);
        QVERIFY(goToWeight(0));
        if (kind == QLatin1String("offset")) {
            typePlace(u"%1:0x%2"_s.arg(QString::fromStdString(bundle.files()[part.file].path))
                          .arg(offset, 0, 16));
        } else if (kind == QLatin1String("part")) {
            typePlace(name + u"+0x20"_s);
        } else if (kind == QLatin1String("bytes")) {
            session().goToBytes(part.file, one);
        } else if (kind == QLatin1String("back")) {
            session().goToBytes(part.file, one);
            session().goToWeight(0);
            QVERIFY(m_window->settle());
            press(Qt::Key_Left, Qt::AltModifier);
        } else if (kind == QLatin1String("hex")) {
            auto *view = VERIFIED(shownIn<ui::HexView>(u"hex"_s));
            session().goToBytes(part.file, {FileOffset(offset - 1), ByteCount(1)});
            QVERIFY(m_window->settleLong());
            QTest::keyClick(view, Qt::Key_Right);
        } else if (kind == QLatin1String("section")) {
            session().goToSection(bundle.sectionAt(part.file, part.dataOffset));
        } else if (kind == QLatin1String("weight")) {
            typePlace(name);
        } else if (kind == QLatin1String("select weight")) {
            session().goToWeight(weight);
        } else if (kind == QLatin1String("element")) {
            typePlace(name + u"[3]"_s);
        } else if (kind == QLatin1String("grid")) {
            auto *grid = VERIFIED(shownIn<ui::WeightGridView>(u"weight"_s));
            session().goToElement(weight, 0);
            QVERIFY(m_window->settleLong());
            grid->showCell(0, 0);
            Q_EMIT grid->cellClicked(0, 3);
        } else if (kind == QLatin1String("tree")) {
            auto *tree = VERIFIED(shownIn<QTreeView>(u"bundle"_s));
            session().goToWeight(weight - 1);
            QVERIFY(m_window->settleLong());
            QTest::keyClick(tree, Qt::Key_Down);
        }
        QVERIFY(m_window->settleLong());
        const Place &place = session().place();
        QCOMPARE(place.weight, weight);
        if (byte)
            QCOMPARE(place.bytes->offset.value, offset);
        if (element)
            QVERIFY(place.element && *place.element > 0);
        // Where each dock stands, and what the ones that can say show.
        for (const auto &entry : docks().entries()) {
            if (!entry.dock->isVisible())
                continue;
            QVERIFY2(entry.dock->place() == place, qPrintable(entry.dock->id()));
        }
        app::DockSet::reveal(dock(u"hex"_s));
        QVERIFY(m_window->settleLong());
        const auto *view = dock(u"hex"_s)->findChild<ui::HexView *>();
        if (byte)
            QCOMPARE(view->selection().offset.value, offset);
        QVERIFY(part.range().contains(view->selection().offset));
        QVERIFY(session().place() == place);
    }

    /// A weight that the program writes lies where that says its values.
    void writtenWeightHasItsPlace()
    {
        MadeBundle made;
        made.layer("stored", "[2, 4]", Bytes(16));
        const std::string type = "tensor<fp16, [4]>";
        made.line(type + " c = const()[name = string(\"c\"), val = " + type +
                  "([0x1p+0, 0x1p+1, 0x1p+2, 0x1p+3])]");
        made.line("tensor<fp16, [1, 4]> y = add(x = x, y = c)[name = string(\"y\")]");
        const QTemporaryDir folder;
        QVERIFY(m_window->open({writeBundle(folder, "m.mlmodelc", made)}));
        const Bundle &bundle = *session().bundle();
        QVERIFY(goToWeight(*bundle.weightByName("stored")));
        QVERIFY(goToWeight(*bundle.weightByName("c")));
        QVERIFY(m_window->settleLong());
        const auto *view = dock(u"hex"_s)->findChild<ui::HexView *>();
        QCOMPARE(bundle.files()[view->file()].path, "model.mil");
        QCOMPARE(view->selection().offset.value, made.text().find("0x1p+0"));
        QCOMPARE(session().place().weight, *bundle.weightByName("c"));
    }

    /// A cell that the keys moved to is told of after a moment: not once something else was chosen.
    void jumpsWinOverKeysBefore()
    {
        QVERIFY(m_window->open({sample(u"sparse"_s)}));
        session().goToElement(0, 0);
        QVERIFY(m_window->settle());
        app::DockSet::reveal(dock(u"weight"_s));
        auto *grid = dock(u"weight"_s)->findChild<ui::WeightGridView *>();
        QTest::keyClick(grid->findChild<QTableView *>(), Qt::Key_Right);
        session().goToWeight(2);
        QVERIFY(m_window->settleLong());
        QCOMPARE(session().place().weight, std::size_t{2});
        QVERIFY(!session().place().element);
    }

    // What a pin holds still: every dock, with programs and with a hardware container.
    void pinnedDocksStay_data() { addEach({"programs", "hardware"}); }

    void pinnedDocksStay()
    {
        const bool hardware = std::get<0>(fetched<QString>()) == u"hardware"_s;
        const QStringList paths = hardware ? QStringList{writeHardware()}
                                           : QStringList{sample(u"palette"_s), sample(u"sparse"_s)};
        for (const auto &entry : docks().entries())
            entry.dock->hide(); // each on view takes time at each step
        for (const QString &id : docks().ids()) {
            // Assessment keeps the weight of before where the place of now has none.
            if (hardware || document().path() != paths.first())
                QVERIFY(m_window->open(paths));
            ui::Dock *one = dock(id);
            one->setPinned(false);
            one->setFloating(false);
            app::DockSet::reveal(one);
            (*m_window)->findChild<app::GoToBox *>()->setFocus();
            session().goToWeight(0);
            if (hardware)
                session().goToBytes(0, {FileOffset(0), ByteCount(4)});
            QVERIFY(m_window->settleLong());
            one->setPinned(true);
            const auto picture = [one] { return one->widget()->grab().toImage(); };
            (void)picture(); // drawing it may make columns as wide as their numbers
            QVERIFY(m_window->settleLong());
            const QImage before = picture();
            const Place held = one->place();
            session().goTo(other());
            QVERIFY(m_window->settleLong());
            QTRY_VERIFY2(picture() == before, qPrintable(id + u" moved with the others"_s));
            // As after an edit, an undo or a save.
            session().updateBundle(session().bundle());
            QVERIFY(m_window->settleLong());
            QTRY_VERIFY2(picture() == before, qPrintable(id + u" moved after an edit"_s));
            QVERIFY2(one->place() == held, qPrintable(id));
            one->setPinned(false);
            QVERIFY(m_window->settleLong());
            QVERIFY2(one->place() == session().place(), qPrintable(id));
            one->hide();
        }
    }

private:
    void typePlace(const QString &text)
    {
        auto *box = (*m_window)->findChild<app::GoToBox *>();
        press(Qt::Key_G, Qt::ControlModifier);
        box->setText(text);
        QTest::keyClick(box, Qt::Key_Return);
    }

    /// The weight and bytes that are as far from the place of now as can be.
    Place other() const
    {
        const ui::Session &now = (*const_cast<TestPlaces *>(this)->m_window)->session();
        Place place;
        place.weight = now.bundle()->weights().size() - 1;
        if (now.bundle()->hardware()) {
            place = {};
            place.file = 0;
            place.bytes = ByteRange{FileOffset(now.bundle()->files()[0].file->size().value - 4),
                                    ByteCount(4)};
        }
        return place;
    }
};

KERNSCOPE_TEST(TestPlaces, QApplication)
#include "tst_places.moc"
