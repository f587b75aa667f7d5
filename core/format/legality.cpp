// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/legality.h"

#include "core/base/find.h"
#include "core/format/table_rows.h"
#include "core/numeric/element_type.h"

#include <algorithm>
#include <iterator>
#include <map>

#include <fmt/format.h>

namespace kernscope::format {

namespace {

RuleState stateOf(bool passes)
{
    return passes ? RuleState::Passes : RuleState::Refuses;
}

/// Collects rules; each helper below adds those of one subject.
class Checker
{
public:
    explicit Checker(const FormRequest &request) : m_request(request) {}

    Legality run()
    {
        if (m_request.kind == FormRequest::Kind::Palette) {
            indexWidth();
            vectorSize();
            codebooks();
            quantisedPalette();
            packedSparse();
        }
        e4m3();
        zeroPoint();
        return std::move(m_result);
    }

private:
    void add(std::string name, RuleState state, std::string required, std::string found,
             std::string source, Confidence confidence = Confidence::Documented)
    {
        m_result.rules.push_back({std::move(name), state, std::move(required), std::move(found),
                                  std::move(source), confidence});
    }

    /// The rule of table 25.5 for a capability that the form needs.
    void codegen(std::string name, std::string_view capability, bool needed, std::string required,
                 std::string found)
    {
        const CodegenRule *rule = codegenRule(capability);
        const bool has = rule && m_request.descriptorVersion >= rule->sinceVersion;
        add(std::move(name), stateOf(!needed || has), has ? "any" : std::move(required),
            std::move(found), rule ? rule->source : std::string("table 25.5"),
            rule ? rule->confidence : Confidence::Documented);
    }
    std::string version() const { return fmt::format("version {}", m_request.descriptorVersion); }

    void indexWidth()
    {
        const unsigned bits = m_request.indexBits;
        const std::string found = fmt::format("{} bits", bits);
        const bool known = unsignedType(bits) != ElementType::Unknown;
        add("index width", stateOf(known), "1, 2, 3, 4, 6 or 8 bits", found,
            "chapters 25 and 36 (palette expansion)");
        if (!known)
            return;
        if (bits <= 2) {
            // The palette expander handles 1 and 2 bits; the general path is said to reject them.
            add("narrow index width",
                m_request.entries == "e4m3" ? RuleState::Passes : RuleState::Refuses,
                "not 1 or 2 bits on the general path", found,
                "chapter 25, four codecs; converters write both widths", Confidence::Contested);
        }
        if (bits == 3 || bits == 6) {
            codegen("odd index width", "palette of 3 and 6 bits", true,
                    "a descriptor after version 5", version());
        }
    }

    void vectorSize()
    {
        add("vector size", stateOf(isPaletteVector(m_request.vectorSize)),
            "1, 2, 4 or 5 (mask 0x36)", fmt::format("{}", m_request.vectorSize),
            "chapter 25, four codecs");
    }

    void codebooks()
    {
        const bool several = m_request.codebooks > 1;
        codegen("codebooks", "multi-codebook palette", several,
                "one codebook on descriptor version 5", fmt::format("{}", m_request.codebooks));
    }

    void quantisedPalette()
    {
        if (m_request.entries == "fp16")
            return;
        const unsigned bits = std::min(m_request.indexBits, 16U);
        const unsigned entries = 1U << bits;
        const bool contested = m_request.entries == "e4m3" && entries >= 256;
        add("quantised palette", stateOf(entries < 256), "fewer than 256 entries",
            fmt::format("{} entries", entries),
            contested ? "chapter 25, four codecs; chapter 36 has E4M3 palettes of 8 bits, too"
                      : "chapter 25, four codecs",
            contested ? Confidence::Contested : Confidence::Documented);
    }

    void packedSparse()
    {
        if (!m_request.packedSparsePalette)
            return;
        const CodegenRule *rule = codegenRule("sparse index packing");
        codegen("sparse index packing", "sparse index packing", true,
                rule && rule->offset
                    ? fmt::format("a descriptor after version 5, with its packed flag at {:#05x}",
                                  *rule->offset)
                    : "a descriptor after version 5",
                version());
    }

    void e4m3()
    {
        if (m_request.entries != "e4m3")
            return;
        const auto &capability = m_request.e4m3Capability;
        add("E4M3 capability", capability ? stateOf(*capability) : RuleState::Unknown,
            "hal[0x52d] = 1", capability ? (*capability ? "1" : "0") : "unknown",
            "chapter 36, fp8 datapath");
        codegen("E4M3 encoder", "E4M3 element code", true, "a descriptor of version 20 or later",
                version());
    }

    void zeroPoint()
    {
        const auto kind = m_request.kind;
        if (kind == FormRequest::Kind::Dense || kind == FormRequest::Kind::Sparse)
            return;
        if (m_request.entries == "e4m3") {
            add("E4M3 zero point", stateOf(!m_request.zeroPoint), "zero point 0",
                m_request.zeroPoint ? "a zero point" : "0", "chapter 36, symmetric only");
        }
        codegen("symmetric", "asymmetric quantization", m_request.zeroPoint,
                "zero point 0 on descriptor version 5", m_request.zeroPoint ? "a zero point" : "0");
    }

    const FormRequest &m_request;
    Legality m_result;
};

/// The rules that hold for the code itself, before those of the form.
class CodeRules
{
public:
    CodeRules(const KernelFormatRow &row, const FormatUse &use) : m_row(row), m_use(use) {}

