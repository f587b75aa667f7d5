// SPDX-License-Identifier: GPL-3.0-or-later
// Saves that were interrupted: what the window asks and says about them.
#include "app/main_window.h"

#include "app/notice_area.h"
#include "widgets/common/table_text.h"

#include <QMessageBox>
#include <QPushButton>

#include <algorithm>

namespace kernscope::app {

namespace {

bool hasPendingJournal(const BundlePtr &bundle)
{
    return bundle &&
           std::any_of(bundle->diagnostics().begin(), bundle->diagnostics().end(),
                       [](const Diagnostic &row) { return row.error.code == "journal.pending"; });
}

} // namespace

void MainWindow::askInterrupted(const std::vector<InterruptedSave> &saves)
{
    QStringList facts;
    for (const InterruptedSave &save : saves) {
        std::uint64_t bytes = 0;
        for (const WrittenRange &range : save.ranges)
            bytes += range.range.bytes.value;
        const QString ranges = save.ranges.size() == 1
                                   ? tr("1 range")
                                   : tr("%1 ranges").arg(ui::groupedNumber(save.ranges.size()));
        facts << tr("%1: %2 B in %3")
                     .arg(ui::fromUtf8(save.journal.filename().string()), ui::groupedNumber(bytes),
                          ranges);
    }
    auto *box = new QMessageBox(QMessageBox::Warning, tr("Interrupted Save"),
                                tr("A save of this bundle was interrupted: its files may be half "
                                   "written."),
                                QMessageBox::Cancel, this);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setInformativeText(
        tr("%1\n\nRecover writes the old bytes back into the files and removes the journal. Show "
           "Without Writing shows the same state and leaves the disk as it is.")
            .arg(facts.join(QLatin1Char('\n'))));
    QPushButton *recover = box->addButton(tr("&Recover"), QMessageBox::AcceptRole);
    QPushButton *show = box->addButton(tr("&Show Without Writing"), QMessageBox::ActionRole);
    box->setDefaultButton(show);
    connect(box, &QMessageBox::finished, this, [this, box, recover, show] {
        const auto *clicked = box->clickedButton();
        m_document.answerInterrupted(clicked == recover ? Document::Interrupted::Recover
                                     : clicked == show  ? Document::Interrupted::Show
                                                        : Document::Interrupted::Cancel);
    });
    box->open();
}

void MainWindow::noteInterrupted(bool recovered)
{
    if (recovered)
        m_notices->add(NoticeArea::Kind::Warning, QStringLiteral("journal"),
                       tr("A save of this bundle was interrupted. It was undone: the old bytes are "
                          "back, read back and verified."));
    else if (hasPendingJournal(m_session.bundle()) || hasPendingJournal(m_session.other()))
        m_notices->add(
            NoticeArea::Kind::Warning, QStringLiteral("journal"),
            tr("A save of this bundle was interrupted. It is shown as it was before that "
               "save; the files are half written until it is recovered."),
            {{tr("Recover"), [this] { whenKept([this] { m_document.recover(); }); }}});
}

} // namespace kernscope::app
