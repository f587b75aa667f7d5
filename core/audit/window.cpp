// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/audit/window.h"

#include "core/bundle/bundle.h"
#include "core/bundle/part_data.h"
#include "core/codec/encode/kmeans.h"
#include "core/numeric/convert.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>

namespace kernscope::audit {

namespace {

constexpr std::uint64_t kChunk = 1U << 16;
/// A code that is this much further off than the nearest one is another one.
constexpr double kOffSteps = 0.1;

/// Largest magnitude, by lanes.
float largestOf(std::span<const float> values)
{
    constexpr std::size_t kLanes = 8;
    std::array<float, kLanes> most{};
    std::size_t i = 0;
    for (; i + kLanes <= values.size(); i += kLanes) {
        for (std::size_t k = 0; k < kLanes; ++k) {
            const float size = std::abs(values[i + k]);
            most[k] = size > most[k] ? size : most[k];
        }
    }
    for (; i < values.size(); ++i)
        most[0] = std::max(most[0], std::abs(values[i]));
    return *std::ranges::max_element(most);
}

/// What one more makes of the entries of a table of integers; 0 of other tables.
double stepOfTable(const codec::OperandSource &table)
{
    const auto *made = std::get_if<std::shared_ptr<const codec::Encoding>>(&table);
    const codec::OperandSource &entries = made ? (*made)->payload : table;
    if (isFloatingPoint(codec::sourceType(entries)))
        return 0;
    const codec::Operand *scale =
        made && (*made)->scaling ? codec::storedOperand((*made)->scaling->scale) : nullptr;
    return scale && !scale->bytes.empty() ? std::abs(loadValue(scale->bytes, scale->type, 0)) : 1;
}

/// Whether two tables are one, each by a factor of its own.
bool areProportional(const std::vector<float> &one, const std::vector<float> &other)
{
    constexpr float kRounding = 4e-3F; // of scale and entry in fp16
    const auto largest = [](const std::vector<float> &table) {
        return std::max(std::abs(table.front()), std::abs(table.back()));
    };
    const float a = largest(one), b = largest(other);
    for (std::size_t i = 0; i < one.size(); ++i) {
        if (!(std::abs(one[i] * b - other[i] * a) <= kRounding * a * b))
            return false;
    }
    return true;
}

/// Of each table the first of those that it is proportional to: all are, or those that differ by
/// their place along one axis of the grid; empty where none is.
std::vector<std::uint64_t> familiesOf(const std::vector<std::vector<float>> &tables,
                                      const Shape &grid)
{
    if (elementCount(grid) != ElementCount(tables.size()))
        return {};
    std::uint64_t inner = 1;
    for (std::size_t axis = grid.size() + 1; axis-- > 0;) {
        const bool whole = axis == grid.size();
        const std::uint64_t extent = whole ? tables.size() : grid[axis];
        std::vector<std::uint64_t> first(tables.size());
        bool one = extent > 1;
        for (std::size_t i = 0; one && i < tables.size(); ++i) {
            first[i] = i - i / inner % extent * inner;
            one = areProportional(tables[i], tables[static_cast<std::size_t>(first[i])]);
        }
        if (one)
            return first;
        inner *= whole ? 1 : extent;
    }
    return {};
}

constexpr std::uint64_t kSampledScaled = 1U << 14, kSampledTables = 1U << 15;
constexpr std::uint64_t kReadWhole = 1U << 20;

using Values = std::vector<float>;

double largestCode(ElementType type)
{
    Values probe{3e38F};
    roundToType(type, probe);
    if (std::isfinite(probe[0]) && probe[0] < 1e30F)
        return static_cast<double>(probe[0]);
    return type == ElementType::Fp8E5M2 ? 57344 : type == ElementType::Fp8E4M3Fn ? 448 : 6;
}

/// Squared error of the best of many scales for one block.
/// `top`: largest magnitude of a block of which `values` are a part; 0: they are all of it.
double bestOfScales(const StoredSteps &steps, std::span<const float> values, double top)
{
    constexpr int kTried = 65;
    constexpr double kMost = 1.04;
    // What is clipped of a block that is not seen as a whole is not known.
    const double kLeast = top > 0 ? 0.9 : 0.40;
    double low = 0, high = 0;
    for (const float value : values) {
        low = std::min(low, static_cast<double>(value));
        high = std::max(high, static_cast<double>(value));
    }
    if (std::max(-low, high) == 0)
        return 0;
    if (top > 0) {
        high = high > 0 ? top : high;
        low = low < 0 ? -top : low;
    }
    top = std::max(-low, high);
    const bool shifted = !steps.symmetric;
    const double middle = std::floor((steps.low + steps.high + 1) / 2);
    double best = HUGE_VAL;
    Values coded(steps.integers ? 0 : values.size());
    for (int i = 0; i < kTried; ++i) {
        const double factor = kLeast + (kMost - kLeast) * i / (kTried - 1);
        double error = 0;
        if (!steps.integers) {
            const double scale = top * factor / largestCode(steps.codeType);
            for (std::size_t k = 0; k < values.size(); ++k)
                coded[k] = static_cast<float>(static_cast<double>(values[k]) / scale);
            roundToType(steps.codeType, coded);
            for (std::size_t k = 0; k < values.size(); ++k) {
                const double off =
                    static_cast<double>(coded[k]) * scale - static_cast<double>(values[k]);
                error += off * off;
            }
        } else {
            const double range = steps.high - steps.low;
            const double scale =
                shifted ? (high - low) * factor / range : top * factor / (steps.high - middle);
            const double zero = shifted ? std::nearbyint(-low * factor / scale) : 0;
            const double first = shifted ? -zero : steps.low - middle,
                         last = shifted ? range - zero : steps.high - middle;
            for (const float value : values) {
                const auto wanted = static_cast<double>(value);
                const double code = std::clamp(std::nearbyint(wanted / scale), first, last);
                error += (code * scale - wanted) * (code * scale - wanted);
            }
        }
        best = std::min(best, error);
    }
    return best;
}

/// Squared error of the best table for values, each of which counts by the square of its scale.
double bestOfTable(const StoredSteps &steps, const Values &values, const Values &scales)
{
    Values order = values;
    std::ranges::sort(order);
    std::vector<codec::MassedValue> distinct;
    for (const float value : order) {
        if (distinct.empty() || distinct.back().value != value)
            distinct.push_back({value, 0});
        ++distinct.back().mass;
    }
    const bool real = isFloatingPoint(steps.tableType), coarse = steps.tableIsCoarse();
    if (distinct.size() <= steps.entries && !coarse)
        return 0;
    Values centres = codec::optimalCentres(distinct, static_cast<std::size_t>(steps.entries));
    if (coarse && !order.empty()) {
        // As integers or fp8 numbers hold them, with the scale that they should have.
        const bool scaled = steps.tableScaled || !scales.empty();
        const float low = isUnsignedInteger(steps.tableType) && scaled ? order.front() : 0;
        const float top = std::max(low - order.front(), order.back() - low);
        const float step =
            scaled && top > 0 ? top / static_cast<float>(largestCode(steps.tableType)) : 1;
        for (float &centre : centres)
            centre = real ? centre / step : std::nearbyint((centre - low) / step);
        roundToType(steps.tableType, centres);
        for (float &centre : centres)
            centre = centre * step + low;
    }
    double error = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        auto at = std::lower_bound(centres.begin(), centres.end(), values[i]);
        double off =
            at == centres.end() ? HUGE_VAL : std::abs(static_cast<double>(*at - values[i]));
        if (at != centres.begin())
            off = std::min(off, std::abs(static_cast<double>(*(at - 1) - values[i])));
        const double scale = scales.empty() ? 1 : static_cast<double>(scales[i]);
        error += off * off * scale * scale;
    }
    return error;
}

/// Values by the block or the table that they belong to.
struct Buckets {
    std::map<std::uint64_t, Values> values;
    std::map<std::uint64_t, std::vector<std::uint64_t>> cells; ///< of scaled tables: the scale's
};

double squaredRounding(ElementType type, std::span<const float> values)
{
    Values rounded(values.begin(), values.end());
    roundToType(type, rounded);
    double error = 0;
    for (std::size_t i = 0; i < rounded.size(); ++i) {
        const double off = static_cast<double>(rounded[i]) - static_cast<double>(values[i]);
        error += std::isfinite(off) ? off * off : 0;
    }
    return error;
}

/// Which elements the mask keeps; empty: no mask.
std::vector<bool> keptOf(const Subject &subject, std::uint64_t first, std::size_t count)
{
    if (!subject.sparse())
        return {};
    std::vector<std::int64_t> codes(count);
    subject.decoder.codes(first, codes);
    std::vector<bool> kept(count);
    for (std::size_t i = 0; i < count; ++i)
        kept[i] = codes[i] != codec::Decoder::kNotStored;
    return kept;
}

PairSums sumsOf(std::span<const float> d, std::span<const float> r)
{
    constexpr std::size_t kLanes = 8, kRun = 2048;
    PairSums sums;
    for (std::size_t begin = 0; begin < d.size(); begin += kRun) {
        const std::size_t end = std::min(d.size(), begin + kRun);
        std::array<float, kLanes> dd{}, rr{}, dr{}, ee{};
        std::size_t i = begin;
        for (; i + kLanes <= end; i += kLanes) {
            for (std::size_t k = 0; k < kLanes; ++k) {
                const float a = d[i + k], b = r[i + k], e = a - b;
                dd[k] += a * a;
                rr[k] += b * b;
                dr[k] += a * b;
                ee[k] += e * e;
            }
        }
        for (std::size_t k = 0; i < end; ++i, ++k) {
            const float a = d[i], b = r[i], e = a - b;
            dd[k] += a * a;
            rr[k] += b * b;
            dr[k] += a * b;
            ee[k] += e * e;
        }
        PairSums run;
        for (std::size_t k = 0; k < kLanes; ++k) {
            run.dd += static_cast<double>(dd[k]);
            run.rr += static_cast<double>(rr[k]);
            run.dr += static_cast<double>(dr[k]);
            run.ee += static_cast<double>(ee[k]);
        }
        run.count = end - begin;
        if (!std::isfinite(run.dd) || !std::isfinite(run.rr) || !std::isfinite(run.ee)) {
            run = {};
            for (std::size_t at = begin; at < end; ++at) {
                const auto a = static_cast<double>(d[at]), b = static_cast<double>(r[at]);
                if (!std::isfinite(a) || !std::isfinite(b)) {
                    run.notFinite += std::isfinite(b);
                    run.nanThere += std::isfinite(a) && std::isnan(b); // infinities may be masks
                    continue;
                }
                run.dd += a * a;
                run.rr += b * b;
                run.dr += a * b;
                run.ee += (a - b) * (a - b);
                ++run.count;
            }
        }
        sums.add(run);
    }
    return sums;
}

} // namespace

