// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/pair_pictures.h"

#include "core/bundle/bundle.h"
#include "core/form/form_steps.h"
#include "widgets/common/labels.h"
#include "widgets/common/qt.h"
#include "widgets/common/tile_painter.h"
#include "widgets/models/table_text.h"
#include "widgets/models/theme.h"

namespace kernscope::ui {

namespace {

/// Kept and left out, of one weight.
ColorScale::Swatches maskSwatches(bool dark)
{
    return {{QColor(MaskTiles::shade(1, dark)), CellShape::Square, PairPictures::tr("kept")},
            {QColor(MaskTiles::shade(0, dark)), CellShape::Dot, PairPictures::tr("zero")}};
}

} // namespace

PicturePane::PicturePane(TaskManager &tasks, const QString &name, const QString &side,
                         QWidget *parent)
    : QWidget(parent), m_title(new ElidedLabel(Qt::ElideRight, this)),
      m_stack(new QStackedWidget(this)), m_view(new TileView(tasks, m_stack)),
      m_message(new QLabel(m_stack)), m_legend(new ColorScale(this))
{
    m_title->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    m_legend->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    m_view->setMostStretch(TileView::kFillStretch);
    m_view->setAccessibleName(name);
    m_message->setWordWrap(true);
    m_message->setAlignment(Qt::AlignCenter);
    m_message->setForegroundRole(QPalette::PlaceholderText);
    m_message->setMargin(theme::em(this, 0.5));
    m_stack->addWidget(m_view);
    m_stack->addWidget(m_message);
    auto *head = new QHBoxLayout;
    head->setSpacing(theme::em(this, 0.4));
    if (!side.isEmpty()) {
        auto *label = new QLabel(side, this);
        QFont bold = label->font();
        bold.setBold(true);
        label->setFont(bold);
        head->addWidget(label);
    }
    head->addWidget(m_title, 1);
    auto *column = withoutMargins(new QVBoxLayout(this), theme::em(this, 0.1));
    column->addLayout(head);
    column->addWidget(m_stack, 1);
    column->addWidget(m_legend);
}

void PicturePane::setTitle(const QString &title)
{
    m_title->setWholeText(title);
}

void PicturePane::show(TileSourcePtr source, bool keepPosition)
{
    m_view->setSource(std::move(source), keepPosition);
    m_stack->setCurrentWidget(m_view);
}

void PicturePane::showMessage(const QString &text)
{
    m_view->setSource(nullptr);
    m_legend->clear();
    m_message->setText(text);
    m_stack->setCurrentWidget(m_message);
}

void PicturePane::markCell(std::optional<Cell> cell)
{
    if (m_view->currentCell() != cell)
        m_view->setCurrentCell(cell);
}

PictureRow::PictureRow(QWidget *parent) : QSplitter(Qt::Horizontal, parent)
{
    setChildrenCollapsible(false);
}

PicturePane *PictureRow::addPane(TaskManager &tasks, const QString &name, const QString &side)
{
    auto *added = new PicturePane(tasks, name, side, this);
    addWidget(added);
    m_panes.push_back(added);
    connect(added->view(), &TileView::viewStateChanged, this,
            [this, added](const ViewState &state) {
                for (const PicturePane *pane : m_panes) {
                    if (pane != added && m_linked)
                        pane->view()->setViewState(state);
                }
            });
    return added;
}

bool PictureRow::loading() const
{
    return std::any_of(m_panes.begin(), m_panes.end(),
                       [](const PicturePane *pane) { return pane->loading(); });
}

namespace {

std::optional<StoredElement> readElement(const WeightReaderPtr &reader, std::size_t weight,
                                         std::uint64_t element)
{
    const codec::Decoder *decoder = reader ? reader->decoder() : nullptr;
    if (!decoder || element >= decoder->elements().value)
        return std::nullopt;
    return readStoredElement(*reader->bundle(), weight, *decoder, element);
}

QString readingText(const std::optional<StoredElement> &reading)
{
    if (!reading)
        return u"\u2013"_s;
    const QString value = QString::number(reading->value, 'g', 5);
    return reading->stored ? value : PairPictures::tr("%1 (left out)").arg(value);
}

QString changeText(double a, double b)
{
    if (a == b || (std::isnan(a) && std::isnan(b)))
        return PairPictures::tr("equal");
    const QString difference = QString::number(b - a, 'g', 4);
    const QString word = b == 0   ? PairPictures::tr("zeroed")
                         : a == 0 ? PairPictures::tr("revived")
                                  : PairPictures::tr("changed");
    return PairPictures::tr("\u0394 %1, %2").arg(difference, word);
}

} // namespace

bool PairSubject::sameWeights(const PairSubject &other) const
{
    const auto same = [](const BundlePtr &x, std::size_t i, const BundlePtr &y, std::size_t j) {
        if (!x || !y || i >= x->weights().size() || j >= y->weights().size())
            return (!x || i >= x->weights().size()) && (!y || j >= y->weights().size());
        return i == j && x->path() == y->path() && x->weights()[i].name == y->weights()[j].name &&
               x->weights()[i].shape == y->weights()[j].shape;
    };
    return same(a, sides.a, other.a, other.sides.a) && same(b, sides.b, other.b, other.sides.b);
}

std::uint64_t PairSubject::elementOn(bool ofA, std::uint64_t element) const
{
    return isSlice(ofA) ? diff::sliceOf(*a, *b, sides).inWhole(element) : element;
}

std::optional<std::uint64_t> PairSubject::elementOf(bool ofA, std::uint64_t onSide) const
{
    return isSlice(ofA) ? diff::sliceOf(*a, *b, sides).inPart(onSide) : std::optional(onSide);
}

SliceMap PairSubject::mapOf(bool ofA) const
{
    const Shape &own = ofA ? a->weights()[sides.a].shape : b->weights()[sides.b].shape;
    if (isSlice(ofA))
        return SliceMap::part(own, sides.slice->axis, sides.slice->first, sides.slice->count);
    // Shapes that differ in extents of one have the same elements: B then lies as A does.
    return SliceMap(!ofA && comparable() && !isPart() ? a->weights()[sides.a].shape : own);
}

PairPictures::PairPictures(TaskManager &tasks, QWidget *parent)
    : QWidget(parent), m_tasks(tasks), m_row(new PictureRow(this))
{
    m_row->addPane(tasks, tr("Picture of A"), tr("A"));
    m_row->addPane(tasks, tr("Picture of B"), tr("B"));
    m_row->addPane(tasks, tr("Difference of B and A"), tr("Difference"));
    for (const PicturePane *pane : m_row->panes())
        connectPane(pane->view());
    m_readout = named(new ElidedLabel(Qt::ElideRight, this), tr("Cell under the cursor"));
    m_readout->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto *column = withoutMargins(new QVBoxLayout(this), theme::em(this, 0.2));
    column->addWidget(m_row, 1);
    column->addWidget(m_readout);
    setFocusProxy(viewDifference());
    clear();
}

void PairPictures::connectPane(TileView *view)
{
    const bool ofA = view != viewB();
    // As the pair numbers it.
    const auto elementAt = [this, ofA](quint64 row, quint64 col) -> std::optional<std::uint64_t> {
        const WeightReaderPtr &reader = ofA ? m_readerA : m_readerB;
        const auto onSide = reader ? reader->map().element(row, col) : std::nullopt;
        return onSide ? m_subject.elementOf(ofA, *onSide) : std::nullopt;
    };
    connect(view, &TileView::currentCellChanged, this, [this, elementAt](quint64 row, quint64 col) {
        if (const auto element = elementAt(row, col)) {
            setElement(element);
            Q_EMIT elementPicked(*element);
        }
    });
    connect(view, &TileView::loaded, this, [this] {
        showOwnRanges();
        Q_EMIT loaded();
    });
    view->setDescribe(
        [this, ofA, elementAt](const Cell &cell, const Tile *tile, std::size_t index) {
            const WeightReaderPtr &reader = ofA ? m_readerA : m_readerB;
            const auto element = elementAt(cell.row, cell.col);
            if (!reader || !element)
                return QString();
            QString text = reader->map().indexText(m_subject.elementOn(ofA, *element));
            if (tile && index < tile->values.size())
                text += u": "_s + QString::number(static_cast<double>(tile->values[index]), 'g', 5);
            if (m_element == element && !m_readout->wholeText().isEmpty())
                text = m_readout->wholeText();
            return text;
        });
}

void PairPictures::show(const PairSubject &subject, const PairSample &sample)
{
    const bool same = m_subject.sameWeights(subject);
    m_subject = subject;
    m_sample = sample;
    m_largest.reset();
    if (!same)
        m_element.reset();
    m_readerA = m_readerB = nullptr;
    if (subject.hasA())
        m_readerA = std::make_shared<WeightReader>(subject.a, subject.sides.a, subject.mapOf(true));
    if (subject.hasB())
        m_readerB =
            std::make_shared<WeightReader>(subject.b, subject.sides.b, subject.mapOf(false));
    remake(same);
}

void PairPictures::clear()
{
    m_subject = {};
    m_element.reset();
    m_readerA = m_readerB = nullptr;
    remake(false);
}

void PairPictures::setMode(PictureMode mode)
{
    if (std::exchange(m_mode, mode) == mode)
        return;
    remake(true);
}

void PairPictures::remake(bool keepPosition)
{
    const auto title = [](const BundlePtr &bundle, std::size_t index) {
        if (!bundle || index >= bundle->weights().size())
            return QString();
        const Weight &weight = bundle->weights()[index];
        return fromUtf8(formWords(weight.form)) + u' ' + fromUtf8(shapeText(weight.shape));
    };
    m_row->setLinked(m_subject.comparable());
    m_row->pane(0).setTitle(title(m_subject.a, m_subject.sides.a));
    m_row->pane(1).setTitle(title(m_subject.b, m_subject.sides.b));
    m_row->pane(2).setTitle(m_mode == PictureMode::Zeros ? tr("what each keeps")
                            : relative()                 ? tr("(B \u2212 A) / |A|")
                                                         : tr("B \u2212 A"));
    showSide(true, m_readerA, keepPosition);
    showSide(false, m_readerB, keepPosition);
    if (!m_readerA)
        m_row->pane(0).showMessage(m_readerB ? tr("A does not have this weight.") : QString());
    if (!m_readerB)
        m_row->pane(1).showMessage(m_readerA ? tr("B does not have this weight.") : QString());
    showDifference(keepPosition);
    markCells();
    readCell();
}

void PairPictures::showSide(bool ofA, const WeightReaderPtr &reader, bool keepPosition)
{
    if (!reader)
        return;
    PicturePane &pane = m_row->pane(ofA ? 0 : 1);
    if (const auto &fault = reader->weight().fault) {
        pane.showMessage(fromUtf8(describe(*fault)));
        return;
    }
    const bool dark = theme::isDark(palette());
    if (m_mode != PictureMode::Zeros) {
        const auto *a = ofA ? nullptr : valuesOf(true);
        pane.show(std::make_shared<ValueTiles>(reader, ValueColors::Signed, dark,
                                               a ? a->rangeForOthers() : 0, pyramidOf(ofA, reader)),
                  keepPosition);
        pane.legend().clear();
        showOwnRanges();
    } else {
        pane.show(std::make_shared<MaskTiles>(reader, dark, pyramidOf(ofA, reader)), keepPosition);
        pane.legend().showSwatches(maskSwatches);
    }
}

PicturePyramid PairPictures::pyramidOf(bool ofA, const WeightReaderPtr &reader) const
{
    if (m_pyramids == nullptr)
        return {};
    return m_pyramids->pyramid((ofA ? m_subject.a : m_subject.b).get(),
                               ofA ? m_subject.sides.a : m_subject.sides.b, reader->map(),
                               m_mode != PictureMode::Zeros ? WeightPyramids::Kind::Values
                                                            : WeightPyramids::Kind::Kept);
}

PicturePyramid PairPictures::differencePyramid() const
{
    if (m_pyramids == nullptr)
        return {};
    return m_pyramids->pyramidOfPair({m_subject.a.get(), m_subject.sides.a, m_readerA->map()},
                                     {m_subject.b.get(), m_subject.sides.b, m_readerB->map()},
                                     relative() ? WeightPyramids::Kind::RelativeDifference
                                                : WeightPyramids::Kind::Difference);
}

const ValueTiles *PairPictures::valuesOf(bool ofA) const
{
    if (!(ofA ? m_readerA : m_readerB))
        return nullptr; // what the pair before left
    return dynamic_cast<const ValueTiles *>((ofA ? viewA() : viewB())->source().get());
}

/// A knows its range once its first tile is drawn; B is drawn in it, as builds are: one colour is
/// one value, here and where A is shown alone.
void PairPictures::showOwnRanges()
{
    const ValueTiles *a = valuesOf(true), *b = valuesOf(false);
    if (a && b && a->rangeForOthers() > 0 && a->range() != b->range())
        return showSide(false, m_readerB, true);
    for (const bool ofA : {true, false}) {
        const ValueTiles *shown = ofA ? a : b;
        if (shown && shown->range() > 0)
            m_row->pane(ofA ? 0 : 1)
                .legend()
                .showValues(ValueColors::Signed, shown->range(), shown->only());
    }
}

void PairPictures::showDifference(bool keepPosition)
{
    PicturePane &pane = m_row->pane(2);
    if (!m_subject.comparable()) {
        pane.showMessage(m_subject.obstacle);
        return;
    }
    const bool dark = theme::isDark(palette());
    if (m_mode != PictureMode::Zeros) {
        pane.show(std::make_shared<DifferenceTiles>(m_readerA, m_readerB, dark, differenceRange(),
                                                    relative() ? DifferenceMeasure::Relative
                                                               : DifferenceMeasure::Absolute,
                                                    differencePyramid()),
                  keepPosition);
        showDifferenceLegend();
    } else {
        pane.show(std::make_shared<KeptTiles>(m_readerA, m_readerB, dark), keepPosition);
        pane.legend().showSwatches(keptSwatches);
    }
}

/// Of the sample; where that met no difference, the largest one.
double PairPictures::differenceRange() const
{
    if (relative()) // without one that the sample met: the size of A
        return m_sample.relativeRange > 0 ? m_sample.relativeRange : 1;
    if (m_sample.differenceRange > 0)
        return m_sample.differenceRange;
    return m_largest.value_or(0) > 0 && std::isfinite(*m_largest) ? *m_largest : 1;
}

void PairPictures::showDifferenceLegend()
{
    ColorScale &legend = m_row->pane(2).legend();
    const bool met = m_sample.differenceRange > 0 || m_largest.value_or(0) > 0;
    if (met)
        legend.showDifference(differenceRange(), relative());
    else if (m_largest && !std::isfinite(*m_largest))
        legend.showSwatches([](bool dark) {
            return ColorScale::Swatches{
                {theme::color(Token::OutRefused, dark), CellShape::Cross, tr("not finite")}};
        });
    else if (m_sample.whole || m_largest)
        legend.showSwatches([](bool dark) {
            return ColorScale::Swatches{
                {theme::diverging(0, dark), CellShape::Square, tr("no difference")}};
        });
    else
        legend.clear(); // not known before every element was looked at
}

void PairPictures::setLargestDifference(double largest)
{
    if (m_largest == largest || !m_subject.comparable())
        return;
    m_largest = largest;
    if (m_mode == PictureMode::Zeros || !viewDifference()->source())
        return;
    if (m_sample.differenceRange > 0 || largest == 0)
        showDifferenceLegend();
    else
        showDifference(true);
}

void PairPictures::setElement(std::optional<std::uint64_t> element)
{
    if (std::exchange(m_element, element) == element)
        return;
    markCells();
    readCell();
}

void PairPictures::markCells()
{
    const auto mark = [this](std::size_t pane, const WeightReaderPtr &reader) {
        std::optional<Cell> cell;
        if (reader && m_element) {
            if (const auto at = reader->map().cell(m_subject.elementOn(pane != 1, *m_element)))
                cell = Cell{at->first, at->second};
        }
        m_row->pane(pane).markCell(cell);
    };
    mark(0, m_readerA);
    mark(1, m_readerB);
    mark(2, m_subject.comparable() ? m_readerA : nullptr);
}

/// Decoding one element can mean walking a mask first: not for the GUI thread.
void PairPictures::readCell()
{
    m_reading.stop();
    if (!m_element || (!m_readerA && !m_readerB)) {
        setReadout({});
        Q_EMIT elementLeft();
        return;
    }
    m_reading.start(
        tr("Reading a cell"),
        [a = m_readerA, b = m_readerB, subject = m_subject, element = *m_element](Progress &) {
            const BundleReadLock lock(a ? *a->bundle() : *b->bundle(),
                                      b ? *b->bundle() : *a->bundle());
            return ElementReadings{
                element, readElement(a, subject.sides.a, subject.elementOn(true, element)),
                readElement(b, subject.sides.b, subject.elementOn(false, element))};
        },
        [this](const ElementReadings &readings) {
            const auto &[element, a, b] = readings;
            const SliceMap &map = (m_readerA ? m_readerA : m_readerB)->map();
            const std::uint64_t onSide = m_subject.elementOn(m_readerA != nullptr, element);
            QString text =
                tr("%1   A %2   B %3").arg(map.indexText(onSide), readingText(a), readingText(b));
            if (a && b && m_subject.comparable())
                text += u"   "_s + changeText(a->value, b->value);
            setReadout(text);
            Q_EMIT elementRead(readings);
        });
}

void PairPictures::setReadout(const QString &text)
{
    m_readout->setWholeText(text.isEmpty() ? tr("Pick a cell to read it on both sides.") : text);
}

QString PairPictures::readout() const
{
    return m_readout->wholeText();
}

bool PairPictures::loading() const
{
    const bool reading = m_reading.running();
    return reading || m_row->loading();
}

void PairPictures::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && !m_row->panes().empty())
        remake(true);
}

} // namespace kernscope::ui

#include "moc_pair_pictures.cpp"
