// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QLabel>
#include <QRectF>

class QPainter;

namespace kernscope::ui {

/// The ground of a pill: a quiet tint, round at its ends.
void paintPill(QPainter &painter, const QRectF &box, const QColor &tint);

/// A word or two on a tinted ground, beside a title: what form a thing has, what becomes of it. The
/// colour never stands alone: the word says it.
class Pill final : public QLabel
{
    Q_OBJECT

public:
    explicit Pill(const QString &name, QWidget *parent);

    /// An empty text hides the pill.
    void setWords(const QString &text, const QColor &tint, const QString &tip);
    QColor tint() const { return m_tint; }

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    QString m_name; ///< what it is about, for screen readers
    QColor m_tint;
};

} // namespace kernscope::ui
