// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/overlaid_file.h"
#include "core/patch/patch.h"
#include "main_window_fixture.h"
#include "widgets/patch/patches_dock.h"

namespace kernscope::test {

/// A window that shows the list of patches of a copy of the palette sample, unlocked.
class PatchesTest : public MainWindowTest
{
protected:
    void openPatches()
    {
        openSameWindow();
        m_path = sample(QStringLiteral("palette"));
        QVERIFY(m_window->open({m_path}));
        layouts().show(app::Layout::Patch);
        QVERIFY(activate());
        session().setPatchingEnabled(true);
        QVERIFY(m_window->settle());
    }

    using MainWindowTest::dock;
    ui::PatchesDock &dock() { return *docks().patches(); }
    QTableView &table() { return *dock().findChild<QTableView *>(); }
    QString weightName(std::size_t index)
    {
        return QString::fromStdString(session().bundle()->weights()[index].name);
    }

    void tick(int row, bool on)
    {
        table().model()->setData(table().model()->index(row, 0), on ? Qt::Checked : Qt::Unchecked,
                                 Qt::CheckStateRole);
        QVERIFY(m_window->settle());
    }

    /// The bytes that planning the active edits on the file as it is on disk makes.
    void verifyAsPlanned()
    {
        const auto fresh = Bundle::open(m_path.toStdString());
        QVERIFY(fresh);
        std::vector<Edit> edits;
        for (const ui::PatchEntry &entry : session().patches()) {
            if (entry.active)
                edits.push_back(entry.edit->edit);
        }
        BundlePtr planned = *fresh;
        if (!edits.empty()) {
            auto made = planOnFork(*fresh, edits, std::numeric_limits<double>::infinity());
            QVERIFY2(made, made ? "" : describe(made.error()).c_str());
            planned = made->bundle;
        }
        const auto &files = session().bundle()->files();
        QCOMPARE(files.size(), planned->files().size());
        for (std::size_t i = 0; i < files.size(); ++i) {
            const auto ours = files[i].file->bytes(), theirs = planned->files()[i].file->bytes();
            QVERIFY2(std::equal(ours.begin(), ours.end(), theirs.begin(), theirs.end()),
                     files[i].path.c_str());
        }
    }

    QString m_path;
};
} // namespace kernscope::test
