// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/dock.h"

#include "widgets/common/controls.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/labels.h"
#include "widgets/common/panels.h"
#include "widgets/common/plot_widget.h"
#include "widgets/common/qt.h"
#include "widgets/models/fact_tree_model.h"
#include "widgets/models/table_text.h"
#include "widgets/models/task_manager.h"

namespace kernscope::ui {

DockTitleBar::DockTitleBar(QDockWidget *dock, const QList<QAction *> &buttons) : QWidget(dock)
{
    auto *row = new QHBoxLayout(this);
    const int gap = theme::em(this, 0.2);
    row->setContentsMargins(2 * gap, gap / 2, gap, gap / 2);
    row->setSpacing(gap);

    m_title = new QLabel(dock->windowTitle(), this);
    m_title->setFont(design::type(font(), design::Type::Heading));
    row->addWidget(m_title);
    m_note = new ElidedLabel(Qt::ElideRight, this);
    m_note->setForegroundRole(QPalette::PlaceholderText);
    m_note->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_note->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    row->addWidget(m_note, 1);
    connect(qApp, &QApplication::focusChanged, this, [this, dock](QWidget *, QWidget *now) {
        if (const bool focused = now && dock->isAncestorOf(now); focused != m_focused) {
            m_focused = focused;
            update();
        }
    });
    connect(dock, &QDockWidget::windowTitleChanged, m_title, &QLabel::setText);

    m_buttons = new QWidget(this);
    auto *buttonRow = withoutMargins(new QHBoxLayout(m_buttons), gap);
    const int side = theme::em(this, 1.0);
    for (QAction *action : buttons) {
        auto *button = new QToolButton(m_buttons);
        button->setDefaultAction(action);
        button->setAutoRaise(true);
        button->setFocusPolicy(Qt::TabFocus);
        button->setAccessibleName(action->toolTip());
        button->setIconSize(QSize(side, side));
        buttonRow->addWidget(button);
    }
    // At the end of the row, also where nothing else stands in it.
    row->addWidget(m_buttons, 0, Qt::AlignRight);
}

void DockTitleBar::setNote(const QString &text)
{
    m_note->setWholeText(text);
}

void DockTitleBar::setHeader(QWidget *header)
{
    auto *row = static_cast<QHBoxLayout *>(layout());
    m_note->hide();
    row->insertWidget(row->indexOf(m_note), header, 1);
    header->show();
}

void DockTitleBar::setBare(bool bare)
{
    m_bare = bare;
    m_title->setVisible(!bare);
    const int gap = theme::em(this, 0.2), edge = bare ? 0 : gap / 2;
    layout()->setContentsMargins(2 * gap, edge, gap, edge);
}

int DockTitleBar::leastWidth(const QWidget *header) const
{
    const QMargins margins = layout()->contentsMargins();
    const int gap = layout()->spacing();
    const int head =
        header ? std::max(header->minimumSizeHint().width(), header->minimumWidth()) + gap : 0;
    return margins.left() + margins.right() + head + m_buttons->sizeHint().width();
}

void DockTitleBar::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    // Keys go to this dock: what its shortcut would hide.
    if (m_focused && !m_bare) {
        const int line = theme::em(this, 0.15);
        painter.fillRect(QRect(0, line, line, height() - 2 * line), design::accent(palette()));
    }
}

/// Fills docks one after the other, so that keys and frames come in between: another workspace, or
/// another bundle, leaves many of them stale at once. One a session; of the GUI thread.
class RefreshQueue final : public QObject
{
    Q_OBJECT

public:
    static RefreshQueue &of(Session &session);

    /// Runs `work` in one of the next turns of the event loop, in the order of the calls, unless
    /// `who` is gone by then. Several short ones may share a turn.
    void add(QObject *who, std::function<void()> work);

private:
    explicit RefreshQueue(QObject *parent);
    void runSome();

    struct Entry {
        QPointer<QObject> who;
        std::function<void()> work;
    };
    std::deque<Entry> m_waiting;
    QTimer *m_timer = nullptr;
};

