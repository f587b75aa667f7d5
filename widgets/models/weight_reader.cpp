// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/weight_reader.h"

#include <QStringList>

#include <array>

namespace kernscope::ui {

namespace {

constexpr std::uint64_t kShortVector = 32; ///< vectors up to this stay in one line
constexpr std::uint64_t kLongestLine = std::uint64_t{1} << 20;

std::uint64_t lineLength(std::uint64_t elements)
{
    if (elements <= kShortVector)
        return elements;
    std::uint64_t length = 1;
    while (length < kLongestLine && length * length < elements)
        length *= 2;
    return length;
}

} // namespace

SliceMap::SliceMap(Shape shape) : SliceMap(std::move(shape), 0, {}) {}

SliceMap::SliceMap(Shape shape, std::size_t rowAxis, std::vector<std::optional<std::uint64_t>> held)
    : m_shape(std::move(shape)), m_strides(m_shape.size(), 1),
      m_rowAxis(rowAxis < m_shape.size() ? rowAxis : 0), m_held(std::move(held))
{
    m_held.resize(m_shape.size());
    m_elements = elementCount(m_shape).value_or(ElementCount()).value;
    m_flat = m_shape.size() < 2;
    if (m_elements == 0)
        return;
    for (std::size_t axis = m_shape.size(); axis-- > 1;)
        m_strides[axis - 1] = m_strides[axis] * m_shape[axis];
    m_flat = m_shape.size() < 2 ||
             (m_elements > kShortVector && std::ranges::find(m_shape, m_elements) != m_shape.end());
    if (m_flat) {
        m_held.assign(m_shape.size(), std::nullopt);
        m_cols = m_chunk = lineLength(m_elements);
        m_rows = (m_elements - 1) / m_cols + 1;
        return;
    }
    m_held[m_rowAxis].reset();
    m_rows = m_shape[m_rowAxis];
    m_cols = 1;
    for (std::size_t axis = 0; axis < m_shape.size(); ++axis) {
        if (axis == m_rowAxis)
            continue;
        if (m_held[axis]) {
            m_held[axis] = std::min(*m_held[axis], m_shape[axis] - 1);
            m_base += *m_held[axis] * m_strides[axis];
        } else {
            m_colAxes.push_back(axis);
            m_cols *= m_shape[axis];
        }
    }
    for (auto it = m_colAxes.rbegin(); it != m_colAxes.rend() && m_strides[*it] == m_chunk; ++it)
        m_chunk *= m_shape[*it];
}

bool SliceMap::whole() const
{
    return std::ranges::none_of(m_held, [](const auto &at) { return at.has_value(); });
}

SliceMap SliceMap::part(const Shape &whole, std::size_t axis, std::uint64_t first,
                        std::uint64_t count)
{
    Shape shape = whole;
    shape[axis] = count;
    SliceMap map(std::move(shape));
    std::uint64_t inner = 1;
    for (std::size_t i = axis + 1; i < whole.size(); ++i)
        inner *= whole[i];
    map.m_within = Within{whole, first * inner, count * inner, whole[axis] * inner};
    return map;
}

std::optional<std::uint64_t> SliceMap::element(std::uint64_t row, std::uint64_t col) const
{
    const auto at = own(row, col);
    if (!at || !m_within)
        return at;
    return *at / m_within->run * m_within->stride + m_within->start + *at % m_within->run;
}

/// The same within the part.
std::optional<std::uint64_t> SliceMap::own(std::uint64_t row, std::uint64_t col) const
{
    if (row >= m_rows || col >= m_cols)
        return std::nullopt;
    if (m_flat) {
        const std::uint64_t at = row * m_cols + col;
        return at < m_elements ? std::optional(at) : std::nullopt;
    }
    std::uint64_t at = m_base + row * m_strides[m_rowAxis];
    for (auto it = m_colAxes.rbegin(); it != m_colAxes.rend(); ++it) {
        at += col % m_shape[*it] * m_strides[*it];
        col /= m_shape[*it];
    }
    return at;
}

std::optional<std::pair<std::uint64_t, std::uint64_t>> SliceMap::cell(std::uint64_t element) const
{
    if (m_within) {
        const std::uint64_t at = element % m_within->stride;
        if (at < m_within->start || at - m_within->start >= m_within->run)
            return std::nullopt;
        element = element / m_within->stride * m_within->run + at - m_within->start;
    }
    if (element >= m_elements)
        return std::nullopt;
    if (m_flat)
        return std::pair(element / m_cols, element % m_cols);
    const std::vector<std::uint64_t> at = indicesIn(m_shape, element);
    std::uint64_t col = 0;
    for (std::size_t axis = 0; axis < m_shape.size(); ++axis) {
        if (axis == m_rowAxis)
            continue;
        if (!m_held[axis])
            col = col * m_shape[axis] + at[axis];
        else if (*m_held[axis] != at[axis])
            return std::nullopt;
    }
    return std::pair(at[m_rowAxis], col);
}

SliceMap SliceMap::containing(std::uint64_t element) const
{
    if (m_within || element >= m_elements || m_flat)
        return *this;
    const std::vector<std::uint64_t> at = indices(element);
    auto held = m_held;
    for (std::size_t axis = 0; axis < held.size(); ++axis) {
        if (held[axis])
            held[axis] = at[axis];
    }
    return SliceMap(m_shape, m_rowAxis, std::move(held));
}

std::uint64_t SliceMap::run(std::uint64_t row, std::uint64_t col, std::uint64_t limit) const
{
    const auto first = own(row, col);
    if (!first)
        return 0;
    const std::uint64_t inChunk = m_chunk - col % m_chunk;
    std::uint64_t length = std::min({limit, m_cols - col, inChunk});
    if (m_flat)
        length = std::min(length, m_elements - *first);
    if (m_within)
        length = std::min(length, m_within->run - *first % m_within->run);
    return length;
}

std::vector<std::uint64_t> SliceMap::indices(std::uint64_t element) const
{
    return indicesIn(m_within ? m_within->shape : m_shape, element);
}

std::vector<std::uint64_t> SliceMap::indicesIn(const Shape &shape, std::uint64_t element)
{
    std::vector<std::uint64_t> at(shape.size());
    for (std::size_t axis = shape.size(); axis-- > 0;) {
        at[axis] = element % shape[axis];
        element /= shape[axis];
    }
    return at;
}

QString SliceMap::indexText(std::uint64_t element) const
{
    QStringList parts;
    for (const std::uint64_t at : indices(element))
        parts.append(QString::number(at));
    return QLatin1Char('[') + parts.join(QStringLiteral(", ")) + QLatin1Char(']');
}

QString SliceMap::columnText(std::uint64_t col) const
{
    if (m_flat)
        return m_rows > 1 ? QLatin1Char('+') + QString::number(col) : QString::number(col);
    QStringList parts;
    for (auto it = m_colAxes.rbegin(); it != m_colAxes.rend(); ++it) {
        if (m_shape[*it] == 1)
            continue; // says nothing
        parts.prepend(QString::number(col % m_shape[*it]));
        col /= m_shape[*it];
    }
    return parts.isEmpty() ? QStringLiteral("0") : parts.join(QLatin1Char(','));
}

QString SliceMap::rowText(std::uint64_t row) const
{
    return QString::number(m_flat ? row * m_cols : row);
}

namespace {

/// Elements apart up to which a whole stretch is decoded to pick a few from it.
constexpr std::uint64_t kNearStride = 16;
constexpr std::uint64_t kStretch = 1024;

} // namespace

WeightReader::WeightReader(BundlePtr bundle, std::size_t weight, SliceMap map)
    : m_bundle(std::move(bundle)), m_weight(weight), m_map(std::move(map))
{
}

const codec::Decoder *WeightReader::decoder() const
{
    std::call_once(m_once, [this] { m_decoder = m_bundle->decoder(m_weight); });
    return m_decoder ? &*m_decoder : nullptr;
}

Error WeightReader::fault() const
{
    decoder();
    return m_decoder ? Error{} : m_decoder.error();
}

/// Calls read(element, at, count, stride) for stretches of cells whose elements lie `stride` apart.
template <class Read>
void WeightReader::byRuns(std::uint64_t row, std::uint64_t col, std::uint64_t count,
                          Read read) const
{
    for (std::uint64_t at = 0; at < count;) {
        const std::uint64_t length = m_map.run(row, col + at, count - at);
        if (length == 0)
            return;
        const std::uint64_t first = *m_map.element(row, col + at);
        std::uint64_t cells = length, stride = 1;
        if (length == 1 && at + 1 < count) {
            const auto next = m_map.element(row, col + at + 1);
            stride = next && *next > first ? *next - first : kNearStride + 1;
            while (stride <= kNearStride && at + cells < count && cells * stride < kStretch &&
                   m_map.element(row, col + at + cells) == first + cells * stride)
                ++cells;
        }
        read(first, at, cells, stride);
        at += cells;
    }
}

/// decode(element, out) for the cells of a run, those that lie apart by way of all between them.
template <class T, class Decode>
void WeightReader::gather(std::uint64_t row, std::uint64_t col, std::span<T> out,
                          Decode decode) const
{
    byRuns(row, col, out.size(),
           [&](std::uint64_t first, std::uint64_t at, std::uint64_t cells, std::uint64_t stride) {
               if (stride == 1 || cells == 1) {
                   decode(first, out.subspan(at, cells));
                   return;
               }
               std::array<T, kStretch + kNearStride> stretch;
               const std::uint64_t span = (cells - 1) * stride + 1;
               decode(first, std::span(stretch).first(span));
               for (std::uint64_t i = 0; i < cells; ++i)
                   out[at + i] = stretch[i * stride];
           });
}

void WeightReader::values(const codec::Decoder &decoder, std::uint64_t row, std::uint64_t col,
                          std::span<float> out) const
{
    std::ranges::fill(out, 0.0f);
    gather(row, col, out,
           [&](std::uint64_t first, std::span<float> run) { decoder.decodeFloat(first, run); });
}

void WeightReader::codes(const codec::Decoder &decoder, std::uint64_t row, std::uint64_t col,
                         std::span<std::int64_t> out) const
{
    std::ranges::fill(out, codec::Decoder::kNotStored);
    gather(row, col, out,
           [&](std::uint64_t first, std::span<std::int64_t> run) { decoder.codes(first, run); });
}

void WeightReader::kept(const codec::Decoder &decoder, std::uint64_t row, std::uint64_t col,
                        std::span<std::uint8_t> out) const
{
    if (masked()) {
        for (std::size_t i = 0; i < out.size(); ++i) {
            const auto element = m_map.element(row, col + i);
            out[i] = element && decoder.stored(*element) ? 1 : 0;
        }
        return;
    }
    std::array<float, kStretch> piece;
    for (std::size_t at = 0; at < out.size(); at += kStretch) {
        const std::size_t count = std::min<std::size_t>(kStretch, out.size() - at);
        values(decoder, row, col + at, std::span(piece).first(count));
        for (std::size_t i = 0; i < count; ++i)
            out[at + i] = piece[i] != 0.0f ? 1 : 0; // NaN counts as something
    }
}

std::optional<std::uint64_t> firstElement(const Bundle &bundle, std::size_t weight,
                                          const std::function<bool(float)> &wanted,
                                          Progress &progress)
{
    const BundleReadLock lock(bundle);
    const auto decoder = bundle.decoder(weight);
    const std::uint64_t all = decoder ? decoder->elements().value : 0;
    std::vector<float> block(std::size_t{1} << 16);
    for (std::uint64_t first = 0; first < all && !progress.cancelled(); first += block.size()) {
        const std::span run(block.data(), std::min<std::uint64_t>(block.size(), all - first));
        decoder->decodeFloat(first, run);
        if (const auto at = std::ranges::find_if(run, wanted); at != run.end())
            return first + static_cast<std::uint64_t>(at - run.begin());
    }
    return std::nullopt;
}

} // namespace kernscope::ui
