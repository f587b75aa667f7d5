// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/short_names.h"

#include <QHash>

#include <algorithm>
#include <utility>

namespace kernscope::ui {

namespace {

constexpr int kShared = 3; ///< as many names as have a beginning in common lose it

bool partsWords(QChar c)
{
    return c == u'_' || c == u'.' || c == u'/' || c == u':';
}

/// Where a word begins in "inputGateWeightMatrix".
bool humpAt(const QString &name, qsizetype at)
{
    return at > 0 && name[at].isUpper() && name[at - 1].isLower();
}

/// Lengths of the beginnings of a name that end with a separator.
QList<qsizetype> beginnings(const QString &name)
{
    QList<qsizetype> lengths;
    for (qsizetype i = 0; i + 1 < name.size(); ++i) {
        if (partsWords(name[i]))
            lengths += i + 1;
    }
    return lengths;
}

/// Starts of the ends of a name that begin with a separator or a capital letter.
QList<qsizetype> ends(const QString &name)
{
    QList<qsizetype> starts;
    for (qsizetype i = name.size() - 1; i > 0; --i) {
        if (partsWords(name[i]) || humpAt(name, i))
            starts += i;
    }
    return starts;
}

/// Words between two places; none where the second is not behind the first.
int wordsIn(const QString &name, qsizetype from, qsizetype to)
{
    int words = from < to ? 1 : 0;
    for (qsizetype i = from; i < to; ++i)
        words += (partsWords(name[i]) || humpAt(name, i)) && i > from && i + 1 < to ? 1 : 0;
    return words;
}

/// How often a beginning or an end occurs among the names.
struct Shared {
    qsizetype names;
    QHash<QStringView, int> heads, tails;
    bool further = true; ///< what follows a shared end goes with it