namespace {

constexpr qint64 kTurnMilliseconds = 8; ///< half a frame: after that the rest waits its turn

/// Says that a widget was moved.
class MoveWatch final : public QObject
{
public:
    MoveWatch(QWidget *widget, std::function<void()> moved)
        : QObject(widget), m_moved(std::move(moved))
    {
        widget->installEventFilter(this);
    }

    bool eventFilter(QObject *, QEvent *event) override
    {
        if (event->type() == QEvent::Move)
            m_moved();
        return false;
    }

private:
    std::function<void()> m_moved;
};

} // namespace

RefreshQueue &RefreshQueue::of(Session &session)
{
    if (auto *queue = session.findChild<RefreshQueue *>(QString(), Qt::FindDirectChildrenOnly))
        return *queue;
    return *new RefreshQueue(&session);
}

RefreshQueue::RefreshQueue(QObject *parent) : QObject(parent), m_timer(new QTimer(this))
{
    m_timer->setInterval(0);
    connect(m_timer, &QTimer::timeout, this, &RefreshQueue::runSome);
}

void RefreshQueue::add(QObject *who, std::function<void()> work)
{
    m_waiting.push_back({who, std::move(work)});
    m_timer->start();
}

void RefreshQueue::runSome()
{
    QElapsedTimer turn;
    turn.start();
    while (!m_waiting.empty() && turn.elapsed() < kTurnMilliseconds) {
        const Entry entry = std::move(m_waiting.front());
        m_waiting.pop_front();
        if (entry.who)
            entry.work();
    }
    if (m_waiting.empty())
        m_timer->stop();
}

Dock::Dock(Session &session, const QString &id, const QString &title, QWidget *parent)
    : QDockWidget(title, parent), m_session(session)
{
    setObjectName(id);
    setAccessibleName(title);
    createStandingActions();
    m_head = new QWidget(this);
    m_head->setLayout(new QVBoxLayout);
    m_head->layout()->setContentsMargins(0, 0, 0, 0);
    m_head->hide();
    m_bar = new DockTitleBar(this, m_standing);
    setTitleBarWidget(m_bar);

    m_stack = new QStackedWidget(this);
    m_messageButtons = new QWidget;
    const auto addMessage = [this](QLabel *&label, QWidget *below) {
        auto *page = new QWidget;
        auto *column = withoutMargins(new QVBoxLayout(page));
        label = new QLabel(page);
        label->setAlignment(Qt::AlignCenter);
        label->setWordWrap(true);
        label->setForegroundRole(QPalette::PlaceholderText);
        label->setMargin(theme::em(this, 0.8));
        laidOut(column, {room(1), label});
        if (below)
            column->addWidget(below, 0, Qt::AlignHCenter);
        column->addStretch(1);
        auto *area = new ShrinkArea(page, m_stack);
        m_stack->addWidget(area);
        return area;
    };
    m_messageArea = addMessage(m_message, m_messageButtons);
    m_changedArea = addMessage(m_changed, nullptr);
    setWidget(m_stack);
    followSession();
    showMessage(tr("Open a bundle to begin (Ctrl+O)."));
}

void Dock::followSession()
{
    connect(&m_session, &Session::bundleChanged, this, &Dock::forgetPlace);
    connect(&m_session, &Session::bundleChanged, this, &Dock::scheduleRefresh);
    connect(&m_session, &Session::bytesChanged, this, &Dock::scheduleRefresh);
    connect(&m_session, &Session::placeChanged, this, &Dock::onPlaceChanged);
    connect(&m_session, &Session::placeConfirmed, this, [this](QObject *origin) {
        if (pinned() && origin == this)
            m_held = m_session.place();
    });
    connect(&m_session, &Session::filesHoldChanged, this, &Dock::onFilesHoldChanged);
    // Its tab was chosen: Qt moves it back into the window, at once or when it is laid out.
    new MoveWatch(this, [this] {
        if ((m_stale || m_placeStale) && onView())
            catchUp();
        tellFilled();
    });
    connect(&m_session.tasks(), &TaskManager::changed, this, &Dock::tellFilled);
    connect(m_pin, &QAction::toggled, this, [this](bool pinned) {
        if (pinned)
            m_held = m_session.place();
        else
            m_held.reset();
        Q_EMIT pinnedChanged(pinned);
        if (!pinned)
            onPlaceChanged(m_session.place(), nullptr);
    });
}

