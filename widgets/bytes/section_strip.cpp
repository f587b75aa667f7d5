// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/bytes/section_strip.h"

#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"
#include "widgets/common/labels.h"
#include "widgets/common/qt.h"
#include "widgets/models/byte_models.h"
#include "widgets/models/table_text.h"
#include "widgets/models/theme.h"

namespace kernscope::ui {

namespace {

constexpr std::size_t kSectionKinds = static_cast<std::size_t>(SectionKind::Unknown) + 1;

/// stripSectionAt for a place that is not before section `from`, and most likely near it: the
/// sections between are passed in steps that double, so that little memory is touched.
std::size_t sectionFrom(std::span<const Section> sections, std::size_t from, std::uint64_t offset)
{
    std::size_t step = 1;
    while (from + step < sections.size() && sections[from + step].range.offset.value <= offset) {
        from += step;
        step *= 2;
    }
    const std::size_t end = std::min(from + step, sections.size());
    return from + stripSectionAt(sections.subspan(from, end - from), offset);
}

/// The kind that most of the bytes [from, to) have, by looking at a few evenly spread ones: each
/// look costs a binary search, so a pixel over a million sections costs what one over two does.
/// `section` is that of `from`.
SectionKind mostOf(std::span<const Section> sections, std::size_t section, double from, double to)
{
    constexpr int kLooks = 9;
    std::array<int, kSectionKinds> counts{};
    for (int i = 0; i < kLooks; ++i) {
        const double at = from + (to - from) * (i + 0.5) / kLooks;
        section = sectionFrom(sections, section, static_cast<std::uint64_t>(at));
        ++counts[static_cast<std::size_t>(sections[section].kind)];
    }
    return static_cast<SectionKind>(std::ranges::max_element(counts) - counts.begin());
}

} // namespace

double StripScale::fitBytesPerPixel() const
{
    return std::max(kLeastBytesPerPixel, static_cast<double>(m_size) / m_width);
}

void StripScale::setSize(std::uint64_t bytes)
{
    m_size = bytes;
    fit();
}

void StripScale::setWidth(double pixels)
{
    const bool whole = fitted();
    m_width = std::max(1.0, pixels);
    if (whole)
        fit();
    else
        clamp();
}

void StripScale::fit()
{
    m_begin = 0;
    m_bytesPerPixel = fitBytesPerPixel();
}

void StripScale::zoom(double factor, double pixel)
{
    const double fixed = byteAt(pixel);
    m_bytesPerPixel = std::clamp(m_bytesPerPixel / factor, kLeastBytesPerPixel, fitBytesPerPixel());
    m_begin = fixed - pixel * m_bytesPerPixel;
    clamp();
}

void StripScale::setBegin(double offset)
{
    m_begin = offset;
    clamp();
}

void StripScale::reveal(double first, double endOffset)
{
    if (first >= begin() && endOffset <= end())
        return;
    const double shown = m_width * m_bytesPerPixel;
    if (endOffset - first > shown)
        setBegin(first - shown / 20);
    else
        setBegin((first + endOffset - shown) / 2);
}

void StripScale::clamp()
{
    m_bytesPerPixel = std::clamp(m_bytesPerPixel, kLeastBytesPerPixel, fitBytesPerPixel());
    const double last = static_cast<double>(m_size) - m_width * m_bytesPerPixel;
    m_begin = std::clamp(m_begin, 0.0, std::max(0.0, last));
}

std::size_t stripSectionAt(std::span<const Section> sections, std::uint64_t offset)
{
    const auto after = std::upper_bound(
        sections.begin(), sections.end(), offset,
        [](std::uint64_t o, const Section &section) { return o < section.range.offset.value; });
    return after == sections.begin() ? 0 : static_cast<std::size_t>(after - sections.begin()) - 1;
}

std::vector<StripRun> stripRuns(std::span<const Section> sections, const StripScale &scale,
                                double column)
{
    std::vector<StripRun> runs;
    if (sections.empty() || scale.size() == 0)
        return runs;
    const double end = std::min(scale.end(), static_cast<double>(scale.size()));
    const double right = scale.pixelOf(end);
    double x = 0;
    std::size_t at = stripSectionAt(sections, static_cast<std::uint64_t>(scale.byteAt(x)));
    while (x < right) {
        const double from = scale.byteAt(x);
        at = sectionFrom(sections, at, static_cast<std::uint64_t>(from));
        const Section &section = sections[at];
        const double sectionEnd = scale.pixelOf(static_cast<double>(section.range.end()));
        if (sectionEnd - x >= column || at + 1 == sections.size()) {
            const double stop = std::min(sectionEnd, right);
            runs.push_back({x, std::max(stop, x + column), section.kind, at, false});
            x = std::max(stop, x + column);
            continue;
        }
        // The rest of this device pixel, so that what follows begins at a pixel's edge.
        const double stop = (std::floor(x / column + 1e-9) + 1) * column;
        const SectionKind kind = mostOf(sections, at, from, std::min(scale.byteAt(stop), end));
        StripRun *last = runs.empty() ? nullptr : &runs.back();
        if (last && last->merged && last->kind == kind && last->right >= x - 1e-9)
            last->right = stop;
        else
            runs.push_back({x, stop, kind, at, true});
        x = stop;
    }
    return runs;
}

namespace {

constexpr double kZoomStep = 1.5;
constexpr std::uint64_t kMarkGap = 64; ///< closer changes are one mark
constexpr double kScrollSteps = 1e6;   ///< of the scroll bar over a whole file
/// More changed bytes are marked by whole blocks: comparing them would hold up the window.
constexpr std::uint64_t kMostCompared = std::uint64_t{4} << 20;

std::vector<ByteRange> stripMarksOf(const OverlaidFile &file)
{
    auto blocks = file.changedBlocks();
    std::uint64_t bytes = 0;
    for (const ByteRange &run : blocks)
        bytes += run.bytes.value;
    return bytes > kMostCompared ? blocks : file.changedRanges(kMarkGap);
}

/// A step of 1, 2, 4 or 8 times a power of 16: round numbers in hexadecimal.
double rulerStep(double least)
{
    double step = 1;
    while (step < least)
        step *= 2;
    return step;
}

bool solid(SectionKind kind)
{
    return kind != SectionKind::Padding && kind != SectionKind::Unknown &&
           kind != SectionKind::ZeroPoint;
}

} // namespace

SectionStrip::SectionStrip(QWidget *parent) : QAbstractScrollArea(parent)
{
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOn); // so that zooming moves nothing
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    viewport()->setMouseTracking(false);
    describe();
}

