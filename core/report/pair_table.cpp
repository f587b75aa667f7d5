// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/pair_table.h"

#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"
#include "core/bundle/stored_bytes.h"
#include "core/compare/pair_reader.h"
#include "core/form/form_steps.h"
#include "core/report/fact_values.h"
#include "core/report/weight_table.h"

#include <cmath>

#include <zlib.h>

namespace kernscope::report {

namespace {

constexpr unsigned kDocumentAndWindow = kDocument | kWindow;
constexpr int kPairDigits = 4; ///< of differences, for people

/// A figure of the values, once they are compared.
template <class Figure>
Value figure(const PairRow &row, Figure &&of)
{
    if (row.pair.values)
        return of(*row.pair.values);
    return row.asked ? Value(Unknown()) : Value(Absent());
}

template <double ValueDifference::*Member, int places = kPairDigits, bool significant = true>
Value differenceValue(const PairRow &row)
{
    return figure(row, [](const ValueDifference &values) {
        return errorFigure(values, Real{values.*Member, places, significant});
    });
}

template <std::uint64_t ValueDifference::*Member>
Value countValue(const PairRow &row)
{
    return figure(row,
                  [](const ValueDifference &values) -> Value { return Count{values.*Member}; });
}

Value zeroedShare(const PairRow &row)
{
    return figure(row, [](const ValueDifference &values) -> Value {
        const auto elements = static_cast<double>(values.elements());
        return Percent{elements > 0 ? static_cast<double>(values.zeroed) / elements : 0.0};
    });
}

/// What the tables say of one side.
struct SideWords {
    std::string &name, &findable, &form;
    Shape &shape;
    std::optional<ByteCount> &bytes;

    void fill(const Weight &weight)
    {
        name = weight.name;
        findable = weight.findableName();
        form = formWords(weight.form);
        shape = weight.shape;
        bytes = knownStoredBytes(weight);
    }
};

void fillSides(const Bundle &a, const Bundle &b, PairRow &row)
{
    if (row.onB())
        SideWords{row.nameB, row.findableB, row.formB, row.shapeB, row.bytesB}.fill(
            b.weights()[row.pair.b]);
    if (row.onA())
        SideWords{row.nameA, row.findableA, row.formA, row.shapeA, row.bytesA}.fill(
            a.weights()[row.pair.a]);
    const Weight &weight = row.onA() ? a.weights()[row.pair.a] : b.weights()[row.pair.b];
    row.function = functionWords(weight);
    row.elements = weight.elements.value;
}

PairRow aloneRow(const Bundle &a, const Bundle &b, PairSides sides)
{
    PairRow row;
    row.pair.a = sides.a;
    row.pair.b = sides.b;
    row.state = PairState::OneSided;
    fillSides(a, b, row);
    row.verdict = row.onA() ? "only in A" : "only in B";
    return row;
}

constexpr std::uint64_t kRun = 65536;
/// Share of the cells with a larger magnitude than that of the full colour: one in this number.
constexpr std::size_t kBeyond = 200;
constexpr std::uint8_t kZeroIndex = 127, kNotFinite = 255;

/// Rows and columns of a weight's elements, in their order.
struct Extents {
    std::uint64_t rows = 1, columns = 1;
};

Extents extentsOf(const Shape &shape, std::uint64_t elements)
{
    if (elements == 0)
        return {0, 0};
    const std::uint64_t outer = shape.empty() ? 1 : shape.front();
    if (shape.size() > 1 && outer > 1 && outer < elements && elements % outer == 0)
        return {outer, elements / outer};
    // A vector is wrapped, so that it is not one line.
    const auto columns =
        static_cast<std::uint64_t>(std::ceil(std::sqrt(2.0 * static_cast<double>(elements))));
    return {(elements + columns - 1) / columns, columns};
}

/// What falls into each cell.
class PictureCells
{
public:
    PictureCells(Extents extents)
        : m_extents(extents),
          m_width(std::min<std::uint64_t>(extents.columns, PairPicture::kMostColumns)),
          m_height(std::min<std::uint64_t>(extents.rows, PairPicture::kMostRows)),
          m_count(m_width * m_height), m_a(m_count.size()), m_b(m_count.size()),
          m_difference(m_count.size())
    {
    }

