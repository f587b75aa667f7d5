// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/pair_pictures.h"

#include "widgets/common/table_text.h"
#include "widgets/common/theme.h"
#include "widgets/weight/weight_pyramids.h"

#include <QEvent>
#include <QLabel>
#include <QSplitter>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <cmath>

namespace kernscope::ui {

PairPictures::PairPictures(TaskManager &tasks, QWidget *parent) : QWidget(parent), m_tasks(tasks)
{
    m_splitter = new QSplitter(Qt::Horizontal, this);
    m_splitter->setChildrenCollapsible(false);
    m_panes = {makePane(tasks, tr("Picture of A")), makePane(tasks, tr("Picture of B")),
               makePane(tasks, tr("Difference of B and A"))};
    for (const Pane &pane : m_panes)
        connectPane(pane.view);
    m_readout = new QLabel(this);
    m_readout->setAccessibleName(tr("Cell under the cursor"));
    m_readout->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_readout->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(theme::em(this, 0.2));
    column->addWidget(m_splitter, 1);
    column->addWidget(m_readout);
    setFocusProxy(viewDifference());
    clear();
}

PairPictures::Pane PairPictures::makePane(TaskManager &tasks, const QString &name)
{
    Pane pane;
    auto *box = new QWidget(m_splitter);
    pane.title = new QLabel(box);
    pane.title->setTextFormat(Qt::RichText);
    pane.title->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    pane.stack = new QStackedWidget(box);
    pane.view = new TileView(tasks, pane.stack);
    pane.view->setMostStretch(TileView::kFillStretch);
    pane.view->setAccessibleName(name);
    pane.message = new QLabel(pane.stack);
    pane.message->setWordWrap(true);
    pane.message->setAlignment(Qt::AlignCenter);
    pane.message->setForegroundRole(QPalette::PlaceholderText);
    pane.message->setMargin(theme::em(this, 0.5));
    pane.stack->addWidget(pane.view);
    pane.stack->addWidget(pane.message);
    pane.legend = new PictureLegend(box);
    auto *column = new QVBoxLayout(box);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(theme::em(this, 0.1));
    column->addWidget(pane.title);
    column->addWidget(pane.stack, 1);
    column->addWidget(pane.legend);
    m_splitter->addWidget(box);
    return pane;
}

void PairPictures::connectPane(TileView *view)
{
    connect(view, &TileView::viewStateChanged, this, [this, view](const ViewState &state) {
        for (const Pane &pane : m_panes) {
            if (pane.view != view && m_subject.comparable())
                pane.view->setViewState(state);
        }
    });
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
    connect(view, &TileView::cellActivated, this, [this, elementAt](quint64 row, quint64 col) {
        if (const auto element = elementAt(row, col))
            Q_EMIT elementActivated(*element);
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
                text += QStringLiteral(": ") +
                        QString::number(static_cast<double>(tile->values[index]), 'g', 5);
            if (m_element == element && !m_readout->text().isEmpty())
                text = m_readout->text();
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
    if (m_mode == mode)
        return;
    m_mode = mode;
    remake(true);
}

void PairPictures::remake(bool keepPosition)
{
    const auto title = [](const QString &side, const BundlePtr &bundle, std::size_t index) {
        if (!bundle || index >= bundle->weights().size())
            return QStringLiteral("<b>%1</b>").arg(side);
        const Weight &weight = bundle->weights()[index];
        return QStringLiteral("<b>%1</b> %2 %3")
            .arg(side, fromUtf8(formText(weight.form)).toHtmlEscaped(),
                 fromUtf8(shapeText(weight.shape)));
    };
    m_panes[0].title->setText(title(tr("A"), m_subject.a, m_subject.sides.a));
    m_panes[1].title->setText(title(tr("B"), m_subject.b, m_subject.sides.b));
    m_panes[2].title->setText(m_mode == PictureMode::Zeros ? tr("<b>Difference</b> what each keeps")
                              : relative() ? tr("<b>Difference</b> (B \u2212 A) / |A|")
                                           : tr("<b>Difference</b> B \u2212 A"));
    showSide(m_panes[0], m_readerA, keepPosition);
    showSide(m_panes[1], m_readerB, keepPosition);
    if (!m_readerA)
        showMessage(m_panes[0], m_readerB ? tr("A does not have this weight.") : QString());
    if (!m_readerB)
        showMessage(m_panes[1], m_readerA ? tr("B does not have this weight.") : QString());
    showDifference(keepPosition);
    markCells();
    readCell();
}

void PairPictures::showSide(Pane &pane, const WeightReaderPtr &reader, bool keepPosition)
{
    if (!reader)
        return;
    if (const auto &fault = reader->weight().fault) {
        showMessage(pane, fromUtf8(describe(*fault)));
        return;
    }
    const bool dark = theme::isDark(palette());
    if (m_mode != PictureMode::Zeros) {
        pane.view->setSource(std::make_shared<ValueTiles>(reader, ValueColors::Signed, dark,
                                                          m_sample.valueRange,
                                                          pyramidOf(pane, reader)),
                             keepPosition);
        pane.legend->clear();
        showOwnRanges();
    } else {
        pane.view->setSource(std::make_shared<MaskTiles>(reader, dark, pyramidOf(pane, reader)),
                             keepPosition);
        pane.legend->showMask();
    }
    pane.stack->setCurrentWidget(pane.view);
}

PicturePyramid PairPictures::pyramidOf(const Pane &pane, const WeightReaderPtr &reader) const
{
    if (m_pyramids == nullptr)
        return {};
    const bool ofA = &pane == &m_panes[0];
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

/// A picture without a sample knows its range once its first tile is drawn.
void PairPictures::showOwnRanges()
{
    for (const Pane *pane : {&m_panes[0], &m_panes[1]}) {
        const auto *source = dynamic_cast<const ValueTiles *>(pane->view->source().get());
        if (source && source->range() > 0)
            pane->legend->showScale(source->range());
    }
}

void PairPictures::showDifference(bool keepPosition)
{
    Pane &pane = m_panes[2];
    if (!m_subject.comparable()) {
        showMessage(pane, m_subject.obstacle);
        return;
    }
    const bool dark = theme::isDark(palette());
    if (m_mode != PictureMode::Zeros) {
        pane.view->setSource(
            std::make_shared<DifferenceTiles>(m_readerA, m_readerB, dark, differenceRange(),
                                              relative() ? DifferenceMeasure::Relative
                                                         : DifferenceMeasure::Absolute,
                                              differencePyramid()),
            keepPosition);
        showDifferenceLegend();
    } else {
        pane.view->setSource(std::make_shared<KeptTiles>(m_readerA, m_readerB, dark), keepPosition);
        pane.legend->showKept();
    }
    pane.stack->setCurrentWidget(pane.view);
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
    PictureLegend &legend = *m_panes[2].legend;
    const bool met = m_sample.differenceRange > 0 || m_largest.value_or(0) > 0;
    if (met)
        legend.showScale(differenceRange(), relative());
    else if (m_sample.whole || m_largest)
        legend.showEqual();
    else
        legend.clear(); // not known before every element was looked at
}

void PairPictures::setLargestDifference(double largest)
{
    if (m_largest == largest || !m_subject.comparable())
        return;
    m_largest = largest;
    if (m_mode == PictureMode::Zeros || !m_panes[2].view->source())
        return;
    if (m_sample.differenceRange > 0 || largest == 0)
        showDifferenceLegend();
    else
        showDifference(true);
}

void PairPictures::showMessage(Pane &pane, const QString &text)
{
    pane.view->setSource(nullptr);
    pane.legend->clear();
    pane.message->setText(text);
    pane.stack->setCurrentWidget(pane.message);
}

void PairPictures::setElement(std::optional<std::uint64_t> element)
{
    if (m_element == element)
        return;
    m_element = element;
    markCells();
    readCell();
}

void PairPictures::markCells()
{
    const auto mark = [this](TileView *view, const WeightReaderPtr &reader) {
        std::optional<Cell> cell;
        if (reader && m_element) {
            const bool ofA = view != viewB();
            if (const auto at = reader->map().cell(m_subject.elementOn(ofA, *m_element)))
                cell = Cell{at->first, at->second};
        }
        if (view->currentCell() != cell)
            view->setCurrentCell(cell);
    };
    mark(viewA(), m_readerA);
    mark(viewB(), m_readerB);
    mark(viewDifference(), m_subject.comparable() ? m_readerA : nullptr);
}

bool PairPictures::loading() const
{
    const bool reading = m_reading && !m_reading->progress().cancelled();
    return reading || viewA()->loading() || viewB()->loading() || viewDifference()->loading();
}

void PairPictures::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_splitter)
        remake(true);
}

} // namespace kernscope::ui

#include "moc_pair_pictures.cpp"
