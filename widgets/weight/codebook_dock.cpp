// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/weight/codebook_dock.h"

#include "core/bundle/bundle.h"
#include "core/form/form_steps.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/labels.h"
#include "widgets/common/number_field.h"
#include "widgets/common/plot_canvas.h"
#include "widgets/common/qt.h"
#include "widgets/models/theme.h"
#include "widgets/patch/typed_edits.h"
#include "widgets/weight/weight_header.h"

namespace kernscope::ui {

CodebookPlot::CodebookPlot(QWidget *parent) : PlotWidget(tr("Uses of each codebook entry"), parent)
{
    const auto add = [this] {
        auto *bars = new QCPBars(plot().xAxis, plot().yAxis);
        bars->setWidth(0.8);
        bars->setAntialiased(false);
        return bars;
    };
    m_bars = add();
    m_duplicates = add();
    m_chosen = add();
    plot().xAxis->setLabel(tr("entry"));
    plot().yAxis->setLabel(tr("uses"));
    plot().xAxis->setTicker(countTicker());
    plot().yAxis->setTicker(countTicker());
    setColumns({{tr("entry"), [](int point) { return point; }},
                {tr("value"), [this](int point) { return entry(point).value; }},
                {tr("uses"), [this](int point) { return entry(point).uses; }},
                {tr("duplicate"),
                 [this](int point) { return entry(point).duplicate ? tr("yes") : tr("no"); }}});
}

void CodebookPlot::setEntries(std::vector<Entry> entries)
{
    beginData();
    m_entries = std::move(entries);
    QVector<double> keys[2], uses[2];
    double most = 1;
    for (int i = 0; i < pointCount(); ++i) {
        const int kind = entry(i).duplicate ? 1 : 0;
        keys[kind].append(i);
        uses[kind].append(static_cast<double>(entry(i).uses));
        most = std::max(most, static_cast<double>(entry(i).uses));
    }
    m_bars->setData(keys[0], uses[0], true);
    m_duplicates->setData(keys[1], uses[1], true);
    plot().xAxis->setRange(-0.6, std::max(1, pointCount()) - 0.4);
    plot().yAxis->setRange(0, most * 1.05);
    endData();
}

QString CodebookPlot::pointText(int point) const
{
    QString text =
        tr("entry %1: %2, used %3 times")
            .arg(point)
            .arg(QString::number(entry(point).value, 'g', 5), groupedNumber(entry(point).uses));
    if (entry(point).uses == 0)
        text += tr(", never used");
    if (entry(point).duplicate)
        text += tr(", a duplicate");
    return text;
}

void CodebookPlot::applyColors(bool dark)
{
    const QColor color = theme::color(Token::KindCodebook, dark);
    m_bars->setPen(Qt::NoPen);
    m_bars->setBrush(color);
    m_duplicates->setPen(QPen(color, 0));
    m_duplicates->setBrush(QBrush(color, Qt::BDiagPattern));
    m_chosen->setBrush(Qt::NoBrush);
    m_chosen->setPen(QPen(palette().color(QPalette::Text), 2));
    const int at = currentPoint();
    if (at >= 0)
        m_chosen->setData({static_cast<double>(at)}, {static_cast<double>(entry(at).uses)}, true);
    else
        m_chosen->setData({}, {}, true);
}

struct CodebookDock::Content {
    std::shared_ptr<const codec::Decoder> decoder;
    Result<CodebookData> data = tl::unexpected(Error{});
};

CodebookDock::CodebookDock(Session &session, QWidget *parent)
    : Dock(session, u"codebook"_s, tr("Codebook"), parent)
{
    auto *content = new QWidget(this);
    m_header = new WeightHeader(false, content);
    m_summary = selectableLabel(content, Qt::RichText); // may hold a link
    m_summary->setTextInteractionFlags(Qt::TextBrowserInteraction);
    connect(m_summary, &QLabel::linkActivated, this, [this] { scheduleRefresh(); });
    m_chooser = named(new IntegerBox(content), tr("Codebook"));
    m_chooser->setToolTip(tr("Which of the weight's codebooks is shown."));
    auto *chooserLabel = new QLabel(tr("Codebook:"), content);
    chooserLabel->setBuddy(m_chooser);
    m_chooserBox = new QWidget(content);
    auto *chooserLayout = withoutMargins(new QHBoxLayout(m_chooserBox));
    chooserLayout->addWidget(chooserLabel);
    chooserLayout->addWidget(m_chooser);
    chooserLayout->addStretch(1);

    m_model = new CodebookModel(this);
    buildTable(content);
    m_plot = new CodebookPlot(content);

    laidOut(contentColumn(content), {m_header,
                                     m_summary,
                                     m_chooserBox,
                                     {parted(Qt::Vertical, {{m_table, 3}, {m_plot, 2}}), 1}});
    setContent(content, m_table);
    connectViews();
}

void CodebookDock::buildTable(QWidget *content)
{
    m_table = new QTableView(content);
    m_table->setModel(m_model);
    m_table->setAccessibleName(tr("Entries of the codebook"));
    const auto editing = m_table->editTriggers();
    prepareTable(m_table);
    m_table->setEditTriggers(editing);
    m_table->horizontalHeader()->setStretchLastSection(true);
    new LockedTyping(*m_table, session());
    new CellAnswer(m_table, [this](const QModelIndex &cell, const QString &typed) {
        const BundleReadLock lock(*m_shown);
        return previewEdit(
            *m_shown, editOf(m_model->codebook(), m_model->sourceRow(cell.row()),
                             static_cast<quint64>(cell.column() - CodebookModel::FirstValueColumn),
                             typedNumber(typed).value_or(0)));
    });
    m_tableActions = {
        copyAction(m_table, tr("Copy Rows"), m_table),
        exportAction(m_table, session(), tr("Export Codebook\u2026"), *m_model, "codebook")};
}

void CodebookDock::connectViews()
{
    connect(m_chooser, &QSpinBox::valueChanged, this, [this](int codebook) {
        m_model->setCodebook(static_cast<std::uint64_t>(codebook));
        showCodebook();
    });
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this] {
        if (!m_selecting && currentEntry() >= 0)
            m_plot->setCurrentPoint(currentEntry());
    });
    connect(m_plot, &PlotWidget::currentPointChanged, this, &CodebookDock::selectEntry);
    connect(m_model, &CodebookModel::editRequested, this, &CodebookDock::requestEdit);
    connect(&session(), &Session::patchingEnabledChanged, m_model, &CodebookModel::setEditable);
    m_model->setEditable(session().patchingEnabled());
    // Asking for an edit stops all reading; a refusal brings no new bytes to read.
    connect(&session(), &Session::editsRefused, this, [this] { scheduleRefresh(); });
    m_task.whenCancelled([this] {
        m_summary->setText(tr("%1 \u00B7 <a href=\"again\">read again</a>").arg(m_task.endText()));
    });
}

