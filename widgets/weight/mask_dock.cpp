// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/weight/mask_dock.h"

#include "core/form/form_steps.h"
#include "widgets/common/labels.h"
#include "widgets/common/number_field.h"
#include "widgets/common/plot_canvas.h"
#include "widgets/common/qt.h"
#include "widgets/models/words.h"
#include "widgets/patch/typed_edits.h"
#include "widgets/weight/weight_header.h"
#include "widgets/weight/weight_tiles.h"

namespace kernscope::ui {

namespace {

constexpr int kMaskDebounceMilliseconds = 200;

/// "10,246 of 24,576 kept (41.7 %)"; how many values are stored where that is another number.
QString figuresText(const MaskFigures &figures, bool masked)
{
    QString words =
        (masked ? MaskDock::tr("%1 of %2 kept (%3)") : MaskDock::tr("%1 of %2 not zero (%3)"))
            .arg(groupedNumber(figures.kept), groupedNumber(figures.elements),
                 percentText(figures.density()));
    if (masked && figures.survivors != figures.kept)
        words += countedWords(figures.survivors, MaskDock::tr(" \u00B7 1 value stored"),
                              MaskDock::tr(" \u00B7 %1 values stored")) +
                 MaskDock::tr(" \u2260 the mask and its values disagree");
    return words;
}

} // namespace

DensityPlot::DensityPlot(QWidget *parent) : PlotWidget(tr("Density per output channel"), parent)
{
    m_steps = addSteps();
    m_mean = new QCPItemStraightLine(&plot());
    m_mean->setVisible(false);
    m_mean->setSelectable(false);
    plot().xAxis->setLabel(tr("output channel"));
    plot().xAxis->setTicker(countTicker());
    plot().yAxis->setLabel(tr("kept (%)"));
    plot().yAxis->setRange(0, 105);
}

void DensityPlot::setDensity(std::vector<std::uint64_t> kept, std::uint64_t perChannel, bool stored,
                             const QString &axis)
{
    beginData();
    m_kept = std::move(kept);
    m_perChannel = perChannel;
    m_stored = stored;
    plot().xAxis->setLabel(axis.isEmpty() ? tr("output channel") : axis);
    plot().yAxis->setLabel(stored ? tr("kept (%)") : tr("not zero (%)"));
    setColumns({{tr("channel"), [](int point) { return point; }},
                {stored ? tr("kept") : tr("not zero"),
                 [this](int point) { return m_kept[static_cast<std::size_t>(point)]; }},
                {tr("of"), [perChannel](int) { return perChannel; }},
                {tr("density"), [this](int point) { return density(point); }}});
    setSteps(*m_steps, [this](int channel) { return 100 * density(channel); });
    m_mean->setVisible(pointCount() > 0 && perChannel > 0);
    if (m_mean->visible()) {
        double sum = 0;
        for (int channel = 0; channel < pointCount(); ++channel)
            sum += density(channel);
        const double mean = 100 * sum / pointCount();
        m_mean->point1->setCoords(0, mean);
        m_mean->point2->setCoords(1, mean);
    }
    endData();
}

double DensityPlot::density(int point) const
{
    if (m_perChannel == 0)
        return 0;
    return static_cast<double>(m_kept[static_cast<std::size_t>(point)]) /
           static_cast<double>(m_perChannel);
}

QString DensityPlot::pointText(int point) const
{
    const QString text =
        m_stored ? tr("channel %1: %2 of %3 kept (%4)") : tr("channel %1: %2 of %3 not zero (%4)");
    return text.arg(point).arg(groupedNumber(m_kept[static_cast<std::size_t>(point)]),
                               groupedNumber(m_perChannel), percentText(density(point)));
}

void DensityPlot::applyColors(bool dark)
{
    colorSteps(*m_steps, theme::color(Token::KindMask, dark), 140);
    m_mean->setPen(QPen(palette().color(QPalette::Text), 0, Qt::DotLine));
}

MaskDock::MaskDock(Session &session, QWidget *parent)
    : Dock(session, u"mask"_s, tr("Mask"), parent), m_debounce(new QTimer(this))
{
    auto *content = new QWidget(this);
    m_header = new WeightHeader(false, content);
    m_figures = selectableLabel(content, Qt::RichText); // may hold a link
    m_note = selectableLabel(content);
    m_cell = selectableLabel(content);
    m_figures->setTextInteractionFlags(Qt::TextBrowserInteraction);
    connect(m_figures, &QLabel::linkActivated, this, [this] { scheduleRefresh(); });
    m_note->setForegroundRole(QPalette::PlaceholderText);
    m_cell->setWordWrap(false);
    m_cell->setAccessibleName(tr("Cell"));
    m_cell->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_scale = new ColorScale(content);
    m_scale->showDensity();
    m_picture = named(new TileView(session.tasks(), content), tr("Picture of the mask"));
    m_picture->setMostStretch(TileView::kFillStretch);
    m_picture->setDescribe([this](const Cell &cell, const Tile *tile, std::size_t index) {
        return describeCell(cell, tile, index);
    });
    m_density = new DensityPlot(content);
    m_density->setMinimumHeight(theme::em(this, 11)); // less shows axes and no curve

    laidOut(contentColumn(content), {m_header, m_figures, m_note, {buildParts(content), 1}});
    setContent(content, m_picture);
    m_debounce->setSingleShot(true);
    m_debounce->setInterval(kMaskDebounceMilliseconds);
    connect(m_debounce, &QTimer::timeout, this, &MaskDock::goToMoved);
    createActions();
    connectViews();
}

/// The picture with what belongs to it over the plot of its density.
QWidget *MaskDock::buildParts(QWidget *content)
{
    auto *bar = laidOut(new QHBoxLayout, {m_scale, room(1), m_picture->createZoomButtons(content)});
    auto *upper = new QWidget(content);
    // A row each: beside the buttons a narrow inspector has no room for the cell's name.
    laidOut(withoutMargins(new QVBoxLayout(upper), 2),
            {bar, {m_picture, 1}, m_cell, {createPainting(), 0, Qt::AlignLeft}});
    return parted(Qt::Vertical, {{upper, 3}, {m_density, 2}});
}

QWidget *MaskDock::createPainting()
{
    m_keep = new QAction(tr("Keep Element"), this);
    m_keep->setIconText(tr("Keep"));
    m_keep->setToolTip(tr("Keep the element under the cell cursor, with the value beside: one "
                          "value more is stored (K)"));
    m_drop = new QAction(tr("Leave Element Out"), this);
    m_drop->setIconText(tr("Leave out"));
    m_drop->setToolTip(
        tr("Leave the element under the cell cursor out: it reads as 0 and one value "
           "less is stored (D)"));
    m_keep->setShortcut(QKeySequence(Qt::Key_K));
    m_drop->setShortcut(QKeySequence(Qt::Key_D));
    m_painting = new QWidget(this);
    m_keepValue = named(new QLineEdit(u"0"_s, m_painting), tr("Value of kept elements"));
    m_keepValue->setToolTip(tr("The value that a kept element gets"));
    m_keepValue->setMaximumWidth(theme::em(this, 4));
    takeNumbers(m_keepValue, {});
    auto *layout = withoutMargins(new QHBoxLayout(m_painting));
    createBrush();
    for (QAction *action : {m_keep, m_drop, m_brush}) {
        action->setShortcutContext(Qt::WidgetShortcut);
        m_picture->addAction(action);
        auto *button = new QToolButton(m_painting);
        button->setDefaultAction(action);
        button->setAccessibleName(action->text());
        layout->addWidget(button);
        if (action == m_keep) {
            layout->addWidget(new QLabel(tr("as"), m_painting));
            layout->addWidget(m_keepValue);
        }
    }
    return m_painting;
}

void MaskDock::createActions()
{
    m_actions = {m_keep, m_drop, m_brush};
    m_actions += m_picture->zoomActions();
    m_actions += m_density->plotActions();
}

void MaskDock::connectViews()
{
    connect(m_keep, &QAction::triggered, this, [this] { paintMask(true); });
    connect(m_drop, &QAction::triggered, this, [this] { paintMask(false); });
    connect(m_picture, &TileView::currentCellChanged, this,
            [this](std::uint64_t row, std::uint64_t col) { moveCell(row, col, false); });
    connect(m_picture, &TileView::cellClicked, this,
            [this](std::uint64_t row, std::uint64_t col) { moveCell(row, col, true); });
    connect(m_picture, &TileView::cellActivated, this,
            [this](std::uint64_t row, std::uint64_t col) { moveCell(row, col, true); });
    connect(m_picture, &TileView::cellHovered, this, [this](std::uint64_t row, std::uint64_t col) {
        Q_EMIT session().statusMessage(m_picture->describe({row, col}));
    });
    connect(m_picture, &TileView::loaded, this, &MaskDock::updatePainting);
    connect(m_density, &PlotWidget::pointActivated, this, [this](int channel) {
        if (m_reader)
            moveCell(m_reader->map().wrapped() ? 0 : static_cast<std::uint64_t>(channel), 0, true);
    });
    connect(&session(), &Session::patchingEnabledChanged, this, &MaskDock::updatePainting);
    // Asking for an edit stops all reading; a refusal brings no new bytes to read.
    connect(&session(), &Session::editsRefused, this, [this] { scheduleRefresh(); });
    m_task.whenCancelled([this] {
        m_figures->setText(tr("%1 \u00B7 <a href=\"again\">read again</a>").arg(m_task.endText()));
    });
}

bool MaskDock::working() const
{
    return m_picture->loading() || m_task.running();
}

void MaskDock::refresh()
{
    if (!session().bundle()) {
        m_weight = kNoIndex;
        showMessage(tr("Open a bundle to begin (Ctrl+O)."));
        return;
    }
    const std::size_t wanted = place().weight;
    const auto &weights = session().bundle()->weights();
    const bool same = m_reader && wanted == m_weight && wanted < weights.size() && // saved as well
                      weights[wanted].name == m_shown->weights()[wanted].name &&
                      weights[wanted].shape == m_reader->map().shape();
    showWeight(wanted, same);
}

void MaskDock::follow(const Place &place, QObject *origin)
{
    // A cell that the keys moved to before must not take the place back.
    if (origin != this) {
        m_debounce->stop();
        m_moved.reset();
    }
    if (!session().bundle())
        return;
    if (place.weight != m_weight || !m_reader)
        showWeight(place.weight, false);
    // Without an element there is no cell: the one before may be of a weight that was left while
    // the dock was hidden.
    const auto cell =
        place.element && m_reader ? m_reader->map().cell(*place.element) : std::nullopt;
    m_picture->setCurrentCell(cell ? std::optional(Cell{cell->first, cell->second}) : std::nullopt);
    m_density->setCurrentPoint(cell && !m_reader->map().wrapped() ? static_cast<int>(cell->first)
                                                                  : -1);
    updatePainting();
}

void MaskDock::changeEvent(QEvent *event)
{
    Dock::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_reader)
        drawPicture(true);
}

