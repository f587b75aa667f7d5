// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/tour_steps.h"

#include "core/base/csv.h"

#include <QCoreApplication>
#include <QFile>

namespace kernscope::app {

namespace {

QString fromCell(std::string_view cell)
{
    return QString::fromUtf8(cell.data(), static_cast<qsizetype>(cell.size()));
}

/// Of the window's language: titles and texts are translated in this context.
QString translatedCell(std::string_view cell)
{
    return QCoreApplication::translate("kernscope::TourStep", std::string(cell).c_str());
}

} // namespace

std::vector<TourStep> tourSteps()
{
    QFile file(QStringLiteral(":/tour/steps.csv"));
    if (!file.open(QIODevice::ReadOnly))
        return {};
    const QByteArray text = file.readAll();
    const auto table = CsvTable::parse({text.constData(), static_cast<std::size_t>(text.size())},
                                       "tour/steps.csv");
    if (!table)
        return {};
    std::vector<TourStep> steps;
    for (std::size_t row = 0; row < table->rows(); ++row) {
        TourStep step;
        step.title = translatedCell(table->cell(row, "title"));
        step.text = translatedCell(table->cell(row, "text"));
        step.bundle = fromCell(table->cell(row, "bundle"));
        step.other = fromCell(table->cell(row, "other"));
        step.target = fromCell(table->cell(row, "target"));
        step.place = fromCell(table->cell(row, "place"));
        const QString layout = fromCell(table->cell(row, "layout"));
        for (const Layout each : kLayouts) {
            if (layoutId(each) == layout)
                step.layout = each;
        }
        steps.push_back(std::move(step));
    }
    return steps;
}

} // namespace kernscope::app
