// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/main_window_fixture.h"
#include "widgets/bytes/hex_view.h"
#include "widgets/bytes/inspector_view.h"
#include "widgets/chips/plan_dock.h"
#include "widgets/common/panels.h"
#include "widgets/common/plot_widget.h"
#include "widgets/overview/overview_dock.h"
#include "widgets/overview/treemap_view.h"
#include "widgets/program/graph_view.h"
#include "widgets/weight/weight_header.h"

using app::Layout;

namespace {

bool shown(const QWidget *widget)
{
    return widget->isVisible() && !widget->visibleRegion().isEmpty();
}

int rowsOf(const QTableView &table)
{
    // Of an inspector that scrolls, what scrolling brings on view.
    return table.viewport()->height() / std::max(1, table.verticalHeader()->defaultSectionSize());
}

} // namespace

/// Least useful sizes of what the workspaces show, as window.md has them, at 1400x900 (1280x800):
/// 10 (8) rows of bytes and of values, 8 (6) entries of a codebook, 8 (6) pairs, 6 (5) rows of any
/// other table, plots of 150 (120) pixels and pictures of 200 (160). They hold in every tab of
/// every workspace.
class TestWindowSizes : public MainWindowTest
{
    Q_OBJECT

private Q_SLOTS:
    void init() { openWindow(); }

    void leastSizes_data()
    {
        addColumns<QString, int>();
        for (const char *build : {"dense", "sparse", "palette"}) {
            for (const Layout layout :
                 {Layout::Inspect, Layout::Compare, Layout::Patch, Layout::Performance})
                QTest::addRow("%s, %s", build, qPrintable(app::layoutId(layout)))
                    << QString::fromLatin1(build) << int(layout);
        }
        addRow("hardware", u"hwx"_s, int(Layout::Hardware));
    }

    void leastSizes()
    {
        const auto [build, number] = fetched<QString, int>();
        const auto layout = static_cast<Layout>(number);
        (*m_window)->resize(1400, 900);
        QStringList paths{build == QLatin1String("hwx") ? writeHardware() : sample(build)};
        if (layout == Layout::Compare)
            paths += sample(build == QLatin1String("dense") ? u"sparse"_s : u"dense"_s);
        QVERIFY(m_window->open(paths));
        layouts().show(layout);
        for (const QSize size : {QSize(1400, 900), QSize(1280, 800)}) {
            if ((*m_window)->size() != size) {
                (*m_window)->resize(size);
                session().goTo({}); // the overview
                layouts().reset();
            }
            QVERIFY(m_window->settle());
            QCOMPARE((*m_window)->size(), size);
            m_least = size.height() < 900 ? Least{8, 8, 6, 6, 5, 120, 160} : Least{};
            m_faults.clear();
            checkTabs(); // the overview
            checkTitles();
            if (layout == Layout::Inspect)
                checkReadings();
            std::set<std::pair<std::string, std::size_t>> seen; // forms and numbers of axes
            for (std::size_t i = 0; i < session().bundle()->weights().size(); ++i) {
                const Weight &weight = session().bundle()->weights()[i];
                const std::size_t axes = weight.shape.size();
                if (axes < 2 || !seen.emplace(formText(weight.form), axes).second)
                    continue;
                session().goToWeight(i);
                QVERIFY(m_window->settle());
                QCoreApplication::sendPostedEvents();
                for (const auto &entry : docks().entries())
                    check(*entry.dock);
            }
            checkTabs();
            QVERIFY2(m_faults.isEmpty(),
                     qPrintable(u"%1: %2"_s.arg(size.width()).arg(m_faults.join(u"; "_s))));
        }
    }

    /// What is to be read first is there without scrolling, in the smallest window too.
    void firstScreen()
    {
        for (const QSize size : {QSize(1280, 800), QSize(1400, 900)}) {
            (*m_window)->resize(size);
            QVERIFY(m_window->open({sample(u"palette"_s)}));
            layouts().show(Layout::Inspect);
            layouts().reset();
            QVERIFY(m_window->settle());
            auto *overview = VERIFIED(qobject_cast<ui::OverviewDock *>(dock(u"overview"_s)));
            QTRY_VERIFY(overview->findings().model()->rowCount() > 0);
            const QTableView &findings = overview->findings();
            const int rows = findings.viewport()->visibleRegion().boundingRect().height() /
                             findings.verticalHeader()->defaultSectionSize();
            QVERIFY2(rows >= std::min(3, findings.model()->rowCount()),
                     qPrintable(QString::number(rows)));
            for (const QLabel *label : overview->findChildren<QLabel *>()) {
                if (label->accessibleName() == u"What the program waits for"_s)
                    QCOMPARE(label->visibleRegion().boundingRect(), label->rect());
            }
            const QWidget &map = overview->treemap();
            QCOMPARE(map.visibleRegion().boundingRect(), map.rect());
        }
    }

