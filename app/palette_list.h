// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/palette_index.h"

#include <QAbstractListModel>
#include <QListView>

namespace kernscope::app {

/// The hits of the palette as rows: text, and kind with note as accessible and secondary text.
class PaletteModel final : public QAbstractListModel
{
    Q_OBJECT

public:
    enum Role : int { NoteRole = Qt::UserRole + 1 };

    using QAbstractListModel::QAbstractListModel;

    void setItems(QList<PaletteIndex::Item> items);
    const PaletteIndex::Item &at(int row) const { return m_items[row]; }
    int rowCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;

private:
    QList<PaletteIndex::Item> m_items;
};

/// The list below the box that one types into. It never takes the keyboard.
class PaletteList final : public QListView
{
    Q_OBJECT

public:
    explicit PaletteList(QWidget *window);

    PaletteModel &hits() { return *m_model; }
    /// Shows the items below `box`, none of them chosen; hides itself where there are none.
    void showBelow(const QWidget &box, QList<PaletteIndex::Item> items);
    void step(int by);
    int chosen() const { return currentIndex().row(); } ///< -1: none

Q_SIGNALS:
    void picked(int row);

private:
    PaletteModel *m_model = nullptr;
};

} // namespace kernscope::app
