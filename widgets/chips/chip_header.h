// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHeaderView>

namespace kernscope::ui {

/// Header of a table with a column a chip: "H13" and below it "M1", which more people know.
class ChipHeader final : public QHeaderView // no meta-object: to assistive tools it is that header
{
public:
    explicit ChipHeader(QWidget *parent = nullptr);

protected:
    void initStyleOptionForIndex(QStyleOptionHeader *option, int logicalIndex) const override;
    QSize sectionSizeFromContents(int logicalIndex) const override;

private:
    QString product(int logicalIndex) const;
};

} // namespace kernscope::ui
