// SPDX-License-Identifier: GPL-3.0-or-later
// Values of cells, typed, pasted or computed.
#include "core/codec/edit/editor.h"
#include "core/patch/aside.h"
#include "core/patch/edit/expression.h"
#include "widgets/common/number_field.h"
#include "widgets/common/table_text.h"
#include "widgets/common/task_manager.h"
#include "widgets/patch/cell_edits.h"
#include "widgets/patch/edit_preview.h"
#include "widgets/patch/typed_answer.h"
#include "widgets/weight/weight_dock.h"
#include "widgets/weight/weight_grid_view.h"
#include "widgets/weight/weight_words.h"

#include <QInputDialog>
#include <QLabel>
#include <QTimer>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace kernscope::ui {

namespace {

/// Each cell is an edit of its own; of more, `fill` and `compute` make one.
constexpr qsizetype kMostPastedCells = 65'536;

constexpr int kPreviewPauseMs = 120, kPreviewLines = 5;

struct ChangeWords {
    Q_DECLARE_TR_FUNCTIONS(kernscope::ui::WeightDock)
};

float decodedValue(const codec::Decoder &decoder, std::uint64_t element)
{
    float value = 0;
    decoder.decodeFloat(element, std::span(&value, 1));
    return value;
}

/// The first values before and after, how many change, their range, and which is farthest from
/// what was asked for.
EditAnswer previewText(const codec::Decoder &before, const codec::Decoder &after,
                       const std::vector<std::vector<std::uint64_t>> &cells,
                       const std::vector<AppliedEdit> &edits)
{
    constexpr qsizetype kShown = 4;
    QStringList was, is;
    std::size_t count = 0, changed = 0;
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const auto &elements : cells) {
        for (const std::uint64_t element : elements) {
            const double old = static_cast<double>(decodedValue(before, element));
            const double now = static_cast<double>(decodedValue(after, element));
            ++count;
            changed += old == now || (std::isnan(old) && std::isnan(now)) ? 0 : 1;
            low = std::min(low, now);
            high = std::max(high, now);
            if (was.size() < kShown) {
                was += valueText(old);
                is += valueText(now);
            }
        }
    }
    const QString more = count > std::size_t{kShown} ? QStringLiteral(", \u2026") : QString();
    EditAnswer answer;
    answer.text =
        ChangeWords::tr("%1 of %2 change, to %3 \u2026 %4.\nbefore: %5\nafter: %6")
            .arg(groupedNumber(changed), groupedNumber(count), valueText(low), valueText(high),
                 was.join(QStringLiteral(", ")) + more, is.join(QStringLiteral(", ")) + more);
    const auto off = [](const AppliedEdit &edit) { return std::abs(edit.stored - edit.asked); };
    const auto worst = std::max_element(
        edits.begin(), edits.end(),
        [&off](const AppliedEdit &a, const AppliedEdit &b) { return off(a) < off(b); });
    if (worst != edits.end() && worst->stored != worst->asked)
        answer.text +=
            ChangeWords::tr("\nWorst: %1 is held as %2, off by %3.")
                .arg(valueText(worst->asked), valueText(worst->stored), valueText(off(*worst)));
    answer.far = std::any_of(edits.begin(), edits.end(), [](const AppliedEdit &edit) {
        return codec::isFarFrom(edit.asked, edit.stored);
    });
    return answer;
}

} // namespace

void WeightDock::requestEdit(std::uint64_t element, double value)
{
    const Weight &weight = m_shown->weights()[m_weight];
    const auto cell = m_reader->map().cell(element);
    const QModelIndex index =
        cell ? m_grid->model().indexOf(cell->first, cell->second) : QModelIndex();
    const bool leftOut = index.data(WeightGridModel::LeftOutRole).toBool();
    const QString place = fromUtf8(weight.name) + m_reader->map().indexText(element);
    session().requestEdits(
        {elementEdit(weight, element, leftOut ? Edit::Kind::Keep : Edit::Kind::Set, value)},
        leftOut ? tr("Keep %1").arg(place) : tr("Set %1").arg(place));
}

void WeightDock::requestEdits(const CellValues &values, const QString &title)
{
    if (values.isEmpty() || !m_reader) {
        Q_EMIT session().statusMessage(tr("There is no number to enter here."));
        return;
    }
    if (values.size() > kMostPastedCells) {
        Q_EMIT session().statusMessage(
            tr("At most %1 cells at once; an edit of the kind \u201Cfill\u201D or "
               "\u201Ccompute\u201D changes more (Ctrl+Shift+E).")
                .arg(groupedNumber(static_cast<std::uint64_t>(kMostPastedCells))));
        return;
    }
    const Weight &weight = m_shown->weights()[m_weight];
    const auto decoder = m_shown->decoder(m_weight);
    if (!decoder)
        return;
    std::vector<Edit> edits;
    for (const auto &[element, value] : values) {
        const bool kept = decoder->stored(element);
        if (!kept && value == 0) // that is what being left out means
            continue;
        edits.push_back(
            elementEdit(weight, element, kept ? Edit::Kind::Set : Edit::Kind::Keep, value));
    }
    session().requestEdits(std::move(edits), tr("%1 in %2").arg(title, fromUtf8(weight.name)));
}

