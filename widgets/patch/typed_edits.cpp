// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/patch/typed_edits.h"

#include "core/base/error_builder.h"
#include "core/bundle/bundle.h"
#include "core/codec/edit/editor.h"
#include "core/patch/edit/find_weight.h"
#include "core/patch/plan/raw_place.h"
#include "widgets/common/number_field.h"
#include "widgets/common/qt.h"
#include "widgets/models/task_manager.h"
#include "widgets/models/words.h"

namespace kernscope::ui {

QString syntaxText(const Error &error, std::size_t before)
{
    Error rest = error;
    rest.offset.reset();
    rest.length.reset();
    const QString text = fromUtf8(describe(rest));
    return error.offset && error.offset->value >= before && error.file.empty()
               ? Words::tr("Character %1: %2").arg(error.offset->value - before + 1).arg(text)
               : text;
}

void showAnswer(QLabel *label, bool warns)
{
    QPalette colors;
    if (warns)
        colors.setColor(QPalette::WindowText, warningInk(label->palette()));
    label->setPalette(colors);
}

EditAnswer answerToTyped(const QString &text, bool integer,
                         const std::function<Result<EditAnswer>()> &made)
{
    const QString why = NumberRule{integer}.fault(text);
    if (!why.isEmpty())
        return {text.isEmpty() ? QString() : why, true};
    const auto answer = made();
    return answer ? *answer : EditAnswer{fromUtf8(describe(answer.error())), true};
}

CellAnswer::CellAnswer(QAbstractItemView *view, Made made) : QLabel(view), m_view(view)
{
    setObjectName(u"cellAnswer"_s);
    setAccessibleName(Words::tr("Answer of the codec"));
    setTextFormat(Qt::PlainText);
    setWordWrap(true);
    setFrameShape(QFrame::Box);
    setMargin(theme::em(this, 0.2));
    setBackgroundRole(QPalette::Base);
    setForegroundRole(QPalette::WindowText); // which is what an answer colours
    setAutoFillBackground(true);
    setAttribute(Qt::WA_TransparentForMouseEvents);
    hide();
    const auto *delegate = qobject_cast<NumberDelegate *>(view->itemDelegate());
    connect(
        delegate, &NumberDelegate::typed, this,
        [this, made = std::move(made)](const QModelIndex &cell, const QString &text, bool integer) {
            say(answerToTyped(text, integer, [&] { return made(cell, text); }),
                m_view->visualRect(cell));
        });
    connect(delegate, &QAbstractItemDelegate::closeEditor, this, &QWidget::hide);
}

/// Below, or above where it would cover the cell.
void CellAnswer::say(const EditAnswer &answer, const QRect &cell)
{
    setText(answer.text);
    setAccessibleDescription(answer.text);
    showAnswer(this, answer.far);
    const QRect room = m_view->viewport()->geometry();
    QRect place(room.topLeft(), QSize(room.width(), heightForWidth(room.width())));
    if (cell.bottom() < room.height() - place.height())
        place.moveBottom(room.bottom());
    setGeometry(place);
    setVisible(!answer.text.isEmpty());
    raise();
}

QLabel *answerWhileTyping(QInputDialog *dialog, std::function<QString(const QString &)> fault,
                          bool mayBeEmpty)
{
    auto *rows = qobject_cast<QBoxLayout *>(dialog->layout());
    auto *buttons = dialog->findChild<QDialogButtonBox *>();
    if (!rows || !buttons)
        return nullptr;
    auto *answer = new QLabel(dialog);
    answer->setObjectName(u"typedAnswer"_s);
    answer->setTextFormat(Qt::PlainText);
    answer->setWordWrap(true);
    answer->setMinimumHeight(2 * answer->fontMetrics().lineSpacing()); // nothing moves for it
    answer->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    rows->insertWidget(rows->indexOf(buttons), answer);
    const auto say = [answer, buttons, mayBeEmpty, fault = std::move(fault)](const QString &typed) {
        const bool empty = !mayBeEmpty && typed.trimmed().isEmpty();
        const QString why = empty ? QString() : fault(typed);
        answer->setText(why.isEmpty() ? QString() : QChar(0x2715) + QLatin1Char(' ') + why);
        showAnswer(answer, !why.isEmpty());
        buttons->button(QDialogButtonBox::Ok)->setEnabled(!empty && why.isEmpty());
    };
    QObject::connect(dialog, &QInputDialog::textValueChanged, answer, say);
    say(dialog->textValue());
    return answer;
}

LockedTyping::LockedTyping(QAbstractItemView &view, Session &session)
    : QObject(&view), m_session(session)
{
    view.installEventFilter(this);
}

bool LockedTyping::eventFilter(QObject *, QEvent *event)
{
    if (event->type() != QEvent::KeyPress || m_session.patchingEnabled())
        return false;
    const auto *press = static_cast<QKeyEvent *>(event);
    const bool typed = !press->text().isEmpty() && press->text().front().isPrint() &&
                       !(press->modifiers() & (Qt::ControlModifier | Qt::AltModifier));
    if (!typed && press->key() != Qt::Key_F2)
        return false;
    Q_EMIT m_session.statusMessage(Words::tr("Locked: enable patching to change values (Ctrl+E)."));
    return true;
}

namespace {

/// Writes it when the person says so.
void askWhetherToBreak(Session &session, QWidget *parent, const AppliedEdit &planned)
{
    auto *box = new QMessageBox(parent);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setIcon(QMessageBox::Warning);
    box->setWindowTitle(Words::tr("What This Would Break"));
    box->setText(Words::tr("After %1 the file no longer reads as before.")
                     .arg(fromUtf8(editText(planned.edit))));
    box->setInformativeText(fromUtf8(planned.breaks));
    auto *write = box->addButton(Words::tr("Change Anyway"), QMessageBox::AcceptRole);
    box->setDefaultButton(box->addButton(QMessageBox::Cancel));
    QObject::connect(write, &QPushButton::clicked, parent, [&session, edit = planned.edit] {
        QTimer::singleShot(0, &session, [&session, edit] { session.requestEdits({edit}, {}); });
    });
    box->open();
}

} // namespace

void requestRawEdit(Session &session, QWidget *parent, const Edit &edit)
{
    if (!session.patchingEnabled() || !session.bundle()) {
        session.requestEdits({edit}, {}); // which says why not
        return;
    }
    session.tasks().start(
        parent, Words::tr("Looking what the edit would break"),
        [bundle = session.bundle(), edit](Progress &progress) {
            return planEdits(bundle, {edit}, 0, &progress);
        },
        [&session, parent, edit](Result<std::vector<AppliedEdit>> planned) {
            if (!planned)
                Q_EMIT session.editsRefused(planned.error());
            else if (!planned->front().breaks.empty())
                askWhetherToBreak(session, parent, planned->front());
            else // the edit stops all tasks, this one is to have ended
                QTimer::singleShot(0, &session,
                                   [&session, edit] { session.requestEdits({edit}, {}); });
        });
}

namespace {

IndexRange single(std::uint64_t index)
{
    IndexRange range;
    range.start = index;
    return range;
}

} // namespace

Edit elementEdit(const Weight &weight, std::uint64_t element, Edit::Kind kind, double value)
{
    Edit edit;
    edit.kind = kind;
    edit.weight = weight.findableName();
    edit.value = value;
    for (auto extent = weight.shape.rbegin(); extent != weight.shape.rend(); ++extent) {
        edit.indices.push_back(single(element % *extent));
        element /= *extent;
    }
    if (edit.indices.empty()) // a scalar has one element and no axis
        edit.indices.push_back(single(0));
    std::ranges::reverse(edit.indices);
    return edit;
}

std::vector<Edit> rangeEdits(const Weight &weight, std::span<const std::uint64_t> elements,
                             const Edit &edit)
{
    const std::size_t axes = weight.shape.size();
    std::vector<IndexRange> box(axes);
    for (IndexRange &range : box)
        range = {UINT64_MAX, 0, false, false};
    for (std::uint64_t element : elements) {
        for (std::size_t axis = axes; axis-- > 0;) {
            const std::uint64_t index = element % weight.shape[axis];
            element /= weight.shape[axis];
            box[axis].start = std::min(box[axis].start, index);
            box[axis].stop = std::max(box[axis].stop, index + 1);
        }
    }
    std::uint64_t held = 1;
    for (std::size_t axis = 0; axis < axes; ++axis) {
        IndexRange &range = box[axis];
        held *= range.stop - range.start;
        range.single = range.stop - range.start == 1;
        range.all = !range.single && range.stop - range.start == weight.shape[axis];
        if (range.all)
            range.start = range.stop = 0;
    }
    std::vector<Edit> edits;
    if (held == elements.size()) {
        edits.push_back(edit);
        edits.back().weight = weight.findableName();
        edits.back().indices = axes == 0 ? std::vector{single(0)} : std::move(box);
        return edits;
    }
    for (const std::uint64_t element : elements) {
        edits.push_back(elementEdit(weight, element, edit.kind, edit.value));
        edits.back().expression = edit.expression;
    }
    return edits;
}

Result<Edit> codeEdit(const Bundle &bundle, std::size_t weight, std::uint64_t element,
                      std::int64_t code)
{
    const auto decoder = TRY(bundle.decoder(weight));
    const auto place = TRY(codec::Editor(decoder).storedPlace(element));
    Edit edit;
    edit.kind = Edit::Kind::SetStored;
    edit.weight = bundle.weights()[weight].findableName();
    edit.part = place.role;
    edit.indices = {single(place.index)};
    edit.stored = code;
    return edit;
}

Edit codebookEdit(const Weight &weight, std::uint64_t codebook, std::uint64_t entry,
                  std::uint64_t lane, bool vector, double value)
{
    Edit edit;
    edit.kind = Edit::Kind::Codebook;
    edit.weight = weight.findableName();
    edit.value = value;
    edit.indices = {single(codebook), single(entry)};
    if (vector)
        edit.indices.push_back(single(lane));
    return edit;
}

namespace {

constexpr double kNearest = std::numeric_limits<double>::infinity();

tl::unexpected<Error> fail(const char *code, const QString &message)
{
    return ErrorBuilder(code).message(message.toStdString()).unexpected();
}

bool isSingle(const Edit &edit)
{
    return !edit.indices.empty() && std::ranges::all_of(edit.indices, &IndexRange::single);
}

Result<std::uint64_t> elementOf(const Weight &weight, const Edit &edit)
{
    const bool flat = edit.indices.size() == 1;
    if (!flat && edit.indices.size() != weight.shape.size())
        return fail("patch.index", Words::tr("This weight has %1 axes.").arg(weight.shape.size()));
    std::uint64_t element = 0;
    for (std::size_t axis = 0; axis < edit.indices.size(); ++axis) {
        const std::uint64_t index = edit.indices[axis].start;
        const std::uint64_t extent = flat ? weight.elements.value : weight.shape[axis];
        if (index >= extent)
            return fail("patch.index",
                        Words::tr("Index %1 is past the end, %2.").arg(index).arg(extent));
        element = flat ? index : element * extent + index;
    }
    return element;
}

std::uint64_t indexAt(const Edit &edit, std::size_t position)
{
    return position < edit.indices.size() ? edit.indices[position].start : 0;
}

Result<codec::EditPlan> plan(const codec::Editor &editor, const Weight &weight, const Edit &edit)
{
    switch (edit.kind) {
    case Edit::Kind::SetStored: return editor.setStored(edit.part, indexAt(edit, 0), edit.stored);
    case Edit::Kind::Codebook:
        return editor.setCodebookEntry(indexAt(edit, 0), indexAt(edit, 1), indexAt(edit, 2),
                                       edit.value, kNearest);
    case Edit::Kind::Scale: return editor.setScale(indexAt(edit, 0), edit.value, kNearest);
    case Edit::Kind::Set:
    case Edit::Kind::Keep:
    case Edit::Kind::Drop:
    case Edit::Kind::Fill:
    case Edit::Kind::FromNpy:
    case Edit::Kind::Compute:
    case Edit::Kind::Bytes:
    case Edit::Kind::Field: break;
    }
    const auto element = TRY(elementOf(weight, edit));
    if (edit.kind == Edit::Kind::Keep)
        return editor.keep(element, edit.value, kNearest);
    if (edit.kind == Edit::Kind::Drop)
        return editor.drop(element);
    return editor.setElement(element, edit.value, kNearest);
}

} // namespace

EditAnswer answerOf(const codec::EditPlan &made, bool hasValue)
{
    QStringList parts;
    const auto number = [](double value) { return QString::number(value, 'g', 7); };
    if (hasValue)
        parts << (made.asked == made.stored
                      ? Words::tr("%1 is held exactly").arg(number(made.asked))
                      : Words::tr("%1 is held as %2").arg(number(made.asked), number(made.stored)));
    if (!made.note.empty())
        parts << fromUtf8(made.note);
    std::uint64_t bytes = 0;
    for (const codec::PartEdit &part : made.parts)
        bytes += part.bytes.size();
    if (made.parts.empty())
        parts << Words::tr("nothing changes");
    else if (made.payloadElements)
        parts << Words::tr("%1 non-zero values after it")
                     .arg(groupedNumber(made.payloadElements->value));
    else
        parts << Words::tr("%1 B touched").arg(groupedNumber(bytes));
    return {parts.join(u"; "_s), made.far};
}

namespace {

Result<EditAnswer> rawPreview(const Bundle &bundle, const Edit &edit)
{
    const auto place = patch::rawPlace(bundle, edit);
    TRY(bundle.checkUnchanged());
    if (!place)
        return tl::unexpected(place.error());
    return EditAnswer{
        Words::tr("%1 becomes %2 (%3); what that would break is said first")
            .arg(fromUtf8(place->oldText), fromUtf8(place->newText), fromUtf8(place->note))};
}

/// How many elements an edit of more than one changes; a scale or a codebook has other indices.
Result<EditAnswer> severalText(const Weight &weight, const Edit &edit)
{
    const QString name = fromUtf8(edit.weight);
    if (edit.kind != Edit::Kind::Set && edit.kind != Edit::Kind::Fill &&
        edit.kind != Edit::Kind::Keep && edit.kind != Edit::Kind::Drop)
        return EditAnswer{Words::tr("Sets several elements of %1").arg(name)};
    if (edit.indices.empty())
        return EditAnswer{Words::tr("Sets all %1 elements of %2")
                              .arg(groupedNumber(weight.elements.value), name)};
    const auto chosen = TRY(patch::ElementSelection::make(edit.indices, weight.shape));
    return EditAnswer{countedWords(chosen.elements(), Words::tr("Sets 1 element of %2"),
                                   Words::tr("Sets %1 elements of %2"))
                          .arg(name)};
}

/// "[3,0,1]".
QString cellIndices(const Weight &weight, std::uint64_t element)
{
    QStringList indices;
    for (auto axis = weight.shape.size(); axis-- > 0;) {
        const std::uint64_t extent = std::max<std::uint64_t>(weight.shape[axis], 1);
        indices.prepend(QString::number(element % extent));
        element /= extent;
    }
    if (indices.isEmpty())
        indices << u"0"_s;
    return u"[%1]"_s.arg(indices.join(QLatin1Char(',')));
}

} // namespace

Result<EditAnswer> previewEdit(const Bundle &bundle, const Edit &edit)
{
    if (edit.isRaw())
        return rawPreview(bundle, edit);
    const auto index = bundle.weightByName(edit.weight);
    if (!index)
        return fail("patch.weight",
                    Words::tr("No weight has this name: %1").arg(fromUtf8(edit.weight)));
    const Weight &weight = bundle.weights()[*index];
    if (edit.kind == Edit::Kind::FromNpy)
        return EditAnswer{countedWords(weight.elements.value,
                                       Words::tr("Sets 1 element from the file"),
                                       Words::tr("Sets %1 elements from the file"))};
    if (edit.kind == Edit::Kind::Compute)
        return EditAnswer{Words::tr("Computes each chosen element of %1 from its value w")
                              .arg(fromUtf8(edit.weight))};
    if (!isSingle(edit))
        return severalText(weight, edit);
    const auto decoder = TRY(bundle.decoder(*index));
    const auto made = plan(codec::Editor(decoder), weight, edit);
    TRY(bundle.checkUnchanged());
    if (!made)
        return tl::unexpected(made.error());
    const bool hasValue = edit.kind != Edit::Kind::Drop && edit.kind != Edit::Kind::SetStored;
    return answerOf(*made, hasValue);
}

std::optional<std::uint64_t> firstElement(const Bundle &bundle, const Edit &edit)
{
    const bool named = edit.kind == Edit::Kind::Set || edit.kind == Edit::Kind::Keep ||
                       edit.kind == Edit::Kind::Drop || edit.kind == Edit::Kind::Fill;
    const auto index = bundle.weightByName(edit.weight);
    if (!named || !index || edit.indices.empty())
        return std::nullopt;
    const auto element = elementOf(bundle.weights()[*index], edit);
    return element ? std::optional(*element) : std::nullopt;
}

QString editStart(Edit::Kind kind, const Bundle &bundle, const Place &place)
{
    if (kind == Edit::Kind::Bytes && place.bytes && place.file < bundle.files().size())
        return u"%1+%2="_s.arg(rawFromUtf8(bundle.files()[place.file].path),
                               hexNumber(place.bytes->offset.value));
    if (place.weight >= bundle.weights().size())
        return {};
    const Weight &weight = bundle.weights()[place.weight];
    const QString name = rawFromUtf8(weight.findableName());
    const QString cell = name + cellIndices(weight, place.element.value_or(0));
    switch (kind) {
    case Edit::Kind::Set:
    case Edit::Kind::Keep:
    case Edit::Kind::Fill: return cell + u'=';
    case Edit::Kind::Compute: return (place.element ? cell : name) + u'=';
    case Edit::Kind::Drop: return cell;
    case Edit::Kind::SetStored: return name + u':';
    case Edit::Kind::Codebook:
    case Edit::Kind::Scale: return name + u'[';
    case Edit::Kind::FromNpy: return name + u'=';
    case Edit::Kind::Bytes:
    case Edit::Kind::Field: break;
    }
    return {};
}

} // namespace kernscope::ui
