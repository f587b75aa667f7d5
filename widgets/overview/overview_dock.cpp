// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/overview/overview_dock.h"

#include "core/bundle/build_facts.h"
#include "core/bundle/stored_bytes.h"
#include "widgets/common/design.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/elided_label.h"
#include "widgets/common/table_text.h"
#include "widgets/common/theme.h"
#include "widgets/overview/overview_cells.h"
#include "widgets/overview/time_card.h"
#include "widgets/overview/treemap_view.h"
#include "widgets/overview/weight_names.h"

#include <QAction>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

#include <utility>

namespace kernscope::ui {

namespace {

constexpr std::uint64_t kMostElementsUnasked = 64u << 20;
constexpr std::size_t kMostAtOnce = 2000; ///< weights that are added up within a frame

} // namespace

void OverviewDock::connectParts()
{
    connect(m_map, &TreemapView::picked, this,
            [this](std::size_t weight) { open(QStringLiteral("weight:%1").arg(weight)); });
    connect(m_findings, &QLabel::linkActivated, this, &OverviewDock::open);
    m_odd.note->setTextFormat(Qt::RichText);
    connect(m_odd.note, &QLabel::linkActivated, this, &OverviewDock::open);
    connect(&m_chips, &ChipState::tableChanged, this, &OverviewDock::scheduleRefresh);
    connect(&m_chips, &ChipState::tableChanged, this, &OverviewDock::findFolds);
    connect(&m_chips, &ChipState::targetChanged, this, &OverviewDock::scheduleRefresh);
    connect(&m_names, &WeightNames::namesChanged, this, [this] {
        if (m_shown && m_shown == this->session().bundle())
            scheduleRefresh();
    });
    connect(&this->session().tasks(), &TaskManager::changed, this, &OverviewDock::onTasksChanged);
    connect(&this->session(), &Session::otherChanged, this, &OverviewDock::onBaseChanged);
    connect(&this->session(), &Session::bytesChanged, this, [this] {
        if (m_cut || (m_task && m_task->progress().cancelled()))
            m_shown.reset(); // an edit stopped it: begin anew
    });
}

/// A search that was cancelled shows no result.
void OverviewDock::onTasksChanged()
{
    if (m_summing && m_summing->progress().cancelled())
        m_summing.reset(); // the next refresh begins anew
    if (m_measuring && m_measuring->progress().cancelled())
        m_measuring.reset(); // choosing the colours begins anew
    if (!m_task || !m_task->progress().cancelled())
        return;
    m_task.reset();
    m_cut = true;
    m_figures = {};
    if (!m_shown)
        return;
    showTotals();
    showMap();
    showFindings();
}

void OverviewDock::setColors(Colors colors)
{
    m_colors = colors;
    m_actions[static_cast<qsizetype>(colors)]->setChecked(true);
    if (!m_shown)
        return;
    if (colors == Colors::Error)
        measureErrors();
    showMap();
}

/// Against the other bundle that is open; asks for one where there is none.
void OverviewDock::measureErrors()
{
    const BundlePtr &base = session().other();
    if (!base) {
        m_errors.reset();
        Q_EMIT baseWanted();
        return;
    }
    if (m_measuring || (m_errors && m_errors->of == m_shown && m_errors->base == base))
        return;
    m_errors.reset();
    m_measuring = session().tasks().start(
        this, tr("Measuring errors against %1").arg(fromUtf8(base->name())),
        [of = m_shown, base](Progress &progress) { return errorsAgainst(of, base, progress); },
        [this](std::shared_ptr<const BaseErrors> errors) {
            m_measuring.reset();
            m_errors = std::move(errors);
            showMap();
        });
}

/// Another base, or none: what was measured is of no use.
void OverviewDock::onBaseChanged()
{
    if (const TaskPtr before = std::exchange(m_measuring, nullptr))
        before->cancel();
    m_errors.reset();
    if (!m_shown || m_colors != Colors::Error)
        return;
    if (session().other())
        measureErrors();
    showMap();
}

void OverviewDock::changeEvent(QEvent *event)
{
    Dock::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_shown)
        showMap();
}

void OverviewDock::refresh()
{
    const BundlePtr bundle = session().bundle();
    if (!bundle) {
        if (m_task)
            m_task->cancel();
        m_task.reset();
        m_shown.reset();
        m_figures = {};
        m_map->setCells({}); // they hold the bundle
        sumUp();
        showMessage(tr("Open a bundle to see where its bytes are (Ctrl+O)."));
        return;
    }
    const bool another = bundle != m_shown;
    if (!m_shown || m_shown->path() != bundle->path())
        m_figures = {}; // of another file
    m_shown = bundle;
    if (another || (!m_sums && !m_summing))
        sumUp();
    if (m_colors == Colors::Error && session().other())
        measureErrors();
    if (another) {
        std::uint64_t elements = 0;
        for (const Weight &weight : bundle->weights())
            elements = checkedAdd(elements, weight.elements.value).value_or(UINT64_MAX);
        examine(elements <= kMostElementsUnasked);
    }
    showTotals();
    showMap();
    showFindings();
    showContent();
}

