// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/tour.h"

#include "app/dock_set.h"
#include "app/main_window.h"
#include "app/notice_area.h"
#include "app/texts.h"
#include "core/base/csv.h"
#include "widgets/common/labels.h"
#include "widgets/common/qt.h"
#include "widgets/models/theme.h"

namespace kernscope::app {

namespace {

QString fromCell(std::string_view cell)
{
    return QString::fromUtf8(cell.data(), static_cast<qsizetype>(cell.size()));
}

/// Of the window's language: titles and texts are translated in this context.
QString translatedCell(std::string_view cell)
{
    return QCoreApplication::translate("kernscope::TourStep", std::string(cell).c_str());
}

} // namespace

std::vector<TourStep> tourSteps()
{
    QFile file(u":/tour/steps.csv"_s);
    if (!file.open(QIODevice::ReadOnly))
        return {};
    const QByteArray text = file.readAll();
    const auto table = CsvTable::parse({text.constData(), static_cast<std::size_t>(text.size())},
                                       "tour/steps.csv");
    if (!table)
        return {};
    std::vector<TourStep> steps;
    for (std::size_t row = 0; row < table->rows(); ++row) {
        TourStep step;
        step.title = translatedCell(table->cell(row, "title"));
        step.text = translatedCell(table->cell(row, "text"));
        step.bundle = fromCell(table->cell(row, "bundle"));
        step.other = fromCell(table->cell(row, "other"));
        step.target = fromCell(table->cell(row, "target"));
        step.place = fromCell(table->cell(row, "place"));
        const QString layout = fromCell(table->cell(row, "layout"));
        for (const Layout each : kLayouts) {
            if (layoutId(each) == layout)
                step.layout = each;
        }
        steps.push_back(std::move(step));
    }
    return steps;
}

using namespace ui::design;

namespace {

constexpr double kPanelWidth = 24, kFrameWidth = 0.2; // in ems

} // namespace

TourPanel::TourPanel(QWidget *window) : QFrame(window)
{
    setObjectName(u"tourPanel"_s);
    setFrameShape(QFrame::NoFrame);
    setAutoFillBackground(true);
    m_title = label({}, Type::Title, this);
    m_title->setWordWrap(true);
    m_text = label({}, Type::Body, this);
    m_text->setWordWrap(true);
    m_count = label({}, Type::Small, this);
    m_back = new QPushButton(tr("&Back"), this);
    m_next = new QPushButton(tr("&Next"), this);
    m_end = new QPushButton(tr("&End the Tour"), this);
    m_back->setToolTip(tr("The step before (Left)"));
    m_next->setToolTip(tr("The next step (Right)"));
    m_end->setToolTip(tr("Leave the tour (Escape); the Help menu starts it again"));
    // Enter presses the button that has the focus, as Space does.
    for (QPushButton *button : {m_back, m_next, m_end}) {
        button->setAutoDefault(true);
        button->installEventFilter(this); // a button would take Left and Right to move the focus
    }
    connect(m_back, &QPushButton::clicked, this, &TourPanel::back);
    connect(m_next, &QPushButton::clicked, this, &TourPanel::next);
    connect(m_end, &QPushButton::clicked, this, &TourPanel::end);
    auto *buttons = ui::laidOut(new QHBoxLayout, {m_end, ui::room(0), m_back, m_next});
    auto *rows = new QVBoxLayout(this);
    const int margin = space(this, Space::Large);
    rows->setContentsMargins(margin, margin, margin, margin);
    rows->setSpacing(space(this, Space::Medium));
    ui::laidOut(rows, {m_count, m_title, m_text, buttons});
    setTabOrder(m_next, m_back);
    setTabOrder(m_back, m_end);
    wearPalette();
    hide();
}

void TourPanel::say(const QString &title, const QString &text, std::size_t index, std::size_t count)
{
    m_title->setText(title);
    m_text->setText(text);
    m_count->setText(tr("Tour, step %1 of %2").arg(index + 1).arg(count));
    m_back->setEnabled(index > 0);
    m_next->setText(index + 1 < count ? tr("&Next") : tr("&Finish"));
    setAccessibleName(tr("%1: %2").arg(m_count->text(), title));
    setAccessibleDescription(text);
    // A reader of the screen hears the step with the button that one presses for the next.
    m_next->setAccessibleDescription(title + QLatin1Char('\n') + text);
    if (!m_back->isEnabled() && m_back->hasFocus())
        m_next->setFocus(Qt::OtherFocusReason);
    QAccessibleEvent event(this, QAccessible::Alert);
    QAccessible::updateAccessibility(&event);
}

void TourPanel::placeBeside(const QRect &target)
{
    const QRect window = parentWidget()->rect();
    const int gap = space(this, Space::Medium);
    const int least = std::max(ui::theme::em(this, kPanelWidth), layout()->minimumSize().width());
    const int width = std::min(least, window.width());
    const int height =
        layout()->hasHeightForWidth() ? layout()->heightForWidth(width) : sizeHint().height();
    const QSize size(width, std::min(height, window.height()));
    QPoint at = window.center() - QRect({}, size).center();
    if (!target.isEmpty()) {
        // Beside first: above and below a wide panel of the window lies what it belongs to.
        const QList<QPoint> places{
            {target.right() + 1 + gap, target.top()},
            {target.left() - gap - size.width(), target.top()},
            {target.left(), target.bottom() + 1 + gap},
            {target.left(), target.top() - gap - size.height()},
        };
        at = {target.right() - gap - size.width(), target.bottom() - gap - size.height()};
        for (const QPoint place : places) {
            // Moved along the target's side into the window, never over the target.
            QRect rect(place, size);
            rect.moveLeft(
                std::clamp(rect.left(), gap, std::max(gap, window.width() - gap - size.width())));
            rect.moveTop(
                std::clamp(rect.top(), gap, std::max(gap, window.height() - gap - size.height())));
            if (!rect.intersects(target) && window.contains(rect)) {
                at = rect.topLeft();
                break;
            }
        }
    }
    at.setX(std::clamp(at.x(), 0, std::max(0, window.width() - size.width())));
    at.setY(std::clamp(at.y(), 0, std::max(0, window.height() - size.height())));
    setGeometry(QRect(at, size));
}

bool TourPanel::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() == QEvent::KeyPress && takesKey(static_cast<QKeyEvent *>(event)->key()))
        return true;
    return QFrame::eventFilter(watched, event);
}

