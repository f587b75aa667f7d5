// SPDX-License-Identifier: GPL-3.0-or-later
// A folder that `quantize` wrote: quantize.json, and the bytes of one matrix.
#include "core/base/error_builder.h"
#include "core/base/find.h"
#include "core/bundle/reader/readers.h"
#include "core/container/quantized/folder.h"
#include "core/form/order_layout.h"

#include <fmt/format.h>

namespace kernscope::quantized {

namespace {

using codec::kMxGroup;

/// An index along one side of a matrix is cut in two: its number within a box, and that of the box.
struct Side {
    std::uint64_t extent = 0;  ///< of the matrix
    std::uint64_t box = 1;     ///< indices in a box
    std::uint64_t inner = 0;   ///< bits from one index to the next within a box
    std::uint64_t between = 0; ///< bits from one box to the next

    std::uint64_t bitOf(std::uint64_t index) const
    {
        return index / box * between + index % box * inner;
    }
    std::uint64_t boxes() const { return (extent + box - 1) / box; }
};

/// Elements of a matrix that lies in boxes, each a whole rectangle; those at the edges are padded.
class BoxOrder final : public codec::ElementOrder
{
public:
    BoxOrder(Side rows, Side columns, unsigned width)
        : m_rows(rows), m_columns(columns), m_width(width)
    {
    }

