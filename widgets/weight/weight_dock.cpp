// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/weight/weight_dock.h"

#include "core/codec/edit/editor.h"
#include "core/patch/edit/expression.h"
#include "widgets/chips/chip_state.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/labels.h"
#include "widgets/common/qt.h"
#include "widgets/common/table_tools.h"
#include "widgets/common/view_state.h"
#include "widgets/models/words.h"
#include "widgets/patch/typed_edits.h"
#include "widgets/weight/weight_header.h"
#include "widgets/weight/weight_tiles.h"

namespace kernscope::ui {

/// The axes of a picture of a slice, down and across, by the names of the tensor's axes. A wrapped
/// tensor has elements in both directions.
std::pair<TileAxis, TileAxis> sliceAxes(const SliceMap &map, const QStringList &names);

namespace {

QString axisName(const QStringList &names, std::size_t axis)
{
    return axis < static_cast<std::size_t>(names.size()) ? names[static_cast<qsizetype>(axis)]
                                                         : Words::tr("axis %1").arg(axis);
}

constexpr int kDebounceMilliseconds = 200; ///< a run of arrow keys is one step of the history

/// Each cell is an edit of its own; of more, `fill` and `compute` make one.
constexpr qsizetype kMostPastedCells = 65'536;

constexpr int kPreviewPauseMs = 120, kPreviewLines = 5;

float decodedValue(const codec::Decoder &decoder, std::uint64_t element)
{
    float value = 0;
    decoder.decodeFloat(element, std::span(&value, 1));
    return value;
}

/// The first values before and after, how many change, their range, and which is farthest from
/// what was asked for.
EditAnswer previewText(const codec::Decoder &before, const codec::Decoder &after,
                       const std::vector<std::vector<std::uint64_t>> &cells,
                       const std::vector<AppliedEdit> &edits)
{
    constexpr qsizetype kShown = 4;
    QStringList was, is;
    std::size_t count = 0, changed = 0;
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const auto &elements : cells) {
        for (const std::uint64_t element : elements) {
            const double old = static_cast<double>(decodedValue(before, element));
            const double now = static_cast<double>(decodedValue(after, element));
            ++count;
            changed += old == now || (std::isnan(old) && std::isnan(now)) ? 0 : 1;
            low = std::min(low, now);
            high = std::max(high, now);
            if (was.size() < kShown) {
                was += valueText(old);
                is += valueText(now);
            }
        }
    }
    const QString more = count > std::size_t{kShown} ? u", \u2026"_s : QString();
    EditAnswer answer;
    answer.text = Words::tr("%1 of %2 change, to %3 \u2026 %4.\nbefore: %5\nafter: %6")
                      .arg(groupedNumber(changed), groupedNumber(count), valueText(low),
                           valueText(high), was.join(u", "_s) + more, is.join(u", "_s) + more);
    const auto off = [](const AppliedEdit &edit) { return std::abs(edit.stored - edit.asked); };
    const auto worst = std::ranges::max_element(
        edits, [&off](const AppliedEdit &a, const AppliedEdit &b) { return off(a) < off(b); });
    if (worst != edits.end() && worst->stored != worst->asked)
        answer.text +=
            Words::tr("\nWorst: %1 is held as %2, off by %3.")
                .arg(valueText(worst->asked), valueText(worst->stored), valueText(off(*worst)));
    answer.far = std::ranges::any_of(
        edits, [](const AppliedEdit &edit) { return codec::isFarFrom(edit.asked, edit.stored); });
    return answer;
}

} // namespace

std::pair<TileAxis, TileAxis> sliceAxes(const SliceMap &map, const QStringList &names)
{
    TileAxis down, across;
    down.count = map.rows();
    across.count = map.cols();
    down.text = [map](std::uint64_t row) { return map.rowText(row); };
    across.text = [map](std::uint64_t col) { return map.columnText(col); };
    if (map.wrapped()) {
        down.title = Words::tr("element");
        across.title = Words::tr("elements after it");
        return {std::move(down), std::move(across)};
    }
    if (map.shape().empty())
        return {};
    down.title = axisName(names, map.rowAxis());
    QStringList titles;
    std::uint64_t inner = 1;
    for (std::size_t axis = 0; axis < map.shape().size(); ++axis) {
        if (axis == map.rowAxis() || map.held()[axis] || map.shape()[axis] <= 1)
            continue;
        titles += axisName(names, axis);
        if (titles.size() > 1)
            inner *= map.shape()[axis];
    }
    across.title = titles.isEmpty() ? Words::tr("one column") : titles.join(", "_L1);
    across.block = inner;
    return {std::move(down), std::move(across)};
}

