// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/help_dock.h"

#include "widgets/common/labels.h"
#include "widgets/common/qt.h"
#include "widgets/models/theme.h"

namespace kernscope::ui {

namespace {

constexpr double kColumn = 11;       ///< em that a column of words needs
constexpr qsizetype kFewColumns = 2; ///< a table of this many is read in any panel

/// The cells of a row "| a | b\|c |".
QStringList cellsOf(const QString &line)
{
    QStringList cells;
    QString cell;
    for (qsizetype i = 0; i < line.size(); ++i) {
        const QChar letter = line[i];
        if (letter == QLatin1Char('\\') && i + 1 < line.size() && line[i + 1] == QLatin1Char('|'))
            cell += line[++i];
        else if (letter == QLatin1Char('|'))
            cells += std::exchange(cell, QString()).trimmed();
        else
            cell += letter;
    }
    cells += cell.trimmed();
    cells.removeFirst(); // before the first bar, and after the last
    if (!cells.isEmpty() && cells.constLast().isEmpty())
        cells.removeLast();
    return cells;
}

bool isRow(const QString &line)
{
    return line.startsWith(QLatin1Char('|'));
}

QString itemOf(const QStringList &titles, const QStringList &cells)
{
    const auto titled = [&titles](qsizetype at, const QString &cell) {
        return at < titles.size() && !titles[at].isEmpty() ? u"*%1:* %2"_s.arg(titles[at], cell)
                                                           : cell;
    };
    QString name = cells.value(0);
    QString item = u"- **%1**"_s.arg(name.remove("**"_L1));
    for (qsizetype at = 1; at < cells.size(); ++at) {
        if (!cells[at].isEmpty())
            item += "  \n  "_L1 + titled(at, cells[at]); // a line of its own
    }
    return item;
}

const QString kContentsPage = u"index"_s;

QString fileOf(const QString &id)
{
    return u":/help/%1.md"_s.arg(id);
}

} // namespace

QString narrowTables(const QString &markdown, double ems)
{
    static const QRegularExpression rule(u"^\\|[ :|-]+$"_s);
    const QStringList lines = markdown.split(QLatin1Char('\n'));
    QStringList narrow;
    for (qsizetype i = 0; i < lines.size(); ++i) {
        const bool table =
            isRow(lines[i]) && i + 1 < lines.size() && rule.match(lines[i + 1]).hasMatch();
        const QStringList titles = table ? cellsOf(lines[i]) : QStringList();
        if (titles.size() <= kFewColumns || ems >= kColumn * static_cast<double>(titles.size())) {
            narrow += lines[i];
            continue;
        }
        for (i += 2; i < lines.size() && isRow(lines[i]); ++i)
            narrow += itemOf(titles, cellsOf(lines[i]));
        --i;
    }
    return narrow.join(QLatin1Char('\n'));
}

HelpDock::HelpDock(Session &session, QWidget *parent) : Dock(session, u"help"_s, tr("Help"), parent)
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
    auto *rows = withoutMargins(new QVBoxLayout(content), 0);
    auto *bar = new QToolBar(content);
    bar->setToolButtonStyle(Qt::ToolButtonTextOnly);
    bar->addActions(m_actions);
    rows->addWidget(bar);
    m_browser = named(new QTextBrowser(content), tr("Help page"));
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
    if (!file.open(QIODevice::ReadOnly))
        return showMessage(tr("This build carries no help pages."));
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
    if (link.isRelative() && link.path().endsWith(".md"_L1)) {
        // Relative to the page that is shown: the format pages lie in a folder of their own.
        const QUrl target = QUrl(m_page).resolved(link);
        showPage(QDir::cleanPath(target.path()).chopped(3));
    } else if (link.scheme() == "https"_L1)
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
