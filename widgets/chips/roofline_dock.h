// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/chips/chip_state.h"
#include "widgets/chips/roofline_plot.h"
#include "widgets/common/dock.h"

#include <QStringList>

namespace kernscope::ui {

/// The layers under the ceilings of a chip, with batch, compute and bandwidth ceiling as controls.
class RooflineDock final : public Dock
{
    Q_OBJECT

public:
    explicit RooflineDock(Session &session, QWidget *parent = nullptr);

    RooflinePlot &plot() { return *m_plot; }
    QSpinBox &batch() { return *m_batch; }
    QComboBox &compute() { return *m_compute; }
    QLabel &facts() { return *m_facts; }
    QLabel &pointWords() { return *m_point; }

protected:
    void refresh() override;
    void follow(const Place &place, QObject *origin) override;

private:
    QHBoxLayout *buildBar(QWidget *content);
    QWidget *buildWords(QWidget *content);
    void connectParts();
    void buildActions();
    void fillCeilings(const roofline::Roofs &roofs);
    void placeLayers(const roofline::Roofs &roofs);
    void showPlaced(const BundlePtr &bundle, std::optional<ChipNetwork> placed);
    void forget();
    void showPoint(int point);
    void showFacts(const roofline::Roofs &roofs, const roofline::ProgramTime &program);

    ChipState &m_state;
    const target::Target *m_shown = nullptr; ///< whose ceilings the boxes hold
    QComboBox *m_compute = nullptr, *m_bandwidth = nullptr;
    QSpinBox *m_batch = nullptr;
    QLabel *m_facts = nullptr, *m_point = nullptr;
    RooflinePlot *m_plot = nullptr;
    Job m_task{session().tasks(), this};  ///< places the layers of a large bundle
    std::weak_ptr<const Bundle> m_placed; ///< whose layers are shown
};

} // namespace kernscope::ui
