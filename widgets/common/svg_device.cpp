// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/svg_device.h"

#include "core/base/svg.h"

#include <QBuffer>
#include <QFontInfo>
#include <QPaintEngine>
#include <QPainterPath>
#include <QPixmap>

#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

namespace kernscope::ui {

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
