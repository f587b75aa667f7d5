// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/overview/picture_export.h"

#include <QCoreApplication>
#include <QImage>
#include <QMarginsF>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <QSaveFile>
#include <QWidget>

namespace kernscope::ui {

namespace {

struct PictureWords {
    Q_DECLARE_TR_FUNCTIONS(kernscope::PictureExport)
};

bool writePdf(QWidget &widget, QIODevice &file)
{
    constexpr int kScreen = 96, kPoints = 72; // an inch
    QPdfWriter writer(&file);
    writer.setResolution(kScreen); // a pixel of the screen is a unit of the page
    writer.setPageSize(QPageSize(QSizeF(widget.size()) * kPoints / kScreen, QPageSize::Point));
    writer.setPageMargins(QMarginsF());
    QPainter painter(&writer);
    if (!painter.isActive())
        return false;
    widget.render(&painter);
    return painter.end();
}

bool writePng(QWidget &widget, QIODevice &file)
{
    constexpr int kFiner = 2;
    QImage image(widget.size() * kFiner, QImage::Format_ARGB32_Premultiplied);
    image.setDevicePixelRatio(kFiner);
    image.fill(widget.palette().color(QPalette::Base));
    widget.render(&image);
    return image.save(&file, "PNG");
}

} // namespace

QString exportWidgetPicture(QWidget &widget, const QString &path)
{
    const bool pdf = path.endsWith(QLatin1String(".pdf"), Qt::CaseInsensitive);
    if (!pdf && !path.endsWith(QLatin1String(".png"), Qt::CaseInsensitive))
        return PictureWords::tr("Nothing is exported: a picture is written as .png or .pdf, by "
                                "the ending of the name.");
    QSaveFile file(path);
    if (file.open(QIODevice::WriteOnly) &&
        (pdf ? writePdf(widget, file) : writePng(widget, file)) && file.commit())
        return {};
    return PictureWords::tr("The picture could not be written to %1.").arg(path);
}

} // namespace kernscope::ui
