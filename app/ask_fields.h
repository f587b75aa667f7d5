// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>

#include <functional>
#include <vector>

class QWidget;

namespace kernscope::app {

/// A line of a small form: a choice of words, or a text.
struct AskedField {
    QString label;
    QStringList choices; ///< empty: a text
    QString text;        ///< what stands there at first
    QString tip = {};
};
/// Asks without waiting; `answered` gets a text a field, and nothing is called where the person
/// cancels. The dialog is a child of `parent`.
void askFields(QWidget *parent, const QString &title, const QString &intro,
               const std::vector<AskedField> &fields,
               std::function<void(const QStringList &)> answered);

} // namespace kernscope::app
