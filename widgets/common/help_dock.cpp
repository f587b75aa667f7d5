// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/help_dock.h"

#include "widgets/common/help_tables.h"
#include "widgets/common/theme.h"

#include <QAction>
#include <QDesktopServices>
#include <QDir>
#include <QEvent>
#include <QFile>
#include <QScrollBar>
#include <QTextBrowser>
#include <QTextDocument>
#include <QTextTable>
#include <QToolBar>
#include <QUrl>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace kernscope::ui {

namespace {

const QString kContentsPage = QStringLiteral("index");

QString fileOf(const QString &id)
{
    return QStringLiteral(":/help/%1.md").arg(id);
}

} // namespace

HelpDock::HelpDock(Session &session, QWidget *parent)
    : Dock(session, QStringLiteral("help"), tr("Help"), parent)
{
    setShowsFiles(false);
    m_contents = new QAction(tr("Contents"), this);
    connect(m_contents, &QAction::triggered, this, [this] { showPage(kContentsPage); });
    m_back = new QAction(tr("Page Back"), this);
    connect(m_back, &QAction::triggered, this, [this] { step(-1); });
    m_forward = new QAction(tr("Page Forward"), this);
    connect(m_forward, &QAction::triggered, this, [this] { step(1); });
    m_actions = {m_contents, m_back, m_forward};

    auto *content = new QWidget(this);
    auto *rows = new QVBoxLayout(content);
    rows->setContentsMargins(0, 0, 0, 0);
    rows->setSpacing(0);
    auto *bar = new QToolBar(content);
    bar->setToolButtonStyle(Qt::ToolButtonTextOnly);
    bar->addActions(m_actions);
    rows->addWidget(bar);
    m_browser = new QTextBrowser(content);
    m_browser->setAccessibleName(tr("Help page"));
    m_browser->setOpenLinks(false);
    m_browser->document()->setDocumentMargin(theme::em(this, 0.8));
    m_browser->document()->setIndentWidth(theme::em(this, 1.4)); // the panel is narrow
    connect(m_browser, &QTextBrowser::anchorClicked, this,
            qOverload<const QUrl &>(&HelpDock::follow));
    m_browser->installEventFilter(this);
    rows->addWidget(m_browser, 1);
    setContent(content);
    setFocusProxy(m_browser);
    showPage(kContentsPage);
}

bool HelpDock::hasPage(const QString &id)
{
    return QFile::exists(fileOf(id));
}

void HelpDock::refresh()
{
    showContent(); // the manual needs no bundle
}

void HelpDock::showPage(const QString &id)
{
    const QString page = hasPage(id) ? id : kContentsPage;
    if (page != m_page) {
        m_history.resize(m_at + 1);
        m_history << page;
        m_at = static_cast<int>(m_history.size()) - 1;
    }
    m_page = page;
    render();
    showContent();
}

void HelpDock::step(int direction)
{
    const int to = m_at + direction;
    if (to < 0 || to >= m_history.size())
        return;
    m_at = to;
    m_page = m_history[m_at];
    render();
}

void HelpDock::render()
{
    m_back->setEnabled(m_at > 0);
    m_forward->setEnabled(m_at + 1 < m_history.size());
    QFile file(fileOf(m_page));
    if (!file.open(QIODevice::ReadOnly)) {
        showMessage(tr("This build carries no help pages."));
        return;
    }
    m_source = QString::fromUtf8(file.readAll());
    write();
}

void HelpDock::write()
{
    m_written = forWidth();
    m_browser->setMarkdown(m_written);
    // Markdown's tables come with a double border and no room. Of a single one that is collapsed Qt
    // draws the right edge alone.
    for (QTextFrame *frame : m_browser->document()->rootFrame()->childFrames()) {
        auto *table = qobject_cast<QTextTable *>(frame);
        if (!table)
            continue;
        QTextTableFormat format = table->format();
        format.setCellPadding(theme::em(this, 0.25));
        format.setCellSpacing(0);
        format.setBorder(0);
        table->setFormat(format);
    }
}

QString HelpDock::forWidth() const
{
    return narrowTables(m_source, double(m_browser->width()) / std::max(1, theme::em(this, 1)));
}

/// Tables are written otherwise where there is more or less room; what is read stays in view.
bool HelpDock::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == m_browser && event->type() == QEvent::Resize && forWidth() != m_written) {
        QScrollBar *bar = m_browser->verticalScrollBar();
        const double share = bar->maximum() > 0 ? double(bar->value()) / bar->maximum() : 0;
        write();
        bar->setValue(static_cast<int>(std::lround(share * bar->maximum())));
    }
    return Dock::eventFilter(watched, event);
}

void HelpDock::follow(const QUrl &link)
{
    if (link.isRelative() && link.path().endsWith(QLatin1String(".md"))) {
        // Relative to the page that is shown: the format pages lie in a folder of their own.
        const QUrl target = QUrl(m_page).resolved(link);
        showPage(QDir::cleanPath(target.path()).chopped(3));
    } else if (link.scheme() == QLatin1String("https"))
        QDesktopServices::openUrl(link);
}

void HelpDock::changeEvent(QEvent *event)
{
    Dock::changeEvent(event);
    // Links take their colour when the page is made.
    if (event->type() == QEvent::PaletteChange && m_browser)
        render();
}

} // namespace kernscope::ui

#include "moc_help_dock.cpp"