void CodebookDock::refresh()
{
    if (!session().bundle()) {
        m_weight = kNoIndex;
        showMessage(tr("Open a bundle to begin (Ctrl+O)."));
        return;
    }
    showWeight(place().weight);
}

void CodebookDock::follow(const Place &place, QObject *)
{
    if (!session().bundle())
        return;
    if (place.weight != m_weight)
        showWeight(place.weight);
    if (place.element) {
        followElement(*place.element);
    } else { // the entry before may be of an element that was left while the dock was hidden
        chooseRow(m_table, {});
        m_plot->setCurrentPoint(-1);
    }
}

void CodebookDock::showWeight(std::size_t weight)
{
    m_task.stop();
    const bool same = weight == m_weight;
    m_shown = session().bundle();
    m_weight = weight;
    const auto &weights = m_shown->weights();
    if (weight >= weights.size() || !weights[weight].has(codec::PartRole::Lut)) {
        m_decoder.reset();
        m_model->clear();
        m_plot->setEntries({});
        showMessage(weights.empty() ? tr("This file has no weights, and so no codebook.")
                    : weight >= weights.size()
                        ? tr("Select a palette weight to see its codebook.")
                        : tr("%1 is stored as %2: it has no codebook.\n"
                             "Select a palette weight to see one.")
                              .arg(fromUtf8(weights[weight].name),
                                   fromUtf8(formWords(weights[weight].form))));
        return;
    }
    if (weights[weight].fault) {
        showMessage(
            tr("%1 cannot be decoded.\n%2")
                .arg(fromUtf8(weights[weight].name), fromUtf8(describe(*weights[weight].fault))));
        return;
    }
    m_header->setWeight(weights[weight]);
    if (!same) { // of the same weight the old numbers stay until the new ones come
        m_decoder.reset();
        m_model->clear();
        m_plot->setEntries({});
        m_summary->setText(tr("reading\u2026"));
        m_chooserBox->hide();
    }
    showContent();
    readValues();
}

