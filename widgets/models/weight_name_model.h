// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/models/session.h"

#include <QAbstractListModel>

namespace kernscope::ui {

/// The names of the open bundle's weights, for completers. Each is read from the bundle as it is
/// asked for: a list of 50,000 names would take megabytes.
class WeightNameModel final : public QAbstractListModel
{
    Q_OBJECT

public:
    static constexpr int kMostNames = 50'000; ///< of more, those behind are left out

    explicit WeightNameModel(Session &session, QObject *parent = nullptr);

    int rowCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;

private:
    void count(bool another);

    Session &m_session;
    int m_rows = 0;
};

} // namespace kernscope::ui
