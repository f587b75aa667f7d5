// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/diff/stored_element.h"
#include "widgets/compare/pair_pictures.h"

#include <QTableWidget>

namespace kernscope::ui {

/// The picked element as both builds store it: value, code, codebook entry, bytes and their place,
/// and how far the two are apart.
class PairElementTable final : public QTableWidget
{
    Q_OBJECT

public:
    explicit PairElementTable(QWidget *parent = nullptr);

    void showElement(const PairSubject &subject, const ElementReadings &readings);
    void clearElement();

private:
    void addDistance(double a, double b, ElementType type); ///< steps of the type
    void fitColumns();
    void add(const QString &what, const QString &a, const QString &b);
};

} // namespace kernscope::ui
