// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/calibration_table.h"

#include "core/report/fact_values.h"
#include "core/report/json_table.h"

#include <fmt/format.h>

namespace kernscope::report {

namespace {

using roofline::CalibrationRow;
using roofline::PublishedFigure;

std::string figureText(const CalibrationRow &row, double value)
{
    return row.unit == "s" ? fmt::format("{:.4g} us", 1e6 * value) : fmt::format("{:.3f}", value);
}

std::string measuredText(const CalibrationRow &row)
{
    return row.low == row.high ? figureText(row, row.low)
                               : fmt::format("{:.3f} to {:.3f}", row.low, row.high);
}

/// "yes", "no"; of a row that says nothing of how good predictions are, why.
Value withinValue(const CalibrationRow &row)
{
    if (row.isTrivial())
        return Word{"trivial"};
    return row.own ? Value(Word{"fitted on it"}) : known(row.within());
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

} // namespace

const TableOf<CalibrationRow> &calibrationTable()
{
    using Row = CalibrationRow;
    static constexpr Column<Row> kColumns[] = {
        {"target", "chip", "On which chip", member<&Row::target>},
        {kTerminal, "marked", "measurement", "What was measured; * = part of the acceptance set",
         [](const Row &row) -> Value { return (row.goal ? "* " : "  ") + row.measurement; }},
        {kNotTerminal, "measurement", "What was measured", member<&Row::measurement>},
        {"form", "Form of the weights", member<&Row::form>},
        {kDocument, "unit", "s; speedup: times the rate of dense fp16; ratio: to its time",
         member<&Row::unit>},
        {kNumber, "measured", "A time, a speed-up against dense fp16, or the ratio to its time",
         [](const Row &row) -> Value { return Written(row.measured(), measuredText(row)); }},
        {kNumber | kDocument, "measured_low", "least", "Low end of the measured range",
         [](const Row &row) -> Value { return Written(row.low, figureText(row, row.low)); }},
        {kNumber | kDocument, "measured_high", "most", "High end of the measured range",
         [](const Row &row) -> Value { return Written(row.high, figureText(row, row.high)); }},
        {kNumber, "predicted",
         "What the assessment gives for that very case; the tooltip says of what it is made",
         predictedFigureValue, originOf([](const Row &row) { return row.basis; })},
        {kNumber, "ratio", "Predicted over measured", predictedRatioValue},
        {"within",
         "Within 15 percent of the measurement; trivial: nothing changes, as predicted; fitted on "
         "it: the model was",
         withinValue, unknownAs("unknown"),
         jsonOf([](const Row &row) { return optionalJson(row.within()); })},
        {kDocument, "trivial", "Nothing changes, as predicted: it does not count",
         [](const Row &row) -> Value { return row.isTrivial(); }},
        {kDocument, "fitted_on_itself", "fitted on it",
         "The model was fitted on this very row: it does not count", member<&Row::own>},
        {kNotTerminal, "goal", "One of the published ratios that are to be met",
         member<&Row::goal>},
        {kDocument, "basis", "made of", "What the prediction is made of", member<&Row::basis>},
        {kDocument, "fitted_on", "fitted on",
         "The measurements that the model's parameters were fitted on",
         [](const Row &row) { return orNothing(row.fittedOn); }},
        {kNotTerminal, "missing_effect", "the model lacks",
         "The effect that the model leaves out, where it is off",
         [](const Row &row) { return orNothing(row.missing); },
         originOf([](const Row &row) { return row.missingEvidence; })},
        {kDocument, "missing_evidence", "what shows it",
         "The figures that show the effect that the model leaves out",
         [](const Row &row) { return orNothing(row.missingEvidence); }},
        {kDocument, "missing_source", "shown in",
         "Where the figures that show that effect were published",
         [](const Row &row) { return orNothing(row.missingSource); }},
        {"condition", "Conditions of the measurement", member<&Row::condition>},
        {"source", "Where it was published", member<&Row::source>},
    };
    static const TableOf<Row> kTable{"calibration",
                                     kColumns,
                                     {"measurement", "target", "form", "condition", "source"},
                                     {"measurement"}};
    return kTable;
}

const TableOf<PublishedFigure> &publishedFigureTable()
{
    using Row = PublishedFigure;
    static constexpr Column<Row> kColumns[] = {
        {"target", "chip", "Chip that the figure is about; * is every chip", member<&Row::target>},
        {"measurement", "figure", "What the figure is", member<&Row::measurement>},
        {"form", "Form of the weights", member<&Row::form>},
        {kNumber | kTables, "published", "The figure, or its range",
         [](const Row &row) -> Value { return Written(row.low, publishedText(row)); }},
        {"unit", "Unit of the figure", member<&Row::unit>},
        {kNumber | kDocument, "measured_low", "least", "Low end of the published range",
         [](const Row &row) -> Value { return Real(row.low, 6, true); }},
        {kNumber | kDocument, "measured_high", "most", "High end of the published range",
         [](const Row &row) -> Value { return Real(row.high, 6, true); }},
        {kNumber, "predicted", "By the law of the form's size, where that predicts it",
         [](const Row &row) -> Value {
             return row.predicted ? Value(Real(*row.predicted, 3, true)) : Value(Unknown());
         },
         originOf([](const Row &row) { return row.basis; })},
        {kDocument, "basis", "made of", "What the prediction is made of",
         [](const Row &row) { return orNothing(row.basis); }},
        {"condition", "Conditions of the measurement", member<&Row::condition>},
        {"source", "Where it was published", member<&Row::source>},
        {kDocument, "confidence", "How well the figure is known",
         [](const Row &row) -> Value { return confidenceValue(row.confidence); }},
    };
    static const TableOf<Row> kTable{
        "published-figures", kColumns, {"measurement", "target", "form"}};
    return kTable;
}

} // namespace kernscope::report
