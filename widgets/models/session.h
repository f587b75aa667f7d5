// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/weight.h"
#include "core/patch/edit/unsaved_edits.h"

#include <QObject>
#include <QPointer>

#include <atomic>

class QUndoStack;

namespace kernscope::ui {

/// A field within a run of bytes: its bits, counted from the lowest one of the first byte.
struct BitRun {
    unsigned first = 0, count = 0;
    friend bool operator==(const BitRun &, const BitRun &) = default;
};

class TaskManager;

/// Which of the two open bundles is meant: A is the document, B the one compared with it.
enum class Side : std::uint8_t { A, B };

/// The common position: what every dock that follows shows. Fields that do not apply are empty.
struct Place {
    std::size_t weight = kNoIndex;        ///< index into Bundle::weights()
    std::optional<std::uint64_t> element; ///< decoded element of that weight
    std::size_t file = kNoIndex;          ///< index into Bundle::files()
    std::optional<ByteRange> bytes;       ///< bytes of that file
    std::size_t section = kNoIndex;       ///< index into Bundle::sections()
    std::optional<BitRun> bits;           ///< of `bytes`, where a field of bits is meant

    friend bool operator==(const Place &, const Place &) = default;
};

using kernscope::PatchEntry;

/// What the docks share: the open bundles, the common position with its history, whether edits are
/// allowed, and the tasks. It knows nothing of windows and files; the document in app/ feeds it.
class Session : public QObject
{
    Q_OBJECT

public:
    explicit Session(QObject *parent = nullptr);
    ~Session() override;

    const BundlePtr &bundle() const { return m_bundle; }
    const BundlePtr &other() const { return m_other; } ///< B of a comparison; may be null
    /// A new document: forgets place and history, emits bundleChanged.
    void setBundle(BundlePtr bundle);
    void setOther(BundlePtr bundle);
    /// The same document after an edit, undo or save: keeps the place, emits bytesChanged.
    void updateBundle(BundlePtr bundle);

    /// False where another program changed a file that is mapped: its bytes may be half old, half
    /// new. No task delivers then, no dock shows bytes; only opening again helps.
    bool filesHold() const { return !m_filesFault; }
    /// Error "io.changed" where filesHold() is false.
    const std::optional<Error> &filesFault() const { return m_filesFault; }
    /// Asks the system how the files stand, and emits filesHoldChanged where that is news.
    void checkFiles();
    /// While our own save writes, changes of the files are not looked for.
    void setSaving(bool saving);

    TaskManager &tasks() { return *m_tasks; }
    QUndoStack &undoStack() { return *m_undoStack; }

    const Place &place() const { return m_place; }
    /// Moves every following dock. Fills in what follows from the rest (a weight's first part and
    /// section, the section and weight of a byte). `origin` is the dock that moved, so that it can
    /// leave its own view alone.
    void goTo(Place place, QObject *origin = nullptr);
    void goToWeight(std::size_t weight, QObject *origin = nullptr);
    void goToElement(std::size_t weight, std::uint64_t element, QObject *origin = nullptr);
    void goToBytes(std::size_t file, ByteRange range, QObject *origin = nullptr);
    void goToSection(std::size_t section, QObject *origin = nullptr);
    /// Every place of the history, oldest first, and which of them is the current one.
    const std::vector<Place> &history() const { return m_history; }
    std::size_t historyAt() const { return m_historyAt; }
    void goToHistory(std::size_t index); ///< nothing where there is none
    bool canGoBack() const { return m_historyAt > 0; }
    bool canGoForward() const { return m_historyAt + 1 < m_history.size(); }
    void goBack();
    void goForward();

    bool patchingEnabled() const { return m_patchingEnabled; }
    void setPatchingEnabled(bool enabled);
    /// Asks the document to plan and apply edits as one undo step; it answers by bytesChanged or
    /// editsRefused.
    void requestEdits(std::vector<Edit> edits, const QString &title);

    const std::vector<PatchEntry> &patches() const { return m_patches; }
    void setPatches(std::vector<PatchEntry> patches);

Q_SIGNALS:
    void bundleChanged();
    void otherChanged();
    void bytesChanged(); ///< content or tables of bundle() changed, weights keep their order
    void placeChanged(const kernscope::ui::Place &place, QObject *origin);
    void placeConfirmed(QObject *origin); ///< goTo() was called for the current place
    void historyChanged();
    void patchingEnabledChanged(bool enabled);
    void editsRequested(const std::vector<kernscope::Edit> &edits, const QString &title);
    void editsRefused(const kernscope::Error &error);
    void patchesChanged();
    void filesHoldChanged(bool hold);
    void statusMessage(const QString &text);

private:
    void complete(Place &place) const;
    void watchResults();
    void moveTo(const Place &place, QObject *origin);

    BundlePtr m_bundle, m_other;
    std::optional<Error> m_filesFault;
    std::shared_ptr<std::atomic<bool>> m_saving;
    TaskManager *m_tasks = nullptr;
    QUndoStack *m_undoStack = nullptr;
    Place m_place;
    std::vector<Place> m_history;
    std::size_t m_historyAt = 0;
    bool m_patchingEnabled = false;
    std::vector<PatchEntry> m_patches;
};

} // namespace kernscope::ui
