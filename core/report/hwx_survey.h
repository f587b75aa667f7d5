// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/container/hwx/container.h"
#include "core/report/json.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace kernscope::report {

/// What is known of a word that no table names: its values over many containers.
struct SurveyRow {
    std::string kind;          ///< "register", "header word" or "thread word"
    unsigned version = 0;      ///< of the register map; of thread words the flavor
    std::uint32_t address = 0; ///< of the register; offset in the header or the command
    std::map<std::uint64_t, std::size_t> values; ///< value -> times; the first kMaxValues of them
    std::size_t writes = 0;
    std::size_t files = 0;
    bool more = false;                        ///< has more values than are kept
    std::uint32_t setBits = 0, clearBits = 0; ///< bits that are 1, and 0, in every value
    static constexpr std::size_t kMaxValues = 64;
};

/// Collects the unnamed words of containers one by one. Memory is bounded by the number of
/// addresses, not of tasks.
class HwxSurvey
{
public:
    /// `bytes`: those that the container was read from.
    void add(const hwx::Container &container, std::span<const std::byte> bytes);

    std::size_t files() const { return m_files; }
    std::size_t tasks() const { return m_tasks; }
    /// By kind, version, then address.
    std::vector<SurveyRow> rows() const;

private:
    void note(const char *kind, unsigned version, std::uint32_t address, std::uint32_t value);

    using Key = std::tuple<std::string, unsigned, std::uint32_t>;
    std::map<Key, SurveyRow> m_rows;
    std::set<Key> m_seen; ///< in the container at hand
    std::size_t m_files = 0, m_tasks = 0;
};

/// The key "survey" of `hwx --survey`.
Json hwxSurveyJson(const HwxSurvey &survey);

} // namespace kernscope::report
