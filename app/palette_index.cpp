// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/palette_index.h"

#include <QCoreApplication>

#include <algorithm>
#include <iterator>
#include <tuple>

namespace kernscope::app {

namespace {

struct PaletteWords {
    Q_DECLARE_TR_FUNCTIONS(kernscope::Palette)
};

constexpr int kByLetters = 3; ///< distance of a word that is there by its letters only

/// Whether the character that ends before `at` is part of a word.
bool isWordBefore(std::string_view text, std::size_t at)
{
    std::size_t from = at - 1;
    while (from > 0 && (static_cast<unsigned char>(text[from]) & 0xC0) == 0x80)
        --from; // to its first byte
    const QString letter = QString::fromUtf8(text.data() + from, static_cast<qsizetype>(at - from));
    return !letter.isEmpty() && letter.back().isLetterOrNumber();
}

/// 0: begins with it; 1: one of its words does; 2: holds it, at `at` first.
int distance(std::string_view text, std::string_view word, std::size_t at)
{
    if (at == 0)
        return 0;
    for (std::size_t from = at; from != text.npos; from = text.find(word, from + 1)) {
        if (!isWordBefore(text, from))
            return 1;
    }
    return 2;
}

/// Letters and digits, and whatever is not ASCII.
bool isLetter(char character)
{
    const auto byte = static_cast<unsigned char>(character);
    return byte >= 0x80 || (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z');
}

/// What is left of a text in lower case without what separates words: "conv_2" is conv2.
QByteArray lettersOf(const QByteArray &text)
{
    QByteArray letters;
    std::copy_if(text.begin(), text.end(), std::back_inserter(letters), isLetter);
    return letters;
}

/// Whether the text holds `letters` once what separates its words is left out.
bool holdsLetters(std::string_view text, std::string_view letters)
{
    if (letters.empty())
        return false;
    for (std::size_t from = text.find(letters.front()); from != text.npos;
         from = text.find(letters.front(), from + 1)) {
        std::size_t matched = 0;
        for (std::size_t at = from; at < text.size() && matched < letters.size(); ++at) {
            if (!isLetter(text[at]))
                continue;
            if (text[at] != letters[matched])
                break;
            ++matched;
        }
        if (matched == letters.size())
            return true;
    }
    return false;
}

/// Characters of UTF-16 that a text has.
std::size_t lengthOf(std::string_view text)
{
    std::size_t length = 0;
    for (const char letter : text) {
        const auto byte = static_cast<unsigned char>(letter);
        length += (byte & 0xC0) != 0x80 ? 1 : 0; // the first byte of a character
        length += byte >= 0xF0 ? 1 : 0;          // one that takes two
    }
    return length;
}

std::string_view viewOf(const QByteArray &text)
{
    return {text.constData(), static_cast<std::size_t>(text.size())};
}

} // namespace

struct PaletteIndex::Hit {
    int distance = 0; ///< of the first word
    int kind = 0;
    std::size_t length = 0, group = 0, name = 0;

    auto key() const { return std::tie(distance, kind, length, group, name); }
    bool operator<(const Hit &other) const { return key() < other.key(); }
};

/// The best hits for some words.
class PaletteIndex::Finding
{
public:
    Finding(const QString &words, int limit) : m_most(static_cast<std::size_t>(std::max(limit, 0)))
    {
        for (const QString &word : words.toLower().split(QLatin1Char(' '), Qt::SkipEmptyParts))
            m_words.push_back(word.toUtf8());
        for (const QByteArray &word : m_words)
            m_letters.push_back(lettersOf(word));
    }

    bool isEmpty() const { return m_words.empty(); }
    bool isFull() const { return m_hits.size() >= m_most; }

    /// The names lie in one run: the first word is looked for in all of them at once.
    void search(const Names &names, std::size_t group)
    {
        const std::string_view all = viewOf(names.folded), first = viewOf(m_words.front());
        std::size_t name = 0;
        for (std::size_t at = all.find(first); at != all.npos;) {
            while (names.starts[name + 1] <= at)
                ++name;
            const std::string_view text = names.at(name);
            const std::size_t within = at - names.starts[name];
            if (within + first.size() <= text.size() && hasOtherWords(text))
                add({distance(text, first, within), static_cast<int>(names.group.kind),
                     lengthOf(text), group, name});
            at = all.find(first, names.starts[name + 1]);
        }
    }

