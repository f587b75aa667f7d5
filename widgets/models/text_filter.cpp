// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/text_filter.h"

#include <QStringList>

#include <algorithm>

namespace kernscope::ui {

namespace {

constexpr char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

} // namespace

TextFilter::TextFilter(const QString &words)
{
    const QStringList parts = words.simplified().split(u' ', Qt::SkipEmptyParts);
    for (const QString &part : parts) {
        std::string word = part.toStdString();
        std::transform(word.begin(), word.end(), word.begin(), lower);
        m_words.push_back(std::move(word));
    }
}

bool TextFilter::passes(std::initializer_list<std::string_view> texts) const
{
    return std::all_of(m_words.begin(), m_words.end(), [texts](const std::string &word) {
        return std::any_of(texts.begin(), texts.end(),
                           [&word](std::string_view text) { return contains(text, word); });
    });
}

bool TextFilter::contains(std::string_view text, std::string_view lowerCaseWord)
{
    const auto at = std::search(text.begin(), text.end(), lowerCaseWord.begin(),
                                lowerCaseWord.end(), [](char a, char b) { return lower(a) == b; });
    return lowerCaseWord.empty() || at != text.end();
}

} // namespace kernscope::ui
