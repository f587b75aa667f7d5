// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/session.h"

#include <QPointer>
#include <QWidget>

class QLabel;

namespace kernscope::ui {

class ChipState;
struct AlikeChips;

/// The bytes of the bundle's weights that cross in a dispatch, a bar for each figure that chips
/// have in common: one row says the chips, the bar and the bytes. The chip that the docks judge by
/// stands first, and each row is a link that chooses its first chip.
class ChipBars final : public QWidget
{
    Q_OBJECT

public:
    explicit ChipBars(Session &session, QWidget *parent = nullptr);

    QString text() const; ///< every row in words, for tests and screen readers

private:
    void showRows();
    void addNote(const QString &text);
    void addRow(int row, const AlikeChips &group, std::uint64_t most);

    Session &m_session;
    ChipState &m_state;
    QPointer<QWidget> m_body;
    QStringList m_words;
};

} // namespace kernscope::ui
