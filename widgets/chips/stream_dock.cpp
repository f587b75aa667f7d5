// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/chips/stream_dock.h"

#include "core/bundle/bundle.h"
#include "widgets/chips/verdict.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/labels.h"
#include "widgets/common/qt.h"
#include "widgets/common/table_tools.h"
#include "widgets/models/words.h"

namespace kernscope::ui {

namespace {

/// What stays in one line: "M1", "Pro/", "Max/", "Ultra".
QStringList pieces(const QString &product)
{
    QStringList parts;
    QString part;
    for (const QChar letter : product) {
        if (letter == QLatin1Char(' ') && !part.isEmpty())
            parts += std::exchange(part, QString());
        part += letter;
        if (letter == QLatin1Char('/'))
            parts += std::exchange(part, QString());
    }
    if (!part.isEmpty())
        parts += part;
    return parts;
}

/// The outcomes with their glyphs, as a legend has them.
QStringList outcomeLabels()
{
    using decision::Outcome;
    QStringList labels;
    for (const Outcome outcome :
         {Outcome::Streams, Outcome::Folds, Outcome::Dense, Outcome::Rejected, Outcome::Unknown})
        labels += outcomeLabel(outcome);
    return labels;
}

constexpr double kOutcomeRoom = 0.9; ///< about the words of an outcome, in ems
constexpr double kNames = 10.5;      ///< least width of the names, in ems
constexpr int kLeastChips = 4;       ///< columns on view, or words give way to glyphs

int widestOutcome(const QFontMetrics &metrics)
{
    int widest = 0;
    for (const QString &label : outcomeLabels())
        widest = std::max(widest, metrics.horizontalAdvance(label));
    return widest;
}

/// An outcome is a pill of its colour. A chosen one keeps its colour, which says what it is, and
/// gets a frame. Where its word has no room the glyph stands for it.
class OutcomeCell final : public QStyledItemDelegate
{
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter *painter, const QStyleOptionViewItem &option,
               const QModelIndex &index) const override
    {
        const QVariant tint = index.data(Qt::BackgroundRole);
        if (!tint.isValid()) {
            QStyledItemDelegate::paint(painter, option, index);
            return;
        }
        QStyleOptionViewItem cell = option;
        initStyleOption(&cell, index);
        const bool chosen = cell.state & QStyle::State_Selected;
        const double gap = theme::em(cell.widget, 0.15);
        const QRectF box = QRectF(cell.rect).adjusted(gap, gap / 2, -gap, -gap / 2);
        const double round = theme::em(cell.widget, 0.35);
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        painter->setPen(chosen ? QPen(cell.palette.color(QPalette::Text), gap) : QPen(Qt::NoPen));
        painter->setBrush(tint.value<QColor>());
        painter->drawRoundedRect(box.adjusted(gap / 2, gap / 2, -gap / 2, -gap / 2), round, round);
        painter->setPen(cell.palette.color(QPalette::Text));
        painter->setFont(cell.font);
        painter->drawText(cell.rect, Qt::AlignCenter, cell.text);
        painter->restore();
    }

protected:
    void initStyleOption(QStyleOptionViewItem *option, const QModelIndex &index) const override
    {
        QStyledItemDelegate::initStyleOption(option, index);
        if (index.data(StreamMatrixModel::kOutcomeRole).isNull())
            return;
        option->displayAlignment = Qt::AlignCenter; // also where the outcome has no pill
        // All of a column have words, or none.
        if (widestOutcome(option->fontMetrics) + theme::em(option->widget, kOutcomeRoom) <=
            option->rect.width())
            return;
        option->text = option->text.left(option->text.indexOf(QLatin1Char(' ')));
    }
};

} // namespace

ChipHeader::ChipHeader(QWidget *parent) : QHeaderView(Qt::Horizontal, parent)
{
    setSectionsClickable(true); // as the header that a table has by itself
    connect(this, &QHeaderView::sectionResized, this, [this] {
        // All columns are measured once, after the last of them has its width.
        if (!std::exchange(m_asks, true))
            QTimer::singleShot(0, this, [this] {
                m_asks = false;
                if (mostLines() != m_lines)
                    Q_EMIT geometriesChanged(); // the table asks for the height again
            });
    });
}

QString ChipHeader::product(int logicalIndex) const
{
    return model() ? model()->headerData(logicalIndex, orientation(), kProductRole).toString()
                   : QString();
}

