// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/qt_fwd.h"
#include "widgets/models/row_table_model.h"

#include <QStringList>
#include <QWidget>

#include <optional>

namespace kernscope::ui {

/// A column of a plot's numbers, by roles: its header, and its cell of a point.
struct PlotColumn {
    std::function<QVariant(int role)> header;
    std::function<QVariant(int point, int role)> cell;

    PlotColumn(std::function<QVariant(int)> head, std::function<QVariant(int, int)> cells)
        : header(std::move(head)), cell(std::move(cells))
    {
    }
    /// `value` gives the number, or the word, of a point.
    template <class Value>
    PlotColumn(const QString &title, Value value)
        : header([title](int role) { return role == Qt::DisplayRole ? title : QVariant(); }),
          cell([value](int point, int role) { return inRole(variantOf(value(point)), role); })
    {
    }

private:
    static QVariant inRole(const QVariant &value, int role);
    template <class T>
    static QVariant variantOf(const T &value)
    {
        if constexpr (std::is_same_v<T, std::uint64_t>)
            return static_cast<qulonglong>(value);
        else
            return value;
    }
};

/// The numbers that a plot shows, point by point. The plot is one; the model knows no plot.
class PlotNumbers
{
public:
    virtual ~PlotNumbers() = default;
    virtual int pointCount() const = 0;
    virtual QString pointText(int point) const = 0; ///< what a screen reader reads

    int columnCount() const { return static_cast<int>(m_columns.size()); }
    QVariant header(int column, int role) const { return at(column).header(role); }
    /// For the roles of text, alignment, order and copies.
    QVariant cellData(int point, int column, int role) const
    {
        return at(column).cell(point, role);
    }

protected:
    void setColumns(std::vector<PlotColumn> columns) { m_columns = std::move(columns); }
    /// The declared columns of the window; `rowOf` gives the row of a point.
    template <class Row, class RowOf>
    void setColumns(const report::TableOf<Row> &table, RowOf rowOf)
    {
        const auto declared = std::make_shared<const WindowColumns<Row>>(table);
        for (int column = 0; column < declared->count(); ++column)
            m_columns.emplace_back(
                [declared, column](int role) { return declared->header(column, role); },
                [declared, column, rowOf](int point, int role) {
                    return declared->cell(column, rowOf(point), role);
                });
    }

private:
    const PlotColumn &at(int column) const { return m_columns[static_cast<std::size_t>(column)]; }

    std::vector<PlotColumn> m_columns;
};

/// The numbers of a plot as a table: what a screen reader reads and what goes into a CSV file.
class PlotTableModel final : public QAbstractTableModel
{
    Q_OBJECT

public:
    explicit PlotTableModel(const PlotNumbers &plot, QObject *parent = nullptr);

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation,
                        int role = Qt::DisplayRole) const override;

    /// To be called around every change of the plot's data.
    void beginChange() { beginResetModel(); }
    void endChange();

private:
    const PlotNumbers &m_plot;
    int m_rows = 0, m_columns = 0;
};

/// Base of the plots: one series of points along an axis, which the person walks with mouse or
/// keys; the same numbers as a table; export of picture and data.
///
/// Keys: left and right from point to point, Home and End, Page Up and Page Down by a tenth,
/// Enter activates, Ctrl+C copies the point's words.
class PlotWidget : public QWidget, public PlotNumbers
{
    Q_OBJECT

public:
    PlotWidget(const QString &name, QWidget *parent);
    ~PlotWidget() override;

    int currentPoint() const { return m_current; } ///< -1: none
    /// Marks a point; emits nothing.
    void setCurrentPoint(int point);

    bool tableShown() const;
    void showTable(bool shown);
    /// Show as table, export picture, export data.
    QList<QAction *> plotActions() const { return m_actions; }

    /// PNG, SVG or PDF, by the ending of the name. The message of what went wrong, or empty.
    QString exportPicture(const QString &path);
    /// The picture as a drawing of lines, shapes and texts.
    QString svg(const QSize &size) const;
    QString csv() const;
    QString exportData(const QString &path) const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    void currentPointChanged(int point); ///< by the person
    void pointActivated(int point);      ///< click, double click in the table, Enter
    void exportFailed(const QString &why);

protected:
    QCustomPlot &plot() const { return *m_plot; }
    /// Position of a point along the horizontal axis, and the point at a position (-1: none): by
    /// its number, where a subclass says nothing else.
    virtual double keyOf(int point) const { return point; }
    virtual int pointAt(double key) const;
    /// Colours of what the subclass draws; called after every change of palette.
    virtual void applyColors(bool dark) = 0;
    /// Shows the legend above the axes, in as many columns as have room: it covers nothing.
    void showLegend();
    /// Steps along the points, each of them as wide: filled with a colour as strong as `alpha`.
    QCPGraph *addSteps();
    void setSteps(QCPGraph &steps, const std::function<double(int point)> &height);
    static void colorSteps(QCPGraph &steps, const QColor &color, int alpha);
    /// Around every change of the data; the second also replots.
    void beginData() { m_model->beginChange(); }
    void endData();

    /// Of plots whose points lie in two dimensions: the one at a place in the picture, -1 where
    /// none is near. Nothing: a point is what stands above or below the mouse.
    virtual std::optional<int> nearest(const QPoint &) const { return std::nullopt; }
    /// The person's choice of such a point; -1: none.
    void pick(int point);

    bool eventFilter(QObject *watched, QEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    void addActions();
    void retheme();
    void choose(int point);
    bool keyPressed(int key, Qt::KeyboardModifiers modifiers);
    void showTip(const QPoint &position);
    void askForPicture();
    void askForData();
    void fitTicks(const QSize &size);
    void fitLegend(int width);
    void updateMark();

    QStackedWidget *m_stack = nullptr;
    QCustomPlot *m_plot = nullptr;
    QTableView *m_table = nullptr;
    PlotTableModel *m_model = nullptr;
    QCPItemStraightLine *m_mark = nullptr;
    QAction *m_showTable = nullptr;
    QList<QAction *> m_actions;
    int m_current = -1;
    bool m_switching = false, m_legend = false;
};

} // namespace kernscope::ui