void Dock::createStandingActions()
{
    const auto add = [this](const QString &text, const QString &tip, const char *icon) {
        auto *action = new QAction(lineIcon(QString::fromLatin1(icon)), text, this);
        action->setToolTip(tip);
        m_standing += action;
        return action;
    };
    m_pin = add(tr("Pin"), tr("Pin: stop following the selection"), "pin");
    m_pin->setCheckable(true);
    QAction *floating = add(tr("Float"), tr("Float or dock"), "float");
    connect(floating, &QAction::triggered, this, [this] { setFloating(!isFloating()); });
    QAction *hide = add(tr("Hide"), tr("Hide"), "close");
    connect(hide, &QAction::triggered, this, &QDockWidget::close);
}

bool Dock::standInTabs(QWidget *row, const QRect &place, bool onView)
{
    const bool fits = row && m_bar && place.width() >= m_bar->leastWidth(nullptr);
    if (!fits) {
        if (!m_bar || titleBarWidget() != m_head)
            return fits;
        m_bar->setBare(false);
        if (m_header)
            m_bar->setHeader(m_header);
        setTitleBarWidget(m_bar);
        m_bar->show();
        return fits;
    }
    if (titleBarWidget() == m_bar)
        setTitleBarWidget(m_head);
    if (m_bar->parentWidget() != row)
        m_bar->setParent(row);
    m_bar->setBare(true);
    if (m_header) {
        const bool beside = place.width() >= m_bar->leastWidth(m_header);
        if (beside && m_header->parentWidget() != m_bar)
            m_bar->setHeader(m_header);
        else if (!beside && m_header->parentWidget() != m_head)
            m_head->layout()->addWidget(m_header);
    }
    m_bar->setGeometry(place);
    m_bar->setVisible(onView);
    return fits;
}

bool Dock::pinned() const
{
    return m_pin->isChecked();
}

void Dock::setPinned(bool pinned)
{
    m_pin->setChecked(pinned);
}

void Dock::embedIn(Dock &other)
{
    setFeatures(QDockWidget::NoDockWidgetFeatures);
    QWidget *bar = m_bar; // keeps the pin; Qt lets go of it, hidden, as a child
    auto *none = new QWidget(this);
    none->setFixedHeight(0);
    setTitleBarWidget(none);
    bar->hide();
    connect(&other, &Dock::pinnedChanged, this, &Dock::setPinned);
    setPinned(other.pinned());
}

/// Qt leaves the docks behind a tab visible and moves them out of the window; what is not
/// visible is not filled.
bool Dock::onView() const
{
    const bool behind = !isFloating() && (geometry().right() < 0 || geometry().bottom() < 0);
    return isVisible() && !behind;
}

bool Dock::showsContent() const
{
    return m_area != nullptr && m_stack->currentWidget() == m_area;
}

void Dock::setContent(QWidget *content, QWidget *focus)
{
    content->setFocusProxy(focus);
    m_area = new ShrinkArea(content, m_stack);
    m_stack->addWidget(m_area);
    setFocusProxy(content);
    for (const PlotWidget *plot : content->findChildren<PlotWidget *>()) // also of docks within it
        connect(plot, &PlotWidget::exportFailed, &m_session, &Session::statusMessage,
                Qt::UniqueConnection);
}

void Dock::showContent()
{
    if (m_area)
        turnTo(m_area);
}

void Dock::turnTo(QWidget *page)
{
    m_page = page;
    m_stack->setCurrentWidget(hidesFiles() ? m_changedArea : m_page);
}