QStringList ChipHeader::productLines(const QString &product, const QFontMetrics &metrics, int width)
{
    QStringList lines{QString()};
    for (const QString &piece : pieces(product)) {
        const QString longer = lines.constLast() + piece;
        const bool fits = metrics.elidedText(longer, Qt::ElideRight, width) == longer;
        if (!fits && lines.size() == 1 && !lines.constFirst().isEmpty())
            lines += QString();
        lines.last() += piece;
    }
    for (QString &line : lines)
        line = metrics.elidedText(line.trimmed(), Qt::ElideRight, width);
    return lines;
}

int ChipHeader::leastWidth(const QString &product, const QFontMetrics &metrics)
{
    int least = metrics.horizontalAdvance(product);
    QString first;
    for (const QString &piece : pieces(product)) {
        first += piece;
        const QString second = product.mid(first.size()).trimmed();
        least = std::min(least, std::max(metrics.horizontalAdvance(first.trimmed()),
                                         metrics.horizontalAdvance(second)));
    }
    return least;
}

QStringList ChipHeader::linesOf(int logicalIndex) const
{
    const QString below = product(logicalIndex);
    return below.isEmpty() ? QStringList()
                           : productLines(below, fontMetrics(),
                                          sectionSize(logicalIndex) - theme::em(this, 0.3));
}

qsizetype ChipHeader::mostLines() const
{
    qsizetype most = 0;
    for (int section = 0; section < count(); ++section)
        most = std::max(most, linesOf(section).size());
    return most;
}

QSize ChipHeader::sizeHint() const
{
    QSize size = QHeaderView::sizeHint();
    m_lines = mostLines();
    size.rheight() += static_cast<int>(m_lines) * fontMetrics().lineSpacing();
    return size;
}

void ChipHeader::initStyleOptionForIndex(QStyleOptionHeader *option, int logicalIndex) const
{
    QHeaderView::initStyleOptionForIndex(option, logicalIndex);
    // The style's own mark of the sorted column is as wide as three lines are high.
    if (option->sortIndicator != QStyleOptionHeader::None)
        option->text +=
            option->sortIndicator == QStyleOptionHeader::SortDown ? u" \u25BE"_s : u" \u25B4"_s;
    option->sortIndicator = QStyleOptionHeader::None;
    for (const QString &line : linesOf(logicalIndex))
        option->text += QLatin1Char('\n') + line;
}

StreamDock::StreamDock(Session &session, QWidget *parent)
    : Dock(session, u"stream"_s, tr("Stream or Fold"), parent), m_state(ChipState::of(session)),
      m_model(new StreamMatrixModel(this))
{
    auto *content = new QWidget(this);
    m_matrix = named(new QTableView(content), tr("Weights by chips"));
    m_matrix->setHorizontalHeader(new ChipHeader(m_matrix));
    m_matrix->setModel(m_model);
    prepareTable(m_matrix);
    m_matrix->setItemDelegate(new OutcomeCell(m_matrix));
    putMarksBehind(m_matrix, 0);
    m_matrix->setSelectionBehavior(QAbstractItemView::SelectItems);
    sayWhenEmpty(m_matrix, tr("No weight fits the filter."));
    m_matrix->horizontalHeader()->setDefaultSectionSize(theme::em(this, 6));
    m_filter = filterBox(content, tr("Filter by weight or form"), m_matrix);
    m_onlyFaster = new QCheckBox(tr("Would get faster"), content);
    m_onlyFaster->setToolTip(tr("Only the weights that another form would make faster on the chip "
                                "that is chosen: those that the sentence above counts"));
    auto *bar = new QHBoxLayout;
    bar->addWidget(m_filter, 1);
    auto *legend = new ElidedLabel(Qt::ElideRight, content);
    legend->setWholeText(outcomeLabels().join(u"   "_s));
    legend->setForegroundRole(QPalette::PlaceholderText);
    bar->addWidget(legend, 2);
    bar->addWidget(m_onlyFaster);
    QVBoxLayout *column = contentColumn(content);
    auto *head = new QHBoxLayout;
    head->addWidget(sharedVerdict(m_state, content), 1);
    head->addWidget(sharedChipBox(m_state, content));
    column->addLayout(head);
    auto *gains = new GainTable(m_state, content);
    column->addWidget(gains);
    const auto go = [this](std::size_t weight) { this->session().goToWeight(weight, this); };
    connect(gains, &GainTable::weightChosen, this, go);
    connect(gains, &GainTable::formWanted, this, [this, go](std::size_t weight) {
        go(weight);
        Q_EMIT raiseRequested(u"choose"_s);
    });
    column->addLayout(bar);
    auto *table = new QVBoxLayout; // the sums join the table
    table->setSpacing(0);
    table->addWidget(m_matrix, 1);
    table->addWidget(new TableFoot(m_matrix, tr("Sums of all weights"), content));
    column->addLayout(table, 1);
    setContent(content, m_matrix);
    buildActions();
    connectParts();
}

