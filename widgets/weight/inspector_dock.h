// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/dock.h"

class QLabel;

namespace kernscope::ui {

class BundleFacts;
class ChipLines;
class CodebookDock;
class MaskDock;
class PanelSection;
class ScalePanel;
class StatisticsPanel;
class StoredParts;

/// One inspector for what is chosen: of a weight its figures and histogram, then what its form has
/// (codebook, scales, mask), where it is stored and what reads it. Without a weight, the bundle.
/// No section is shown without content.
class InspectorDock final : public Dock
{
    Q_OBJECT

public:
    explicit InspectorDock(Session &session, QWidget *parent = nullptr);

    QList<QAction *> menuActions() const;

    StatisticsPanel &statistics() { return *m_statistics; }
    ScalePanel &scales() { return *m_scales; }
    CodebookDock &codebook() { return *m_codebook; }
    MaskDock &mask() { return *m_mask; }

Q_SIGNALS:
    /// The user followed a link to bytes: the dock of this id ("hex") should come to the front.
    void raiseRequested(const QString &dockId);

protected:
    void refresh() override;
    void follow(const Place &place, QObject *origin) override;
    bool working() const override;

private:
    void showWeight(std::size_t weight);
    void showSections(const Weight *weight);

    std::size_t m_weight = kNoIndex;
    QLabel *m_readers = nullptr;
    BundleFacts *m_facts = nullptr;
    StatisticsPanel *m_statistics = nullptr;
    CodebookDock *m_codebook = nullptr;
    MaskDock *m_mask = nullptr;
    ScalePanel *m_scales = nullptr;
    StoredParts *m_parts = nullptr;
    ChipLines *m_chips = nullptr;
    PanelSection *m_bundleSection = nullptr, *m_statisticsSection = nullptr,
                 *m_codebookSection = nullptr, *m_scaleSection = nullptr, *m_maskSection = nullptr,
                 *m_partSection = nullptr, *m_readerSection = nullptr, *m_chipSection = nullptr;
};

} // namespace kernscope::ui
