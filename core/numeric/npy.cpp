// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/numeric/npy.h"

#include "core/base/error_builder.h"
#include "core/base/quantity.h"
#include "core/numeric/convert.h"
#include "core/numeric/half.h"
#include "core/numeric/npy_header.h"
#include "core/numeric/npy_types.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

namespace kernscope {

namespace {

/// A stored number as fp64.
template <class T>
double widened(T value)
{
    if constexpr (std::is_same_v<T, bool>)
        return value ? 1.0 : 0.0;
    else
        return static_cast<double>(value);
}

/// One element of T (fp16 as its bits), whatever the order of its bytes.
template <class T>
T loadElement(const std::byte *at, bool bigEndian)
{
    std::array<std::byte, sizeof(T)> bytes;
    std::memcpy(bytes.data(), at, sizeof(T));
    if (bigEndian != (std::endian::native == std::endian::big))
        std::reverse(bytes.begin(), bytes.end());
    if constexpr (std::is_same_v<T, bool>)
        return bytes[0] != std::byte{0};
    else
        return std::bit_cast<T>(bytes);
}

/// fp16 numbers are told from unsigned integers of 16 bits by a type of their own.
struct HalfBits {
    std::uint16_t bits;
    explicit operator double() const { return static_cast<double>(halfToFloat(bits)); }
};

/// Calls `work(T())` with the type that elements are stored as.
template <class Work>
void withStoredType(ElementType type, Work work)
{
    switch (type) {
    case ElementType::Fp16: return work(HalfBits());
    case ElementType::Fp32: return work(float());
    case ElementType::Fp64: return work(double());
    case ElementType::Int8: return work(std::int8_t());
    case ElementType::Int16: return work(std::int16_t());
    case ElementType::Int32: return work(std::int32_t());
    case ElementType::Int64: return work(std::int64_t());
    case ElementType::Uint8: return work(std::uint8_t());
    case ElementType::Uint16: return work(std::uint16_t());
    case ElementType::Uint32: return work(std::uint32_t());
    case ElementType::Uint64: return work(std::uint64_t());
    default: return work(bool());
    }
}

/// The header was checked: it names one of NumPy's types.
ElementType typeOf(const NpyHeader &header)
{
    return numpyElementType(header.kind, header.itemBytes).value_or(ElementType::Bool);
}

/// Visits elements in the order of their rows where they lie with the first axis innermost.
class FortranWalk
{
public:
    FortranWalk(const Shape &shape, std::uint64_t first)
        : m_shape(shape), m_index(shape.size(), 0), m_stride(shape.size(), 1)
    {
        for (std::size_t axis = 1; axis < shape.size(); ++axis)
            m_stride[axis] = m_stride[axis - 1] * shape[axis - 1];
        for (std::size_t axis = shape.size(); axis-- > 0;) {
            m_index[axis] = first % shape[axis];
            first /= shape[axis];
            m_at += m_index[axis] * m_stride[axis];
        }
    }

    std::uint64_t at() const { return m_at; }
    void advance()
    {
        for (std::size_t axis = m_shape.size(); axis-- > 0;) {
            m_at += m_stride[axis];
            if (++m_index[axis] < m_shape[axis])
                return;
            m_at -= m_stride[axis] * m_shape[axis];
            m_index[axis] = 0;
        }
    }

private:
    const Shape &m_shape;
    Shape m_index, m_stride;
    std::uint64_t m_at = 0;
};

/// The bytes of the elements, which must be all that follows the header.
Result<std::uint64_t> elementBytes(const NpyHeader &header, std::size_t fileBytes,
                                   std::string_view fileName)
{
    const auto count = elementCount(header.shape);
    const auto bytes = count ? checkedMultiply(count->value, header.itemBytes) : std::nullopt;
    const std::size_t stored = fileBytes - header.dataAt;
    if (bytes && *bytes == stored)
        return *bytes;
    return ErrorBuilder("npy.length")
        .file(fileName)
        .at(FileOffset(header.dataAt))
        .expected(bytes ? fmt::format("{} bytes of elements", *bytes)
                        : std::string("a number of elements that fits 64 bits"))
        .found(fmt::format("{} bytes", stored))
        .message(fmt::format("The length of the file does not fit the shape {}",
                             shapeText(header.shape)))
        .unexpected();
}

} // namespace

std::string npyHeader(ElementType type, const Shape &shape)
{
    std::string extents;
    for (const std::uint64_t extent : shape)
        extents += fmt::format("{}{}", extents.empty() ? "" : ", ", extent);
    if (shape.size() == 1)
        extents += ",";
    const bool isWritten = type == ElementType::Fp16 || type == ElementType::Fp64;
    std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}",
                                   numpyTypeName(isWritten ? type : ElementType::Fp32), extents);
    // The elements begin at a multiple of 64; the last byte before them is a newline.
    const std::size_t start = 10;
    const std::size_t total = (start + text.size() + 1 + 63) / 64 * 64;
    text.append(total - start - text.size() - 1, ' ');
    text += '\n';
    std::string header("\x93NUMPY", 6);
    header += '\x01';
    header += '\x00';
    header += static_cast<char>(text.size() & 0xff);
    header += static_cast<char>(text.size() >> 8 & 0xff);
    return header + text;
}

