// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/weight/scale_panel.h"

#include "core/bundle/bundle.h"
#include "core/codec/decode/decoder.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/labels.h"
#include "widgets/common/plot_canvas.h"
#include "widgets/common/plot_widget.h"
#include "widgets/common/qt.h"
#include "widgets/models/part_models.h"
#include "widgets/models/words.h"
#include "widgets/patch/typed_edits.h"

namespace kernscope::ui {

/// The scales of an affine or blockwise weight along their axis, as steps.
class ScalePlot final : public PlotWidget
{
    Q_OBJECT

public:
    explicit ScalePlot(QWidget *parent = nullptr)
        : PlotWidget(tr("Scales along the channels"), parent)
    {
        m_steps = addSteps();
        plot().xAxis->setTicker(countTicker());
        plot().yAxis->setLabel(tr("scale"));
        plot().yAxis->setNumberFormat(u"gb"_s);
        plot().yAxis->setNumberPrecision(2);
        setColumns({{tr("index"), [](int point) { return point; }},
                    {tr("scale"),
                     [this](int point) { return m_scales[static_cast<std::size_t>(point)]; }}});
    }

    /// `axis`: what the scales run along ("out channel"). NaN values leave a gap.
    void setScales(std::vector<double> scales, const QString &axis)
    {
        beginData();
        m_scales = std::move(scales);
        plot().xAxis->setLabel(axis);
        double low = 0, high = 0;
        for (const double value : m_scales) {
            if (std::isfinite(value)) {
                low = std::min(low, value);
                high = std::max(high, value);
            }
        }
        setSteps(*m_steps, [this](int i) { return m_scales[static_cast<std::size_t>(i)]; });
        if (low == high)
            high = 1;
        plot().yAxis->setRange(low < 0 ? low * 1.05 : 0, high * 1.05);
        endData();
    }

    void clear() { setScales({}, {}); }

    int pointCount() const override { return static_cast<int>(m_scales.size()); }
    QString pointText(int point) const override
    {
        return tr("scale %1: %2")
            .arg(point)
            .arg(valueText(m_scales[static_cast<std::size_t>(point)]));
    }

protected:
    void applyColors(bool dark) override
    {
        colorSteps(*m_steps, theme::color(Token::KindScale, dark), 90);
    }

private:
    std::vector<double> m_scales;
    QCPGraph *m_steps = nullptr;
};

namespace {

constexpr int kLeastRows = 6;

Edit partEdit(const Weight &weight, Edit::Kind kind, std::uint64_t index)
{
    Edit edit;
    edit.kind = kind;
    edit.weight = weight.findableName();
    IndexRange one;
    one.start = index;
    edit.indices = {one};
    return edit;
}

} // namespace

ScalePanel::ScalePanel(Session &session, QWidget *parent)
    : QWidget(parent), m_session(session), m_state(new QLabel(this)), m_model(new ScaleModel(this)),
      m_plot(new ScalePlot(this)), m_table(new QTableView(this))
{
    m_state->setForegroundRole(QPalette::PlaceholderText);
    m_state->setWordWrap(true);
    m_state->setTextFormat(Qt::RichText); // may hold a link
    m_table->setModel(m_model);
    m_table->setAccessibleName(tr("Scales and zero points"));
    prepareTable(m_table);
    m_table->setSortingEnabled(false);
    m_table->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed |
                             QAbstractItemView::AnyKeyPressed);
    m_table->horizontalHeader()->setStretchLastSection(true);
    m_plot->setMinimumHeight(theme::em(this, 11));
    m_plot->setObjectName(u"scalePlot"_s);
    new LockedTyping(*m_table, session);
    new CellAnswer(m_table, [this](const QModelIndex &cell, const QString &typed) {
        const BundleReadLock lock(*m_bundle);
        return previewEdit(
            *m_bundle, cell.column() == ScaleModel::ScaleColumn
                           ? scaleEdit(m_model->scaleAt(cell.row()), typedNumber(typed).value_or(0))
                           : zeroEdit(m_model->zeroAt(cell.row()).value_or(0),
                                      typedInteger(typed).value_or(0)));
    });
    // The header and that number of rows.
    m_table->setMinimumHeight((kLeastRows + 1) * theme::em(this, 1.35) + theme::em(this, 0.6));
    laidOut(withoutMargins(new QVBoxLayout(this), theme::em(this, 0.2)),
            {m_state, m_plot, {m_table, 1}});
    connect(m_model, &ScaleModel::scaleEdited, this, &ScalePanel::editScale);
    connect(m_model, &ScaleModel::zeroEdited, this, &ScalePanel::editZero);
    connect(m_plot, &PlotWidget::currentPointChanged, this, &ScalePanel::choose);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex &now) { m_plot->setCurrentPoint(now.row()); });
    connect(&session, &Session::patchingEnabledChanged, m_model, &ScaleModel::setEditable);
    connect(m_state, &QLabel::linkActivated, this, [this] { setWeight(m_bundle, m_weight); });
    m_task.whenCancelled([this] {
        m_state->setText(tr("%1 \u00B7 <a href=\"again\">read again</a>").arg(m_task.endText()));
    });
    m_model->setEditable(session.patchingEnabled());
    m_tableActions = {
        copyAction(m_table, tr("Copy Rows"), m_table),
        exportAction(m_table, session, tr("Export Scales\u2026"), *m_model, "scales")};
}