WeightDock::WeightDock(Session &session, QWidget *parent)
    : Dock(session, u"weight"_s, tr("Weight"), parent), m_debounce(new QTimer(this))
{
    auto *content = new QWidget(this);
    m_header = new WeightHeader(true, content);
    m_picker = new SlicePicker(content);
    m_grid = new WeightGridView(session.tasks(), content);
    m_grid->setObjectName(u"valueGrid"_s);

    m_pictures = new QSplitter(Qt::Vertical, content);
    QWidget *bar = createHeatMap(content);
    auto *head = laidOut(new QHBoxLayout, {{m_header, 1}, {m_zoom, 0, Qt::AlignBottom}});
    m_pictures->addWidget(m_map);
    m_pictures->addWidget(m_grid);
    m_pictures->setChildrenCollapsible(false);
    connect(m_pictures, &QSplitter::splitterMoved, this, [this] { m_userParted = true; });

    auto *layout = new QVBoxLayout(content);
    const int margin = theme::em(this, 0.3);
    layout->setContentsMargins(margin, margin, margin, margin);
    layout->setSpacing(margin / 2);
    laidOut(layout, {head, bar, {m_pictures, 1}});
    setContent(content, m_grid);

    m_debounce->setSingleShot(true);
    m_debounce->setInterval(kDebounceMilliseconds);
    connect(m_debounce, &QTimer::timeout, this, &WeightDock::goToMoved);
    connectViews();
    createActions();
    enlargeGrid(false);
}

/// On the chip that the docks judge by, as soon as it is known.
void WeightDock::showOutcome()
{
    const ChipState &chips = ChipState::of(session());
    const auto &table = chips.table();
    const std::size_t column = table ? table->columnOf(chips.target()) : kNoIndex;
    if (column == kNoIndex || m_weight >= table->rows()) {
        m_header->setOutcome({});
        return;
    }
    const decision::Verdict &verdict = table->verdict(m_weight, column);
    m_header->setOutcome(verdict.outcome, chipName(chips.target()),
                         fromUtf8(verdict.nearestChange));
}

void WeightDock::enlargeGrid(bool large)
{
    m_large = large;
    m_showPicture->setChecked(m_pictureWanted[large ? 1 : 0]);
    if (!m_userParted)
        part();
}

/// The picture and the grid get about the same: each is of use then at 1280x800 already.
void WeightDock::part()
{
    constexpr int kWhole = 10'000; // only the ratio counts
    constexpr int kMap = kWhole * 48 / 100;
    m_pictures->setSizes({kMap, kWhole - kMap});
}

/// The heat map, and the bar above it with the slice and how the map shows it.
QWidget *WeightDock::createHeatMap(QWidget *parent)
{
    auto *box = new QWidget(parent);
    m_map = new TileView(session().tasks(), box);
    m_map->setObjectName(u"heatMap"_s);
    m_map->setAccessibleName(tr("Heat map of the slice"));
    m_map->setMostStretch(TileView::kFillStretch);
    m_map->setDescribe([this](const Cell &cell, const Tile *tile, std::size_t index) {
        return describeCell(cell, tile, index);
    });
    m_colors = new QComboBox(box);
    m_colors->addItems({tr("Signed"), tr("Magnitude")});
    m_colors->setAccessibleName(tr("Colours of the heat map"));
    m_colors->setToolTip(tr("Signed: blue below zero, orange above. Magnitude: dark to light."));
    m_scale = new ColorScale(box);
    m_showPicture = new QAction(lineIcon(u"picture"_s), tr("Heat Map"), this);
    m_showPicture->setCheckable(true);
    m_showPicture->setChecked(true);
    m_showPicture->setToolTip(tr("Show the slice as a picture above its values"));
    m_zoom = new QWidget(parent);
    QWidget *zoom = m_map->createZoomButtons(m_zoom);
    auto *show = new QToolButton(m_zoom);
    show->setDefaultAction(m_showPicture);
    show->setAutoRaise(true);
    laidOut(withoutMargins(new QHBoxLayout(m_zoom), 0), {zoom, show});
    auto *bar = withoutMargins(new QHBoxLayout(box), theme::em(this, 0.3));
    // It wraps its axes where they are many: it needs to know all of the width that there is.
    constexpr int kAll = 1000; // but a rest where one axis needs no picker
    laidOut(bar,
            {{m_picker, kAll}, room(1), {m_colors, 0, Qt::AlignTop}, {m_scale, 0, Qt::AlignTop}});
    connect(m_showPicture, &QAction::toggled, this, [this, zoom](bool shown) {
        m_pictureWanted[m_large ? 1 : 0] = shown;
        for (QWidget *widget : std::initializer_list<QWidget *>{m_map, m_colors, m_scale, zoom})
            widget->setVisible(shown);
    });
    return box;
}

