// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle_fwd.h"
#include "core/bundle/weight.h"

#include <QString>

class QWidget;

namespace kernscope::ui {

class Session;

/// Writes a run of a file's current bytes, off the GUI thread, in blocks, through a temporary file.
/// The session's status message tells how it ended.
void exportBytes(Session &session, const BundlePtr &bundle, std::size_t file, ByteRange range,
                 const QString &path);

/// Asks for the file first.
void askAndExportWeight(QWidget *parent, Session &session, const BundlePtr &bundle,
                        std::size_t weight);
void askAndExportBytes(QWidget *parent, Session &session, const BundlePtr &bundle, std::size_t file,
                       ByteRange range);

} // namespace kernscope::ui
