// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/patch/edit_line.h"

#include "core/bundle/bundle.h"
#include "widgets/common/file_dialogs.h"
#include "widgets/common/labels.h"
#include "widgets/common/qt.h"
#include "widgets/models/patch_list_model.h"
#include "widgets/models/table_text.h"
#include "widgets/models/task_manager.h"
#include "widgets/models/theme.h"
#include "widgets/patch/typed_edits.h"

namespace kernscope::ui {

namespace {

constexpr int kPauseMilliseconds = 120;

struct KindRow {
    Edit::Kind kind;
    const char *label, *example;
};
constexpr std::array kKinds{
    KindRow{Edit::Kind::Set, QT_TRANSLATE_NOOP("kernscope::ui::EditLine", "set value"),
            "weight[3,0,1,1]=0.5"},
    KindRow{Edit::Kind::SetStored, QT_TRANSLATE_NOOP("kernscope::ui::EditLine", "set stored code"),
            "weight:indices[17]=9"},
    KindRow{Edit::Kind::Codebook, QT_TRANSLATE_NOOP("kernscope::ui::EditLine", "codebook entry"),
            "weight[0][7]=-1.25"},
    KindRow{Edit::Kind::Scale, QT_TRANSLATE_NOOP("kernscope::ui::EditLine", "scale"),
            "weight[4]=0.01"},
    KindRow{Edit::Kind::Keep, QT_TRANSLATE_NOOP("kernscope::ui::EditLine", "keep (mask on)"),
            "weight[9]=0.25"},
    KindRow{Edit::Kind::Drop, QT_TRANSLATE_NOOP("kernscope::ui::EditLine", "drop (mask off)"),
            "weight[9]"},
    KindRow{Edit::Kind::Fill, QT_TRANSLATE_NOOP("kernscope::ui::EditLine", "fill"),
            "weight[0:4,:]=0"},
    KindRow{Edit::Kind::FromNpy, QT_TRANSLATE_NOOP("kernscope::ui::EditLine", "from a tensor file"),
            "weight=FILE.npy"},
    KindRow{Edit::Kind::Compute, QT_TRANSLATE_NOOP("kernscope::ui::EditLine", "compute from w"),
            "weight[0:4,:]=clip(w*0.5,-1,1)"},
    KindRow{Edit::Kind::Bytes, QT_TRANSLATE_NOOP("kernscope::ui::EditLine", "bytes of a file"),
            "weights/weight.bin+0x20=00 00"},
    KindRow{Edit::Kind::Field, QT_TRANSLATE_NOOP("kernscope::ui::EditLine", "field of a register"),
            "task[0]/Common/ConvCfg/Ox=2"},
};

} // namespace

EditLine::EditLine(Session &session, QWidget *parent) : QWidget(parent), m_session(session)
{
    m_kind = named(new QComboBox(this), tr("Kind of edit"));
    for (const KindRow &row : kKinds)
        m_kind->addItem(tr(row.label));
    m_text = clearableLine(this, tr("Edit to add"));
    auto *completer = new QCompleter(new WeightNameModel(session, this), this);
    completer->setFilterMode(Qt::MatchContains);
    completer->setCaseSensitivity(Qt::CaseInsensitive);
    m_text->setCompleter(completer);
    m_browse = new QPushButton(tr("Browse\u2026"), this);
    m_add = new QPushButton(tr("Add"), this);
    m_add->setToolTip(tr("Lay this edit over the file (Enter)"));
    m_answer = new ElidedLabel(Qt::ElideRight, this);
    m_answer->setObjectName(u"editAnswer"_s);

    auto *grid = new QGridLayout(this);
    const int gap = theme::em(this, 0.3);
    grid->setContentsMargins(gap, gap, gap, gap);
    grid->setSpacing(gap);
    grid->addWidget(m_kind, 0, 0);
    grid->addWidget(m_text, 0, 1);
    grid->addWidget(m_browse, 0, 2);
    grid->addWidget(m_add, 0, 3);
    grid->addWidget(m_answer, 1, 0, 1, 4);
    grid->setColumnStretch(1, 1);

    m_pause.setSingleShot(true);
    m_pause.setInterval(kPauseMilliseconds);
    connectParts();
    showKind();
}

void EditLine::connectParts()
{
    connect(&m_pause, &QTimer::timeout, this, &EditLine::preview);
    connect(m_kind, &QComboBox::currentIndexChanged, this, &EditLine::showKind);
    connect(m_text, &QLineEdit::textChanged, &m_pause, qOverload<>(&QTimer::start));
    connect(m_text, &QLineEdit::returnPressed, this, &EditLine::add);
    connect(m_add, &QPushButton::clicked, this, &EditLine::add);
    connect(m_browse, &QPushButton::clicked, this, &EditLine::browse);
    connect(&m_session, &Session::editsRefused, this, &EditLine::refused);
    connect(&m_session, &Session::patchesChanged, this, &EditLine::accepted);
    connect(&m_session, &Session::patchingEnabledChanged, this, &EditLine::preview);
    connect(&m_session.tasks(), &TaskManager::becameIdle, this, [this] {
        if (!std::exchange(m_asking, false))
            return;
        preview(); // cancelled, or nothing had to change
    });
    connect(&m_session, &Session::bytesChanged, this, [this] { // the answer may be another one now
        if (!m_asking && !m_text->text().isEmpty())
            m_pause.start();
    });
    connect(m_text, &QLineEdit::textEdited, this, [this] { m_asking = false; });
    connect(&m_session, &Session::bundleChanged, this, [this] {
        m_asking = false;
        m_text->clear();
    });
}

Edit::Kind EditLine::kind() const
{
    return kKinds[static_cast<std::size_t>(std::max(0, m_kind->currentIndex()))].kind;
}

QString EditLine::answer() const
{
    return m_answer->wholeText();
}

EditLine::KindList EditLine::kinds()
{
    KindList list;
    for (const KindRow &row : kKinds)
        list.emplace_back(tr(row.label), row.kind);
    return list;
}

void EditLine::begin(Edit::Kind kind, const QString &text)
{
    for (std::size_t i = 0; i < kKinds.size(); ++i) {
        if (kKinds[i].kind == kind)
            m_kind->setCurrentIndex(static_cast<int>(i));
    }
    m_begun = text;
    m_text->setText(text);
    m_text->setFocus(Qt::ShortcutFocusReason);
    m_text->end(false);
}

void EditLine::showKind()
{
    const KindRow &row = kKinds[static_cast<std::size_t>(std::max(0, m_kind->currentIndex()))];
    m_text->setPlaceholderText(QString::fromLatin1(row.example));
    m_browse->setVisible(row.kind == Edit::Kind::FromNpy);
    preview();
}

void EditLine::say(const QString &text, bool fault)
{
    m_answer->setWholeText(fault ? u"\u2715 "_s + text : text);
    showAnswer(m_answer, fault);
}

void EditLine::preview()
{
    const QString text = m_text->text().trimmed();
    if (text.isEmpty() || !m_session.bundle()) {
        say(m_session.patchingEnabled()
                ? tr("Type an edit as the command line takes it; the answer comes as you type.")
                : tr("Locked. Enable patching (Ctrl+E) to change anything."),
            false);
        return;
    }
    const auto edit = parseEdit(kind(), text.toStdString());
    if (!edit) {
        const bool begun = text == m_begun; // nothing was typed yet
        say(begun ? tr("Type the rest, as in %1").arg(m_text->placeholderText())
                  : syntaxText(edit.error()),
            !begun);
        return;
    }
    const auto answer = previewEdit(*m_session.bundle(), *edit);
    if (!answer)
        return say(fromUtf8(describe(answer.error())), true);
    say(answer->text, false);
    showAnswer(m_answer, answer->far);
}

void EditLine::add()
{
    m_pause.stop();
    const QString text = m_text->text().trimmed();
    if (text.isEmpty() || !m_session.bundle())
        return;
    auto edit = parseEdit(kind(), text.toStdString());
    if (!edit)
        return say(syntaxText(edit.error()), true);
    m_asking = true;
    if (edit->isRaw())
        requestRawEdit(m_session, this, *edit);
    else
        m_session.requestEdits({std::move(*edit)}, {});
    // A large edit is answered later; whatever else runs ends no earlier than that answer comes.
    m_asking = m_asking && !m_session.tasks().idle();
    if (m_asking)
        say(tr("Being planned: the status bar says how far it is, Ctrl+. cancels."), false);
}

void EditLine::refused(const Error &error)
{
    if (!m_asking)
        return;
    m_asking = false;
    say(fromUtf8(describe(error)), true);
}

void EditLine::accepted()
{
    if (!m_asking)
        return;
    m_asking = false;
    m_text->clear();
    m_pause.stop();
    say(tr("Done."), false);
}

void EditLine::browse()
{
    openPathDialog(OpenDialog::Lists::Files, this, tr("Values from a NumPy file"),
                   tr("NumPy arrays (*.npy);;Tensors of the weight's name (*.npz *.safetensors)"),
                   [this](const QString &file) {
                       const auto equals = m_text->text().indexOf(QLatin1Char('='));
                       const QString name =
                           equals < 0 ? m_text->text() : m_text->text().left(equals);
                       m_text->setText(name + QLatin1Char('=') + file);
                   });
}

} // namespace kernscope::ui

#include "moc_edit_line.cpp"
