// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/bytes/byte_search.h"

#include <algorithm>
#include <cstring>
#include <functional>

namespace kernscope::ui {

namespace {

constexpr std::size_t kSearchBlock = 4u << 20;

/// A searcher's tables are made once; places are looked for block by block, so that cancelling
/// takes effect at once.
class Finder
{
public:
    Finder(std::span<const std::byte> bytes, const SearchBytes &pattern, Progress &progress)
        : m_bytes(bytes), m_pattern(pattern), m_progress(progress),
          m_forward(pattern.begin(), pattern.end()), m_back(pattern.rbegin(), pattern.rend())
    {
    }

    /// First place in [from, to) where a whole pattern begins.
    std::optional<std::uint64_t> first(std::size_t from, std::size_t to)
    {
        while (from < to && !m_stopped) {
            const std::size_t stop = from + std::min(kSearchBlock, to - from);
            const auto block = blockOf(from, stop);
            const auto at = std::search(block.begin(), block.end(), m_forward);
            if (at != block.end())
                return from + static_cast<std::size_t>(at - block.begin());
            m_stopped = !m_progress.advance(stop - from);
            from = stop;
        }
        return std::nullopt;
    }

    /// Last place in [from, to) where a whole pattern begins.
    std::optional<std::uint64_t> last(std::size_t from, std::size_t to)
    {
        while (from < to && !m_stopped) {
            const std::size_t start = to - std::min(kSearchBlock, to - from);
            const auto block = blockOf(start, to);
            const auto begin = std::make_reverse_iterator(block.end());
            const auto end = std::make_reverse_iterator(block.begin());
            const auto at = std::search(begin, end, m_back);
            if (at != end)
                return start + static_cast<std::size_t>(end - at) - m_pattern.size();
            m_stopped = !m_progress.advance(to - start);
            to = start;
        }
        return std::nullopt;
    }

private:
    /// Bytes in which a pattern that begins in [from, to) lies.
    std::span<const std::byte> blockOf(std::size_t from, std::size_t to) const
    {
        const std::size_t tail = std::min(m_pattern.size() - 1, m_bytes.size() - to);
        return m_bytes.subspan(from, to - from + tail);
    }

    std::span<const std::byte> m_bytes;
    const SearchBytes &m_pattern;
    Progress &m_progress;
    std::boyer_moore_horspool_searcher<SearchBytes::const_iterator> m_forward;
    std::boyer_moore_horspool_searcher<SearchBytes::const_reverse_iterator> m_back;
    bool m_stopped = false;
};

} // namespace

std::optional<SearchBytes> parseHexPattern(const QString &text)
{
    QString digits = text.toLower();
    digits.remove(QStringLiteral("0x"));
    digits.remove(u',').remove(u' ').remove(u'\t').remove(u'\n');
    if (digits.isEmpty() || digits.size() % 2 != 0)
        return std::nullopt;
    SearchBytes pattern;
    for (qsizetype i = 0; i < digits.size(); i += 2) {
        bool sound = false;
        const auto byte = digits.mid(i, 2).toUInt(&sound, 16);
        if (!sound || !digits[i].isLetterOrNumber())
            return std::nullopt;
        pattern.push_back(static_cast<std::byte>(byte));
    }
    return pattern;
}

std::optional<SearchBytes> parseTextPattern(const QString &text)
{
    const QByteArray utf8 = text.toUtf8();
    if (utf8.isEmpty())
        return std::nullopt;
    SearchBytes pattern(static_cast<std::size_t>(utf8.size()));
    std::memcpy(pattern.data(), utf8.constData(), pattern.size());
    return pattern;
}

std::optional<std::uint64_t> findBytes(std::span<const std::byte> bytes, const SearchBytes &pattern,
                                       std::uint64_t from, bool forward, Progress &progress)
{
    if (pattern.empty() || pattern.size() > bytes.size())
        return std::nullopt;
    const std::size_t places = bytes.size() - pattern.size() + 1;
    const auto start = static_cast<std::size_t>(std::min<std::uint64_t>(from, places));
    progress.setTotal(places);
    Finder finder(bytes, pattern, progress);
    if (forward) {
        const auto found = finder.first(start, places);
        return found ? found : finder.first(0, start);
    }
    const auto found = finder.last(0, start);
    return found ? found : finder.last(start, places);
}

} // namespace kernscope::ui
