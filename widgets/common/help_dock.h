// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/dock.h"

#include <QString>

namespace kernscope::ui {

/// The Markdown with its tables as lists where they have more columns than a page of `ems` shows
/// well: an item a row, named by the first cell, and below it the others with their titles.
QString narrowTables(const QString &markdown, double ems);

/// The manual: one page a dock, in Markdown under ":/help", found by the dock's id; below
/// ":/help/formats" the pages about the file formats ("formats/blob-storage").
class HelpDock : public Dock
{
    Q_OBJECT

public:
    explicit HelpDock(Session &session, QWidget *parent = nullptr);

    /// Shows the page of a dock; the list of pages where there is none.
    void showPage(const QString &id);
    QString page() const { return m_page; }
    static bool hasPage(const QString &id);

protected:
    void refresh() override;
    void changeEvent(QEvent *event) override;
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void follow(const QUrl &link);
    void step(int direction);
    void render();
    void write();
    QString forWidth() const;
    using Dock::follow;

    QTextBrowser *m_browser = nullptr;
    QAction *m_contents = nullptr, *m_back = nullptr, *m_forward = nullptr;
    QStringList m_history;
    int m_at = -1;
    QString m_page;
    QString m_source, m_written; ///< the page, and as it was written for the width
};

} // namespace kernscope::ui
