// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"

#include <cstddef>
#include <unordered_set>

namespace kernscope {

/// Gathers diagnostics: the same fault at the same place is kept once a severity (several weights
/// may name one bad record), and a hostile file cannot fill memory with them.
class DiagnosticLog
{
public:
    /// More than a person reads; what comes after it is counted only.
    static constexpr std::size_t kMaxRows = 2000;

    /// Keeps it unless the same is there already.
    void add(Severity severity, Error error);
    void add(Diagnostics diagnostics);
    /// What was gathered, with a last row that counts what was left out. Errors left out count as
    /// one error.
    Diagnostics take();

private:
    Diagnostics m_rows;
    std::unordered_set<std::string> m_seen;
    std::size_t m_leftOut = 0;
    bool m_leftOutError = false;
};

} // namespace kernscope
