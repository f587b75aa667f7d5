// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/chips/choose_dock.h"

#include "core/assessment/calibrate.h"
#include "core/bundle/bundle.h"
#include "core/patch/reencode/reencode.h"
#include "widgets/chips/verdict.h"
#include "widgets/common/controls.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/file_dialogs.h"
#include "widgets/common/labels.h"
#include "widgets/common/number_field.h"
#include "widgets/common/panels.h"
#include "widgets/common/qt.h"
#include "widgets/models/words.h"

namespace kernscope::ui {

namespace {

constexpr double kBeside = 0.45, kAbove = 0.1; // of the font's height, around the words

/// Bold where it is the form to take; outcomes on a pill of their token.
QVariant candidateLook(const report::CandidateFacts &row, std::string_view key, int role)
{
    if (key == "form" && role == Qt::FontRole && row.chosen) {
        QFont font;
        font.setBold(true);
        return font;
    }
    return key == "outcome" ? outcomeLook(row.candidate.assessment.outcome, role) : QVariant();
}

/// The bundle with one weight in another form, written to `path`. What went wrong, or empty.
QString writeReencoded(const Bundle &bundle, std::size_t index, const std::string &form,
                       const QString &path, Progress &progress)
{
    const Weight &weight = bundle.weights()[index];
    const auto spec = formSpecOf(form, weight.shape, judgedAxes(bundle)[index]);
    if (!spec)
        return ChooseDock::tr("There is no form of that name.");
    const auto decoder = bundle.decoder(index);
    if (!decoder)
        return fromUtf8(describe(decoder.error()));
    std::vector<float> values(decoder->elements().value);
    {
        const BundleReadLock lock(bundle);
        decoder->decodeFloat(0, values);
    }
    const auto encoded = codec::encodeForm(values, weight.shape, *spec, weight.type);
    if (!encoded)
        return fromUtf8(describe(encoded.error()));
    const auto made = reencodeWeight(bundle, index, *encoded);
    if (!made)
        return fromUtf8(describe(made.error()));
    const CopyOptions options{false, bundle.path()}; // other files, links, permissions
    const auto saved =
        saveCopy(**made, std::filesystem::path(path.toStdString()), &progress, options);
    return saved ? QString() : fromUtf8(describe(saved.error()));
}

/// "w (dense) on H13: take palette4: why. As dense it is bandwidth bound in conv; 0.0 % zeros."
QString verdictText(const FormChoice &choice, const std::string &chip)
{
    const QString subject = ChooseDock::tr("<b>%1</b> (%2) on <b>%3</b>")
                                .arg(fromUtf8(choice.title).toHtmlEscaped(),
                                     fromUtf8(choice.stored).toHtmlEscaped(), fromUtf8(chip));
    const QString reason = fromUtf8(choice.reason).toHtmlEscaped();
    const QString take = choice.chosen.empty()
                             ? ChooseDock::tr("no form is proposed: %1.").arg(reason)
                             : ChooseDock::tr("take <b>%1</b>: %2.")
                                   .arg(choice.chosen == "dense" ? ChooseDock::tr("dense fp16")
                                                                 : fromUtf8(choice.chosen),
                                        reason);
    QString text = subject + u": "_s + take;
    if (choice.bound != roofline::Bound::Unknown && choice.zeroFraction)
        text += QLatin1Char(' ') +
                ChooseDock::tr("As dense it is %1 bound in %2.")
                    .arg(fromUtf8(roofline::boundName(choice.bound)), fromUtf8(choice.op));
    if (choice.zeroFraction)
        text += QLatin1Char(' ') +
                ChooseDock::tr("%1 zeros%2.")
                    .arg(percentText(*choice.zeroFraction),
                         choice.sampled ? ChooseDock::tr("; figures from some of the channels")
                                        : QString());
    return text;
}

} // namespace

QRect OutcomePill::pillRect(const QStyleOptionViewItem &option, const QModelIndex &index) const
{
    if (!index.data(Qt::BackgroundRole).isValid())
        return {};
    const QFontMetrics metrics(option.font);
    const int beside = theme::em(option.widget, kBeside), above = theme::em(option.widget, kAbove);
    const int width = metrics.horizontalAdvance(index.data().toString()) + 2 * beside;
    const QRect room = option.rect.adjusted(above, above, -above, -above);
    return QStyle::visualRect(
        option.direction, option.rect,
        QRect(room.left(), room.top(), std::min(width, room.width()), room.height()));
}

void OutcomePill::paint(QPainter *painter, const QStyleOptionViewItem &option,
                        const QModelIndex &index) const
{
    const QRect pill = pillRect(option, index);
    if (pill.isEmpty())
        return QStyledItemDelegate::paint(painter, option, index);
    QStyleOptionViewItem cell = option;
    initStyleOption(&cell, index);
    const QString words = cell.text;
    cell.text.clear();
    cell.backgroundBrush = {};
    const QStyle *style = cell.widget ? cell.widget->style() : QApplication::style();
    style->drawControl(QStyle::CE_ItemViewItem, &cell, painter, cell.widget);
    paintPill(*painter, pill, index.data(Qt::BackgroundRole).value<QColor>());
    painter->save();
    painter->setFont(cell.font);
    painter->setPen(cell.palette.color(QPalette::Text));
    painter->drawText(pill, Qt::AlignCenter, words);
    painter->restore();
}

QSize OutcomePill::sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const
{
    QSize size = QStyledItemDelegate::sizeHint(option, index);
    size.rwidth() += 2 * theme::em(option.widget, kBeside);
    return size;
}

ChooseDock::ChooseDock(Session &session, QWidget *parent)
    : Dock(session, u"choose"_s, tr("Choose a Form"), parent), m_state(ChipState::of(session))
{
    m_model = new RowTable<report::CandidateFacts>(report::candidateTable, this);
    m_model->setLook(candidateLook);
    auto *content = new QWidget(this);
    m_tolerance = decimalBox(content, tr("Tolerance"), {4, 0, 1, 0.005, 0.01}, tr("tolerance "));
    m_apply = new QPushButton(tr("Apply to a Copy…"), content);
    auto *bar =
        laidOut(new QHBoxLayout, {{sharedChipBox(m_state, content), 1}, m_tolerance, m_apply});
    m_verdict = selectableLabel(content, Qt::RichText);
    m_readings = selectableLabel(content, Qt::PlainText);
    m_state_ = selectableLabel(content, Qt::PlainText);
    m_table =
        makeTable(content, tr("Candidates"), m_model, {6.5, 5, 5.2, 7, 5, 8.8, 8.2, 7.6, 9, 17});
    m_table->setSortingEnabled(false);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setItemDelegateForColumn(m_model->columnOf("outcome"), new OutcomePill(m_table));
    m_table->horizontalHeader()->setStretchLastSection(true);
    QVBoxLayout *column =
        laidOut(contentColumn(content), {bar, sharedVerdict(m_state, content), m_verdict});
    m_contested = new PanelSection(theme::glyph(Token::MarkContested) + QLatin1Char(' ') +
                                       tr("Sources disagree"),
                                   m_readings, content);
    m_contested->setFolded(true);
    laidOut(column, {m_contested, {m_table, 1}, m_state_});
    setContent(content, m_table);
    buildActions();
    connectParts();
}

void ChooseDock::connectParts()
{
    connect(&m_state, &ChipState::targetChanged, this, &ChooseDock::scheduleRefresh);
    connect(m_tolerance, &QDoubleSpinBox::valueChanged, this, &ChooseDock::scheduleRefresh);
    connect(m_apply, &QPushButton::clicked, this, &ChooseDock::askAndApply);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex &row) { m_apply->setEnabled(row.isValid()); });
    m_task.whenCancelled([this] {
        m_model->setRows({}); // those of the weight before
        showMessage(tr("Trying the forms was cancelled. Try Forms Again in View, Docks starts "
                       "it anew."));
    });
    m_writing.whenCancelled(
        [this] { m_state_->setText(tr("The copy: %1.").arg(m_writing.endText())); });
}