void SectionStrip::setFile(BundlePtr bundle, std::size_t file)
{
    const bool sound = bundle && file < bundle->files().size();
    const std::uint64_t size = sound ? bundle->files()[file].file->size().value : 0;
    const bool same = m_bundle && sound && m_bundle->path() == bundle->path() && m_file == file &&
                      m_scale.size() == size;
    m_bundle = sound ? std::move(bundle) : nullptr;
    m_file = sound ? file : kNoIndex;
    const auto range = sound ? m_bundle->sectionsOf(file) : std::pair<std::size_t, std::size_t>();
    m_first = range.first;
    m_last = range.second;
    m_changes = sound ? stripMarksOf(*m_bundle->files()[file].file) : std::vector<ByteRange>();
    if (!same || m_current < m_first || m_current >= m_last)
        m_current = kNoIndex;
    if (!same)
        m_scale.setSize(size);
    describe();
    afterScaleChange();
}

void SectionStrip::setBare(bool bare)
{
    m_bare = bare;
    setHorizontalScrollBarPolicy(bare ? Qt::ScrollBarAlwaysOff : Qt::ScrollBarAlwaysOn);
    setFrameShape(bare ? QFrame::NoFrame : QFrame::StyledPanel);
    updateGeometry();
}

std::span<const Section> SectionStrip::sections() const
{
    if (!m_bundle)
        return {};
    return std::span(m_bundle->sections()).subspan(m_first, m_last - m_first);
}

