// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/program/program_search.h"

#include "core/base/progress.h"
#include "widgets/program/program_spans.h"

#include <algorithm>

namespace kernscope::ui {

namespace {

bool hasWords(const ProgramTree &tree, std::size_t row, const QStringList &words)
{
    const QString text = programText(programSpans(tree, row));
    return std::all_of(words.begin(), words.end(), [&text](const QString &word) {
        return text.contains(word, Qt::CaseInsensitive);
    });
}

/// Asked every some dozen rows: whether to go on.
bool goesOn(std::size_t row, Progress *progress)
{
    return row % 64 != 0 || !progress || progress->advance(0);
}

} // namespace

QStringList programWords(const QString &text)
{
    return text.split(u' ', Qt::SkipEmptyParts);
}

std::size_t programRowWith(const ProgramTree &tree, const QStringList &words, std::size_t from,
                           bool forward, Progress *progress)
{
    const std::size_t count = tree.rows();
    if (words.isEmpty() || count == 0)
        return ProgramTree::kNone;
    // Rows are numbered in the order of the text.
    const std::size_t start = from < count ? from : (forward ? count - 1 : 0);
    for (std::size_t step = 1; step <= count && goesOn(step, progress); ++step) {
        const std::size_t row =
            forward ? (start + step) % count : (start + count - step % count) % count;
        if (hasWords(tree, row, words))
            return row;
    }
    return ProgramTree::kNone;
}

std::size_t programRowsWith(const ProgramTree &tree, const QStringList &words, Progress *progress)
{
    std::size_t found = 0;
    for (std::size_t row = 0; !words.isEmpty() && row < tree.rows() && goesOn(row, progress); ++row)
        found += hasWords(tree, row, words) ? 1 : 0;
    return found;
}

} // namespace kernscope::ui
