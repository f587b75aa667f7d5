// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/program/compiled_dock.h"

#include "core/bundle/bundle.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/labels.h"
#include "widgets/common/qt.h"
#include "widgets/models/words.h"

namespace kernscope::ui {

MemoryPlanView::MemoryPlanView(QWidget *parent) : QWidget(parent)
{
    setAccessibleName(tr("Memory plan: lifetimes of the views of scratch memory"));
    setMinimumHeight(theme::em(this, 6));
}

QSize MemoryPlanView::sizeHint() const
{
    return {theme::em(this, 24), theme::em(this, 14)};
}

void MemoryPlanView::setRows(std::vector<report::MemoryRow> rows)
{
    m_rows = std::move(rows);
    m_current = -1;
    m_steps.assign(m_rows.empty() ? 0 : m_rows.front().compiled->trace.buffers.size(), 1);
    for (const report::MemoryRow &row : m_rows)
        m_steps[row.view->buffer] = std::max(m_steps[row.view->buffer], row.view->last + 1);
    update();
}

void MemoryPlanView::setCurrent(int row)
{
    m_current = row;
    update();
}

/// The buffers stand one below the other, each under a line of text.
QRectF MemoryPlanView::bufferRect(std::size_t buffer) const
{
    const double line = fontMetrics().height() * 1.4, gap = theme::em(this, 0.5);
    const double each = height() / static_cast<double>(m_steps.size());
    return {gap, each * static_cast<double>(buffer) + line, width() - 2 * gap,
            std::max(1.0, each - line - gap)};
}

QRectF MemoryPlanView::rectOf(int row) const
{
    const report::MemoryRow &shown = m_rows[static_cast<std::size_t>(row)];
    const odix::View &view = *shown.view;
    const std::uint64_t bytes = shown.compiled->trace.buffers[view.buffer].bytes;
    if (!view.bytes || bytes == 0)
        return {};
    const QRectF whole = bufferRect(view.buffer);
    const double perStep = whole.width() / m_steps[view.buffer];
    const double perByte = whole.height() / static_cast<double>(bytes);
    return {whole.left() + view.instruction * perStep,
            whole.top() + static_cast<double>(view.offset) * perByte,
            (view.last - view.instruction + 1) * perStep,
            std::max(2.0, static_cast<double>(*view.bytes) * perByte)};
}

int MemoryPlanView::rowAt(const QPointF &place) const
{
    for (int row = static_cast<int>(m_rows.size()) - 1; row >= 0; --row) {
        if (rectOf(row).contains(place))
            return row;
    }
    return -1;
}

QString MemoryPlanView::words(int row) const
{
    return fromUtf8(report::viewText(m_rows[static_cast<std::size_t>(row)]));
}

bool MemoryPlanView::event(QEvent *event)
{
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto *help = static_cast<QHelpEvent *>(event);
    const int row = rowAt(help->pos());
    QToolTip::showText(help->globalPos(), row < 0 ? QString() : words(row), this);
    return true;
}

void MemoryPlanView::mousePressEvent(QMouseEvent *event)
{
    if (const int row = rowAt(event->position()); row >= 0)
        Q_EMIT chosen(row);
}

void MemoryPlanView::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    const bool dark = theme::isDark(palette());
    for (std::size_t buffer = 0; buffer < m_steps.size(); ++buffer) {
        const QRectF whole = bufferRect(buffer);
        painter.setPen(palette().color(QPalette::Text));
        painter.drawText(QRectF(whole.left(), whole.top() - fontMetrics().height() * 1.2,
                                whole.width(), fontMetrics().height()),
                         Qt::AlignLeft | Qt::AlignVCenter,
                         tr("Buffer %1: %2 downwards, instructions 0 to %3 to the right")
                             .arg(buffer)
                             .arg(bytesWord(m_rows.front().compiled->trace.buffers[buffer].bytes))
                             .arg(m_steps[buffer] - 1));
        painter.setPen(palette().color(QPalette::Mid));
        painter.setBrush(palette().color(QPalette::Base));
        painter.drawRect(whole);
    }
    QColor fill = theme::color(Token::KindValues, dark);
    const QColor edge = palette().color(QPalette::Text);
    fill.setAlphaF(0.5F);
    for (int row = 0; row < static_cast<int>(m_rows.size()); ++row) {
        painter.setPen(QPen(fill.darker(dark ? 60 : 140), 1));
        painter.setBrush(fill);
        if (const QRectF rect = rectOf(row); !rect.isEmpty())
            painter.drawRect(rect);
    }
    if (m_current >= 0) {
        painter.setPen(QPen(edge, 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(rectOf(m_current));
    }
}

CompiledDock::CompiledDock(Session &session, QWidget *parent)
    : Dock(session, u"compiled"_s, tr("Compiled Program"), parent),
      m_memory(new RowTable<report::MemoryRow>(report::memoryTable, this)),
      m_kernels(new RowTable<report::KernelRow>(report::kernelTable, this)),
      m_constants(new RowTable<report::ConstantRow>(report::constantTable, this)),
      m_instructions(new RowTable<report::InstructionRow>(report::instructionTable, this))
{
    auto *content = new QWidget(this);
    m_tabs = new QTabWidget(content);
    m_tabs->setDocumentMode(true);
    contentColumn(content)->addWidget(m_tabs, 1);
    m_plan = new MemoryPlanView(m_tabs);
    QTableView *memory = page(tr("Memory Plan"), m_memory, "memory", m_plan);
    page(tr("Kernels"), m_kernels, "kernels");
    QTableView *constants = page(tr("Constants"), m_constants, "constants");
    page(tr("Instructions"), m_instructions, "instructions");
    setContent(content, memory);
    connect(m_plan, &MemoryPlanView::chosen, this, [this, memory](int row) {
        chooseRow(memory, m_memory->index(m_memory->rowOf(static_cast<std::size_t>(row)), 0));
    });
    connect(memory->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex &index) {
                m_plan->setCurrent(
                    index.isValid() ? static_cast<int>(m_memory->sourceRow(index.row())) : -1);
            });
    connect(constants->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex &index) {
                if (!index.isValid())
                    return;
                const report::ConstantRow &row = m_constants->rowAt(index.row());
                this->session().goToBytes(row.compiled->file,
                                          row.compiled->program.constants[row.record].bytes, this);
            });
    connect(constants, &QTableView::activated, this, [this] { raiseHex(); });
}

