// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle_fwd.h"

#include <QDialog>

class QDialogButtonBox;
class QLineEdit;
class QListWidget;

namespace kernscope::ui {

/// Asks which weight of a bundle is the partner of one of another: a list that is filtered as one
/// types, those of the same shape first.
class PairDialog : public QDialog
{
    Q_OBJECT

public:
    /// `weight`: the one that gets a partner; `candidates`: the bundle that the partner is in.
    PairDialog(const Weight &weight, const BundlePtr &candidates, QWidget *parent = nullptr);

    QListWidget *list() const { return m_list; }
    QLineEdit *filter() const { return m_filter; }

Q_SIGNALS:
    /// Index into Bundle::weights() of the candidates.
    void chosen(std::size_t weight);

private:
    void fill(const Weight &weight, const Bundle &candidates);
    void applyFilter();

    QLineEdit *m_filter = nullptr;
    QListWidget *m_list = nullptr;
    QDialogButtonBox *m_buttons = nullptr;
};

} // namespace kernscope::ui
