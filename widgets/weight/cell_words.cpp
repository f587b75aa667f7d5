// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/weight/cell_words.h"

#include <QCoreApplication>

namespace kernscope::ui {

namespace {

struct CellWords {
    Q_DECLARE_TR_FUNCTIONS(kernscope::CellWords)
};

} // namespace

QString cellWords(const WeightReaderPtr &reader, const Cell &cell, bool known,
                  const std::function<QString(const QString &indices)> &withValue)
{
    if (!reader)
        return {};
    const auto element = reader->map().element(cell.row, cell.col);
    if (!element)
        return CellWords::tr("past the last element");
    const QString indices = reader->map().indexText(*element);
    return known ? withValue(indices) : indices;
}

} // namespace kernscope::ui
