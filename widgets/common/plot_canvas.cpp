// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/plot_canvas.h"

#include "core/base/svg.h"
#include "core/report/column.h"
#include "widgets/common/design.h"
#include "widgets/common/qt.h"
#include "widgets/models/table_text.h"

#include <fmt/format.h>

namespace kernscope::ui {

PlotCanvas::PlotCanvas(QWidget *parent) : QCustomPlot(parent)
{
    setAttribute(Qt::WA_NoMousePropagation, false); // or no wheel reaches the panel around it
    // What changes while it is out of view is drawn all the same: others ask where things lie.
    connect(this, &QCustomPlot::afterReplot, this, [this] {
        if (!isVisible() && !m_painting)
            dropPictures();
    });
}

qint64 PlotCanvas::pictureBytes() const
{
    qint64 bytes = 0;
    for (const auto &buffer : mPaintBuffers)
        bytes += qint64{4} * buffer->size().width() * buffer->size().height();
    return bytes;
}

void PlotCanvas::dropPictures()
{
    for (const auto &buffer : std::as_const(mPaintBuffers))
        buffer->setSize(QSize(1, 1));
}

void PlotCanvas::paintEvent(QPaintEvent *event)
{
    m_painting = true;
    if (std::any_of(mPaintBuffers.cbegin(), mPaintBuffers.cend(),
                    [this](const auto &buffer) { return buffer->size() != viewport().size(); }))
        replot(QCustomPlot::rpQueuedRefresh);
    QCustomPlot::paintEvent(event);
    if (hasFocus()) {
        QPainter painter(this);
        painter.setPen(design::accent(palette()));
        painter.drawRect(rect().adjusted(0, 0, -1, -1));
    }
    m_painting = false;
    if (!isVisible()) // painted into a picture of its own
        dropPictures();
}

void PlotCanvas::hideEvent(QHideEvent *event)
{
    QCustomPlot::hideEvent(event);
    if (!event->spontaneous())
        dropPictures();
}

void PlotCanvas::wheelEvent(QWheelEvent *event)
{
    QCustomPlot::wheelEvent(event); // it takes every turn
    event->setAccepted(interactions().testFlag(QCP::iRangeZoom));
}

namespace {

/// "2,500", "150k", "1.2M": short enough for the narrow axis of a small plot.
QString countLabel(double count)
{
    if (count < 0 || count != std::floor(count))
        return {};
    if (count < 1e5)
        return groupedNumber(static_cast<std::uint64_t>(count));
    struct Unit {
        double size;
        const char *letter;
    };
    for (const Unit &unit : {Unit{1e12, "T"}, Unit{1e9, "G"}, Unit{1e6, "M"}, Unit{1e3, "k"}}) {
        if (count >= unit.size)
            return QString::number(count / unit.size, 'g', 4) + QLatin1String(unit.letter);
    }
    return {};
}

class CountTicker final : public QCPAxisTicker
{
protected:
    double getTickStep(const QCPRange &range) override
    {
        return std::max(1.0, QCPAxisTicker::getTickStep(range));
    }
    int getSubTickCount(double step) override
    {
        return step > 1 ? QCPAxisTicker::getSubTickCount(step) : 0;
    }
    QString getTickLabel(double tick, const QLocale &, QChar, int) override
    {
        return countLabel(tick);
    }
};

class LogTicker final : public QCPAxisTickerLog
{
protected:
    QString getTickLabel(double tick, const QLocale &, QChar, int) override
    {
        return countLabel(std::round(tick));
    }
};

class QuantityTicker final : public QCPAxisTicker
{
public:
    explicit QuantityTicker(const QString &unit) : m_unit(unit.toStdString()) {}

protected:
    QString getTickLabel(double tick, const QLocale &, QChar, int) override
    {
        return tick == 0 ? u"0"_s : QString::fromStdString(report::siText(tick, m_unit));
    }

private:
    std::string m_unit;
};

} // namespace

QSharedPointer<QCPAxisTicker> quantityTicker(const QString &unit)
{
    return QSharedPointer<QuantityTicker>::create(unit);
}

QSharedPointer<QCPAxisTicker> countTicker()
{
    return QSharedPointer<CountTicker>::create();
}

QSharedPointer<QCPAxisTicker> logTicker()
{
    return QSharedPointer<LogTicker>::create();
}

namespace {

constexpr int kDotsPerInch = 96;

/// M, L and C of a path, as it lies on the page.
std::string outlineOf(const QPainterPath &path)
{
    std::string text;
    for (int i = 0; i < path.elementCount(); ++i) {
        const QPainterPath::Element at = path.elementAt(i);
        const char *step = at.isMoveTo()    ? "M"
                           : at.isLineTo()  ? "L"
                           : at.isCurveTo() ? "C"
                                            : " "; // further points of a curve
        text += fmt::format("{}{:.2f},{:.2f}", step, at.x, at.y);
    }
    return text;
}

std::string opacityOf(const QColor &color, double opacity)
{
    const double all = color.alphaF() * opacity;
    return all < 1 ? fmt::format("{:.3f}", all) : std::string();
}

std::string nameOf(const QColor &color)
{
    return color.name().toStdString();
}

} // namespace

/// Everything is mapped to the page before it is written; only texts carry a transformation.
class SvgEngine final : public QPaintEngine
{
public:
    explicit SvgEngine(const QSize &size)
        : QPaintEngine(PrimitiveTransform | PixmapTransform | PainterPaths | AlphaBlend |
                       Antialiasing | ConstantOpacity),
          m_size(size)
    {
    }

