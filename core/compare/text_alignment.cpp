// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compare/text_alignment.h"

#include "core/base/text.h"
#include "core/compare/compare.h"

#include <algorithm>
#include <unordered_map>

namespace kernscope {

namespace {

using Lines = std::vector<std::string_view>;

std::optional<Lines> split(std::string_view text, std::size_t most)
{
    Lines lines;
    while (!text.empty()) {
        if (lines.size() == most)
            return std::nullopt;
        const auto end = text.find('\n');
        const std::size_t length = end == std::string_view::npos ? text.size() : end + 1;
        lines.push_back(text.substr(0, length));
        text.remove_prefix(length);
    }
    return lines;
}

/// What a line is recognised by where its text differs: the name of the value that a statement
/// defines, without a converter's suffix ("type NAME = op(…)"); of JSON, the key.
std::string lineKeyOf(std::string_view line)
{
    const auto equals = line.find(" = ");
    if (equals != std::string_view::npos) {
        const auto space = line.find_last_of(" >", equals - (equals > 0 ? 1 : 0));
        const std::size_t first = space == std::string_view::npos ? 0 : space + 1;
        return baseName(line.substr(first, equals - first));
    }
    const auto quote = line.find('"');
    const auto end = quote == std::string_view::npos ? quote : line.find('"', quote + 1);
    if (end == std::string_view::npos)
        return {};
    return std::string(line.substr(quote, end - quote + 1));
}

/// Last resort: the first word ("func", "return").
std::string firstWordOf(std::string_view line)
{
    const auto first = line.find_first_not_of(" \t");
    if (first == std::string_view::npos)
        return {};
    const auto end = line.find_first_of(" \t(<[{\n", first);
    return std::string(line.substr(first, end == std::string_view::npos ? end : end - first));
}

class TextAligner
{
public:
    TextAligner(Lines a, Lines b) : m_a(std::move(a)), m_b(std::move(b))
    {
        m_partner.assign(m_a.size(), kNone);
    }

    std::vector<TextPiece> run()
    {
        trimEnds();
        const auto text = [](std::string_view line) { return std::string(line); };
        matchOnce(m_first, m_a.size() - m_last, m_first, m_b.size() - m_last, text);
        growMatches();
        matchGaps(lineKeyOf);
        matchGaps(firstWordOf);
        return pieces();
    }

private:
    static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

    /// Equal lines at both ends need no search.
    void trimEnds()
    {
        const std::size_t most = std::min(m_a.size(), m_b.size());
        while (m_first < most && m_a[m_first] == m_b[m_first]) {
            m_partner[m_first] = m_first;
            ++m_first;
        }
        while (m_first + m_last < most &&
               m_a[m_a.size() - 1 - m_last] == m_b[m_b.size() - 1 - m_last]) {
            m_partner[m_a.size() - 1 - m_last] = m_b.size() - 1 - m_last;
            ++m_last;
        }
    }

    /// Matches lines whose key occurs once in each of two ranges, as long as they keep their order.
    template <class Key>
    void matchOnce(std::size_t firstA, std::size_t endA, std::size_t firstB, std::size_t endB,
                   Key key)
    {
        struct Places {
            std::size_t a = kNone, b = kNone, timesA = 0, timesB = 0;
        };
        std::unordered_map<std::string, Places> places;
        for (std::size_t i = firstA; i < endA; ++i) {
            if (std::string k = key(m_a[i]); !k.empty()) {
                Places &at = places[std::move(k)];
                at.a = i;
                ++at.timesA;
            }
        }
        for (std::size_t i = firstB; i < endB; ++i) {
            if (std::string k = key(m_b[i]); !k.empty()) {
                Places &at = places[std::move(k)];
                at.b = i;
                ++at.timesB;
            }
        }
        std::vector<std::pair<std::size_t, std::size_t>> once;
        for (const auto &[k, at] : places) {
            if (at.timesA == 1 && at.timesB == 1)
                once.emplace_back(at.a, at.b);
        }
        std::ranges::sort(once);
        std::vector<std::uint64_t> placesInB;
        for (const auto &[a, b] : once)
            placesInB.push_back(b);
        for (const std::size_t i : longestAscending(placesInB))
            m_partner[once[i].first] = once[i].second;
    }

