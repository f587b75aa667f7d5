// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/go_to_box.h"
#include "tests/app/window_fixture.h"
#include "tests/test_program.h"
#include "widgets/bytes/hex_view.h"
#include "widgets/common/tile_view.h"
#include "widgets/weight/weight_grid_view.h"

#include <QAction>
#include <QSet>
#include <QTableView>
#include <QTreeView>

using namespace kernscope;
using ui::Place;

/// Where a jump ends, in every dock.
class TestPlaces : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void jumpsEndWhereTheyGo_data();
    void jumpsEndWhereTheyGo();
    void jumpsWinOverKeysBefore();

private:
    ui::Session &session() { return (*m_window)->session(); }
    ui::Dock *dock(const QString &id) { return (*m_window)->docks().dock(id); }
    void typePlace(const QString &text);

    std::unique_ptr<test::TestWindow> m_window;
    std::unique_ptr<QTemporaryDir> m_folder;
};

void TestPlaces::init()
{
    m_window.reset();
    m_folder = std::make_unique<QTemporaryDir>();
    m_window = std::make_unique<test::TestWindow>();
    QVERIFY(QTest::qWaitForWindowExposed(&**m_window));
    (*m_window)->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&**m_window));
}

void TestPlaces::typePlace(const QString &text)
{
    auto *box = (*m_window)->findChild<app::GoToBox *>();
    QTest::keyClick(&**m_window, Qt::Key_G, Qt::ControlModifier);
    box->setText(text);
    QTest::keyClick(box, Qt::Key_Return);
}

void TestPlaces::jumpsEndWhereTheyGo_data()
{
    QTest::addColumn<QString>("layout");
    QTest::addColumn<QString>("kind");
    for (const char *layout : {"inspect", "patch", "performance", "hardware", "compare"}) {
        for (const char *kind : {"offset", "part", "weight", "element", "select weight", "section",
                                 "bytes", "back", "hex", "grid", "tree"})
            QTest::addRow("%s, %s", layout, kind)
                << QString::fromLatin1(layout) << QString::fromLatin1(kind);
    }
}

void TestPlaces::jumpsEndWhereTheyGo()
{
    QFETCH(QString, layout);
    QFETCH(QString, kind);
    QVERIFY(m_window->open({test::writeSample(m_folder->path(), QStringLiteral("dense")),
                            test::writeSample(m_folder->path(), QStringLiteral("sparse"))}));
    for (const app::Layout one : app::kLayouts) {
        if (app::layoutId(one) == layout)
            (*m_window)->layouts().show(one);
    }
    QVERIFY(m_window->settle());
    const Bundle &bundle = *session().bundle();
    const std::size_t weight = bundle.weights().size() - 1;
    const Weight &wanted = bundle.weights()[weight];
    const OperandPlace &part = *wanted.operands().front().place;
    const std::uint64_t offset = part.dataOffset.value + 0x20;
    const QString name = QString::fromStdString(wanted.name);
    const ByteRange one{FileOffset(offset), ByteCount(1)};
    bool byte = true, element = false;
    session().goToWeight(0);
    QVERIFY(m_window->settle());
    if (kind == QLatin1String("offset")) {
        typePlace(QStringLiteral("%1:0x%2")
                      .arg(QString::fromStdString(bundle.files()[part.file].path))
                      .arg(offset, 0, 16));
    } else if (kind == QLatin1String("part")) {
        typePlace(name + QStringLiteral("+0x20"));
    } else if (kind == QLatin1String("bytes")) {
        session().goToBytes(part.file, one);
    } else if (kind == QLatin1String("back")) {
        session().goToBytes(part.file, one);
        session().goToWeight(0);
        QVERIFY(m_window->settle());
        QTest::keyClick(&**m_window, Qt::Key_Left, Qt::AltModifier);
    } else if (kind == QLatin1String("hex")) {
        app::DockSet::reveal(dock(QStringLiteral("hex")));
        session().goToBytes(part.file, {FileOffset(offset - 1), ByteCount(1)});
        QVERIFY(m_window->settleLong());
        auto *view = dock(QStringLiteral("hex"))->findChild<ui::HexView *>();
        QTest::keyClick(view, Qt::Key_Right);
    } else if (kind == QLatin1String("section")) {
        byte = false;
        session().goToSection(bundle.sectionAt(part.file, part.dataOffset));
    } else if (kind == QLatin1String("weight")) {
        byte = false;
        typePlace(name);
    } else if (kind == QLatin1String("select weight")) {
        byte = false;
        session().goToWeight(weight);
    } else if (kind == QLatin1String("element")) {
        byte = false;
        element = true;
        typePlace(name + QStringLiteral("[3]"));
    } else if (kind == QLatin1String("grid")) {
        byte = false;
        element = true;
        app::DockSet::reveal(dock(QStringLiteral("weight")));
        session().goToElement(weight, 0);
        QVERIFY(m_window->settleLong());
        auto *grid = dock(QStringLiteral("weight"))->findChild<ui::WeightGridView *>();
        grid->showCell(0, 0);
        Q_EMIT grid->cellClicked(0, 3);
    } else if (kind == QLatin1String("tree")) {
        byte = false;
        app::DockSet::reveal(dock(QStringLiteral("bundle")));
        session().goToWeight(weight - 1);
        QVERIFY(m_window->settleLong());
        auto *tree = dock(QStringLiteral("bundle"))->findChild<QTreeView *>();
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
    for (const auto &entry : (*m_window)->docks().entries()) {
        if (!entry.dock->isVisible())
            continue;
        QVERIFY2(entry.dock->place() == place, qPrintable(entry.dock->id()));
    }
    app::DockSet::reveal(dock(QStringLiteral("hex")));
    QVERIFY(m_window->settleLong());
    const auto *view = dock(QStringLiteral("hex"))->findChild<ui::HexView *>();
    if (byte)
        QCOMPARE(view->selection().offset.value, offset);
    QVERIFY(part.range().contains(view->selection().offset));
    QVERIFY(session().place() == place);
}

/// A cell that the keys moved to is told of after a moment: not once something else was chosen.
void TestPlaces::jumpsWinOverKeysBefore()
{
    QVERIFY(m_window->open({test::writeSample(m_folder->path(), QStringLiteral("sparse"))}));
    session().goToElement(0, 0);
    QVERIFY(m_window->settle());
    app::DockSet::reveal(dock(QStringLiteral("weight")));
    auto *grid = dock(QStringLiteral("weight"))->findChild<ui::WeightGridView *>();
    QTest::keyClick(grid->findChild<QTableView *>(), Qt::Key_Right);
    session().goToWeight(2);
    QVERIFY(m_window->settleLong());
    QCOMPARE(session().place().weight, std::size_t{2});
    QVERIFY(!session().place().element);
}

KERNSCOPE_TEST(TestPlaces, QApplication)
#include "tst_places.moc"
