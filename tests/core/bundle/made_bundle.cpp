// SPDX-License-Identifier: GPL-3.0-or-later
#include "made_bundle.h"
#include "core/base/overlaid_file.h"
#include "core/codec/decode/decoder.h"

#include "core/numeric/half.h"

#include <fmt/format.h>

namespace kernscope::test {

namespace {

Bytes bytesOf(std::string_view text)
{
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

} // namespace

Bytes hex(std::string_view text)
{
    Bytes bytes;
    std::string digits;
    for (const char c : text) {
        if (c == ' ')
            continue;
        digits += c;
        if (digits.size() == 2) {
            bytes.push_back(static_cast<std::byte>(std::stoul(digits, nullptr, 16)));
            digits.clear();
        }
    }
    return bytes;
}

Bytes halves(std::span<const float> values)
{
    Bytes bytes;
    for (const float value : values) {
        const std::uint16_t half = floatToHalf(value);
        bytes.push_back(static_cast<std::byte>(half & 0xFF));
        bytes.push_back(static_cast<std::byte>(half >> 8));
    }
    return bytes;
}

std::string MadeBundle::blobAt(std::string_view type, std::string_view shape, std::uint64_t offset)
{
    return fmt::format("tensor<{}, {}>(BLOBFILE(path = string(\"@model_path/weights/weight.bin\"), "
                       "offset = uint64({})))",
                       type, shape, offset);
}

std::string MadeBundle::blob(ElementType type, std::string_view shape, const Bytes &payload,
                             std::uint64_t paddingBits)
{
    m_last = m_writer.add(type, payload, paddingBits).value;
    return blobAt(elementTypeName(type), shape, m_last);
}

void MadeBundle::line(std::string statement)
{
    m_statements += "            " + std::move(statement) + ";\n";
}

void MadeBundle::op(std::string_view name, std::string_view shape, std::string_view call)
{
    line(fmt::format("tensor<fp16, {1}> {0} = {2}[name = string(\"{0}\")]", name, shape, call));
}

void MadeBundle::constant(std::string_view type, std::string_view name, std::string_view value)
{
    line(fmt::format("{0} {1} = const()[name = string(\"{1}_op\"), val = {2}]", type, name, value));
}

void MadeBundle::consume(std::string_view weight)
{
    line(fmt::format("tensor<fp16, [1, 2]> out{0} = linear(weight = {1}, x = x)[name = "
                     "string(\"out{0}\")]",
                     m_consumers++, weight));
}

void MadeBundle::weight(std::string_view name, std::string_view shape, const Bytes &payload,
                        ElementType type)
{
    constant(fmt::format("tensor<{}, {}>", elementTypeName(type), shape), name,
             blob(type, shape, payload));
}

void MadeBundle::layer(std::string_view name, std::string_view shape, const Bytes &payload,
                       ElementType type)
{
    weight(name, shape, payload, type);
    consume(name);
}

void MadeBundle::form(std::string_view name, std::string_view shape, std::string_view op,
                      const std::vector<std::pair<std::string, std::string>> &parts)
{
    std::vector<std::string> inputs;
    for (const auto &[part, value] : parts)
        inputs.push_back(part + " = " + value);
    this->op(name, shape, fmt::format("constexpr_{}({})", op, fmt::join(inputs, ", ")));
    consume(name);
}

std::string MadeBundle::text() const
{
    return fmt::format(
        "program(1.3)\n[buildInfo = dict<string, string>({{{{\"a\", \"b\"}}}})]\n{{\n"
        "    func main<ios18>({}) {{\n{}        }} -> ({});\n}}",
        parameters, m_statements, result);
}

OpenOptions MadeBundle::options() const
{
    return options(text(), weights());
}

OpenOptions MadeBundle::options(std::string_view text, const Bytes &weights)
{
    OpenOptions options;
    options.memory = {{"metadata.json", bytesOf("[{}]")},
                      {"model.mil", bytesOf(text)},
                      {"weights/weight.bin", weights}};
    return options;
}

std::vector<float> valuesOf(const Bundle &bundle, std::size_t weight)
{
    const auto decoder = bundle.decoder(weight);
    std::vector<float> values(decoder ? decoder->elements().value : 0);
    if (decoder)
        decoder->decodeFloat(0, values);
    return values;
}

std::vector<float> decoded(const Bundle &bundle, std::string_view weight)
{
    const auto index = bundle.weightByName(weight);
    if (!index)
        return {};
    const auto decoder = bundle.decoder(*index);
    if (!decoder)
        return {};
    std::vector<std::uint16_t> bits(decoder->elements().value);
    decoder->decodeHalf(0, bits);
    std::vector<float> values;
    for (const std::uint16_t half : bits)
        values.push_back(halfToFloat(half));
    return values;
}

std::vector<std::string> faults(const Diagnostics &diagnostics)
{
    std::vector<std::string> list;
    for (const Diagnostic &diagnostic : diagnostics) {
        const Error &error = diagnostic.error;
        list.push_back(fmt::format("{} {} {}{}", severityName(diagnostic.severity), error.code,
                                   error.file,
                                   error.offset ? fmt::format("+{}", error.offset->value) : ""));
    }
    return list;
}

std::string sectionFault(const Bundle &bundle)
{
    std::size_t next = 0;
    for (std::size_t file = 0; file < bundle.files().size(); ++file) {
        const auto [first, last] = bundle.sectionsOf(file);
        if (first != next)
            return fmt::format("file {} begins at section {}", file, first);
        std::uint64_t at = 0;
        for (std::size_t i = first; i < last; ++i) {
            const Section &section = bundle.sections()[i];
            if (section.file != file || section.range.offset.value != at ||
                section.range.bytes.value == 0 || bundle.nameOf(section).empty())
                return fmt::format("section {} ({}) at {}, expected at {}", i,
                                   bundle.nameOf(section), section.range.offset.value, at);
            if (section.weight != kNoIndex && section.weight >= bundle.weights().size())
                return fmt::format("section {} belongs to weight {}", i, section.weight);
            at = section.range.end();
            if (bundle.sectionAt(file, section.range.offset) != i ||
                bundle.sectionAt(file, FileOffset(at - 1)) != i)
                return fmt::format("section {} is not found by its offsets", i);
        }
        if (at != bundle.files()[file].file->size().value)
            return fmt::format("file {} is covered up to {} only", file, at);
        if (bundle.sectionAt(file, FileOffset(at)) != kNoIndex)
            return fmt::format("file {} has a section past its end", file);
        next = last;
    }
    return next == bundle.sections().size() ? std::string() : std::string("sections of no file");
}

} // namespace kernscope::test
