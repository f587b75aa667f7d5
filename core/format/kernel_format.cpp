// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/kernel_format.h"

#include "core/base/find.h"
#include "core/format/table_rows.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

namespace kernscope::format {

namespace {

constexpr std::array<std::string_view, 4> kKindNames{"scalar", "palette", "unity", "microscaled"};

std::vector<KernelFormatRow> readRows()
{
    using Row = KernelFormatRow;
    return tables::loadRows<Row>(
        "kernel_formats",
        {{"code",
          [](Row &row, std::string_view cell) { tables::readCell(cell, row.format.value); }},
         {"name", &Row::name},
         {"kind",
          [](Row &row, std::string_view cell) {
              const auto kind = std::ranges::find(kKindNames, cell);
              row.kind = static_cast<KernelFormatKind>(kind - kKindNames.begin());
          }},
         {"bits", &Row::bits},
         {"underlying", &Row::underlying},
         {"register_value", &Row::registerValue},
         {"type_number",
          [](Row &row, std::string_view cell) {
              std::optional<std::uint32_t> number;
              tables::readCell(cell, number);
              if (number)
                  row.typeNumber = TypeNumber(*number);
          }},
         {"since_isa", &Row::sinceVersion},
         {"confidence", &Row::confidence},
         {"source", &Row::source},
         {"note", &Row::note}});
}

Error refusal(std::string code, std::string expected, KernelFormat format, std::string message)
{
    return valueError(code, "kernel format", expected, fmt::format("{}", format.value), message);
}

Result<const KernelFormatRow *> known(KernelFormat format)
{
    if (const KernelFormatRow *row = find(format))
        return row;
    return tl::unexpected(refusal("format.kernel", "1 to 31, or a later code of the table", format,
                                  "no such kernel format is known"));
}

Result<const KernelFormatRow *> palette(KernelFormat format)
{
    if (!isPaletteFormat(format))
        return tl::unexpected(refusal("format.palette", "7 to 27", format, "not a palette format"));
    return known(format);
}

template <class T>
Result<T> fieldOf(KernelFormat format, std::optional<T> KernelFormatRow::*field, const char *name)
{
    const auto row = TRY(known(format));
    if (!(row->*field))
        return tl::unexpected(
            refusal("format.unknown", name, format, fmt::format("its {} is not known", name)));
    return *(row->*field);
}

struct SectionWords {
    std::string_view name, comment;
};

// Listing 25.1.
constexpr std::array<SectionWords, KernelUnit::kSections> kSections{{
    {"lut", "activation LUT (typeno, bitdepth, lut_bytes)"},
    {"pal", "palette LUT (palette_format, bitdepth, num_luts, lut_bytes)"},
    {"ocgs", "output-channel-group table (typeno, bitdepth, records, bytes)"},
    {"scale", "per-output-channel scale (typeno, bitdepth, channels, bytes)"},
    {"bias", "per-output-channel bias (typeno, bitdepth, channels, bytes)"},
    {"weights", "packed weight or index blob (typeno, bitdepth, elements, bytes)"},
}};

std::string tupleOf(KernelUnit::SectionId which, const std::optional<UnitSection> &section)
{
    if (!section)
        return "()";
    if (which == KernelUnit::Lut)
        return fmt::format("({}, {}, {})", section->type.value, section->bitDepth, section->bytes);
    const std::uint32_t first =
        which == KernelUnit::Pal ? section->paletteFormat : section->type.value;
    return fmt::format("({}, {}, {}, {})", first, section->bitDepth, section->count,
                       section->bytes);
}

} // namespace

std::string_view kernelFormatKindName(KernelFormatKind kind)
{
    return kKindNames[static_cast<std::size_t>(kind)];
}

std::span<const KernelFormatRow> kernelFormats()
{
    static const auto rows = readRows();
    return rows;
}

const KernelFormatRow *find(KernelFormat format)
{
    const auto rows = kernelFormats();
    return findBy(rows, &KernelFormatRow::format, format);
}

const KernelFormatRow *findKernelFormat(std::string_view name)
{
    const auto same = [name](const KernelFormatRow &row) {
        return std::equal(
            name.begin(), name.end(), row.name.begin(), row.name.end(),
            [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); });
    };
    const auto rows = kernelFormats();
    const auto at = std::ranges::find_if(rows, same);
    return at == rows.end() ? nullptr : &*at;
}

bool isPaletteFormat(KernelFormat format)
{
    return paletteFormats().has(format.value);
}

Result<unsigned> bitDepth(KernelFormat format)
{
    return fieldOf(format, &KernelFormatRow::bits, "bit depth");
}

Result<KernelFormat> paletteEntryFormat(KernelFormat format)
{
    const auto row = TRY(palette(format));
    if (const KernelFormatRow *entries = findKernelFormat(row->underlying))
        return entries->format;
    return tl::unexpected(refusal("format.unknown", "a scalar entry type", format,
                                  "the type of its entries is not known"));
}

Result<ByteCount> paletteLutBytes(KernelFormat format, std::uint64_t codebooks,
                                  std::uint64_t vectorSize)
{
    const auto entryFormat = TRY(paletteEntryFormat(format));
    const auto indexBits = TRY(bitDepth(format));
    const auto entryBits = TRY(bitDepth(entryFormat));
    const std::uint64_t codebook = (std::uint64_t(1) << indexBits) * (entryBits / 8);
    const auto vectors = checkedMultiply(codebook, vectorSize);
    const auto all = vectors ? checkedMultiply(*vectors, codebooks) : std::nullopt;
    if (!all)
        return tl::unexpected(refusal("format.overflow", "fewer codebooks", format,
                                      "the codebooks do not fit 64 bits"));
    return ByteCount(*all);
}

Result<TypeNumber> typeNumber(KernelFormat format)
{
    return fieldOf(format, &KernelFormatRow::typeNumber, "type number");
}

std::string_view unitSectionName(KernelUnit::SectionId section)
{
    return kSections[section].name;
}

std::string printKernelUnit(const KernelUnit &unit)
{
    std::string text = fmt::format("t{} = s{}\n", unit.type, unit.offset);
    for (std::size_t i = 0; i < kSections.size(); ++i) {
        const auto which = static_cast<KernelUnit::SectionId>(i);
        text += fmt::format("  {:<9}{:<28}; {}\n", fmt::format("{}:", kSections[i].name),
                            tupleOf(which, unit.sections[i]), kSections[i].comment);
    }
    return text;
}

} // namespace kernscope::format
