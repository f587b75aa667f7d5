// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/audit/reference.h"

#include "core/bundle/bundle.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <string_view>
#include <tuple>

#include <fmt/format.h>

namespace kernscope::audit {

namespace {

std::uint64_t rowElementsOf(const Shape &shape)
{
    std::uint64_t elements = 1;
    for (std::size_t i = 1; i < shape.size(); ++i)
        elements *= shape[i];
    return std::max<std::uint64_t>(elements, 1);
}

constexpr std::string_view kMean = "running_mean", kVariance = "running_var";

std::vector<float> valuesOf(const Bundle &checkpoint, std::size_t tensor)
{
    const auto decoder = checkpoint.decoder(tensor);
    if (!decoder)
        return {};
    std::vector<float> values(static_cast<std::size_t>(decoder->elements().value));
    decoder->decodeFloat(0, values);
    return values;
}

std::string_view moduleOf(std::string_view name)
{
    const std::size_t dot = name.rfind('.');
    return dot == name.npos ? std::string_view() : name.substr(0, dot);
}

/// How much of two names is the same from the beginning, in parts between dots, and how near the
/// first parts that differ are: "bn1" belongs to "conv1", "3" to "2".
double nearness(std::string_view norm, std::string_view layer)
{
    double same = 0;
    while (!norm.empty() && !layer.empty()) {
        const std::string_view a = norm.substr(0, norm.find('.')),
                               b = layer.substr(0, layer.find('.'));
        if (a != b) {
            const auto digits = [](std::string_view text) {
                std::size_t number = 0;
                bool any = false;
                for (const char c : text) {
                    if (c >= '0' && c <= '9') {
                        number = number * 10 + static_cast<std::size_t>(c - '0');
                        any = true;
                    }
                }
                return any ? std::optional(number) : std::nullopt;
            };
            const bool plain = a.find_first_not_of("0123456789") == a.npos &&
                               b.find_first_not_of("0123456789") == b.npos;
            const auto x = digits(a), y = digits(b);
            if (plain && x && y) // of a sequence: the layer right before
                return same + (*x == *y + 1 ? 0.9
                               : *x > *y    ? 0.5 / static_cast<double>(*x - *y)
                                            : 0);
            return same + (x == y ? 0.8 : 0.1);
        }
        same += 1;
        norm.remove_prefix(std::min(norm.size(), a.size() + 1));
        layer.remove_prefix(std::min(layer.size(), b.size() + 1));
    }
    return same;
}

/// "layers.0.attn", "q_proj" and "weight" of "layers.0.attn.q_proj.weight".
std::array<std::string, 3> namedParts(const std::string &name)
{
    const std::size_t end = name.rfind('.');
    if (end == name.npos)
        return {std::string(), name, std::string()};
    const std::size_t begin = end == 0 ? name.npos : name.rfind('.', end - 1);
    const std::size_t last = begin == name.npos ? 0 : begin + 1;
    return {name.substr(0, last), name.substr(last, end - last), name.substr(end + 1)};
}

} // namespace

std::optional<Reference> Reference::rows(const Bundle &checkpoint, std::size_t tensor,
                                         std::uint64_t first, std::uint64_t end)
{
    const Weight &weight = checkpoint.weights()[tensor];
    auto decoder = checkpoint.decoder(tensor);
    if (!decoder || weight.elements.value == 0)
        return std::nullopt;
    Reference made;
    made.name = weight.name;
    made.shape = weight.shape.empty() ? Shape{1} : weight.shape;
    made.rowElements = rowElementsOf(made.shape);
    const std::uint64_t all = made.shape[0];
    made.transform = first == 0 && end == all
                         ? std::string("as it is")
                         : fmt::format("rows {} to {} of {}", first, end - 1, all);
    made.shape[0] = end - first;
    made.elements = (end - first) * made.rowElements;
    made.pieces.push_back({tensor, first * made.rowElements, made.elements});
    made.decoders.push_back(*std::move(decoder));
    return made;
}

std::optional<Reference> Reference::whole(const Bundle &checkpoint, std::size_t tensor)
{
    const Shape &shape = checkpoint.weights()[tensor].shape;
    return rows(checkpoint, tensor, 0, shape.empty() ? 1 : shape[0]);
}

std::optional<Reference> Reference::joined(const Bundle &checkpoint,
                                           std::span<const std::size_t> tensors)
{
    std::optional<Reference> made;
    std::string names;
    for (const std::size_t tensor : tensors) {
        auto part = whole(checkpoint, tensor);
        if (!part)
            return std::nullopt;
        names += (names.empty() ? "" : ", ") + part->name;
        if (!made) {
            made = std::move(part);
            continue;
        }
        made->shape[0] += part->shape[0];
        made->elements += part->elements;
        made->pieces.push_back(part->pieces.front());
        made->decoders.push_back(std::move(part->decoders.front()));
    }
    if (made) {
        made->transform = "joined: " + names;
        for (const std::size_t tensor : tensors)
            made->joinedNames.push_back(namedParts(checkpoint.weights()[tensor].name)[1]);
    }
    return made;
}

std::optional<Reference> Reference::foldedWeight(const Bundle &checkpoint, const FoldedNorm &norm)
{
    auto made = whole(checkpoint, norm.convolution);
    if (!made || (norm.groups == 0 && made->shape[0] != norm.variance.size()))
        return std::nullopt;
    made->groupRows = norm.groups == 0 ? 0 : made->shape[0] / norm.groups;
    made->factors = norm.factors();
    made->transform =
        fmt::format("batch norm folded: {} by the gain of {} over sqrt(running_var + {:g})",
                    made->name, norm.name, norm.epsilon);
    return made;
}

Reference Reference::foldedBias(const FoldedNorm &norm, std::string name)
{
    Reference made;
    made.name = std::move(name);
    made.shape = {norm.variance.size()};
    made.elements = norm.variance.size();
    made.own = norm.biases();
    made.isBias = true;
    made.transform =
        fmt::format("batch norm folded: bias less mean by gain over deviation of {}", norm.name);
    return made;
}

namespace {

std::optional<Reference> lstmWeight(const Bundle &checkpoint, std::size_t tensor)
{
    auto made = Reference::whole(checkpoint, tensor);
    if (!made)
        return std::nullopt;
    const std::uint64_t gate = made->elements / 4;
    made->pieces = {{tensor, 0, 2 * gate}, {tensor, 3 * gate, gate}, {tensor, 2 * gate, gate}};
    const codec::Decoder decoder = made->decoders.front();
    made->decoders.assign(made->pieces.size(), decoder);
    made->transform = "gates of an LSTM in the order input, forget, output, cell";
    return made;
}

std::optional<Reference> lstmBias(const Bundle &checkpoint, std::size_t input, std::size_t hidden)
{
    auto made = lstmWeight(checkpoint, input);
    const auto other = lstmWeight(checkpoint, hidden);
    if (!made || !other || made->elements != other->elements)
        return std::nullopt;
    std::vector<float> sum(static_cast<std::size_t>(made->elements)), added(sum.size());
    made->readPlain(0, sum);
    other->readPlain(0, added);
    for (std::size_t i = 0; i < sum.size(); ++i)
        sum[i] += added[i];
    made->own = std::move(sum);
    made->pieces.push_back({hidden, 0, other->elements});
    made->decoders.push_back(other->decoders.front());
    made->transform = fmt::format("{} added, {}", other->name, made->transform);
    return made;
}

} // namespace

std::optional<std::optional<Reference>> Reference::ofLstm(const Bundle &checkpoint,
                                                          std::size_t tensor)
{
    const auto &weights = checkpoint.weights();
    const auto find = [&](const std::string &name) {
        return static_cast<std::size_t>(std::ranges::find(weights, name, &Weight::name) -
                                        weights.begin());
    };
    const std::string &name = weights[tensor].name;
    const std::size_t at = std::max(name.find("_ih_l") + 1, name.find("_hh_l") + 1);
    const bool bias = at > 0 && name.substr(0, at).ends_with("bias_");
    if (!bias && (at == 0 || !name.substr(0, at).ends_with("weight_")))
        return std::nullopt;
    const std::string module = name.substr(0, at - (bias ? 5 : 7)), layer = name.substr(at + 2);
    const std::size_t recurrent = find(module + "weight_hh" + layer);
    if (recurrent == weights.size())
        return std::nullopt;
    const Shape &shape = weights[recurrent].shape; // [4 * hidden, hidden]
    if (shape.size() != 2 || shape[0] / 4 != shape[1] || shape[0] % 4 != 0 ||
        weights[tensor].shape[0] != shape[0])
        return std::nullopt;
    if (!bias)
        return lstmWeight(checkpoint, tensor);
    const std::size_t hidden = find(module + "bias_hh" + layer);
    if (hidden == weights.size() || hidden == tensor)
        return std::optional<Reference>();
    return lstmBias(checkpoint, tensor, hidden);
}

Reference Reference::turned() const
{
    Reference made = *this;
    made.isTurned = !isTurned;
    std::swap(made.shape[0], made.shape[1]);
    made.rowElements = made.shape[1];
    made.transform += ", transposed";
    return made;
}

const std::vector<float> &Reference::sampled(std::vector<float> &samples) const
{
    return audit::sampled(samples, elements, [this](std::uint64_t at, auto out) { read(at, out); });
}

bool Reference::overlaps(const Reference &other) const
{
    if (isBias || other.isBias || pieces.empty() || other.pieces.empty())
        return true;
    for (const Piece &x : pieces) {
        for (const Piece &y : other.pieces) {
            if (x.tensor == y.tensor && x.first < y.first + y.count && y.first < x.first + x.count)
                return true;
        }
    }
    return false;
}

void Reference::readPlain(std::uint64_t first, std::span<float> out) const
{
    if (isTurned) {
        const std::uint64_t columns = shape[1];
        for (std::size_t i = 0; i < out.size(); ++i) {
            const std::uint64_t at = first + i;
            const std::uint64_t there = at % columns * shape[0] + at / columns;
            decoders.front().decodeFloat(pieces.front().first + there, out.subspan(i, 1));
        }
        return;
    }
    if (!own.empty()) {
        std::copy_n(own.begin() + static_cast<std::ptrdiff_t>(first), out.size(), out.begin());
        return;
    }
    std::uint64_t begin = 0;
    for (std::size_t i = 0; i < pieces.size() && !out.empty(); begin += pieces[i++].count) {
        if (first >= begin + pieces[i].count)
            continue;
        const std::uint64_t at = first - begin;
        const auto count =
            static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), pieces[i].count - at));
        decoders[i].decodeFloat(pieces[i].first + at, out.first(count));
        out = out.subspan(count);
        first += count;
    }
}