void Dock::onFilesHoldChanged()
{
    if (m_session.filesFault()) {
        const QString text =
            tr("%1 was changed by another program. Nothing is shown of it, because old and new "
               "bytes would be mixed. Reload to see what it holds now.")
                .arg(fromUtf8(m_session.filesFault()->file));
        m_changed->setText(text);
        m_changed->setAccessibleName(text);
        turnTo(m_page);
    } else {
        scheduleRefresh(); // until then what the dock holds is of the files that changed
    }
}

void Dock::setHeader(QWidget *header)
{
    m_header = header;
    m_bar->setHeader(header);
}

void Dock::showMessage(const QString &text)
{
    m_message->setText(text);
    m_message->setAccessibleName(text);
    setNote({}); // of what was shown before
    turnTo(m_messageArea);
}

QString Dock::needsPair() const
{
    return m_session.bundle() ? tr("Open a second bundle to compare (Ctrl+Shift+O).")
                              : tr("Open a bundle to begin (Ctrl+O).");
}

void Dock::setMessageActions(const QList<QAction *> &actions)
{
    qDeleteAll(m_messageButtons->findChildren<QToolButton *>());
    if (!m_messageButtons->layout())
        withoutMargins(new QVBoxLayout(m_messageButtons), theme::em(this, 0.3));
    for (QAction *action : actions) {
        QToolButton *button = actionButton(action, m_messageButtons);
        button->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
        m_messageButtons->layout()->addWidget(button);
    }
}

void Dock::follow(const Place &, QObject *) {}

bool Dock::working() const
{
    return std::ranges::any_of(children(), [](const QObject *child) {
        const auto *job = dynamic_cast<const Job *>(child);
        return job != nullptr && job->running();
    });
}

void Dock::scheduleRefresh()
{
    m_stale = true;
    if (m_scheduled)
        return;
    m_scheduled = true;
    RefreshQueue::of(m_session).add(this, [this] {
        m_scheduled = false;
        runRefresh();
    });
}

void Dock::runRefresh()
{
    if (!m_stale || !onView() || hidesFiles())
        return;
    m_stale = false;
    refresh();
    turnTo(m_page); // after a change by another program this is the first content again
    tellFilled();
}

void Dock::tellFilled()
{
    const bool now = onView() && !busy();
    if (now && !std::exchange(m_filled, true))
        Q_EMIT filled();
    m_filled = now;
}

void Dock::onPlaceChanged(const Place &place, QObject *origin)
{
    if (pinned()) {
        // What the dock itself picked, and the first place of another document, it takes along.
        if (origin != this && m_held != Place())
            return;
        m_held = place;
    }
    if (!onView()) {
        m_placeStale = true;
        return;
    }
    if (hidesFiles())
        return;
    runRefresh();
    follow(place, origin);
}

/// Another document: the places of the one before mean nothing in it.
void Dock::forgetPlace()
{
    if (m_held)
        m_held = Place();
}

void Dock::showEvent(QShowEvent *event)
{
    QDockWidget::showEvent(event);
    m_filled = false;
    catchUp();
    tellFilled();
}

/// It came on view: what happened meanwhile is shown now.
void Dock::catchUp()
{
    if (m_stale)
        scheduleRefresh();
    if (m_placeStale) {
        m_placeStale = false;
        RefreshQueue::of(m_session).add(this, [this] { onPlaceChanged(place(), nullptr); });
    }
}

QAction *Dock::hexAction()
{
    return dockAction(this, tr("Show in Hex"), {}, [this] { raiseHex(); });
}

void Dock::leadToBytes(QTreeView *view, const FactTreeModel *model)
{
    connect(view->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this, model](const QModelIndex &index) {
                const auto bytes = model->bytesOf(index.siblingAtColumn(0));
                if (!m_following && bytes)
                    session().goToBytes(0, *bytes, this);
            });
    connect(view, &QTreeView::activated, this, &Dock::raiseHex);
}

} // namespace kernscope::ui

#include "dock.moc"
#include "moc_dock.cpp"
