// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSplitter>

namespace kernscope::ui {

/// A list and what is said of its chosen row: side by side where all columns of the list have room
/// beside at least as much again for the rest, else the list above. Keeps what the user set until
/// the side changes.
class ListSplitter final : public QSplitter
{
    Q_OBJECT

public:
    explicit ListSplitter(QWidget *parent = nullptr);

    /// Of the list, the first of the two widgets: `width` pixels hold its columns, `height` pixels
    /// as many rows as are of use.
    void setListNeeds(int width, int height);

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    void arrange();

    int m_width = 0, m_height = 0;
    bool m_byHand = false; ///< sized by the user, for the side that the list has
};

} // namespace kernscope::ui