void TourPanel::keyPressEvent(QKeyEvent *event)
{
    if (!takesKey(event->key()))
        QFrame::keyPressEvent(event);
}

bool TourPanel::takesKey(int key)
{
    const bool mirrored = layoutDirection() == Qt::RightToLeft;
    switch (key) {
    case Qt::Key_Escape: Q_EMIT end(); return true;
    case Qt::Key_Left:
    case Qt::Key_Right:
        if ((key == Qt::Key_Right) != mirrored)
            m_next->click();
        else
            m_back->click();
        return true;
    default: return false;
    }
}

void TourPanel::changeEvent(QEvent *event)
{
    QFrame::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && parentWidget())
        wearPalette();
}

/// A ground of its own, so that it stands out from the tables below it.
void TourPanel::wearPalette()
{
    const QPalette &of = parentWidget()->palette();
    QPalette wanted = of;
    wanted.setColor(QPalette::Window, chosenGround(of));
    wanted.setColor(QPalette::PlaceholderText, of.color(QPalette::WindowText));
    if (palette().color(QPalette::Window) != wanted.color(QPalette::Window))
        setPalette(wanted);
}

TourFrame::TourFrame(QWidget *window) : QWidget(window)
{
    setObjectName(u"tourFrame"_s);
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setAttribute(Qt::WA_NoSystemBackground);
    setFocusPolicy(Qt::NoFocus);
    hide();
}

void TourFrame::surround(const QRect &target)
{
    setVisible(!target.isEmpty());
    if (target.isEmpty())
        return;
    const int width = ui::theme::em(this, kFrameWidth);
    setGeometry(target.adjusted(-width, -width, width, width).intersected(parentWidget()->rect()));
    raise();
    update();
}

