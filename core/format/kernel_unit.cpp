// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/kernel_unit.h"

#include "core/base/error_builder.h"

#include <charconv>
#include <limits>
#include <vector>

#include <fmt/format.h>

namespace kernscope::format {

namespace {

struct SectionWords {
    std::string_view name, comment;
};

// Listing 25.1.
constexpr std::array<SectionWords, KernelUnit::kSections> kSections{{
    {"lut", "activation LUT (typeno, bitdepth, lut_bytes)"},
    {"pal", "palette LUT (palette_format, bitdepth, num_luts, lut_bytes)"},
    {"ocgs", "output-channel-group table (typeno, bitdepth, records, bytes)"},
    {"scale", "per-output-channel scale (typeno, bitdepth, channels, bytes)"},
    {"bias", "per-output-channel bias (typeno, bitdepth, channels, bytes)"},
    {"weights", "packed weight or index blob (typeno, bitdepth, elements, bytes)"},
}};

std::string tupleOf(KernelUnit::SectionId which, const std::optional<UnitSection> &section)
{
    if (!section)
        return "()";
    if (which == KernelUnit::Lut)
        return fmt::format("({}, {}, {})", section->type.value, section->bitDepth, section->bytes);
    const std::uint32_t first =
        which == KernelUnit::Pal ? section->paletteFormat : section->type.value;
    return fmt::format("({}, {}, {}, {})", first, section->bitDepth, section->count,
                       section->bytes);
}

/// Reads tokens of the listing, skipping blanks and comments.
class Reader
{
public:
    explicit Reader(std::string_view text) : m_text(text) {}

    Result<KernelUnit> unit()
    {
        KernelUnit unit;
        std::uint64_t type = 0;
        if (!prefixed('t', type) || !accept('=') || !prefixed('s', unit.offset))
            return fail("unit.syntax", "t<number> = s<number>");
        if (type > std::numeric_limits<std::uint32_t>::max())
            return fail("unit.number", "a 32-bit type number");
        unit.type = static_cast<std::uint32_t>(type);
        for (skip(); m_at < m_text.size(); skip()) {
            if (auto read = section(unit); !read)
                return tl::unexpected(read.error());
        }
        return unit;
    }

private:
    Result<void> section(KernelUnit &unit)
    {
        const std::size_t start = m_at;
        while (m_at < m_text.size() && isName(m_text[m_at]))
            ++m_at;
        const std::string_view name = m_text.substr(start, m_at - start);
        std::size_t which = 0;
        while (which < kSections.size() && kSections[which].name != name)
            ++which;
        if (which == kSections.size() || m_seen[which]) {
            m_at = start;
            return fail("unit.section", "lut, pal, ocgs, scale, bias or weights, each once");
        }
        m_seen[which] = true;
        if (!accept(':'))
            return fail("unit.syntax", "':'");
        if (!accept('(')) {
            // A bare name, as the listing itself has it: the section is absent.
            const bool next = m_at == m_text.size() || isName(m_text[m_at]);
            return next ? Result<void>() : fail("unit.syntax", "'(' or the next section");
        }
        std::vector<std::uint64_t> numbers;
        if (!accept(')')) {
            if (!tuple(numbers))
                return fail("unit.syntax", "numbers and ')'");
            return fill(unit, static_cast<KernelUnit::SectionId>(which), numbers);
        }
        return {};
    }

    static bool isName(char c) { return c >= 'a' && c <= 'z'; }

    bool tuple(std::vector<std::uint64_t> &numbers)
    {
        do {
            std::uint64_t value = 0;
            if (numbers.size() == 4 || !number(value))
                return false;
            numbers.push_back(value);
        } while (accept(','));
        return accept(')');
    }

    Result<void> fill(KernelUnit &unit, KernelUnit::SectionId which,
                      const std::vector<std::uint64_t> &numbers)
    {
        const std::size_t wanted = which == KernelUnit::Lut ? 3 : 4;
        if (numbers.size() != wanted)
            return fail("unit.syntax", fmt::format("{} numbers", wanted));
        if (numbers[0] > UINT32_MAX || numbers[1] > UINT32_MAX)
            return fail("unit.number", "32-bit type and bit depth");
        UnitSection section;
        const auto first = static_cast<std::uint32_t>(numbers[0]);
        if (which == KernelUnit::Pal) {
            section.paletteFormat = first;
            section.type = TypeNumber(8);
        } else {
            section.type = TypeNumber(first);
        }
        section.bitDepth = static_cast<std::uint32_t>(numbers[1]);
        section.count = wanted == 4 ? numbers[2] : 1;
        section.bytes = numbers.back();
        unit.sections[which] = section;
        return {};
    }

    void skip()
    {
        while (m_at < m_text.size()) {
            const char c = m_text[m_at];
            if (c == ';') {
                const std::size_t end = m_text.find('\n', m_at);
                m_at = end == std::string_view::npos ? m_text.size() : end;
            } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
                ++m_at;
            } else {
                return;
            }
        }
    }

    bool accept(char c)
    {
        skip();
        if (m_at == m_text.size() || m_text[m_at] != c)
            return false;
        ++m_at;
        return true;
    }

    bool prefixed(char prefix, std::uint64_t &value) { return accept(prefix) && number(value); }

    bool number(std::uint64_t &value)
    {
        skip();
        const std::string_view rest = m_text.substr(m_at);
        const bool hex = rest.starts_with("0x") || rest.starts_with("0X");
        const char *end = m_text.data() + m_text.size();
        const auto [stop, fault] =
            std::from_chars(rest.data() + (hex ? 2 : 0), end, value, hex ? 16 : 10);
        if (fault != std::errc())
            return false;
        m_at = static_cast<std::size_t>(stop - m_text.data());
        return true;
    }

    tl::unexpected<Error> fail(std::string code, std::string expected) const
    {
        return ErrorBuilder(code)
            .at(FileOffset(m_at))
            .expected(std::move(expected))
            .found(m_at < m_text.size() ? fmt::format("'{}'", m_text.substr(m_at, 16))
                                        : std::string("the end of the text"))
            .message("the kernel-unit listing cannot be read")
            .unexpected();
    }

    std::string_view m_text;
    std::size_t m_at = 0;
    std::array<bool, KernelUnit::kSections> m_seen{};
};

} // namespace

std::string_view unitSectionName(KernelUnit::SectionId section)
{
    return kSections[section].name;
}

std::string printKernelUnit(const KernelUnit &unit)
{
    std::string text = fmt::format("t{} = s{}\n", unit.type, unit.offset);
    for (std::size_t i = 0; i < kSections.size(); ++i) {
        const auto which = static_cast<KernelUnit::SectionId>(i);
        text += fmt::format("  {:<9}{:<28}; {}\n", fmt::format("{}:", kSections[i].name),
                            tupleOf(which, unit.sections[i]), kSections[i].comment);
    }
    return text;
}

Result<KernelUnit> parseKernelUnit(std::string_view text)
{
    return Reader(text).unit();
}

} // namespace kernscope::format
