// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/overview/overview_dock.h"

#include "core/bundle/build_facts.h"
#include "core/bundle/stored_bytes.h"
#include "widgets/common/card_frame.h"
#include "widgets/common/design.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/elided_label.h"
#include "widgets/common/segmented.h"
#include "widgets/common/table_text.h"
#include "widgets/common/theme.h"
#include "widgets/overview/overview_cells.h"
#include "widgets/overview/time_card.h"
#include "widgets/overview/treemap_view.h"
#include "widgets/overview/weight_names.h"

#include <QAction>
#include <QActionGroup>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

#include <array>
#include <tuple>
#include <utility>

namespace kernscope::ui {

namespace {

constexpr std::uint64_t kMostElementsUnasked = 64u << 20;
constexpr std::size_t kMostAtOnce = 2000; ///< weights that are added up within a frame

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
    m_facts = new ElidedLabel(Qt::ElideRight, content);
    m_facts->setFont(design::type(font(), design::Type::Small));
    m_facts->setForegroundRole(QPalette::PlaceholderText);
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
    m_legend->setTextFormat(Qt::RichText);
    m_legend->setWordWrap(true);
    m_findings = new QLabel(content);
    m_findings->setTextFormat(Qt::RichText);
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
    connectParts();
    m_actions += dockAction(this, tr("Look Over All Values"), {}, [this] {
        if (!m_shown)
            return;
        if (!m_sums && !m_summing)
            sumUp(); // was cancelled
        examine(true);
        showTotals();
    });
}

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

/// What was cancelled found nothing: nobody is told that it looked.
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

OverviewDock::Card OverviewDock::addCard(QWidget *parent, QHBoxLayout *row, const QString &title)
{
    auto *card = new CardFrame(parent);
    auto *column = qobject_cast<QVBoxLayout *>(card->layout());
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
    const std::array words{
        std::tuple{Colors::Form, tr("Colour by Form"), tr("Form")},
        std::tuple{Colors::Outcome, tr("Colour by Outcome"), tr("Outcome")},
        std::tuple{Colors::Zeros, tr("Colour by Zeros"), tr("Zeros")},
        std::tuple{Colors::Error, tr("Colour by Error Against\u2026"), tr("Error against\u2026")}};
    for (const auto &[colors, text, word] : words) {
        auto *action = new QAction(text, group);
        action->setIconText(word);
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
    if (!m_shown)
        return;
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
    m_map->setCells(overviewCells(*m_shown, m_names, m_figures, mapColors()));
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
