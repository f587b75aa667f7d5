// SPDX-License-Identifier: GPL-3.0-or-later
// Values of cells, typed, pasted or computed.
#include "core/patch/edit/expression.h"
#include "widgets/common/table_text.h"
#include "widgets/patch/cell_edits.h"
#include "widgets/patch/typed_answer.h"
#include "widgets/weight/weight_dock.h"
#include "widgets/weight/weight_grid_view.h"

#include <QInputDialog>

#include <utility>
#include <vector>

namespace kernscope::ui {

namespace {

/// Each cell is an edit of its own; of more, `fill` and `compute` make one.
constexpr qsizetype kMostPastedCells = 65'536;

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

/// One number, or an expression of each value, for all selected cells.
void WeightDock::askForExpression()
{
    const CellValues cells = m_grid->selectedElements();
    if (!session().patchingEnabled() || cells.isEmpty() || !m_reader) {
        Q_EMIT session().statusMessage(
            cells.isEmpty() ? tr("Select the cells to change.")
                            : tr("Locked: enable patching to change values (Ctrl+E)."));
        return;
    }
    auto *dialog = new QInputDialog(this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("Change Selected Values"));
    dialog->setLabelText(tr("Value of the %1 selected cells: a number, or an expression of w, such "
                            "as w*0.5 or clip(w,-1,1)")
                             .arg(groupedNumber(static_cast<std::uint64_t>(cells.size()))));
    connect(dialog, &QInputDialog::textValueSelected, this, [this, cells](const QString &typed) {
        const std::string text = typed.trimmed().toStdString();
        const auto expression = patch::Expression::parse({text, 0});
        const auto decoder = m_shown->decoder(m_weight);
        if (!expression || !decoder)
            return;
        CellValues values = cells;
        for (auto &[element, value] : values) {
            float now = 0;
            decoder->decodeFloat(element, std::span(&now, 1));
            value = expression->of(static_cast<double>(now));
        }
        requestEdits(values, typed);
    });
    dialog->open();
    answerWhileTyping(dialog, [](const QString &typed) {
        const std::string text = typed.trimmed().toStdString();
        const auto expression = patch::Expression::parse({text, 0});
        return expression ? QString() : syntaxText(expression.error());
    });
}

} // namespace kernscope::ui
