// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/assessment/stream.h"

#include "core/form/form_steps.h"
#include "core/format/legality.h"
#include "core/format/table_rows.h"

#include <algorithm>

#include <fmt/format.h>

namespace kernscope::decision {

namespace {

using format::Confidence;

struct GateRow {
    std::string form, role, source, note;
    target::HalOffset offset;
    Confidence confidence = Confidence::Documented; ///< that the byte at `offset` has this role
};

const std::vector<GateRow> &gateRows()
{
    static const auto gates = tables::loadRows<GateRow>(
        "stream_gates", {{"form", &GateRow::form},
                         {"role", &GateRow::role},
                         {"source", &GateRow::source},
                         {"confidence", &GateRow::confidence},
                         {"note", &GateRow::note},
                         {"offset", [](GateRow &row, std::string_view cell) {
                              tables::readCell(cell, row.offset.value);
                          }}});
    return gates;
}

/// What the descriptor's encoder calls it.
format::FormRequest::Kind requestKind(const WeightForm &form)
{
    using RequestKind = format::FormRequest::Kind;
    switch (stepFacts(form.node).kind) {
    case StepKind::Codebook: return RequestKind::Palette;
    case StepKind::ChannelScales: return RequestKind::Affine;
    case StepKind::BlockScales: return RequestKind::Blockwise;
    case StepKind::Values: break;
    }
    return form.masked ? RequestKind::Sparse : RequestKind::Dense;
}

class Consultation
{
public:
    Consultation(const WeightForm &form, const target::Target &target)
        : m_form(form), m_target(target)
    {
    }

    GateReasons run()
    {
        const std::string element(elementTypeName(m_form.element));
        if (m_form.node == FormNode::Unknown) {
            add("stored form", "a form that could be read", "unknown", std::nullopt,
                "the file itself");
            m_result.formatUnknown = true;
            return std::move(m_result);
        }
        if (m_form.node == FormNode::Dense && element.starts_with("fp8") && !m_form.masked) {
            gate("*");
            primaryFormat();
            use();
            fp8();
            return std::move(m_result);
        }
        if (!m_form.compressed()) {
            add("compressed form", "a stored form smaller than fp16", "dense " + element, false,
                "chapter 7");
            return std::move(m_result);
        }
        gate("*");
        primaryFormat();
        use();
        if (m_form.use.kernel && !*m_form.use.kernel)
            add("operation with a kernel", "conv, conv_transpose, linear or matmul",
                m_form.use.bias ? "a bias, which is added" : "another operation reads it",
                std::nullopt, "chapter 25", Confidence::Assumed, "the gates apply to kernels only");
        e4m3Gate();
        if (m_form.masked)
            add("separate operand", "mask and values beside the kernel", "mask and values", true,
                "chapter 25 (sparse streams under the master alone)");
        if (m_form.hasChannelScales()) {
            gate("int8");
            readings("int8_large_batch", m_target.name);
        } else if (m_form.isBlocks()) {
            blocks();
        } else if (m_form.isPalette()) {
            palette();
        }
        legality();
        return std::move(m_result);
    }

private:
    void gate(std::string_view form)
    {
        for (const GateRow &row : gateRows()) {
            if (row.form != form)
                continue;
            const target::HalValue *value =
                target::halValue(m_target, target::HalLayout::Chapters, row.offset);
            const auto bit = target::halBit(m_target, row.offset);
            add(row.role, "1", bit ? value->text : "unknown", bit,
                value ? value->source : row.source,
                value ? std::max(value->confidence, row.confidence) : row.confidence, row.note);
            m_result.all.back().offset = row.offset;
            if (bit)
                m_result.all.back().value = value->number;
            m_result.gateClear |= bit && !*bit;
            m_result.gateUnknown |= !bit;
        }
    }

