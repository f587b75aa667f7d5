// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/assessment/calibrate.h"

#include "core/base/csv.h"

namespace kernscope::roofline {

using decision::SpeedupRow;

namespace {

/// Zeros of "sparse50", and of the M1's stack by the row that has them; empty: not published.
std::optional<double> publishedZeros(const SpeedupRow &row)
{
    if (row.form.size() > 7 && row.form.starts_with("sparse")) {
        if (const auto percent = parseInteger(std::string_view(row.form).substr(6, 2)))
            return static_cast<double>(*percent) / 100;
    }
    for (const SpeedupRow &other : decision::speedupRows()) {
        if (other.target == row.target && other.form == row.form &&
            other.measurement == "zero_fraction")
            return other.low;
    }
    return std::nullopt;
}

/// Stored bytes over those of fp16 by the form's law (listing 25.3 for masks; tables apart).
std::optional<double> storedRatio(const SpeedupRow &row)
{
    std::string_view form = row.form;
    if (form.ends_with(" grouped"))
        form.remove_suffix(8);
    if (form.starts_with("palette") && form.size() == 8)
        return static_cast<double>(form[7] - '0') / 16;
    if (form == "int8")
        return 0.5;
    const auto zeros = form.starts_with("sparse") ? publishedZeros(row) : std::nullopt;
    if (!zeros)
        return std::nullopt;
    const double kept = form.ends_with("+palette4") ? 0.25 : 1;
    return 1.0 / 16 + (1 - *zeros) * kept;
}

std::string figureUnit(const SpeedupRow &row)
{
    if (row.measurement == "effective_bandwidth_GBps_dense_to_sparse")
        return "GB/s";
    return row.measurement == "program_bytes" ? "B" : "ratio";
}

} // namespace

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
            figure.predicted = storedRatio(row);
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