void SectionStrip::setCurrent(std::size_t section)
{
    m_current = section >= m_first && section < m_last ? section : kNoIndex;
    if (m_current != kNoIndex) {
        const ByteRange range = m_bundle->sections()[m_current].range;
        m_scale.reveal(static_cast<double>(range.offset.value), static_cast<double>(range.end()));
    }
    describe();
    afterScaleChange();
}

std::size_t SectionStrip::sectionAtPixel(double x) const
{
    const double at = m_scale.byteAt(x);
    if (sections().empty() || at < 0 || at >= static_cast<double>(m_scale.size()))
        return kNoIndex;
    return m_first + stripSectionAt(sections(), static_cast<std::uint64_t>(at));
}

QRect SectionStrip::band() const
{
    if (m_bare)
        return viewport()->rect().adjusted(0, theme::em(this, 0.2), 0, -theme::em(this, 0.2));
    const int top = theme::em(this, 0.55), ruler = theme::em(this, 1.25);
    return viewport()->rect().adjusted(0, top, 0, -ruler);
}

QSize SectionStrip::sizeHint() const
{
    if (m_bare)
        return {theme::em(this, 40), theme::em(this, 1.5)};
    const int bar = horizontalScrollBar()->sizeHint().height();
    return {theme::em(this, 40), theme::em(this, 4.2) + bar + 2 * frameWidth()};
}

QSize SectionStrip::minimumSizeHint() const
{
    return {theme::em(this, 12), sizeHint().height()};
}

double SectionStrip::anchorPixel() const
{
    if (m_current != kNoIndex) {
        const ByteRange range = m_bundle->sections()[m_current].range;
        const double middle =
            static_cast<double>(range.offset.value) + static_cast<double>(range.bytes.value) / 2;
        const double x = m_scale.pixelOf(middle);
        if (x >= 0 && x <= m_scale.width())
            return x;
    }
    return m_scale.width() / 2;
}

void SectionStrip::zoomAbout(double factor, double pixel)
{
    if (m_bare)
        return; // the whole file, always
    m_scale.zoom(factor, pixel);
    afterScaleChange();
}

void SectionStrip::zoomIn()
{
    zoomAbout(kZoomStep, anchorPixel());
}

void SectionStrip::zoomOut()
{
    zoomAbout(1 / kZoomStep, anchorPixel());
}

void SectionStrip::fit()
{
    m_scale.fit();
    afterScaleChange();
}

void SectionStrip::afterScaleChange()
{
    syncScrollBar();
    viewport()->update();
    Q_EMIT viewChanged();
}

void SectionStrip::syncScrollBar()
{
    const QScopedValueRollback guard(m_syncing, true);
    const double shown = m_scale.width() * m_scale.bytesPerPixel();
    const auto size = static_cast<double>(m_scale.size());
    m_scrollUnit = std::max(size / kScrollSteps, 1.0 / 32);
    QScrollBar *bar = horizontalScrollBar();
    const auto steps = [this](double bytes) {
        return static_cast<int>(std::lround(bytes / m_scrollUnit));
    };
    bar->setRange(0, steps(std::max(0.0, size - shown)));
    bar->setPageStep(std::max(1, steps(shown)));
    bar->setSingleStep(std::max(1, bar->pageStep() / 10));
    bar->setValue(steps(m_scale.begin()));
}

void SectionStrip::scrollContentsBy(int, int)
{
    if (m_syncing)
        return;
    m_scale.setBegin(horizontalScrollBar()->value() * m_scrollUnit);
    viewport()->update();
    Q_EMIT viewChanged();
}

void SectionStrip::resizeEvent(QResizeEvent *event)
{
    QAbstractScrollArea::resizeEvent(event);
    m_scale.setWidth(viewport()->width());
    syncScrollBar();
    Q_EMIT viewChanged(); // bytes a pixel are others now
}

