// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QRectF>
#include <QString>
#include <QWidget>

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace kernscope::ui {

/// Fills `area` with one rectangle for each weight of `sizes`, of an area in proportion to it and
/// as near to a square as the order allows (Bruls, Huizing, van Wijk: Squarified Treemaps, 2000).
/// `sizes` must be sorted, largest first; zeros and negative ones get an empty rectangle.
std::vector<QRectF> squarify(std::span<const double> sizes, const QRectF &area);

/// A treemap of named sizes. Arrow keys walk the cells from the largest on, Enter and a click
/// choose one; the tool tip and the accessible description say what a cell is.
class TreemapView final : public QWidget
{
    Q_OBJECT

public:
    struct Cell {
        double size = 0;
        QColor color, ink;
        std::size_t key = 0;  ///< what picked() gives
        bool hatched = false; ///< a pattern beside the colour: nothing is known
        bool rest = false;    ///< stands for the cell of that key and for all smaller ones
    };
    struct Words {
        QString name, note; ///< two lines in the cell, where there is room
        QString shortName;  ///< in place of a name that has no room; empty: there is none
        QString tip;
    };
    /// The words of a cell; asked for when they are shown the first time.
    using WordsOf = std::function<Words(const Cell &)>;

    explicit TreemapView(QWidget *parent = nullptr);

    /// The text of a cell of that width in pixels: its name, or the short one, cut where it must
    /// be.
    static QString nameIn(const Words &words, const QFontMetrics &metrics, int width);

    /// What stands there where no cell has an area.
    void setEmptyText(const QString &text);
    const QString &emptyText() const { return m_emptyText; }
    /// Largest first.
    void setCells(std::vector<Cell> cells, WordsOf wordsOf = {});
    const std::vector<Cell> &cells() const { return m_cells; }
    const Words &wordsOf(std::size_t cell) const;
    QRectF rectOf(std::size_t cell) const { return m_rects.at(cell); }
    /// Outlines the cell of that key; none has it: no outline.
    void setCurrentKey(std::size_t key);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    void picked(std::size_t key);

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    bool event(QEvent *event) override;

private:
    void place();
    int cellAt(const QPointF &point) const;
    void paintCell(QPainter &painter, std::size_t cell) const;
    QString currentTip() const;
    void choose(int cell);

    std::vector<Cell> m_cells;
    WordsOf m_wordsOf;
    mutable std::vector<std::optional<Words>> m_words; ///< as many as cells
    std::vector<QRectF> m_rects;
    int m_current = -1;
    QString m_emptyText;
};

} // namespace kernscope::ui
