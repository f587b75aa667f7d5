// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/plot_widget.h"

#include "widgets/common/dock_tools.h"
#include "widgets/common/file_dialogs.h"
#include "widgets/common/labels.h"
#include "widgets/common/plot_canvas.h"
#include "widgets/common/qt.h"
#include "widgets/models/table_text.h"
#include "widgets/models/theme.h"

namespace kernscope::ui {

QVariant PlotColumn::inRole(const QVariant &value, int role)
{
    switch (role) {
    case Qt::DisplayRole:
    case SortRole:
    case CopyRole: return value;
    case Qt::TextAlignmentRole: return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    default: return {};
    }
}

PlotTableModel::PlotTableModel(const PlotNumbers &plot, QObject *parent)
    : QAbstractTableModel(parent), m_plot(plot)
{
}

int PlotTableModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : m_rows;
}

int PlotTableModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : m_columns;
}

QVariant PlotTableModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid() || index.row() >= m_rows || index.column() >= m_columns)
        return {};
    if (role == Qt::AccessibleTextRole)
        return m_plot.pointText(index.row());
    return m_plot.cellData(index.row(), index.column(), role);
}

QVariant PlotTableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation == Qt::Horizontal)
        return section >= 0 && section < m_columns ? m_plot.header(section, role) : QVariant();
    return role == Qt::DisplayRole ? QVariant(section) : QVariant();
}

void PlotTableModel::endChange()
{
    m_rows = m_plot.pointCount();
    m_columns = m_plot.columnCount();
    endResetModel();
}

/// Colours and fonts of `widget` for a plot: QCustomPlot does not look at palettes itself. Call
/// again when the palette or the font changes, then replot.
void applyPlotTheme(QCustomPlot &plot, const QWidget &widget);

namespace {

/// A plot named "Channels, kept" is proposed as channels-kept.
QString exportNameOf(const QWidget &plot)
{
    QString name = plot.accessibleName().toLower();
    for (QChar &letter : name) {
        if (!letter.isLetterOrNumber())
            letter = u' ';
    }
    return name.simplified().replace(u' ', u'-');
}

} // namespace

void applyPlotTheme(QCustomPlot &plot, const QWidget &widget)
{
    const QPalette palette = widget.palette();
    const QColor text = palette.color(QPalette::Text);
    QColor grid = text, subGrid = text;
    grid.setAlpha(45);
    subGrid.setAlpha(20);
    plot.setBackground(palette.color(QPalette::Base));
    for (QCPAxisRect *rect : plot.axisRects()) {
        rect->setBackground(palette.color(QPalette::Base));
        for (QCPAxis *axis : rect->axes()) {
            axis->setBasePen(QPen(text, 0));
            axis->setTickPen(QPen(text, 0));
            axis->setSubTickPen(QPen(grid, 0));
            axis->setTickLabelColor(text);
            axis->setLabelColor(text);
            axis->setTickLabelFont(widget.font());
            axis->setLabelFont(widget.font());
            axis->grid()->setPen(QPen(grid, 0));
            axis->grid()->setSubGridPen(QPen(subGrid, 0));
            axis->grid()->setZeroLinePen(QPen(text, 0));
        }
    }
    plot.legend->setBrush(palette.color(QPalette::Base));
    plot.legend->setBorderPen(QPen(grid, 0));
    plot.legend->setTextColor(text);
    plot.legend->setFont(widget.font());
}

PlotWidget::PlotWidget(const QString &name, QWidget *parent)
    : QWidget(parent), m_stack(new QStackedWidget(this)), m_plot(new PlotCanvas(m_stack)),
      m_table(new QTableView(m_stack)), m_model(new PlotTableModel(*this, this))
{
    setAccessibleName(name);
    m_plot->setAccessibleName(name);
    m_plot->setFocusPolicy(Qt::StrongFocus);
    m_plot->setNoAntialiasingOnDrag(true);
    m_plot->setMinimumSize(0, 0);
    m_plot->installEventFilter(this);
    m_plot->setMouseTracking(true);
    m_mark = new QCPItemStraightLine(m_plot);
    m_mark->setVisible(false);
    m_mark->setSelectable(false);

    m_table->setAccessibleName(tr("%1 as a table").arg(name));
    m_table->setModel(m_model);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    m_table->verticalHeader()->setDefaultSectionSize(theme::em(this, 1.35));
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setTabKeyNavigation(false);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex &now) {
                if (now.isValid() && m_table->hasFocus() && !m_switching)
                    choose(now.row());
            });
    connect(m_table, &QAbstractItemView::activated, this,
            [this](const QModelIndex &index) { Q_EMIT pointActivated(index.row()); });

    m_stack->addWidget(m_plot);
    m_stack->addWidget(m_table);
    auto *layout = withoutMargins(new QVBoxLayout(this));
    layout->addWidget(m_stack);
    setFocusProxy(m_plot);
    addActions();
    setContextMenuPolicy(Qt::ActionsContextMenu);
}

