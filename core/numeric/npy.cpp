// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/numeric/npy.h"

#include "core/base/error_builder.h"
#include "core/numeric/convert.h"
#include "core/numeric/half.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include <fmt/format.h>

namespace kernscope {

namespace {

struct NumpyType {
    ElementType type;
    char kind;
    std::size_t bytes;
};

constexpr std::array kNumpyTypes{
    NumpyType{ElementType::Fp16, 'f', 2},   NumpyType{ElementType::Fp32, 'f', 4},
    NumpyType{ElementType::Fp64, 'f', 8},   NumpyType{ElementType::Int8, 'i', 1},
    NumpyType{ElementType::Int16, 'i', 2},  NumpyType{ElementType::Int32, 'i', 4},
    NumpyType{ElementType::Int64, 'i', 8},  NumpyType{ElementType::Uint8, 'u', 1},
    NumpyType{ElementType::Uint16, 'u', 2}, NumpyType{ElementType::Uint32, 'u', 4},
    NumpyType{ElementType::Uint64, 'u', 8}, NumpyType{ElementType::Bool, 'b', 1},
};

} // namespace

std::string numpyTypeName(ElementType type)
{
    const auto *const row = std::ranges::find(kNumpyTypes, type, &NumpyType::type);
    // Weights hold eight booleans in a byte, NumPy one.
    if (row == kNumpyTypes.end() || type == ElementType::Bool)
        return {};
    return (row->bytes > 1 ? "<" : "") + std::string(1, row->kind) + std::to_string(row->bytes);
}

std::optional<ElementType> numpyElementType(char kind, std::size_t bytes)
{
    const auto *const row = std::ranges::find_if(kNumpyTypes, [=](const NumpyType &each) {
        return each.kind == kind && each.bytes == bytes;
    });
    return row == kNumpyTypes.end() ? std::nullopt : std::optional(row->type);
}

/// What the header of an array says.
struct NpyHeader {
    char kind = 0; ///< 'f', 'i', 'u' or 'b'
    std::size_t itemBytes = 0;
    bool bigEndian = false;
    bool fortranOrder = false;
    Shape shape;
    std::size_t dataAt = 0; ///< first byte of the elements
};

/// Reads the header at the start of a file. Errors: "npy.magic", "npy.header", "npy.type".
Result<NpyHeader> readNpyHeader(std::string_view text, std::string_view file);

namespace {

constexpr std::string_view kMagic("\x93NUMPY", 6);
constexpr std::size_t kMaxRank = 64;

std::string printed(std::string_view text)
{
    std::string out;
    for (const char c : text.substr(0, 40))
        out += c >= ' ' && c <= '~' ? c : '?';
    return text.size() > 40 ? out + "…" : out;
}

/// Reads the Python literal of a header: a dictionary of the three keys, in any order.
class HeaderParser
{
public:
    HeaderParser(std::string_view text, std::size_t at, std::string_view file)
        : m_text(text), m_base(at), m_file(file)
    {
    }

    Result<NpyHeader> parse()
    {
        NpyHeader header;
        if (!take('{'))
            return fault("npy.header", "a dictionary", rest());
        bool descr = false, order = false, shape = false;
        while (!take('}')) {
            const auto key = quoted();
            if (!key || !take(':'))
                return fault("npy.header", "a key and a colon", rest());
            const bool known = (*key == "descr" && !std::exchange(descr, true)) ||
                               (*key == "fortran_order" && !std::exchange(order, true)) ||
                               (*key == "shape" && !std::exchange(shape, true));
            if (!known)
                return fault("npy.header", "descr, fortran_order and shape, once each", *key);
            TRY(parseValue(*key, header));
            if (!take(',') && peek() != '}')
                return fault("npy.header", "a comma or the end of the dictionary", rest());
        }
        if (!descr || !order || !shape)
            return fault("npy.header", "descr, fortran_order and shape, once each", "fewer keys");
        if (skipSpace(); m_at != m_text.size())
            return fault("npy.header", "the end of the header", rest());
        return header;
    }

private:
    Result<void> parseValue(std::string_view key, NpyHeader &header)
    {
        if (key == "descr")
            return parseType(header);
        if (key == "shape")
            return parseShape(header.shape);
        if (takeWord("True"))
            header.fortranOrder = true;
        else if (!takeWord("False"))
            return fault("npy.header", "True or False", rest());
        return {};
    }

