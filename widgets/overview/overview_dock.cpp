// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/overview/overview_dock.h"

#include "core/base/overlaid_file.h"
#include "core/bundle/build_facts.h"
#include "core/bundle/stored_bytes.h"
#include "widgets/chips/verdict.h"
#include "widgets/common/controls.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/file_dialogs.h"
#include "widgets/common/labels.h"
#include "widgets/common/qt.h"
#include "widgets/common/table_tools.h"
#include "widgets/models/table_text.h"
#include "widgets/models/weight_reader.h"

namespace kernscope::ui {

namespace {

bool writePdf(QWidget &widget, QIODevice &file)
{
    constexpr int kScreen = 96, kPoints = 72; // an inch
    QPdfWriter writer(&file);
    writer.setResolution(kScreen); // a pixel of the screen is a unit of the page
    writer.setPageSize(QPageSize(QSizeF(widget.size()) * kPoints / kScreen, QPageSize::Point));
    writer.setPageMargins(QMarginsF());
    QPainter painter(&writer);
    if (!painter.isActive())
        return false;
    widget.render(&painter);
    return painter.end();
}

bool writePng(QWidget &widget, QIODevice &file)
{
    constexpr int kFiner = 2;
    QImage image(widget.size() * kFiner, QImage::Format_ARGB32_Premultiplied);
    image.setDevicePixelRatio(kFiner);
    image.fill(widget.palette().color(QPalette::Base));
    widget.render(&image);
    return image.save(&file, "PNG");
}

constexpr std::uint64_t kMostElementsUnasked = 64u << 20;
constexpr std::size_t kMostAtOnce = 2000; ///< weights that are added up within a frame

constexpr int kLeastFindings = 6, kFindingsOnView = 10; ///< rows at once

bool isDisputed(const Finding &finding)
{
    return finding.kind == Finding::Kind::DisputedFault;
}

/// "Not counted: 2 disputed reports": lists them, or takes them out of the list again.
QString disputedLink(std::size_t count)
{
    return count == 0 ? QString()
                      : u"%1 <a href=\"disputed:\">%2</a>"_s.arg(
                            OverviewDock::tr("Not counted:"),
                            countedWords(count, OverviewDock::tr("1 disputed report"),
                                         OverviewDock::tr("%1 disputed reports")));
}

} // namespace

QString exportWidgetPicture(QWidget &widget, const QString &path)
{
    const bool pdf = path.endsWith(".pdf"_L1, Qt::CaseInsensitive);
    if (!pdf && !path.endsWith(".png"_L1, Qt::CaseInsensitive))
        return Words::tr("Nothing is exported: a picture is written as .png or .pdf, by "
                         "the ending of the name.");
    QSaveFile file(path);
    if (file.open(QIODevice::WriteOnly) &&
        (pdf ? writePdf(widget, file) : writePng(widget, file)) && file.commit())
        return {};
    return Words::tr("The picture could not be written to %1.").arg(path);
}

void OverviewDock::connectParts()
{
    connect(m_map, &TreemapView::picked, this,
            [this](std::size_t weight) { open(u"weight:%1"_s.arg(weight)); });
    connect(m_oddNote, &QLabel::linkActivated, this, &OverviewDock::open);
    connect(&m_chips, &ChipState::tableChanged, this, &OverviewDock::scheduleRefresh);
    connect(&m_chips, &ChipState::tableChanged, this, &OverviewDock::findFolds);
    connect(&m_chips, &ChipState::targetChanged, this, &OverviewDock::scheduleRefresh);
    connect(&m_names, &WeightNames::namesChanged, this, [this] {
        if (m_shown && m_shown == this->session().bundle())
            scheduleRefresh();
    });
    m_task.whenCancelled([this] { onCancelled(); });
    connect(&this->session(), &Session::otherChanged, this, &OverviewDock::onBaseChanged);
    connect(&this->session(), &Session::bytesChanged, this, [this] {
        if (m_cut || m_task.cancelled())
            m_shown.reset(); // an edit stopped it: begin anew
    });
}

/// A search that was cancelled shows no result.
void OverviewDock::onCancelled()
{
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
    if (m_measuring.running() || (m_errors && m_errors->of == m_shown && m_errors->base == base))
        return;
    m_errors.reset();
    m_measuring.start(
        tr("Measuring errors against %1").arg(fromUtf8(base->name())),
        [of = m_shown, base](Progress &progress) { return errorsAgainst(of, base, progress); },
        [this](std::shared_ptr<const BaseErrors> errors) {
            m_errors = std::move(errors);
            showMap();
        });
}

/// Another base, or none: what was measured is of no use.
void OverviewDock::onBaseChanged()
{
    m_measuring.stop();
    m_errors.reset();
    if (!m_shown || m_colors != Colors::Error)
        return;
    if (session().other())
        measureErrors();
    showMap();
}

/// In a low dock the findings below get a part of the map's room.
void OverviewDock::resizeEvent(QResizeEvent *event)
{
    Dock::resizeEvent(event);
    m_map->setMinimumHeight(std::clamp(height() / 4, theme::em(this, 11.5), theme::em(this, 14.5)));
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
        m_task.stop();
        m_shown.reset();
        m_figures = {};
        m_map->setCells({}); // they hold the bundle
        m_rows->setRows({});
        m_listedOf.reset();
        sumUp();
        showMessage(tr("Open a bundle to see where its bytes are (Ctrl+O)."));
        return;
    }
    const bool another = bundle != m_shown;
    if (!m_shown || m_shown->path() != bundle->path())
        m_figures = {}; // of another file
    m_shown = bundle;
    if (another || (!m_sums && !m_summing.running()))
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
    m_task.stop();
    m_read = all;
    m_cut = false;
    if (m_figures.zeros.size() != m_shown->weights().size())
        m_figures = {};
    m_task.start(
        tr("Looking over the weights"),
        [bundle = m_shown, all](Progress &progress) {
            const BundleReadLock lock(*bundle);
            return examineBundle(*bundle, all, progress);
        },
        [this](BundleFigures figures) {
            m_figures = std::move(figures);
            showTotals();
            showMap();
            showFindings();
        });
}

