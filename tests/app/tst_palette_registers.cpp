// SPDX-License-Identifier: GPL-3.0-or-later
// The search box over a hardware container: registers of its tasks, and their fields.
#include "app/go_to_box.h"
#include "core/bundle/bundle.h"
#include "main_window_fixture.h"
#include "widgets/hardware/hardware_facts.h"

using app::Layout;
using app::PaletteIndex;

class TestPaletteRegisters : public MainWindowTest
{
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        openActiveWindow();
        QVERIFY(m_window->open({writeHardware()}));
    }

    /// In whatever workspace: the tasks come into view, and the register is chosen there.
    void registersAreFound()
    {
        (*m_window)->showLayout(Layout::Inspect);
        QVERIFY(choose(u"convcfg"_s, u"Common ConvCfg"_s));
        QCOMPARE(bytes().offset.value, wordOf(0, u"ConvCfg"_s));
        QCOMPARE(bytes().bytes.value, 4ULL);
        QCOMPARE(layouts().current(), Layout::Hardware);
        ui::Dock *tasks = dock(u"tasks"_s);
        QVERIFY(tasks->onView());
        bool chosen = false;
        for (const QTreeView *view : tasks->findChildren<QTreeView *>())
            chosen |= view->currentIndex().siblingAtColumn(0).data().toString() ==
                      QLatin1String("ConvCfg");
        QVERIFY(chosen);
    }

    void fieldsAreFound()
    {
        const auto &reg = *descriptor::RegisterMap::of(7)->find(0x1c);
        QVERIFY(reg.fields.size() > 1);
        const QString field = QString::fromStdString(reg.fields[1].name);
        QVERIFY(choose(u"convcfg "_s + field, u"Common ConvCfg "_s + field));
        QCOMPARE(bytes().offset.value, wordOf(0, u"ConvCfg"_s, 1));
        QVERIFY(session().place().bits);
        QCOMPARE(session().place().bits->count, reg.fields[1].high - reg.fields[1].low + 1);
    }

    /// Of eight tasks that write it: the one at which one is at work.
    void theTaskAtHandIsMeant()
    {
        const std::uint64_t other = wordOf(3, u"InDim"_s);
        QVERIFY(other != 0);
        session().goToBytes(0, {FileOffset(other), ByteCount(4)});
        QVERIFY(choose(u"convcfg"_s, u"Common ConvCfg"_s));
        QCOMPARE(bytes().offset.value, wordOf(3, u"ConvCfg"_s));
    }

private:
    /// Types into the box and chooses the hit of that text; false where there is none.
    bool choose(const QString &typed, const QString &text)
    {
        auto *box = (*m_window)->findChild<app::GoToBox *>();
        press(Qt::Key_K, Qt::ControlModifier);
        box->clear();
        QTest::keyClicks(box, typed);
        const auto &hits = box->hits().hits();
        for (int row = 0; row < hits.rowCount(); ++row) {
            if (hits.at(row).kind != PaletteIndex::Kind::Register || hits.at(row).text != text)
                continue;
            while (box->hits().chosen() < row)
                QTest::keyClick(box, Qt::Key_Down);
            QTest::keyClick(box, Qt::Key_Return);
            return m_window->settle();
        }
        return false;
    }

    ByteRange bytes() { return session().place().bytes.value_or(ByteRange{}); }

    /// The first word of `task` that writes a register of that name, in the file.
    std::uint64_t wordOf(std::size_t task, const QString &name, int field = -1)
    {
        ui::TaskSource source = ui::taskSource(*session().bundle(), 0);
        for (const ui::FactNode &block : ui::registerRows(source, task))
            for (const ui::FactNode &reg : block.children)
                if (reg.cells.front() == name && reg.bytes)
                    return (field < 0 ? reg : reg.children[std::size_t(field)]).bytes->offset.value;
        return 0;
    }
};

KERNSCOPE_TEST(TestPaletteRegisters, QApplication)
#include "tst_palette_registers.moc"