void WeightDock::connectViews()
{
    ChipState &chips = ChipState::of(session());
    connect(&chips, &ChipState::tableChanged, this, &WeightDock::showOutcome);
    connect(&chips, &ChipState::targetChanged, this, &WeightDock::showOutcome);
    connect(m_colors, &QComboBox::currentIndexChanged, this, [this] { drawHeatMap(true); });
    connect(m_picker, &SlicePicker::mapChanged, this,
            [this](const SliceMap &map) { showSlice(map, false); });
    connect(m_map, &TileView::currentCellChanged, this,
            [this](std::uint64_t row, std::uint64_t col) { moveCell(row, col, false); });
    connect(m_map, &TileView::cellClicked, this,
            [this](std::uint64_t row, std::uint64_t col) { moveCell(row, col, true); });
    connect(m_map, &TileView::cellActivated, this,
            [this](std::uint64_t row, std::uint64_t col) { moveCell(row, col, true); });
    connect(m_map, &TileView::cellHovered, this, [this](std::uint64_t row, std::uint64_t col) {
        Q_EMIT session().statusMessage(m_map->describe({row, col}));
    });
    connect(m_map, &TileView::loaded, this, [this] {
        if (m_tiles)
            m_scale->showValues(m_tiles->colors(), m_tiles->range(), m_tiles->only(),
                                m_tiles->showsNotFinite());
    });
    connect(m_grid, &WeightGridView::cellMoved, this,
            [this](std::uint64_t row, std::uint64_t col) { moveCell(row, col, false); });
    connect(m_grid, &WeightGridView::cellClicked, this,
            [this](std::uint64_t row, std::uint64_t col) { moveCell(row, col, true); });
    connect(m_grid, &WeightGridView::editRequested, this, &WeightDock::requestEdit);
    connect(m_grid, &WeightGridView::codeRequested, this, &WeightDock::requestCode);
    connect(m_grid, &WeightGridView::valuesEntered, this, &WeightDock::requestEdits);
    connect(m_grid, &WeightGridView::lockedTyping, this, [this] {
        Q_EMIT session().statusMessage(tr("Locked: enable patching to change values (Ctrl+E)."));
    });
    connect(m_grid, &WeightGridView::pasteRefused, &session(), &Session::statusMessage);
    connect(&session(), &Session::patchingEnabledChanged, m_grid, &WeightGridView::setEditable);
    // Asking for an edit stops all reading; a refusal brings no new bytes to read.
    connect(&session(), &Session::editsRefused, this, [this] { scheduleRefresh(); });
    m_grid->setEditable(session().patchingEnabled());
}

void WeightDock::createActions()
{
    m_grid->setContextMenuPolicy(Qt::ActionsContextMenu);
    auto *copy = dockAction(m_grid, tr("Copy Values"), QKeySequence::Copy,
                            [this] { m_grid->copySelection(); });
    auto *paste =
        dockAction(m_grid, tr("Paste Values"), QKeySequence::Paste, [this] { m_grid->paste(); });
    auto *compute =
        dockAction(m_grid, tr("Change Selected Values…"), {}, [this] { askForExpression(); });
    auto *code = dockAction(m_grid, tr("Edit Stored Code"), QKeySequence(Qt::SHIFT | Qt::Key_F2),
                            [this] { m_grid->editCode(); });
    m_actions += {copy, paste, compute, code};
    m_actions.append(m_showPicture);
    auto *colors = new QActionGroup(this);
    for (int i = 0; i < m_colors->count(); ++i) {
        auto *action = new QAction(tr("%1 Colours").arg(m_colors->itemText(i)), colors);
        action->setCheckable(true);
        action->setChecked(i == m_colors->currentIndex());
        connect(action, &QAction::triggered, this, [this, i] { m_colors->setCurrentIndex(i); });
        connect(m_colors, &QComboBox::currentIndexChanged, action,
                [action, i](int now) { action->setChecked(now == i); });
        m_actions.append(action);
    }
    m_actions += m_map->zoomActions();
}

