// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/weight_name_model.h"

#include "core/bundle/bundle.h"
#include "widgets/models/table_text.h"

#include <algorithm>

namespace kernscope::ui {

WeightNameModel::WeightNameModel(Session &session, QObject *parent)
    : QAbstractListModel(parent), m_session(session)
{
    connect(&session, &Session::bundleChanged, this, [this] { count(true); });
    // An edit leaves the names; shapes that are bound may leave other weights.
    connect(&session, &Session::bytesChanged, this, [this] { count(false); });
    count(true);
}

/// `another`: the names are others even where they are as many.
void WeightNameModel::count(bool another)
{
    const BundlePtr &bundle = m_session.bundle();
    const std::size_t weights = bundle ? bundle->weights().size() : 0;
    const int rows = static_cast<int>(std::min<std::size_t>(weights, kMostNames));
    if (!another && rows == m_rows)
        return;
    beginResetModel();
    m_rows = rows;
    endResetModel();
}

int WeightNameModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : m_rows;
}

QVariant WeightNameModel::data(const QModelIndex &index, int role) const
{
    const BundlePtr &bundle = m_session.bundle();
    const auto weight = static_cast<std::size_t>(index.row());
    const bool text = role == Qt::DisplayRole || role == Qt::EditRole;
    // Until the signal of another bundle has come, the rows are those of the one before.
    if (!index.isValid() || !text || !bundle || weight >= bundle->weights().size())
        return {};
    return rawFromUtf8(bundle->weights()[weight].findableName());
}

} // namespace kernscope::ui

#include "moc_weight_name_model.cpp"