void MaskDock::showWeight(std::size_t weight, bool same)
{
    m_task.stop();
    m_moved.reset();
    m_shown = session().bundle();
    m_weight = weight;
    const auto &weights = m_shown->weights();
    if (weight >= weights.size() || weights[weight].fault) {
        m_reader.reset();
        m_picture->setSource(nullptr);
        m_density->clear();
        showMessage(weights.empty() ? tr("This file has no weights, and so no mask.")
                    : weight >= weights.size()
                        ? tr("Select a sparse weight in the Bundle dock to see its mask.")
                        : tr("%1 cannot be decoded.\n%2")
                              .arg(fromUtf8(weights[weight].name),
                                   fromUtf8(describe(*weights[weight].fault))));
        return;
    }
    const Weight &shown = weights[weight];
    m_header->setWeight(shown);
    m_reader = std::make_shared<const WeightReader>(m_shown, weight, SliceMap(shown.shape));
    m_note->setVisible(!m_reader->masked());
    m_note->setText(tr("Stored as %1, without a mask: this is where the decoded values are zero.")
                        .arg(fromUtf8(formWords(shown.form))));
    if (!same) {
        m_figures->setText(tr("reading\u2026"));
        m_density->clear();
    }
    showContent();
    drawPicture(same);
    readFigures();
    updatePainting();
}