void WeightDock::refresh()
{
    const BundlePtr &bundle = session().bundle();
    if (!bundle) {
        m_weight = kNoIndex;
        m_shown.reset();
        showMessage(tr("Open a bundle to begin (Ctrl+O)."));
        return;
    }
    // The same document keeps its weights in order; another one starts from its place.
    const bool same = isSameWeight(m_shown, bundle, m_weight);
    showWeight(place().weight, same && place().weight == m_weight);
}

void WeightDock::follow(const Place &place, QObject *origin)
{
    if (place.weight != m_weight)
        finishEditing(); // what is typed belongs to the weight that is left
    // A cell that the keys moved to before must not take the place back.
    if (origin != this) {
        m_debounce->stop();
        m_moved.reset();
    }
    if (!session().bundle())
        return;
    if (place.weight != m_weight || !m_reader)
        showWeight(place.weight, false);
    if (!m_reader)
        return;
    if (place.element) {
        showElement(*place.element);
    } else {
        m_map->setCurrentCell(std::nullopt);
        m_grid->showNoCell();
    }
}

bool WeightDock::working() const
{
    return (m_map->isVisible() && m_map->loading()) || m_grid->model().loading();
}

void WeightDock::changeEvent(QEvent *event)
{
    Dock::changeEvent(event);
    if (event->type() != QEvent::PaletteChange || !m_reader)
        return;
    m_header->setWeight(m_shown->weights()[m_weight]);
    showOutcome();
    drawHeatMap(true);
}

void WeightDock::showWeight(std::size_t weight, bool sameWeight)
{
    const BundlePtr bundle = session().bundle();
    m_shown = bundle;
    m_weight = weight;
    m_moved.reset();
    if (weight >= bundle->weights().size()) {
        m_weight = kNoIndex;
        m_reader.reset();
        m_tiles.reset();
        m_map->setSource(nullptr);
        m_grid->setReader(nullptr);
        showMessage(bundle->weights().empty()
                        ? tr("This bundle holds no weights.")
                        : tr("Select a weight in the Bundle dock to see its values."));
        return;
    }
    const Weight &shown = bundle->weights()[weight];
    m_header->setWeight(shown);
    showOutcome();
    if (shown.fault) {
        m_reader.reset();
        showMessage(tr("%1 cannot be decoded.\n%2")
                        .arg(fromUtf8(shown.name), fromUtf8(describe(*shown.fault))));
        return;
    }
    if (shown.elements.value == 0) {
        m_reader.reset();
        showMessage(tr("%1 has no elements: its shape is %2.")
                        .arg(fromUtf8(shown.name), shapeWords(shown.shape)));
        return;
    }
    if (!sameWeight)
        m_picker->setShape(shown.shape, axisNames(shown));
    showContent();
    showSlice(sameWeight ? m_picker->map() : SliceMap(shown.shape), sameWeight);
}

void WeightDock::showSlice(const SliceMap &map, bool sameCells)
{
    m_reader = std::make_shared<const WeightReader>(m_shown, m_weight, map);
    m_grid->setReader(m_reader, sameCells);
    drawHeatMap(sameCells);
    const Place &now = place();
    if (!sameCells && now.weight == m_weight && now.element) {
        if (const auto cell = map.cell(*now.element)) {
            m_map->setCurrentCell(Cell{cell->first, cell->second});
            m_grid->showCell(cell->first, cell->second);
        }
    }
}

