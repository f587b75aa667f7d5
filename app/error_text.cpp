// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/error_text.h"

#include "widgets/models/table_text.h"

#include <QCoreApplication>
#include <QFileInfo>

#include <algorithm>
#include <array>

namespace kernscope::app {

namespace {

struct Sentence {
    const char *code, *text;
};

// What a code means to the one who looks at the window. Other codes speak by their own message.
constexpr std::array kSentences{
    Sentence{"bundle.kind", QT_TRANSLATE_NOOP("kernscope::Errors",
                                              "This is no .mlmodelc, .mlpackage, .aimodel, weight "
                                              "file or program.")},
    Sentence{"io.map", QT_TRANSLATE_NOOP("kernscope::Errors", "There is not enough memory.")},
    Sentence{"io.write", QT_TRANSLATE_NOOP("kernscope::Errors", "The disk could not be written; "
                                                                "the file is as it was.")},
    Sentence{"patch.stale",
             QT_TRANSLATE_NOOP("kernscope::Errors", "Another program changed the file since it was "
                                                    "opened.")},
    Sentence{"patch.verify",
             QT_TRANSLATE_NOOP("kernscope::Errors", "What was read back is not what was written.")},
    Sentence{"patch.busy", QT_TRANSLATE_NOOP("kernscope::Errors", "Somebody else is saving it.")},
    Sentence{"patch.unrepresentable",
             QT_TRANSLATE_NOOP("kernscope::Errors", "The value cannot be held there.")},
    Sentence{"patch.masked", QT_TRANSLATE_NOOP("kernscope::Errors",
                                               "The mask leaves this element out; keep it first.")},
    Sentence{"patch.space",
             QT_TRANSLATE_NOOP("kernscope::Errors", "The part would grow, and there is no room.")},
};

struct ErrorWords {
    Q_DECLARE_TR_FUNCTIONS(kernscope::Errors)
};

} // namespace

QString errorSentence(const Error &error)
{
    QStringList parts;
    const auto known = std::find_if(kSentences.begin(), kSentences.end(),
                                    [&](const Sentence &row) { return error.code == row.code; });
    if (known != kSentences.end())
        parts << ErrorWords::tr(known->text);
    parts << ui::fromUtf8(describe(error));
    return parts.join(QLatin1Char(' '));
}

QString openingFault(const QString &path, const Error &error)
{
    // Of the file itself there is no more to say than what the system said.
    if (error.code == "io.open" && error.expected.empty() && !error.found.empty() &&
        ui::rawFromUtf8(error.file) == QFileInfo(path).fileName())
        return ErrorWords::tr("%1 could not be opened: %2.")
            .arg(ui::shown(path), ui::fromUtf8(error.found));
    return ErrorWords::tr("%1 could not be opened. %2").arg(ui::shown(path), errorSentence(error));
}

} // namespace kernscope::app