void StreamDock::buildActions()
{
    auto *find = findAction(this, tr("Filter Weights"), m_filter);
    auto *copy = copyAction(this, tr("Copy Cells"), m_matrix);
    auto *save = exportAction(this, session(), tr("Export Outcomes…"), *m_model, "stream-or-fold");
    auto *again =
        dockAction(this, tr("Judge the Weights Again"), {}, [this] { m_state.judgeAgain(); });
    m_actions = {find, copy, save, again};
    m_matrix->addActions(m_actions);
}

void StreamDock::connectParts()
{
    connect(m_filter, &QLineEdit::textChanged, m_model, &StreamMatrixModel::setFilter);
    connect(m_onlyFaster, &QCheckBox::toggled, m_model, &StreamMatrixModel::setOnlyFaster);
    connect(m_matrix->selectionModel(), &QItemSelectionModel::currentChanged, this,
            &StreamDock::onCurrent);
    m_matrix->viewport()->installEventFilter(this);
    connect(m_matrix->horizontalHeader(), &QHeaderView::sectionResized, this, [this](int column) {
        if (m_fitting || !m_sized)
            return;
        // By hand: a chip keeps its width, a name leaves the chips another room.
        m_chipsSetByHand |= column >= m_model->firstChip();
        m_namesSetByHand |= column == m_model->columnOf("name");
        if (column < m_model->firstChip())
            fitChips();
    });
    connect(m_matrix, &QTableView::activated, this, [this](const QModelIndex &index) {
        const std::size_t weight = m_model->weightOf(index.row());
        if (weight != kNoIndex)
            session().goToWeight(weight, this);
    });
    connect(&m_state, &ChipState::tableChanged, this, &StreamDock::scheduleRefresh);
    connect(&m_state, &ChipState::verdictChanged, this, &StreamDock::scheduleRefresh);
}

void StreamDock::refresh()
{
    const BundlePtr &bundle = session().bundle();
    std::vector<bool> faster(bundle ? bundle->weights().size() : 0);
    for (const report::WeightGain &gain :
         m_state.verdict() ? m_state.verdict()->gains : std::vector<report::WeightGain>()) {
        if (gain.weight < faster.size())
            faster[gain.weight] = true;
    }
    m_model->setTable(bundle, m_state.table(), std::move(faster));
    if (!bundle) {
        showMessage(tr("Open a bundle to see which chips stream its weights (Ctrl+O)."));
        return;
    }
    if (!m_state.table()) {
        showMessage(m_state.waitingText());
        return;
    }
    if (bundle->weights().empty()) {
        showMessage(tr("This file has no weights to judge."));
        return;
    }
    showContent();
    if (!m_sized) {
        // Columns of a model that had none do not keep widths.
        m_matrix->setColumnHidden(m_model->columnOf("function"), true);
        setColumnWidths(m_matrix->horizontalHeader(), {kNames, 8, 6.2, 5});
        m_sized = true;
    }
    measureNames();
    const bool several = report::severalFunctions(*bundle);
    if (several && m_matrix->isColumnHidden(m_model->columnOf("function")))
        fitFunctions();
    m_matrix->setColumnHidden(m_model->columnOf("function"), !several);
    widenForNumbers(m_matrix, {m_model->columnOf("stored_bytes")});
    fitChips();
    followPlace();
}

/// No wider than the longest name of a function, which leaves more chips on view.
void StreamDock::fitFunctions()
{
    int widest = 0;
    QString before;
    for (const Weight &weight : session().bundle()->weights()) {
        const QString words = fromUtf8(report::functionWords(weight));
        if (words != before)
            widest = std::max(widest, m_matrix->fontMetrics().horizontalAdvance(words));
        before = words;
    }
    QHeaderView *header = m_matrix->horizontalHeader();
    header->resizeSection(
        m_model->columnOf("function"),
        std::clamp(widest + theme::em(this, 0.8), theme::em(this, 4), theme::em(this, 8)));
}

void StreamDock::measureNames()
{
    constexpr int kMeasured = 500; // more would take long, and are mostly alike
    m_widestName = 0;
    for (int row = 0; row + 1 < m_model->rowCount() && row < kMeasured; ++row) {
        const QString name = m_model->index(row, m_model->columnOf("name")).data().toString();
        m_widestName = std::max(m_widestName, m_matrix->fontMetrics().horizontalAdvance(name));
    }
}