StoredSteps::StoredSteps(const Bundle &package, std::size_t index, const codec::Decoder &decoder)
{
    const Weight &weight = package.weights()[index];
    const codec::Encoding &encoding = decoder.encoding();
    masked = encoding.mask.has_value();
    const codec::Operand *payload = codec::storedOperand(encoding.payload);
    codes = payload != nullptr;
    valueType = codeType = codec::sourceType(encoding.payload);
    if (encoding.palette) {
        palette = true;
        entries = encoding.palette->entries;
        vector = encoding.palette->vector;
        bits = payload ? bitWidth(payload->type) : 0;
        tableStep = stepOfTable(encoding.palette->lut);
        const auto *made =
            std::get_if<std::shared_ptr<const codec::Encoding>>(&encoding.palette->lut);
        tableType = codec::sourceType(made ? (*made)->payload : encoding.palette->lut);
        tableScaled = made && (*made)->scaling;
        const auto values = decoder.codebookValues();
        tables.assign(values.begin(), values.end());
        if (vector == 1 && entries > 0) {
            for (std::size_t at = 0; at + entries <= tables.size(); at += entries) {
                const auto from = tables.begin() + static_cast<std::ptrdiff_t>(at);
                auto &table =
                    sorted.emplace_back(from, from + static_cast<std::ptrdiff_t>(entries));
                std::ranges::sort(table);
            }
            families = familiesOf(sorted, encoding.palette->grid);
            sharedTable = !families.empty();
            equalTables = sharedTable && std::ranges::all_of(sorted, [&](const auto &table) {
                              return table == sorted[0];
                          });
        }
    } else if (payload) {
        bits = bitWidth(payload->type);
        integers = !isFloatingPoint(payload->type);
        const bool isSigned = isSignedInteger(payload->type);
        low = isSigned ? -std::ldexp(1.0, static_cast<int>(bits) - 1) : 0;
        high = std::ldexp(1.0, static_cast<int>(bits) - (isSigned ? 1 : 0)) - 1;
    }
    if (!encoding.scaling || !weight.form.scaling() || !ScaleData::has(weight) ||
        codec::storedOperand(encoding.scaling->scale) == nullptr)
        return;
    Progress progress;
    auto data = ScaleData::read(package, index, progress);
    if (!data)
        return;
    Shape shape(weight.shape.size(), 1);
    if (data->shape.size() == weight.shape.size()) {
        shape = data->shape;
    } else if (data->rows() > 1) {
        const std::size_t axis = data->axis.value_or(0);
        if (axis >= shape.size() || weight.shape[axis] != data->rows())
            return;
        shape[axis] = data->rows();
    }
    for (std::size_t i = 0; i < shape.size(); ++i) {
        if (shape[i] == 0 || weight.shape[i] % shape[i] != 0)
            return;
    }
    scaled = true;
    scales = std::move(data->scales);
    zeros = std::move(data->zeros);
    biases = std::move(data->biases);
    const double middle = std::floor((low + high + 1) / 2);
    symmetric = biases.empty() &&
                (zeros.empty() ? low < 0 : std::ranges::all_of(zeros, [middle](double zero) {
                    return zero == middle;
                }));
    if (encoding.scaling->addsOffset || (!zeros.empty() && zeros.size() != 1 &&
                                         scales.size() != zeros.size() && scales.size() != 1))
        zeros.clear(); // of another arithmetic: no steps are known
    scaleShape = shape;
    grid = codec::GridMap(weight.shape, scaleShape);
}