void TourFrame::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const double width = ui::theme::em(this, kFrameWidth);
    painter.setPen(QPen(accent(palette()), width));
    painter.drawRoundedRect(QRectF(rect()).adjusted(width / 2, width / 2, -width / 2, -width / 2),
                            width, width);
}

Tour::Tour(MainWindow &window) : QObject(&window), m_window(window)
{
    m_frame = new TourFrame(&window);
    m_panel = new TourPanel(&window);
    connect(m_panel, &TourPanel::next, this, &Tour::next);
    connect(m_panel, &TourPanel::back, this, &Tour::back);
    connect(m_panel, &TourPanel::end, this, &Tour::end);
    // The layout is finished first: what a step points at may move several times in one turn.
    m_pointing.setSingleShot(true);
    m_pointing.setInterval(0);
    connect(&m_pointing, &QTimer::timeout, this, &Tour::point);
    window.installEventFilter(this);
    connect(&window.document(), &Document::opened, this, [this] {
        if (m_running && !m_arrived)
            arrive();
    });
}

void Tour::start()
{
    m_steps = tourSteps();
    if (m_steps.empty())
        return;
    m_running = true;
    m_window.notices().remove(u"sample"_s);
    m_window.notices().remove(u"tour"_s);
    m_before.clear();
    for (const QString &path : {m_window.document().path(), m_window.document().otherPath()}) {
        if (!path.isEmpty())
            m_before += path;
    }
    show(0);
    m_panel->takeFocus();
}

void Tour::next()
{
    if (!m_running)
        return;
    if (m_at + 1 < m_steps.size())
        show(m_at + 1);
    else
        end();
}

void Tour::back()
{
    if (m_running && m_at > 0)
        show(m_at - 1);
}

void Tour::end()
{
    if (!m_running)
        return;
    m_running = false;
    const bool focused = m_panel->isAncestorOf(m_panel->window()->focusWidget());
    watch(nullptr);
    m_pointing.stop();
    m_frame->hide();
    m_panel->hide();
    if (focused && !m_steps.empty()) {
        if (QWidget *widget = targetWidget(m_steps[m_at]))
            widget->setFocus(Qt::OtherFocusReason);
    }
    offerBefore();
}

/// What the sample took the place of is one press away.
void Tour::offerBefore()
{
    const QStringList paths = std::exchange(m_before, {});
    if (paths.isEmpty() || !m_window.document().inMemory())
        return;
    m_window.notices().add(NoticeArea::Kind::Note, u"tour"_s, tr("The tour has ended."),
                           {{tr("Open %1 Again").arg(QFileInfo(paths.first()).fileName()),
                             [this, paths] { m_window.openPaths(paths); }}});
}

void Tour::offer(Settings &settings)
{
    if (m_running)
        return;
    const auto open = [this](const char *name, const QString &other = {}) {
        return [this, sample = QString::fromLatin1(name), other] {
            m_window.openSample(sample, other);
        };
    };
    std::vector<NoticeAction> actions{{tr("Sparse Build"), open("sample-sparse.mlmodelc")},
                                      {tr("Palette Build"), open("sample-palette.mlmodelc")},
                                      {tr("Compare Dense with Sparse"),
                                       open("sample-dense.mlmodelc", u"sample-sparse.mlmodelc"_s)}};
    if (!settings.get(Settings::kTourOffered)) {
        settings.set(Settings::kTourOffered, true);
        actions.insert(actions.begin(), {tr("Take the Tour"), [this] { start(); }});
    }
    m_window.notices().add(NoticeArea::Kind::Note, u"sample"_s,
                           tr("This is the embedded sample, a small network in three builds. Open "
                              "your own with Ctrl+O, or drop it here."),
                           std::move(actions));
}

void Tour::show(std::size_t step)
{
    m_at = step;
    m_arrived = false;
    m_panel->say(m_steps[m_at].title, m_steps[m_at].text, m_at, m_steps.size());
    m_panel->show();
    if (holdsBundle(m_steps[m_at])) {
        arrive();
        return;
    }
    watch(nullptr);
    point();
    // Asks first where edits would be lost; the step waits, and can be passed.
    m_window.openSample(m_steps[m_at].bundle, m_steps[m_at].other);
}

