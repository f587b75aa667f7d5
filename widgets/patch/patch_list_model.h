// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/session.h"

#include <QAbstractTableModel>

namespace kernscope::ui {

/// The edits made so far, oldest first, and those undone that can be redone. The order is part of
/// what it says (each edit sees the earlier ones), so it does not sort.
class PatchListModel final : public QAbstractTableModel
{
    Q_OBJECT

public:
    enum Column : int { State, Place, Old, New, Where, Bytes, Note, ColumnCount };

    explicit PatchListModel(QObject *parent = nullptr);

    /// `bundle` names the files; it may be null where there are no patches.
    void setPatches(BundlePtr bundle, std::vector<PatchEntry> patches);
    const std::vector<PatchEntry> &patches() const { return m_patches; }
    const PatchEntry &at(int row) const { return m_patches[static_cast<std::size_t>(row)]; }

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    Qt::ItemFlags flags(const QModelIndex &index) const override;
    /// Ticking or clearing State only asks: stepWanted says what for.
    bool setData(const QModelIndex &index, const QVariant &value, int role) override;

Q_SIGNALS:
    /// The undo stack should stand at `step`.
    void stepWanted(std::size_t step);

private:
    QString cellText(const PatchEntry &entry, int column) const;
    QVariant sortValue(const PatchEntry &entry, int column) const;

    BundlePtr m_bundle;
    std::vector<PatchEntry> m_patches;
};

/// Bytes that an edit changes, all its runs together.
std::uint64_t changedBytes(const AppliedEdit &edit);
/// "weights/weight.bin+0x2b080", and how many more runs there are.
QString whereText(const Bundle &bundle, const AppliedEdit &edit);
/// The runs with their bytes before and after, for people; long ones are cut.
QString byteText(const Bundle &bundle, const AppliedEdit &edit);

/// `kernscope-cli patch PATH --set 'w[0]=1' … --in-place`, quoted for a POSIX shell; active ones.
QString patchCommandLine(const QString &path, const std::vector<PatchEntry> &patches);
/// The same as the lines of a file for `--script`.
QString patchScript(const std::vector<PatchEntry> &patches);

} // namespace kernscope::ui
