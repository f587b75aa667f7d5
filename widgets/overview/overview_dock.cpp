// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/overview/overview_dock.h"

#include "widgets/common/counted_words.h"
#include "widgets/common/design.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/segmented.h"
#include "widgets/common/table_text.h"
#include "widgets/common/theme.h"
#include "widgets/overview/overview_cells.h"
#include "widgets/overview/time_card.h"
#include "widgets/overview/treemap_view.h"
#include "widgets/overview/weight_names.h"
#include "widgets/weight/weight_words.h"

#include <QAction>
#include <QActionGroup>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

#include <array>
#include <utility>

namespace kernscope::ui {

namespace {

constexpr std::uint64_t kMostElementsUnasked = 64u << 20;
constexpr std::size_t kMostAtOnce = 2000; ///< weights that are added up within a frame
constexpr std::size_t kMostFindings = 12; ///< named on the page; the rest is a count

} // namespace

OverviewDock::OverviewDock(Session &session, QWidget *parent)
    : Dock(session, QStringLiteral("overview"), tr("Overview"), parent),
      m_chips(ChipState::of(session)), m_names(WeightNames::of(session))
{
    using design::Space;
    auto *content = new QWidget(this);
    auto *column = new QVBoxLayout(content);
    const int gap = design::space(this, Space::Medium);
    column->setContentsMargins(gap, design::space(this, Space::Small), gap, gap);
    column->setSpacing(design::space(this, Space::Small));
    m_title = design::label({}, design::Type::Title, content);
    m_title->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_title->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_facts = design::label({}, design::Type::Small, content);
    m_facts->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    auto *cards = new QHBoxLayout;
    cards->setSpacing(gap);
    m_stored = addCard(content, cards, tr("Weights stored"));
    m_moved = addCard(content, cards, tr("Moved by a dispatch"));
    m_time = new TimeCard(content);
    cards->addWidget(m_time, 1);
    m_odd = addCard(content, cards, tr("Worth a look"));
    auto *head = new QHBoxLayout;
    head->addWidget(design::label(tr("Where the bytes are"), design::Type::Heading, content), 1);
    head->addWidget(buildSwitch(content));
    m_map = new TreemapView(content);
    m_map->setMinimumHeight(theme::em(this, 9));
    m_legend = new QLabel(content);
    m_legend->setWordWrap(true);
    m_findings = new QLabel(content);
    m_findings->setWordWrap(true);
    m_findings->setTextInteractionFlags(Qt::TextBrowserInteraction);
    m_findings->setAccessibleName(tr("Worth a look"));
    column->addWidget(m_title);
    column->addWidget(m_facts);
    column->addLayout(cards);
    column->addLayout(head);
    column->addWidget(m_map, 1);
    column->addWidget(m_legend);
    column->addWidget(m_findings);
    setContent(content);
    content->setFocusProxy(m_map);
    connect(m_map, &TreemapView::picked, this,
            [this](std::size_t weight) { open(QStringLiteral("weight:%1").arg(weight)); });
    connect(m_findings, &QLabel::linkActivated, this, &OverviewDock::open);
    connect(&m_chips, &ChipState::tableChanged, this, &OverviewDock::scheduleRefresh);
    connect(&m_chips, &ChipState::tableChanged, this, &OverviewDock::findFolds);
    connect(&m_chips, &ChipState::targetChanged, this, &OverviewDock::scheduleRefresh);
    connect(&m_names, &WeightNames::namesChanged, this, [this] {
        if (m_shown && m_shown == this->session().bundle())
            scheduleRefresh();
    });
    connect(&session.tasks(), &TaskManager::changed, this, &OverviewDock::onTasksChanged);
    connect(&session, &Session::bytesChanged, this, [this] {
        if (m_cut || (m_task && m_task->progress().cancelled()))
            m_shown.reset(); // an edit stopped it: begin anew
    });
    m_actions += dockAction(this, tr("Look Over All Values"), {}, [this] {
        if (!m_shown)
            return;
        if (!m_sums && !m_summing)
            sumUp(); // was cancelled
        examine(true);
        showTotals();
    });
}

/// What was cancelled found nothing: nobody is told that it looked.
void OverviewDock::onTasksChanged()
{
    if (m_summing && m_summing->progress().cancelled())
        m_summing.reset(); // the next refresh begins anew
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

OverviewDock::Card OverviewDock::addCard(QWidget *parent, QHBoxLayout *row, const QString &title)
{
    auto *card = new QWidget(parent);
    auto *column = new QVBoxLayout(card);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    Card made;
    made.value = design::label({}, design::Type::Figure, card);
    made.note = design::label({}, design::Type::Small, card);
    made.note->setWordWrap(true);
    made.note->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    column->addWidget(design::label(title, design::Type::Small, card));
    column->addWidget(made.value);
    column->addWidget(made.note, 1);
    row->addWidget(card, 1);
    return made;
}

QWidget *OverviewDock::buildSwitch(QWidget *parent)
{
    auto *box = new Segmented(tr("Colours of the treemap"), parent);
    auto *group = new QActionGroup(this);
    const std::array words{std::pair{Colors::Form, tr("Colour by Form")},
                           std::pair{Colors::Outcome, tr("Colour by Outcome")},
                           std::pair{Colors::Zeros, tr("Colour by Zeros")}};
    for (const auto &[colors, text] : words) {
        auto *action = new QAction(text, group);
        action->setCheckable(true);
        action->setChecked(colors == m_colors);
        connect(action, &QAction::triggered, this, [this, wanted = colors] { setColors(wanted); });
        m_actions += action;
        box->add(action);
    }
    return box;
}

void OverviewDock::setColors(Colors colors)
{
    m_colors = colors;
    m_actions[static_cast<qsizetype>(colors)]->setChecked(true);
    if (m_shown)
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
    if (!m_shown)
        return;
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

void OverviewDock::showTotals()
{
    m_title->setText(fromUtf8(m_shown->name()));
    QStringList facts{fromUtf8(bundleKindName(m_shown->kind()))};
    if (m_sums && m_sums->operations > 0)
        facts += countedWords(m_sums->operations, tr("1 operation"), tr("%1 operations"));
    facts += m_shown->files().size() == 1
                 ? tr("%1 B in one file").arg(groupedNumber(m_shown->totalBytes().value))
                 : tr("%1 B in %2 files")
                       .arg(groupedNumber(m_shown->totalBytes().value))
                       .arg(m_shown->files().size());
    m_facts->setText(facts.join(QStringLiteral(" \u00B7 ")));
    const std::size_t findings = m_figures.findings.size() + m_folds.size();
    const bool looking = m_task && findings == 0;
    showStored();
    const auto &table = m_chips.table();
    const std::size_t chip = table ? table->columnOf(m_chips.target()) : kNoIndex;
    if (chip == kNoIndex) {
        m_moved.value->setText(QStringLiteral("\u2013"));
        m_moved.note->setText(m_chips.working() ? tr("judging the weights\u2026") : QString());
    } else {
        const TargetTotals &sums = table->totals(chip);
        const QString moved = tr("%1 B").arg(groupedNumber(sums.bytesMoved));
        m_moved.value->setText(sums.movedOpen == 0               ? moved
                               : sums.movedOpen == table->rows() ? tr("unknown")
                                                                 : tr("at least %1").arg(moved));
        m_moved.note->setText(tr("on %1: %2 stream, %3 fold to dense, %4 dense")
                                  .arg(fromUtf8(m_chips.target().name))
                                  .arg(sums.streams)
                                  .arg(sums.folds)
                                  .arg(sums.dense) +
                              (sums.movedOpen > 0
                                   ? tr(", %1 not known").arg(groupedNumber(sums.movedOpen))
                                   : QString()));
    }
    m_time->showTime(m_shown, m_chips);
    m_odd.value->setText(m_cut     ? QStringLiteral("\u2013")
                         : looking ? QStringLiteral("\u2026")
                                   : groupedNumber(findings));
    m_odd.note->setText(m_cut    ? tr("looking over the weights was cancelled")
                        : m_read ? tr("values, tables and bytes were looked at")
                                 : tr("values were not read: too many to read unasked"));
}

void OverviewDock::showStored()
{
    const std::size_t weights = m_shown->weights().size();
    const QString count = countedWords(weights, tr("1 weight"), tr("%1 weights"));
    if (!m_sums) {
        m_stored.value->setText(QStringLiteral("\u2026"));
        m_stored.note->setText(count);
    } else if (m_sums->unread > 0) {
        m_stored.value->setText(tr("unknown"));
        m_stored.note->setText(tr("%1 of %2 weights cannot be read")
                                   .arg(groupedNumber(m_sums->unread), groupedNumber(weights)));
    } else {
        const Totals &totals = m_sums->totals;
        m_stored.value->setText(tr("%1 B").arg(groupedNumber(totals.storedBytes.value)));
        m_stored.note->setText(tr("%1 of dense fp16, %2").arg(ratioText(totals.ratio), count));
    }
}

QString OverviewDock::weightLink(std::size_t weight) const
{
    // A line may end behind the mark of what is left out: not within a link.
    const QString name =
        m_names.nameOf(weight).replace(QChar(0x2026), QStringLiteral("\u2026\u2060"));
    return QStringLiteral("<a href=\"weight:%1\">%2</a>").arg(weight).arg(name.toHtmlEscaped());
}

QString OverviewDock::textOf(const Finding &finding) const
{
    const QString name = finding.weight == kNoIndex ? QString() : weightLink(finding.weight);
    switch (finding.kind) {
    case Finding::Kind::Damaged: return tr("%1 cannot be decoded").arg(name);
    case Finding::Kind::UnusedRecords:
        return QStringLiteral("<a href=\"file:%1\">%2</a>: %3")
            .arg(finding.file)
            .arg(fromUtf8(m_shown->files()[finding.file].path).toHtmlEscaped(),
                 finding.count == 1 ? tr("one record that nothing names")
                                    : tr("%1 records that nothing names").arg(finding.count));
    case Finding::Kind::NonFinite:
        return tr("%1 holds %2")
            .arg(name, countedWords(finding.count, tr("1 value that is NaN or infinite"),
                                    tr("%1 values that are NaN or infinite")));
    case Finding::Kind::Constant:
        return tr("%1 is %2 everywhere").arg(name, valueText(finding.value));
    case Finding::Kind::ConstantChannels:
        return tr("%1: %2 of %3 output channels hold a single value")
            .arg(name, groupedNumber(finding.count), groupedNumber(finding.of));
    case Finding::Kind::FoldsEverywhere:
        return tr("%1 is streamed by no chip: %2 fold it, %3 refuse it")
            .arg(name)
            .arg(finding.count)
            .arg(finding.of - finding.count);
    case Finding::Kind::DeadEntries:
        return tr("%1: %2 of %3 codebook entries never used")
            .arg(name, groupedNumber(finding.count), groupedNumber(finding.of));
    case Finding::Kind::Larger:
        return tr("%1 takes %2 B more than dense fp16 would")
            .arg(name, groupedNumber(finding.count));
    case Finding::Kind::Duplicate:
        return tr("%1 has the values of %2").arg(name, weightLink(finding.other));
    case Finding::Kind::Outlier:
        return tr("%1 reaches %2, far from its other values").arg(name, valueText(finding.value));
    }
    return {};
}

void OverviewDock::showFindings()
{
    QStringList lines;
    const std::vector<Finding> findings = allFindings();
    for (const Finding &finding : findings) {
        if (static_cast<std::size_t>(lines.size()) == kMostFindings) {
            lines += tr("and %1 more").arg(findings.size() - kMostFindings);
            break;
        }
        lines += textOf(finding);
    }
    m_findings->setVisible(!lines.isEmpty());
    m_findings->setText(tr("<b>Worth a look</b>") + QStringLiteral("&nbsp; ") +
                        lines.join(QStringLiteral(" &nbsp;\u00B7&nbsp; ")));
}

void OverviewDock::showMap()
{
    m_map->setCells(overviewCells(*m_shown, m_names, m_figures, mapColors()));
    m_map->setCurrentKey(place().weight);
    showLegend();
}

OverviewColors OverviewDock::mapColors() const
{
    OverviewColors colors{m_colors, theme::isDark(palette()), m_chips.table(), kNoIndex};
    if (colors.table)
        colors.chip = colors.table->columnOf(m_chips.target());
    return colors;
}

void OverviewDock::showLegend()
{
    m_legend->setText(m_sums ? overviewLegend(*m_shown, *m_sums, m_figures, mapColors())
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
