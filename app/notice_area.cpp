// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/notice_area.h"

#include "app/save_controller.h"
#include "app/shapes_dialog.h"
#include "app/texts.h"
#include "core/bundle/bundle.h"
#include "widgets/common/design.h"
#include "widgets/common/panels.h"
#include "widgets/common/qt.h"
#include "widgets/models/table_text.h"
#include "widgets/models/theme.h"

namespace kernscope::app {

namespace {

struct Look {
    QString glyph, word;
    ui::Token token;
};

Look lookOf(NoticeArea::Kind kind)
{
    switch (kind) {
    case NoticeArea::Kind::Error:
        return {u"\u2715"_s, NoticeArea::tr("Error"), ui::Token::DiffMore};
    case NoticeArea::Kind::Warning: return {u"!"_s, NoticeArea::tr("Warning"), ui::Token::KindMask};
    case NoticeArea::Kind::Note: break;
    }
    return {u"i"_s, NoticeArea::tr("Note"), ui::Token::KindData};
}

constexpr double kCardWidth = 18.4; ///< ems: within the navigator, unless a word is longer

/// One card: a coloured edge with its glyph, the text with what closes it, the answers below.
class Notice : public QFrame
{
public:
    Notice(NoticeArea::Kind kind, QString topic, const QString &text, QWidget *parent)
        : QFrame(parent), m_look(lookOf(kind)), m_topic(std::move(topic)), m_text(ui::shown(text))
    {
        setAccessibleName(u"%1: %2"_s.arg(m_look.word, m_text));
        setAutoFillBackground(true);
        setBackgroundRole(QPalette::Base);
        auto *column = new QVBoxLayout(this);
        const int gap = ui::theme::em(this, 0.4);
        const int before = edge() + 2 * gap;
        const bool mirrored = layoutDirection() == Qt::RightToLeft;
        column->setContentsMargins(mirrored ? gap : before, gap, mirrored ? before : gap, gap);
        column->setSpacing(gap);
        auto *row = new QHBoxLayout;
        row->setSpacing(gap);
        column->addLayout(row);
        auto *label = new QLabel(m_text, this);
        label->setWordWrap(true);
        label->setTextFormat(Qt::PlainText);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
        row->addWidget(label, 1);
        auto *close = new QToolButton(this);
        close->setIcon(ui::lineIcon(u"close"_s));
        close->setAutoRaise(true);
        close->setAccessibleName(NoticeArea::tr("Dismiss"));
        close->setToolTip(NoticeArea::tr("Dismiss (Escape)"));
        connect(close, &QToolButton::clicked, this, &Notice::dismiss);
        row->addWidget(close, 0, Qt::AlignTop);
    }

    const QString &topic() const { return m_topic; }
    const QString &text() const { return m_text; }

    void addAnswer(NoticeAction &&action)
    {
        if (!m_answers) {
            m_answers = new ui::FlowLayout(nullptr);
            m_answers->setSpacing(ui::theme::em(this, 0.4));
            static_cast<QVBoxLayout *>(layout())->addLayout(m_answers);
        }
        auto *button = new QPushButton(action.text, this);
        connect(button, &QPushButton::clicked, this, [this, run = std::move(action.run)] {
            dismiss();
            run();
        });
        m_answers->addWidget(button);
    }

    void dismiss()
    {
        hide();
        deleteLater();
    }

protected:
    void keyPressEvent(QKeyEvent *event) override
    {
        if (event->key() == Qt::Key_Escape)
            dismiss();
        else
            QFrame::keyPressEvent(event);
    }

    void paintEvent(QPaintEvent *event) override
    {
        QFrame::paintEvent(event);
        const bool dark = ui::theme::isDark(palette());
        const bool mirrored = layoutDirection() == Qt::RightToLeft;
        QPainter painter(this);
        const QRect band(mirrored ? width() - edge() : 0, 0, edge(), height());
        painter.fillRect(band, ui::theme::color(m_look.token, dark));
        painter.setPen(ui::theme::textOn(m_look.token, dark));
        QFont bold = font();
        bold.setBold(true);
        painter.setFont(bold);
        painter.drawText(band, Qt::AlignCenter, m_look.glyph);
        painter.setPen(ui::theme::color(m_look.token, dark));
        painter.drawRect(rect().adjusted(0, 0, -1, -1));
    }

private:
    int edge() const { return ui::theme::em(this, 1.6); }

