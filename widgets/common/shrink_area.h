// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QScrollArea>

namespace kernscope::ui {

/// Fills itself with its widget, and scrolls where there is less room than the widget needs at
/// least: nothing is squeezed into another thing in a small window or with a large font.
class ShrinkArea final : public QScrollArea
{
    Q_OBJECT

public:
    explicit ShrinkArea(QWidget *content, QWidget *parent = nullptr);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void resizeEvent(QResizeEvent *event) override;
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void fit();
    /// The least height of the content where it is `width` wide.
    int leastHeight(int width) const;
};

} // namespace kernscope::ui
