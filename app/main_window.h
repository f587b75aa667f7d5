// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/document.h"
#include "app/view_menu.h"

#include <QMainWindow>

namespace kernscope::ui {
class Dock;
}

namespace kernscope::app {

class CompareMenu;
class DocumentNotices;
class DockSet;
class EditMenu;
class ExportMenu;
class GoMenu;
class GoToBox;
class NoticeArea;
class OpenController;
class SaveController;
class SessionController;
class StatusLine;
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
    void buildCentre();
    void buildControllers();
    void buildMenus();
    void buildFileMenu(QMenu *menu);
    void buildHelpMenu(QMenu *menu);
    void buildToolBar();
    void connectDocks();
    void connectSession();
    void connectDocument();
    void connectMenus();
    void fillRecent();
    void addRecent(const Settings::Recent &entry);
    std::vector<std::filesystem::path> shownPaths() const;

    void revert();
    void onOpened(bool recovered);
    void onOtherOpened();
    void onOpenFailed(const QString &path, const Error &error);
    void onCancelled(Document::Busy what);
    void doNext(const QString &what);

    void showWelcome(bool welcome);
    void onPlaceChanged();
    void chooseLayout(Layout layout); ///< by hand: later files leave it
    void focusWorkspace(ui::Dock *before);
    void focusOpened();
    void showRegister();
    Layout layoutForOpened() const;
    void raiseForOpened();
    void showHelp();
    void showPage(const QString &page);
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

    SaveController *m_saving = nullptr;
    OpenController *m_opener = nullptr;
    QString m_openedText; ///< what the status line said of the file that is open
    SessionController *m_sessions = nullptr;
    DocumentNotices *m_said = nullptr;
    MenuActions *m_actions = nullptr;
    EditMenu *m_editMenu = nullptr;
    ViewMenu *m_viewMenu = nullptr;
    GoMenu *m_goMenu = nullptr;
    CompareMenu *m_compareMenu = nullptr;
    ExportMenu *m_exportMenu = nullptr;
    QMenu *m_recentMenu = nullptr;
    QAction *m_open = nullptr, *m_save = nullptr;
    bool m_layoutByHand = false;
    bool m_weightChosenElsewhere = false; ///< while another workspace than Inspect was shown
    bool m_closing = false;
};

} // namespace kernscope::app