    /// The frame of window.md at 1400x900: 270 pixels for the navigator, 320 for the inspector.
    void sidesHaveTheirWidths()
    {
        (*m_window)->resize(1400, 900);
        QVERIFY(m_window->open({sample(u"sparse"_s)}));
        const double em = QFontMetrics((*m_window)->font()).height() / 14.0;
        for (const auto &[layout, id] : {std::pair{Layout::Inspect, "inspector"},
                                         {Layout::Patch, "inspector"},
                                         {Layout::Performance, "assessment"},
                                         {Layout::Hardware, "inspector"}}) {
            layouts().show(layout);
            QVERIFY(m_window->settle());
            const auto wide = [this](const char *dock) {
                return this->dock(QLatin1String(dock))->width();
            };
            QVERIFY2(std::abs(wide("bundle") - 270 * em) <= 6,
                     qPrintable(QString::number(wide("bundle"))));
            QVERIFY2(std::abs(wide(id) - 320 * em) <= 6, qPrintable(QString::number(wide(id))));
        }
    }

    /// A layout that was kept while the window was small is not narrower in a larger one.
    void widthsDoNotDrift()
    {
        (*m_window)->resize(1400, 900);
        QVERIFY(m_window->open({sample(u"sparse"_s)}));
        layouts().show(Layout::Inspect);
        layouts().reset();
        QVERIFY(m_window->settle());
        const int side = dock(u"bundle"_s)->width(), low = dock(u"hex"_s)->height();
        for (int i = 0; i < 3; ++i) {
            for (const auto &[size, layout] : {std::pair{QSize(1280, 800), Layout::Patch},
                                               {QSize(1400, 900), Layout::Inspect}}) {
                (*m_window)->resize(size);
                QVERIFY(m_window->settle());
                layouts().show(layout);
                QVERIFY(m_window->settle());
            }
        }
        QCOMPARE_LE(std::abs(dock(u"bundle"_s)->width() - side), 2);
        QCOMPARE_LE(std::abs(dock(u"hex"_s)->height() - low), 2);
    }

    /// A window that was large shows as much as one that never was: nothing keeps its old width.
    void smallerWindow()
    {
        (*m_window)->resize(2560, 1440);
        QVERIFY(m_window->open({sample(u"sparse"_s)}));
        const auto turnTo = [this](QSize size, std::size_t weight) {
            (*m_window)->resize(size);
            layouts().reset();
            this->session().goToWeight(weight);
            dock(u"weight"_s)->raise();
            return m_window->settle();
        };
        QVERIFY(turnTo({2560, 1440}, 0));
        QVERIFY(turnTo({1400, 900}, 0));
        m_least = Least{};
        m_faults.clear();
        QVERIFY(session().bundle());
        QCoreApplication::sendPostedEvents();
        for (const auto &entry : docks().entries())
            check(*entry.dock);
        QVERIFY2(m_faults.isEmpty(), qPrintable(m_faults.join(u"; "_s)));
    }

private:
    struct Least {
        int hexRows = 10, gridRows = 10, codebookRows = 8, pairRows = 8, tableRows = 6, plot = 150,
            picture = 200;
    };

    void check(ui::Dock &dock)
    {
        if (!shown(&dock) || !dock.showsContent())
            return;
        for (const auto *hex : dock.findChildren<ui::HexView *>()) {
            if (shown(hex))
                demand(*hex, dock, u"rows"_s, int(hex->visibleRows()), m_least.hexRows);
        }
        for (const auto *table : dock.findChildren<QTableView *>())
            checkTable(dock, *table);
        // What a form costs in time is seen without scrolling.
        if (auto *plan = qobject_cast<ui::PlanDock *>(&dock); plan && m_least.plot == 150) {
            const auto *table = VERIFIED(dock.findChild<QTableView *>());
            const int time = plan->model().columnOf("time_s");
            demand(*table, dock, u"pixels up to the planned time"_s, table->viewport()->width(),
                   table->columnViewportPosition(time) + table->columnWidth(time));
        }
        // Nothing stands beyond the right edge of its dock.
        for (const auto *area : dock.findChildren<ui::ShrinkArea *>()) {
            if (shown(area))
                demand(*area->widget(), dock, u"pixels of width"_s,
                       area->maximumViewportSize().width(), area->widget()->width());
        }
        // What wraps has its row, and no list begins with an empty one.
        for (const auto *picker : dock.findChildren<ui::SlicePicker *>()) {
            if (shown(picker))
                demand(*picker, dock, u"pixels of height"_s, picker->height(),
                       picker->childrenRect().bottom() + 1);
        }
        for (const auto *readings : dock.findChildren<ui::InspectorView *>()) {
            if (shown(readings) && readings->verticalScrollBar()->value() == 0)
                demand(*readings, dock, u"empty pixels above"_s,
                       -readings->visualRect(readings->model()->index(0, 1)).top(), 0);
            // Beside the bytes all readings are in sight; a small window may scroll them.
            if (shown(readings) && m_least.hexRows >= Least().hexRows)
                demand(*readings, dock, u"pixels of height"_s, readings->height(),
                       readings->visualRect(
                                   readings->model()->index(readings->model()->rowCount() - 1, 1))
                               .bottom() +
                           1);
        }
        const auto high = [&](const auto &widgets, int wanted) {
            for (const QWidget *widget : widgets) {
                if (shown(widget))
                    demand(*widget, dock, u"pixels"_s, widget->height(), wanted);
            }
        };
        high(dock.findChildren<ui::PlotWidget *>(), m_least.plot);
        high(dock.findChildren<ui::TileView *>(), m_least.picture);
        high(dock.findChildren<ui::TreemapView *>(), m_least.picture);
        high(dock.findChildren<ui::GraphView *>(), m_least.picture);
    }

