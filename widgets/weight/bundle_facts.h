// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle.h"

#include <QWidget>

class QGridLayout;

namespace kernscope::ui {

/// What the inspector says of a whole bundle: bytes by form, inputs and outputs of its program.
class BundleFacts : public QWidget
{
    Q_OBJECT

public:
    explicit BundleFacts(QWidget *parent = nullptr);

    void setBundle(const Bundle &bundle);

private:
    void addRow(const QString &name, const QString &value);
    void addHeading(const QString &text);

    QWidget *m_body = nullptr;
    QGridLayout *m_rows = nullptr;
};

} // namespace kernscope::ui
