// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/format_table.h"
#include "widgets/common/dock.h"
#include "widgets/common/plot_widget.h"

namespace kernscope::ui {

/// An activation table over fp16: the function within its knots and, dashed, outside them; the 33
/// knots as points that can be walked; the clamps as vertical lines.
class ActivationPlot final : public PlotWidget
{
    Q_OBJECT

public:
    explicit ActivationPlot(QWidget *parent = nullptr);

    void setTable(std::optional<format::ActivationTable> table,
                  format::ActivationArithmetic arithmetic, format::ActivationTail tail);

    int pointCount() const override;
    QString pointText(int point) const override;

protected:
    double keyOf(int point) const override;
    int pointAt(double key) const override;
    void applyColors(bool dark) override;

private:
    void fill(double from, double to, QCPGraph *graph, bool inside);
    double valueAt(double input) const;
    double knot(int point) const;

    std::optional<format::ActivationTable> m_table;
    format::ActivationArithmetic m_arithmetic = format::ActivationArithmetic::Exact;
    format::ActivationTail m_tail = format::ActivationTail::Clamp;
    QCPGraph *m_inside = nullptr, *m_left = nullptr, *m_right = nullptr, *m_knots = nullptr;
    QCPItemStraightLine *m_low = nullptr, *m_high = nullptr;
};

using ActivationModel = RowTable<report::ActivationEntry>;

/// The activation table in the selected bytes or in a file: the function over fp16 with its knots,
/// clamps and tails, and the 43 entries by name. The tables of a hardware container or a weight
/// section are found by what is selected: the table, its kernel section, its symbol. Other small
/// sections are tried by themselves; larger ones where the person asks.
class ActivationDock final : public Dock
{
    Q_OBJECT

public:
    explicit ActivationDock(Session &session, QWidget *parent = nullptr);

    ActivationModel &model() { return *m_model; }
    ActivationPlot &plot() { return *m_plot; }
    const std::optional<format::ActivationTable> &table() const { return m_table; }

    /// Reads the record that a file begins with. What is wrong with it, or an empty text.
    QString openFile(const QString &path);
    /// Reads the record at the common position.
    void readSelection();

protected:
    void refresh() override;
    void follow(const Place &place, QObject *origin) override;

private:
    void buildChoosers(QWidget *parent);
    void buildActions();
    void askForFile();
    QString show(std::span<const std::byte> bytes, const QString &name);
    void choose();
    void display();
    void clear();
    std::span<const std::byte> bytesAt(const Place &place, QString &name) const;
    std::size_t tableAt(const Place &place) const;
    bool showTableOf(std::size_t weight);
    QString needed() const;

    std::optional<format::ActivationTable> m_table;
    QString m_name;        ///< where the table was found
    bool m_ofFile = false; ///< a file of its own: stays when the bundle's place moves
    QLabel *m_summary = nullptr;
    QComboBox *m_layout = nullptr, *m_arithmetic = nullptr, *m_tail = nullptr;
    ActivationModel *m_model = nullptr;
    QTableView *m_entries = nullptr;
    ActivationPlot *m_plot = nullptr;
};

} // namespace kernscope::ui
