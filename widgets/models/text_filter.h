// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace kernscope::ui {

/// The words of a filter box. A row passes where every word occurs in one of its texts; ASCII
/// letters match in either case.
class TextFilter
{
public:
    TextFilter() = default;
    explicit TextFilter(const QString &words);

    bool empty() const { return m_words.empty(); }
    bool passes(std::initializer_list<std::string_view> texts) const;

    static bool contains(std::string_view text, std::string_view lowerCaseWord);

private:
    std::vector<std::string> m_words; ///< lower case, UTF-8
};

} // namespace kernscope::ui
