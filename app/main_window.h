// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/document.h"
#include "app/layouts.h"
#include "app/session_file.h"
#include "app/settings.h"
#include "app/table_copy.h"
#include "app/theme_switch.h"
#include "core/report/bundle_report.h"
#include "widgets/common/session.h"
#include "widgets/compare/compare_task.h"

#include <QKeySequence>
#include <QMainWindow>

#include <array>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

class QAction;
class QActionGroup;
class QMenu;
class QStackedWidget;

namespace kernscope {
struct SliceOptions;
}
namespace kernscope::plan {
struct SectionOptions;
}
namespace kernscope::target {
struct Target;
}
namespace kernscope::quantized {
struct QuantizeOptions;
}
namespace kernscope::section {
struct LoadAddresses;
}
namespace kernscope::ui {
class Dock;
}

namespace kernscope::app {

class DockSet;
class GoToBox;
class NoticeArea;
struct NoticeAction;
class PaletteIndex;
class StatusLine;
class TableColumns;
class Tour;
class WelcomePage;

/// The window: menus, docks in layouts, the status line, and every question that is asked. What it
/// shows lives in the session, what is on disk in the document.
class MainWindow : public QMainWindow
{
    Q_OBJECT

public:
    explicit MainWindow(Settings &settings, QWidget *parent = nullptr);
    ~MainWindow() override;

    /// One path opens it, two compare them, none shows the sample. Asks first where edits would be
    /// lost.
    void openPaths(const QStringList &paths);
    /// A build of the embedded sample ("sample-sparse.mlmodelc"), with another one beside it where
    /// it is named.
    void openSample(const QString &name, const QString &other = {});
    /// What is open, the pairs, the layouts and the bookmarks go to a file, and come back from it.
    /// Files that are gone are named; the rest of the session opens.
    void saveSession(const QString &path);
    void openSession(const QString &path);

    ui::Session &session() { return m_session; }
    Document &document() { return m_document; }
    DockSet &docks() { return *m_docks; }
    LayoutKeeper &layouts() { return *m_layouts; }
    NoticeArea &notices() { return *m_notices; }
    StatusLine &statusLine() { return *m_status; }
    ThemeSwitch &theme() { return m_theme; }
    Tour &tour() { return *m_tour; }
    /// Of an open bundle, also where the welcome page was shown.
    void showLayout(Layout layout);

    QSize sizeHint() const override;

protected:
    void closeEvent(QCloseEvent *event) override;
    void showEvent(QShowEvent *event) override;

private:
    // main_window_menus.cpp
    void buildMenus();
    void buildFileMenu();
    void buildEditMenu();
    void buildUndoActions(QMenu *menu);
    void buildCopyActions(QMenu *menu);
    void buildViewMenu();
    void buildDockMenu(QMenu *menu);
    void buildFocusMenu(QMenu *menu);
    void buildColumnMenu(QMenu *menu);
    void buildAppearanceMenus(QMenu *menu);
    void buildGoMenu();
    void buildTaskMenus();
    // main_window_compare.cpp
    void buildCompareMenu();
    void addCompareTask(QMenu *menu, ui::CompareTask task);
    void addPatchFileAction(QMenu *menu);
    void keepPairs();
    void compareWeightWith(std::size_t weight);
    // main_window_session.cpp
    struct OpeningSession {
        QString path;
        SessionFile session; ///< without what is gone
        SessionFile whole;
        QStringList gone; ///< files that it names
    };
    void openSession(const QString &path, SessionFile session);
    std::vector<NoticeAction> waysToFind(const OpeningSession &opening);
    void buildSessionActions(QMenu *menu);
    void buildExportActions(QMenu *menu);
    // main_window_make.cpp
    void buildMakeActions(QMenu *menu);
    void askQuantize();
    void startQuantize(std::size_t weight, const quantized::QuantizeOptions &options,
                       const QString &path);
    void askSection();
    void startSection(const std::vector<std::size_t> &weights, const plan::SectionOptions &options,
                      const target::Target &chip, const QString &path);
    void startSlices(const std::vector<std::size_t> &weights, const SliceOptions &options,
                     const target::Target &chip, const QString &path);
    void sayWritten(const Result<void> &made, const QString &path);
    void askRelayout();
    void askRelocate();
    void makeSection(const QString &title, const std::optional<section::LoadAddresses> &addresses);
    void doNext(const QString &what);
    std::vector<std::filesystem::path> shownPaths() const;
    void askExport(const QString &title, const QString &filters, const QString &suffix,
                   const std::function<void(const QString &)> &write);
    std::vector<report::ReportNote> reportNotes();
    SessionFile sessionNow();
    void startSession(OpeningSession opening);
    void finishSession();
    // main_window_tools.cpp
    void buildToolBar();
    void fillPalette(PaletteIndex &index);
    void addFoundActions(PaletteIndex &index);
    void addFoundEdits(PaletteIndex &index);
    void addFoundChips(PaletteIndex &index);
    void addFoundHelp(PaletteIndex &index);
    void copyLink();
    void addDockActions(QMenu *menu, const QStringList &ids);
    void copyRowsAs(ui::TableFormat format);
    void runInFocus(QKeySequence::StandardKey key);
    void fillHistory(QMenu *menu, bool back);
    void fillVisited(QMenu *menu);
    QAction *addVisited(QMenu *menu, std::size_t at);
    void buildHelpMenu();
    QAction *add(QMenu *menu, const QString &text, const QKeySequence &key,
                 std::function<void()> run);
    void fillRecent();

