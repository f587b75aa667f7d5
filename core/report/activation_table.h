// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/format/activation_table.h"
#include "core/report/column.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

/// The engine's activation tables, as `activation` and its dock list them.
namespace kernscope::report {

/// Entries of a record that are one row: one of them, or all of a field.
struct ActivationEntry {
    std::shared_ptr<const format::ActivationTable> table;
    const format::ActivationField *field = nullptr; ///< null where the layout has none there
    std::size_t entry = 0;                          ///< 0 to 42
    std::size_t count = 1;
};
/// Each of the 43 entries, a row each.
std::vector<ActivationEntry> activationEntries(const format::ActivationTable &table);
/// A row a field of the table's layout; the knots are one.
std::vector<ActivationEntry> activationFieldRows(const format::ActivationTable &table);
const TableOf<ActivationEntry> &activationTable();

/// One of the 33 knots.
struct KnotFacts {
    std::size_t knot = 0;
    double input = 0;
    float output = 0;
};
std::vector<KnotFacts> knotFacts(const format::ActivationTable &table);
const TableOf<KnotFacts> &knotTable();

/// A place at which the function was evaluated.
struct EvaluatedInput {
    double input = 0;
    std::uint16_t bits = 0; ///< fp16
};
/// `{"name","layout","domain","entries","fields","knots","evaluated"}`
Json activationJson(std::string_view name, const format::ActivationTable &table,
                    std::span<const EvaluatedInput> evaluated);

} // namespace kernscope::report
