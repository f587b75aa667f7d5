// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle_fwd.h"
#include "widgets/models/row_table_model.h"

#include <cstddef>
#include <string>

namespace kernscope::ui {

/// Every section of every file of the bundle, a row each; hundreds of thousands of rows answer
/// within a frame.
class SectionModel final : public RowTableModel
{
    Q_OBJECT

public:
    explicit SectionModel(QObject *parent = nullptr);

    /// The bundle, another one, none, or the same one after an edit. Rows that stay keep their
    /// place where there are as many sections as before.
    void setBundle(BundlePtr bundle);
    const BundlePtr &bundle() const { return m_bundle; }

    std::size_t sectionAt(int row) const; ///< index into Bundle::sections(), or kNoIndex

protected:
    std::size_t rowTotal() const override;
    report::Value valueOf(std::size_t row, std::size_t declared) const override;
    std::string originOf(std::size_t, std::size_t) const override { return {}; }
    QVariant lookOf(std::size_t row, int column, int role) const override;

private:
    BundlePtr m_bundle;
};

/// "weights/weight.bin, 0x2b080 to 0x2bc7f, 3,072 bytes" and the like: what a section is, in lines.
QString describeSection(const Bundle &bundle, std::size_t section);

} // namespace kernscope::ui