    /// Equal lines right after and right before matched ones belong together as well.
    void growMatches()
    {
        std::vector<std::size_t> bound(m_a.size() + 1, m_b.size()); // partner of the next match
        for (std::size_t i = m_a.size(); i-- > 0;)
            bound[i] = m_partner[i] != kNone ? m_partner[i] : bound[i + 1];
        for (std::size_t i = 0; i + 1 < m_a.size(); ++i) {
            const std::size_t b = m_partner[i];
            if (b != kNone && m_partner[i + 1] == kNone && b + 1 < bound[i + 1] &&
                m_a[i + 1] == m_b[b + 1])
                m_partner[i + 1] = b + 1;
        }
        std::size_t floor = 0; // one past the partner of the match before
        for (std::size_t i = 0; i < m_a.size(); ++i) {
            bound[i] = floor;
            floor = m_partner[i] != kNone ? m_partner[i] + 1 : floor;
        }
        for (std::size_t i = m_a.size(); i-- > 1;) {
            const std::size_t b = m_partner[i];
            if (b != kNone && m_partner[i - 1] == kNone && b > bound[i - 1] &&
                m_a[i - 1] == m_b[b - 1])
                m_partner[i - 1] = b - 1;
        }
    }

    /// Between matches: lines whose key occurs once on each side.
    template <class Key>
    void matchGaps(Key key)
    {
        std::size_t a = 0, b = 0;
        while (a < m_a.size()) {
            if (m_partner[a] != kNone) {
                b = m_partner[a++] + 1;
                continue;
            }
            std::size_t endA = a;
            while (endA < m_a.size() && m_partner[endA] == kNone)
                ++endA;
            matchOnce(a, endA, b, endA < m_a.size() ? m_partner[endA] : m_b.size(), key);
            a = endA;
        }
    }

    std::vector<TextPiece> pieces() const
    {
        std::vector<TextPiece> pieces;
        std::size_t b = 0;
        std::uint64_t atA = 0, atB = 0;
        const auto onlyB = [&](std::size_t end) {
            for (; b < end; ++b) {
                addLine(pieces, {}, m_b[b], atA, atB);
                atB += m_b[b].size();
            }
        };
        for (std::size_t a = 0; a < m_a.size(); ++a) {
            const std::size_t partner = m_partner[a];
            if (partner != kNone)
                onlyB(partner);
            const std::string_view lineB = partner == kNone ? std::string_view() : m_b[partner];
            addLine(pieces, m_a[a], lineB, atA, atB);
            atA += m_a[a].size();
            atB += lineB.size();
            b += partner == kNone ? 0 : 1;
        }
        onlyB(m_b.size());
        return pieces;
    }

    static void addLine(std::vector<TextPiece> &pieces, std::string_view a, std::string_view b,
                        std::uint64_t atA, std::uint64_t atB)
    {
        TextPiece piece{atA, a.size(), atB, b.size(), a == b, 0, 0};
        if (!piece.equal) {
            const std::size_t most = std::min(a.size(), b.size());
            while (piece.prefix < most && a[piece.prefix] == b[piece.prefix])
                ++piece.prefix;
            while (piece.prefix + piece.suffix < most &&
                   a[a.size() - 1 - piece.suffix] == b[b.size() - 1 - piece.suffix])
                ++piece.suffix;
        }
        pieces.push_back(piece);
    }

    Lines m_a, m_b;
    std::vector<std::size_t> m_partner;  ///< line of B of each line of A
    std::size_t m_first = 0, m_last = 0; ///< equal lines at both ends
};

} // namespace

std::optional<std::vector<TextPiece>> alignTexts(std::string_view a, std::string_view b,
                                                 std::size_t mostLines)
{
    auto linesA = split(a, mostLines);
    auto linesB = split(b, mostLines);
    if (!linesA || !linesB)
        return std::nullopt;
    return TextAligner(*std::move(linesA), *std::move(linesB)).run();
}

std::vector<std::size_t> longestAscending(const std::vector<std::uint64_t> &numbers)
{
    std::vector<std::size_t> tails, before(numbers.size(), kNoIndex);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const auto at =
            std::lower_bound(tails.begin(), tails.end(), i,
                             [&](std::size_t x, std::size_t y) { return numbers[x] < numbers[y]; });
        before[i] = at == tails.begin() ? kNoIndex : *(at - 1);
        if (at == tails.end())
            tails.push_back(i);
        else
            *at = i;
    }
    std::vector<std::size_t> run;
    for (std::size_t i = tails.empty() ? kNoIndex : tails.back(); i != kNoIndex; i = before[i])
        run.push_back(i);
    return run;
}

bool looksLikeText(std::string_view bytes)
{
    const std::string_view start = bytes.substr(0, 4096);
    return !start.empty() && std::ranges::all_of(start, [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte >= 0x20 || byte == '\n' || byte == '\r' || byte == '\t';
    });
}

} // namespace kernscope
