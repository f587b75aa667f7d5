// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/inputs.h"

#include "core/base/csv.h"
#include "core/plan/form_name.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace kernscope::plan {

namespace {

tl::unexpected<Error> inputError(std::string code, std::string file, std::string field,
                                 std::string expected, std::string found, std::string message)
{
    Error error;
    error.code = std::move(code);
    error.file = std::move(file);
    error.field = std::move(field);
    error.expected = std::move(expected);
    error.found = std::move(found);
    error.message = std::move(message);
    return tl::unexpected(std::move(error));
}

Result<void> checkMeanSquares(const std::vector<float> &values, const Bundle &arrays,
                              const std::string &name)
{
    const auto bad = std::find_if(values.begin(), values.end(),
                                  [](float value) { return !(value >= 0) || std::isinf(value); });
    if (bad == values.end())
        return {};
    return inputError("plan.activations", arrays.name(), name, "mean squares: 0 or more, finite",
                      fmt::format("{}", *bad), "A mean square cannot be this");
}

} // namespace

Result<std::vector<std::vector<float>>> readMeanSquares(const Bundle &network, const Bundle &arrays)
{
    if (arrays.kind() != BundleKind::Npz)
        return inputError("plan.activations", arrays.name(), {}, "an archive of arrays (.npz)",
                          std::string(bundleKindName(arrays.kind())),
                          "Statistics are read from an .npz file");
    std::vector<std::vector<float>> all(network.weights().size());
    const BundleReadLock lock(arrays);
    for (std::size_t i = 0; i < arrays.weights().size(); ++i) {
        const std::string &name = arrays.weights()[i].name;
        const auto weight = network.weightByName(name);
        if (!weight)
            return inputError("plan.activations", arrays.name(), name, "the name of a weight", name,
                              "The bundle has no weight, or several, of this name");
        const auto decoder = arrays.decoder(i);
        if (!decoder)
            return tl::unexpected(decoder.error());
        std::vector<float> values(decoder->elements().value);
        decoder->decodeFloat(0, values);
        if (auto sound = checkMeanSquares(values, arrays, name); !sound)
            return tl::unexpected(sound.error());
        all[*weight] = std::move(values);
    }
    return all;
}

Result<std::vector<double>> readSensitivity(const Bundle &network, std::string_view csv,
                                            std::string_view fileName)
{
    const auto table = CsvTable::parse(csv, fileName);
    if (!table)
        return tl::unexpected(table.error());
    const std::string file(fileName);
    const auto names = table->column("weight"), numbers = table->column("sensitivity");
    if (!names || !numbers)
        return inputError("plan.sensitivity", file, "columns", "weight, sensitivity", "others",
                          "The table has not the columns that are needed");
    std::vector<double> all(network.weights().size(), 1.0);
    for (std::size_t row = 0; row < table->rows(); ++row) {
        const std::string_view pattern = table->cell(row, *names);
        const auto number = parseNumber(table->cell(row, *numbers));
        if (!number || !(*number >= 0) || std::isinf(*number))
            return inputError("plan.sensitivity", file, std::string(pattern), "0 or more",
                              std::string(table->cell(row, *numbers)),
                              "A sensitivity cannot be this");
        bool any = false;
        for (std::size_t i = 0; i < all.size(); ++i) {
            const Weight &weight = network.weights()[i];
            if (!matches(pattern, weight.findableName()) && !matches(pattern, weight.name))
                continue;
            all[i] = *number;
            any = true;
        }
        if (!any)
            return inputError("plan.sensitivity", file, std::string(pattern),
                              "the name of a weight, or a pattern", "none like it",
                              "The bundle has no weight of this name");
    }
    return all;
}

} // namespace kernscope::plan
