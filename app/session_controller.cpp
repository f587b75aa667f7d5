// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session_controller.h"

#include "app/bookmarks_dock.h"
#include "app/dock_set.h"
#include "app/files.h"
#include "app/layouts.h"
#include "app/notice_area.h"
#include "app/save_controller.h"
#include "app/texts.h"
#include "core/bundle/bundle.h"
#include "widgets/common/file_dialogs.h"
#include "widgets/common/qt.h"
#include "widgets/compare/compare_dock.h"
#include "widgets/compare/hand_pairs.h"
#include "widgets/models/table_text.h"

namespace kernscope::app {

namespace {

QString sessionFilter()
{
    return SessionController::tr("Sessions (*%1);;All files (*)")
        .arg(QLatin1String(kSessionSuffix));
}

/// A sample is there always.
bool isThere(const SessionFile::Bundle &bundle)
{
    return !bundle.sample.isEmpty() || (!bundle.path.isEmpty() && QFileInfo::exists(bundle.path));
}

} // namespace

void SessionController::addActions(QMenu *menu)
{
    menu->addSeparator();
    m_actions->add(menu, tr("Open Sess&ion\u2026"), Qt::CTRL | Qt::ALT | Qt::Key_L, [this] {
        ui::openPathDialog(ui::OpenDialog::Lists::Files, &m_window, tr("Open Session"),
                           sessionFilter(), [this](const QString &path) { open(path); });
    });
    m_actions->add(menu, tr("Save Sessio&n\u2026"), Qt::CTRL | Qt::ALT | Qt::Key_S, Needs::Bundle,
                   [this] {
                       const QString name = QFileInfo(m_document.name()).completeBaseName() +
                                            QLatin1String(kSessionSuffix);
                       ui::openSaveDialog(&m_window, tr("Save Session"), name, sessionFilter(),
                                          [this](const QString &path) { save(path); });
                   });
}

SessionFile SessionController::now()
{
    SessionFile session;
    const auto bundle = [](const QString &path, const QString &name) {
        return path.isEmpty() ? SessionFile::Bundle{{}, name}
                              : SessionFile::Bundle{QFileInfo(path).absoluteFilePath(), {}};
    };
    session.document = bundle(m_document.path(), m_document.name());
    if (m_session.other())
        session.other = bundle(m_document.otherPath(), m_document.otherName());
    if (m_session.place() != ui::Place())
        session.place = placeText(*m_session.bundle(), m_session.place());
    m_layouts->keep();
    session.layout = layoutId(m_layouts->current());
    session.docks = m_docks->ids();
    for (const Layout layout : kLayouts) {
        const QByteArray state = m_settings.layoutState(layoutId(layout), session.docks);
        if (!state.isEmpty())
            session.layouts += {layoutId(layout), state};
    }
    if (m_session.other())
        session.pairs = m_docks->compare()->pairs().choices().names();
    session.bookmarks = m_docks->bookmarks()->model().bookmarks();
    return session;
}

void SessionController::save(const QString &path)
{
    if (!m_document.isOpen())
        return;
    if (const auto written = writeSession(now(), path); !written) {
        m_notices->add(NoticeArea::Kind::Error, u"session"_s, errorSentence(written.error()));
        return;
    }
    m_notices->remove(u"session"_s);
    m_settings.addRecent({path, {}});
    Q_EMIT recentChanged();
    const QString name = ui::shown(QFileInfo(path).fileName());
    Q_EMIT m_session.statusMessage(
        m_document.modified()
            ? tr("Saved the session %1, without the edits, which are not saved.").arg(name)
            : tr("Saved the session %1.").arg(name));
}

void SessionController::open(const QString &path)
{
    auto session = readSession(path);
    if (!session) {
        m_notices->add(
            NoticeArea::Kind::Error, u"session"_s,
            tr("The session %1 could not be opened. %2").arg(path, errorSentence(session.error())));
        m_settings.removeRecent({path, {}});
        Q_EMIT recentChanged();
        return;
    }
    open(path, std::move(*session));
}

void SessionController::open(const QString &path, SessionFile session)
{
    const SessionFile whole = session;
    QStringList gone;
    for (SessionFile::Bundle *bundle : {&session.document, &session.other}) {
        if (!bundle->none() && !isThere(*bundle)) {
            gone += bundle->path;
            *bundle = {};
        }
    }
    // What is left is the document; places, pairs and bookmarks are those of the first one.
    if (session.document.none()) {
        session.document = std::exchange(session.other, {});
        session.place.clear();
        session.bookmarks.clear();
    }
    Opening opening{path, std::move(session), whole, gone};
    if (opening.session.document.none()) {
        m_notices->add(NoticeArea::Kind::Error, u"session"_s,
                       tr("The files of the session %1 are gone: %2").arg(path, gone.join(u", "_s)),
                       waysToFind(opening));
        return;
    }
    m_saving->whenKept([this, opening = std::move(opening)] { start(opening); });
}

/// What a notice offers where a file of a session has moved: to show the first of them, after which
/// the session opens with it.
std::vector<NoticeAction> SessionController::waysToFind(const Opening &opening)
{
    const QString gone = opening.gone.value(0);
    const QString title = tr("Where Is %1 Now?").arg(ui::shown(QFileInfo(gone).fileName()));
    const auto found = [this, path = opening.path, whole = opening.whole,
                        gone](const QString &now) {
        SessionFile session = whole;
        for (SessionFile::Bundle *bundle : {&session.document, &session.other}) {
            if (bundle->path == gone)
                bundle->path = QFileInfo(now).absoluteFilePath();
        }
        open(path, std::move(session));
    };
    return {
        {tr("Choose Folder\u2026"), [this, title, found] { pickFolder(m_window, title, found); }},
        {tr("Choose File\u2026"), [this, title, found] { pickFile(m_window, title, found); }}};
}

void SessionController::start(Opening opening)
{
    if (m_document.busy() != Document::Busy::Idle) {
        Q_EMIT m_session.statusMessage(
            tr("Another task is under way. Try again when it has ended."));
        return;
    }
    const SessionFile session = opening.session;
    if (session.document.sample.isEmpty() && !session.other.path.isEmpty() &&
        !session.pairs.isEmpty())
        m_settings.setPairsByHand(session.document.path, session.other.path, session.pairs);
    m_opening = std::make_unique<Opening>(std::move(opening));
    Q_EMIT openAsked(session);
}

void SessionController::sampleMissing(const QString &name)
{
    m_notices->add(NoticeArea::Kind::Error, u"session"_s,
                   tr("There is no sample %1.").arg(ui::shown(name)));
    m_opening.reset();
}

void SessionController::failed(const QString &path)
{
    if (m_opening && path == m_opening->session.document.path)
        m_opening.reset();
}

/// Once all that it names is open.
void SessionController::finish()
{
    const auto opening = std::exchange(m_opening, nullptr);
    if (!opening || !m_document.isOpen())
        return;
    const SessionFile &session = opening->session;
    for (const SessionFile::Layout &kept : session.layouts) {
        const bool known = std::ranges::any_of(
            kLayouts, [&kept](Layout layout) { return layoutId(layout) == kept.id; });
        if (known)
            m_settings.setLayoutState(kept.id, session.docks, kept.state);
    }
    Q_EMIT restoreAsked();
    m_docks->bookmarks()->model().addAll(session.bookmarks);
    m_settings.addRecent({opening->path, {}});
    Q_EMIT recentChanged();
    const QString name = ui::shown(QFileInfo(opening->path).fileName());
    if (!opening->gone.isEmpty())
        m_notices->add(NoticeArea::Kind::Warning, u"session"_s,
                       tr("The session %1 names files that are gone: %2. The rest of it is open.")
                           .arg(name, opening->gone.join(u", "_s)),
                       waysToFind(*opening));
    Q_EMIT m_session.statusMessage(tr("Opened the session %1").arg(name));
    // Beside a sample a bundle of the disk is opened afterwards.
    if (m_document.inMemory() && !session.other.path.isEmpty())
        m_document.openOther(session.other.path);
}

} // namespace kernscope::app

#include "moc_session_controller.cpp"
