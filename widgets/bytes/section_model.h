// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle.h"
#include "widgets/common/chosen_rows_model.h"

#include <cstdint>
#include <vector>

namespace kernscope::ui {

/// Every section of every file of the bundle, a row each. Sorting and filtering (by name, kind,
/// file and owner) permute a vector of section numbers; hundreds of thousands of rows answer within
/// a frame.
class SectionModel final : public ChosenRowsModel
{
    Q_OBJECT

public:
    enum Column : int { Name, Kind, Owner, File, Offset, Bytes, ColumnCount };

    explicit SectionModel(QObject *parent = nullptr);

    /// The bundle, another one, none, or the same one after an edit. Rows that stay keep their
    /// place where there are as many sections as before.
    void setBundle(BundlePtr bundle);
    const BundlePtr &bundle() const { return m_bundle; }

    std::size_t sectionAt(int row) const; ///< index into Bundle::sections(), or kNoIndex
    int rowOf(std::size_t section) const; ///< -1 where the filter hides it

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    void sort(int column, Qt::SortOrder order = Qt::AscendingOrder) override;

private:
    void chooseRows() override;
    void orderRows();
    void indexRows();
    QVariant textOf(const Section &section, int column) const;
    bool changed(const Section &section) const;

    BundlePtr m_bundle;
    std::vector<std::uint32_t> m_rows; ///< section of each row
    std::vector<std::int32_t> m_rowOf; ///< row of each section, -1 where hidden
};

/// "weights/weight.bin, 0x2b080 to 0x2bc7f, 3,072 bytes" and the like: what a section is, in lines.
QString describeSection(const Bundle &bundle, std::size_t section);

} // namespace kernscope::ui
