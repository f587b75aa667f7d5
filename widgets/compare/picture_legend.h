// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/compare/difference_tiles.h"

#include <QString>
#include <QWidget>

#include <vector>

namespace kernscope::ui {

/// What the colours of a picture mean: a scale about zero, or swatches with the shape that goes
/// with each colour and a word. Its words are its accessible description.
class PictureLegend : public QWidget
{
    Q_OBJECT

public:
    explicit PictureLegend(QWidget *parent = nullptr);

    /// From -range in blue to +range in orange; `percent`: of the value in A, written so.
    void showScale(double range, bool percent = false);
    /// Kept and left out, of one weight.
    void showMask();
    /// The four states of a pair.
    void showKept();
    /// Of a picture in which nothing differs.
    void showEqual();
    void clear();

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    enum class Kind : std::uint8_t { None, Scale, Mask, Kept, Equal };
    struct Swatch {
        QColor color;
        CellShape shape;
        QString text;
    };
    std::vector<Swatch> swatches() const;
    void setKind(Kind kind);
    void paintScale(QPainter &painter) const;
    void paintSwatches(QPainter &painter) const;
    void paintSwatch(QPainter &painter, const QRectF &box, const Swatch &swatch) const;

    Kind m_kind = Kind::None;
    QString endText(bool negative) const;

    double m_range = 0;
    bool m_percent = false;
};

} // namespace kernscope::ui
