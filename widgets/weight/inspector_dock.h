// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/dock.h"

namespace kernscope::target {
struct Target;
}

namespace kernscope::ui {

class ChipState;

/// What the chosen chips do with one weight, a paragraph each: the chip that the docks judge by and
/// the one whose assessment is looked at; then a line that counts the outcomes on all chips.
class ChipLines final : public QWidget
{
    Q_OBJECT

public:
    explicit ChipLines(Session &session, QWidget *parent = nullptr);

    /// kNoIndex: none.
    void setWeight(std::size_t weight);
    QString text() const; ///< as it is shown, for tests and screen readers

private:
    void showLines();
    QString lineOf(const target::Target &target) const;
    QString countLine() const;

    Session &m_session;
    ChipState &m_state;
    std::size_t m_weight = kNoIndex;
    QLabel *m_lines = nullptr;
};

class BundleFacts;
class CodebookDock;
class MaskDock;
class PanelSection;
class ScalePanel;
class StatisticsPanel;
class StoredParts;

/// What a subject outside of this folder adds to the inspector: its own sections for the places
/// that it knows of.
class InspectorPanel : public QWidget
{
    Q_OBJECT

public:
    using QWidget::QWidget;

    /// Shows what is at a place and returns true, or has nothing to say of it. `bundle` is never
    /// null.
    virtual bool showPlace(const BundlePtr &bundle, const Place &place) = 0;
    virtual QString title() const = 0; ///< of what is shown
    /// Which weight the lines of the chips below it are of; kNoIndex: no such lines.
    virtual std::size_t weight() const { return kNoIndex; }
    virtual bool working() const { return false; }
    /// No bundle, or another place: nothing is shown any more.
    virtual void clear() = 0;

Q_SIGNALS:
    void picked(const kernscope::ui::Place &place); ///< the user followed a link
    void ready(); ///< it may have something to say of the place now
};

/// One inspector for what is chosen: of a weight its figures and histogram, then what its form has
/// (codebook, scales, mask), where it is stored and what reads it. Without a weight, the bundle.
/// No section is shown without content.
class InspectorDock final : public Dock
{
    Q_OBJECT

public:
    explicit InspectorDock(Session &session, QWidget *parent = nullptr);

    /// Of the histogram; those of the codebook and of the mask in menus of their own.
    QList<QAction *> menuActions() const override;
    /// Takes it; for the places that it shows it stands alone, or over the chips' lines. `stretch`:
    /// its share of the height that nothing needs.
    void addPanel(InspectorPanel *panel, int stretch);

    StatisticsPanel &statistics() { return *m_statistics; }
    ScalePanel &scales() { return *m_scales; }
    CodebookDock &codebook() { return *m_codebook; }
    MaskDock &mask() { return *m_mask; }

Q_SIGNALS:
    /// What to do with the bundle next: "compare", "plan" or "report". The window knows how.
    void nextRequested(const QString &what);

protected:
    void refresh() override;
    void follow(const Place &place, QObject *origin) override;
    bool working() const override;

private:
    void connectParts();
    void showReaders(const Weight &weight);
    void showPlace(const Place &place, bool anew);
    void showWeight(std::size_t weight);
    void showSections(const Weight *weight);

    std::size_t m_weight = kNoIndex;
    QList<QAction *> m_partMenus;
    QList<InspectorPanel *> m_panels;
    InspectorPanel *m_panel = nullptr; ///< that is shown
    QVBoxLayout *m_column = nullptr;
    QWidget *m_readers = nullptr;
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
