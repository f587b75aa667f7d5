// SPDX-License-Identifier: GPL-3.0-or-later
// Saves that were interrupted: what the window asks and says about them.
#include "app/main_window.h"

#include "app/notice_area.h"
#include "widgets/common/table_text.h"

#include <QFileInfo>
#include <QLocale>
#include <QMessageBox>
#include <QPushButton>

#include <algorithm>

namespace kernscope::app {

namespace {

bool hasJournal(const BundlePtr &bundle, std::string_view code)
{
    return bundle && std::any_of(bundle->diagnostics().begin(), bundle->diagnostics().end(),
                                 [code](const Diagnostic &row) { return row.error.code == code; });
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
    else if (hasJournal(m_session.bundle(), "journal.foreign") ||
             hasJournal(m_session.other(), "journal.foreign"))
        m_notices->add(NoticeArea::Kind::Warning, QStringLiteral("journal"),
                       tr("A journal of a save lies beside this bundle that is not your own: it is "
                          "not used. The files are shown as they are on the disk and may be half "
                          "written."));
    else if (hasJournal(m_session.bundle(), "journal.pending") ||
             hasJournal(m_session.other(), "journal.pending"))
        m_notices->add(
            NoticeArea::Kind::Warning, QStringLiteral("journal"),
            tr("A save of this bundle was interrupted. It is shown as it was before that "
               "save; the files are half written until it is recovered."),
            {{tr("Recover"), [this] { whenKept([this] { m_document.recover(); }); }}});
}

/// Edits that a window left which was ended: of the bundle that is open, or, beside the sample, of
/// any.
void MainWindow::offerLeftEdits()
{
    EditJournal *journal = m_document.editJournal();
    if (!journal)
        return;
    const bool here = !m_document.inMemory();
    for (const EditJournal::Left &left : journal->left(here ? m_document.path() : QString())) {
        const QString key = QStringLiteral("left:") + left.file;
        const QString when = QLocale().toString(left.made.toLocalTime(), QLocale::ShortFormat);
        const QString text =
            tr("%1 of %2, last changed on %3, were not saved when the window was "
               "ended.")
                .arg(left.edits == 1 ? tr("One edit") : tr("%1 edits").arg(left.edits),
                     ui::shown(QFileInfo(left.bundle).fileName()), when);
        std::vector<NoticeAction> answers;
        if (here)
            answers.push_back({tr("Make Them Again"),
                               [this, file = left.file] { m_document.makeLeftEdits(file); }});
        else
            answers.push_back(
                {tr("Open It"), [this, bundle = left.bundle] { openPaths({bundle}); }});
        answers.push_back({tr("Discard Them"),
                           [this, file = left.file] { m_document.editJournal()->discard(file); }});
        m_notices->add(NoticeArea::Kind::Warning, key, text, std::move(answers));
    }
}

} // namespace kernscope::app
