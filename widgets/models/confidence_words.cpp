// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/confidence_words.h"

#include <QCoreApplication>

namespace kernscope::ui {

namespace {

QString words(const char *text)
{
    return QCoreApplication::translate("kernscope::Confidence", text);
}

} // namespace

QString confidenceWords(format::Confidence confidence)
{
    switch (confidence) {
    case format::Confidence::Verified: return words("verified");
    case format::Confidence::Documented: return words("documented");
    case format::Confidence::Contested: return QStringLiteral("\u2260 ") + words("contested");
    case format::Confidence::Assumed: return QStringLiteral("~ ") + words("assumed");
    }
    return {};
}

} // namespace kernscope::ui