Result<NpyLayout> readNpyLayout(std::span<const std::byte> file, std::string_view fileName)
{
    return readNpyLayout(file, file.size(), fileName);
}

Result<NpyLayout> readNpyLayout(std::span<const std::byte> file, std::uint64_t fileBytes,
                                std::string_view fileName)
{
    const std::string_view text(reinterpret_cast<const char *>(file.data()), file.size());
    const auto header = readNpyHeader(text, fileName);
    if (!header)
        return tl::unexpected(header.error());
    const auto bytes = elementBytes(*header, fileBytes, fileName);
    if (!bytes)
        return tl::unexpected(bytes.error());
    NpyLayout layout;
    layout.type = typeOf(*header);
    layout.shape = header->shape;
    layout.fortranOrder = header->fortranOrder;
    layout.bigEndian = header->bigEndian && header->itemBytes > 1;
    layout.dataAt = header->dataAt;
    layout.bytes = ByteCount(*bytes);
    return layout;
}

/// Calls `store(i, index)` for elements [first, first + count): the one that comes i-th lies at
/// `index` among those of the file.
template <class Store>
static void forEachElement(const NpyLayout &layout, std::uint64_t first, std::size_t count,
                           Store store)
{
    if (!layout.fortranOrder || layout.shape.size() < 2) {
        for (std::size_t i = 0; i < count; ++i)
            store(i, first + i);
        return;
    }
    FortranWalk walk(layout.shape, first);
    for (std::size_t i = 0; i < count; ++i) {
        store(i, walk.at());
        walk.advance();
    }
}

void readNpyElements(std::span<const std::byte> file, const NpyLayout &layout, std::uint64_t first,
                     std::span<double> out)
{
    if (out.empty())
        return;
    const std::byte *const data = file.data() + layout.dataAt;
    withStoredType(layout.type, [&](auto stored) {
        using T = decltype(stored);
        forEachElement(layout, first, out.size(), [&](std::size_t i, std::uint64_t index) {
            out[i] = widened(loadElement<T>(data + index * sizeof(T), layout.bigEndian));
        });
    });
}

void readNpyElements(std::span<const std::byte> file, const NpyLayout &layout, std::uint64_t first,
                     std::span<float> out)
{
    if (out.empty())
        return;
    const bool rows = !layout.fortranOrder || layout.shape.size() < 2;
    if (rows && !layout.bigEndian) {
        convertToFloat(file.subspan(layout.dataAt), layout.type, first, out);
        return;
    }
    const std::byte *const data = file.data() + layout.dataAt;
    withStoredType(layout.type, [&](auto stored) {
        using T = decltype(stored);
        forEachElement(layout, first, out.size(), [&](std::size_t i, std::uint64_t index) {
            out[i] = static_cast<float>(
                widened(loadElement<T>(data + index * sizeof(T), layout.bigEndian)));
        });
    });
}

Result<NpyArray> readNpy(std::span<const std::byte> file, std::string_view fileName)
{
    auto layout = readNpyLayout(file, fileName);
    if (!layout)
        return tl::unexpected(std::move(layout.error()));
    NpyArray array;
    array.type = layout->type;
    // The bytes lie in the file: so does the number of elements.
    array.values.resize(elementCount(layout->shape).value_or(ElementCount()).value);
    readNpyElements(file, *layout, 0, array.values);
    array.shape = std::move(layout->shape);
    return array;
}

} // namespace kernscope
