// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/chips/roofline_dock.h"

#include "core/bundle/bundle.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/labels.h"
#include "widgets/common/number_field.h"
#include "widgets/common/panels.h"
#include "widgets/common/qt.h"
#include "widgets/models/words.h"

namespace kernscope::ui {

namespace {

constexpr double kParagraphGap = 0.35; // ems

/// Each line a paragraph: the facts of a point are read one by one, not as one block. `headed`:
/// the first is what the others are about.
QString paragraphs(const QStringList &lines, bool headed, int gap)
{
    QString text;
    for (qsizetype i = 0; i < lines.size(); ++i) {
        // A line may end behind the parts of a name: none makes the others wider than the panel.
        const QString line = lines[i].toHtmlEscaped().replace(u'_', "_&#8203;"_L1);
        text += u"<p style=\"margin:0 0 %1px 0\">%2</p>"_s.arg(gap).arg(
            headed && i == 0 ? u"<b>%1</b>"_s.arg(line) : line);
    }
    return text;
}

} // namespace

RooflineDock::RooflineDock(Session &session, QWidget *parent)
    : Dock(session, u"roofline"_s, tr("Roofline"), parent), m_state(ChipState::of(session))
{
    auto *content = new QWidget(this);
    QHBoxLayout *bar = buildBar(content);
    m_plot = new RooflinePlot(content);
    m_plot->setMinimumHeight(theme::em(this, 9));
    QWidget *scrolled = buildWords(content);
    auto *split = parted(Qt::Horizontal, {{m_plot, 3}, {scrolled, 1}});
    split->setSizes({theme::em(this, 54), theme::em(this, 14)});
    laidOut(contentColumn(content), {bar, {split, 1}});
    setContent(content, m_plot);
    buildActions();
    connectParts();
}

QHBoxLayout *RooflineDock::buildBar(QWidget *content)
{
    auto *bar = new QHBoxLayout;
    m_compute = narrowChooser(content, tr("Compute ceiling"), 12);
    m_bandwidth = narrowChooser(content, tr("Bandwidth ceiling"), 12);
    for (QComboBox *box : {m_compute, m_bandwidth})
        connect(box, &QComboBox::activated, this, &RooflineDock::scheduleRefresh);
    m_batch = integerBox(content, tr("Batch"), 1, 65536, tr("batch "));
    connect(m_batch, &QSpinBox::valueChanged, this, &RooflineDock::scheduleRefresh);
    laidOut(bar, {{sharedChipBox(m_state, content), 2}, {m_compute, 2}, {m_bandwidth, 2}, m_batch});
    return bar;
}

/// The words stand beside the plot, which so has all of the height.
QWidget *RooflineDock::buildWords(QWidget *content)
{
    for (QLabel **label : {&m_facts, &m_point})
        *label = selectableLabel(content, Qt::RichText);   // paragraphs()
    m_facts->setForegroundRole(QPalette::PlaceholderText); // it is the same for every point
    m_facts->setAccessibleName(tr("The chip and the program"));
    m_point->setAccessibleName(tr("Arithmetic of the chosen point"));
    auto *words = new QWidget;
    auto *wordColumn = new QVBoxLayout(words);
    wordColumn->setContentsMargins(0, 0, theme::em(this, 0.3), 0);
    wordColumn->setSpacing(theme::em(this, 0.6));
    laidOut(wordColumn, {m_point, m_facts, room(1)});
    auto *scrolled = new ShrinkArea(words, content);
    scrolled->setMinimumWidth(theme::em(this, 12));
    return scrolled;
}

void RooflineDock::connectParts()
{
    connect(&m_state, &ChipState::targetChanged, this, &RooflineDock::scheduleRefresh);
    connect(m_plot, &PlotWidget::currentPointChanged, this, [this](int point) {
        showPoint(point);
        session().goToWeight(m_plot->points().layerOf(point).weight, this);
    });
    connect(&session(), &Session::bundleChanged, this, &RooflineDock::forget);
    m_task.whenCancelled([this] {
        showMessage(tr("The layers were not placed: the work was cancelled. Change the chip or the "
                       "batch to place them."));
    });
}

void RooflineDock::buildActions()
{
    auto *in = dockAction(this, tr("Zoom In"), QKeySequence::ZoomIn, [this] { m_plot->zoom(0.8); });
    auto *out =
        dockAction(this, tr("Zoom Out"), QKeySequence::ZoomOut, [this] { m_plot->zoom(1.25); });
    auto *all = dockAction(this, tr("Show All Layers"), {}, [this] {
        m_plot->fit();
        m_plot->zoom(1);
    });
    auto *roofs = dockAction(this, tr("Show All Roofs"), {}, [] {});
    roofs->setCheckable(true);
    roofs->setToolTip(tr("Off: only the roofs that layers are held against or pass"));
    connect(roofs, &QAction::toggled, m_plot, &RooflinePlot::showAllRoofs);
    m_actions = m_plot->plotActions() + QList<QAction *>{in, out, all, roofs};
    m_plot->addAction(roofs);
}

void RooflineDock::fillCeilings(const roofline::Roofs &roofs)
{
    if (std::exchange(m_shown, roofs.target) == roofs.target)
        return;
    for (QComboBox *box : {m_compute, m_bandwidth}) {
        box->clear();
        box->addItem(box == m_compute ? tr("compute: by kind of layer")
                                      : tr("bandwidth: by kind of stream"),
                     QString());
    }
    for (const roofline::Ceiling &ceiling : roofs.all) {
        if (!ceiling.isRoof())
            continue;
        const bool compute = ceiling.kind == roofline::Ceiling::Kind::Compute;
        QComboBox *box = compute ? m_compute : m_bandwidth;
        const QString words =
            siWord(ceiling.value, fromUtf8(ceiling.unit)) + u" "_s + roofName(ceiling.name);
        box->addItem(readFromLeft(words, layoutDirection()), fromUtf8(ceiling.name));
        box->setItemData(box->count() - 1,
                         tr("%1: %2").arg(fromUtf8(roofline::ceilingMethodName(ceiling.method)),
                                          fromUtf8(ceiling.source)),
                         Qt::ToolTipRole);
    }
    for (QComboBox *box : {m_compute, m_bandwidth}) {
        if (box->count() == 1)
            box->setItemText(0, tr("none published"));
        box->setEnabled(box->count() > 1);
    }
}

void RooflineDock::refresh()
{
    const BundlePtr &bundle = session().bundle();
    if (!bundle) {
        m_task.stop();
        m_placed.reset();
        showMessage(tr("Open a bundle to see what bounds its layers (Ctrl+O)."));
        return;
    }
    auto standard = roofline::roofsOf(m_state.target());
    if (!standard)
        return;
    fillCeilings(*standard);
    const auto named = [](const QComboBox *box) {
        return box->currentData().toString().toStdString();
    };
    const auto roofs = roofline::roofsOf(m_state.target(), {named(m_compute), named(m_bandwidth)});
    placeLayers(roofs ? *roofs : *standard);
}

void RooflineDock::placeLayers(const roofline::Roofs &roofs)
{
    const BundlePtr bundle = session().bundle();
    const auto batch = static_cast<std::uint64_t>(m_batch->value());
    m_task.stop();
    if (bundle->weights().size() <= kMostPlacedAtOnce)
        return showPlaced(bundle, placeNetwork(*bundle, roofs, m_state.choice(), batch));
    if (bundle != m_placed.lock())
        showMessage(tr("Placing the layers of %1 weights under the roofs\u2026")
                        .arg(groupedNumber(bundle->weights().size())));
    m_task.start(
        tr("Placing layers"),
        [bundle, roofs, choice = m_state.choice(), batch](Progress &progress) {
            const BundleReadLock lock(*bundle);
            return placeNetwork(*bundle, roofs, choice, batch, &progress);
        },
        [this, bundle](std::optional<ChipNetwork> placed) {
            showPlaced(bundle, std::move(placed));
        });
}

void RooflineDock::showPlaced(const BundlePtr &bundle, std::optional<ChipNetwork> placed)
{
    m_placed = bundle;
    if (!placed)
        return;
    if (placed->layers.empty())
        return showMessage(noLayersText(*bundle));
    showFacts(placed->roofs, placed->program);
    m_plot->setContent(bundle, placed->roofs, std::move(placed->layers), placed->program);
    showContent();
    followPlace();
}

/// Another document: what is shown is of the one before, which this must not keep open.
void RooflineDock::forget()
{
    m_placed.reset();
    if (m_plot->points().bundle())
        m_plot->setContent(nullptr, {}, {}, {});
}

void RooflineDock::showFacts(const roofline::Roofs &roofs, const roofline::ProgramTime &program)
{
    QStringList facts;
    if (!roofs.compute && !roofs.bandwidth) {
        facts << tr("No ceilings are published for %1; another chip's are not lent to it.")
                     .arg(fromUtf8(roofs.target->name));
    }
    if (roofs.ridge) {
        const QString source = fromUtf8(roofs.ridgeSource);
        const QString keys = source.section(QLatin1Char(';'), 0, 0);
        QStringList roofsOfRidge = keys.split(u" / "_s);
        for (QString &roof : roofsOfRidge)
            roof = roofName(roof.toStdString());
        facts << tr("Ridge %1 FLOP/B (%2; %3).")
                     .arg(*roofs.ridge, 0, 'f', 1)
                     .arg(roofsOfRidge.join(u" / "_s) + source.mid(keys.size()),
                          fromUtf8(format::confidenceName(roofs.ridgeConfidence)));
    }
    if (roofs.dispatchFloorS)
        facts << tr("A call takes at least %1.").arg(siWord(*roofs.dispatchFloorS, u"s"_s));
    if (roofs.workingSetBytes)
        facts << tr("Working set %1%2.")
                     .arg(siWord(*roofs.workingSetBytes, u"B"_s),
                          roofs.step ? tr("; above it %1 was measured")
                                           .arg(siWord(roofs.step->value, u"FLOP/s"_s))
                                     : QString());
    facts << programWord(program);
    facts << fromUtf8(roofline::predictionNote(*roofs.target));
    facts << tr(
        "Solid roofs are measured, dashed derived; hollow points estimated; a boxed ! passes a "
        "measured roof.");
    m_facts->setText(paragraphs(facts, false, theme::em(this, kParagraphGap)));
}

void RooflineDock::follow(const Place &place, QObject *origin)
{
    if (origin == this)
        return;
    const int point = m_plot->points().ofWeight(place.weight);
    m_plot->setCurrentPoint(point);
    showPoint(point);
}

void RooflineDock::showPoint(int point)
{
    if (point < 0) {
        m_point->setText(tr("Select a point to see its arithmetic."));
        return;
    }
    m_point->setText(paragraphs(m_plot->pointText(point).split(QLatin1Char('\n')), true,
                                theme::em(this, kParagraphGap)));
}

} // namespace kernscope::ui

#include "moc_roofline_dock.cpp"
