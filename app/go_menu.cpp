// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/go_menu.h"

#include "app/bookmarks_dock.h"
#include "app/dock_set.h"
#include "app/document.h"
#include "app/menu_actions.h"
#include "app/place_text.h"
#include "core/bundle/bundle.h"
#include "widgets/common/line_icon.h"
#include "widgets/common/session.h"

#include <QAction>
#include <QClipboard>
#include <QDir>
#include <QGuiApplication>
#include <QMenu>
#include <QRegularExpression>

namespace kernscope::app {

namespace {

constexpr int kMostVisited = 20; ///< places each way

/// As a shell takes it for one word.
QString shellWord(QString text)
{
    static const QRegularExpression plain(QStringLiteral("^[A-Za-z0-9_./:@%+,=-]+$"));
    if (plain.match(text).hasMatch())
        return text;
    text.replace(QLatin1Char('\''), QStringLiteral("'\\''"));
    return QLatin1Char('\'') + text + QLatin1Char('\'');
}

} // namespace

void GoMenu::fill(QMenu *menu)
{
    m_back =
        m_actions->add(menu, tr("&Back"), Qt::ALT | Qt::Key_Left, [this] { m_session.goBack(); });
    m_back->setIcon(ui::lineIcon(QStringLiteral("back")));
    m_back->setToolTip(tr("Back to the place before (Alt+Left)"));
    m_forward = m_actions->add(menu, tr("&Forward"), Qt::ALT | Qt::Key_Right,
                               [this] { m_session.goForward(); });
    m_forward->setIcon(ui::lineIcon(QStringLiteral("forward")));
    m_forward->setToolTip(tr("Forward again (Alt+Right)"));
    QMenu *visited = menu->addMenu(tr("&Visited Places"));
    connect(visited, &QMenu::aboutToShow, this, [this, visited] { fillVisited(visited); });
    m_actions->need(visited->menuAction(), Needs::Bundle);
    const auto search = [this] { Q_EMIT searchAsked(); };
    QAction *find = m_actions->add(menu, tr("&Search\u2026"), Qt::CTRL | Qt::Key_K, search);
    find->setIcon(ui::lineIcon(QStringLiteral("search")));
    m_actions->add(menu, tr("&Go To\u2026"), Qt::CTRL | Qt::Key_G, Needs::Bundle, search);
    m_actions->add(menu, tr("Copy &Link to This Place"), Qt::CTRL | Qt::SHIFT | Qt::Key_L,
                   Needs::Bundle, [this] { copyLink(); });
    menu->addSeparator();
    m_actions->add(menu, tr("Add Book&mark"), Qt::CTRL | Qt::Key_D, Needs::Bundle, [this] {
        Q_EMIT docksAsked();
        DockSet::reveal(m_docks->bookmarks());
        m_docks->bookmarks()->addHere();
    });
    m_actions->add(menu, tr("Next Bookmar&k"), Qt::ALT | Qt::Key_PageDown, Needs::Bundle,
                   [this] { m_docks->bookmarks()->step(1); });
    m_actions->add(menu, tr("Previous B&ookmark"), Qt::ALT | Qt::Key_PageUp, Needs::Bundle,
                   [this] { m_docks->bookmarks()->step(-1); });
    menu->addSeparator();
    m_actions->add(menu, tr("&Next Weight"), Qt::ALT | Qt::Key_Down, Needs::Bundle,
                   [this] { stepWeight(1); });
    m_actions->add(menu, tr("&Previous Weight"), Qt::ALT | Qt::Key_Up, Needs::Bundle,
                   [this] { stepWeight(-1); });
}

QAction *GoMenu::addVisited(QMenu *menu, std::size_t at)
{
    QString text = placeText(*m_session.bundle(), m_session.history()[at]);
    text = text.isEmpty() ? tr("Overview") : text.replace(QLatin1Char('&'), QLatin1String("&&"));
    return m_actions->add(menu, text, {}, [this, at] { m_session.goToHistory(at); });
}

/// The places before or after the current one, the nearest first.
void GoMenu::fillHistory(QMenu *menu, bool back)
{
    menu->clear();
    const auto &history = m_session.history();
    std::size_t at = m_session.historyAt();
    for (int i = 0; i < kMostVisited && m_session.bundle(); ++i) {
        if (back ? at == 0 : at + 1 >= history.size())
            break;
        at = back ? at - 1 : at + 1;
        addVisited(menu, at);
    }
}

/// What holding the buttons lists, for the keyboard: the newest place first, the current one
/// marked.
void GoMenu::fillVisited(QMenu *menu)
{
    menu->clear();
    const std::size_t now = m_session.historyAt();
    std::size_t at = std::min(m_session.history().size(), now + 1 + kMostVisited);
    const std::size_t end = now > kMostVisited ? now - kMostVisited : 0;
    while (m_session.bundle() && at > end) {
        QAction *place = addVisited(menu, --at);
        place->setCheckable(true);
        place->setChecked(at == now);
    }
    if (menu->isEmpty())
        menu->addAction(tr("No place was gone to yet"))->setEnabled(false);
}

/// The command that opens the bundle at the current place: what a colleague pastes.
void GoMenu::copyLink()
{
    QString link = QDir::toNativeSeparators(m_document.path());
    const QString place = placeText(*m_session.bundle(), m_session.place());
    if (!place.isEmpty())
        link += QLatin1Char('#') + place;
    QGuiApplication::clipboard()->setText(QStringLiteral("kernscope ") + shellWord(link));
    Q_EMIT m_session.statusMessage(tr("Copied: kernscope %1").arg(link));
}

void GoMenu::stepWeight(int direction)
{
    const BundlePtr &bundle = m_session.bundle();
    if (!bundle || bundle->weights().empty())
        return;
    const std::size_t count = bundle->weights().size(), now = m_session.place().weight;
    if (now >= count)
        m_session.goToWeight(direction > 0 ? 0 : count - 1);
    else if (direction > 0 ? now + 1 < count : now > 0)
        m_session.goToWeight(direction > 0 ? now + 1 : now - 1);
}

} // namespace kernscope::app

#include "moc_go_menu.cpp"
