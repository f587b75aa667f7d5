// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cli_process.h"

namespace kernscope::test {

/// Runs `encode` on one bundle, each time into a bundle of its own.
struct Encoder {
    QTemporaryDir scratch;
    QString bundle; ///< path of what is encoded
    int count = 0;  ///< how many output paths were named

    /// `line`: what follows the bundle; % stands for the folder.
    CliResult run(const QString &line) const
    {
        QStringList words{QStringLiteral("encode"), bundle};
        words += line.split(QLatin1Char(' '), Qt::SkipEmptyParts);
        for (QString &word : words)
            word.replace(QLatin1Char('%'), scratch.path());
        return runCli(words);
    }

    QString fresh() { return QStringLiteral("%/out%1.mlmodelc").arg(++count); }
};

} // namespace kernscope::test