std::pair<double, double> StoredSteps::nearest(double value, std::uint64_t cell,
                                               std::uint64_t table) const
{
    const double scale = scaleOf(cell), bias = biasOf(cell);
    // A zero scale or table holds nothing: any other would hold the value better, but for values
    // whose scale is zero once it is rounded.
    constexpr double kLeastHalf = 0x1p-24;
    const auto *book = palette ? &sorted[static_cast<std::size_t>(table)] : nullptr;
    if (scale == 0 || !std::isfinite(scale) || (book && book->front() == 0 && book->back() == 0))
        return {std::abs(value - bias) <= kLeastHalf * std::max(high, 1.0) ? bias : value, 0};
    if (palette) {
        const auto &entry = *book;
        const double wanted = (value - bias) / scale;
        auto at = std::lower_bound(entry.begin(), entry.end(), static_cast<float>(wanted));
        if (at == entry.end())
            --at;
        if (at != entry.begin() && std::abs(static_cast<double>(*(at - 1)) - wanted) <
                                       std::abs(static_cast<double>(*at) - wanted))
            --at;
        const double below = at == entry.begin()
                                 ? std::numeric_limits<double>::infinity()
                                 : static_cast<double>(*at) - static_cast<double>(*(at - 1));
        const double above = at + 1 == entry.end()
                                 ? std::numeric_limits<double>::infinity()
                                 : static_cast<double>(*(at + 1)) - static_cast<double>(*at);
        double gap = std::min(below, above);
        if (!(gap > 0) || !std::isfinite(gap))
            gap = std::isfinite(std::max(below, above)) ? std::max(below, above) : std::abs(wanted);
        return {static_cast<double>(*at) * scale + bias, std::abs(gap * scale)};
    }
    const double zero = zeroOf(cell);
    const double code = std::clamp(std::nearbyint((value - bias) / scale + zero), low, high);
    return {(code - zero) * scale + bias, std::abs(scale)};
}