void SectionStrip::pick(std::size_t section)
{
    if (section == kNoIndex)
        return;
    setCurrent(section);
    Q_EMIT picked(section);
}

void SectionStrip::step(int by)
{
    if (m_first == m_last)
        return;
    std::size_t next = m_current;
    if (m_current == kNoIndex)
        next = sectionAtPixel(0);
    else if (by < 0)
        next = m_current > m_first ? m_current - 1 : m_first;
    else
        next = std::min(m_current + 1, m_last - 1);
    if (next != m_current)
        pick(next);
}

void SectionStrip::keyPressEvent(QKeyEvent *event)
{
    const bool shift = event->modifiers() & Qt::ShiftModifier;
    switch (event->key()) {
    case Qt::Key_Left: shift ? m_scale.pan(-m_scale.width() / 10) : step(-1); break;
    case Qt::Key_Right: shift ? m_scale.pan(m_scale.width() / 10) : step(1); break;
    case Qt::Key_PageUp: m_scale.pan(-m_scale.width()); break;
    case Qt::Key_PageDown: m_scale.pan(m_scale.width()); break;
    case Qt::Key_Home:
        if (m_first < m_last)
            pick(m_first);
        break;
    case Qt::Key_End:
        if (m_first < m_last)
            pick(m_last - 1);
        break;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (m_current != kNoIndex)
            Q_EMIT activated(m_current);
        break;
    case Qt::Key_Plus: zoomIn(); break;
    case Qt::Key_Minus: zoomOut(); break;
    case Qt::Key_0: fit(); break;
    case Qt::Key_1: oneToOne(); break;
    default: QAbstractScrollArea::keyPressEvent(event); return;
    }
    afterScaleChange();
    event->accept();
}

void SectionStrip::mousePressEvent(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton && event->button() != Qt::MiddleButton)
        return;
    m_pressed = true;
    m_dragging = event->button() == Qt::MiddleButton;
    m_pressX = m_dragX = event->position().x();
}

void SectionStrip::mouseMoveEvent(QMouseEvent *event)
{
    if (!m_pressed)
        return;
    const double x = event->position().x();
    if (!m_dragging && std::abs(x - m_pressX) >= QApplication::startDragDistance())
        m_dragging = true;
    if (!m_dragging)
        return;
    viewport()->setCursor(Qt::ClosedHandCursor);
    m_scale.pan(m_dragX - x);
    m_dragX = x;
    afterScaleChange();
}

void SectionStrip::mouseReleaseEvent(QMouseEvent *event)
{
    if (m_pressed && !m_dragging && event->button() == Qt::LeftButton)
        pick(sectionAtPixel(event->position().x()));
    m_pressed = m_dragging = false;
    viewport()->unsetCursor();
}

void SectionStrip::mouseDoubleClickEvent(QMouseEvent *event)
{
    const std::size_t section = sectionAtPixel(event->position().x());
    if (event->button() == Qt::LeftButton && section != kNoIndex)
        Q_EMIT activated(section);
}

void SectionStrip::wheelEvent(QWheelEvent *event)
{
    const QPoint delta = event->angleDelta();
    const bool sideways = std::abs(delta.x()) > std::abs(delta.y());
    const double notches = (sideways ? delta.x() : delta.y()) / 120.0;
    if (sideways || (event->modifiers() & Qt::ShiftModifier)) {
        m_scale.pan(-notches * m_scale.width() / 10);
        afterScaleChange();
    } else {
        zoomAbout(std::pow(kZoomStep, notches), event->position().x());
    }
    event->accept();
}

QString SectionStrip::tipAt(double x) const
{
    const std::size_t section = sectionAtPixel(x);
    if (section == kNoIndex)
        return {};
    QString tip = describeSection(*m_bundle, section);
    const double last = std::min(m_scale.byteAt(x + 1), static_cast<double>(m_scale.size()) - 1);
    const std::size_t until =
        m_first + stripSectionAt(sections(), static_cast<std::uint64_t>(std::max(0.0, last)));
    if (until > section + 1)
        tip += u'\n' + tr("%1 sections share this pixel: zoom in to part them.")
                           .arg(groupedNumber(until - section + 1));
    return tip;
}

