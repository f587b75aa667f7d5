// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/typed_number.h"

#include "core/patch/edit/edit_parser.h"
#include "widgets/models/table_text.h"

#include <QCoreApplication>

#include <cmath>

namespace kernscope::ui {

namespace {

struct TypedNumberWords {
    Q_DECLARE_TR_FUNCTIONS(kernscope::NumberField)
};

template <class Number>
Result<Number> typed(const QString &text, Result<Number> (*parse)(const patch::Piece &))
{
    const std::string bytes = text.trimmed().toStdString();
    return parse({bytes, 0});
}

} // namespace

Result<double> typedNumber(const QString &text)
{
    return typed<double>(text, patch::parseNumber);
}

Result<qint64> typedInteger(const QString &text)
{
    return typed<std::int64_t>(text, patch::parseInteger).map([](std::int64_t number) {
        return static_cast<qint64>(number);
    });
}

QString NumberRule::fault(const QString &text) const
{
    if (text.trimmed().isEmpty())
        return empty ? QString() : TypedNumberWords::tr("A number is missing");
    const Result<double> number =
        integer ? typedInteger(text).map([](qint64 whole) { return static_cast<double>(whole); })
                : typedNumber(text);
    if (!number) {
        Error error = number.error();
        error.offset.reset(); // the character is named
        return fromUtf8(describe(error));
    }
    const bool bounded = std::isfinite(least) || std::isfinite(most);
    if (!bounded || (*number >= least && *number <= most))
        return {};
    constexpr double kAny = std::numeric_limits<float>::max();
    if (least < -kAny)
        return TypedNumberWords::tr("Not a finite number");
    return most < kAny ? TypedNumberWords::tr("Not from %1 to %2")
                             .arg(least, 0, 'g', 12)
                             .arg(most, 0, 'g', 12)
                       : TypedNumberWords::tr("Not a number from %1 on").arg(least, 0, 'g', 12);
}

} // namespace kernscope::ui