void ChooseDock::buildActions()
{
    auto *apply = dockAction(this, tr("Apply Form to a Copy…"), {}, [this] { askAndApply(); });
    auto *copy = copyAction(this, tr("Copy Rows"), m_table);
    auto *save = exportAction(this, session(), tr("Export Candidates…"), *m_model, "candidates");
    auto *again = dockAction(this, tr("Try Forms Again"), {}, [this] { scheduleRefresh(); });
    m_actions = {apply, copy, save, again};
    m_table->addActions(m_actions);
}

void ChooseDock::follow(const Place &place, QObject *)
{
    if (place.weight != m_weight)
        refresh();
}

void ChooseDock::refresh()
{
    m_task.stop();
    const BundlePtr bundle = session().bundle();
    const QString select = tr("Select a weight that a conv, linear or matmul reads.");
    m_weight = place().weight;
    m_choice.reset();
    m_apply->setEnabled(false);
    m_state_->clear();
    if (!bundle || m_weight >= bundle->weights().size()) {
        m_model->setRows({});
        showMessage(!bundle ? tr("Open a bundle to choose forms for its weights (Ctrl+O).")
                    : bundle->weights().empty()
                        ? tr("This file has no weights to choose forms for.")
                        : select);
        return;
    }
    const auto roofs = roofline::roofsOf(m_state.target());
    if (!roofs)
        return;
    m_task.start(
        tr("Trying forms"),
        [bundle, weight = m_weight, roofs = *roofs, choice = m_state.choice(),
         tolerance = m_tolerance->value()](Progress &progress) {
            decision::Judge judge(choice);
            return chooseForm(*bundle, weight, roofs, judge, {tolerance, 1, &progress});
        },
        [this, select](const Result<FormChoice> &result) {
            if (result) {
                showChoice(*result);
                return;
            }
            m_model->setRows({});
            showMessage(result.error().code == "choose.consumer"
                            ? select
                            : fromUtf8(describe(result.error())));
        });
}

