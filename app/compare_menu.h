// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/layouts.h"
#include "app/window_parts.h"
#include "widgets/compare/compare_runner.h"

namespace kernscope::app {

/// The Compare menu: what is compared, what its docks can do, and pairs of weights by hand.
class CompareMenu final : public Controller
{
    Q_OBJECT

public:
    explicit CompareMenu(const WindowParts &parts) : Controller(parts) {}

    /// `applyPatches` is shown among what is exported and applied.
    void fill(QMenu *menu, QAction *applyPatches);
    /// With a folder, with a file.
    QList<QAction *> compareWith() const { return {m_compareWith, m_compareWithFile}; }
    /// Makes what is there the other side.
    void compareWith(const QString &path);
    /// Pairs by hand of the two files that are open are those of the last time; those that are
    /// chosen are kept. The docks' tables get the action that compares one weight.
    void keepPairs();

Q_SIGNALS:
    void compareAsked(); ///< what is opened next is compared: in that layout
    void layoutAsked(kernscope::app::Layout layout);
    void stopped();
    void samplesAsked(const QString &name, const QString &other);

private:
    void addTask(QMenu *menu, QAction *applyPatches, ui::CompareTask task);
    void compareWeightWith(std::size_t weight);

    QAction *m_compareWith = nullptr, *m_compareWithFile = nullptr, *m_compareWeight = nullptr;
    struct Partner {
        std::size_t weight = 0; ///< of the document
        QString path;           ///< of the bundle that its partner is in
    };
    std::optional<Partner> m_partnerOf; ///< what is asked for once that bundle is B
};

} // namespace kernscope::app