/// Names are whole where that leaves a few chips with their words on view.
void StreamDock::fitNames()
{
    if (m_namesSetByHand)
        return;
    QHeaderView *header = m_matrix->horizontalHeader();
    const int names = m_model->columnOf("name");
    int room = m_matrix->viewport()->width();
    room -= kLeastChips * leastChipWidth(room);
    for (int column = 0; column < m_model->firstChip(); ++column)
        room -=
            column == names || m_matrix->isColumnHidden(column) ? 0 : header->sectionSize(column);
    const int wanted = std::min(m_widestName + theme::em(this, 1.5), room);
    header->resizeSection(names, std::max(theme::em(this, kNames), wanted));
}

/// The least width of a chip: the sum below it and, where there is room for a few of them beside
/// one another, an outcome's word beside its glyph.
int StreamDock::leastChipWidth(int room) const
{
    const QFont bold = m_model->data(m_model->index(m_model->rowCount() - 1, 0), Qt::FontRole)
                           .value<QFont>()
                           .resolve(m_matrix->font());
    const QFontMetrics metrics(bold);
    const int words = widestOutcome(fontMetrics()) + theme::em(this, kOutcomeRoom);
    int least = room >= kLeastChips * words ? words : 0;
    const bool named = least > 0; // where words have room, names of products have it
    for (int column = m_model->firstChip(); column < m_model->columnCount(); ++column) {
        const QString sum =
            m_model->data(m_model->index(m_model->rowCount() - 1, column)).toString();
        least = std::max(least, metrics.horizontalAdvance(sum) + theme::em(this, 0.9));
        const QString product =
            m_model->headerData(column, Qt::Horizontal, kProductRole).toString();
        if (named)
            least = std::max(least,
                             ChipHeader::leastWidth(product, fontMetrics()) + theme::em(this, 0.4));
    }
    return std::max(least, 1);
}

/// As many chips as there is room for, each of them whole: they share what is left of the width.
void StreamDock::fitChips()
{
    // Between two bundles there are no chips: the header loses a line then, and the view is
    // resized.
    const int chips = m_model->columnCount() - m_model->firstChip();
    if (!m_sized || m_chipsSetByHand || chips < 1)
        return;
    QHeaderView *header = m_matrix->horizontalHeader();
    m_fitting = true;
    fitNames();
    m_fitting = false;
    int names = 0;
    for (int column = 0; column < m_model->firstChip(); ++column)
        names += m_matrix->isColumnHidden(column) ? 0 : header->sectionSize(column);
    const int room = m_matrix->viewport()->width() - names;
    const int least = leastChipWidth(room);
    const int shown = std::clamp(room / least, 1, chips);
    const int all = room >= least ? std::min(room, shown * 2 * least) : least;
    m_fitting = true;
    for (int column = m_model->firstChip(); column < m_model->columnCount(); ++column) {
        const int chip = column - m_model->firstChip();
        const int share = (chip + 1) * all / shown - chip * all / shown;
        header->resizeSection(column, std::max(share, header->sectionSizeHint(column)));
    }
    m_fitting = false;
    m_matrix->horizontalScrollBar()->setSingleStep(std::max(1, all / shown));
}

bool StreamDock::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == m_matrix->viewport() && event->type() == QEvent::Resize)
        fitChips();
    return Dock::eventFilter(watched, event);
}

void StreamDock::follow(const Place &place, QObject *origin)
{
    if (origin == this || !m_model->table())
        return;
    const std::size_t chip = m_model->table()->columnOf(m_state.assessed());
    if (chip == kNoIndex)
        return;
    const QScopedValueRollback guard(m_selecting, true);
    const QModelIndex index =
        m_model->index(m_model->rowOf(place.weight), m_model->firstChip() + static_cast<int>(chip));
    if (m_matrix->currentIndex() != index) {
        chooseRow(m_matrix, index);
        m_matrix->scrollTo(index);
    }
}

void StreamDock::onCurrent(const QModelIndex &current)
{
    if (m_selecting || !current.isValid())
        return;
    const std::size_t weight = m_model->weightOf(current.row());
    const std::size_t chip = m_model->chipOf(current.column());
    if (chip != kNoIndex)
        m_state.setAssessed(m_model->table()->target(chip));
    if (weight != kNoIndex)
        session().goToWeight(weight, this);
}

} // namespace kernscope::ui

#include "moc_stream_dock.cpp"
