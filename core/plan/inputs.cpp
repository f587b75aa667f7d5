// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/inputs.h"

#include "core/base/csv.h"
#include "core/base/error_builder.h"
#include "core/base/pattern.h"
#include "core/bundle/bundle.h"
#include "core/plan/form_name.h"

#include <cmath>

namespace kernscope::plan {

namespace {

tl::unexpected<Error> badRow(const std::string &file, std::string field, std::string expected,
                             std::string found, std::string message)
{
    return ErrorBuilder("plan.sensitivity")
        .file(file)
        .field(std::move(field))
        .expected(std::move(expected))
        .found(std::move(found))
        .message(std::move(message))
        .unexpected();
}

} // namespace

Result<std::vector<double>> readSensitivity(const Bundle &network, std::string_view csv,
                                            std::string_view fileName)
{
    const auto table = CsvTable::parse(csv, fileName);
    if (!table)
        return tl::unexpected(table.error());
    const std::string file(fileName);
    const auto names = table->column("weight"), numbers = table->column("sensitivity");
    if (!names || !numbers)
        return badRow(file, "columns", "weight, sensitivity", "others",
                      "The table has not the columns that are needed");
    std::vector<double> all(network.weights().size(), 1.0);
    for (std::size_t row = 0; row < table->rows(); ++row) {
        const std::string_view pattern = table->cell(row, *names);
        const auto number = parseNumber(table->cell(row, *numbers));
        if (!number || !(*number >= 0) || std::isinf(*number))
            return badRow(file, std::string(pattern), "0 or more",
                          std::string(table->cell(row, *numbers)), "A sensitivity cannot be this");
        bool any = false;
        for (std::size_t i = 0; i < all.size(); ++i) {
            const Weight &weight = network.weights()[i];
            if (!matchesPattern(pattern, weight.findableName()) &&
                !matchesPattern(pattern, weight.name))
                continue;
            all[i] = *number;
            any = true;
        }
        if (!any)
            return badRow(file, std::string(pattern), "the name of a weight, or a pattern",
                          "none like it", "The bundle has no weight of this name");
    }
    return all;
}

} // namespace kernscope::plan