    bool begin(QPaintDevice *) override { return true; }
    bool end() override { return true; }
    Type type() const override { return User; }

    void updateState(const QPaintEngineState &now) override
    {
        if (now.state() & DirtyClipEnabled && !now.isClipEnabled())
            m_clip = QPainterPath();
        if (now.state() & DirtyClipRegion) {
            QPainterPath path;
            path.addRegion(now.clipRegion());
            clip(now.transform().map(path), now.clipOperation());
        }
        if (now.state() & DirtyClipPath)
            clip(now.transform().map(now.clipPath()), now.clipOperation());
    }

    void drawPath(const QPainterPath &path) override { write(path, true); }

    void drawPolygon(const QPointF *points, int count, PolygonDrawMode mode) override
    {
        QPolygonF polygon;
        for (int i = 0; i < count; ++i)
            polygon << points[i];
        QPainterPath path;
        path.addPolygon(polygon);
        if (mode != PolylineMode)
            path.closeSubpath();
        path.setFillRule(mode == WindingMode ? Qt::WindingFill : Qt::OddEvenFill);
        write(path, mode != PolylineMode);
    }

    void drawTextItem(const QPointF &at, const QTextItem &item) override
    {
        const QTransform &turn = state->transform();
        const QFont font = item.font();
        const QColor color = state->pen().color();
        const QString text = item.text();
        add(svg::element(
            "text",
            {{"transform",
              fmt::format("matrix({:.4f} {:.4f} {:.4f} {:.4f} {:.2f} {:.2f})", turn.m11(),
                          turn.m12(), turn.m21(), turn.m22(), turn.map(at).x(), turn.map(at).y())},
             {"fill", nameOf(color)},
             {"fill-opacity", opacityOf(color, state->opacity())},
             {"font-family", svg::escaped(QFontInfo(font).family().toStdString())},
             {"font-size", static_cast<double>(QFontInfo(font).pixelSize())},
             {"font-weight", font.bold() ? "bold" : ""},
             {"font-style", font.italic() ? "italic" : ""}},
            svg::escaped(text.toStdString())));
    }

    void drawPixmap(const QRectF &to, const QPixmap &pixmap, const QRectF &from) override
    {
        QByteArray png;
        QBuffer buffer(&png);
        buffer.open(QIODevice::WriteOnly);
        pixmap.copy(from.toAlignedRect()).save(&buffer, "PNG");
        const QRectF on = state->transform().mapRect(to);
        add(svg::element("image",
                         {{"x", on.x()},
                          {"y", on.y()},
                          {"width", on.width()},
                          {"height", on.height()},
                          {"href", "data:image/png;base64," + png.toBase64().toStdString()}}));
    }