    std::vector<LegalityRule> run()
    {
        known();
        range();
        version();
        return std::move(m_rules);
    }

private:
    /// Formats newer than the chapters: no source gives the byte that would enable them.
    void known()
    {
        if (m_row.format.value > kLastOfTheChapters)
            m_rules.push_back(
                {"capability", RuleState::Unknown, "a capability byte that is set",
                 fmt::format("{} ({}): its byte is not published", m_row.name, m_row.format.value),
                 m_row.source, Confidence::Assumed});
    }

    void range()
    {
        if (m_row.kind == KernelFormatKind::Palette)
            addSet("palette range", paletteFormats());
        else if (m_row.kind == KernelFormatKind::Unity)
            addSet("unity range", unityFormats());
        else if (m_row.format.value <= kLastOfTheChapters)
            addSet("native format", nativeKernelFormats());
    }

    void addSet(const char *name, const CodeSet &set)
    {
        const std::uint32_t code = m_row.format.value;
        m_rules.push_back({name, stateOf(set.has(code)), set.guard,
                           fmt::format("{} ({})", m_row.name, code), set.source, set.confidence});
    }

    void version()
    {
        if (!m_row.sinceVersion)
            return;
        m_rules.push_back(
            {"descriptor version", stateOf(m_use.descriptorVersion >= *m_row.sinceVersion),
             fmt::format("a descriptor of version {} or later", *m_row.sinceVersion),
             fmt::format("version {}", m_use.descriptorVersion), m_row.source, m_row.confidence});
    }

    static constexpr std::uint32_t kLastOfTheChapters = 31;

    const KernelFormatRow &m_row;
    const FormatUse &m_use;
    std::vector<LegalityRule> m_rules;
};

FormRequest requestOf(const KernelFormatRow &row, const FormatUse &use)
{
    FormRequest request;
    request.descriptorVersion = use.descriptorVersion;
    request.entries = row.underlying;
    request.zeroPoint = use.zeroPoint;
    request.e4m3Capability = use.e4m3Capability;
    const bool quantised =
        row.underlying == "int8" || row.underlying == "uint8" || row.underlying == "e4m3";
    if (row.kind == KernelFormatKind::Palette) {
        request.kind = FormRequest::Kind::Palette;
        request.indexBits = row.bits.value_or(0);
        request.vectorSize = use.vectorSize;
        request.codebooks = use.codebooks;
        request.packedSparsePalette = use.packedSparsePalette;
        request.zeroPoint = use.zeroPoint && quantised;
    } else if (quantised) {
        request.kind = FormRequest::Kind::Affine;
    }
    return request;
}

} // namespace

const LegalityRule *Legality::refusal() const
{
    return findBy(rules, &LegalityRule::state, RuleState::Refuses);
}

std::optional<bool> Legality::verdict() const
{
    if (refusal() != nullptr)
        return false;
    const bool open = std::ranges::any_of(
        rules, [](const LegalityRule &rule) { return rule.state == RuleState::Unknown; });
    return open ? std::nullopt : std::optional(true);
}

std::span<const CodegenRule> codegenRules()
{
    static const auto rules = tables::loadRows<CodegenRule>(
        "codegen_rules", {{"capability", &CodegenRule::capability},
                          {"since_version", &CodegenRule::sinceVersion},
                          {"offset",
                           [](CodegenRule &row, std::string_view cell) {
                               tables::readCell(cell, row.offset);
                               if (row.offset == 0U)
                                   row.offset.reset();
                           }},
                          {"source", &CodegenRule::source},
                          {"note", &CodegenRule::note},
                          {"confidence", &CodegenRule::confidence}});
    return rules;
}

const CodegenRule *codegenRule(std::string_view capability)
{
    for (const CodegenRule &rule : codegenRules()) {
        if (rule.capability == capability)
            return &rule;
    }
    return nullptr;
}

Legality checkLegality(const FormRequest &request)
{
    return Checker(request).run();
}

Legality checkKernelFormat(const KernelFormatRow &row, const FormatUse &use)
{
    Legality result{CodeRules(row, use).run()};
    Legality form = checkLegality(requestOf(row, use));
    std::move(form.rules.begin(), form.rules.end(), std::back_inserter(result.rules));
    return result;
}

} // namespace kernscope::format

namespace kernscope {

const WeightOperand *weightOperand(std::string_view operation, std::string_view operand)
{
    using Rows =
        std::map<std::string, std::map<std::string, WeightOperand, std::less<>>, std::less<>>;
    static const Rows rows = [] {
        Rows made;
        for (WeightOperand &row : tables::loadRows<WeightOperand>(
                 "weight_operands", {{"operation", &WeightOperand::operation},
                                     {"operand", &WeightOperand::operand},
                                     {"least_elements", &WeightOperand::leastElements},
                                     {"floating_point", &WeightOperand::floatingPoint},
                                     {"compressible", &WeightOperand::compressible},
                                     {"note", &WeightOperand::note}}))
            made[row.operation][row.operand] = std::move(row);
        return made;
    }();
    const auto of = rows.find(operation);
    if (of == rows.end())
        return nullptr;
    const auto found = of->second.find(operand);
    return found == of->second.end() ? nullptr : &found->second;
}

bool isBiasOperand(std::string_view operand)
{
    return operand.find("bias") != std::string_view::npos;
}

} // namespace kernscope
