// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/diagnostic_log.h"
#include "core/bundle/reader/aimodel/module_graph.h"
#include "core/bundle/weight.h"
#include "core/form/operand_place.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kernscope::aimodel {

/// A constant value as the operations that make it say (coreai-format.md, section 7).
struct BuiltValue {
    codec::Encoding encoding;                ///< its operands have places, and no bytes
    ElementType type = ElementType::Unknown; ///< the encoding's, or a wider one by a last cast
};

/// Turns chains of constants and steps into encodings, of a package or of a compiled program. Looks
/// at every shape, type and length, and at the bytes of nothing but axes, small masks and offsets.
class FormBuilder
{
public:
    virtual ~FormBuilder() = default;
    /// The encoding of a constant value. Warnings of what a runtime makes of it go to the log.
    /// Errors: "aimodel.constant" (a constant that its bytes do not hold, a type that is no
    /// number), that of the class (a chain of steps that is not read), "codec.shape",
    /// "codec.codebook", "codec.scale", "codec.mask".
    Result<BuiltValue> weight(std::uint32_t value);
    /// Gives a weight its form, what the form says, and the bytes stored; of one that is not read
    /// the operands that were read before the fault, under `node`.
    void setForm(Weight &weight, Result<BuiltValue> built, FormNode node, DiagnosticLog &log);
    /// What the form says of the last weight beyond its steps; empty where nothing.
    const std::string &absentElements() const { return m_absent; }

protected:
    using PartRole = codec::PartRole;
    using Operands = std::span<const std::uint32_t>;

    /// `file`: the one of the bundle's that holds the constants, called `path`.
    FormBuilder(std::size_t file, std::string path, std::span<const std::byte> bytes,
                std::string_view code, DiagnosticLog &log)
        : m_file(file), m_path(std::move(path)), m_bytes(bytes), m_code(code), m_log(log)
    {
    }
    /// What makes a value, and of what; None for values that are no constants.
    virtual CoreAiStep step(std::uint32_t value) const = 0;
    virtual Operands operandsOf(std::uint32_t value) const = 0;
    virtual std::optional<TensorInfo> tensor(std::uint32_t value) const = 0;
    virtual std::optional<std::vector<std::int64_t>> integers(std::uint32_t value) const = 0;
    virtual ByteRange place(std::uint32_t value) const = 0; ///< of what makes it
    virtual Result<codec::Operand> constant(std::uint32_t value, PartRole role) = 0;

    const codec::Operand &know(codec::Operand operand);
    Error fault(std::uint32_t value, std::string_view code, std::string_view field,
                std::string expected, std::string found, std::string message) const;
    tl::unexpected<Error> refuse(auto &&...words) const
    {
        return tl::unexpected(fault(std::forward<decltype(words)>(words)...));
    }
    void warn(std::uint32_t value, std::string_view code, std::string expected, std::string found,
              std::string message);
    const std::size_t m_file;
    const std::string m_path;
    const std::span<const std::byte> m_bytes;

private:
    using Built = Result<BuiltValue>;

    Built build(std::uint32_t value, PartRole role);
    Built dispatch(std::uint32_t value, PartRole role);
    Built cast(std::uint32_t value, PartRole role);
    void warnOfJoinedCasts(std::uint32_t value);
    void warnOfNumbers(std::uint32_t value, const codec::OperandSource &source, ElementType to);
    Built reshape(std::uint32_t value, PartRole role);
    Built transpose(std::uint32_t value, PartRole role);
    Built lut(std::uint32_t value, bool sparse);
    Built shiftScale(std::uint32_t value, PartRole role);
    Built dequantize(std::uint32_t value, PartRole role);
    Built buildSparse(std::uint32_t value);
    /// Its elements one after the other in memory, where they have an order.
    Result<codec::Operand> unrolled(codec::Operand operand, std::uint32_t value);
    Result<codec::OperandSource> source(std::uint32_t value, PartRole role);
    Result<void> addScaling(BuiltValue &built, std::uint32_t value, Operands operands,
                            bool oneIsEnough);
    Result<void> checkMask(std::uint32_t value, const codec::Operand &mask, std::uint64_t kept);
    void noteAbsent(const codec::Encoding &encoding, std::uint32_t value);
    std::span<const std::byte> bytesOf(const codec::Operand &operand) const;

    std::string_view m_code; ///< of chains that are not read
    DiagnosticLog &m_log;
    std::vector<codec::Operand> m_known;
    std::string m_absent;
    unsigned m_depth = 0;
    std::uint64_t m_toLookAt = std::uint64_t{1} << 20; ///< numbers of casts, on opening
};

/// Forms of a package: values are those of the module. Code "aimodel.form".
class ModuleForms final : public FormBuilder
{
public:
    ModuleForms(const ModuleGraph &graph, std::size_t file, std::string path, DiagnosticLog &log);

private:
    CoreAiStep step(std::uint32_t value) const override { return m_graph.step(value); }
    Operands operandsOf(std::uint32_t value) const override;
    std::optional<TensorInfo> tensor(std::uint32_t value) const override
    {
        return m_graph.tensor(value);
    }
    std::optional<std::vector<std::int64_t>> integers(std::uint32_t value) const override
    {
        return m_graph.integers(value);
    }
    ByteRange place(std::uint32_t value) const override;
    Result<codec::Operand> constant(std::uint32_t value, PartRole role) override;
    bool isShared(const mlir::ConstantBytes &data) const;

    const ModuleGraph &m_graph;
    const mlir::Module &m_module;
    mlir::ConstantUses m_uses;
};

} // namespace kernscope::aimodel
