// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command.h"
#include "app/cli/output_file.h"
#include "app/cli/text_output.h"
#include "app/cli/usage.h"
#include "core/base/error_builder.h"
#include "core/bundle/stored_values.h"

#include "core/numeric/npy.h"
#include "core/report/command_json.h"

#include <algorithm>
#include <charconv>
#include <memory>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace kernscope::cli {

namespace {

struct DecodeOptions {
    std::string path;
    std::string weight;
    std::string output;
    std::string type = "fp16";
    std::string rows; ///< "A:B", either side may be left out
};

/// Elements [first, last) to write, and the shape that they have.
struct Slice {
    std::uint64_t first = 0, last = 0;
    Shape shape;
};

Error badRows(std::string_view found, std::string expected)
{
    return ErrorBuilder("cli.rows")
        .field("--rows")
        .expected(std::move(expected))
        .found(found)
        .message("These rows cannot be taken.");
}

std::optional<std::uint64_t> numberOf(std::string_view text, std::uint64_t otherwise)
{
    if (text.empty())
        return otherwise;
    std::uint64_t number = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    return failure == std::errc() && end == text.data() + text.size() ? std::optional(number)
                                                                      : std::nullopt;
}

/// Rows are indices of the first axis.
Result<Slice> sliceOf(const Weight &weight, std::string_view rows)
{
    Slice slice{0, weight.elements.value, weight.shape};
    if (rows.empty())
        return slice;
    const std::uint64_t extent = weight.shape.empty() ? 0 : weight.shape.front();
    const std::size_t colon = rows.find(':');
    if (colon == std::string_view::npos)
        return tl::unexpected(badRows(rows, "FIRST:LAST"));
    const auto first = numberOf(rows.substr(0, colon), 0);
    const auto last = numberOf(rows.substr(colon + 1), extent);
    if (!first || !last || *first > *last || *last > extent)
        return tl::unexpected(badRows(rows, fmt::format("rows within 0:{}", extent)));
    const std::uint64_t perRow = extent == 0 ? 0 : weight.elements.value / extent;
    slice.first = *first * perRow;
    slice.last = *last * perRow;
    slice.shape.front() = *last - *first;
    return slice;
}

/// Decodes block by block; memory does not grow with the weight.
template <class Value, class Decode>
Result<void> writeBlocks(OutputFile &file, const Slice &slice, Progress &progress,
                         const Decode &decode)
{
    constexpr std::uint64_t kBlock = 65536;
    std::vector<Value> block(std::min(kBlock, slice.last - slice.first));
    for (std::uint64_t at = slice.first; at < slice.last; at += block.size()) {
        const auto some =
            std::span(block).first(std::min<std::uint64_t>(block.size(), slice.last - at));
        decode(at, some);
        if (auto written = file.write(std::as_bytes(std::span<const Value>(some))); !written)
            return written;
        if (!progress.advance(some.size()))
            return tl::unexpected(cancelledError(stoppedText()));
    }
    return {};
}

Result<std::uint64_t> writeWeight(const Bundle &bundle, std::size_t weight,
                                  const DecodeOptions &options, const Slice &slice,
                                  Session &session, const OutputRules &rules)
{
    const auto decoder = bundle.decoder(weight);
    if (!decoder)
        return tl::unexpected(decoder.error());
    const bool half = options.type == "fp16";
    auto file = OutputFile::create(options.output, rules);
    if (!file)
        return tl::unexpected(file.error());
    if (options.output.ends_with(".npy")) {
        const std::string header =
            npyHeader(half ? ElementType::Fp16 : ElementType::Fp32, slice.shape);
        if (auto written = file->write(std::as_bytes(std::span(header))); !written)
            return tl::unexpected(written.error());
    }
    session.progress.setTotal(slice.last - slice.first);
    const ProgressLine line(session, "Decoding");
    const auto written =
        half ? writeBlocks<std::uint16_t>(*file, slice, session.progress,
                                          [&](std::uint64_t at, std::span<std::uint16_t> out) {
                                              decoder->decodeHalf(at, out);
                                          })
             : writeBlocks<float>(
                   *file, slice, session.progress,
                   [&](std::uint64_t at, std::span<float> out) { decoder->decodeFloat(at, out); });
    if (!written)
        return tl::unexpected(written.error());
    if (auto closed = file->commit(); !closed)
        return tl::unexpected(closed.error());
    return file->bytesWritten();
}

/// Says so where the type written does not hold every value of the weight's own.
Diagnostics roundingNotes(const Bundle &bundle, std::size_t weight, const DecodeOptions &options)
{
    const auto decoder = bundle.decoder(weight);
    if (!decoder)
        return {};
    const bool half = options.type == "fp16";
    const ElementType type = decoder->type();
    if (half ? exactInHalf(type) : exactInFloat(type))
        return {};
    return {{Severity::Note,
             ErrorBuilder("decode.rounded")
                 .field(bundle.weights()[weight].findableName())
                 .expected(std::string(elementTypeName(type)))
                 .found(options.type)
                 .message(fmt::format("The values are {}; they are written rounded to {}{}",
                                      elementTypeName(type), options.type,
                                      half ? ": --as fp32 keeps more of them" : ""))}};
}

int runDecode(const DecodeOptions &options, Session &session)
{
    const auto bundle = openBundle(options.path);
    if (!bundle)
        return reportFailure(session, "decode", bundle.error());
    const auto weight = findWeight(**bundle, options.weight);
    if (!weight)
        return reportFailure(session, "decode", weight.error());
    const Weight &wanted = (*bundle)->weights()[*weight];
    if (wanted.fault)
        return reportFailure(session, "decode", *wanted.fault);
    const auto slice = sliceOf(wanted, options.rows);
    if (!slice)
        return reportUsage(session, "decode", slice.error());
    const auto written =
        writeWeight(**bundle, *weight, options, *slice, session, outputRules(session, **bundle));
    if (!written)
        return reportFailure(session, "decode", written.error());
    const Diagnostics notes = roundingNotes(**bundle, *weight, options);
    if (session.json) {
        report::Json document =
            report::decodeJson(wanted, {options.output, options.type, slice->shape,
                                        slice->last - slice->first, *written});
        printDocument(session, document, notes);
        return kDone;
    }
    printDiagnostics(session, notes);
    if (!session.quiet)
        print(fmt::format("{}: {} {} in {}\n", printable(wanted.name), options.type,
                          shapeText(slice->shape), bytesText(*written)));
    return kDone;
}

} // namespace

void addDecode(CLI::App &app, Session &session)
{
    CLI::App *command = app.add_subcommand("decode", "Write the decoded values of one weight");
    auto options = std::make_shared<DecodeOptions>();
    command->add_option("path", options->path, "Bundle folder, program or weight file")
        ->required()
        ->type_name("PATH");
    command->add_option("name", options->weight, "Name of the weight")
        ->required()
        ->type_name("NAME");
    addOutput(*command, session, options->output,
              "File to write: with a NumPy header where the name ends in .npy, else bare values",
              "FILE")
        ->required();
    command->add_option("--as", options->type, "Type of the values written")
        ->check(CLI::IsMember({"fp16", "fp32"}))
        ->capture_default_str();
    command->add_option("--rows", options->rows, "Indices of the first axis to write")
        ->type_name("A:B");
    addCommonOptions(*command, session);
    addExamples(*command, {"decode model.mlmodelc conv1_weight -o conv1.npy",
                           "decode model.mlmodelc conv1_weight --as fp32 --rows 0:8 -o rows.bin"});
    command->callback([options, &session] { session.exitCode = runDecode(*options, session); });
}

} // namespace kernscope::cli
