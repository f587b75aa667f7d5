// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/window_parts.h"

#include <vector>

namespace kernscope::app {

/// What the window says of its document: saves that were interrupted, edits that were left, files
/// that changed, edits that were refused, shapes of inputs.
class DocumentNotices final : public Controller
{
    Q_OBJECT

public:
    explicit DocumentNotices(const WindowParts &parts);

    /// Of a document that is open now; `recovered`: an interrupted save was undone first.
    void opened(bool recovered);
    void refused(const Error &error);
    void askShapes();

Q_SIGNALS:
    void openAsked(const QString &path);
    void patchingAsked();

private:
    void askInterrupted(const std::vector<InterruptedSave> &saves);
    void noteInterrupted(bool recovered);
    void offerLeftEdits();
    void onChangedOnDisk(const QStringList &files, bool keepable);
    QString shownPath(const QString &file) const;
    void noteShapes(const QString &text);
    void onShapesRefused(const Error &error);
};

} // namespace kernscope::app