PlotWidget::~PlotWidget() = default;

void PlotWidget::addActions()
{
    const auto add = [this](const QString &text) {
        auto *action = new QAction(text, this);
        m_actions.append(action);
        addAction(action);
        return action;
    };
    m_showTable = add(tr("Show as Table"));
    m_showTable->setCheckable(true);
    connect(m_showTable, &QAction::toggled, this, &PlotWidget::showTable);
    connect(add(tr("Export Picture\u2026")), &QAction::triggered, this, &PlotWidget::askForPicture);
    connect(add(tr("Export Data\u2026")), &QAction::triggered, this, &PlotWidget::askForData);
}

bool PlotWidget::tableShown() const
{
    return m_stack->currentWidget() == m_table;
}

void PlotWidget::showTable(bool shown)
{
    // A table that gets the focus picks its first row by itself: the person did not choose it.
    m_switching = true;
    m_stack->setCurrentWidget(shown ? static_cast<QWidget *>(m_table) : m_plot);
    m_switching = false;
    setFocusProxy(m_stack->currentWidget());
    m_showTable->setChecked(shown);
    setCurrentPoint(m_current);
}

QCPGraph *PlotWidget::addSteps()
{
    QCPGraph *steps = m_plot->addGraph();
    steps->setLineStyle(QCPGraph::lsStepCenter);
    steps->setAntialiased(false);
    return steps;
}

void PlotWidget::setSteps(QCPGraph &steps, const std::function<double(int)> &height)
{
    QVector<double> keys, values;
    const int count = pointCount();
    // The first and the last one need an end point half a step outside.
    for (int point = -1; point <= count && count > 0; ++point) {
        keys.append(std::clamp<double>(point, -0.5, count - 0.5));
        values.append(height(std::clamp(point, 0, count - 1)));
    }
    steps.setData(keys, values, true);
    m_plot->xAxis->setRange(-0.5, std::max(0.5, count - 0.5));
}

void PlotWidget::colorSteps(QCPGraph &steps, const QColor &color, int alpha)
{
    QColor fill = color;
    fill.setAlpha(alpha);
    steps.setPen(QPen(color, 1));
    steps.setBrush(fill);
}

void PlotWidget::pick(int point)
{
    if (point < 0)
        return;
    setCurrentPoint(point);
    Q_EMIT currentPointChanged(point);
    Q_EMIT pointActivated(point);
}

void PlotWidget::endData()
{
    m_model->endChange();
    if (m_current >= pointCount())
        m_current = -1;
    retheme();
}

void PlotWidget::retheme()
{
    applyPlotTheme(*m_plot, *this);
    const bool dark = theme::isDark(palette());
    m_mark->setPen(QPen(theme::color(Token::MarkChanged, dark), 0, Qt::DashLine));
    applyColors(dark);
    fitTicks(m_plot->size());
    fitLegend(m_plot->width());
    updateMark();
    m_plot->replot(QCustomPlot::rpQueuedReplot);
}

/// As many labels as have room beside each other.
void PlotWidget::fitTicks(const QSize &size)
{
    const int label = theme::em(this, 5); // the labels of the other axis take as much
    m_plot->xAxis->ticker()->setTickCount(std::clamp(size.width() / label - 1, 2, 10));
    m_plot->yAxis->ticker()->setTickCount(std::clamp(size.height() / theme::em(this, 3), 2, 8));
}