void MaskDock::drawPicture(bool same)
{
    PicturePyramid pyramid = WeightPyramids::of(session()).pyramid(
        m_shown.get(), m_reader->weightIndex(), m_reader->map(), WeightPyramids::Kind::Kept);
    m_picture->setSource(
        std::make_shared<const MaskTiles>(m_reader, theme::isDark(palette()), std::move(pyramid)),
        same);
}

void MaskDock::readFigures()
{
    m_task.start(
        tr("Density of %1").arg(fromUtf8(m_shown->weights()[m_weight].name)),
        [bundle = m_shown, weight = m_weight](Progress &progress) {
            const BundleReadLock lock(*bundle);
            return MaskFigures::compute(*bundle, weight, progress);
        },
        [this](Result<MaskFigures> figures) {
            if (figures)
                showFigures(*figures);
            else
                m_figures->setText(fromUtf8(describe(figures.error())));
        });
}

void MaskDock::showFigures(const MaskFigures &figures)
{
    const bool masked = m_reader->masked();
    m_figures->setText(figuresText(figures, masked));
    m_density->setDensity(figures.channels, figures.perChannel, masked,
                          axisNames(m_reader->weight()).value(0));
    m_density->setVisible(!figures.channels.empty());
    const Place &now = place();
    if (now.weight == m_weight && now.element && !m_reader->map().wrapped()) {
        if (const auto cell = m_reader->map().cell(*now.element))
            m_density->setCurrentPoint(static_cast<int>(cell->first));
    }
}