bool SectionStrip::viewportEvent(QEvent *event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto *help = static_cast<QHelpEvent *>(event);
        QToolTip::showText(help->globalPos(), tipAt(help->pos().x()), viewport());
        return true;
    }
    return QAbstractScrollArea::viewportEvent(event);
}

void SectionStrip::describe()
{
    setAccessibleName(m_bundle ? tr("Sections of %1").arg(fromUtf8(m_bundle->files()[m_file].path))
                               : tr("Sections"));
    setAccessibleDescription(
        m_current != kNoIndex
            ? describeSection(*m_bundle, m_current)
            : tr("Left and Right go from section to section, plus and minus zoom."));
}

void SectionStrip::paintEvent(QPaintEvent *)
{
    QPainter painter(viewport());
    painter.fillRect(viewport()->rect(), palette().color(QPalette::Base));
    if (!m_bundle)
        return;
    const QRect strip = band();
    if (m_scale.size() == 0) {
        painter.setPen(palette().color(QPalette::PlaceholderText));
        painter.drawText(viewport()->rect(), Qt::AlignCenter, tr("The file is empty."));
        return;
    }
    paintRuns(painter, strip);
    if (!m_bare)
        paintRuler(painter, strip);
    paintChanges(painter, strip);
    paintCurrent(painter, strip);
}

void SectionStrip::paintRuns(QPainter &painter, const QRect &band) const
{
    const bool dark = theme::isDark(palette());
    const double column = 1.0 / devicePixelRatioF();
    const auto shown = sections();
    for (const StripRun &run : stripRuns(shown, m_scale, column)) {
        const QRectF box(run.left, band.top(), run.right - run.left, band.height());
        painter.fillRect(box, theme::brushOf(run.kind, dark));
        if (run.merged) {
            // Many thin sections: a stroke below says that there is more to see.
            const double height = std::max(2.0, band.height() * 0.06);
            painter.fillRect(QRectF(box.left(), band.bottom() + 1 - height, box.width(), height),
                             palette().color(QPalette::Text));
            continue;
        }
        if (box.width() >= 4)
            painter.fillRect(QRectF(box.left(), box.top(), column, box.height()),
                             palette().color(QPalette::Base));
        if (solid(run.kind) && !m_bare)
            paintLabel(painter, box, shown[run.section]);
    }
}

void SectionStrip::paintLabel(QPainter &painter, const QRectF &box, const Section &section) const
{
    const int margin = theme::em(this, 0.3);
    const QRectF inside = box.adjusted(margin, 0, -margin, 0);
    if (inside.width() < theme::em(this, 2.2))
        return;
    const QFontMetrics metrics(font());
    const bool roomy = box.height() >= 2 * metrics.height();
    painter.setPen(theme::textOn(theme::tokenOf(section.kind), theme::isDark(palette())));
    const auto line = [&](const QString &text, Qt::Alignment alignment) {
        painter.drawText(inside, static_cast<int>(alignment),
                         elidedName(metrics, text, static_cast<int>(inside.width())));
    };
    const QString kind = theme::sectionKindLabel(section.kind);
    const std::string_view owner = m_bundle->ownerOf(section);
    if (roomy && !owner.empty()) {
        const QRectF half = inside.adjusted(0, 0, 0, -inside.height() / 2);
        painter.drawText(half, static_cast<int>(Qt::AlignLeft | Qt::AlignBottom),
                         elidedName(metrics, fromUtf8(owner), static_cast<int>(half.width())));
        painter.drawText(half.translated(0, half.height()),
                         static_cast<int>(Qt::AlignLeft | Qt::AlignTop),
                         metrics.elidedText(kind, Qt::ElideRight, static_cast<int>(half.width())));
        return;
    }
    line(owner.empty() ? fromUtf8(m_bundle->nameOf(section)) : kind,
         Qt::AlignVCenter | Qt::AlignLeft);
}

