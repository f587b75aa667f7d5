// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/container/mil/program.h"
#include "core/report/json.h"

#include <cstdint>
#include <optional>
#include <span>

#include <nlohmann/json.hpp>

/// How the documents write numbers and shapes.
namespace kernscope::report {

/// An integer, or a string where a double cannot hold it exactly.
Json numberJson(std::uint64_t number);
/// The same; what is not known: null.
Json numberJson(const std::optional<std::uint64_t> &number);
Json numbersJson(std::span<const std::uint64_t> numbers);
/// Six decimals, as the contract's ratios have. Not finite: null.
Json ratioJson(double ratio);
/// selected_backend, backend_support, estimated_runtime_ms and validation_message of an op.
void addBackends(Json &json, const mil::BackendNotes &notes);
/// What is not known: null.
template <class T>
Json optionalJson(const std::optional<T> &value)
{
    return value ? Json(*value) : Json(nullptr);
}

} // namespace kernscope::report