    /// Names that search() does not find: a word is in them where what separates words is left out.
    void searchLetters(const Names &names, std::size_t group)
    {
        for (std::size_t name = 0; name < names.size(); ++name) {
            const std::string_view text = names.at(name), first = viewOf(m_words.front());
            if (!hasLetters(text))
                continue;
            const std::size_t at = text.find(first);
            add({at == text.npos ? kByLetters : distance(text, first, at),
                 static_cast<int>(names.group.kind), lengthOf(text), group, name});
        }
    }

    std::vector<Hit> best()
    {
        const auto shown = static_cast<std::ptrdiff_t>(std::min(m_hits.size(), m_most));
        std::partial_sort(m_hits.begin(), m_hits.begin() + shown, m_hits.end());
        m_hits.resize(static_cast<std::size_t>(shown));
        return std::move(m_hits);
    }

private:
    bool hasOtherWords(std::string_view text) const
    {
        return std::all_of(m_words.begin() + 1, m_words.end(), [text](const QByteArray &word) {
            return text.find(viewOf(word)) != text.npos;
        });
    }

    /// Every word is in the text, and at least one of them only by its letters.
    bool hasLetters(std::string_view text) const
    {
        bool byLetters = false;
        for (std::size_t i = 0; i < m_words.size(); ++i) {
            if (text.find(viewOf(m_words[i])) != text.npos)
                continue;
            if (!holdsLetters(text, viewOf(m_letters[i])))
                return false;
            byLetters = true;
        }
        return byLetters;
    }

    void add(const Hit &hit)
    {
        constexpr std::size_t kMostKept = 4096; // before the worst are dropped
        m_hits.push_back(hit);
        if (m_hits.size() < m_most + kMostKept)
            return;
        // A letter that every name has.
        const auto last = m_hits.begin() + static_cast<std::ptrdiff_t>(m_most);
        std::nth_element(m_hits.begin(), last, m_hits.end());
        m_hits.resize(m_most);
    }

    std::size_t m_most;
    std::vector<QByteArray> m_words, m_letters;
    std::vector<Hit> m_hits;
};

std::string_view PaletteIndex::Names::at(std::size_t name) const
{
    return viewOf(folded).substr(starts[name], starts[name + 1] - starts[name] - 1);
}

QString PaletteIndex::Names::text(std::size_t name) const
{
    return group.name ? group.name(name) : group.names[static_cast<qsizetype>(name)];
}

void PaletteIndex::add(Group group)
{
    if (!group.name)
        group.count = static_cast<std::size_t>(group.names.size());
    Names names{std::move(group), {}, {}};
    names.starts.reserve(names.group.count + 1);
    names.starts.push_back(0);
    for (std::size_t i = 0; i < names.group.count; ++i) {
        names.folded += names.text(i).toLower().toUtf8();
        names.folded += '\0';
        names.starts.push_back(static_cast<std::size_t>(names.folded.size()));
    }
    names.folded.squeeze();
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
    Finding finding(text, limit);
    if (finding.isEmpty())
        return {};
    for (std::size_t g = 0; g < m_groups.size(); ++g)
        finding.search(m_groups[g], g);
    for (std::size_t g = 0; g < m_groups.size() && !finding.isFull(); ++g)
        finding.searchLetters(m_groups[g], g);
    QList<Item> items;
    for (const Hit &hit : finding.best()) {
        const Names &names = m_groups[hit.group];
        const Group &group = names.group;
        items.push_back(Item{group.kind, names.text(hit.name),
                             group.note ? group.note(hit.name) : QString(),
                             [run = group.run, at = hit.name] { run(at); }});
    }
    return items;
}

QString paletteKindWord(PaletteIndex::Kind kind)
{
    switch (kind) {
    case PaletteIndex::Kind::Weight: return PaletteWords::tr("weight");
    case PaletteIndex::Kind::Action: return PaletteWords::tr("action");
    case PaletteIndex::Kind::Operation: return PaletteWords::tr("operation");
    case PaletteIndex::Kind::Register: return PaletteWords::tr("register");
    case PaletteIndex::Kind::Section: return PaletteWords::tr("section");
    case PaletteIndex::Kind::Chip: return PaletteWords::tr("chip");
    case PaletteIndex::Kind::Help: return PaletteWords::tr("help");
    }
    return {};
}

} // namespace kernscope::app
