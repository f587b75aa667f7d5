// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/reader/mil/form_reader.h"

namespace kernscope {

/// Finds the weights of one function: every constant kept in a weight file and every result of a
/// constexpr op, as far as anything but another constexpr op reads it (or nothing does), and the
/// constants written in the program that have ten or more elements or that an operand reads which
/// is a weight (resources/tables/weight_operands.csv); in program order, bodies of loops included.
class MilWeightReader
{
public:
    /// `segment`: the backend that the function runs on as a whole (mil::SegmentBackends).
    MilWeightReader(const mil::Function &function, std::string segment, BlobTable &blobs,
                    std::string programFile, DiagnosticLog &log);

    /// Appends the weights. One with a fault keeps its row, with what could be read of it.
    void read(std::vector<Weight> &weights);

private:
    bool isOutermost(const GraphOperation &maker) const;
    bool isLiteralWeight(const GraphOperation &maker, const mil::Literal &literal) const;
    void addMade(std::size_t index, std::vector<Weight> &weights);
    void addInline(std::size_t index, std::vector<Weight> &weights);
    void describe(Weight &weight, const mil::ValueType &type) const;
    bool readWhole(const mil::Operation &operation, const OperandList &known,
                   unsigned depth = 0) const;
    /// Of records: 0 of one that was read, else those that the types fix.
    using BlobBytes = std::map<std::pair<std::string, std::uint64_t>, std::uint64_t>;
    std::optional<std::uint64_t> declaredBytes(const mil::Operation &operation, BlobBytes &counted,
                                               unsigned depth = 0) const;
    std::optional<std::uint64_t> declaredBytes(std::string_view operand,
                                               const mil::ProgramValue &value,
                                               BlobBytes &counted) const;
    static void takeDeclaredForm(Weight &weight, codec::Encoding encoding);
    void takeDeclared(Weight &weight, std::optional<std::uint64_t> declared,
                      const BlobBytes &counted);
    void finish(Weight &weight, Result<ReadValue> value, std::vector<codec::Operand> known);

    const mil::Function &m_function;
    std::string m_segment;
    BlobTable &m_blobs;
    DiagnosticLog &m_log;
    ValueGraph m_graph;
    OperandReader m_operands;
};

} // namespace kernscope
