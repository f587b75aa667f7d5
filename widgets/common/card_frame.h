// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

namespace kernscope::ui {

/// A figure of a page with a hairline about it: title, figure, note below one another.
class CardFrame : public QWidget
{
    Q_OBJECT

public:
    explicit CardFrame(QWidget *parent);

protected:
    void paintEvent(QPaintEvent *event) override;
};

} // namespace kernscope::ui