Window load(const Subject &subject, std::uint64_t first, std::uint64_t count, bool codes)
{
    Window window;
    window.first = first;
    window.d.resize(static_cast<std::size_t>(count));
    window.r.resize(window.d.size());
    subject.decoder.decodeFloat(first, window.d);
    subject.reference->read(first, window.r);
    if (codes) {
        window.codes.resize(window.d.size());
        subject.decoder.codes(first, window.codes);
    }
    return window;
}

void PairSums::add(const PairSums &other)
{
    dd += other.dd;
    rr += other.rr;
    dr += other.dr;
    ee += other.ee;
    count += other.count;
    notFinite += other.notFinite;
    nanThere += other.nanThere;
}

double PairSums::relative() const
{
    if (rr > 0)
        return std::sqrt(ee / rr);
    return ee > 0 ? std::numeric_limits<double>::infinity() : 0;
}

PairSums sumsOfKept(const Subject &subject, std::uint64_t first, std::span<const float> d,
                    std::span<const float> r)
{
    const std::vector<bool> kept = keptOf(subject, first, d.size());
    if (kept.empty())
        return sumsOf(d, r);
    Values keptD, keptR;
    for (std::size_t i = 0; i < d.size(); ++i) {
        if (!kept[i])
            continue;
        keptD.push_back(d[i]);
        keptR.push_back(r[i]);
    }
    return sumsOf(keptD, keptR);
}

