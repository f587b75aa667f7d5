// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/chips/datapath_view.h"

#include "widgets/common/table_text.h"
#include "widgets/common/theme.h"

#include <QPainter>

#include <algorithm>

namespace kernscope::ui {

namespace {

constexpr std::uint64_t kMostCores = 16; ///< drawn one by one; more are said in words
constexpr int kCoresAt = 2;              ///< place of the cores among the stages

} // namespace

DatapathView::DatapathView(QWidget *parent) : QWidget(parent)
{
    setAccessibleName(tr("Datapath of the layer"));
}

void DatapathView::setGeometryOf(const decision::LayerOperation &operation,
                                 std::optional<decision::Geometry> geometry)
{
    m_operation = operation;
    m_geometry = std::move(geometry);
    setAccessibleDescription(stages().join(QLatin1Char('\n')));
    setToolTip(m_geometry ? tr("Figure 20.1 of the engine guide, with this layer's numbers")
                          : QString());
    update();
}

QStringList DatapathView::stages() const
{
    if (!m_geometry)
        return {tr("No geometry: the numbers above are refused.")};
    const decision::Geometry &geometry = *m_geometry;
    const auto known = [](const auto &value) {
        return value ? groupedNumber(*value) : QStringLiteral("?");
    };
    return {tr("%1 output channels").arg(groupedNumber(m_operation.outputChannels)),
            tr("groups of %1: %2 passes over the input")
                .arg(groupedNumber(geometry.group), groupedNumber(geometry.passes)),
            tr("channel c on core c mod %1: %2 of %1 cores lit")
                .arg(known(geometry.cores.value), known(geometry.lit)),
            tr("accumulator file, 8 deep: demand %1, %2-buffered, %3 channels a slot")
                .arg(groupedNumber(geometry.demand),
                     fromUtf8(decision::bufferingName(geometry.buffering)))
                .arg(geometry.perAccumulator),
            tr("%1 lanes; tiles of four rounded to fp16").arg(geometry.cycles.lanes),
            tr("wide accumulator of fp32 class over %1 products a channel")
                .arg(groupedNumber(m_operation.inputChannels * geometry.kernel)),
            tr("output port, rounds to fp16")};
}

QSize DatapathView::minimumSizeHint() const
{
    return {theme::em(this, 18), theme::em(this, 18)};
}

void DatapathView::drawCores(QPainter &painter, const QRectF &row) const
{
    const std::uint64_t cores = m_geometry->cores.value.value_or(0);
    if (cores == 0 || cores > kMostCores)
        return;
    const bool dark = theme::isDark(palette());
    const double width = row.width() / double(cores);
    for (std::uint64_t core = 0; core < cores; ++core) {
        const QRectF box(row.left() + double(core) * width + 1, row.top(), width - 2, row.height());
        const bool lit = m_geometry->lit && core < *m_geometry->lit;
        painter.setBrush(lit ? QBrush(theme::color(Token::KindData, dark)) : Qt::NoBrush);
        painter.setPen(QPen(palette().color(QPalette::Mid), 1, lit ? Qt::SolidLine : Qt::DashLine));
        painter.drawRoundedRect(box, 3, 3);
        const std::uint64_t channels = m_operation.outputChannels;
        const std::uint64_t mine = channels > core ? (channels - core - 1) / cores + 1 : 0;
        painter.setPen(lit ? theme::textOn(Token::KindData, dark)
                           : palette().color(QPalette::Text));
        const QString text = width > theme::em(this, 5)
                                 ? tr("core %1\n%2 ch").arg(core).arg(groupedNumber(mine))
                                 : QString::number(core);
        painter.drawText(box, Qt::AlignCenter, text);
    }
}

void DatapathView::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QStringList lines = stages();
    const double margin = theme::em(this, 0.5), arrow = theme::em(this, 0.9);
    const int extra = m_geometry ? 1 : 0; // the cores themselves, below their line
    const double count = double(lines.size() + extra);
    const double height = std::min((this->height() - 2 * margin - (count - 1) * arrow) / count,
                                   double(theme::em(this, 2.6)));
    double top = margin;
    for (int i = 0; i < lines.size(); ++i) {
        const QRectF box(margin, top, width() - 2 * margin, height);
        painter.setPen(palette().color(QPalette::Mid));
        painter.setBrush(palette().brush(QPalette::AlternateBase));
        painter.drawRoundedRect(box, 3, 3);
        painter.setPen(palette().color(QPalette::Text));
        painter.drawText(box.adjusted(margin, 0, -margin, 0), Qt::AlignCenter | Qt::TextWordWrap,
                         lines[i]);
        top += height;
        if (i == kCoresAt && extra > 0) {
            drawCores(painter, {margin, top + arrow / 2, width() - 2 * margin, height});
            top += height + arrow / 2;
        }
        if (i + 1 < lines.size()) {
            const double middle = width() / 2.0;
            painter.setPen(QPen(palette().color(QPalette::Text), 1.2));
            painter.drawLine(QPointF(middle, top + 1), QPointF(middle, top + arrow - 2));
            painter.drawLine(QPointF(middle - 3, top + arrow - 6),
                             QPointF(middle, top + arrow - 2));
            painter.drawLine(QPointF(middle + 3, top + arrow - 6),
                             QPointF(middle, top + arrow - 2));
        }
        top += arrow;
    }
}

} // namespace kernscope::ui

#include "moc_datapath_view.cpp"
