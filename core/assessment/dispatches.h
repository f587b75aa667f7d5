// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/roofline.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace kernscope::roofline {

/// The functions that runs of a network enter, each a dispatch of its own; functions that only
/// others call belong to the dispatch of their caller.
class Dispatches
{
public:
    void add(const Layer &layer);
    /// Addresses, in the order in which layers were added.
    const std::vector<std::string> &functions() const { return m_functions; }
    std::size_t size() const { return m_functions.size(); }
    /// Which one a layer is part of; nothing where none of its function was added.
    std::optional<std::size_t> of(const Layer &layer) const;
    /// Several functions of one model: a run enters one of them. Otherwise the models of a
    /// pipeline, which a run enters one after the other.
    bool alternatives() const { return m_alternatives; }

private:
    std::vector<std::string> m_functions, m_models;
    bool m_alternatives = false;
};

} // namespace kernscope::roofline
