// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error_builder.h"

#include <string>
#include <string_view>

namespace kernscope::mil {

/// Collects the diagnostics of one file; a file full of faults does not fill memory with them.
class Faults
{
public:
    explicit Faults(std::string_view fileName) : m_fileName(fileName) {}

    /// An error of this file at `offset` (`length` 0: not known), to be completed and added.
    ErrorBuilder make(std::string_view code, std::uint64_t offset, std::uint64_t length) const;
    void add(Severity severity, Error error);
    /// What was collected; a note says how many faults more there were.
    Diagnostics take();

    /// Forgets what was added since, of text that is read in another way instead.
    struct Mark {
        std::size_t count = 0, dropped = 0;
        std::size_t kept[3] = {0, 0, 0};
    };
    Mark mark() const;
    void rollBack(const Mark &mark);

private:
    static constexpr std::size_t kMaxPerSeverity = 200;

    std::string m_fileName;
    Diagnostics m_diagnostics;
    std::size_t m_kept[3] = {0, 0, 0};
    std::size_t m_dropped = 0;
};

} // namespace kernscope::mil
