// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/session.h"

#include <QWidget>

class QGridLayout;

namespace kernscope::ui {

/// The stored parts of a weight, a line each: kind, element type, bytes, and where they lie, as a
/// link to the bytes.
class StoredParts : public QWidget
{
    Q_OBJECT

public:
    explicit StoredParts(QWidget *parent = nullptr);

    void setWeight(const Bundle &bundle, std::size_t weight);

Q_SIGNALS:
    void picked(std::size_t file, kernscope::ByteRange bytes);

private:
    QGridLayout *m_rows = nullptr;
    QWidget *m_body = nullptr;
};

} // namespace kernscope::ui