    Look m_look;
    QString m_topic, m_text;
    ui::FlowLayout *m_answers = nullptr;
};

} // namespace

NoticeArea::NoticeArea(QWidget *parent) : QWidget(parent), m_rows(new QVBoxLayout(this))
{
    m_rows->setContentsMargins(0, 0, 0, 0);
    m_rows->setSpacing(ui::theme::em(this, 0.4));
    parent->installEventFilter(this);
    hide();
}

void NoticeArea::add(Kind kind, const QString &topic, const QString &text,
                     std::vector<NoticeAction> actions)
{
    if (!topic.isEmpty())
        remove(topic);
    while (m_rows->count() >= kMaxNotices)
        delete m_rows->takeAt(0)->widget();
    auto *notice = new Notice(kind, topic, text, this);
    for (NoticeAction &action : actions)
        notice->addAnswer(std::move(action));
    m_rows->addWidget(notice);
    notice->show();
    place();
    QAccessibleEvent alert(notice, QAccessible::Alert);
    QAccessible::updateAccessibility(&alert);
}

void NoticeArea::place()
{
    setVisible(!texts().isEmpty());
    if (isHidden())
        return;
    const QWidget *parent = parentWidget();
    const int gap = ui::theme::em(this, 0.6);
    const int room = std::max(1, parent->width() - 2 * gap);
    const int wide = std::min(
        room, std::max(ui::theme::em(this, kCardWidth), m_rows->totalMinimumSize().width()));
    const int high = std::min(parent->height(), m_rows->totalHeightForWidth(wide));
    const int left = layoutDirection() == Qt::RightToLeft ? parent->width() - gap - wide : gap;
    setGeometry(left, parent->height() - gap - high, wide, high);
    raise();
}

bool NoticeArea::event(QEvent *event)
{
    if (event->type() == QEvent::LayoutRequest || event->type() == QEvent::FontChange)
        place();
    return QWidget::event(event);
}

bool NoticeArea::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() == QEvent::Resize || event->type() == QEvent::LayoutDirectionChange)
        place();
    return QWidget::eventFilter(watched, event);
}

QFrame *NoticeArea::find(const QString &topic) const
{
    for (int i = 0; i < m_rows->count(); ++i) {
        auto *notice = static_cast<Notice *>(m_rows->itemAt(i)->widget());
        if (notice->topic() == topic)
            return notice;
    }
    return nullptr;
}

void NoticeArea::remove(const QString &topic)
{
    delete find(topic);
    place();
}

void NoticeArea::clear()
{
    while (m_rows->count() > 0)
        delete m_rows->takeAt(0)->widget();
    place();
}

QStringList NoticeArea::texts() const
{
    QStringList list;
    for (int i = 0; i < m_rows->count(); ++i) {
        const auto *notice = static_cast<const Notice *>(m_rows->itemAt(i)->widget());
        if (!notice->isHidden())
            list << notice->text();
    }
    return list;
}

namespace {

bool hasJournal(const BundlePtr &bundle, bool foreign)
{
    return bundle && std::ranges::any_of(bundle->diagnostics(), [foreign](const Diagnostic &row) {
               return row.error.code == "journal.pending" &&
                      (row.error.field == kForeignJournal) == foreign;
           });
}

} // namespace

DocumentNotices::DocumentNotices(const WindowParts &parts) : Controller(parts)
{
    connect(&m_document, &Document::interruptedSaveFound, this, &DocumentNotices::askInterrupted);
    connect(&m_document, &Document::changedOnDisk, this, &DocumentNotices::onChangedOnDisk);
    connect(&m_document, &Document::shapesRefused, this, &DocumentNotices::onShapesRefused);
    connect(&m_document, &Document::shapesBound, this, [this](const QString &text) {
        noteShapes(text);
        Q_EMIT m_session.statusMessage(text.isEmpty() ? tr("Shapes are as the file has them.")
                                                      : text);
    });
    connect(&m_session, &ui::Session::editsRefused, this, &DocumentNotices::refused);
    connect(&m_session, &ui::Session::filesHoldChanged, this, [this](bool hold) {
        if (hold)
            m_notices->remove(u"disk"_s);
    });
    connect(&m_session, &ui::Session::patchingEnabledChanged, this, [this](bool enabled) {
        if (enabled)
            m_notices->remove(u"edit"_s);
    });
    connect(&m_document, &Document::editsNotKept, this, [this](const QString &reason) {
        if (reason.isEmpty())
            m_notices->remove(u"kept"_s);
        else
            m_notices->add(NoticeArea::Kind::Warning, u"kept"_s,
                           tr("Unsaved edits cannot be kept in %1 (%2). Until they are saved, a "
                              "crash would lose them.")
                               .arg(QDir::toNativeSeparators(m_settings.stateFolder()), reason));
    });
    // An edit that was made answers the one that was not.
    connect(&m_session, &ui::Session::bytesChanged, this, [this] {
        if (m_document.keptEdits().empty())
            m_notices->remove(u"edit"_s);
    });
}

