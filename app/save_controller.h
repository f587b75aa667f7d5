// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/window_parts.h"

namespace kernscope::app {

/// Saves the document: the list of what is written, names of copies, and what is asked before
/// unsaved edits would be lost.
class SaveController final : public Controller
{
    Q_OBJECT

public:
    explicit SaveController(const WindowParts &parts);

    void save();
    /// `more`: edits that only the copy gets (Document::editsForCopy()).
    void saveAs(std::vector<Edit> more = {});
    /// Runs `next` now, or after the user has chosen what to do with unsaved edits.
    void whenKept(std::function<void()> next);

Q_SIGNALS:
    void saved(const QString &target);
    void warned(const kernscope::Diagnostic &row); ///< of a save that was made
    void reloadAsked();

private:
    void askSave(const std::vector<WrittenRange> &ranges);
    void writeListed(bool breakLinks);
    void askSaveAs(const QString &target, const std::vector<Edit> &more);
    void onSaved(const SaveReport &report, const QString &target);
    void onSaveFailed(const Error &error);

    std::function<void()> m_afterSave;
    bool m_copying = false;     ///< the save under way writes all files anew
    std::string m_listedDigest; ///< of what the dialog lists
};

} // namespace kernscope::app
