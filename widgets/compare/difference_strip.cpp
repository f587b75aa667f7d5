// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/difference_strip.h"

#include "widgets/common/qt.h"
#include "widgets/models/theme.h"

namespace kernscope::ui {

namespace {

constexpr std::size_t kBins = 2048;

std::size_t binOf(std::uint64_t row, std::uint64_t rows)
{
    const double share = static_cast<double>(row) / static_cast<double>(rows);
    return std::min(kBins - 1, static_cast<std::size_t>(share * static_cast<double>(kBins)));
}

} // namespace

DifferenceStrip::DifferenceStrip(QWidget *parent) : QWidget(parent)
{
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Expanding);
    setAccessibleName(tr("Overview of the differences"));
    setToolTip(tr("Where bytes differ. Click to go there; Up and Down go from place to place."));
}

void DifferenceStrip::setDifferences(const ByteRows &rows, const AlignedBytes &bytes,
                                     const ByteDifferences *differences)
{
    m_rows = rows.rows();
    for (auto &side : m_density)
        side.assign(differences && m_rows > 0 ? kBins : 0, 0.0f);
    for (std::size_t i = 0; !m_density[0].empty() && i < differences->blocks().size(); ++i) {
        const ByteDifferences::Block &block = differences->blocks()[i];
        const AlignedSegment &segment = bytes.alignment.segments()[block.segment];
        const std::uint64_t firstRow =
            rows.rowOf(bytes.alignment, block.segment, block.first, segment.longerIsA());
        const std::uint64_t lastRow = rows.rowOf(
            bytes.alignment, block.segment, block.first + block.length - 1, segment.longerIsA());
        const float density =
            static_cast<float>(block.different) / static_cast<float>(block.length);
        for (std::size_t bin = binOf(firstRow, m_rows); bin <= binOf(lastRow, m_rows); ++bin) {
            if (segment.stretched() || block.first < segment.lengthA)
                m_density[0][bin] = std::max(m_density[0][bin], density);
            if (segment.stretched() || block.first < segment.lengthB)
                m_density[1][bin] = std::max(m_density[1][bin], density);
        }
    }
    std::size_t marked = 0;
    for (std::ptrdiff_t bin = 0; bin < static_cast<std::ptrdiff_t>(kBins); ++bin)
        marked += markedAt(bin) ? 1 : 0;
    setAccessibleDescription(
        tr("%1 % of the rows lie near a difference")
            .arg(100.0 * static_cast<double>(marked) / static_cast<double>(kBins), 0, 'f', 1));
    update();
}

bool DifferenceStrip::markedAt(std::ptrdiff_t bin) const
{
    if (bin < 0 || static_cast<std::size_t>(bin) >= m_density[0].size())
        return false;
    const auto at = static_cast<std::size_t>(bin);
    return m_density[0][at] > 0 || m_density[1][at] > 0;
}

void DifferenceStrip::clear()
{
    m_rows = 0;
    for (auto &side : m_density)
        side.clear();
    update();
}

void DifferenceStrip::setView(std::uint64_t top, std::uint64_t visible)
{
    m_top = top;
    m_visible = visible;
    update();
}

double DifferenceStrip::densityAt(int y, bool ofA) const
{
    const std::vector<float> &side = m_density[ofA ? 0 : 1];
    if (side.empty() || y < 0 || y >= height())
        return 0;
    // A pixel shows the densest of the stretches that fall on it.
    const auto tall = static_cast<std::size_t>(height());
    const std::size_t first = static_cast<std::size_t>(y) * kBins / tall;
    const std::size_t end = std::max(first + 1, static_cast<std::size_t>(y + 1) * kBins / tall);
    const auto begin = side.begin() + static_cast<std::ptrdiff_t>(first);
    return static_cast<double>(
        *std::max_element(begin, side.begin() + static_cast<std::ptrdiff_t>(std::min(end, kBins))));
}

void DifferenceStrip::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.fillRect(rect(), palette().color(QPalette::Base));
    const bool dark = theme::isDark(palette());
    const int half = width() / 2;
    for (const bool ofA : {true, false}) {
        QColor ink = theme::color(ofA ? Token::DiffLess : Token::DiffMore, dark);
        const int left = ofA ? 1 : half;
        for (int y = 0; y < height(); ++y) {
            const double density = densityAt(y, ofA);
            if (density <= 0)
                continue;
            // One byte in a thousand must still be seen.
            ink.setAlphaF(static_cast<float>(0.35 + 0.65 * std::sqrt(density)));
            painter.fillRect(QRect(left, y, half - 1, 1), ink);
        }
    }
    painter.setPen(palette().color(QPalette::Mid));
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
    if (m_rows == 0)
        return;
    const double scale = static_cast<double>(height()) / static_cast<double>(m_rows);
    const double top = static_cast<double>(m_top) * scale;
    const double tall = std::max(3.0, static_cast<double>(m_visible) * scale);
    painter.setPen(QPen(palette().color(QPalette::Text), hasFocus() ? 2 : 1));
    painter.drawRect(QRectF(0.5, std::min(top, height() - tall) + 0.5, width() - 1, tall - 1));
}

void DifferenceStrip::wantAt(double y)
{
    if (m_rows == 0 || height() <= 0)
        return;
    const double share = std::clamp(y / height(), 0.0, 1.0);
    const auto row = static_cast<std::uint64_t>(share * static_cast<double>(m_rows));
    Q_EMIT rowWanted(row - std::min(row, m_visible / 2));
}

void DifferenceStrip::mousePressEvent(QMouseEvent *event)
{
    if (event->button() == Qt::LeftButton)
        wantAt(event->position().y());
}

void DifferenceStrip::mouseMoveEvent(QMouseEvent *event)
{
    if (event->buttons() & Qt::LeftButton)
        wantAt(event->position().y());
}

/// To the start of the next run of differing stretches.
void DifferenceStrip::step(bool down)
{
    if (m_rows == 0)
        return;
    const auto here = static_cast<std::ptrdiff_t>(binOf(m_top + m_visible / 2, m_rows));
    for (std::ptrdiff_t bin = here + (down ? 1 : -1);
         bin >= 0 && bin < static_cast<std::ptrdiff_t>(kBins); bin += down ? 1 : -1) {
        if (markedAt(bin) && !markedAt(bin - 1)) {
            wantAt((static_cast<double>(bin) + 0.5) * height() / static_cast<double>(kBins));
            return;
        }
    }
}

void DifferenceStrip::keyPressEvent(QKeyEvent *event)
{
    switch (event->key()) {
    case Qt::Key_Up: step(false); break;
    case Qt::Key_Down: step(true); break;
    case Qt::Key_Home: wantAt(0); break;
    case Qt::Key_End: wantAt(height()); break;
    default: QWidget::keyPressEvent(event);
    }
}

QSize DifferenceStrip::sizeHint() const
{
    return {theme::em(this, 1.1), theme::em(this, 10)};
}

QSize DifferenceStrip::minimumSizeHint() const
{
    return {theme::em(this, 0.8), theme::em(this, 3)};
}

} // namespace kernscope::ui

#include "moc_difference_strip.cpp"
