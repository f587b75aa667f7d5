// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/encode_table.h"

#include "core/bundle/bundle.h"

namespace kernscope::report {

namespace {

/// Three significant digits.
Value relativeValue(double error)
{
    return Real{error, 3, true};
}

} // namespace

std::vector<EncodedSide> encodedSides(const Bundle &bundle, const EncodedBundle &encoded)
{
    const EncodedOne &one = encoded.weights.front();
    return {{"before", &bundle, &bundle.weights()[one.before]},
            {"after", encoded.made.get(), &encoded.made->weights()[one.after]}};
}

const TableOf<EncodedSide> &encodedSideTable()
{
    using Row = EncodedSide;
    static constexpr Column<Row> kColumns[] = {
        {"side", "side", "Before or after", [](const Row &row) -> Value { return Word(row.name); }},
        {"form", "form", "How the weight is stored",
         [](const Row &row) -> Value { return formText(row.weight->form); }},
        {kNumber, "stored_bytes", "stored", "Its stored bytes",
         [](const Row &row) -> Value { return Count(row.weight->storedBytes.value); }},
        {kNumber, "ratio", "ratio", "Stored bytes over those of dense fp16",
         [](const Row &row) -> Value { return Ratio(row.weight->ratio()); }},
        {kNumber, "bundle_bytes", "bundle", "Bytes of the whole bundle",
         [](const Row &row) -> Value { return Count(row.bundle->totalBytes().value); }},
    };
    static const TableOf<Row> kTable{"encoded_sides", kColumns};
    return kTable;
}

std::vector<EncodedFacts> encodedFacts(const Bundle &bundle, const EncodedBundle &encoded)
{
    std::vector<EncodedFacts> rows;
    for (const EncodedOne &one : encoded.weights)
        rows.push_back({&bundle.weights()[one.before], &encoded.made->weights()[one.after], &one});
    return rows;
}

const TableOf<EncodedFacts> &encodedTable()
{
    using Row = EncodedFacts;
    static constexpr Column<Row> kColumns[] = {
        {kName, "name", "weight", "The weight, by a name that finds it",
         [](const Row &row) -> Value { return row.after->findableName(); }},
        {"before", "before", "How it was stored",
         [](const Row &row) -> Value { return formText(row.before->form); }},
        {kNumber, "stored_before", "stored", "Stored bytes before",
         [](const Row &row) -> Value { return Count(row.before->storedBytes.value); }},
        {"after", "after", "How it is stored now",
         [](const Row &row) -> Value { return formText(row.after->form); }},
        {kNumber, "stored_after", "stored", "Stored bytes now",
         [](const Row &row) -> Value { return Count(row.after->storedBytes.value); }},
        {kNumber, "weight_relative", "weights", "Relative error of the weights",
         [](const Row &row) { return relativeValue(row.one->error.weightRelative); }},
        {kNumber, "output_relative", "layer",
         "Relative error of the layer through the engine's reduction (estimate)",
         [](const Row &row) { return relativeValue(row.one->error.outputRelative); }},
        {kNumber, "inputs_relative", "inputs",
         "Relative error by the statistics of the inputs (expected)",
         [](const Row &row) {
             return row.one->inputRelative ? relativeValue(*row.one->inputRelative)
                                           : Value(Unknown());
         }},
    };
    static const TableOf<Row> kTable{"encoded", kColumns};
    return kTable;
}

} // namespace kernscope::report