QList<QAction *> ScalePanel::menuActions() const
{
    return m_tableActions + m_plot->plotActions();
}

void ScalePanel::setWeight(BundlePtr bundle, std::size_t weight)
{
    m_task.stop();
    const bool same = m_weight == weight && isSameWeight(m_bundle, bundle, weight);
    m_bundle = std::move(bundle);
    m_weight = weight;
    if (!same) {
        m_model->setScales({});
        m_plot->clear();
        m_state->clear();
        m_element.reset();
    }
    if (!m_bundle)
        return;
    m_task.start(
        tr("Reading scales"),
        [shown = m_bundle, weight](Progress &progress) {
            const BundleReadLock lock(*shown);
            return ScaleData::read(*shown, weight, progress);
        },
        [this](Result<ScaleData> content) {
            if (content)
                showScales(std::move(*content));
            else
                m_state->setText(fromUtf8(describe(content.error())));
        });
}

void ScalePanel::showScales(ScaleData content)
{
    const Weight &weight = m_bundle->weights()[m_weight];
    const auto [low, high] = std::minmax_element(content.scales.begin(), content.scales.end());
    const auto spelled = [&content](double scale) {
        return content.exponents && scale > 0 ? tr("2^%1").arg(std::ilogb(scale))
                                              : valueText(scale);
    };
    QString text = content.scales.size() == 1
                       ? tr("one scale for the whole weight")
                       : tr("%1 scales").arg(groupedNumber(content.scales.size()));
    if (low != content.scales.end() && content.scales.size() > 1)
        text += tr(", %1 to %2").arg(spelled(*low), spelled(*high));
    if (content.zeros.empty())
        text += tr("; symmetric, without zero points");
    else if (content.scales.size() == 1 && content.zeros.size() > 1)
        text += tr(", %1 zero points").arg(groupedNumber(content.zeros.size()));
    m_table->setColumnHidden(ScaleModel::ZeroColumn, content.zeros.empty());
    m_table->setColumnHidden(ScaleModel::ExponentColumn, !content.exponents);
    m_table->setColumnHidden(ScaleModel::BiasColumn, content.biases.empty());
    m_state->setText(text);
    const QStringList names = axisNames(weight);
    const QString axis = content.axis && content.shape.size() <= 1
                             ? names.value(static_cast<qsizetype>(*content.axis))
                             : tr("scale, row by row");
    m_plot->setVisible(content.scales.size() > 1);
    m_plot->setScales(content.scales, axis);
    m_model->setScales(std::move(content));
    fitColumns(m_table);
    if (const auto element = std::exchange(m_element, std::nullopt))
        showElement(*element);
}

void ScalePanel::showElement(std::uint64_t element)
{
    const ScaleData &content = m_model->content();
    if (content.scales.empty())
        m_element = element; // they are still read
    if (!m_bundle || !content.axis || content.rows() < 2)
        return;
    const Shape &shape = m_bundle->weights()[m_weight].shape;
    if (*content.axis >= shape.size() || shape[*content.axis] != content.rows())
        return;
    for (std::size_t axis = shape.size(); axis-- > *content.axis + 1;)
        element /= std::max<std::uint64_t>(shape[axis], 1);
    choose(static_cast<int>(element % shape[*content.axis]));
}

void ScalePanel::choose(int scale)
{
    if (scale < 0 || scale >= m_model->rowCount())
        return;
    const QModelIndex at = m_model->index(scale, ScaleModel::ScaleColumn);
    revealRow(m_table, at);
}

Edit ScalePanel::scaleEdit(quint64 scale, double value) const
{
    Edit edit = partEdit(m_bundle->weights()[m_weight], Edit::Kind::Scale, scale);
    edit.value = value;
    return edit;
}

Edit ScalePanel::zeroEdit(quint64 zero, qint64 code) const
{
    Edit edit = partEdit(m_bundle->weights()[m_weight], Edit::Kind::SetStored, zero);
    edit.part =
        m_model->content().zeroPoints ? codec::PartRole::ZeroPoint : codec::PartRole::Offset;
    edit.stored = code;
    return edit;
}

void ScalePanel::editScale(quint64 scale, double value)
{
    m_session.requestEdits(
        {scaleEdit(scale, value)},
        tr("Set scale %1 of %2").arg(scale).arg(fromUtf8(m_bundle->weights()[m_weight].name)));
}

void ScalePanel::editZero(quint64 zero, qint64 code)
{
    m_session.requestEdits(
        {zeroEdit(zero, code)},
        tr("Set zero point %1 of %2").arg(zero).arg(fromUtf8(m_bundle->weights()[m_weight].name)));
}

} // namespace kernscope::ui

#include "moc_scale_panel.cpp"
#include "scale_panel.moc"