void DocumentNotices::opened(bool recovered)
{
    noteInterrupted(recovered);
    offerLeftEdits();
    noteShapes({});
}

void DocumentNotices::refused(const Error &error)
{
    std::vector<NoticeAction> answers;
    if (error.code == "patch.locked")
        answers.push_back({tr("Enable Patching"), [this] { Q_EMIT patchingAsked(); }});
    if (error.code == "patch.space" && !m_document.editsForCopy().empty())
        answers.push_back({tr("Save As with the Edit\u2026"),
                           [this] { m_saving->saveAs(m_document.editsForCopy()); }});
    if (!m_document.keptEdits().empty()) {
        answers.push_back({tr("Edit Again"), [this] { m_document.makeKeptEdits(); }});
        answers.push_back({tr("Copy the Edits"), [this, error] {
                               refused(error); // they are not forgotten with it
                               QStringList lines;
                               for (const Edit &edit : m_document.keptEdits())
                                   lines << QString::fromStdString(editText(edit));
                               QGuiApplication::clipboard()->setText(lines.join(QLatin1Char('\n')));
                               Q_EMIT m_session.statusMessage(
                                   tr("%1 edits copied.").arg(lines.size()));
                           }});
        answers.push_back({tr("Forget Them"), [this] { m_document.forgetKeptEdits(); }});
    }
    m_notices->add(NoticeArea::Kind::Warning, u"edit"_s,
                   tr("Not changed. %1").arg(errorSentence(error)), std::move(answers));
}

void DocumentNotices::onChangedOnDisk(const QStringList &files, bool keepable)
{
    QStringList text;
    const bool gone = keepable && std::ranges::none_of(files, [](const auto &file) {
                          return QFileInfo::exists(file);
                      });
    if (gone)
        text << (files.size() == 1 ? tr("%1 is gone.").arg(shownPath(files.first()))
                                   : tr("%1 files of this bundle are gone.").arg(files.size()));
    else if (files.size() != 1)
        text << tr("%1 files of this bundle were replaced by another program.").arg(files.size());
    else if (keepable)
        text << tr("%1 was replaced by another program.").arg(shownPath(files.first()));
    else
        text << tr("%1 was changed by another program.").arg(shownPath(files.first()));
    text << (keepable ? tr("What is shown is the old file, whole.")
                      : tr("Old and new bytes would be mixed, so nothing of it is shown."));
    std::vector<NoticeAction> answers;
    if (gone) {
        if (m_document.modified())
            text << tr("The edits are kept.");
        answers.push_back({tr("Save As\u2026"), [this] { m_saving->saveAs(); }});
    } else if (m_document.modified()) {
        text << tr("The edits are kept.");
        answers.push_back({tr("Reload and Edit Again"), [this] { m_document.reload(true); }});
        answers.push_back({tr("Reload without Edits"), [this] { m_document.reload(); }});
    } else {
        answers.push_back({tr("Reload"), [this] { m_document.reload(); }});
    }
    if (keepable)
        answers.push_back({tr("Keep What Is Shown"), [] {}});
    m_notices->add(NoticeArea::Kind::Warning, u"disk"_s, text.join(QLatin1Char(' ')),
                   std::move(answers));
}

