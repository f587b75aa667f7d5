// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/qt_fwd.h"
#include "widgets/models/session.h"

#include <QTimer>
#include <QWidget>

namespace kernscope::ui {

class ElidedLabel;

/// One edit by its text, as the command line writes it, with the codec's answer as one types.
class EditLine : public QWidget
{
    Q_OBJECT

public:
    explicit EditLine(Session &session, QWidget *parent = nullptr);

    using KindList = std::vector<std::pair<QString, Edit::Kind>>; ///< in words, and which it is
    /// What edits there are: the rows of the choice.
    static KindList kinds();
    /// Puts the cursor at the end of `text`, for an edit of `kind`.
    void begin(Edit::Kind kind, const QString &text);
    /// Asks for the file of an edit that takes its values from one.
    void browse();
    QString answer() const;
    QLineEdit *lineEdit() { return m_text; }

private:
    void connectParts();
    Edit::Kind kind() const;
    void showKind();
    void preview();
    void add();
    void refused(const Error &error);
    void accepted();
    void say(const QString &text, bool fault);

    Session &m_session;
    QComboBox *m_kind = nullptr;
    QLineEdit *m_text = nullptr;
    QPushButton *m_add = nullptr, *m_browse = nullptr;
    ElidedLabel *m_answer = nullptr;
    QTimer m_pause{this};
    QString m_begun;       ///< what begin() wrote: no edit yet
    bool m_asking = false; ///< our own request is being answered
};

} // namespace kernscope::ui