/// Which weights no chip streams, and which faults are known of what is stored: the chips judge
/// them after the bundle has opened.
void OverviewDock::findFolds()
{
    m_folding.stop();
    m_folds.clear();
    if (const auto table = m_chips.table())
        m_folding.start(
            tr("Looking for weights that fold everywhere"),
            [table, bundle = session().bundle()](Progress &) {
                std::vector<Finding> found = foldFindings(*table);
                if (bundle) {
                    const std::vector<Finding> known = knownFaultFindings(*bundle);
                    found.insert(found.end(), known.begin(), known.end());
                }
                return found;
            },
            [this, table](std::vector<Finding> folds) {
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
    m_summing.stop();
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
    m_summing.start(
        tr("Adding up the weights"),
        [bundle = m_shown](Progress &) { return sumUpBundle(*bundle); },
        [this](BundleSums sums) {
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
    colors.measuring = m_measuring.running();
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
    if (parts.front() == "disputed"_L1) {
        m_disputedShown = !m_disputedShown;
        showFindings();
    } else if (parts.front() == "weight"_L1 && index < m_shown->weights().size()) {
        session().goToWeight(index, this);
        Q_EMIT raiseRequested(u"weight"_s);
    } else if (parts.front() == "file"_L1 && index < m_shown->files().size()) {
        session().goToBytes(index, {FileOffset(0), ByteCount(1)}, this);
        raiseHex();
    }
}

OverviewDock::OverviewDock(Session &session, QWidget *parent)
    : Dock(session, u"overview"_s, tr("Overview"), parent), m_chips(ChipState::of(session)),
      m_names(WeightNames::of(session))
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
    laidOut(column, {m_title, m_facts, sharedVerdict(m_chips, content), {buildBytes(content), 1}});
    buildFindings(content, column);
    setContent(content, m_map);
    connectParts();
    m_actions += dockAction(this, tr("Look Over All Values"), {}, [this] {
        if (!m_shown)
            return;
        if (!m_sums && !m_summing.running())
            sumUp(); // was cancelled
        examine(true);
        showTotals();
    });
    m_actions += dockAction(this, tr("Export Treemap\u2026"), {}, [this] {
        const QString path = askSavePath(this, tr("Export Picture"), u"treemap.png"_s,
                                         tr("PNG picture (*.png);;PDF (*.pdf)"));
        const QString why = path.isEmpty() ? QString() : exportWidgetPicture(*m_map, path);
        if (!why.isEmpty())
            Q_EMIT this->session().statusMessage(why);
    });
    m_map->addActions(m_actions);
    m_map->setContextMenuPolicy(Qt::ActionsContextMenu);
}

/// Totals at the left of the map: what is worth a look has its place in a low window as well.
QLayout *OverviewDock::buildBytes(QWidget *content)
{
    constexpr double kCards = 14.5; // in ems
    auto *totals = new QWidget(content);
    totals->setFixedWidth(theme::em(this, kCards));
    m_stored = new CardFrame(tr("Weights stored"), totals);
    m_moved = new CardFrame(tr("Weights read per call"), totals);
    m_time = new TimeCard(totals);
    laidOut(withoutMargins(new QVBoxLayout(totals)), {m_stored, m_moved, m_time, room(1)});
    m_map = new TreemapView(content);
    m_legend = new QLabel(content);
    m_legend->setTextFormat(Qt::RichText);
    m_legend->setWordWrap(true);
    auto *head =
        laidOut(new QHBoxLayout,
                {{design::label(tr("Where the bytes are"), design::Type::Heading, content), 1},
                 buildSwitch(content)});
    return laidOut(new QHBoxLayout,
                   {totals, {laidOut(new QVBoxLayout, {head, {m_map, 1}, m_legend}), 1}});
}

void OverviewDock::buildFindings(QWidget *content, QVBoxLayout *column)
{
    m_odd = design::label({}, design::Type::Heading, content);
    m_oddNote = named(giveWay(selectableLabel(content, Qt::RichText)), tr("What is not listed"));
    m_oddNote->setTextInteractionFlags(Qt::TextBrowserInteraction);
    m_rows = new RowTable<report::FindingRow>(report::findingTable, this);
    m_findings = makeTable(content, tr("Worth a look"), m_rows, {8.8, 12.2, 13, 11.5});
    growColumns(m_findings, {m_rows->columnOf("weight"), m_rows->columnOf("figure"),
                             m_rows->columnOf("advice")});
    m_filter = filterBox(content, tr("Filter what is worth a look"), m_findings);
    m_filter->setFixedWidth(theme::em(this, 14));
    laidOut(column, {laidOut(new QHBoxLayout, {m_odd, {m_oddNote, 1}, m_filter}), {m_findings, 1}});
    connect(m_filter, &QLineEdit::textChanged, m_rows, &RowTableModel::setFilter);
    connect(m_findings, &QTableView::clicked, this, [this](const QModelIndex &index) {
        goToFinding(*m_rows->rowAt(index.row()).finding, false);
    });
    connect(m_findings, &QTableView::activated, this, [this](const QModelIndex &index) {
        goToFinding(*m_rows->rowAt(index.row()).finding, true);
    });
    m_findings->addActions(
        {copyAction(m_findings, tr("Copy Rows"), m_findings),
         exportAction(m_findings, session(), tr("Export Findings\u2026"), *m_rows, "findings")});
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

void OverviewDock::showTotals()
{
    m_title->setText(fromUtf8(m_shown->name()));
    QStringList facts{fromUtf8(bundleKindName(m_shown->kind()))};
    if (m_sums && m_sums->operations > 0)
        facts += countedWords(m_sums->operations, tr("1 operation"), tr("%1 operations"));
    facts += m_tools;
    facts += m_shown->files().size() == 1
                 ? tr("%1 B in one file").arg(groupedNumber(m_shown->totalBytes().value))
                 : tr("%1 B in %2 files")
                       .arg(groupedNumber(m_shown->totalBytes().value),
                            groupedNumber(m_shown->files().size()));
    facts += m_about;
    m_facts->setWholeText(facts.join(u" \u00B7 "_s));
    std::vector<Finding> findings = allFindings();
    const std::size_t disputed = std::erase_if(findings, isDisputed);
    const bool looking = m_task.running() && findings.empty();
    m_odd->setText(tr("Worth a look: %1")
                       .arg(looking || m_cut ? u"\u2026"_s : groupedNumber(findings.size())));
    m_oddNote->setText(m_cut     ? tr("looking over the weights was cancelled")
                       : !m_read ? tr("values were not read: too many to read when a file opens")
                       : findings.empty() && !looking
                           ? tr("Values, tables and bytes were looked at.") + u' ' +
                                 disputedLink(disputed)
                           : disputedLink(disputed));
    showStored();
    const auto &table = m_chips.table();
    const std::size_t chip = table ? table->columnOf(m_chips.target()) : kNoIndex;
    if (chip == kNoIndex) {
        m_moved->say(u"\u2013"_s, m_chips.working() ? tr("judging the weights\u2026") : QString());
    } else {
        const TargetTotals &sums = table->totals(chip);
        const QString moved = tr("%1 B").arg(groupedNumber(sums.bytesMoved));
        const auto more = [](const QString &words, std::size_t count) {
            return count > 0 ? words.arg(groupedNumber(count)) : QString();
        };
        const bool read = std::ranges::any_of(
            m_shown->weights(), [](const Weight &weight) { return !weight.consumers.empty(); });
        m_moved->say(sums.movedOpen == 0               ? moved
                     : sums.movedOpen == table->rows() ? tr("unknown")
                                                       : tr("at least %1").arg(moved),
                     (read ? QString() : tr("if a program reads each once; ")) +
                         tr("on %1: %2 stream, %3 fold to dense, %4 dense")
                             .arg(chipName(m_chips.target()))
                             .arg(sums.streams)
                             .arg(sums.folds)
                             .arg(sums.dense) +
                         more(tr(", %1 refused"), sums.rejected) +
                         more(tr(", %1 not known"), sums.unknown));
    }
    m_time->showTime(m_shown, m_chips);
}

void OverviewDock::showStored()
{
    const std::size_t weights = m_shown->weights().size();
    const QString count = countedWords(weights, tr("1 weight"), tr("%1 weights"));
    if (!m_sums) {
        m_stored->say(u"\u2026"_s, count);
    } else if (m_sums->unread > 0) {
        m_stored->say(tr("unknown"),
                      tr("%1 of %2 weights cannot be read")
                          .arg(groupedNumber(m_sums->unread), groupedNumber(weights)));
    } else {
        const Totals &totals = m_sums->totals;
        m_stored->say(tr("%1 B").arg(groupedNumber(totals.storedBytes.value)),
                      tr("%1 of dense fp16, %2").arg(ratioText(totals.ratio), count));
    }
}

/// Ranked: the worst kinds first.
void OverviewDock::showFindings()
{
    // The rows that are shown point into what they were made of until the new ones are there.
    const auto before =
        std::pair(std::exchange(m_listed, allFindings()), std::exchange(m_listedOf, m_shown));
    // Reports that others contradict, or that one alone made: rows on request.
    if (!m_disputedShown)
        std::erase_if(m_listed, isDisputed);
    m_rows->setRows(report::findingRows(*m_shown, m_listed));
    for (QWidget *part : {static_cast<QWidget *>(m_findings), static_cast<QWidget *>(m_filter)})
        part->setVisible(!m_listed.empty());
    // Where fewer rows have room the page scrolls.
    const auto heightOf = [this](int rows) {
        return m_findings->horizontalHeader()->sizeHint().height() +
               std::min(m_rows->rowCount(), rows) *
                   m_findings->verticalHeader()->defaultSectionSize() +
               m_findings->horizontalScrollBar()->sizeHint().height() +
               2 * m_findings->frameWidth();
    };
    m_findings->setMinimumHeight(heightOf(kLeastFindings));
    m_findings->setMaximumHeight(heightOf(kFindingsOnView));
}

/// A finding leads to its weight, a value far out or not finite to its element.
void OverviewDock::goToFinding(const Finding &finding, bool raise)
{
    if (finding.weight == kNoIndex) {
        open(u"file:%1"_s.arg(finding.file));
        return;
    }
    if (raise)
        Q_EMIT raiseRequested(u"weight"_s);
    const bool far = finding.kind == Finding::Kind::Outlier;
    if (!far && finding.kind != Finding::Kind::NonFinite) {
        session().goToWeight(finding.weight, this);
        return;
    }
    m_finding.start(
        tr("Looking for the value"),
        [bundle = m_shown, weight = finding.weight, far,
         value = static_cast<float>(finding.value)](Progress &progress) {
            return firstElement(
                *bundle, weight,
                [=](float each) { return far ? each == value : !std::isfinite(each); }, progress);
        },
        [this, weight = finding.weight,
         from = session().place()](std::optional<std::uint64_t> element) {
            if (session().place() != from) // one went elsewhere meanwhile
                return;
            if (element)
                session().goToElement(weight, *element, this);
            else
                session().goToWeight(weight, this);
        });
}

} // namespace kernscope::ui

#include "moc_overview_dock.cpp"
