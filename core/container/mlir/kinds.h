// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/container/mlir/module.h"

#include <span>
#include <string_view>
#include <vector>

/// The tables mlir_kinds.csv and mlir_properties.csv.
///
/// Fields are "name:letter", a '*' behind the letter makes a list with a count before it:
///   A attribute, T type, S string (indices), V varint, I signed varint, Y raw byte,
///   N integer and F float of the width in the first field, M a number of the width of the type in
///   the first field, B varint size and as many bytes, R resource handle, O raw byte and, where it
///   is 1, a varint, D pairs of attributes with a count before them.
namespace kernscope::mlir {

std::span<const KindRow> kindRows();
/// The rows of a dialect by code, null in the gaps; null where no row names the dialect.
const std::vector<const KindRow *> *rowsByCode(std::string_view dialect, bool types);
/// The first row of that name in dialect `aicode`; null: none.
const KindRow *kindNamed(std::string_view name, bool type);

std::span<const PropertyRow> propertyRows();
/// The row of that operation, else the one of all its versions; null: none.
const PropertyRow *propertyRow(std::string_view operation);

} // namespace kernscope::mlir