    /// Lengths of what may go at the beginning. A number tells layers apart, also those with
    /// several weights each: it and what follows it stay, unless all names have it.
    QList<qsizetype> headsOf(const QString &name) const
    {
        QList<qsizetype> lengths;
        qsizetype from = 0;
        for (const qsizetype length : beginnings(name)) {
            const int count = heads.value(QStringView(name).left(length));
            const QStringView word = QStringView(name).mid(from, length - 1 - from);
            const bool number =
                !word.isEmpty() && std::all_of(word.begin(), word.end(),
                                               [](QChar letter) { return letter.isDigit(); });
            if (count < kShared || (number && count < names))
                break;
            lengths += length;
            from = length;
        }
        return lengths;
    }
    /// An end that others have too, or what follows such an end; but not what tells a weight from
    /// its bias, whose names begin alike.
    bool tail(const QString &name, qsizetype start, const QList<qsizetype> &starts) const
    {
        if (heads.value(QStringView(name).left(start + 1)) > 1)
            return false;
        const QStringView end = QStringView(name).mid(start);
        return tails.value(end) >= kShared ||
               (further && std::any_of(starts.begin(), starts.end(), [&](qsizetype stop) {
                    return stop > start && tails.value(end.left(stop - start)) >= kShared;
                }));
    }
};

QString cutOut(const QString &name, qsizetype from, qsizetype to)
{
    const QChar cut(0x2026);
    QString text = name.mid(from, to - from);
    if (from > 0)
        text.prepend(cut);
    if (to < name.size())
        text.append(cut);
    return text.size() < name.size() ? text : name;
}

QString shortName(const QString &name, const Shared &shared)
{
    QList<qsizetype> cutHeads{0}, cutTails{name.size()}; // each cuts more than the one before
    cutHeads += shared.headsOf(name);
    const QList<qsizetype> starts = ends(name);
    for (const qsizetype start : starts) {
        if (shared.tail(name, start, starts))
            cutTails += start;
    }
    // One word says too little ("0", "bias"): less is cut at the end, then at the beginning.
    QList<qsizetype> heads = cutHeads, tails = cutTails;
    while (wordsIn(name, heads.back(), tails.back()) < 2) {
        if (tails.size() > 1)
            tails.removeLast();
        else if (heads.size() > 1)
            heads.removeLast();
        else
            break;
    }
    // Where nothing of the end could go, less of the beginning may be the better cut: "concat_1…"
    // and not "…1_quantized".
    if (tails.size() == 1 && cutTails.size() > 1) {
        QList<qsizetype> others = cutHeads;
        while (others.size() > 1 && wordsIn(name, others.back(), cutTails.back()) < 2)
            others.removeLast();
        const bool shorter = cutTails.back() - others.back() < tails.back() - heads.back();
        if (shorter && wordsIn(name, others.back(), cutTails.back()) >= 2)
            return cutOut(name, others.back(), cutTails.back());
    }
    return cutOut(name, heads.back(), tails.back());
}

/// `kept`: that many of the longest beginnings that it shares stay.
QString withoutBeginning(const QString &name, const Shared &shared, qsizetype kept)
{
    QList<qsizetype> heads;
    for (const qsizetype length : shared.headsOf(name)) {
        if (wordsIn(name, length, name.size()) >= 2)
            heads += length;
    }
    return cutOut(name, heads.value(heads.size() - 1 - kept, 0), name.size());
}

/// Of names that are all different.
QStringList shortOfDistinct(const QStringList &names)
{
    Shared shared{names.size(), {}, {}};
    for (const QString &name : names) {
        for (const qsizetype length : beginnings(name))
            ++shared.heads[QStringView(name).left(length)];
        for (const qsizetype start : ends(name))
            ++shared.tails[QStringView(name).mid(start)];
    }
    QStringList shorter;
    shorter.reserve(names.size());
    for (const QString &name : names)
        shorter += shortName(name, shared);
    // Two that became the same lose less, then only their beginning, and of that less and less.
    shared.further = false;
    bool same = true;
    for (qsizetype kept = -1; same; ++kept) {
        same = false;
        QHash<QString, int> seen;
        for (const QString &text : std::as_const(shorter))
            ++seen[text];
        for (qsizetype i = 0; i < names.size(); ++i) {
            if (seen.value(shorter[i]) < 2)
                continue;
            same = true;
            shorter[i] =
                kept < 0 ? shortName(names[i], shared) : withoutBeginning(names[i], shared, kept);
        }
    }
    return shorter;
}

} // namespace

QStringList shortNames(const QStringList &names)
{
    // The same name twice is no reason to show all of it: whole, it would not tell the two apart.
    QStringList distinct;
    QHash<QString, qsizetype> places;
    for (const QString &name : names) {
        if (!places.contains(name)) {
            places.insert(name, distinct.size());
            distinct += name;
        }
    }
    const QStringList shorter = shortOfDistinct(distinct);
    if (distinct.size() == names.size())
        return shorter;
    QStringList all;
    all.reserve(names.size());
    for (const QString &name : names)
        all += shorter[places.value(name)];
    return all;
}

QStringList shortNames(const QStringList &names, const QStringList &groups)
{
    QHash<QString, QList<qsizetype>> members;
    for (qsizetype i = 0; i < names.size(); ++i)
        members[groups.value(i)] += i;
    if (members.size() < 2)
        return shortNames(names);
    QStringList all = names;
    for (const QList<qsizetype> &group : std::as_const(members)) {
        QStringList own;
        for (const qsizetype at : group)
            own += names[at];
        own = shortNames(own);
        for (qsizetype i = 0; i < group.size(); ++i)
            all[group[i]] = own[i];
    }
    return all;
}

QString ShortNameCache::of(std::size_t row, std::size_t rows,
                           const std::function<QString(std::size_t)> &nameOf,
                           const std::function<QString(std::size_t)> &groupOf) const
{
    if (rows > kMostRows || row >= rows)
        return {};
    if (static_cast<std::size_t>(m_names.size()) != rows) {
        QStringList names, groups;
        for (std::size_t i = 0; i < rows; ++i) {
            names += nameOf(i);
            groups += groupOf ? groupOf(i) : QString();
        }
        m_names = shortNames(names, groups);
    }
    return m_names[static_cast<qsizetype>(row)];
}

} // namespace kernscope::ui
