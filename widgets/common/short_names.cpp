// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/short_names.h"

#include <QHash>

namespace kernscope::ui {

namespace {

constexpr int kShared = 3; ///< as many names as have a beginning in common lose it

bool partsWords(QChar c)
{
    return c == u'_' || c == u'.' || c == u'/' || c == u':';
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

/// Starts of the ends of a name that begin with a separator.
QList<qsizetype> ends(const QString &name)
{
    QList<qsizetype> starts;
    for (qsizetype i = name.size() - 1; i > 0; --i) {
        if (partsWords(name[i]))
            starts += i;
    }
    return starts;
}

/// Words between two places; none where the second is not behind the first.
int wordsIn(const QString &name, qsizetype from, qsizetype to)
{
    int words = from < to ? 1 : 0;
    for (qsizetype i = from; i < to; ++i)
        words += partsWords(name[i]) && i > from && i + 1 < to ? 1 : 0;
    return words;
}

} // namespace

QStringList shortNames(const QStringList &names)
{
    QHash<QStringView, int> heads, tails;
    for (const QString &name : names) {
        for (const qsizetype length : beginnings(name))
            ++heads[QStringView(name).left(length)];
        for (const qsizetype start : ends(name))
            ++tails[QStringView(name).mid(start)];
    }
    QStringList shorter;
    shorter.reserve(names.size());
    for (const QString &name : names) {
        QList<qsizetype> cutHeads{0}, cutTails{name.size()}; // each cuts more than the one before
        for (const qsizetype length : beginnings(name)) {
            if (heads.value(QStringView(name).left(length)) >= kShared)
                cutHeads += length;
        }
        for (const qsizetype start : ends(name)) {
            if (tails.value(QStringView(name).mid(start)) >= kShared)
                cutTails += start;
        }
        // One word says too little ("0", "bias"): less is cut at the end, then at the beginning.
        while (wordsIn(name, cutHeads.back(), cutTails.back()) < 2) {
            if (cutTails.size() > 1)
                cutTails.removeLast();
            else if (cutHeads.size() > 1)
                cutHeads.removeLast();
            else
                break;
        }
        const qsizetype from = cutHeads.back(), to = cutTails.back();
        const QChar cut(0x2026);
        QString text = name.mid(from, to - from);
        if (from > 0)
            text.prepend(cut);
        if (to < name.size())
            text.append(cut);
        shorter += text.size() < name.size() ? text : name;
    }
    // Two that became the same keep their ends.
    QHash<QString, int> seen;
    for (const QString &text : std::as_const(shorter))
        ++seen[text];
    for (qsizetype i = 0; i < names.size(); ++i) {
        if (seen.value(shorter[i]) > 1)
            shorter[i] = names[i];
    }
    return shorter;
}

} // namespace kernscope::ui