    // main_window_files.cpp
    void openFolder();
    void openFile();
    void openOther();
    void openBase();
    void openOtherFile();
    void save();
    void askSave(const std::vector<WrittenRange> &ranges);
    void writeListed(bool breakLinks);
    void saveAs();
    void askSaveAs(const QString &target);
    void revert();
    void closeBundle();
    /// Runs `next` now, or after the user has chosen what to do with unsaved edits.
    void whenKept(std::function<void()> next);
    void pickFolder(const QString &title, std::function<void(const QString &)> chosen);
    static std::optional<MemoryBundle> sampleBundle(const QString &name);
    void noteSample();
    void onTourChanged(bool running);
    void pickFile(const QString &title, std::function<void(const QString &)> chosen);
    void askTolerance();
    void connectDocument();
    void onOpened(bool recovered);
    void noteInterrupted(bool recovered);
    void offerLeftEdits();
    void askInterrupted(const std::vector<InterruptedSave> &saves);
    void goToLink();
    void onOpenFailed(const QString &path, const Error &error);
    void onSaved(const SaveReport &report, const QString &target);
    void onSaveFailed(const Error &error);
    QString shownPath(const QString &file) const;
    void onChangedOnDisk(const QStringList &files, bool keepable);
    void onRefused(const Error &error);

    // main_window_shapes.cpp
    void askShapes();
    void noteShapes(const QString &text);
    void onShapesRefused(const Error &error);
    void offerBundles(const QString &folder);

    // main_window.cpp
    void buildCentre();
    void connectDocks();
    void connectSession();
    void togglePatching();
    void showWelcome(bool welcome);
    void onPlaceChanged();
    void chooseLayout(Layout layout); ///< by hand: later files leave it
    void focusWorkspace(ui::Dock *before);
    void focusOpened();
    void showRegister();
    Layout layoutForOpened() const;
    void raiseForOpened();
    void showHelp();
    void stepWeight(int direction);
    void showTitle();
    void showState();
    void about();

    Settings &m_settings;
    ThemeSwitch m_theme;
    ui::Session m_session;
    Document m_document;
    QMainWindow *m_host = nullptr; ///< the docks; a window of its own, so that the centre can be
                                   ///< something else without touching their layout
    DockSet *m_docks = nullptr;
    LayoutKeeper *m_layouts = nullptr;
    TableColumns *m_columns = nullptr;
    QStackedWidget *m_centre = nullptr;
    WelcomePage *m_welcome = nullptr;
    NoticeArea *m_notices = nullptr;
    StatusLine *m_status = nullptr;
    GoToBox *m_goTo = nullptr;
    Tour *m_tour = nullptr;

    QMenu *m_recentMenu = nullptr;
    QActionGroup *m_layoutGroup = nullptr;
    QAction *m_patching = nullptr, *m_back = nullptr, *m_forward = nullptr, *m_open = nullptr,
            *m_save = nullptr, *m_undo = nullptr, *m_redo = nullptr, *m_compareWith = nullptr,
            *m_exportReport = nullptr, *m_compareWeight = nullptr, *m_applyPatches = nullptr;
    QList<QAction *> m_needBundle, m_needOther, m_needChanges;
    std::string m_listedDigest; ///< of what the dialog of a save showed last
    std::function<void()> m_afterSave;
    /// Of the bundle that is being opened; empty: by what it turns out to be.
    std::optional<Layout> m_wantedLayout = Layout::Inspect;
    QStringList m_beforeTour; ///< what the tour took the place of
    QString m_askedPath;      ///< of the bundle that was last asked for as A
    struct PartnerWish {
        std::size_t weight = kNoIndex; ///< of the document
        QString path;                  ///< of the bundle that its partner is in
    };
    std::optional<PartnerWish> m_partnerOf;    ///< what is asked for once that bundle is B
    QString m_wantedPlace;                     ///< of a link: where to go once its file is open
    QStringList m_wantedBuilds;                ///< paths beyond two: builds beside the pair
    std::unique_ptr<OpeningSession> m_opening; ///< a session whose files are being opened
    bool m_beginsAnew = false;                 ///< another bundle was asked for as A
    bool m_layoutByHand = false;
    bool m_weightChosenElsewhere = false; ///< while another workspace than Inspect was shown
    bool m_layoutStays = false; ///< the other bundle was asked for by what the layout shows
    bool m_closing = false;
};

} // namespace kernscope::app
