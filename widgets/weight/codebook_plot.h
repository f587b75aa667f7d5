// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/plot_widget.h"

#include <cstdint>
#include <vector>

class QCPBars;

namespace kernscope::ui {

/// How often each entry of a codebook is used. Duplicates are hatched, the chosen entry is framed.
class CodebookPlot final : public PlotWidget
{
    Q_OBJECT

public:
    explicit CodebookPlot(QWidget *parent = nullptr);

    struct Entry {
        std::uint64_t uses = 0;
        double value = 0; ///< of the first lane
        bool duplicate = false;
    };
    void setEntries(std::vector<Entry> entries);

    int pointCount() const override { return static_cast<int>(m_entries.size()); }
    QString pointText(int point) const override;
    QStringList columns() const override;
    QVariant cell(int point, int column) const override;

protected:
    double keyOf(int point) const override { return point; }
    int pointAt(double key) const override;
    void applyColors(bool dark) override;

private:
    const Entry &entry(int point) const { return m_entries[static_cast<std::size_t>(point)]; }

    std::vector<Entry> m_entries;
    QCPBars *m_bars = nullptr, *m_duplicates = nullptr, *m_chosen = nullptr;
};

} // namespace kernscope::ui