/// A table in a tab of its own, beside a picture or alone, whose rows are copied and exported.
QTableView *CompiledDock::page(const QString &name, RowTableModel *model, const char *file,
                               QWidget *picture)
{
    QTableView *table = makeTable(m_tabs, name, model);
    QAction *copy = copyAction(table, tr("Copy Rows of %1").arg(name), table);
    QAction *save = exportAction(table, session(), tr("Export %1…").arg(name), *model, file);
    table->addActions({copy, save});
    m_actions += {copy, save};
    m_tables += table;
    QWidget *shown = table;
    if (picture != nullptr)
        shown = parted(Qt::Horizontal, {{picture, 1}, {table, 1}});
    m_tabs->addTab(shown, name);
    return table;
}

void CompiledDock::refresh()
{
    const BundlePtr bundle = session().bundle();
    const odix::Compiled *compiled = bundle && bundle->compiled() ? &*bundle->compiled() : nullptr;
    const auto rows = [compiled](auto make) {
        return compiled != nullptr ? make(*compiled) : decltype(make(*compiled))();
    };
    m_plan->setRows(rows(report::memoryRows));
    m_memory->setRows(rows(report::memoryRows));
    m_kernels->setRows(rows(report::kernelRows));
    m_constants->setRows(rows(report::constantRows));
    m_instructions->setRows(rows(report::instructionRows));
    m_shown = bundle; // the old rows are gone
    if (compiled == nullptr) {
        showMessage(bundle ? tr("%1 is no compiled Core AI program.\nOpen one (.aimodelx, .odix).")
                                 .arg(fromUtf8(bundle->name()))
                           : tr("Open a compiled Core AI program to see its kernels (Ctrl+O)."));
        return;
    }
    for (QTableView *table : m_tables)
        table->resizeColumnsToContents();
    m_plan->setVisible(!m_memory->rows().empty());
    showContent();
}

} // namespace kernscope::ui

#include "moc_compiled_dock.cpp"