void WeightDock::requestCode(std::uint64_t element, std::int64_t code)
{
    const auto edit = codeEdit(*m_shown, m_weight, element, code);
    if (edit)
        session().requestEdits({*edit}, {});
    else
        Q_EMIT session().editsRefused(edit.error());
}

/// What is typed for the selected cells: a number or an expression, an edit for each rectangle.
/// None where it is neither.
std::vector<Edit> WeightDock::editsOf(const QString &typed) const
{
    Edit edit;
    edit.expression = typed.trimmed().toStdString();
    const auto number = typedNumber(typed);
    edit.kind = number ? Edit::Kind::Fill : Edit::Kind::Compute;
    edit.value = number.value_or(0);
    const auto expression = patch::Expression::parse({edit.expression, 0});
    const auto decoder = m_shown->decoder(m_weight);
    std::vector<Edit> edits;
    if (!m_reader || !decoder || (!number && !expression))
        return edits;
    const Weight &weight = m_shown->weights()[m_weight];
    const double ofZero = number ? *number : expression->of(0);
    for (auto elements : m_grid->selectedElements()) {
        // What a mask leaves out has to be kept to become anything but zero.
        const auto left =
            std::stable_partition(elements.begin(), elements.end(), [&](std::uint64_t element) {
                return ofZero == 0 || decoder->stored(element);
            });
        for (auto element = left; element != elements.end(); ++element)
            edits.push_back(elementEdit(weight, *element, Edit::Kind::Keep, ofZero));
        elements.erase(left, elements.end());
        if (!elements.empty()) {
            const auto more = rangeEdits(weight, elements, edit);
            edits.insert(edits.end(), more.begin(), more.end());
        }
    }
    return edits;
}

/// One number, or an expression of each value, for all selected cells.
void WeightDock::askForExpression()
{
    std::size_t count = 0;
    for (const auto &elements : m_grid->selectedElements())
        count += elements.size();
    if (!session().patchingEnabled() || count == 0 || !m_reader) {
        Q_EMIT session().statusMessage(
            count == 0 ? tr("Select the cells to change.")
                       : tr("Locked: enable patching to change values (Ctrl+E)."));
        return;
    }
    auto *dialog = new QInputDialog(this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("Change Selected Values"));
    dialog->setLabelText(tr("Value of the %1 selected cells: a number, or an expression of w, such "
                            "as w*0.5 or clip(w,-1,1)")
                             .arg(groupedNumber(count)));
    connect(dialog, &QInputDialog::textValueSelected, this,
            [this](const QString &typed) { session().requestEdits(editsOf(typed), {}); });
    dialog->open();
    QLabel *answer = answerWhileTyping(dialog, [](const QString &typed) {
        const std::string text = typed.trimmed().toStdString();
        const auto expression = patch::Expression::parse({text, 0});
        return expression || typedNumber(typed) ? QString() : syntaxText(expression.error());
    });
    answer->setMinimumHeight(kPreviewLines * answer->fontMetrics().lineSpacing());
    auto *pause = new QTimer(dialog);
    pause->setSingleShot(true);
    pause->setInterval(kPreviewPauseMs);
    connect(dialog, &QInputDialog::textValueChanged, pause, qOverload<>(&QTimer::start));
    connect(pause, &QTimer::timeout, answer,
            [this, dialog, answer] { preview(dialog->textValue(), answer); });
}

/// Values before and after, made on a fork, into `answer`.
void WeightDock::preview(const QString &typed, QLabel *answer)
{
    if (m_preview)
        m_preview->cancel();
    std::vector<Edit> edits = editsOf(typed);
    if (edits.empty())
        return;
    m_preview = session().tasks().start(
        answer, tr("Looking what the expression makes"),
        [bundle = m_shown, weight = m_weight, edits = std::move(edits),
         cells = m_grid->selectedElements()](Progress &progress) -> Result<EditAnswer> {
            const auto planned =
                planOnFork(bundle, edits, std::numeric_limits<double>::infinity(), &progress);
            if (!planned)
                return tl::unexpected(planned.error());
            const BundleReadLock lock(*bundle);
            const auto before = bundle->decoder(weight), after = planned->bundle->decoder(weight);
            if (!before || !after)
                return tl::unexpected(before ? after.error() : before.error());
            return previewText(*before, *after, cells, planned->edits);
        },
        [answer](const Result<EditAnswer> &made) {
            answer->setText(made ? made->text
                                 : QChar(0x2715) + QLatin1Char(' ') +
                                       fromUtf8(describe(made.error())));
            showAnswer(answer, !made || made->far);
        });
}

} // namespace kernscope::ui