    void use()
    {
        condition("unit stride", "stride 1 on all axes", m_form.use.unitStride, true, "stride 1",
                  "a stride above 1");
        condition("no dilation", "dilation 1", m_form.use.dilated, false, "a dilation above 1",
                  "dilation 1");
        condition("no tile overlap", "tiles that do not overlap", m_form.use.tileOverlap, false,
                  "tiles overlap", "no overlap", "decided when the compiler tiles: assumed");
        condition("immutable weight", "a constant of the program", m_form.use.immutable, true,
                  "constant", "mutable");
    }
    /// "Primary or convertible to half-precision by the direct-memory-access engine."
    void primaryFormat()
    {
        const ElementType type = m_form.element;
        const std::string element(elementTypeName(type));
        std::optional<bool> passes = true;
        std::string found = element + ": a primary kernel format";
        if (type == ElementType::Fp32 || type == ElementType::Fp8E5M2)
            found = element + ": converted to fp16 by the DMA engine";
        else if (type == ElementType::Bf16)
            passes.reset(), found = "bf16: no tensor-format code is published";
        else if (type == ElementType::Fp4E2M1)
            passes.reset(), found = "fp4e2m1: newer than the chapters; its gate is not published",
                            m_result.formatUnknown = true;
        else if (!m_form.isPalette() && m_form.bits < 8 && !m_form.masked)
            passes = false, found = element + ": no scalar kernel format of that width";
        add("format", "primary, or convertible to fp16 by the DMA engine", found, passes,
            "chapter 25; fold predicate of chapter 36");
    }

    void legality()
    {
        format::FormRequest request;
        request.kind = requestKind(m_form);
        // Unknown versions are taken to have what only the first lacks.
        constexpr unsigned kAfterTheFirst = 6;
        request.descriptorVersion = target::encoderVersion(m_target).value_or(kAfterTheFirst);
        request.indexBits = m_form.bits;
        request.vectorSize =
            static_cast<unsigned>(std::min<std::uint64_t>(m_form.vectorSize, 1000));
        request.codebooks = m_form.codebooks;
        const bool e4m3 = m_form.element == ElementType::Fp8E4M3Fn;
        request.entries = e4m3 ? "e4m3" : elementTypeName(m_form.element);
        request.zeroPoint = m_form.zeroPoint;
        request.packedSparsePalette = m_form.masked && m_form.isPalette();
        request.e4m3Capability = target::halBit(m_target, target::hal::kE4m3);
        const bool foldable = m_form.hasChannelScales() || m_form.isBlocks();
        for (const format::LegalityRule &rule : format::checkLegality(request).rules) {
            if (rule.name == "E4M3 capability")
                continue; // listed with its byte
            const bool refuses = rule.state == format::RuleState::Refuses;
            add(rule.name, rule.required, rule.found,
                rule.state == format::RuleState::Unknown ? std::nullopt : std::optional(!refuses),
                rule.source, rule.confidence);
            m_result.all.back().encoder = true;
            // What the descriptor cannot hold, the dequantize-to-dense path still can.
            // E4M3 is not among the formats that the fold predicate converts.
            (foldable && !e4m3 ? m_result.noStreamedForm : m_result.formatRefused) |= refuses;
        }
    }

    void palette()
    {
        gate("palette");
        const bool vector = m_form.codebooks > 1 || m_form.vectorSize > 1;
        // "Only int4 lookup-table and sparsity stream" on the M1, and other widths of a palette.
        if (m_form.bits != 4)
            readings("m1_streaming_forms", m_target.name);
        add("vector-palettized", "more than one codebook, or vector entries",
            fmt::format("{}, vectors of {}",
                        m_form.codebooks > 1 ? "several codebooks" : "one codebook",
                        m_form.vectorSize),
            vector, "chapter 25, stream-versus-fold decision", Confidence::Contested,
            "table 25.2 asks for the master and the kernel-stride enable only");
        if (!vector || (m_form.codebooks > 1 && !fitsCodebooks()))
            readings("palette_gate", "engine");
        if (m_form.scaledPalette)
            readings("palette_channel_scale", "engine");
        if (m_form.bits == 2 && m_target.family == "A13")
            readings("palette2_on_the_m1", "H13");
    }

