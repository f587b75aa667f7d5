// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

namespace kernscope {

/// A regular expression as Python's re.fullmatch() takes it, without what looks back: references to
/// groups and lookbehind. A text is matched in steps of which there are at most as many as the
/// product of both lengths (of that and the text's again where it looks ahead), and on the heap.
class NameExpression
{
public:
    /// A point stands for an underscore too where it is written "\.": programs have
    /// "layers_0_fc" for "layers.0.fc". The error says what is not read.
    static tl::expected<NameExpression, std::string> parse(std::string_view text);

    /// Takes what it needs off `steps`; nothing where they are used up.
    std::optional<bool> matches(std::string_view text, std::uint64_t &steps) const
    {
        return run(0, 0, text, steps);
    }
    std::size_t size() const { return m_steps.size(); }

    /// What is written out of repetitions with numbers: "a{9}" is nine.
    struct Step {
        enum class Kind : std::uint8_t { Set, Fork, Begin, End, Edge, NoEdge, Look, Not, Accept };
        Kind kind = Kind::Accept;
        /// From here, of a fork; of what looks ahead, for which the next steps up to an Accept
        /// stand, `other` is behind them.
        std::ptrdiff_t next = 1, other = 1;
        std::bitset<256> set = {};
    };

private:
    std::optional<bool> run(std::size_t from, std::size_t at, std::string_view text,
                            std::uint64_t &steps) const;

    std::vector<Step> m_steps;
};

} // namespace kernscope
