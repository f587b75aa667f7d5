// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/calibration_table.h"

#include "core/report/fact_values.h"
#include "core/report/joined_columns.h"

#include <fmt/format.h>

namespace kernscope::report {

namespace {

using roofline::CalibrationRow;
using roofline::PublishedFigure;
constexpr auto kRight = TextTable::Align::Right;

std::string figureText(const CalibrationRow &row, double value)
{
    return row.unit == "s" ? fmt::format("{:.4g} us", 1e6 * value) : fmt::format("{:.3f}", value);
}

std::string measuredText(const CalibrationRow &row)
{
    return row.low == row.high ? figureText(row, row.low)
                               : fmt::format("{:.3f} to {:.3f}", row.low, row.high);
}

Value predictedFigureValue(const CalibrationRow &row)
{
    if (!row.predicted)
        return Unknown();
    return Written{*row.predicted, figureText(row, *row.predicted)};
}

Value predictedRatioValue(const CalibrationRow &row)
{
    const auto ratio = row.ratio();
    return ratio ? Value(Real{*ratio, 2}) : Value(Unknown());
}

std::string publishedText(const PublishedFigure &figure)
{
    return figure.low == figure.high ? fmt::format("{:g}", figure.low)
                                     : fmt::format("{:g} to {:g}", figure.low, figure.high);
}

constexpr unsigned kNotTerminal = kDocument | kWindow;

std::vector<Column<CalibrationRow>> calibrationIdentityColumns()
{
    using Row = CalibrationRow;
    return {
        {.key = "target",
         .title = "chip",
         .explanation = "On which chip",
         .value = [](const Row &row) -> Value { return row.target; }},
        {.key = "marked",
         .title = "measurement",
         .explanation = "What was measured, with * where it is to be met",
         .shown = kTerminal,
         .value = [](const Row &row) -> Value {
             return (row.goal ? "* " : "  ") + row.measurement;
         }},
        {.key = "measurement",
         .title = "measurement",
         .explanation = "What was measured",
         .shown = kNotTerminal,
         .value = [](const Row &row) -> Value { return row.measurement; }},
        {.key = "form",
         .title = "form",
         .explanation = "Form of the weights",
         .value = [](const Row &row) -> Value { return row.form; }},
        {.key = "unit",
         .title = "unit",
         .explanation = "s, or the ratio to the time of dense fp16",
         .shown = kDocument,
         .value = [](const Row &row) -> Value { return row.unit; }},
    };
}

std::vector<Column<CalibrationRow>> calibrationFigureColumns()
{
    using Row = CalibrationRow;
    return {
        {.key = "measured",
         .title = "measured",
         .explanation = "A time, or the ratio to the time of dense fp16",
         .align = kRight,
         .value = [](const Row &row) -> Value {
             return Written{row.measured(), measuredText(row)};
         }},
        {.key = "measured_low",
         .title = "least",
         .explanation = "Low end of the measured range",
         .align = kRight,
         .shown = kDocument,
         .value = [](const Row &row) -> Value {
             return Written{row.low, figureText(row, row.low)};
         }},
        {.key = "measured_high",
         .title = "most",
         .explanation = "High end of the measured range",
         .align = kRight,
         .shown = kDocument,
         .value = [](const Row &row) -> Value {
             return Written{row.high, figureText(row, row.high)};
         }},
        {.key = "predicted",
         .title = "predicted",
         .explanation = "What the assessment gives for that very case; the tooltip says of what it "
                        "is made",
         .align = kRight,
         .value = predictedFigureValue,
         .origin = [](const Row &row) { return row.basis; }},
        {.key = "ratio",
         .title = "ratio",
         .explanation = "Predicted over measured",
         .align = kRight,
         .value = predictedRatioValue},
    };
}

std::vector<Column<CalibrationRow>> calibrationVerdictColumns()
{
    using Row = CalibrationRow;
    return {
        {.key = "within",
         .title = "within",
         .explanation = "Within 15 percent of the measurement",
         .unknown = "unknown",
         .value = [](const Row &row) { return known(row.within()); }},
        {.key = "goal",
         .title = "goal",
         .explanation = "One of the published ratios that are to be met",
         .shown = kNotTerminal,
         .value = [](const Row &row) -> Value { return row.goal; }},
        {.key = "basis",
         .title = "made of",
         .explanation = "What the prediction is made of",
         .shown = kDocument,
         .value = [](const Row &row) -> Value { return row.basis; }},
        {.key = "fitted_on",
         .title = "fitted on",
         .explanation = "The measurements that the model's parameters were fitted on",
         .shown = kDocument,
         .value = [](const Row &row) { return orNothing(row.fittedOn); }},
    };
}

std::vector<Column<CalibrationRow>> calibrationSourceColumns()
{
    using Row = CalibrationRow;
    return {
        {.key = "missing_effect",
         .title = "the model lacks",
         .explanation = "The effect that the model leaves out, where it is off",
         .shown = kNotTerminal,
         .value = [](const Row &row) { return orNothing(row.missing); },
         .origin = [](const Row &row) { return row.missingEvidence; }},
        {.key = "missing_evidence",
         .title = "what shows it",
         .explanation = "The figures that show the effect that the model leaves out",
         .shown = kDocument,
         .value = [](const Row &row) { return orNothing(row.missingEvidence); }},
        {.key = "missing_source",
         .title = "shown in",
         .explanation = "Where the figures that show that effect were published",
         .shown = kDocument,
         .value = [](const Row &row) { return orNothing(row.missingSource); }},
        {.key = "condition",
         .title = "condition",
         .explanation = "Under which the figure holds",
         .value = [](const Row &row) -> Value { return row.condition; }},
        {.key = "source",
         .title = "source",
         .explanation = "Where it was published",
         .value = [](const Row &row) -> Value { return row.source; }},
    };
}

std::vector<Column<CalibrationRow>> calibrationColumns()
{
    return joinedColumns(calibrationIdentityColumns(), calibrationFigureColumns(),
                         calibrationVerdictColumns(), calibrationSourceColumns());
}

std::vector<Column<PublishedFigure>> publishedIdentityColumns()
{
    using Row = PublishedFigure;
    return {
        {.key = "target",
         .title = "chip",
         .explanation = "Chip that the figure is about; * is every chip",
         .value = [](const Row &row) -> Value { return row.target; }},
        {.key = "measurement",
         .title = "figure",
         .explanation = "What the figure is",
         .value = [](const Row &row) -> Value { return row.measurement; }},
        {.key = "form",
         .title = "form",
         .explanation = "Form of the weights",
         .value = [](const Row &row) -> Value { return row.form; }},
    };
}

std::vector<Column<PublishedFigure>> publishedValueColumns()
{
    using Row = PublishedFigure;
    return {
        {.key = "published",
         .title = "published",
         .explanation = "The figure, or its range",
         .align = kRight,
         .shown = kTables,
         .value = [](const Row &row) -> Value {
             return Written{row.low, publishedText(row)};
         }},
        {.key = "unit",
         .title = "unit",
         .explanation = "Unit of the figure",
         .value = [](const Row &row) -> Value { return row.unit; }},
        {.key = "measured_low",
         .title = "least",
         .explanation = "Low end of the published range",
         .align = kRight,
         .shown = kDocument,
         .value = [](const Row &row) -> Value {
             return Real{row.low, 6, true};
         }},
        {.key = "measured_high",
         .title = "most",
         .explanation = "High end of the published range",
         .align = kRight,
         .shown = kDocument,
         .value = [](const Row &row) -> Value {
             return Real{row.high, 6, true};
         }},
        {.key = "predicted",
         .title = "predicted",
         .explanation = "By the law of the form's size, where that predicts it",
         .align = kRight,
         .value = [](const Row &row) -> Value {
             return row.predicted ? Value(Real{*row.predicted, 3, true}) : Value(Unknown());
         },
         .origin = [](const Row &row) { return row.basis; }},
    };
}

std::vector<Column<PublishedFigure>> publishedSourceColumns()
{
    using Row = PublishedFigure;
    return {
        {.key = "basis",
         .title = "made of",
         .explanation = "What the prediction is made of",
         .shown = kDocument,
         .value = [](const Row &row) { return orNothing(row.basis); }},
        {.key = "condition",
         .title = "condition",
         .explanation = "Under which the figure holds",
         .value = [](const Row &row) -> Value { return row.condition; }},
        {.key = "source",
         .title = "source",
         .explanation = "Where it was published",
         .value = [](const Row &row) -> Value { return row.source; }},
        {.key = "confidence",
         .title = "confidence",
         .explanation = "How well the figure is known",
         .shown = kDocument,
         .value = [](const Row &row) -> Value { return confidenceValue(row.confidence); }},
    };
}

std::vector<Column<PublishedFigure>> publishedFigureColumns()
{
    return joinedColumns(publishedIdentityColumns(), publishedValueColumns(),
                         publishedSourceColumns());
}

} // namespace

const TableOf<CalibrationRow> &calibrationTable()
{
    static const TableOf<CalibrationRow> kTable{
        "calibration",
        calibrationColumns(),
        {"measurement", "target", "form", "condition", "source"},
        {"measurement"}};
    return kTable;
}

const TableOf<PublishedFigure> &publishedFigureTable()
{
    static const TableOf<PublishedFigure> kTable{
        "published-figures", publishedFigureColumns(), {"measurement", "target", "form"}};
    return kTable;
}

} // namespace kernscope::report