    /// What sources disagree on, each reading with what is followed.
    void readings(std::string_view topic, std::string_view subject)
    {
        for (const format::Reading &reading : format::readingsOf(topic)) {
            if (reading.subject == subject)
                m_result.disagreements.push_back(fmt::format(
                    "{}: {} ({}){}.", reading.taken ? "Followed" : "Not followed", reading.text,
                    reading.source, reading.note.empty() ? "" : "; " + reading.note));
        }
    }
    void blocks()
    {
        gate("blockwise");
        if (m_form.element != ElementType::Fp8E4M3Fn && m_form.element != ElementType::Fp4E2M1)
            readings("blocks_on_the_engine", "engine");
        if (m_form.bits >= 8)
            return;
        add("element width", "8 bits",
            fmt::format("{} bits: a four-bit value is only ever a palette index", m_form.bits),
            false, "chapter 25, four codecs; chapter 7, table 7.5", Confidence::Contested,
            "later compilers name an int4 kernel format");
        m_result.noStreamedForm = true;
    }

    void fp8()
    {
        if (m_form.element == ElementType::Fp8E4M3Fn) {
            e4m3Gate();
            legality();
            return;
        }
        add("kernel format", "a native kernel format", "E5M2 is a conversion format only", false,
            "chapter 36, fp8 datapath");
        m_result.noStreamedForm = true;
    }
    /// Elements of E4M3, however they are stored: the byte that enables them, and no way to fold.
    void e4m3Gate()
    {
        if (m_form.element != ElementType::Fp8E4M3Fn)
            return;
        const auto enabled = target::halBit(m_target, target::hal::kE4m3);
        gate("e4m3");
        m_result.all.back().encoder = true;
        m_result.formatRefused |= enabled && !*enabled;
        if (m_target.family == "A17")
            readings("e4m3_on_the_m5", "engine");
        m_result.disagreements.push_back(
            fmt::format("E4M3 cannot fold (the mask {:#x} leaves its code 12 out): where the chip "
                        "lacks the format, the weight is refused.",
                        format::dmaConvertibleToFp16().mask));
    }

    bool fitsCodebooks() const
    {
        const format::CodegenRule *rule = format::codegenRule("multi-codebook palette");
        const auto version = target::encoderVersion(m_target);
        return !rule || !version || *version >= rule->sinceVersion;
    }
    void add(std::string gate, std::string required, std::string found, std::optional<bool> passes,
             std::string source, Confidence confidence = Confidence::Documented,
             std::string note = {})
    {
        Reason reason;
        reason.gate = std::move(gate);
        reason.required = std::move(required);
        reason.found = std::move(found);
        reason.passes = passes;
        reason.source = std::move(source);
        reason.confidence = confidence;
        reason.note = std::move(note);
        m_result.all.push_back(std::move(reason));
    }
    void condition(std::string gate, std::string required, const std::optional<bool> &value,
                   bool wanted, std::string_view yes, std::string_view no,
                   std::string_view unknown = "not in the bundle: assumed")
    {
        const std::optional<bool> passes = value ? std::optional(*value == wanted) : std::nullopt;
        add(std::move(gate), std::move(required),
            std::string(value ? (*value ? yes : no) : unknown), passes,
            "chapter 25, stream-versus-fold decision",
            value ? Confidence::Documented : Confidence::Assumed);
        m_result.useFails |= passes && !*passes;
    }

    const WeightForm &m_form;
    const target::Target &m_target;
    GateReasons m_result;
};

} // namespace

GateReasons consultGates(const WeightForm &form, const target::Target &target)
{
    return Consultation(form, target).run();
}

} // namespace kernscope::decision