void OverviewDock::examine(bool all)
{
    if (m_task)
        m_task->cancel();
    m_read = all;
    m_cut = false;
    if (m_figures.zeros.size() != m_shown->weights().size())
        m_figures = {};
    m_task = session().tasks().start(
        this, tr("Looking over the weights"),
        [bundle = m_shown, all](Progress &progress) {
            const BundleReadLock lock(*bundle);
            return examineBundle(*bundle, all, progress);
        },
        [this](BundleFigures figures) {
            m_task.reset();
            m_figures = std::move(figures);
            showTotals();
            showMap();
            showFindings();
        });
}

/// Which weights no chip streams: the chips judge them after the bundle has opened.
void OverviewDock::findFolds()
{
    if (m_folding)
        m_folding->cancel();
    m_folding.reset();
    m_folds.clear();
    if (const auto table = m_chips.table())
        m_folding = session().tasks().start(
            this, tr("Looking for weights that fold everywhere"),
            [table](Progress &) { return foldFindings(*table); },
            [this, table](std::vector<Finding> folds) {
                m_folding.reset();
                if (table != m_chips.table())
                    return;
                m_folds = std::move(folds);
                scheduleRefresh();
            });
}

std::vector<Finding> OverviewDock::allFindings() const
{
    std::vector<Finding> all = m_figures.findings;
    all.insert(all.end(), m_folds.begin(), m_folds.end());
    std::erase_if(all, [this](const Finding &finding) {
        return finding.weight != kNoIndex && finding.weight >= m_shown->weights().size();
    });
    sortFindings(all);
    return all;
}

/// What is the same however often the page is written.
void OverviewDock::sumUp()
{
    if (const TaskPtr before = std::exchange(m_summing, nullptr))
        before->cancel();
    m_sums.reset();
    m_tools.clear();
    m_about.clear();
    m_described->hide();
    if (!m_shown)
        return;
    showDescription();
    const std::vector<BuildFact> made = buildFacts(*m_shown);
    for (const std::string &tool : buildTools(made))
        m_tools.append(fromUtf8(tool));
    constexpr qsizetype kMostLetters = 200; // of a line; the rest is for inspect --json
    for (const BuildFact &fact : made) {
        const QString line = rawFromUtf8(fact.value).simplified().left(kMostLetters);
        const QString text = fromUtf8(line.toStdString());
        if (fact.key == "shortDescription")
            m_about.prepend(text);
        else if (fact.key == "author")
            m_about.append(tr("by %1").arg(text));
    }
    if (m_shown->weights().size() <= kMostAtOnce) {
        m_sums = sumUpBundle(*m_shown);
        return;
    }
    m_summing = session().tasks().start(
        this, tr("Adding up the weights"),
        [bundle = m_shown](Progress &) { return sumUpBundle(*bundle); },
        [this](BundleSums sums) {
            m_summing.reset();
            m_sums = std::move(sums);
            showTotals();
            showLegend();
        });
}

void OverviewDock::showMap()
{
    m_map->setEmptyText(
        m_shown->weights().empty()
            ? tr("No weight is stored here: Sections shows what the bytes are.")
        : weightsOfUnknownBytes(*m_shown) > 0
            ? tr("How many bytes the weights take is not known: Diagnostics says what is missing.")
            : tr("The weights store no bytes."));
    const OverviewColors colors = mapColors();
    m_map->setCells(overviewCells(*m_shown, m_figures, colors),
                    [this, bundle = m_shown, colors](const TreemapView::Cell &cell) {
                        return overviewWords(cell, *bundle, m_names, m_figures, colors);
                    });
    m_map->setCurrentKey(place().weight);
    showLegend();
}

OverviewColors OverviewDock::mapColors() const
{
    OverviewColors colors{m_colors, theme::isDark(palette()), m_chips.table(), kNoIndex, m_errors};
    colors.measuring = m_measuring != nullptr;
    if (colors.table)
        colors.chip = colors.table->columnOf(m_chips.target());
    return colors;
}

void OverviewDock::showLegend()
{
    m_legend->setText(m_sums ? overviewLegend(*m_shown, *m_sums, m_figures, mapColors()) +
                                   sharedBytesText(*m_sums)
                             : QString());
}

void OverviewDock::follow(const Place &place, QObject *)
{
    m_map->setCurrentKey(place.weight);
}

void OverviewDock::open(const QString &link)
{
    const QStringList parts = link.split(u':');
    const std::size_t index = parts.value(1).toULongLong();
    if (!m_shown)
        return;
    if (parts.front() == QLatin1String("weight") && index < m_shown->weights().size()) {
        session().goToWeight(index, this);
        Q_EMIT raiseRequested(QStringLiteral("weight"));
    } else if (parts.front() == QLatin1String("file") && index < m_shown->files().size()) {
        session().goToBytes(index, {FileOffset(0), ByteCount(1)}, this);
        Q_EMIT raiseRequested(QStringLiteral("hex"));
    }
}

} // namespace kernscope::ui

#include "moc_overview_dock.cpp"