void WeightDock::drawHeatMap(bool sameCells)
{
    if (!m_reader)
        return;
    const auto colors =
        m_colors->currentIndex() == 1 ? ValueColors::Magnitude : ValueColors::Signed;
    m_tiles = std::make_shared<const ValueTiles>(
        m_reader, colors, theme::isDark(palette()), 0,
        WeightPyramids::of(session()).pyramid(m_shown.get(), m_weight, m_reader->map(),
                                              WeightPyramids::Kind::Values));
    m_scale->showValues(colors, 0);
    m_map->setSource(m_tiles, sameCells);
    auto [down, across] = sliceAxes(m_reader->map(), axisNames(m_shown->weights()[m_weight]));
    m_map->setAxes(std::move(down), std::move(across));
}

void WeightDock::showElement(std::uint64_t element)
{
    auto cell = m_reader->map().cell(element);
    if (!cell) {
        // The slice on view leaves the element out: move the held axes to it.
        const SliceMap map = m_picker->map().containing(element);
        m_picker->setMap(map);
        showSlice(map, false);
        cell = map.cell(element);
    }
    if (!cell)
        return;
    m_map->setCurrentCell(Cell{cell->first, cell->second});
    m_grid->showCell(cell->first, cell->second);
}

void WeightDock::moveCell(std::uint64_t row, std::uint64_t col, bool now)
{
    if (!m_reader)
        return;
    const auto element = m_reader->map().element(row, col);
    if (!element)
        return;
    m_moved = element;
    m_map->setCurrentCell(Cell{row, col});
    m_grid->showCell(row, col);
    if (now)
        goToMoved();
    else
        m_debounce->start();
}

void WeightDock::goToMoved()
{
    m_debounce->stop();
    if (m_moved && m_weight != kNoIndex)
        session().goToElement(m_weight, *m_moved, this);
    m_moved.reset();
}

QString WeightDock::describeCell(const Cell &cell, const Tile *tile, std::size_t index) const
{
    const bool known = tile && index < tile->values.size();
    return cellWords(m_reader, cell, known, [&](const QString &place) {
        if (tile->marks[index].shape == CellShape::Dot)
            return tr("%1: left out by the mask").arg(place);
        return tr("%1: %2").arg(place, valueText(static_cast<double>(tile->values[index])));
    });
}

void WeightDock::requestEdit(std::uint64_t element, double value)
{
    const Weight &weight = m_shown->weights()[m_weight];
    const auto cell = m_reader->map().cell(element);
    const QModelIndex index =
        cell ? m_grid->model().indexOf(cell->first, cell->second) : QModelIndex();
    const bool leftOut = index.data(WeightGridModel::LeftOutRole).toBool();
    const QString place = fromUtf8(weight.name) + m_reader->map().indexText(element);
    session().requestEdits(
        {elementEdit(weight, element, leftOut ? Edit::Kind::Keep : Edit::Kind::Set, value)},
        leftOut ? tr("Keep %1").arg(place) : tr("Set %1").arg(place));
}

void WeightDock::requestEdits(const CellValues &values, const QString &title)
{
    if (values.isEmpty() || !m_reader) {
        Q_EMIT session().statusMessage(tr("There is no number to enter here."));
        return;
    }
    if (values.size() > kMostPastedCells) {
        Q_EMIT session().statusMessage(
            tr("At most %1 cells at once; an edit of the kind \u201Cfill\u201D or "
               "\u201Ccompute\u201D changes more (Ctrl+Shift+E).")
                .arg(groupedNumber(static_cast<std::uint64_t>(kMostPastedCells))));
        return;
    }
    const Weight &weight = m_shown->weights()[m_weight];
    const auto decoder = m_shown->decoder(m_weight);
    if (!decoder)
        return;
    std::vector<Edit> edits;
    for (const auto &[element, value] : values) {
        const bool kept = decoder->stored(element);
        if (!kept && value == 0) // that is what being left out means
            continue;
        edits.push_back(
            elementEdit(weight, element, kept ? Edit::Kind::Set : Edit::Kind::Keep, value));
    }
    session().requestEdits(std::move(edits), tr("%1 in %2").arg(title, fromUtf8(weight.name)));
}

void WeightDock::requestCode(std::uint64_t element, std::int64_t code)
{
    const auto edit = codeEdit(*m_shown, m_weight, element, code);
    if (edit)
        session().requestEdits({*edit}, {});
    else
        Q_EMIT session().editsRefused(edit.error());
}

