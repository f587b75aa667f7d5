// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/legality.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace kernscope::format {

namespace {

constexpr unsigned kFirstVersion = 5; // descriptor of the first generation (chapter 25)

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

    bool firstVersion() const { return m_request.descriptorVersion <= kFirstVersion; }

    void indexWidth()
    {
        static constexpr std::array<unsigned, 6> kWidths{1, 2, 3, 4, 6, 8};
        const unsigned bits = m_request.indexBits;
        const std::string found = fmt::format("{} bits", bits);
        const bool known = std::find(kWidths.begin(), kWidths.end(), bits) != kWidths.end();
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
            add("odd index width", stateOf(!firstVersion()), "a descriptor after version 5",
                fmt::format("version {}", m_request.descriptorVersion), "table 25.5");
        }
    }

    void vectorSize()
    {
        add("vector size", stateOf(isLegalVectorSize(m_request.vectorSize)),
            "1, 2, 4 or 5 (mask 0x36)", fmt::format("{}", m_request.vectorSize),
            "chapter 25, four codecs");
    }

    void codebooks()
    {
        const bool several = m_request.codebooks > 1;
        add("codebooks", stateOf(m_request.codebooks > 0 && !(several && firstVersion())),
            firstVersion() ? "one codebook on descriptor version 5" : "at least one codebook",
            fmt::format("{}", m_request.codebooks), "table 25.5, multi-codebook palette");
    }

    void quantisedPalette()
    {
        if (m_request.entries == "fp16")
            return;
        const unsigned bits = std::min(m_request.indexBits, 16U);
        const unsigned entries = 1U << bits;
        add("quantised palette", stateOf(entries < 256), "fewer than 256 entries",
            fmt::format("{} entries", entries), "chapter 25, four codecs");
    }

    void packedSparse()
    {
        if (!m_request.packedSparsePalette)
            return;
        add("sparse index packing", stateOf(!firstVersion()), "a descriptor after version 5",
            fmt::format("version {}", m_request.descriptorVersion), "table 25.5");
    }

    void e4m3()
    {
        if (m_request.entries != "e4m3")
            return;
        const auto &capability = m_request.e4m3Capability;
        add("E4M3 capability", capability ? stateOf(*capability) : RuleState::Unknown,
            "hal[0x52d] = 1", capability ? (*capability ? "1" : "0") : "unknown",
            "chapter 36, fp8 datapath");
        add("E4M3 encoder", stateOf(m_request.descriptorVersion >= 20),
            "a descriptor of version 20 or later",
            fmt::format("version {}", m_request.descriptorVersion), "table 36.3");
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
        add("symmetric", stateOf(!(m_request.zeroPoint && firstVersion())),
            firstVersion() ? "zero point 0 on descriptor version 5" : "any zero point",
            m_request.zeroPoint ? "a zero point" : "0", "table 25.5, asymmetric quantization");
    }

    const FormRequest &m_request;
    Legality m_result;
};

} // namespace

bool Legality::legal() const
{
    return refusal() == nullptr;
}

const LegalityRule *Legality::refusal() const
{
    const auto at = std::find_if(rules.begin(), rules.end(), [](const LegalityRule &rule) {
        return rule.state == RuleState::Refuses;
    });
    return at == rules.end() ? nullptr : &*at;
}

Legality checkLegality(const FormRequest &request)
{
    return Checker(request).run();
}

} // namespace kernscope::format
