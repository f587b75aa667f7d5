// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/error_bar_delegate.h"

#include "widgets/common/design.h"
#include "widgets/common/theme.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace kernscope::ui {

ErrorBarDelegate::ErrorBarDelegate(const CompareModel &model, QObject *parent)
    : QStyledItemDelegate(parent), m_model(model)
{
    const auto forget = [this] { m_largest.reset(); };
    connect(&model, &QAbstractItemModel::dataChanged, this, forget);
    connect(&model, &QAbstractItemModel::modelReset, this, forget);
}

double ErrorBarDelegate::largest() const
{
    if (!m_largest) {
        m_largest = 0;
        for (const report::PairRow &row : m_model.rows()) {
            if (row.pair.values && std::isfinite(row.pair.values->relativeRmse))
                m_largest = std::max(*m_largest, row.pair.values->relativeRmse);
        }
    }
    return *m_largest;
}

std::optional<double> ErrorBarDelegate::share(const QModelIndex &index) const
{
    const std::size_t number = m_model.rowAt(index.row());
    if (number >= m_model.rows().size() || !m_model.rows()[number].pair.values)
        return std::nullopt;
    const ValueDifference &values = *m_model.rows()[number].pair.values;
    if (!std::isfinite(values.relativeRmse))
        return 1;
    return largest() > 0 ? values.relativeRmse / largest() : 0;
}

void ErrorBarDelegate::paint(QPainter *painter, const QStyleOptionViewItem &option,
                             const QModelIndex &index) const
{
    QStyledItemDelegate::paint(painter, option, index);
    const auto part = share(index);
    if (!part)
        return;
    const int height = std::max(3, option.rect.height() / 6);
    const QRect track(option.rect.left() + 3, option.rect.bottom() + 1 - height,
                      std::max(0, option.rect.width() - 6), height);
    painter->fillRect(track, design::track(option.palette));
    const int filled = static_cast<int>(std::lround(*part * track.width()));
    if (*part > 0)
        painter->fillRect(QRect(track.left(), track.top(), std::max(1, filled), height),
                          theme::color(Token::DiffMore, theme::isDark(option.palette)));
}

} // namespace kernscope::ui

#include "moc_error_bar_delegate.cpp"