NearestShares nearestShares(const Subject &subject, std::uint64_t first, std::span<const float> d,
                            std::span<const float> r)
{
    NearestShares shares;
    const StoredSteps &steps = subject.steps;
    if (subject.vectors()) {
        VectorError vectors(subject);
        vectors.add({first, {d.begin(), d.end()}, {r.begin(), r.end()}, {}});
        return vectors.shares();
    }
    if (!steps.stepped())
        return shares;
    const std::vector<bool> kept = keptOf(subject, first, d.size());
    for (std::size_t i = 0; i < d.size(); ++i) {
        const auto value = static_cast<double>(d[i]), wanted = static_cast<double>(r[i]);
        if ((kept.empty() ? steps.masked && value == 0 : !kept[i]) || !std::isfinite(value) ||
            !std::isfinite(wanted))
            continue;
        const std::uint64_t cell = steps.cellOf(first + i);
        const auto [best, step] = steps.nearest(wanted, cell, subject.tableOf(first + i));
        ++shares.counted;
        const double over = std::abs(value - wanted) - std::abs(best - wanted);
        // Tables of integers were rounded after the codes were chosen: by half a step each.
        const double rounding = steps.tableStep * std::abs(steps.scaleOf(cell));
        shares.off += over > kOffSteps * step + rounding && over > 1e-3 * std::abs(wanted);
        if (steps.integers) {
            const double scale = steps.scaleOf(cell);
            const double code =
                scale == 0 ? 0 : (value - steps.biasOf(cell)) / scale + steps.zeroOf(cell);
            shares.ends += code > steps.high - 0.5 || code < steps.low + 1.5;
        }
    }
    return shares;
}

