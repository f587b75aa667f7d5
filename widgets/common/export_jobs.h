// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/weight.h"
#include "core/report/bundle_report.h"

#include <QString>

class QWidget;

namespace kernscope::ui {

/// The figures of a report in HTML as tables for pages of paper. QTextDocument knows no figures,
/// would set one below the other, and tears a row of a table at the end of a page. So three stand
/// beside one another, and as many rows as fit begin a page, the first with the title before them.
void putFiguresOnPages(QString &html);

class Session;

/// Writes every weight that can be read, decoded, into one file off the GUI thread: .npz or
/// .safetensors, as the name ends; any other is refused.
/// The session's status message tells how it ended, and how many weights were left out.
void exportTensors(Session &session, const BundlePtr &bundle, const QString &path);
/// The same of one weight, as .npy, .csv and .bin too.
void exportWeight(Session &session, const BundlePtr &bundle, std::size_t weight,
                  const QString &path);

/// Reads all values and writes the report of a bundle: HTML, or PDF where the name ends in .pdf.
/// Off the GUI thread; the status message tells how it ended.
void exportReport(Session &session, const BundlePtr &bundle, std::vector<report::ReportNote> notes,
                  const QString &path);

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
