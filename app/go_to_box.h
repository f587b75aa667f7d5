// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/palette_index.h"
#include "widgets/common/session.h"

#include <QLineEdit>

#include <functional>

namespace kernscope::app {

class PaletteList;

/// The line at the right of the tools: type a place, or a part of the name of anything; what is
/// found is listed below. Enter goes to the place, else runs the chosen or the first hit.
class GoToBox : public QLineEdit
{
    Q_OBJECT

public:
    explicit GoToBox(ui::Session &session, QWidget *parent = nullptr);

    /// Called when typing begins: adds what can be found beside the bundle's own names.
    void setSource(std::function<void(PaletteIndex &)> source) { m_source = std::move(source); }
    PaletteList &hits();

    QSize sizeHint() const override;

Q_SIGNALS:
    /// Escape, or a place was found: the focus goes back to where it was.
    void left();

protected:
    void keyPressEvent(QKeyEvent *event) override;
    void focusOutEvent(QFocusEvent *event) override;

private:
    void addNames();
    void search();
    void go();
    void run(int row);
    void showFault(const QString &text);
    void hideHits();

    ui::Session &m_session;
    std::function<void(PaletteIndex &)> m_source;
    PaletteIndex m_index;
    PaletteList *m_hits = nullptr;
    QAction *m_fault = nullptr;
    bool m_stale = true; ///< the index is of another moment
};

} // namespace kernscope::app