/// A file of A or B by its path within the bundle, any other one as it is.
QString DocumentNotices::shownPath(const QString &file) const
{
    for (const QString &bundle : {m_document.path(), m_document.otherPath()}) {
        const QString folder = bundle + QLatin1Char('/');
        if (!bundle.isEmpty() && file.startsWith(folder))
            return tr("%1 of %2").arg(file.mid(folder.size()), QFileInfo(bundle).fileName());
    }
    return file;
}

void DocumentNotices::askInterrupted(const std::vector<InterruptedSave> &saves)
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
                                QMessageBox::Cancel, &m_window);
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

void DocumentNotices::noteInterrupted(bool recovered)
{
    if (recovered)
        m_notices->add(NoticeArea::Kind::Warning, u"journal"_s,
                       tr("A save of this bundle was interrupted. It was undone: the old bytes are "
                          "back, read back and verified."));
    else if (hasJournal(m_session.bundle(), true) || hasJournal(m_session.other(), true))
        m_notices->add(NoticeArea::Kind::Warning, u"journal"_s,
                       tr("A journal of a save lies beside this bundle that is not your own: it is "
                          "not used. The files are shown as they are on the disk and may be half "
                          "written."));
    else if (hasJournal(m_session.bundle(), false) || hasJournal(m_session.other(), false))
        m_notices->add(
            NoticeArea::Kind::Warning, u"journal"_s,
            tr("A save of this bundle was interrupted. It is shown as it was before that "
               "save; the files are half written until it is recovered."),
            {{tr("Recover"), [this] { m_saving->whenKept([this] { m_document.recover(); }); }}});
}

/// Edits that a window left which was ended: of the bundle that is open, or, beside the sample, of
/// any.
void DocumentNotices::offerLeftEdits()
{
    EditJournal *journal = m_document.editJournal();
    if (!journal)
        return;
    const bool here = !m_document.inMemory();
    for (const EditJournal::Left &left : journal->left(here ? m_document.path() : QString())) {
        const QString key = u"left:"_s + left.file;
        const QString when = QLocale().toString(left.made.toLocalTime(), QLocale::ShortFormat);
        const QString text =
            tr("%1 of %2, last changed on %3: not saved when the window ended.")
                .arg(left.edits == 1 ? tr("One edit") : tr("%1 edits").arg(left.edits),
                     ui::shown(QFileInfo(left.bundle).fileName()), when);
        std::vector<NoticeAction> answers;
        if (here)
            answers.push_back({tr("Make Them Again"),
                               [this, file = left.file] { m_document.makeLeftEdits(file); }});
        else
            answers.push_back(
                {tr("Open It"), [this, bundle = left.bundle] { Q_EMIT openAsked(bundle); }});
        answers.push_back({tr("Discard Them"),
                           [this, file = left.file] { m_document.editJournal()->discard(file); }});
        m_notices->add(NoticeArea::Kind::Warning, key, text, std::move(answers));
    }
}

void DocumentNotices::askShapes()
{
    if (m_document.openInputs().empty()) {
        Q_EMIT m_session.statusMessage(tr("The program leaves no shape of an input open."));
        return;
    }
    const auto &bound = m_session.bundle()->shapeBindings();
    auto *dialog = new ShapesDialog(
        m_document.openInputs(), bound ? *bound : std::vector<shapes::ShapeBinding>(), &m_window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this,
            [this, dialog] { m_document.bindShapes(dialog->bindings()); });
    dialog->open();
}

/// Of a bundle that was just opened, or bound.
void DocumentNotices::noteShapes(const QString &text)
{
    const QString topic = u"shapes"_s;
    if (m_session.bundle()->shapeBindings())
        m_notices->add(NoticeArea::Kind::Note, topic,
                       text.isEmpty()
                           ? tr("Inputs whose shapes the program leaves open: %1.")
                                 .arg(Document::shapesText(*m_session.bundle()->shapeBindings()))
                           : text,
                       {{tr("Change\u2026"), [this] { askShapes(); }},
                        {tr("As the File Has Them"), [this] { m_document.bindShapes({}); }}});
    else
        m_notices->remove(topic);
}

void DocumentNotices::onShapesRefused(const Error &error)
{
    m_notices->add(NoticeArea::Kind::Warning, u"shapes"_s,
                   tr("The shapes are not used. %1").arg(errorSentence(error)),
                   {{tr("Change\u2026"), [this] { askShapes(); }}});
}

} // namespace kernscope::app

#include "moc_notice_area.cpp"