void ChooseDock::showChoice(const FormChoice &choice)
{
    m_choice = choice;
    m_verdict->setText(verdictText(choice, m_state.target().name) + QLatin1Char(' ') +
                       fromUtf8(roofline::predictionNote(m_state.target())));
    QStringList readings;
    for (const std::string &line : report::contestedOf(choice))
        readings += fromUtf8(line);
    m_readings->setText(readings.join(QLatin1Char('\n')));
    m_contested->setVisible(!readings.isEmpty());
    std::vector<report::CandidateFacts> rows = report::candidateRows(choice);
    const auto chosenRow = std::ranges::find_if(rows, [](const auto &row) { return row.chosen; });
    const auto at = static_cast<int>(chosenRow - rows.begin());
    m_model->setRows(std::move(rows));
    // Where none is proposed none is selected, which would read as a proposal.
    chooseRow(m_table, m_model->index(at, 0));
    m_apply->setEnabled(m_table->currentIndex().isValid());
    showContent();
}

std::string ChooseDock::selectedForm() const
{
    const QModelIndex current = m_table->currentIndex();
    if (!m_choice || !current.isValid())
        return {};
    return m_choice->candidates[m_model->sourceRow(current.row())].form;
}

void ChooseDock::askAndApply()
{
    const std::string form = selectedForm();
    if (form.empty())
        return;
    const QString path = askSavePath(
        this, tr("Store %1 as %2 in a Copy").arg(fromUtf8(m_choice->title), fromUtf8(form)),
        fromUtf8(session().bundle()->path().stem().string()) + QLatin1Char('-') + fromUtf8(form) +
            fromUtf8(session().bundle()->path().extension().string()));
    if (!path.isEmpty())
        applyTo(path, form);
}

void ChooseDock::applyTo(const QString &path, const std::string &form)
{
    const BundlePtr bundle = session().bundle();
    if (!bundle || m_weight >= bundle->weights().size())
        return;
    m_writing.start(
        tr("Writing the copy"),
        [bundle, weight = m_weight, form, path](Progress &progress) {
            return writeReencoded(*bundle, weight, form, path, progress);
        },
        [this, path](const QString &fault) {
            m_state_->setText(fault.isEmpty() ? tr("Written and read back: %1").arg(path) : fault);
            Q_EMIT session().statusMessage(m_state_->text());
            Q_EMIT applied(path, fault);
        });
}

} // namespace kernscope::ui

#include "moc_choose_dock.cpp"
