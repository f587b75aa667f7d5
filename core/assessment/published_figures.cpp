// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/assessment/calibration_rows.h"

#include "core/base/csv.h"

namespace kernscope::roofline {

using decision::SpeedupRow;

namespace {

/// Zeros of "sparse50", and of the M1's stack by the row that has them; empty: not published.
std::optional<double> publishedZeros(std::string_view target, std::string_view form)
{
    if (form.size() > 7 && form.starts_with("sparse")) {
        if (const auto percent = parseInteger(form.substr(6, 2)))
            return static_cast<double>(*percent) / 100;
    }
    for (const SpeedupRow &other : decision::speedupRows()) {
        if (other.target == target && other.form == form && other.measurement == "zero_fraction")
            return other.low;
    }
    return std::nullopt;
}

std::string figureUnit(const SpeedupRow &row)
{
    if (row.measurement == "effective_bandwidth_GBps_dense_to_sparse")
        return "GB/s";
    return row.measurement == "program_bytes" ? "B" : "ratio";
}

} // namespace

std::optional<double> calibration::storedRatio(std::string_view target, std::string_view name)
{
    std::string_view form = name;
    if (form.ends_with(" grouped"))
        form.remove_suffix(8);
    if (form.starts_with("palette") && form.size() == 8)
        return static_cast<double>(form[7] - '0') / 16;
    if (form == "int8")
        return 0.5;
    const auto zeros = form.starts_with("sparse") ? publishedZeros(target, name) : std::nullopt;
    if (!zeros)
        return std::nullopt;
    const double kept = form.ends_with("+palette4") ? 0.25 : 1;
    return 1.0 / 16 + (1 - *zeros) * kept;
}

std::vector<PublishedFigure> publishedFigures(const target::Target *wanted)
{
    std::vector<PublishedFigure> figures;
    const auto isWanted = [wanted](const std::string &name) {
        return wanted == nullptr || name == wanted->name || name == "*";
    };
    for (const SpeedupRow &row : decision::speedupRows()) {
        if (row.isSpeed() || !isWanted(row.target))
            continue;
        PublishedFigure figure{row.target,    row.form,   row.measurement, figureUnit(row),
                               row.condition, row.source, row.low,         row.high,
                               std::nullopt,  {},         row.confidence};
        if (row.measurement == "stored_bytes_ratio") {
            figure.predicted = calibration::storedRatio(row.target, row.form);
            figure.basis = figure.predicted ? "the form's bits over those of fp16" : "";
        }
        figures.push_back(std::move(figure));
    }
    for (const PowerFigure &row : powerFigures()) {
        if (isWanted(row.target))
            figures.push_back({row.target,
                               "dense",
                               row.quantity,
                               "W",
                               row.condition,
                               row.source,
                               row.watts,
                               row.watts,
                               std::nullopt,
                               {},
                               row.confidence});
    }
    return figures;
}

} // namespace kernscope::roofline