void PlotWidget::showLegend()
{
    QCPLegend *legend = m_plot->legend;
    m_legend = true;
    legend->setVisible(true);
    m_plot->axisRect()->insetLayout()->take(legend);
    m_plot->plotLayout()->insertRow(0);
    m_plot->plotLayout()->addElement(0, 0, legend);
    constexpr double kNoStretch = 0.001; // as high as its rows
    m_plot->plotLayout()->setRowStretchFactor(0, kNoStretch);
    m_plot->plotLayout()->setRowSpacing(0);
    legend->setMargins(QMargins(theme::em(this, 0.3), theme::em(this, 0.2), 0, 0));
    // A legend without items would hold the axes in the same column to the width of its margins.
    constexpr int kAnyWidth = QWIDGETSIZE_MAX / 2; // below the most, which would count as none
    legend->setMaximumSize(kAnyWidth, QWIDGETSIZE_MAX);
    legend->setRowSpacing(0);
    legend->setColumnSpacing(theme::em(this, 0.8));
}

void PlotWidget::fitLegend(int width)
{
    if (!m_legend)
        return;
    QCPLegend *legend = m_plot->legend;
    legend->setBorderPen(Qt::NoPen);
    int widest = 1, items = 0;
    for (int i = 0; i < legend->itemCount(); ++i) { // of cells: the last row may have empty ones
        if (const QCPAbstractLegendItem *item = legend->item(i)) {
            widest = std::max(widest, item->minimumOuterSizeHint().width());
            ++items;
        }
    }
    const int room = width - legend->margins().left() + legend->columnSpacing();
    const int columns =
        std::clamp(room / (widest + legend->columnSpacing()), 1, std::max(1, items));
    legend->setWrap(columns);
    legend->setFillOrder(QCPLayoutGrid::foColumnsFirst, true);
    constexpr double kAsWideAsItsWords = 0.001; // the room that is left lies at the end
    for (int column = 0; column < legend->columnCount(); ++column)
        legend->setColumnStretchFactor(column,
                                       column + 1 < legend->columnCount() ? kAsWideAsItsWords : 1);
}

void PlotWidget::updateMark()
{
    m_mark->setVisible(m_current >= 0);
    if (m_current >= 0) {
        m_mark->point1->setCoords(keyOf(m_current), 0);
        m_mark->point2->setCoords(keyOf(m_current), 1);
    }
}

void PlotWidget::setCurrentPoint(int point)
{
    m_current = point < pointCount() ? std::max(point, -1) : -1;
    updateMark();
    applyColors(theme::isDark(palette()));
    m_plot->replot(QCustomPlot::rpQueuedReplot);
    if (m_current >= 0 && tableShown() && m_table->currentIndex().row() != m_current) {
        revealRow(m_table, m_model->index(m_current, 0));
    }
    m_plot->setAccessibleDescription(m_current >= 0 ? pointText(m_current) : QString());
    QAccessibleEvent event(m_plot, QAccessible::DescriptionChanged);
    QAccessible::updateAccessibility(&event);
}

void PlotWidget::choose(int point)
{
    if (point == m_current || point < 0 || point >= pointCount())
        return;
    setCurrentPoint(point);
    Q_EMIT currentPointChanged(point);
}

bool PlotWidget::keyPressed(int key, Qt::KeyboardModifiers modifiers)
{
    const int last = pointCount() - 1;
    if (last < 0)
        return false;
    const int page = std::max(1, pointCount() / 10);
    int to = m_current;
    switch (key) {
    case Qt::Key_Left: to = m_current < 0 ? 0 : m_current - 1; break;
    case Qt::Key_Right: to = m_current + 1; break;
    case Qt::Key_PageUp: to = m_current - page; break;
    case Qt::Key_PageDown: to = m_current + page; break;
    case Qt::Key_Home: to = 0; break;
    case Qt::Key_End: to = last; break;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (m_current >= 0)
            Q_EMIT pointActivated(m_current);
        return true;
    case Qt::Key_C:
        if (modifiers != Qt::ControlModifier || m_current < 0)
            return false;
        QApplication::clipboard()->setText(pointText(m_current));
        return true;
    default: return false;
    }
    choose(std::clamp(to, 0, last));
    const QPointF at(m_plot->xAxis->coordToPixel(keyOf(m_current)), m_plot->axisRect()->top());
    QToolTip::showText(m_plot->mapToGlobal(at.toPoint()), pointText(m_current), m_plot);
    return true;
}