    void checkTable(ui::Dock &dock, const QTableView &table)
    {
        // Sums and plots' own tables are no lists of rows.
        if (!shown(&table) || table.focusPolicy() == Qt::NoFocus || !table.model())
            return;
        const QString name = table.accessibleName();
        const int rows = table.model()->rowCount();
        const int wanted = name == QLatin1String("Values of the slice")       ? m_least.gridRows
                           : name == QLatin1String("Entries of the codebook") ? m_least.codebookRows
                           : name == QLatin1String("Weights of both bundles in pairs")
                               ? m_least.pairRows
                               : m_least.tableRows;
        demand(table, dock, u"rows"_s, rowsOf(table),
               wanted == m_least.gridRows ? wanted : std::min(wanted, rows));
        // A list whose row says what its thing is shows all of it.
        if (name == QLatin1String("Task descriptors"))
            demand(table, dock, u"pixels of its columns"_s, table.viewport()->width(),
                   table.horizontalHeader()->length());
    }

    /// Beside the bytes, which are whole, are their readings.
    void checkReadings()
    {
        const auto *bytes = VERIFIED(shownIn<ui::HexView>(u"hex"_s));
        const auto *readings = VERIFIED(dock(u"hex"_s)->findChild<ui::InspectorView *>());
        QVERIFY2(readings->isVisible() && readings->x() > bytes->geometry().right(),
                 qPrintable(QString::number(readings->x())));
        QCOMPARE(bytes->horizontalScrollBar()->maximum(), 0);
        const QAbstractItemModel &model = *readings->model();
        for (int row = 0; row < 8; ++row) // u8 to i32, fp16, bf16
            QVERIFY2(
                readings->viewport()->rect().contains(readings->visualRect(model.index(row, 1))),
                qPrintable(model.index(row, 0).data().toString()));
    }

    /// Every dock of the workspace, in front of its tabs.
    void checkTabs()
    {
        for (const auto &entry : docks().entries()) {
            if (entry.dock->isHidden())
                continue;
            entry.dock->raise();
            QVERIFY(m_window->settle());
            QCoreApplication::sendPostedEvents();
            for (const auto &other : docks().entries())
                check(*other.dock);
        }
    }

    /// Docks in tabs have no title bars of their own: those would take a row of their content.
    void checkTitles()
    {
        for (const auto &entry : docks().entries()) {
            QMainWindow *host = qobject_cast<QMainWindow *>(entry.dock->parentWidget());
            const auto others =
                host ? host->tabifiedDockWidgets(entry.dock) : QList<QDockWidget *>();
            // The help has a place in tabs, hidden: a dock that is left alone has its own title.
            const bool inTabs =
                std::any_of(others.begin(), others.end(),
                            [](const QDockWidget *one) { return !one->isHidden(); });
            if (shown(entry.dock) && inTabs)
                QTRY_VERIFY2(entry.dock->titleBarWidget()->height() == 0,
                             qPrintable(entry.dock->id()));
        }
    }

    /// Says what is too small, once.
    void demand(const QWidget &widget, ui::Dock &dock, const QString &what, int found, int wanted)
    {
        const QString fault = u"%1, %2: %3 of %4 %5"_s.arg(dock.id(), widget.accessibleName())
                                  .arg(found)
                                  .arg(wanted)
                                  .arg(what);
        if (found < wanted && !m_faults.contains(fault))
            m_faults += fault;
    }

    Least m_least;
    QStringList m_faults;
};

KERNSCOPE_TEST(TestWindowSizes, QApplication)
#include "tst_window_sizes.moc"
