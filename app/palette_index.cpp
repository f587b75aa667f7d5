// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/palette_index.h"

#include <QCoreApplication>

#include <algorithm>
#include <tuple>

namespace kernscope::app {

namespace {

struct PaletteWords {
    Q_DECLARE_TR_FUNCTIONS(kernscope::Palette)
};

constexpr int kFar = 4; ///< distance of what does not hold the word

/// Letters and digits only: "conv_2" and "Conv 2" are conv2.
QString bare(const QString &text)
{
    QString letters;
    letters.reserve(text.size());
    for (const QChar letter : text) {
        if (letter.isLetterOrNumber())
            letters += letter;
    }
    return letters;
}

/// A word that is typed, and what of it is compared with bare names.
struct Word {
    QString text, letters;
};

/// 0: begins with it; 1: one of its words does; 2: holds it; 3: holds it where what separates words
/// is left out of both; kFar: does not.
int distance(const QString &text, const QString &letters, const Word &word)
{
    const qsizetype at = text.indexOf(word.text);
    if (at < 0)
        return !word.letters.isEmpty() && letters.contains(word.letters) ? 3 : kFar;
    if (at == 0)
        return 0;
    for (qsizetype from = at; from >= 0; from = text.indexOf(word.text, from + 1)) {
        if (!text[from - 1].isLetterOrNumber())
            return 1;
    }
    return 2;
}

struct Hit {
    int distance = 0;
    int kind = 0;
    qsizetype length = 0;
    std::size_t group = 0;
    qsizetype name = 0;

    auto key() const { return std::tie(distance, kind, length, group, name); }
    bool operator<(const Hit &other) const { return key() < other.key(); }
};

} // namespace

void PaletteIndex::add(Group group)
{
    Names names{std::move(group), {}, {}};
    names.folded.reserve(names.group.names.size());
    names.bare.reserve(names.group.names.size());
    for (const QString &name : std::as_const(names.group.names)) {
        names.folded += name.toLower();
        names.bare += bare(names.folded.back());
    }
    m_groups.push_back(std::move(names));
}

void PaletteIndex::merge(PaletteIndex other)
{
    for (Names &names : other.m_groups)
        m_groups.push_back(std::move(names));
}

void PaletteIndex::drop(std::initializer_list<Kind> kinds)
{
    std::erase_if(m_groups, [kinds](const Names &names) {
        return std::find(kinds.begin(), kinds.end(), names.group.kind) != kinds.end();
    });
}

QList<PaletteIndex::Item> PaletteIndex::find(const QString &text, int limit) const
{
    QList<Word> words;
    for (const QString &word : text.toLower().split(QLatin1Char(' '), Qt::SkipEmptyParts))
        words += Word{word, bare(word)};
    if (words.isEmpty())
        return {};
    constexpr std::size_t kMostKept = 4096; // before the worst are dropped
    const auto most = static_cast<std::size_t>(std::max(limit, 0));
    std::vector<Hit> hits;
    for (std::size_t g = 0; g < m_groups.size(); ++g) {
        const Names &names = m_groups[g];
        for (qsizetype i = 0; i < names.folded.size(); ++i) {
            const QString &name = names.folded[i], &letters = names.bare[i];
            const int first = distance(name, letters, words.front());
            if (first == kFar || !std::all_of(words.begin() + 1, words.end(), [&](const Word &w) {
                    return distance(name, letters, w) != kFar;
                }))
                continue;
            hits.push_back({first, static_cast<int>(names.group.kind), name.size(), g, i});
            if (hits.size() >= most + kMostKept) { // a letter that every name has
                std::nth_element(hits.begin(), hits.begin() + static_cast<std::ptrdiff_t>(most),
                                 hits.end());
                hits.resize(most);
            }
        }
    }
    const auto shown = std::min(hits.size(), most);
    std::partial_sort(hits.begin(), hits.begin() + static_cast<std::ptrdiff_t>(shown), hits.end());
    QList<Item> items;
    for (std::size_t i = 0; i < shown; ++i) {
        const Group &group = m_groups[hits[i].group].group;
        const auto at = static_cast<std::size_t>(hits[i].name);
        items.push_back(Item{group.kind, group.names[hits[i].name],
                             group.note ? group.note(at) : QString(),
                             [run = group.run, at] { run(at); }});
    }
    return items;
}

QString paletteKindWord(PaletteIndex::Kind kind)
{
    switch (kind) {
    case PaletteIndex::Kind::Weight: return PaletteWords::tr("weight");
    case PaletteIndex::Kind::Action: return PaletteWords::tr("action");
    case PaletteIndex::Kind::Operation: return PaletteWords::tr("operation");
    case PaletteIndex::Kind::Section: return PaletteWords::tr("section");
    case PaletteIndex::Kind::Chip: return PaletteWords::tr("chip");
    case PaletteIndex::Kind::Help: return PaletteWords::tr("help");
    }
    return {};
}

} // namespace kernscope::app