void PlotWidget::showTip(const QPoint &position)
{
    const bool inside = m_plot->axisRect()->rect().contains(position);
    const int point = nearest(position).value_or(
        inside ? pointAt(m_plot->xAxis->pixelToCoord(position.x())) : -1);
    if (point >= 0)
        QToolTip::showText(m_plot->mapToGlobal(position), pointText(point), m_plot);
    else
        QToolTip::hideText();
}

bool PlotWidget::eventFilter(QObject *watched, QEvent *event)
{
    if (watched != m_plot)
        return QWidget::eventFilter(watched, event);
    switch (event->type()) {
    case QEvent::KeyPress: {
        const auto *press = static_cast<QKeyEvent *>(event);
        if (keyPressed(press->key(), press->modifiers()))
            return true;
        break;
    }
    case QEvent::Resize: {
        const QSize size = static_cast<QResizeEvent *>(event)->size();
        fitTicks(size);
        fitLegend(size.width());
        break;
    }
    case QEvent::MouseMove: showTip(static_cast<QMouseEvent *>(event)->pos()); break;
    case QEvent::MouseButtonRelease: {
        const auto *mouse = static_cast<QMouseEvent *>(event);
        if (mouse->button() != Qt::LeftButton)
            break;
        if (const auto near = nearest(mouse->pos())) {
            pick(*near);
        } else if (const int point = pointAt(m_plot->xAxis->pixelToCoord(mouse->pos().x()));
                   point >= 0) {
            choose(point);
            Q_EMIT pointActivated(point);
        }
        break;
    }
    default: break;
    }
    return QWidget::eventFilter(watched, event);
}

void PlotWidget::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange)
        retheme();
}

QString PlotWidget::exportPicture(const QString &path)
{
    constexpr int kWidth = 1200, kHeight = 700;
    const QString ending = QFileInfo(path).suffix().toLower();
    if (ending == u"svg"_s)
        return writeTextFile(path, svg({kWidth, kHeight}));
    const bool pdf = ending == u"pdf"_s;
    // A file that is no picture of the kind that its name says would be opened by nothing.
    if (!pdf && ending != u"png"_s)
        return tr("Nothing is exported: the ending of the name says the kind of picture, one of "
                  "these: .png, .svg, .pdf.");
    const bool done =
        pdf ? m_plot->savePdf(path, kWidth, kHeight) : m_plot->savePng(path, kWidth, kHeight, 2.0);
    return done ? QString() : tr("The picture could not be written to %1.").arg(path);
}

QString PlotWidget::svg(const QSize &size) const
{
    SvgDevice device(size);
    QCPPainter painter(&device);
    painter.setMode(QCPPainter::pmVectorized);
    painter.setMode(QCPPainter::pmNonCosmetic);
    m_plot->toPainter(&painter, size.width(), size.height());
    painter.end();
    return QString::fromUtf8(device.document());
}

int PlotWidget::pointAt(double key) const
{
    const double nearest = std::round(key);
    return nearest >= 0 && nearest < pointCount() ? static_cast<int>(nearest) : -1;
}

QString PlotWidget::csv() const
{
    return tableAsCsv(*m_model);
}

QString PlotWidget::exportData(const QString &path) const
{
    return writeTextFile(path, csv());
}

void PlotWidget::askForPicture()
{
    const QString path = askSavePath(this, tr("Export Picture"), exportNameOf(*this),
                                     tr("PNG picture (*.png);;SVG drawing (*.svg);;PDF (*.pdf)"));
    if (path.isEmpty())
        return;
    if (const QString why = exportPicture(path); !why.isEmpty())
        Q_EMIT exportFailed(why);
}

void PlotWidget::askForData()
{
    const QString path =
        askSavePath(this, tr("Export Data"), exportNameOf(*this), tr("Table of text (*.csv)"));
    if (path.isEmpty())
        return;
    if (const QString why = exportData(path); !why.isEmpty())
        Q_EMIT exportFailed(why);
}

QSize PlotWidget::sizeHint() const
{
    return {theme::em(this, 18), theme::em(this, 10)};
}

QSize PlotWidget::minimumSizeHint() const
{
    return {theme::em(this, 8), theme::em(this, 4)};
}

} // namespace kernscope::ui

#include "moc_plot_widget.cpp"
