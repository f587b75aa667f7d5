// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle_fwd.h"
#include "core/bundle/weight.h"

#include <set>

namespace kernscope {

/// Keys of Weight::detail where the file of a weight is missing and types tell: values that its
/// mask keeps, and zero points or offsets, which may be anything.
inline constexpr std::string_view kSurvivorsDetail = "survivors",
                                  kUnreadZerosDetail = "zero_points";

/// Of a weight's fault: its file is not there, and the program alone says what it would have.
bool isMissingFile(const Error &fault);

/// Bytes that a weight takes in its files; nothing where an operand could not be read (a file that
/// is cut) and no type says it: its reader then leaves storedBytes at 0, beside a fault.
std::optional<ByteCount> knownStoredBytes(const Weight &weight);

/// Of them, those of no operand that was read and of no earlier weight: where a file is missing,
/// the types fix them.
ByteCount unreadBytes(const Weight &weight);

/// Those of `b` over those of `a`; nothing where either is not known or `a` stores none.
std::optional<double> storedRatio(const Weight &a, const Weight &b);

/// Weights of which they are not known: Totals::storedBytes then is short of those.
std::size_t weightsOfUnknownBytes(const Bundle &bundle);

/// Sums the bytes of operands: each blob once, whatever number of operands it serves, literals at
/// their packed size. A sum that does not fit stays at the largest number.
class StoredBytes
{
public:
    /// Operands that are known; their blobs count once over all calls.
    void add(const OperandList &operands);
    ByteCount sum() const { return m_sum; }

private:
    std::set<std::pair<std::size_t, std::uint64_t>> m_counted;
    ByteCount m_sum;
};

} // namespace kernscope