    void positions(std::uint64_t first, std::span<std::uint64_t> out) const override
    {
        std::uint64_t row = first / m_columns.extent, column = first % m_columns.extent;
        for (std::uint64_t &position : out) {
            position = m_rows.bitOf(row) + m_columns.bitOf(column);
            if (++column == m_columns.extent) {
                column = 0;
                ++row;
            }
        }
    }
    std::uint64_t elements() const override { return m_rows.extent * m_columns.extent; }
    std::uint64_t extent() const override
    {
        return m_rows.boxes() * m_rows.box * m_columns.boxes() * m_columns.box * m_width / 8;
    }
    void note(codec::LayoutNotes &notes) const override
    {
        notes.add(m_width);
        for (const Side &side : {m_rows, m_columns}) {
            notes.add(side.extent);
            notes.add(side.box);
            notes.add(side.inner);
            notes.add(side.between);
        }
    }
    /// The four parts of both indices are the digits of the place, the widest step first.
    std::optional<std::uint64_t> elementAt(std::uint64_t bit) const override
    {
        struct Digit {
            std::uint64_t step, count;
            std::uint64_t *index;
            std::uint64_t worth; ///< what one of it adds to its index
        };
        std::uint64_t row = 0, column = 0;
        std::array<Digit, 4> digits{
            Digit{m_rows.between, m_rows.boxes(), &row, m_rows.box},
            Digit{m_rows.inner, m_rows.box, &row, 1},
            Digit{m_columns.between, m_columns.boxes(), &column, m_columns.box},
            Digit{m_columns.inner, m_columns.box, &column, 1},
        };
        std::ranges::sort(digits, std::ranges::greater(), &Digit::step);
        for (const Digit &digit : digits) {
            if (digit.count == 1)
                continue; // its step says nothing
            if (bit / digit.step >= digit.count)
                return std::nullopt;
            *digit.index += bit / digit.step * digit.worth;
            bit %= digit.step;
        }
        if (bit >= m_width || row >= m_rows.extent || column >= m_columns.extent)
            return std::nullopt; // past the end, or padding
        return row * m_columns.extent + column;
    }

private:
    Side m_rows, m_columns;
    unsigned m_width;
};

using OrderResult = Result<std::shared_ptr<const codec::ElementOrder>>;

OrderResult noLayout(std::string_view field, std::string_view layout, std::string expected,
                     std::string found)
{
    return tl::unexpected(
        manifestFault(std::string(field), std::move(expected), std::move(found),
                      fmt::format("The shape of the matrix has no {} layout", layout)));
}

/// The order, where the padded matrix is no more bits than can be counted.
OrderResult boxOrder(const Side &rows, const Side &columns, unsigned width)
{
    const auto perRow = checkedMultiply(columns.boxes(), columns.box * width);
    const auto padded = checkedMultiply(rows.boxes(), rows.box);
    if (!perRow || !padded || !checkedMultiply(*perRow, *padded))
        return noLayout("rows", "boxed", "at most 2^64 bits",
                        fmt::format("{} x {}", rows.extent, columns.extent));
    return std::make_shared<BoxOrder>(rows, columns, width);
}

/// Boxes of 16 lines by two groups, row-major inside and outside; `lines` is the side that has 16.
void layZz(Side &lines, Side &groups)
{
    lines.box = 16;
    lines.inner = 2 * 8;
    groups.box = 2;
    groups.inner = 8;
    groups.between = lines.box * lines.inner;
    lines.between = groups.boxes() * groups.between;
}

OrderResult zzOrder(Side rows, Side columns, bool across)
{
    const std::uint64_t groups = across ? columns.extent : rows.extent;
    if (groups % 2 != 0)
        return noLayout("exponent_layout", "ZZ", "an even number of groups",
                        fmt::format("{} groups", groups));
    if (!across && columns.extent % 16 != 0)
        return noLayout("exponent_layout", "ZZ", "N mod 16 = 0",
                        fmt::format("N = {}", columns.extent));
    across ? layZz(rows, columns) : layZz(columns, rows);
    return boxOrder(rows, columns, 8);
}

/// Where the numbers of a microscaled matrix lie in data.bin: null of "nd", where they lie row by
/// row. NZ: boxes of 16 rows by 32 bytes, column of boxes by column of boxes, rows padded to 16
/// (resources/formats/numbers.md). Errors: "quantize.manifest" (rows that are no whole bytes).
Result<std::shared_ptr<const codec::ElementOrder>> dataOrder(const Description &matrix)
{
    if (matrix.layout == "nd")
        return nullptr;
    constexpr std::uint64_t kBoxRows = 16, kBoxBits = 32 * 8;
    const unsigned width = bitWidth(codec::mxElementType(codec::mxFormatOf(matrix.format)));
    if (matrix.columnsStored * width % 8 != 0)
        return noLayout("columns_stored", "NZ", "rows of whole bytes",
                        fmt::format("{} numbers of {} bits", matrix.columnsStored, width));
    Side rows{matrix.rowsStored, kBoxRows, kBoxBits, kBoxRows * kBoxBits};
    Side columns{matrix.columnsStored, kBoxBits / width, width, 0};
    columns.between = rows.boxes() * rows.between; // wraps only where boxOrder() refuses
    return boxOrder(rows, columns, width);
}

/// The same of exp.bin, whose rows and columns are those of the groups: null of "nd"; "zz": boxes
/// of 16 lines by two groups; "interleaved": two rows of groups beside each other. Errors:
/// "quantize.manifest" (a shape that has no such layout).
Result<std::shared_ptr<const codec::ElementOrder>> exponentOrder(const Description &matrix)
{
    if (matrix.exponents == "nd")
        return nullptr;
    const bool across = matrix.axis == 1;
    Side rows{across ? matrix.rowsStored : matrix.rowsStored / kMxGroup};
    Side columns{across ? matrix.columnsStored / kMxGroup : matrix.columnsStored};
    if (matrix.exponents == "zz")
        return zzOrder(rows, columns, across);
    if (across)
        return noLayout("exponent_layout", "interleaved", "groups along the rows (axis 0)",
                        "groups along the columns (axis 1)");
    rows.box = 2;
    rows.inner = 8;
    rows.between = 2 * 8 * columns.extent;
    columns.inner = 2 * 8;
    columns.between = 2 * 8; // boxes of one column
    return boxOrder(rows, columns, 8);
}

} // namespace

} // namespace kernscope::quantized

