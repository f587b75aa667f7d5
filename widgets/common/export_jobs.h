// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle_fwd.h"
#include "core/bundle/weight.h"

#include <QString>

class QWidget;

namespace kernscope::ui {

class Session;

/// Writes a weight, decoded, as a NumPy file: fp16, or fp32 or fp64 where fp16 does not hold its
/// type. Off the GUI thread, in blocks, through a temporary file. The session's status message
/// tells how it ended.
void exportWeight(Session &session, const BundlePtr &bundle, std::size_t weight,
                  const QString &path);

/// Writes a run of a file's current bytes, in the same manner.
void exportBytes(Session &session, const BundlePtr &bundle, std::size_t file, ByteRange range,
                 const QString &path);

/// Asks for the file first.
void askAndExportWeight(QWidget *parent, Session &session, const BundlePtr &bundle,
                        std::size_t weight);
void askAndExportBytes(QWidget *parent, Session &session, const BundlePtr &bundle, std::size_t file,
                       ByteRange range);

} // namespace kernscope::ui