void CodebookDock::readValues()
{
    m_task.start(
        tr("Reading codebooks"),
        [bundle = m_shown, weight = m_weight](Progress &) {
            Content content;
            const BundleReadLock lock(*bundle);
            auto decoder = bundle->decoder(weight);
            if (!decoder) {
                content.data = tl::unexpected(decoder.error());
                return content;
            }
            content.decoder = std::make_shared<const codec::Decoder>(std::move(*decoder));
            content.data = CodebookData::read(*bundle, weight, *content.decoder);
            // Walks a mask once here, so that looking up one element later never has to.
            static_cast<void>(content.decoder->rank(content.decoder->elements().value));
            return content;
        },
        [this](Content content) {
            if (!content.data) {
                showMessage(fromUtf8(describe(content.data.error())));
                return;
            }
            m_decoder = std::move(content.decoder);
            const int entry = currentEntry();
            m_model->setData(std::move(*content.data));
            const auto codebooks = m_model->content().codebooks;
            m_chooser->setRange(0, static_cast<int>(std::min<std::uint64_t>(
                                       codebooks - 1, std::numeric_limits<int>::max())));
            m_chooser->setSuffix(tr(" of %1").arg(groupedNumber(codebooks)));
            m_chooserBox->setVisible(codebooks > 1);
            showCodebook();
            if (const Place &now = place(); now.weight == m_weight && now.element)
                followElement(*now.element);
            else if (entry >= 0)
                selectEntry(entry);
            countUses();
        });
}

void CodebookDock::countUses()
{
    m_task.start(
        tr("Counting uses of codebook entries"),
        [bundle = m_shown, decoder = m_decoder,
         vector = m_model->content().vector](Progress &progress) {
            const BundleReadLock lock(*bundle);
            progress.setTotal(decoder->elements().value / std::max<std::uint64_t>(vector, 1));
            return decoder->codebookUse(&progress);
        },
        [this](std::vector<std::uint64_t> uses) {
            m_model->setUses(std::move(uses));
            showUses();
        });
}

void CodebookDock::showCodebook()
{
    fitColumns(m_table);
    // In a narrow inspector the uses are on view and the code, which is the entry in binary, is
    // not.
    QHeaderView *header = m_table->horizontalHeader();
    if (!header->sectionsMoved() && header->count() > CodebookModel::FirstValueColumn + 1)
        header->moveSection(CodebookModel::CodeColumn, header->count() - 2);
    showUses();
}

void CodebookDock::showUses()
{
    const CodebookData &content = m_model->content();
    const int entry = currentEntry();
    std::vector<CodebookPlot::Entry> entries;
    std::uint64_t unused = 0, duplicates = 0;
    for (int i = 0; i < m_model->rowCount(); ++i) {
        const bool duplicate = m_model->duplicateOf(i).has_value();
        entries.push_back({m_model->uses(i).value_or(0), m_model->value(i), duplicate});
        unused += m_model->uses(i) == 0u ? 1 : 0;
        duplicates += duplicate ? 1 : 0;
    }
    const bool counted = !content.uses.empty();
    m_plot->setEntries(std::move(entries));
    m_plot->setCurrentPoint(entry);
    QString text = tr("%1 entries of %2, %3-bit indices")
                       .arg(groupedNumber(content.entries), fromUtf8(elementTypeName(content.type)))
                       .arg(content.indexBits);
    if (content.vector > 1)
        text += tr(", vectors of %1").arg(content.vector);
    text += u" \u00B7 "_s;
    text += counted ? tr("%1 never used, %2 duplicates").arg(unused).arg(duplicates)
                    : tr("counting uses\u2026");
    m_summary->setText(text);
    fitColumns(m_table);
}

int CodebookDock::currentEntry() const
{
    const QModelIndex index = m_table->currentIndex();
    return index.isValid() ? static_cast<int>(m_model->sourceRow(index.row())) : -1;
}

void CodebookDock::selectEntry(int entry)
{
    if (entry < 0 || entry >= m_model->rowCount())
        return;
    const QScopedValueRollback guard(m_selecting, true);
    const int column = std::max(m_table->currentIndex().column(), 0);
    const QModelIndex index =
        m_model->index(m_model->rowOf(static_cast<std::size_t>(entry)), column);
    revealRow(m_table, index);
    m_plot->setCurrentPoint(entry);
}

void CodebookDock::followElement(std::uint64_t element)
{
    if (!m_decoder || element >= m_decoder->elements().value || m_model->rowCount() == 0)
        return;
    const BundleReadLock lock(*m_shown);
    const auto place = m_decoder->codebookOf(element);
    std::int64_t code = codec::Decoder::kNotStored;
    m_decoder->codes(element, {&code, 1});
    m_chooser->setValue(static_cast<int>(place.codebook));
    if (code >= 0 && code < m_model->rowCount())
        selectEntry(static_cast<int>(code));
}

Edit CodebookDock::editOf(quint64 codebook, quint64 entry, quint64 lane, double value) const
{
    return codebookEdit(m_shown->weights()[m_weight], codebook, entry, lane,
                        m_model->content().vector > 1, value);
}

void CodebookDock::requestEdit(quint64 codebook, quint64 entry, quint64 lane, double value)
{
    session().requestEdits({editOf(codebook, entry, lane, value)},
                           tr("Set codebook %1 entry %2 of %3")
                               .arg(QString::number(codebook), QString::number(entry),
                                    fromUtf8(m_shown->weights()[m_weight].name)));
}

} // namespace kernscope::ui

#include "moc_codebook_dock.cpp"
