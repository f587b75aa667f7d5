// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/diff/codebook_match.h"
#include "widgets/compare/places_models.h"

#include <memory>

namespace kernscope::ui {

using CodebookMatchPtr = std::shared_ptr<const CodebookMatch>;

/// Entries of the codebooks of a pair: those of A in their order, then those that only B has.
class CodebookPairModel final : public PlacesModel
{
    Q_OBJECT

public:
    enum Section : int {
        EntryA,
        ValueA,
        UsesA,
        Change,
        EntryB,
        ValueB,
        UsesB,
        Delta,
        SectionCount
    };
    using PlacesModel::PlacesModel;

    void setMatch(CodebookMatchPtr match);
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

protected:
    std::size_t count() const override;
    std::optional<std::uint64_t> element(std::size_t item) const override;
    double number(std::size_t item, int column) const override;
    QString text(std::size_t item, int column) const override;
    Column column(int section) const override;
    QString plain(std::size_t item, int column) const override;

private:
    CodebookMatchPtr m_match;
};

} // namespace kernscope::ui