bool holdsNearest(const Subject &subject, std::uint64_t first, std::span<const float> d,
                  std::span<const float> r)
{
    const NearestShares shares = nearestShares(subject, first, d, r);
    return shares.off == 0 && shares.counted > 0;
}

std::optional<WholePass> passOver(const Subject &subject, Progress *progress)
{
    // Rms of an error in steps above which a block is looked at element by element: rounding alone
    // has 0.29, an error of half a step everywhere 0.5.
    constexpr double kLookedAt = 0.55;
    constexpr std::uint64_t kShortRun = 8;
    const StoredSteps &steps = subject.steps;
    const std::uint64_t all = subject.elements(), row = subject.rowElements();
    WholePass pass;
    FigureCounter figures(subject);
    pass.rowError.assign(static_cast<std::size_t>(subject.rows()), 0);
    pass.rowKept = pass.rowSize = pass.rowValue = pass.rowError;
    std::vector<float> d(static_cast<std::size_t>(std::min(all, kChunk))), r(d.size());
    const bool rowCells = !steps.scaled || steps.scaleShape.empty() || steps.palette ||
                          !steps.integers ||
                          codec::GridWalker(steps.grid, 0).cellLeft() < kShortRun;
    // A chunk ends with a row, or lies within one.
    const std::uint64_t step = row <= kChunk ? kChunk / row * row : kChunk;
    for (std::uint64_t at = 0; at < all; at += step) {
        const auto count = static_cast<std::size_t>(
            row <= kChunk ? std::min(step, all - at) : std::min({step, all - at, row - at % row}));
        const auto some = std::span(d).first(count), wanted = std::span(r).first(count);
        subject.decoder.decodeFloat(at, some);
        subject.reference->read(at, wanted);
        figures.add(at, some);
        std::optional<codec::GridWalker> walker;
        if (!rowCells)
            walker.emplace(steps.grid, at);
        for (std::size_t i = 0; i < count;) {
            std::uint64_t run = std::min<std::uint64_t>(count - i, row - (at + i) % row);
            if (walker)
                run = std::min(run, walker->cellLeft());
            const auto length = static_cast<std::size_t>(run);
            const auto a = some.subspan(i, length), b = wanted.subspan(i, length);
            const PairSums sums = sumsOf(a, b);
            const PairSums kept = subject.sparse() ? sumsOfKept(subject, at + i, a, b) : sums;
            pass.sums.add(sums);
            pass.kept.add(kept);
            pass.largest = std::max(pass.largest, static_cast<double>(largestOf(b)));
            const auto rowAt = static_cast<std::size_t>((at + i) / row);
            pass.rowError[rowAt] += static_cast<float>(kept.ee);
            pass.rowKept[rowAt] += static_cast<float>(kept.rr);
            pass.rowSize[rowAt] += static_cast<float>(sums.rr);
            pass.rowValue[rowAt] += static_cast<float>(sums.dd);
            ++pass.allBlocks;
            if (sums.notFinite + sums.nanThere > 0) {
                for (std::size_t k = 0; k < length; ++k) {
                    if ((std::isfinite(a[k]) ? std::isnan(b[k]) : std::isfinite(b[k])) &&
                        pass.notFinite.size() < WholePass::kMostElements)
                        pass.notFinite.push_back(at + i + k);
                }
            }
            bool bad = false;
            if (walker) {
                const double scale = std::abs(steps.scaleOf(walker->cell()));
                if (kept.ee >
                    kLookedAt * kLookedAt * scale * scale * static_cast<double>(kept.count)) {
                    const NearestShares shares = nearestShares(subject, at + i, a, b);
                    const std::uint64_t needed = std::max<std::uint64_t>(2, shares.counted / 4);
                    bad = shares.counted > 0 && shares.off >= needed;
                }
                walker->advance(run);
            }
            if (bad) {
                ++pass.badBlocks;
                if (pass.blocks.size() < WholePass::kMostBlocks) {
                    const std::uint64_t column = (at + i) % row;
                    const std::uint64_t width = std::max<std::uint64_t>(run, 1);
                    pass.blocks.push_back(
                        {(at + i) / row, column / width, column, column + length});
                }
            } else {
                pass.errorOutside += kept.ee;
                pass.sizeOutside += kept.rr;
            }
            i += length;
        }
        if (progress && !progress->advance(count))
            return std::nullopt;
        if (row > kChunk && count < step)
            at = at + count - step; // the next chunk begins with the next row
    }
    pass.figures = figures.figures();
    return pass;
}

