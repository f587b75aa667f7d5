// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error_builder.h"
#include "core/container/mil/program.h"

#include <functional>
#include <set>

namespace kernscope::mil {

/// Of a program's text; the largest real ones have some dozens of MiB.
inline constexpr std::size_t kMaxTextBytes = std::size_t(512) << 20;
/// How deep types, values and blocks may nest; real programs stay below ten.
inline constexpr int kMaxDepth = 200;
/// Values, types, dimensions and strings that one program may hold; bounds memory for a file that
/// is nothing but the smallest of them. Real programs hold some ten thousand.
inline constexpr std::size_t kMaxNodes = 1'100'000;

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

/// What a reader had to leave out: it must not be reported as undefined.
struct Unread {
    std::set<std::string, std::less<>> names; ///< of statements with faults
    bool more = false;                        ///< parts of the program whose names are not known
};

/// Checks that every name is defined once, before its first use, in its own block or in one
/// around it. Codes: "mil.duplicate", "mil.undefined", "mil.order" (use before definition, and
/// so every cycle).
void validate(const Program &program, const Unread &unread, Faults &faults);

/// Reports a literal that has not as many elements as its type says ("mil.count"). One element
/// may stand for all of them: whether a compiler writes that is not known, so it only warns.
void checkElementCount(const ValueType &type, const Literal &literal, SourceSpan place,
                       Faults &faults);

} // namespace kernscope::mil