    Result<void> parseType(NpyHeader &header)
    {
        const auto text = quoted();
        if (!text)
            return fault("npy.type", "one plain element type", rest());
        std::string_view type = *text;
        if (!type.empty() && std::string_view("<>|=").find(type.front()) != type.npos) {
            header.bigEndian = type.front() == '>';
            type.remove_prefix(1);
        }
        const auto bytes = type.size() == 2 ? static_cast<std::size_t>(type[1] - '0') : 0;
        if (bytes != 0 && numpyElementType(type[0], bytes)) {
            header.kind = type[0];
            header.itemBytes = bytes;
            return {};
        }
        return fault("npy.type", "f2, f4, f8, i1 to i8, u1 to u8 or b1", *text);
    }

    Result<void> parseShape(Shape &shape)
    {
        if (!take('('))
            return fault("npy.header", "a tuple of extents", rest());
        while (!take(')')) {
            const auto extent = number();
            if (!extent || shape.size() == kMaxRank)
                return fault("npy.header", fmt::format("at most {} extents", kMaxRank), rest());
            shape.push_back(*extent);
            if (!take(',') && peek() != ')')
                return fault("npy.header", "a comma or a closing parenthesis", rest());
        }
        return {};
    }

    void skipSpace()
    {
        while (m_at < m_text.size() &&
               std::string_view(" \t\r\n").find(m_text[m_at]) != std::string_view::npos)
            ++m_at;
    }
    char peek()
    {
        skipSpace();
        return m_at < m_text.size() ? m_text[m_at] : '\0';
    }
    bool take(char c)
    {
        if (peek() != c || m_at == m_text.size())
            return false;
        ++m_at;
        return true;
    }
    bool takeWord(std::string_view word)
    {
        skipSpace();
        if (m_text.substr(m_at, word.size()) != word)
            return false;
        m_at += word.size();
        return true;
    }
    std::optional<std::string> quoted()
    {
        const char quote = peek();
        if (quote != '\'' && quote != '"')
            return std::nullopt;
        const auto end = m_text.find(quote, m_at + 1);
        if (end == std::string_view::npos)
            return std::nullopt;
        std::string text(m_text.substr(m_at + 1, end - m_at - 1));
        m_at = end + 1;
        return text;
    }
    std::optional<std::uint64_t> number()
    {
        skipSpace();
        const std::size_t start = m_at;
        std::optional<std::uint64_t> value = 0;
        for (; m_at < m_text.size() && m_text[m_at] >= '0' && m_text[m_at] <= '9'; ++m_at) {
            value = checkedMultiply(*value, 10);
            if (value)
                value = checkedAdd(*value, static_cast<std::uint64_t>(m_text[m_at] - '0'));
            if (!value)
                return std::nullopt;
        }
        if (m_at == start)
            return std::nullopt;
        if (m_at < m_text.size() && m_text[m_at] == 'L') // Python 2 wrote long integers so
            ++m_at;
        return value;
    }
    std::string_view rest() const { return m_text.substr(m_at); }

    tl::unexpected<Error> fault(std::string_view code, std::string expected,
                                std::string_view found) const
    {
        return refused({m_file, FileOffset(m_base + m_at)}, code, "header", expected,
                       found.empty() ? "the end of the header" : printed(found),
                       code == "npy.type" ? "The element type of the array cannot be read"
                                          : "The header of the array cannot be read");
    }