void Reference::read(std::uint64_t first, std::span<float> out) const
{
    readPlain(first, out);
    if (factors.empty())
        return;
    for (std::size_t i = 0; i < out.size();) {
        const std::uint64_t at = first + i;
        const auto run = static_cast<std::size_t>(
            std::min<std::uint64_t>(out.size() - i, channelRun() - at % channelRun()));
        const float factor = factorOf(at);
        for (std::size_t k = i; k < i + run; ++k)
            out[k] *= factor;
        i += run;
    }
}

// Batch norms of a checkpoint: a module with a running mean and a running variance. The epsilon is
// not in the checkpoint, and neither is which layer the norm follows: both are found by names and,
// where they do not decide, by the values of the package (Seats).

std::vector<float> FoldedNorm::factors(Folding folding) const
{
    std::vector<float> result(variance.size(), 1);
    for (std::size_t i = 0; i < result.size(); ++i) {
        const double deviation = folding == Folding::NoVariance || folding == Folding::None
                                     ? 1
                                     : std::sqrt(static_cast<double>(variance[i]) + epsilon);
        const double by = folding == Folding::NoGain || folding == Folding::None || gain.empty()
                              ? 1
                              : static_cast<double>(gain[i]);
        result[i] = static_cast<float>(by / deviation);
    }
    if (folding != Folding::Interleaved || groups == 0)
        return result;
    const std::vector<float> right = result;
    const std::size_t each = std::max<std::size_t>(1, result.size() / groups);
    for (std::size_t i = 0; i < result.size(); ++i)
        result[i] = right[(i % each * groups + i / each) % right.size()];
    return result;
}

