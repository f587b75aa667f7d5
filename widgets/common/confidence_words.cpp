// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/confidence_words.h"

#include <QCoreApplication>

namespace kernscope::ui {

namespace {

struct ConfidenceWords {
    Q_DECLARE_TR_FUNCTIONS(kernscope::Confidence)
};

} // namespace

QString confidenceWords(format::Confidence confidence)
{
    switch (confidence) {
    case format::Confidence::Verified: return ConfidenceWords::tr("verified");
    case format::Confidence::Documented: return ConfidenceWords::tr("documented");
    case format::Confidence::Contested:
        return QStringLiteral("\u2260 ") + ConfidenceWords::tr("contested");
    case format::Confidence::Assumed: return QStringLiteral("~ ") + ConfidenceWords::tr("assumed");
    }
    return {};
}

} // namespace kernscope::ui
