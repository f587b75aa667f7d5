// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/edit_table.h"
#include "widgets/models/row_table_model.h"
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

/// The edits made so far, oldest first, and those undone that can be redone. The order is part of
/// what it says (each edit sees the earlier ones), so it does not sort.
class PatchListModel final : public DeclaredTable<report::EditFacts>
{
    Q_OBJECT

public:
    explicit PatchListModel(QObject *parent = nullptr) : DeclaredTable(report::editTable, parent) {}

    /// `bundle` names the files; it may be null where there are no patches.
    void setPatches(BundlePtr bundle, std::vector<PatchEntry> patches);
    const std::vector<PatchEntry> &patches() const { return m_patches; }
    const PatchEntry &at(int row) const { return m_patches[static_cast<std::size_t>(row)]; }

    void sort(int, Qt::SortOrder = Qt::AscendingOrder) override {}
    Qt::ItemFlags flags(const QModelIndex &index) const override;
    /// Ticking, clearing or noting a row only asks: the signals say what for.
    bool setData(const QModelIndex &index, const QVariant &value, int role) override;

Q_SIGNALS:
    void switchWanted(std::size_t row, bool on);
    void noteWritten(std::size_t row, const QString &note);

protected:
    std::size_t rowTotal() const override { return m_patches.size(); }
    report::EditFacts factsOf(std::size_t row) const override
    {
        return {m_bundle.get(), m_patches[row].edit.get(), m_patches[row].active};
    }
    QVariant lookOf(std::size_t row, int column, int role) const override;

private:
    BundlePtr m_bundle;
    std::vector<PatchEntry> m_patches;
};

/// "weights/weight.bin+0x2b080", and how many more runs there are.
QString whereText(const Bundle &bundle, const AppliedEdit &edit);
/// The runs with their bytes before and after, for people; long ones are cut.
QString byteText(const Bundle &bundle, const AppliedEdit &edit);

/// `kernscope-cli patch PATH --set 'w[0]=1' … --in-place`, quoted for a POSIX shell; active ones.
QString patchCommandLine(const QString &path, const std::vector<PatchEntry> &patches);
/// The same as the lines of a file for `--script`, with their notes.
QString patchScript(const std::vector<PatchEntry> &patches);
/// patchScript() as a file for another copy of the bundle (patch::editScript). `bundle` is as the
/// patches left it. Not for the GUI thread.
Result<std::string> patchFile(const BundlePtr &bundle, const std::vector<PatchEntry> &patches,
                              Progress &progress);

} // namespace kernscope::ui