namespace kernscope {

namespace {

using codec::PartRole;
using quantized::dataOrder;
using quantized::Description;
using quantized::exponentOrder;
using quantized::manifestFault;

/// Makes the weight of a folder from its description.
class QuantizedWeight
{
public:
    QuantizedWeight(const Description &matrix, const std::vector<BundleFile> &files)
        : m_matrix(matrix), m_files(files)
    {
    }

    Weight make()
    {
        m_weight.name = m_matrix.name;
        m_weight.sourceOp = "quantize";
        m_weight.type = m_encoding.type = ElementType::Fp32;
        m_weight.shape = m_encoding.shape = {m_matrix.rowsStored, m_matrix.columnsStored};
        m_weight.elements = ElementCount(m_matrix.rowsStored * m_matrix.columnsStored);
        m_weight.detail = {{"format", m_matrix.format}};
        m_matrix.microscaled() ? addGroups() : addRows();
        std::uint64_t stored = 0;
        m_weight.form = StorageForm(std::move(m_encoding));
        if (m_weight.fault)
            m_weight.form.dropEncoding();
        for (const codec::Operand &operand : m_weight.operands())
            stored += operand.place->bytes.value;
        // Of files that are missing, the others are no size of the weight.
        m_weight.storedBytes = ByteCount(m_missing ? 0 : stored);
        return std::move(m_weight);
    }

private:
    /// The operand whose bytes are a file; without a place where there is no such file.
    codec::Operand add(PartRole role, ElementType type, Shape shape, std::string_view path,
                       std::shared_ptr<const codec::ElementOrder> order = nullptr)
    {
        const auto count = elementCount(shape).value_or(ElementCount());
        const ByteCount bytes =
            order ? ByteCount(order->extent()) : packedBytes(count, type).value_or(ByteCount());
        std::size_t file = 0;
        while (file < m_files.size() && m_files[file].path != path)
            ++file;
        const ByteCount found = file < m_files.size() ? m_files[file].file->size() : ByteCount();
        if (found != bytes && !m_weight.fault)
            m_weight.fault = lengthFault(path, bytes, file < m_files.size(), found);
        if (file == m_files.size()) {
            m_missing = true;
            return {role, type, std::move(shape), {}};
        }
        OperandPlace place;
        place.bytes = std::min(found, bytes);
        place.file = file;
        return operandAt(role, type, std::move(shape), std::move(place), std::move(order));
    }

    /// Of a file that is there: at the byte where it ends, or where it should.
    static Error lengthFault(std::string_view path, ByteCount bytes, bool there, ByteCount found)
    {
        if (!there)
            return manifestFault(std::string(path), fmt::format("{} bytes", bytes.value),
                                 "no such file", "A file of the matrix is missing");
        return valueError({path, FileOffset(std::min(bytes.value, found.value))},
                          "quantize.manifest", {}, fmt::format("{} bytes", bytes.value),
                          fmt::format("{} bytes", found.value),
                          "A file of the matrix does not have its length");
    }

    /// The order of an operand; where the shape has none, the weight gets the fault.
    std::shared_ptr<const codec::ElementOrder>
    orderOf(Result<std::shared_ptr<const codec::ElementOrder>> order)
    {
        if (order)
            return std::move(*order);
        m_weight.fault = std::move(order.error());
        return nullptr;
    }