std::vector<std::pair<std::uint64_t, std::uint64_t>> sampledRuns(const Subject &subject,
                                                                 std::uint64_t most)
{
    const std::uint64_t all = subject.elements(), row = subject.rowElements();
    if (all <= most)
        return {{0, all}};
    // Tables that serve groups of rows are sampled group by group, whole ones.
    std::uint64_t rows = 1;
    if (subject.steps.masked)
        rows = std::clamp<std::uint64_t>(most / row, 1, 16); // patterns may run over rows
    if (subject.steps.vector > 1 && subject.decoder.encoding().palette->vectorAxis == 0)
        rows = subject.steps.vector;
    if (subject.steps.sorted.size() > 1) {
        rows = 1;
        const std::uint64_t first = subject.tableOf(0);
        const std::uint64_t limit = std::min<std::uint64_t>(subject.rows(), most / row);
        while (rows < limit && subject.tableOf(rows * row) == first)
            ++rows;
    }
    const std::uint64_t unit = rows * row;
    const std::uint64_t units = (all + unit - 1) / unit;
    const std::uint64_t wanted = std::clamp<std::uint64_t>(most / unit, 1, units);
    std::vector<std::pair<std::uint64_t, std::uint64_t>> runs;
    for (std::uint64_t i = 0; i < wanted; ++i) {
        const std::uint64_t first = (i * units / wanted) * unit;
        runs.emplace_back(first, std::min(unit, all - first));
    }
    return runs;
}

// The least error that a stored form could have: of scaled codes the best of 65 scales a block, of
// tables the optimal clustering of single values, of masks the smallest elements left out, of dense
// values their rounding. Of sampled blocks, unless all are asked for.