bool Tour::holdsBundle(const TourStep &step) const
{
    const Document &document = m_window.document();
    return step.bundle.isEmpty() ||
           (document.isOpen() && document.inMemory() && document.name() == step.bundle &&
            document.otherName() == step.other);
}

/// The bundle of the step is open: to its layout and place.
void Tour::arrive()
{
    const TourStep &step = m_steps[m_at];
    if (!holdsBundle(step))
        return;
    m_arrived = true;
    if (step.layout)
        m_window.showLayout(*step.layout);
    const BundlePtr &bundle = m_window.session().bundle();
    if (bundle && !step.place.isEmpty()) {
        if (const auto place = parsePlace(*bundle, step.place, m_window.session().place().file))
            m_window.session().goTo(*place);
    }
    if (step.target.startsWith("dock/"_L1)) {
        if (ui::Dock *dock = m_window.docks().dock(step.target.section(QLatin1Char('/'), 1, 1))) {
            const bool focused =
                m_window.focusWidget() && m_panel->isAncestorOf(m_window.focusWidget());
            dock->show();
            dock->raise();
            if (focused && !m_panel->isAncestorOf(m_window.focusWidget()))
                m_panel->takeFocus();
        }
    }
    watch(targetWidget(step));
    m_pointing.start();
}

QWidget *Tour::targetWidget(const TourStep &step) const
{
    const QString kind = step.target.section(QLatin1Char('/'), 0, 0);
    const QString name = step.target.section(QLatin1Char('/'), 1, 1);
    if (kind == "dock"_L1) {
        ui::Dock *dock = m_window.docks().dock(name);
        const QString inside = step.target.section(QLatin1Char('/'), 2, 2);
        return !dock || inside.isEmpty() ? dock : dock->findChild<QWidget *>(inside);
    }
    const auto *bar = m_window.findChild<QToolBar *>(u"tools"_s);
    if (kind == "action"_L1) {
        QAction *action = m_window.findChild<QAction *>(name);
        return action && bar ? bar->widgetForAction(action) : nullptr;
    }
    if (kind == "menu"_L1)
        return m_window.menuBar();
    return m_window.findChild<QWidget *>(u"goToBox"_s);
}

QRect Tour::target() const
{
    if (!m_running || !m_arrived)
        return {};
    const TourStep &step = m_steps[m_at];
    const QWidget *widget = targetWidget(step);
    // What lies in a tab that is not in front, or was closed, is not pointed at.
    if (!widget || !widget->isVisible() || widget->visibleRegion().isEmpty() ||
        widget->window() != &m_window)
        return {};
    QRect rect = widget->rect();
    if (step.target.startsWith("menu/"_L1)) {
        const auto *menu =
            m_window.menuBar()->findChild<QMenu *>(step.target.section(QLatin1Char('/'), 1, 1));
        rect = menu ? m_window.menuBar()->actionGeometry(menu->menuAction()) : QRect();
    }
    return {widget->mapTo(&m_window, rect.topLeft()), rect.size()};
}

void Tour::watch(QWidget *widget)
{
    if (m_watched == widget)
        return;
    if (m_watched && m_watched != &m_window)
        m_watched->removeEventFilter(this);
    m_watched = widget;
    if (m_watched)
        m_watched->installEventFilter(this);
}

bool Tour::eventFilter(QObject *watched, QEvent *event)
{
    switch (event->type()) {
    case QEvent::Resize:
    case QEvent::Move:
    case QEvent::Show:
    case QEvent::Hide:
    case QEvent::LayoutRequest:
        if (m_running)
            m_pointing.start();
        break;
    default: break;
    }
    return QObject::eventFilter(watched, event);
}

void Tour::point()
{
    if (!m_running)
        return;
    const QRect rect = target();
    m_frame->surround(rect);
    m_panel->placeBeside(rect);
    m_panel->raise();
}

} // namespace kernscope::app

#include "moc_tour.cpp"