    std::string_view m_text;
    std::size_t m_at = 0;
    std::size_t m_base;
    std::string_view m_file;
};

tl::unexpected<Error> fault(std::string_view code, std::string_view file, std::size_t offset,
                            std::string expected, std::string found, std::string message)
{
    return refused({file, FileOffset(offset)}, code, {}, expected, found, message);
}

} // namespace

Result<NpyHeader> readNpyHeader(std::string_view text, std::string_view file)
{
    if (text.substr(0, kMagic.size()) != kMagic) {
        return fault("npy.magic", file, 0, "\\x93NUMPY", printed(text.substr(0, kMagic.size())),
                     "This is not a NumPy array file");
    }
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
    if (text.size() < 12) {
        return fault("npy.header", file, 6, "at least 12 bytes",
                     fmt::format("{} bytes", text.size()), "The header of the array is cut");
    }
    const unsigned version = byte(6);
    if (version < 1 || version > 3) {
        return fault("npy.magic", file, 6, "format version 1, 2 or 3", fmt::format("{}", version),
                     "This version of the array format is not known");
    }
    const std::size_t start = version == 1 ? 10 : 12;
    std::size_t length = byte(8) | static_cast<std::size_t>(byte(9)) << 8;
    if (version > 1)
        length |= static_cast<std::size_t>(byte(10)) << 16 | static_cast<std::size_t>(byte(11))
                                                                 << 24;
    if (length > text.size() - start) {
        return fault("npy.header", file, 8, fmt::format("at most {} bytes", text.size() - start),
                     fmt::format("{} bytes", length), "The header of the array is cut");
    }
    auto header = HeaderParser(text.substr(start, length), start, file).parse();
    if (header)
        header->dataAt = start + length;
    return header;
}

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
        std::ranges::reverse(bytes);
    if constexpr (std::is_same_v<T, bool>)
        return bytes[0] != std::byte{0};
    else
        return std::bit_cast<T>(bytes);
}

/// A type of its own distinguishes fp16 numbers from unsigned 16-bit integers.
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
    return refused(
        {fileName, FileOffset(header.dataAt)}, "npy.length", {},
        bytes ? fmt::format("{} bytes of elements", *bytes)
              : std::string("a number of elements that fits 64 bits"),
        fmt::format("{} bytes", stored),
        fmt::format("The length of the file does not fit the shape {}", shapeText(header.shape)));
}

} // namespace

std::string npyHeader(ElementType type, const Shape &shape)
{
    std::string extents;
    for (const std::uint64_t extent : shape)
        extents += fmt::format("{}{}", extents.empty() ? "" : ", ", extent);
    if (shape.size() == 1)
        extents += ",";
    const bool isWritten = type == ElementType::Fp16 || type == ElementType::Fp64 ||
                           type == ElementType::Int64 || type == ElementType::Uint64;
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
    const auto header = TRY(readNpyHeader(text, fileName));
    const auto bytes = TRY(elementBytes(header, fileBytes, fileName));
    NpyLayout layout;
    layout.type = typeOf(header);
    layout.shape = header.shape;
    layout.fortranOrder = header.fortranOrder;
    layout.bigEndian = header.bigEndian && header.itemBytes > 1;
    layout.dataAt = header.dataAt;
    layout.bytes = ByteCount(bytes);
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

void readNpyElements(std::span<const std::byte> file, const NpyLayout &layout, std::uint64_t first,
                     std::span<std::int64_t> out)
{
    const std::byte *const data = file.data() + layout.dataAt;
    withStoredType(layout.type, [&](auto stored) {
        using T = decltype(stored);
        if constexpr (std::is_integral_v<T>)
            forEachElement(layout, first, out.size(), [&](std::size_t i, std::uint64_t index) {
                out[i] = static_cast<std::int64_t>(
                    loadElement<T>(data + index * sizeof(T), layout.bigEndian));
            });
    });
}

Result<NpyArray> readNpy(std::span<const std::byte> file, std::string_view fileName)
{
    auto layout = TRY(readNpyLayout(file, fileName));
    NpyArray array;
    array.type = layout.type;
    // The bytes lie in the file: so does the number of elements.
    array.values.resize(elementCount(layout.shape).value_or(ElementCount()).value);
    readNpyElements(file, layout, 0, array.values);
    array.shape = std::move(layout.shape);
    return array;
}

} // namespace kernscope