BestError bestError(const Subject &subject, double largest, bool exact)
{
    const StoredSteps &steps = subject.steps;
    BestError result;
    // Blocks that run over rows are not seen as a whole in some of the rows.
    const bool partial = steps.scaled && !steps.palette && subject.rows() > 1 &&
                         !steps.scaleShape.empty() && steps.scaleShape[0] == 1;
    const std::uint64_t most =
        exact || (partial && steps.scales.size() > 1 && subject.elements() <= kReadWhole)
            ? subject.elements()
        : steps.palette ? kSampledTables
                        : kSampledScaled;
    const auto runs = sampledRuns(subject, std::max<std::uint64_t>(most, 1));
    Buckets buckets;
    std::optional<VectorError> vectors;
    if (subject.vectors())
        vectors.emplace(subject);
    double least = 0, absent = 0; // absent: what a mask leaves out
    std::uint64_t read = 0;
    const bool known = (!steps.palette || steps.vector == 1) &&
                       (steps.codes || (!steps.scaled && !steps.palette)) &&
                       (steps.palette || steps.scaled || isFloatingPoint(steps.valueType));
    for (const auto &[first, count] : runs) {
        read += count;
        const Window window = load(subject, first, count, false);
        const PairSums sums = sumsOf(window.d, window.r);
        result.rr += sums.rr;
        result.ee += sums.ee;
        const PairSums kept =
            subject.sparse() ? sumsOfKept(subject, first, window.d, window.r) : sums;
        result.keptRr += kept.rr;
        result.keptEe += kept.ee;
        if (vectors) {
            vectors->add(window);
            continue;
        }
        const NearestShares shares = nearestShares(subject, first, window.d, window.r);
        result.nearest.counted += shares.counted;
        result.nearest.off += shares.off;
        result.nearest.ends += shares.ends;
        if (!known)
            continue;
        Values plain;
        std::vector<bool> best;
        if (subject.sparse()) {
            const std::vector<bool> stored = keptOf(subject, first, window.d.size());
            best =
                bestKept(stored, window.r, subject.reference->shape, count / subject.rowElements());
        }
        for (std::size_t i = 0; i < window.r.size(); ++i) {
            const float value = window.r[i];
            if (!std::isfinite(value))
                continue;
            if (!best.empty() && !best[i]) {
                absent += static_cast<double>(value) * static_cast<double>(value);
                continue;
            }
            const std::uint64_t table = steps.palette ? subject.tableOf(first + i) : 0;
            if (steps.palette && steps.sharedTable) {
                const std::uint64_t family = steps.families[static_cast<std::size_t>(table)];
                buckets.values[family].push_back(value);
                buckets.cells[family].push_back(table - family); // its place along their axis
            } else if (steps.palette) {
                buckets.values[table].push_back(value);
                if (steps.scaled)
                    buckets.cells[table].push_back(steps.cellOf(first + i));
            } else if (steps.scaled) {
                buckets.values[steps.cellOf(first + i)].push_back(value);
            } else {
                plain.push_back(value);
            }
        }
        least += squaredRounding(steps.valueType, plain);
    }
    result.sampled = read < subject.elements();
    if (vectors) {
        result.nearest = vectors->shares();
        result.best = result.keptBest = vectors->best();
    }
    if (!known)
        return result;
    std::map<std::uint64_t, float> top; ///< largest magnitude under each scale
    for (const auto &[key, cells] : buckets.cells) {
        const Values &values = buckets.values[key];
        for (std::size_t i = 0; i < values.size(); ++i)
            top[cells[i]] = std::max(top[cells[i]], std::abs(values[i]));
    }
    for (auto &[key, values] : buckets.values) {
        if (!steps.palette) {
            least += bestOfScales(steps, values, partial && result.sampled ? largest : 0);
            continue;
        }
        Values scales;
        if (steps.scaled || steps.sharedTable) {
            const auto &cells = buckets.cells[key];
            for (std::size_t i = 0; i < values.size(); ++i) {
                scales.push_back(top[cells[i]] > 0 ? top[cells[i]] : 1.0F);
                values[i] /= scales.back();
            }
        }
        least += bestOfTable(steps, values, scales);
    }
    result.best = least + absent;
    result.keptBest = least;
    return result;
}

double correlation(const Subject &subject)
{
    constexpr std::uint64_t kMost = 1U << 16;
    double n = 0, d = 0, r = 0, dd = 0, rr = 0, dr = 0;
    for (const auto &[first, count] : sampledRuns(subject, kMost)) {
        const Window window = load(subject, first, count, false);
        for (std::size_t i = 0; i < window.d.size(); ++i) {
            const auto a = static_cast<double>(window.d[i]), b = static_cast<double>(window.r[i]);
            if (!std::isfinite(a) || !std::isfinite(b))
                continue;
            n += 1;
            d += a;
            r += b;
            dd += a * a;
            rr += b * b;
            dr += a * b;
        }
    }
    const double vd = dd - d * d / std::max(n, 1.0), vr = rr - r * r / std::max(n, 1.0);
    return vd > 0 && vr > 0 ? (dr - d * r / n) / std::sqrt(vd * vr) : 0;
}

} // namespace kernscope::audit