QString MaskDock::figures() const
{
    return m_figures->text();
}

void MaskDock::moveCell(std::uint64_t row, std::uint64_t col, bool now)
{
    if (!m_reader)
        return;
    m_moved = m_reader->map().element(row, col);
    if (!m_moved)
        return;
    m_picture->setCurrentCell(Cell{row, col});
    updatePainting();
    if (now)
        goToMoved();
    else
        m_debounce->start();
}

void MaskDock::goToMoved()
{
    m_debounce->stop();
    if (m_moved && m_weight != kNoIndex)
        session().goToElement(m_weight, *m_moved, this);
    m_moved.reset();
}

std::optional<std::uint64_t> MaskDock::currentElement() const
{
    const auto cell = m_picture->currentCell();
    return cell && m_reader ? m_reader->map().element(cell->row, cell->col) : std::nullopt;
}

void MaskDock::updatePainting()
{
    const auto cell = m_picture->currentCell();
    m_cell->setText(cell ? m_picture->describe(*cell) : tr("no cell chosen"));
    m_cell->setToolTip(m_cell->text());
    const bool masked = m_reader && m_reader->masked();
    m_painting->setVisible(masked && session().patchingEnabled());
    const bool can = masked && session().patchingEnabled() && currentElement().has_value();
    m_keep->setEnabled(can);
    m_drop->setEnabled(can);
    const bool paints = masked && session().patchingEnabled();
    m_brush->setEnabled(paints);
    if (!paints)
        m_brush->setChecked(false);
}

void MaskDock::paintMask(bool keep)
{
    const auto element = currentElement();
    if (!element || !session().patchingEnabled() || !m_reader->masked())
        return;
    const Weight &weight = m_shown->weights()[m_weight];
    const QString place = fromUtf8(weight.name) + m_reader->map().indexText(*element);
    const auto value = typedNumber(m_keepValue->text());
    if (keep && !value) {
        sayNotTaken(m_keepValue, fromUtf8(describe(value.error())));
        return;
    }
    session().requestEdits(
        {elementEdit(weight, *element, keep ? Edit::Kind::Keep : Edit::Kind::Drop,
                     value.value_or(0))},
        keep ? tr("Keep %1").arg(place) : tr("Leave out %1").arg(place));
}

QString MaskDock::describeCell(const Cell &cell, const Tile *tile, std::size_t index) const
{
    const bool known = tile && index < tile->marks.size();
    return cellWords(m_reader, cell, known, [&](const QString &place) {
        const bool kept = tile->marks[index].shape == CellShape::Square;
        if (m_reader->masked())
            return kept ? tr("%1: \u25A0 kept").arg(place) : tr("%1: \u00B7 left out").arg(place);
        return kept ? tr("%1: \u25A0 not zero").arg(place) : tr("%1: \u00B7 zero").arg(place);
    });
}