/// What is typed for the selected cells: a number or an expression, an edit for each rectangle.
/// None where it is neither.
std::vector<Edit> WeightDock::editsOf(const QString &typed) const
{
    Edit edit;
    edit.expression = typed.trimmed().toStdString();
    const auto number = typedNumber(typed);
    edit.kind = number ? Edit::Kind::Fill : Edit::Kind::Compute;
    edit.value = number.value_or(0);
    const auto expression = patch::Expression::parse({edit.expression, 0});
    const auto decoder = m_shown->decoder(m_weight);
    std::vector<Edit> edits;
    if (!m_reader || !decoder || (!number && !expression))
        return edits;
    const Weight &weight = m_shown->weights()[m_weight];
    double ofZero = number.value_or(0);
    if (!number)
        expression->apply(std::span(&ofZero, 1));
    for (auto elements : m_grid->selectedElements()) {
        // What a mask leaves out has to be kept to become anything but zero.
        const auto left =
            std::stable_partition(elements.begin(), elements.end(), [&](std::uint64_t element) {
                return ofZero == 0 || decoder->stored(element);
            });
        for (auto element = left; element != elements.end(); ++element)
            edits.push_back(elementEdit(weight, *element, Edit::Kind::Keep, ofZero));
        elements.erase(left, elements.end());
        if (!elements.empty()) {
            const auto more = rangeEdits(weight, elements, edit);
            edits.insert(edits.end(), more.begin(), more.end());
        }
    }
    return edits;
}

/// One number, or an expression of each value, for all selected cells.
void WeightDock::askForExpression()
{
    std::size_t count = 0;
    for (const auto &elements : m_grid->selectedElements())
        count += elements.size();
    if (!session().patchingEnabled() || count == 0 || !m_reader) {
        Q_EMIT session().statusMessage(
            count == 0 ? tr("Select the cells to change.")
                       : tr("Locked: enable patching to change values (Ctrl+E)."));
        return;
    }
    auto *dialog = new QInputDialog(this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("Change Selected Values"));
    dialog->setLabelText(tr("Value of the %1 selected cells: a number, or an expression of w, such "
                            "as w*0.5 or clip(w,-1,1)")
                             .arg(groupedNumber(count)));
    connect(dialog, &QInputDialog::textValueSelected, this,
            [this](const QString &typed) { session().requestEdits(editsOf(typed), {}); });
    dialog->open();
    QLabel *answer = answerWhileTyping(dialog, [](const QString &typed) {
        const std::string text = typed.trimmed().toStdString();
        const auto expression = patch::Expression::parse({text, 0});
        return expression || typedNumber(typed) ? QString() : syntaxText(expression.error());
    });
    answer->setMinimumHeight(kPreviewLines * answer->fontMetrics().lineSpacing());
    auto *pause = new QTimer(dialog);
    pause->setSingleShot(true);
    pause->setInterval(kPreviewPauseMs);
    connect(dialog, &QInputDialog::textValueChanged, pause, qOverload<>(&QTimer::start));
    connect(pause, &QTimer::timeout, answer,
            [this, dialog, answer] { preview(dialog->textValue(), answer); });
}

/// Values before and after, made on a fork, into `answer`.
void WeightDock::preview(const QString &typed, QLabel *answer)
{
    if (m_preview)
        m_preview->cancel();
    std::vector<Edit> edits = editsOf(typed);
    if (edits.empty())
        return;
    m_preview = session().tasks().start(
        answer, tr("Looking what the expression makes"),
        [bundle = m_shown, weight = m_weight, edits = std::move(edits),
         cells = m_grid->selectedElements()](Progress &progress) -> Result<EditAnswer> {
            const auto planned =
                TRY(planOnFork(bundle, edits, std::numeric_limits<double>::infinity(), &progress));
            const BundleReadLock lock(*bundle);
            const auto before = bundle->decoder(weight), after = planned.bundle->decoder(weight);
            if (!before || !after)
                return tl::unexpected(before ? after.error() : before.error());
            return previewText(*before, *after, cells, planned.edits);
        },
        [answer](const Result<EditAnswer> &made) {
            answer->setText(made ? made->text
                                 : QChar(0x2715) + QLatin1Char(' ') +
                                       fromUtf8(describe(made.error())));
            showAnswer(answer, !made || made->far);
        });
}

} // namespace kernscope::ui

#include "moc_weight_dock.cpp"