void SectionStrip::paintChanges(QPainter &painter, const QRect &band) const
{
    const double dot = theme::em(this, 0.4);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme::color(Token::MarkChanged, theme::isDark(palette())));
    const auto first =
        std::partition_point(m_changes.begin(), m_changes.end(), [this](const ByteRange &r) {
            return static_cast<double>(r.end()) <= m_scale.begin();
        });
    auto at = first;
    while (at != m_changes.end() && static_cast<double>(at->offset.value) < m_scale.end()) {
        const double left = m_scale.pixelOf(static_cast<double>(at->offset.value));
        const double right = m_scale.pixelOf(static_cast<double>(at->end()));
        painter.drawRect(
            QRectF(left, band.top() - dot * 0.3, std::max(2.0, right - left), dot * 0.3));
        painter.drawEllipse(
            QPointF((left + std::max(right, left + 2)) / 2, band.top() - dot * 0.3 - dot / 2),
            dot / 2, dot / 2);
        // Changes that would fall on the same dot are skipped by a search, not one by one.
        const double next = m_scale.byteAt(std::max(right, left + dot / 2));
        at = std::partition_point(std::next(at), m_changes.end(), [next](const ByteRange &r) {
            return static_cast<double>(r.offset.value) < next;
        });
    }
    painter.restore();
}

void SectionStrip::paintCurrent(QPainter &painter, const QRect &band) const
{
    if (m_current == kNoIndex)
        return;
    const ByteRange range = m_bundle->sections()[m_current].range;
    double left = m_scale.pixelOf(static_cast<double>(range.offset.value));
    double right = m_scale.pixelOf(static_cast<double>(range.end()));
    if (right < 0 || left > m_scale.width())
        return;
    const double least = theme::em(this, 0.4);
    if (right - left < least) {
        left = (left + right - least) / 2;
        right = left + least;
    }
    left = std::max(left, -4.0);
    right = std::min(right, m_scale.width() + 4);
    const double pen = std::max(2.0, theme::em(this, 0.12) * 1.0);
    const QRectF box(left + pen / 2, band.top() - 1 + pen / 2, right - left - pen,
                     band.height() + 2 - pen);
    painter.setBrush(Qt::NoBrush);
    // Light inside dark, so that the outline is seen on every kind's colour.
    painter.setPen(QPen(palette().color(QPalette::Text), pen));
    painter.drawRect(box);
    painter.setPen(QPen(palette().color(QPalette::Base), pen / 2));
    painter.drawRect(box.adjusted(pen * 0.75, pen * 0.75, -pen * 0.75, -pen * 0.75));
    if (hasFocus()) {
        painter.setPen(QPen(palette().color(QPalette::Highlight), pen));
        painter.drawLine(QPointF(left, band.bottom() + pen), QPointF(right, band.bottom() + pen));
    }
}

void SectionStrip::paintRuler(QPainter &painter, const QRect &band) const
{
    const QFontMetrics metrics(font());
    const int digits = static_cast<int>(QString::number(m_scale.size(), 16).size());
    const double room = metrics.horizontalAdvance(hexNumber(m_scale.size(), digits)) * 1.5;
    const double step = rulerStep(std::max(1.0, room * m_scale.bytesPerPixel()));
    const double end = std::min(m_scale.end(), static_cast<double>(m_scale.size()));
    painter.setPen(palette().color(QPalette::PlaceholderText));
    const int top = band.bottom() + theme::em(this, 0.15);
    for (double at = std::floor(m_scale.begin() / step) * step; at < end; at += step) {
        const double x = m_scale.pixelOf(at);
        if (x < -room)
            continue;
        painter.drawLine(QPointF(x, top), QPointF(x, top + theme::em(this, 0.3)));
        painter.drawText(QPointF(x + theme::em(this, 0.2), top + metrics.ascent()),
                         hexNumber(static_cast<std::uint64_t>(at)));
    }
}

} // namespace kernscope::ui

#include "moc_section_strip.cpp"
