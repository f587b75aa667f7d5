// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/descriptor/register_map.h"

#include <QWidget>

#include <cstdint>
#include <vector>

namespace kernscope::ui {

/// The 32 bits of a word, highest first, in two rows of 16: each with its digit, the named fields
/// parted by lines, the chosen one filled and framed, what no field names hatched.
///
/// A click picks the field of a bit; Left and Right go from field to field, Home and End to the
/// first and last of them.
class BitWordView final : public QWidget
{
    Q_OBJECT

public:
    explicit BitWordView(QWidget *parent);

    /// `fields` may be empty; those that hold a bit twice are drawn as the first of them.
    void setWord(std::uint32_t value, std::vector<descriptor::BitField> fields);
    /// The bits that are marked, both ends included; the whole word where low is 0 and high 31.
    void setChosen(unsigned low, unsigned high);
    /// Index into the fields; -1: none has that bit.
    int fieldOf(unsigned bit) const;
    QRectF cellOf(unsigned bit) const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    void fieldPicked(unsigned low, unsigned high); ///< by the person

protected:
    void paintEvent(QPaintEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    bool event(QEvent *event) override;

private:
    int bitAt(const QPointF &place) const; ///< -1: none
    void drawBit(QPainter &painter, unsigned bit) const;
    void drawEnds(QPainter &painter) const;
    void pick(int field);
    void announce();

    std::uint32_t m_value = 0;
    std::vector<descriptor::BitField> m_fields; ///< by their lowest bits, rising
    unsigned m_low = 0, m_high = 31;
};

} // namespace kernscope::ui
