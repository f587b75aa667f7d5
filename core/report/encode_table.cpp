// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/encode_table.h"

#include "core/bundle/bundle.h"

namespace kernscope::report {

namespace {

constexpr auto kEncodedNumber = TextTable::Align::Right;

/// Three significant digits.
Value relativeValue(double error)
{
    return Real{error, 3, true};
}

std::vector<Column<EncodedFacts>> encodedColumns()
{
    using Row = EncodedFacts;
    return {{.key = "name",
             .title = "weight",
             .explanation = "The weight, by a name that finds it",
             .align = TextTable::Align::Name,
             .value = [](const Row &row) -> Value { return row.after->findableName(); }},
            {.key = "before",
             .title = "before",
             .explanation = "How it was stored",
             .value = [](const Row &row) -> Value { return formText(row.before->form); }},
            {.key = "stored_before",
             .title = "stored",
             .explanation = "Stored bytes before",
             .align = kEncodedNumber,
             .value = [](const Row &row) -> Value { return Count{row.before->storedBytes.value}; }},
            {.key = "after",
             .title = "after",
             .explanation = "How it is stored now",
             .value = [](const Row &row) -> Value { return formText(row.after->form); }},
            {.key = "stored_after",
             .title = "stored",
             .explanation = "Stored bytes now",
             .align = kEncodedNumber,
             .value = [](const Row &row) -> Value { return Count{row.after->storedBytes.value}; }},
            {.key = "weight_relative",
             .title = "weights",
             .explanation = "Relative error of the weights",
             .align = kEncodedNumber,
             .value = [](const Row &row) { return relativeValue(row.one->error.weightRelative); }},
            {.key = "output_relative",
             .title = "layer",
             .explanation = "Relative error of the layer through the engine's reduction (estimate)",
             .align = kEncodedNumber,
             .value = [](const Row &row) { return relativeValue(row.one->error.outputRelative); }},
            {.key = "inputs_relative",
             .title = "inputs",
             .explanation = "Relative error by the statistics of the inputs (expected)",
             .align = kEncodedNumber,
             .value = [](const Row &row) {
                 return row.one->inputRelative ? relativeValue(*row.one->inputRelative)
                                               : Value(Unknown());
             }}};
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
    static const TableOf<Row> kTable{
        "encoded_sides",
        {{.key = "side",
          .title = "side",
          .explanation = "Before or after",
          .value = [](const Row &row) -> Value { return Word{row.name}; }},
         {.key = "form",
          .title = "form",
          .explanation = "How the weight is stored",
          .value = [](const Row &row) -> Value { return formText(row.weight->form); }},
         {.key = "stored_bytes",
          .title = "stored",
          .explanation = "Its stored bytes",
          .align = kEncodedNumber,
          .value = [](const Row &row) -> Value { return Count{row.weight->storedBytes.value}; }},
         {.key = "ratio",
          .title = "ratio",
          .explanation = "Stored bytes over those of dense fp16",
          .align = kEncodedNumber,
          .value = [](const Row &row) -> Value { return Ratio{row.weight->ratio()}; }},
         {.key = "bundle_bytes",
          .title = "bundle",
          .explanation = "Bytes of the whole bundle",
          .align = kEncodedNumber,
          .value = [](const Row &row) -> Value { return Count{row.bundle->totalBytes().value}; }}}};
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
    static const TableOf<EncodedFacts> kTable{"encoded", encodedColumns()};
    return kTable;
}

} // namespace kernscope::report