    bool binned() const { return m_width < m_extents.columns || m_height < m_extents.rows; }

    void add(std::uint64_t first, std::span<const double> a, std::span<const double> b)
    {
        std::uint64_t row = first / m_extents.columns, column = first % m_extents.columns;
        for (std::size_t i = 0; i < a.size(); ++i) {
            const std::size_t cell =
                row * m_height / m_extents.rows * m_width + column * m_width / m_extents.columns;
            ++m_count[cell];
            m_a[cell] += a[i];
            m_b[cell] += b[i];
            // Written so that what is not a number wins.
            const double difference = b[i] - a[i];
            if (!(std::abs(difference) <= std::abs(m_difference[cell])) && a[i] != b[i])
                m_difference[cell] = difference;
            if (++column == m_extents.columns) {
                column = 0;
                ++row;
            }
        }
    }

    PairPicture finish()
    {
        for (std::size_t i = 0; i < m_count.size(); ++i) {
            const double count = std::max<double>(1, static_cast<double>(m_count[i]));
            m_a[i] /= count;
            m_b[i] /= count;
        }
        PairPicture picture;
        picture.binned = binned();
        picture.valueRange = std::max(usual(m_a), usual(m_b));
        picture.differenceRange = usual(m_difference);
        picture.a = coloured(m_a, picture.valueRange);
        picture.b = coloured(m_b, picture.valueRange);
        picture.difference = coloured(m_difference, picture.differenceRange);
        return picture;
    }

private:
    /// The magnitude that all but a few cells keep: a weight's largest values are far from the
    /// others, and would leave them white. Of few cells that are not zero the largest.
    static double usual(const std::vector<double> &values)
    {
        std::vector<double> found;
        for (const double value : values) {
            if (std::isfinite(value) && value != 0)
                found.push_back(std::abs(value));
        }
        if (found.empty())
            return 0;
        const auto at = found.end() - 1 - static_cast<std::ptrdiff_t>(found.size() / kBeyond);
        std::nth_element(found.begin(), at, found.end());
        return *at;
    }

    IndexedPicture coloured(const std::vector<double> &values, double range) const
    {
        IndexedPicture picture{m_width, m_height, {}};
        picture.pixels.reserve(values.size());
        for (const double value : values) {
            if (!std::isfinite(value)) {
                picture.pixels.push_back(kNotFinite);
                continue;
            }
            double share = range > 0 ? std::clamp(value / range, -1.0, 1.0) : 0;
            // The square root keeps small differences visible beside large ones.
            share = std::copysign(std::sqrt(std::abs(share)), share);
            int index = kZeroIndex + static_cast<int>(std::lround(share * kZeroIndex));
            if (value != 0 && index == kZeroIndex)
                index += value > 0 ? 1 : -1;
            picture.pixels.push_back(static_cast<std::uint8_t>(std::clamp(index, 0, 254)));
        }
        return picture;
    }

