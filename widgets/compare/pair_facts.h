// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/compare/pair_words.h"

#include <QWidget>

#include <array>

class QLabel;

namespace kernscope::ui {

/// What the inspector of a pair begins with: the verdict in a word and in a sentence, and why the
/// two are a pair.
class PairVerdict final : public QWidget
{
    Q_OBJECT

public:
    explicit PairVerdict(QWidget *parent);

    void showRow(const report::PairRow &row);
    void clear();
    QString text() const;

private:
    QLabel *m_word = nullptr, *m_sentence = nullptr, *m_reason = nullptr;
};

/// The figures of a pair in two columns; those that are not known are dashes.
class PairFactsPanel final : public QWidget
{
    Q_OBJECT

public:
    explicit PairFactsPanel(QWidget *parent);

    /// Null: none are known.
    void showValues(const ValueDifference *values);
    /// What stands beside the n-th name, in reading order of the left column, then of the right.
    QString valueAt(std::size_t n) const;

    static constexpr std::size_t kFigures = 10;

private:
    std::array<QLabel *, kFigures> m_values{};
};

} // namespace kernscope::ui