    std::string document() const
    {
        return svg::element(
                   "svg",
                   {{"xmlns", "http://www.w3.org/2000/svg"},
                    {"width", m_size.width()},
                    {"height", m_size.height()},
                    {"viewBox", fmt::format("0 0 {} {}", m_size.width(), m_size.height())}},
                   "\n" + m_text) +
               "\n";
    }

private:
    void clip(const QPainterPath &path, Qt::ClipOperation operation)
    {
        m_clip = operation == Qt::NoClip                               ? QPainterPath()
                 : operation == Qt::IntersectClip && !m_clip.isEmpty() ? m_clip.intersected(path)
                                                                       : path;
    }

    void write(const QPainterPath &path, bool filled)
    {
        const QPen pen = state->pen();
        const QBrush brush = filled ? state->brush() : QBrush(Qt::NoBrush);
        const bool line = pen.style() != Qt::NoPen;
        if (path.isEmpty() || (!line && brush.style() == Qt::NoBrush))
            return;
        const QTransform &onPage = state->transform();
        const double scale = pen.isCosmetic() ? 1 : std::sqrt(std::abs(onPage.determinant()));
        const double width = std::max(pen.widthF() * scale, 1.0);
        std::string dashes;
        for (const double dash : pen.style() == Qt::SolidLine ? QList<qreal>() : pen.dashPattern())
            dashes += fmt::format("{}{:.1f}", dashes.empty() ? "" : " ", dash * width);
        const bool none = brush.style() == Qt::NoBrush;
        add(svg::element(
            "path", {{"d", outlineOf(onPage.map(path))},
                     {"fill", none ? "none" : nameOf(brush.color())},
                     {"fill-opacity", none ? "" : opacityOf(brush.color(), state->opacity())},
                     {"fill-rule", !none && path.fillRule() == Qt::OddEvenFill ? "evenodd" : ""},
                     {"stroke", line ? nameOf(pen.color()) : ""},
                     {"stroke-opacity", line ? opacityOf(pen.color(), state->opacity()) : ""},
                     {"stroke-width", line ? fmt::format("{:.2f}", width) : ""},
                     {"stroke-dasharray", line ? dashes : ""}}));
    }

    /// A clip is written once where elements that follow each other share it.
    void add(const std::string &element)
    {
        if (m_clip.isEmpty()) {
            m_text += element + "\n";
            return;
        }
        const std::string outline = outlineOf(m_clip);
        if (outline != m_written) {
            m_written = outline;
            ++m_clips;
            m_text += svg::element("clipPath", {{"id", fmt::format("clip{}", m_clips)}},
                                   svg::element("path", {{"d", outline}})) +
                      "\n";
        }
        m_text +=
            svg::element("g", {{"clip-path", fmt::format("url(#clip{})", m_clips)}}, element) +
            "\n";
    }

    QSize m_size;
    QPainterPath m_clip; ///< empty: none
    std::string m_written;
    int m_clips = 0;
    std::string m_text;
};

SvgDevice::SvgDevice(const QSize &size) : m_size(size), m_engine(std::make_unique<SvgEngine>(size))
{
}

SvgDevice::~SvgDevice() = default;

QByteArray SvgDevice::document() const
{
    return QByteArray::fromStdString(m_engine->document());
}

QPaintEngine *SvgDevice::paintEngine() const
{
    return m_engine.get();
}

int SvgDevice::metric(PaintDeviceMetric metric) const
{
    switch (metric) {
    case PdmWidth: return m_size.width();
    case PdmHeight: return m_size.height();
    case PdmWidthMM: return m_size.width() * 254 / (kDotsPerInch * 10);
    case PdmHeightMM: return m_size.height() * 254 / (kDotsPerInch * 10);
    case PdmNumColors: return 0xffffff;
    case PdmDepth: return 32;
    case PdmDpiX:
    case PdmDpiY:
    case PdmPhysicalDpiX:
    case PdmPhysicalDpiY: return kDotsPerInch;
    default: return 1;
    }
}

} // namespace kernscope::ui

#include "moc_plot_canvas.cpp"