std::vector<float> FoldedNorm::biases(Folding folding) const
{
    const std::vector<float> factor = factors(folding);
    std::vector<float> result(variance.size());
    for (std::size_t i = 0; i < result.size(); ++i) {
        const double before = (bias.empty() ? 0 : static_cast<double>(bias[i])) -
                              (folding == Folding::NoMean ? 0 : static_cast<double>(mean[i]));
        result[i] = static_cast<float>((shift.empty() ? 0 : static_cast<double>(shift[i])) +
                                       before * static_cast<double>(factor[i]));
    }
    return result;
}

std::size_t weightOfBias(std::span<const Reference> references, std::size_t bias)
{
    const Reference &of = references[bias];
    const std::size_t word = of.name.rfind("bias");
    if (!of.isBias && (of.norm != kNoIndex || word == of.name.npos))
        return kNoIndex;
    const std::string name = of.isBias ? "" : std::string(of.name).replace(word, 4, "weight");
    const auto found = std::ranges::find_if(references, [&](const Reference &each) {
        return of.isBias
                   ? each.norm == of.norm && !each.isBias
                   : each.norm == kNoIndex && each.transform == of.transform && each.name == name;
    });
    return found == references.end() ? kNoIndex
                                     : static_cast<std::size_t>(found - references.begin());
}

