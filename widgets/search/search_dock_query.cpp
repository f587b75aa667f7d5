// SPDX-License-Identifier: GPL-3.0-or-later
// What the fields of the search ask for.
#include "widgets/search/search_dock.h"

#include "core/search/pattern.h"
#include "core/search/wide_integer.h"
#include "widgets/common/number_field.h"
#include "widgets/common/table_text.h"

#include <QComboBox>
#include <QLineEdit>

namespace kernscope::ui {

namespace {

using search::What;

constexpr qint64 kTopUnasked = 100, kMostTop = 10'000; ///< largest magnitudes to list

} // namespace

QString SearchDock::question() const
{
    QString words = m_kind->currentText();
    if (const QString typed = m_pattern->text().trimmed(); !typed.isEmpty())
        words += u' ' + typed;
    if (m_tolerance->isVisibleTo(this) && !m_tolerance->text().trimmed().isEmpty())
        words += QStringLiteral(" \u00B1 ") + m_tolerance->text().trimmed();
    if (m_width->isVisibleTo(this))
        words += QStringLiteral(", %1, %2").arg(m_width->currentText(), m_endian->currentText());
    return words + QStringLiteral(", ") + m_scope->currentText();
}

/// What the fields say; else why it is nothing to look for.
tl::expected<search::Query, QString> SearchDock::typedQuery() const
{
    search::Query query;
    const QString typed = m_pattern->text().trimmed();
    const int kind = m_kind->currentIndex();
    if (kind <= Integer)
        return typedPattern();
    if (kind == Value) {
        query.what = What::Value;
        query.wide = search::wideInteger(typed.toStdString());
        const auto value = typedNumber(typed), within = typedNumber(m_tolerance->text());
        const bool exact = m_tolerance->text().trimmed().isEmpty();
        if (!value || (!exact && !within))
            return tl::unexpected(
                tr("Not a number: %1. %2")
                    .arg(value ? m_tolerance->text() : typed,
                         fromUtf8(describe(value ? within.error() : value.error()))));
        query.value = *value;
        if (!exact)
            query.tolerance = *within;
    } else if (takesNothing(kind)) {
        query.what = kind == NotANumber ? What::NotANumber
                     : kind == Infinite ? What::Infinite
                                        : What::OutOfRange;
    } else if (kind == Top) {
        const auto most = typed.isEmpty() ? Result<qint64>(kTopUnasked) : typedInteger(typed);
        if (!most || *most < 1 || *most > kMostTop)
            return tl::unexpected(tr("Not a number from 1 to %1: %2")
                                      .arg(groupedNumber(static_cast<std::uint64_t>(kMostTop)),
                                           most ? typed : fromUtf8(describe(most.error()))));
        query.what = What::Largest;
        query.most = static_cast<std::uint64_t>(*most);
    } else {
        query.what = kind == Zeros ? What::ZeroValues : What::ZeroBytes;
        const auto least =
            typed.isEmpty() ? Result<qint64>(kind == Zeros ? 1 : 64) : typedInteger(typed);
        if (!least || *least < 0)
            return tl::unexpected(
                tr("Not a length: %1").arg(least ? typed : fromUtf8(describe(least.error()))));
        query.least = static_cast<std::uint64_t>(*least);
    }
    return query;
}

/// Bytes, a text or an integer.
tl::expected<search::Query, QString> SearchDock::typedPattern() const
{
    constexpr unsigned kWidths[] = {1, 2, 4, 8};
    const int kind = m_kind->currentIndex();
    const QString typed = m_pattern->text().trimmed();
    const auto pattern = kind == Bytes  ? search::parseBytePattern(typed.toStdString())
                         : kind == Text ? search::textPattern(m_pattern->text().toStdString())
                                        : search::integerPattern(typed.toStdString(),
                                                                 kWidths[m_width->currentIndex()],
                                                                 m_endian->currentIndex() == 1);
    if (!pattern)
        return tl::unexpected(fromUtf8(describe(pattern.error())));
    search::Query query;
    query.pattern = *pattern;
    query.text = kind == Text;
    return query;
}

std::optional<search::Query> SearchDock::query()
{
    auto query = typedQuery();
    if (query && m_scope->currentIndex() == 1) {
        query->weight = session().place().weight;
        if (query->weight == kNoIndex)
            query = tl::unexpected(
                tr("Select a weight to look in first, or look in the whole bundle."));
    }
    if (query)
        return *query;
    say(query.error());
    begin();
    return std::nullopt;
}

} // namespace kernscope::ui