    void addGroups()
    {
        constexpr std::uint64_t kGroup = codec::kMxGroup;
        const bool across = m_matrix.axis == 1;
        if ((across ? m_matrix.columnsStored : m_matrix.rowsStored) % kGroup != 0)
            m_weight.fault =
                manifestFault("columns_stored", "whole groups of 32",
                              fmt::format("{} x {}", m_matrix.rowsStored, m_matrix.columnsStored),
                              "The groups do not divide the matrix");
        const ElementType type = codec::mxElementType(codec::mxFormatOf(m_matrix.format));
        const Shape groups{across ? m_matrix.rowsStored : m_matrix.rowsStored / kGroup,
                           across ? m_matrix.columnsStored / kGroup : m_matrix.columnsStored};
        m_encoding.payload =
            add(PartRole::Data, type, m_weight.shape, "data.bin", orderOf(dataOrder(m_matrix)));
        codec::Scaling scaling;
        scaling.kind = codec::Scaling::Kind::Blockwise;
        scaling.scale = add(PartRole::Scale, ElementType::Fp8E8M0, groups, "exp.bin",
                            orderOf(exponentOrder(m_matrix)));
        m_encoding.scaling = std::move(scaling);
        m_weight.detail.emplace_back("block", across ? std::vector<std::uint64_t>{1, kGroup}
                                                     : std::vector<std::uint64_t>{kGroup, 1});
        m_weight.detail.emplace_back("valid_rows", m_matrix.rows);
        m_weight.detail.emplace_back("valid_columns", m_matrix.columns);
    }

    /// One fp32 scale, and of uint8 one fp32 offset, a row.
    void addRows()
    {
        const bool offsets = m_matrix.format == "uint8";
        const ElementType type = offsets ? ElementType::Uint8 : ElementType::Int8;
        m_encoding.payload = add(PartRole::Data, type, m_weight.shape, "data.bin");
        codec::Scaling scaling;
        scaling.kind = codec::Scaling::Kind::Affine;
        scaling.scale = add(PartRole::Scale, ElementType::Fp32, {m_matrix.rows}, "scale.bin");
        if (offsets)
            scaling.offset =
                add(PartRole::ZeroPoint, ElementType::Fp32, {m_matrix.rows}, "offset.bin");
        m_encoding.scaling = std::move(scaling);
    }

    const Description &m_matrix;
    const std::vector<BundleFile> &m_files;
    Weight m_weight;
    bool m_missing = false; ///< a file that the description names
    codec::Encoding m_encoding;
};

/// Claims of the weight's operands; gives their files their role.
void claimOperands(const Weight &weight, std::vector<BundleFile> &files, ContainerContents &out)
{
    for (std::size_t i = 0; i < weight.operands().size(); ++i) {
        const codec::Operand &operand = weight.operands()[i];
        const OperandPlace &place = *operand.place;
        out.claims[place.file].push_back(
            {place.range(), sectionKindOf(operand.role), {}, out.weights.size(), i});
        files[place.file].role = SectionKind::Values;
        files[place.file].payloadBytes = place.bytes;
    }
}

void readQuantized(ContainerInput &input, ContainerContents &out)
{
    std::vector<BundleFile> &files = input.files;
    auto *manifest = findBy(files, &BundleFile::path, quantized::kManifest);
    if (!manifest)
        return out.log.add(Severity::Error,
                           manifestFault("", std::string(quantized::kManifest), "no such file",
                                         "The folder has no description"));
    manifest->role = SectionKind::Manifest;
    const auto text = manifest->file->bytes();
    const auto matrix = quantized::parseManifest(text).and_then(quantized::describeMatrix);
    if (matrix) {
        Weight weight = QuantizedWeight(*matrix, files).make();
        if (weight.fault) {
            weight.fault = quantized::placedIn(text, *weight.fault);
            out.log.add(Severity::Error, *weight.fault);
        }
        claimOperands(weight, files, out);
        out.weights.push_back(std::move(weight));
    } else {
        out.log.add(Severity::Error, quantized::placedIn(text, matrix.error()));
    }
    out.claims[static_cast<std::size_t>(manifest - files.data())] = {
        {{FileOffset(0), manifest->file->size()}, SectionKind::Manifest, manifest->path}};
}

} // namespace

const ContainerReader &quantizedReader()
{
    static const ContainerReader reader{.kind = BundleKind::Quantized,
                                        .key = "quantized",
                                        .name = "a folder that quantize wrote",
                                        .wanted = "a folder that quantize wrote",
                                        .folderMarks = {quantized::kManifest},
                                        .read = readQuantized,
                                        .helpPage = "numbers",
                                        .fuzzTarget = "fuzz_quantized"};
    return reader;
}

} // namespace kernscope