std::vector<FoldedNorm> findNorms(const Bundle &checkpoint, const std::set<Shape> &transposed)
{
    std::map<std::string, std::size_t, std::less<>> byName;
    for (std::size_t i = 0; i < checkpoint.weights().size(); ++i)
        byName.emplace(checkpoint.weights()[i].name, i);
    const auto tensor = [&](std::string_view module, std::string_view last) {
        const auto found = byName.find(std::string(module) + "." + std::string(last));
        return found == byName.end() ? kNoIndex : found->second;
    };
    std::vector<FoldedNorm> norms;
    for (const auto &[name, index] : byName) {
        const std::string_view module = moduleOf(name);
        const std::size_t mean = tensor(module, kMean);
        if (!name.ends_with("." + std::string(kVariance)) || mean == kNoIndex)
            continue;
        FoldedNorm norm;
        norm.name = module;
        norm.variance = valuesOf(checkpoint, index);
        norm.mean = valuesOf(checkpoint, mean);
        const std::size_t channels = norm.variance.size();
        if (const auto at = tensor(module, "weight"); at != kNoIndex)
            norm.gain = valuesOf(checkpoint, at);
        if (const auto at = tensor(module, "bias"); at != kNoIndex)
            norm.shift = valuesOf(checkpoint, at);
        const bool sized = channels > 0 && norm.mean.size() == channels &&
                           (norm.gain.empty() || norm.gain.size() == channels) &&
                           (norm.shift.empty() || norm.shift.size() == channels);
        // Groups of a transposed convolution of as many channels; 0: it is none.
        const auto groupsOf = [&](const Shape &shape) {
            const std::uint64_t groups =
                transposed.count(shape) == 0 || channels % shape[1] != 0 ? 0 : channels / shape[1];
            return groups != 0 && shape[0] % groups == 0 ? groups : 0;
        };
        double best = 0;
        std::size_t layer = kNoIndex;
        for (const auto &[other, at] : byName) {
            const Shape &shape = checkpoint.weights()[at].shape;
            if (!other.ends_with(".weight") || shape.size() < 2 ||
                (shape[0] != channels && groupsOf(shape) == 0))
                continue;
            const double near = nearness(module, moduleOf(other));
            if (near > best) {
                best = near;
                layer = at;
            }
        }
        if (!sized || layer == kNoIndex)
            continue;
        const Shape &shape = checkpoint.weights()[layer].shape;
        norm.convolution = layer;
        norm.groups = groupsOf(shape);
        norm.eitherAxis = norm.groups != 0 && shape[0] == channels;
        norm.norm = tensor(module, "weight") == kNoIndex ? index : tensor(module, "weight");
        if (const auto at = tensor(moduleOf(checkpoint.weights()[layer].name), "bias");
            at != kNoIndex) {
            norm.bias = valuesOf(checkpoint, at);
            if (norm.bias.size() == channels)
                norm.biasTensor = at;
            else
                norm.bias.clear();
        }
        norms.push_back(std::move(norm));
    }
    return norms;
}

std::vector<std::uint64_t> samplePlaces(std::uint64_t elements, std::uint64_t most)
{
    const std::uint64_t count = std::min(elements, most);
    std::vector<std::uint64_t> places(static_cast<std::size_t>(count));
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t stratum = elements / count;
        places[static_cast<std::size_t>(i)] =
            i * stratum + (count == elements ? 0 : ((i + 1) * 0x9E3779B97F4A7C15U >> 17) % stratum);
    }
    return places;
}

