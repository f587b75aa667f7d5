// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/models/tile_source.h"

#include <cstdint>

namespace kernscope::ui {

/// Cells that stand for the box of a tile pixel: all of them where they are few, else a sample
/// that does not follow any period of the data.
class BoxSampler
{
public:
    static constexpr std::uint64_t kMaxRows = 8, kMaxRun = 8;
    BoxSampler(const TileKey &key, std::uint64_t rows, std::uint64_t cols);

    std::uint64_t rowsPerBox() const { return m_rowsPerBox; }
    std::uint64_t run() const { return m_run; }      ///< cells side by side in each row
    std::uint64_t row(int y, std::uint64_t k) const; ///< may be past the last row
    /// First column of the run of box (x, y), row k; the run may be cut at the end.
    std::uint64_t col(int x, int y, std::uint64_t k) const;
    bool exact() const { return m_exact; }

private:
    TileKey m_key;
    std::uint64_t m_rows, m_cols, m_side, m_rowsPerBox, m_run;
    bool m_exact;
};

} // namespace kernscope::ui
