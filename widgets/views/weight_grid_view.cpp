// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/views/weight_grid_view.h"

#include "core/codec/editor.h"
#include "widgets/models/table_text.h"
#include "widgets/models/weight_words.h"
#include "widgets/theme/theme.h"
#include "widgets/views/weight_cell_delegate.h"

#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QTableView>
#include <QVBoxLayout>

#include <limits>

namespace kernscope::ui {

namespace {

/// What the codec makes of a value, as a sentence.
QString codecAnswer(const codec::Decoder &decoder, std::uint64_t element, double value)
{
    const auto words = [](const char *text) {
        return QCoreApplication::translate("kernscope::WeightGridView", text);
    };
    const auto plan =
        codec::Editor(decoder).setElement(element, value, std::numeric_limits<double>::infinity());
    if (!plan)
        return fromUtf8(describe(plan.error()));
    QString text = words("%1 is held as %2").arg(valueText(value), valueText(plan->stored));
    if (plan->stored == value)
        text = words("%1 is held exactly").arg(valueText(value));
    if (!plan->note.empty())
        text += QStringLiteral(", ") + fromUtf8(plan->note);
    if (plan->parts.empty())
        text += words(" (no change)");
    return text;
}

} // namespace

WeightGridView::WeightGridView(TaskManager &tasks, QWidget *parent)
    : QWidget(parent), m_model(new WeightGridModel(tasks, this)), m_table(new QTableView(this)),
      m_answer(new QLabel(this))
{
    auto *delegate = new WeightCellDelegate(m_table);
    m_table->setItemDelegate(delegate);
    m_table->setModel(m_model);
    m_table->setAccessibleName(tr("Values of the slice"));
    m_table->setTabKeyNavigation(false);
    m_table->setWordWrap(false);
    m_table->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_table->setCornerButtonEnabled(false);
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    m_table->horizontalHeader()->setDefaultSectionSize(
        m_table->fontMetrics().horizontalAdvance(QStringLiteral("\u25CF 0x0000 -0.00000 ")) + 8);
    m_table->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    m_table->verticalHeader()->setDefaultSectionSize(theme::em(this, 1.4));
    m_table->verticalHeader()->setDefaultAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_table->installEventFilter(this);
    m_answer->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_answer->setAccessibleName(tr("Answer of the codec"));
    m_answer->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    m_answer->setMinimumHeight(theme::em(this, 1.3));

    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(2);
    layout->addWidget(m_table, 1);
    layout->addWidget(m_answer);
    setFocusProxy(m_table);

    connect(m_table->selectionModel(), &QItemSelectionModel::currentChanged, this,
            &WeightGridView::onCurrentChanged);
    connect(m_table, &QAbstractItemView::clicked, this, [this](const QModelIndex &index) {
        if (m_model->elementAt(index))
            Q_EMIT cellClicked(m_model->firstRow() + static_cast<unsigned>(index.row()),
                               m_model->firstCol() + static_cast<unsigned>(index.column()));
    });
    connect(m_model, &WeightGridModel::editRequested, this, &WeightGridView::editRequested);
    connect(delegate, &WeightCellDelegate::typed, this, &WeightGridView::answerTo);
    connect(m_model, &WeightGridModel::loaded, this,
            [this] { onCurrentChanged(m_table->currentIndex()); });
}

void WeightGridView::setReader(WeightReaderPtr reader, bool sameCells)
{
    m_moving = true;
    m_model->setReader(std::move(reader), sameCells);
    m_moving = false;
    if (!sameCells)
        say({});
}

void WeightGridView::setEditable(bool editable)
{
    m_model->setEditable(editable);
}

void WeightGridView::showCell(std::uint64_t row, std::uint64_t col)
{
    m_moving = true;
    m_model->reveal(row, col);
    const QModelIndex index = m_model->indexOf(row, col);
    if (index.isValid() && index != m_table->currentIndex()) {
        m_table->setCurrentIndex(index);
        m_table->scrollTo(index);
    }
    m_moving = false;
    say(index.data(Qt::AccessibleTextRole).toString());
}

void WeightGridView::showNoCell()
{
    m_moving = true;
    m_table->selectionModel()->clear();
    m_moving = false;
    say({});
}

void WeightGridView::onCurrentChanged(const QModelIndex &now)
{
    say(now.data(Qt::AccessibleTextRole).toString());
    if (!m_moving && now.isValid() && m_table->hasFocus() && m_model->elementAt(now))
        Q_EMIT cellMoved(m_model->firstRow() + static_cast<unsigned>(now.row()),
                         m_model->firstCol() + static_cast<unsigned>(now.column()));
}

void WeightGridView::answerTo(const QModelIndex &index, const QString &text)
{
    bool number = false;
    const double value = text.toDouble(&number);
    const auto element = m_model->elementAt(index);
    const WeightReaderPtr &reader = m_model->reader();
    if (!number || !element || !reader) {
        say(text.isEmpty() ? QString() : tr("\u201C%1\u201D is not a number").arg(text));
        return;
    }
    if (index.data(WeightGridModel::LeftOutRole).toBool()) {
        say(tr("The mask leaves this element out: Enter keeps it with %1, one value more is stored")
                .arg(valueText(value)));
        return;
    }
    const BundleReadLock lock(*reader->bundle());
    // The cell is on view, so its decoder was made long ago.
    if (const codec::Decoder *decoder = reader->decoder())
        say(codecAnswer(*decoder, *element, value));
}

void WeightGridView::say(const QString &text)
{
    m_answer->setText(text);
    m_answer->setToolTip(text);
    m_answer->setAccessibleDescription(text);
}

QString WeightGridView::answer() const
{
    return m_answer->text();
}

void WeightGridView::copySelection() const
{
    QApplication::clipboard()->setText(selectionAsTsv(*m_table->selectionModel()));
}

bool WeightGridView::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == m_table && event->type() == QEvent::KeyPress) {
        const auto *press = static_cast<QKeyEvent *>(event);
        const QModelIndex at = m_table->currentIndex();
        if (press->matches(QKeySequence::Copy)) {
            copySelection();
            return true;
        }
        const bool enter = press->key() == Qt::Key_Return || press->key() == Qt::Key_Enter;
        if (enter && at.isValid()) {
            if (m_model->flags(at) & Qt::ItemIsEditable)
                m_table->edit(at);
            else if (m_model->elementAt(at))
                Q_EMIT cellClicked(m_model->firstRow() + static_cast<unsigned>(at.row()),
                                   m_model->firstCol() + static_cast<unsigned>(at.column()));
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace kernscope::ui