Shape squeezed(const Shape &shape)
{
    Shape result;
    for (const std::uint64_t extent : shape) {
        if (extent != 1)
            result.push_back(extent);
    }
    return result;
}

std::set<std::pair<std::uint64_t, std::uint64_t>> rowRuns(const Shape &shape,
                                                          const std::set<Shape> &wanted)
{
    constexpr unsigned kMostRuns = 4;
    constexpr std::size_t kMostSizes = 12;
    Shape part = shape;
    std::vector<std::uint64_t> sizes; // first those of equal parts
    const auto consider = [&](std::uint64_t rows) {
        part[0] = rows;
        if (rows < shape[0] && wanted.count(squeezed(part)) != 0 && sizes.size() < kMostSizes &&
            std::ranges::find(sizes, rows) == sizes.end())
            sizes.push_back(rows);
    };
    for (unsigned parts = 2; parts <= kMostRuns; ++parts) {
        if (shape[0] % parts == 0)
            consider(shape[0] / parts);
    }
    for (const Shape &each : wanted) {
        if (!each.empty())
            consider(each[0]);
    }
    std::set<std::pair<std::uint64_t, std::uint64_t>> runs;
    const std::function<bool(std::uint64_t, unsigned)> tile = [&](std::uint64_t at,
                                                                  unsigned parts) {
        if (at == shape[0] || parts == 0)
            return at == shape[0];
        bool any = false;
        for (const std::uint64_t rows : sizes) {
            if (rows <= shape[0] - at && tile(at + rows, parts - 1)) {
                runs.emplace(at, at + rows);
                any = true;
            }
        }
        return any;
    };
    tile(0, kMostRuns);
    return runs;
}

std::vector<std::vector<std::size_t>> joinOrders(const Bundle &checkpoint,
                                                 const std::vector<std::size_t> &tensors,
                                                 const std::set<Shape> &wanted)
{
    constexpr std::size_t kMostSiblings = 8, kMostJoined = 3;
    std::map<std::tuple<std::string, std::string, Shape>, std::vector<std::size_t>> groups;
    for (const std::size_t tensor : tensors) {
        const Weight &weight = checkpoint.weights()[tensor];
        const auto parts = namedParts(weight.name);
        if (!weight.shape.empty())
            groups[{parts[0], parts[2], Shape(weight.shape.begin() + 1, weight.shape.end())}]
                .push_back(tensor);
    }
    std::vector<std::vector<std::size_t>> orders;
    std::vector<std::size_t> chosen;
    const std::function<void(const std::vector<std::size_t> &)> extend = [&](const auto &group) {
        if (chosen.size() >= 2) {
            Shape shape = checkpoint.weights()[chosen[0]].shape;
            for (std::size_t i = 1; i < chosen.size(); ++i)
                shape[0] += checkpoint.weights()[chosen[i]].shape[0];
            if (wanted.count(squeezed(shape)) != 0)
                orders.push_back(chosen);
        }
        for (const std::size_t next : group) {
            if (chosen.size() == kMostJoined || std::ranges::find(chosen, next) != chosen.end())
                continue;
            chosen.push_back(next);
            extend(group);
            chosen.pop_back();
        }
    };
    for (const auto &entry : groups) {
        if (entry.second.size() <= kMostSiblings)
            extend(entry.second);
    }
    return orders;
}

Likeness likeness(std::span<const float> d, std::span<const float> r)
{
    double n = 0, sd = 0, sr = 0, dd = 0, rr = 0, dr = 0;
    for (std::size_t i = 0; i < std::min(d.size(), r.size()); ++i) {
        const auto a = static_cast<double>(d[i]), b = static_cast<double>(r[i]);
        if (!std::isfinite(a) || !std::isfinite(b))
            continue;
        n += 1;
        sd += a;
        sr += b;
        dd += a * a;
        rr += b * b;
        dr += a * b;
    }
    if (n == 0)
        return {};
    Likeness result;
    const double ee = std::max(0.0, dd - 2 * dr + rr);
    result.distance = rr > 0 ? ee / rr : (ee > 0 ? HUGE_VAL : 0);
    const double vd = dd - sd * sd / n, vr = rr - sr * sr / n;
    result.correlation =
        vd > 1e-12 * dd && vr > 1e-12 * rr ? (dr - sd * sr / n) / std::sqrt(vd * vr) : 0;
    return result;
}

} // namespace kernscope::audit
