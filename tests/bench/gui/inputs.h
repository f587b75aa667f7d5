// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QChar>
#include <QString>
#include <QStringList>

#include <optional>

/// What the window is measured with.
namespace kernscope::bench {

/// Stands between the paths of two bundles that are compared.
inline constexpr QChar kBetweenPaths(u'\n');

/// "sample", "silero", "large" (one fp16 weight of 2 GiB), "many" (50,000 weights), "pair" (two
/// weights of 2 GiB, compared).
QStringList inputNames();

/// The path or paths to open; empty for the sample, which the program holds. Bundles that are made
/// go into `folder`; the payload of the large one is a hole of the file system but for a page in
/// each 16 MiB. Nothing where the input is not at hand (KERNSCOPE_DATA).
std::optional<QString> prepareInput(const QString &name, const QString &folder);

} // namespace kernscope::bench
