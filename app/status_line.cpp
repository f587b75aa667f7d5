// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/status_line.h"

#include "core/bundle/bundle.h"
#include "widgets/common/labels.h"
#include "widgets/common/qt.h"
#include "widgets/models/table_text.h"
#include "widgets/models/task_manager.h"
#include "widgets/models/theme.h"

namespace kernscope::app {

namespace {

constexpr int kStatusPollMilliseconds = 100;
constexpr int kMessageMilliseconds = 12'000;
/// Work that ends sooner than this is not announced: a flicker tells nothing.
constexpr int kQuietMilliseconds = 150;

QToolButton *flatButton(QWidget *parent, const QString &name)
{
    auto *button = new QToolButton(parent);
    button->setAutoRaise(true);
    button->setAccessibleName(name);
    button->setToolTip(name);
    button->setToolButtonStyle(Qt::ToolButtonTextOnly);
    return button;
}

} // namespace

StatusLine::StatusLine(ui::Session &session, QWidget *parent) : QWidget(parent), m_session(session)
{
    auto *row = new QHBoxLayout(this);
    const int gap = ui::theme::em(this, 0.6);
    row->setContentsMargins(gap / 2, 0, gap / 2, 0);
    row->setSpacing(gap);

    m_lock = flatButton(this, tr("Enable patching"));
    m_file = new ui::ElidedLabel(Qt::ElideMiddle, this);
    m_bytes = new QLabel(this);
    m_weights = new QLabel(this);
    m_diagnostics = flatButton(this, tr("Show diagnostics"));
    m_message = new ui::ElidedLabel(Qt::ElideRight, this);
    m_message->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    m_message->setObjectName(u"statusMessage"_s);
    m_task = new ui::ElidedLabel(Qt::ElideMiddle, this);
    m_task->setFixedWidth(ui::theme::em(this, 16));
    m_task->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_progress = ui::thinProgress(this, tr("How far the work is"), 7);
    m_cancel = flatButton(this, tr("Cancel"));
    m_cancel->setText(tr("Cancel"));
    m_cancel->setToolTip(tr("Stop what is running"));
    // The line's height stays; its room for a task is the message's where none runs.
    QSizePolicy kept = m_cancel->sizePolicy();
    kept.setRetainSizeWhenHidden(true);
    m_cancel->setSizePolicy(kept);
    for (QWidget *field :
         std::initializer_list<QWidget *>{m_lock, m_file, m_bytes, m_weights, m_diagnostics})
        row->addWidget(field);
    row->addWidget(m_message, 1);
    for (QWidget *field : std::initializer_list<QWidget *>{m_task, m_progress, m_cancel})
        row->addWidget(field);

    connectParts();
    setCounts(0, 0);
    showBundle();
    showTasks();
}

void StatusLine::connectParts()
{
    m_poll.setInterval(kStatusPollMilliseconds);
    m_fade.setSingleShot(true);
    m_fade.setInterval(kMessageMilliseconds);
    connect(&m_poll, &QTimer::timeout, this, &StatusLine::showProgress);
    connect(&m_fade, &QTimer::timeout, this, [this] { m_message->setWholeText({}); });
    connect(m_lock, &QToolButton::clicked, this, &StatusLine::lockClicked);
    connect(m_diagnostics, &QToolButton::clicked, this, &StatusLine::diagnosticsClicked);
    connect(m_cancel, &QToolButton::clicked, this, [this] { m_session.tasks().cancelAll(); });
    connect(&m_session, &ui::Session::bundleChanged, this, &StatusLine::showBundle);
    connect(&m_session, &ui::Session::bytesChanged, this, &StatusLine::showBundle);
    connect(&m_session, &ui::Session::patchingEnabledChanged, this, &StatusLine::showLock);
    connect(&m_session, &ui::Session::statusMessage, this, &StatusLine::showMessage);
    connect(&m_session.tasks(), &ui::TaskManager::changed, this, &StatusLine::showTasks);
}

void StatusLine::showMessage(const QString &text)
{
    m_message->setWholeText(text);
    m_fade.start();
}

QString StatusLine::message() const
{
    return m_message->wholeText();
}

void StatusLine::setModified(bool modified)
{
    if (modified && !m_modified) // "Saved …" is no longer so
        showMessage({});
    m_modified = modified;
    showBundle();
}

void StatusLine::setCounts(std::size_t errors, std::size_t warnings)
{
    const QString wrong = errors == 1 ? tr("1 error") : tr("%1 errors").arg(errors);
    const QString odd = warnings == 1 ? tr("1 warning") : tr("%1 warnings").arg(warnings);
    const QString all = tr("%1, %2").arg(wrong, odd);
    m_diagnostics->setText(errors > 0 ? ui::severityGlyph(Severity::Error) + QLatin1Char(' ') + all
                           : warnings > 0
                               ? ui::severityGlyph(Severity::Warning) + QLatin1Char(' ') + odd
                               : tr("no errors or warnings"));
}

void StatusLine::showBundle()
{
    const BundlePtr &bundle = m_session.bundle();
    for (QWidget *field :
         std::initializer_list<QWidget *>{m_lock, m_file, m_bytes, m_weights, m_diagnostics})
        field->setVisible(bundle != nullptr);
    if (!bundle)
        return;
    const QString mark =
        m_modified ? ui::theme::glyph(ui::Token::MarkChanged) + QLatin1Char(' ') : QString();
    m_file->setWholeText(mark + ui::fromUtf8(bundle->name()));
    m_bytes->setText(tr("%1 B").arg(ui::groupedNumber(bundle->totalBytes().value)));
    const auto weights = bundle->weights().size();
    m_weights->setText(weights == 1 ? tr("1 weight")
                                    : tr("%1 weights").arg(ui::groupedNumber(weights)));
    showLock();
}

void StatusLine::showLock()
{
    const bool open = m_session.patchingEnabled();
    m_lock->setText(open ? tr("\u270E patching") : tr("\u25A3 locked"));
    const QString what = open ? tr("Patching is enabled; nothing is written before Save (Ctrl+E)")
                              : tr("Read-only. Click to enable patching (Ctrl+E)");
    m_lock->setToolTip(what);
    m_lock->setAccessibleName(what);
}

void StatusLine::showTasks()
{
    if (m_session.tasks().idle()) {
        m_poll.stop();
        for (QWidget *field : std::initializer_list<QWidget *>{m_task, m_progress, m_cancel})
            field->hide();
        return;
    }
    if (m_poll.isActive())
        return;
    m_poll.start();
    QTimer::singleShot(kQuietMilliseconds, this, &StatusLine::showProgress);
}

void StatusLine::showProgress()
{
    const ui::TaskManager &tasks = m_session.tasks();
    if (tasks.idle())
        return;
    const auto others = tasks.running() - 1;
    const QString title = tasks.currentTitle();
    m_task->setWholeText(others == 0 ? title : tr("%1 (+%2)").arg(title).arg(others));
    m_progress->setValue(static_cast<int>(tasks.currentFraction() * 1000));
    for (QWidget *field : std::initializer_list<QWidget *>{m_task, m_progress, m_cancel})
        field->show();
}

} // namespace kernscope::app

#include "moc_status_line.cpp"