void MaskDock::createBrush()
{
    m_brush = new QAction(tr("Paint by Dragging"), this);
    m_brush->setIconText(tr("Paint"));
    m_brush->setCheckable(true);
    m_brush->setShortcut(QKeySequence(Qt::Key_B));
    m_brush->setShortcutContext(Qt::WidgetShortcut);
    m_brush->setToolTip(tr("Drag over elements: begun on one that is kept the stroke leaves out, "
                           "begun on another it keeps. What it changes is said before it is "
                           "made; Escape gives it up (B)"));
    connect(m_brush, &QAction::toggled, m_picture, &TileView::setBrush);
    connect(m_picture, &TileView::strokeChanged, this, &MaskDock::onStroke);
    connect(m_picture, &TileView::strokeEnded, this, &MaskDock::paintStroke);
    connect(m_picture, &TileView::strokeRefused, this, [this] {
        m_cell->setText(tr("Zoom in (+) to paint")); // in a narrow panel
        Q_EMIT session().statusMessage(
            tr("Zoom in to paint: the elements are too small to be told apart."));
    });
}

/// Those of the stroke that it would change.
std::vector<std::uint64_t> MaskDock::strokeElements()
{
    std::vector<std::uint64_t> elements;
    if (!m_reader || !m_decoder)
        return elements;
    for (const Cell &cell : m_picture->stroke()) {
        const auto element = m_reader->map().element(cell.row, cell.col);
        if (element && m_decoder->stored(*element) != m_strokeKeeps)
            elements.push_back(*element);
    }
    return elements;
}

void MaskDock::onStroke()
{
    if (!m_reader || m_picture->stroke().empty())
        return;
    if (m_picture->stroke().size() == 1) {
        m_decoder.reset();
        if (auto decoder = m_shown->decoder(m_weight))
            m_decoder.emplace(std::move(*decoder));
        const Cell &first = m_picture->stroke().front();
        const auto element = m_reader->map().element(first.row, first.col);
        m_strokeKeeps = m_decoder && element && !m_decoder->stored(*element);
    }
    const std::size_t count = strokeElements().size();
    const QString change =
        m_strokeKeeps ? countedWords(count, tr("keeps 1 element as %1: 1 value more is stored"),
                                     tr("keeps %1 elements as %2: as many values more are stored"))
                      : countedWords(count, tr("leaves out 1 element: 1 value less is stored"),
                                     tr("leaves out %1 elements: as many values less are stored"));
    const QString whole = m_strokeKeeps ? change.arg(m_keepValue->text()) : change;
    // A narrow inspector has room for the beginning; the status line for all of it.
    m_cell->setText(whole.section(QLatin1Char(':'), 0, 0));
    m_cell->setToolTip(whole);
    Q_EMIT session().statusMessage(tr("%1 \u00B7 release to apply, Escape gives up").arg(whole));
}

void MaskDock::paintStroke(bool accepted)
{
    const std::vector<std::uint64_t> elements = strokeElements();
    m_decoder.reset();
    if (!accepted || elements.empty() || !session().patchingEnabled()) {
        updatePainting();
        Q_EMIT session().statusMessage(accepted ? QString() : tr("The stroke was given up."));
        return;
    }
    const Weight &weight = m_shown->weights()[m_weight];
    const auto value = typedNumber(m_keepValue->text());
    if (m_strokeKeeps && !value) {
        updatePainting();
        sayNotTaken(m_keepValue, fromUtf8(describe(value.error())));
        return;
    }
    std::vector<Edit> edits;
    edits.reserve(elements.size());
    for (const std::uint64_t element : elements)
        edits.push_back(elementEdit(weight, element,
                                    m_strokeKeeps ? Edit::Kind::Keep : Edit::Kind::Drop,
                                    value.value_or(0)));
    const QString count = countedWords(elements.size(), tr("1 element"), tr("%1 elements"));
    Q_EMIT session().statusMessage({}); // what releasing would do was done
    session().requestEdits(std::move(edits),
                           (m_strokeKeeps ? tr("Keep %1 of %2") : tr("Leave out %1 of %2"))
                               .arg(count, fromUtf8(weight.name)));
}

} // namespace kernscope::ui

#include "moc_mask_dock.cpp"
