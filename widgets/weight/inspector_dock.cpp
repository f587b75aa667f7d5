// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/weight/inspector_dock.h"

#include "widgets/common/design.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/elided_label.h"
#include "widgets/common/elided_name.h"
#include "widgets/common/panel_section.h"
#include "widgets/common/table_text.h"
#include "widgets/common/theme.h"
#include "widgets/weight/bundle_facts.h"
#include "widgets/weight/chip_lines.h"
#include "widgets/weight/codebook_dock.h"
#include "widgets/weight/histogram_plot.h"
#include "widgets/weight/mask_dock.h"
#include "widgets/weight/scale_model.h"
#include "widgets/weight/scale_panel.h"
#include "widgets/weight/statistics_panel.h"
#include "widgets/weight/stored_parts.h"
#include "widgets/weight/weight_header.h"
#include "widgets/weight/weight_words.h"

#include <QAction>
#include <QLabel>
#include <QMenu>
#include <QVBoxLayout>

#include <utility>

namespace kernscope::ui {

namespace {

constexpr double kCodebookHeight = 29, kMaskHeight = 31; // in ems: so that rows and pictures help
constexpr double kMostStatistics = 32;

} // namespace

InspectorDock::InspectorDock(Session &session, QWidget *parent)
    : Dock(session, QStringLiteral("inspector"), tr("Inspector"), parent)
{
    auto *content = new QWidget(this);
    m_facts = new BundleFacts(session, content);
    m_statistics = new StatisticsPanel(session, content);
    m_codebook = new CodebookDock(session, content);
    m_mask = new MaskDock(session, content);
    m_scales = new ScalePanel(session, content);
    m_parts = new StoredParts(content);
    m_chips = new ChipLines(session, content);
    m_readers = new QWidget(content);
    auto *readers = new QVBoxLayout(m_readers);
    readers->setContentsMargins(design::space(this, design::Space::Small), 0, 0, 0);
    readers->setSpacing(0);
    m_codebook->embedIn(*this);
    m_mask->embedIn(*this);
    for (Dock *part : {static_cast<Dock *>(m_codebook), static_cast<Dock *>(m_mask)})
        part->findChild<WeightHeader *>()->hide(); // the inspector names the weight
    m_codebook->setMinimumHeight(theme::em(this, kCodebookHeight));
    m_mask->setMinimumHeight(theme::em(this, kMaskHeight));
    auto *column = new QVBoxLayout(content);
    m_column = column;
    const int gap = design::space(this, design::Space::Small);
    column->setContentsMargins(gap, 0, gap, 0);
    column->setSpacing(0);
    const auto add = [&](const QString &title, QWidget *body, int stretch) {
        auto *section = new PanelSection(title, body, content);
        column->addWidget(section, stretch);
        section->hide();
        return section;
    };
    m_bundleSection = add(tr("Bundle"), m_facts, 0);
    // Shares of the room; what no part takes is left at the foot, and not between the rows.
    m_statisticsSection = add(tr("Statistics"), m_statistics, 20);
    // A taller histogram says no more, and what follows stands nearer.
    m_statisticsSection->setMaximumHeight(theme::em(this, kMostStatistics));
    m_codebookSection = add(tr("Codebook"), m_codebook, 30);
    m_scaleSection = add(tr("Scales and zero points"), m_scales, 30);
    m_maskSection = add(tr("Mask"), m_mask, 30);
    m_partSection = add(tr("Stored as"), m_parts, 0);
    m_readerSection = add(tr("Read by"), m_readers, 0);
    m_chipSection = add(tr("On chips"), m_chips, 0);
    column->addStretch(1);
    setContent(content);
    connectParts();
}

/// A line each: a name is one long word, which would widen the whole panel if it were wrapped.
void InspectorDock::showReaders(const Weight &weight)
{
    qDeleteAll(m_readers->findChildren<QLabel *>(Qt::FindDirectChildrenOnly));
    for (const QString &reader : consumerNames(weight)) {
        auto *line = new ElidedLabel(Qt::ElideMiddle, m_readers);
        line->setWholeText(reader);
        m_readers->layout()->addWidget(line);
    }
}

/// Menus of the parts that are docks as well, and what parts ask for.
void InspectorDock::connectParts()
{
    // The docks of their own that do the same are hidden, and what they do disabled with them.
    for (const auto &[title, actions] : {std::pair{tr("Codebook"), m_codebook->menuActions()},
                                         {tr("Scales and Zero Points"), m_scales->menuActions()},
                                         {tr("Mask"), m_mask->menuActions()}}) {
        auto *menu = new QMenu(title, this);
        menu->addActions(actions);
        m_partMenus += menu->menuAction();
    }
    connect(m_facts, &BundleFacts::nextRequested, this, &InspectorDock::nextRequested);
    connect(m_parts, &StoredParts::picked, this, [this](std::size_t file, const ByteRange &bytes) {
        Place place;
        place.file = file;
        place.bytes = bytes;
        place.weight = m_weight;
        this->session().goTo(place, this);
        Q_EMIT raiseRequested(QStringLiteral("hex"));
    });
}

QList<QAction *> InspectorDock::menuActions() const
{
    return m_statistics->histogramActions() + m_statistics->histogram().plotActions() + m_partMenus;
}

void InspectorDock::addPanel(InspectorPanel *panel)
{
    m_panel = panel;
    panel->setParent(m_bundleSection->parentWidget());
    panel->hide();
    m_column->insertWidget(0, panel, 100); // over the stretch at the foot
    connect(panel, &InspectorPanel::picked, this,
            [this](const Place &place) { session().goTo(place, this); });
    scheduleRefresh();
}

bool InspectorDock::working() const
{
    const auto busy = [](const Dock *dock) { return dock->isVisible() && dock->busy(); };
    if (m_panelShown)
        return m_panel->working();
    return m_statistics->working() || m_scales->working() || busy(m_codebook) || busy(m_mask);
}

void InspectorDock::refresh()
{
    const BundlePtr &bundle = session().bundle();
    if (!bundle) {
        m_weight = kNoIndex;
        m_statistics->setWeight(nullptr, 0);
        m_scales->setWeight(nullptr, 0);
        if (m_panel)
            m_panel->clear();
        showMessage(tr("Open a bundle to begin (Ctrl+O)."));
        return;
    }
    const bool another = place().weight != m_weight;
    showPlace(place(), true);
    if (another && place().element && m_scaleSection->isVisible())
        m_scales->showElement(*place().element);
}

/// The panel where it has something to say of the place, else the weight or the bundle; `anew`
/// also where that is shown already.
void InspectorDock::showPlace(const Place &place, bool anew)
{
    const bool before = m_panelShown;
    m_panelShown = m_panel && m_panel->showPlace(session().bundle(), place);
    if (m_panelShown) {
        setNote(m_panel->title());
        if (before && !anew)
            return;
        m_weight = kNoIndex;
        showSections(nullptr);
        m_bundleSection->hide();
        m_panel->show();
        m_statistics->setWeight(nullptr, 0);
        m_scales->setWeight(nullptr, 0);
        showContent();
        return;
    }
    if (before) {
        m_panel->hide();
        m_panel->clear();
    }
    if (anew || before || place.weight != m_weight)
        showWeight(place.weight);
}

void InspectorDock::follow(const Place &place, QObject *)
{
    if (!session().bundle())
        return;
    showPlace(place, false);
    if (place.element && m_scaleSection->isVisible())
        m_scales->showElement(*place.element);
}

void InspectorDock::showWeight(std::size_t index)
{
    const BundlePtr &bundle = session().bundle();
    m_weight = index;
    const bool one = index < bundle->weights().size();
    const Weight *weight = one ? &bundle->weights()[index] : nullptr;
    setNote(one ? fromUtf8(weight->name) : fromUtf8(bundle->name()));
    showSections(weight);
    if (!one) {
        m_facts->setBundle(bundle);
        m_statistics->setWeight(nullptr, 0);
        m_scales->setWeight(nullptr, 0);
    } else {
        m_parts->setWeight(*bundle, index);
        showReaders(*weight);
        m_chips->setWeight(index);
        const bool sound = !weight->fault;
        m_statistics->setWeight(sound ? bundle : nullptr, sound ? index : 0);
        const bool scaled = sound && ScaleData::has(*weight);
        m_scales->setWeight(scaled ? bundle : nullptr, scaled ? index : 0);
    }
    showContent();
}

void InspectorDock::showSections(const Weight *weight)
{
    const bool sound = weight && !weight->fault;
    m_bundleSection->setVisible(!weight);
    m_statisticsSection->setVisible(sound);
    m_codebookSection->setVisible(sound && weight->has(codec::PartRole::Lut));
    m_scaleSection->setVisible(sound && ScaleData::has(*weight));
    m_maskSection->setVisible(sound && weight->has(codec::PartRole::Mask));
    m_partSection->setVisible(weight && !weight->operands().empty());
    m_readerSection->setVisible(weight && !weight->consumers.empty());
    m_chipSection->setVisible(sound);
}

} // namespace kernscope::ui

#include "moc_inspector_dock.cpp"