    Extents m_extents;
    std::size_t m_width, m_height;
    std::vector<std::uint64_t> m_count;
    std::vector<double> m_a, m_b, m_difference;
};

using PngBytes = std::vector<std::byte>;

void putBig32(PngBytes &to, std::uint32_t value)
{
    for (int shift = 24; shift >= 0; shift -= 8)
        to.push_back(static_cast<std::byte>(value >> shift));
}

void putChunk(PngBytes &to, std::string_view name, std::span<const std::byte> content)
{
    putBig32(to, static_cast<std::uint32_t>(content.size()));
    const std::size_t from = to.size();
    for (const char c : name)
        to.push_back(static_cast<std::byte>(c));
    to.insert(to.end(), content.begin(), content.end());
    const auto sum = crc32(0, reinterpret_cast<const Bytef *>(to.data() + from),
                           static_cast<uInt>(to.size() - from));
    putBig32(to, static_cast<std::uint32_t>(sum));
}

/// Blue over white to orange; black for what is not finite.
PngBytes colourTable()
{
    constexpr std::array<double, 3> kLess{33, 102, 172}, kMore{179, 88, 6};
    PngBytes table;
    for (int index = 0; index < 255; ++index) {
        const double share = std::abs(index - 127) / 127.0;
        const auto &end = index < 127 ? kLess : kMore;
        for (const double channel : end)
            table.push_back(static_cast<std::byte>(std::lround(255 + (channel - 255) * share)));
    }
    table.insert(table.end(), 3, std::byte{0});
    return table;
}

} // namespace

PairRow pairRow(const Bundle &a, const Bundle &b, const ComparedPair &pair)
{
    PairRow row;
    row.pair = pair;
    row.state = pair.values                             ? PairState::Compared
                : !pair.shapeEqual || pair.unreadable() ? PairState::NoValues
                                                        : PairState::Waiting;
    fillSides(a, b, row);
    row.elements = comparedWeight(a, b, pair).elements.value;
    row.reason =
        fmt::format("{} ({})", pairingReason(a, b, pair), pairConfidenceName(pair.confidence));
    row.changes = pairChangesText(a, b, pair);
    row.verdict = verdict(pair, a, b);
    return row;
}

std::vector<PairRow> pairRows(const Bundle &a, const Bundle &b, std::span<const ComparedPair> pairs,
                              std::span<const std::size_t> onlyA,
                              std::span<const std::size_t> onlyB)
{
    std::vector<PairRow> rows;
    for (const ComparedPair &pair : pairs)
        rows.push_back(pairRow(a, b, pair));
    for (const std::size_t weight : onlyA)
        rows.push_back(aloneRow(a, b, {weight, kNoIndex}));
    for (const std::size_t weight : onlyB)
        rows.push_back(aloneRow(a, b, {kNoIndex, weight}));
    return rows;
}

std::string elementCountsText(const ValueDifference &values)
{
    if (values.identical())
        return fmt::format("all {} equal", grouped(values.elements()));
    std::string text = fmt::format("{} equal", grouped(values.equal));
    const auto add = [&text](std::uint64_t count, std::string_view word) {
        if (count > 0)
            text += fmt::format(", {} {}", grouped(count), word);
    };
    add(values.changed, "changed");
    add(values.zeroed, "zeroed");
    add(values.revived, "revived");
    add(values.notFinite, "not finite");
    return text;
}

Value errorFigure(const ValueDifference &values, const Real &number)
{
    if (values.notFinite > 0)
        return Written{number.number, "not finite"};
    if (std::isinf(number.number))
        return Written{number.number, number.number > 0 ? "infinite" : "minus infinite"};
    return number;
}

const TableOf<PairRow> pairTable(
    "pairs",
    {{kName | kTerminal, "names", "weight", "Name of the weight in A, and in B where that differs",
      [](auto &row) -> Value {
          if (!row.onA() || !row.onB() || row.findableA == row.findableB)
              return printable(row.onA() ? row.findableA : row.findableB);
          return printable(row.findableA) + " > " + printable(row.findableB);
      }},
     {kName | kWindow, "weight",
      "Name of the weight in A; that in B is in the tool tip where it differs",
      CELL(View(row.name()))},
     {kName | kDocument, "name", "weight", "Name of the weight in A", member<&PairRow::findableA>},
     {kDocument, "name_b", "in B", "Name of the weight in B", member<&PairRow::findableB>},
     {kWindow, "function", "Function that reads the weight; of a pipeline with its model",
      CELL(orNothing<Unknown>(row.function))},
     {"form_a", "A", "How A stores the weight", CELL(orNothing<Unknown>(row.formA))},
     {"form_b", "B", "How B stores the weight", CELL(orNothing<Unknown>(row.formB))},
     {kNumber | kDocumentAndWindow, "stored_a", "bytes in A",
      "Bytes that A stores for the weight, all its parts", CELL(known(row.bytesA))},
     {kNumber | kDocumentAndWindow, "stored_b", "bytes in B",
      "Bytes that B stores for the weight, all its parts", CELL(known(row.bytesB))},
     {kNumber | kTables, "stored_ratio", "stored B/A",
      "Stored bytes of B over those of A: below 1, B is smaller",
      CELL(known<Ratio>(row.pair.storedRatio))},
     {kNumber, "relative_rmse", "relative RMSE",
      "Root of the squares of the differences over those of A: the error as a share of the "
      "weight, by which the worst stand first",
      differenceValue<&ValueDifference::relativeRmse>},
     {kNumber, "snr_db", "SNR, dB",
      "Signal to noise ratio: the squares of A over those of the differences; infinite without "
      "a difference",
      differenceValue<&ValueDifference::snr, 2, false>},
     {kNumber, "max_abs", "max |B - A|", "Largest absolute difference of two decoded values",
      differenceValue<&ValueDifference::maxAbs>},
     {kNumber | kWindow, "mean_abs", "mean |B - A|",
      "Mean absolute difference over the elements finite in both",
      differenceValue<&ValueDifference::meanAbs>},
     {kNumber | kTables, "rmse", "RMSE", "Root of the mean squared difference",
      differenceValue<&ValueDifference::rmse>},
     {kNumber | kDocument, "max_rel", "max |B - A| / |A|",
      "Largest difference over the value in A; infinite where zeros of A are none in B",
      differenceValue<&ValueDifference::maxRel>},
     {kNumber, "cosine",
      "Cosine of the angle between the two tensors taken as vectors: 1 is the same direction",
      differenceValue<&ValueDifference::cosine, 6, false>},
     {kNumber, "max_ulp", "max ULP",
      "Largest difference in steps of the type of A: how many of its numbers lie between the "
      "two values; only where both are of one type",
      [](auto &row) {
          return figure(row,
                        [](const ValueDifference &values) { return known<Count>(values.ulp()); });
      }},
     {kName | kTerminal, "elements",
      "Elements that are equal, changed, zeroed, revived and no longer finite",
      [](auto &row) {
          return figure(row, [](const ValueDifference &values) -> Value {
              return elementCountsText(values);
          });
      }},
     {kNumber | kDocumentAndWindow, "equal",
      "Elements of the same value (+0 and -0 count as the same, NaN and NaN too)",
      countValue<&ValueDifference::equal>},
     {kNumber | kDocumentAndWindow, "changed", "Elements that are nonzero in both and differ",
      countValue<&ValueDifference::changed>},
     {kNumber | kDocument, "zeroed", "Elements that are nonzero in A and zero in B",
      countValue<&ValueDifference::zeroed>},
     {kNumber | kWindow, "zeroed_share", "zeroed",
      "Share of the elements that are nonzero in A and zero in B: what pruning took away",
      zeroedShare},
     {kNumber | kDocumentAndWindow, "revived", "Elements that are zero in A and nonzero in B",
      countValue<&ValueDifference::revived>},
     {kNumber | kDocument, "nonfinite_a", "not finite in A",
      "Elements of A that are infinite or no number", countValue<&ValueDifference::nonfiniteA>},
     {kNumber | kDocument, "nonfinite_b", "not finite in B",
      "Elements of B that are infinite or no number", countValue<&ValueDifference::nonfiniteB>},
     {kDocument, "pairing", "paired by",
      "How the two were found to be the same weight, as a term of JSON",
      CELL(row.onA() && row.onB() ? View(pairingName(row.pair.pairing)) : View())},
     {kTables, "paired_by", "paired by",
      "How the two were found to be the same weight: by the op that uses them, by name, by "
      "content, by shape, by their place in order, or by hand",
      [](auto &row) -> Value {
          if (!row.onA() || !row.onB())
              return Unknown();
          return pairingText(row.pair) +
                 (row.pair.confidence == PairConfidence::Guess ? " (a guess)" : "");
      }},
     {kWindow, "outcome", "chip",
      "What the chosen chip does with the weight as B stores it; with that of A in the tool tip",
      CELL(row.outcomeB ? outcomeValue(*row.outcomeB) : Value(Unknown()))},
     {kName, "changes", "what happened",
      "What became of the weight besides its values: renamed, moved, reordered, re-encoded, "
      "re-trained, edited or exchanged (B holds the values of another weight of A); unreadable "
      "where a side is damaged; or the part of a split or "
      "merged one",
      CELL(orNothing<Unknown>(row.changes))},
     {kName, "verdict", "What became of the weight, in a word", member<&PairRow::verdict>},
     {kDocumentAndWindow, "limits",
      "Whether the pair keeps the limits that are set, or which it exceeds",
      CELL(orNothing<Unknown>(row.limits))}},
    {"name",        "name_b",        "form_a",  "form_b",  "stored_a", "stored_b",
     "pairing",     "equal",         "changed", "zeroed",  "revived",  "nonfinite_a",
     "nonfinite_b", "relative_rmse", "snr_db",  "max_abs", "max_rel",  "max_ulp",
     "cosine",      "verdict",       "limits",  "changes"},
    {"weight",  "function", "form_a",       "form_b",    "stored_ratio", "relative_rmse",
     "snr_db",  "max_abs",  "zeroed_share", "outcome",   "verdict",      "limits",
     "cosine",  "max_ulp",  "stored_a",     "stored_b",  "equal",        "changed",
     "revived", "mean_abs", "rmse",         "paired_by", "changes"});

Result<PairPicture> pairPicture(const Bundle &a, const Bundle &b, const PairSides &sides,
                                Progress *progress)
{
    const BundleReadLock lock(a, b);
    const auto reader = TRY(diff::PairReader::make(a, b, sides));
    PictureCells cells(extentsOf(comparedWeight(a, b, sides).shape, reader.elements()));
    std::vector<double> valuesA(kRun), valuesB(kRun);
    for (std::uint64_t first = 0; first < reader.elements(); first += kRun) {
        const auto count = static_cast<std::size_t>(std::min(kRun, reader.elements() - first));
        const std::span<double> runA = std::span(valuesA).first(count),
                                runB = std::span(valuesB).first(count);
        reader.readDoubles(first, runA, runB);
        cells.add(first, runA, runB);
        if (progress != nullptr && !progress->advance(count))
            return tl::unexpected(cancelledError("The picture was cancelled"));
    }
    return cells.finish();
}

std::vector<std::byte> pngOf(const IndexedPicture &picture)
{
    PngBytes lines; // each after its filter byte
    lines.reserve((picture.width + 1) * picture.height);
    for (std::size_t row = 0; row < picture.height; ++row) {
        lines.push_back(std::byte{0});
        for (std::size_t column = 0; column < picture.width; ++column)
            lines.push_back(static_cast<std::byte>(picture.pixels[row * picture.width + column]));
    }
    uLongf packedBytes = compressBound(static_cast<uLong>(lines.size()));
    PngBytes packed(packedBytes);
    compress2(reinterpret_cast<Bytef *>(packed.data()), &packedBytes,
              reinterpret_cast<const Bytef *>(lines.data()), static_cast<uLong>(lines.size()), 9);
    packed.resize(packedBytes);

    PngBytes png;
    for (const unsigned byte : {0x89U, 0x50U, 0x4EU, 0x47U, 0x0DU, 0x0AU, 0x1AU, 0x0AU})
        png.push_back(static_cast<std::byte>(byte));
    PngBytes header;
    putBig32(header, static_cast<std::uint32_t>(picture.width));
    putBig32(header, static_cast<std::uint32_t>(picture.height));
    for (const unsigned byte : {8U, 3U, 0U, 0U, 0U}) // 8 bits, indexed, deflate, no filter choice
        header.push_back(static_cast<std::byte>(byte));
    putChunk(png, "IHDR", header);
    putChunk(png, "PLTE", colourTable());
    putChunk(png, "IDAT", packed);
    putChunk(png, "IEND", {});
    return png;
}

std::string dataUrl(std::span<const std::byte> png)
{
    static constexpr std::string_view kDigits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string url = "data:image/png;base64,";
    for (std::size_t i = 0; i < png.size(); i += 3) {
        std::uint32_t three = 0;
        for (std::size_t k = 0; k < 3; ++k)
            three =
                three << 8 | (i + k < png.size() ? std::to_integer<std::uint32_t>(png[i + k]) : 0);
        for (std::size_t k = 0; k < 4; ++k)
            url += i + k > png.size() ? '=' : kDigits[three >> (18 - 6 * k) & 63];
    }
    return url;
}

} // namespace kernscope::report
