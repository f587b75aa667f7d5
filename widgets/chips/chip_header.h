// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHeaderView>

namespace kernscope::ui {

/// Header of a table with a column a chip: "H13" and below it "M1", which more people know. A
/// product that is longer than its column is wide goes on in a second line ("M1 Pro/Max/",
/// "Ultra").
class ChipHeader final : public QHeaderView // no meta-object: to assistive tools it is that header
{
public:
    explicit ChipHeader(QWidget *parent = nullptr);

    QSize sizeHint() const override;
    /// The lines below a chip's name in a column `width` pixels wide, one or two.
    static QStringList productLines(const QString &product, const QFontMetrics &metrics, int width);
    /// The least width in which productLines() cuts nothing.
    static int leastWidth(const QString &product, const QFontMetrics &metrics);

protected:
    void initStyleOptionForIndex(QStyleOptionHeader *option, int logicalIndex) const override;

private:
    QString product(int logicalIndex) const;
    QStringList linesOf(int logicalIndex) const;
    qsizetype mostLines() const;

    mutable qsizetype m_lines = 0; ///< that the height has room for
    bool m_asks = false;           ///< whether they are as many, in the next turn
};

} // namespace kernscope::ui
