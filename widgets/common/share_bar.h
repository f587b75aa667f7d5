// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/theme.h"

#include <QString>
#include <QWidget>

#include <vector>

namespace kernscope::ui {

/// A bar of parts beside each other, each as long as its share of the whole; what the parts leave
/// is empty track. A part has its label where there is room for it. The words of a part are its
/// tooltip, those of all are read by screen readers.
class ShareBar final : public QWidget
{
    Q_OBJECT

public:
    struct Part {
        double share = 0; ///< 0 to 1 of the whole
        Token token = Token::KindData;
        QString words;
        QString label = {};
    };

    /// `height` in ems.
    explicit ShareBar(double height, QWidget *parent);

    void setParts(std::vector<Part> parts);
    /// The part at a place of the widget; -1 where none is.
    int partAt(int x) const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;
    bool event(QEvent *event) override;

private:
    std::vector<double> edges() const; ///< of the parts, from the left, in pixels

    std::vector<Part> m_parts;
    double m_height;
};

} // namespace kernscope::ui
