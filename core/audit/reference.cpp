// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/audit/reference.h"

#include "core/bundle/bundle.h"

#include <algorithm>
#include <numeric>

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
    if (made)
        made->transform = "joined: " + names;
    return made;
}

std::optional<Reference> Reference::foldedWeight(const Bundle &checkpoint, const FoldedNorm &norm,
                                                 Folding folding)
{
    auto made = whole(checkpoint, norm.convolution);
    if (!made || made->shape[0] != norm.variance.size())
        return std::nullopt;
    made->factors = norm.factors(folding);
    made->transform =
        fmt::format("batch norm folded: {} by the gain of {} over sqrt(running_var + {:g})",
                    made->name, norm.name, norm.epsilon);
    return made;
}

std::optional<Reference> Reference::foldedBias(const Bundle &, const FoldedNorm &norm,
                                               std::string name, Folding folding)
{
    Reference made;
    made.name = std::move(name);
    made.shape = {norm.variance.size()};
    made.elements = norm.variance.size();
    made.own = norm.biases(folding);
    made.isBias = true;
    made.transform =
        fmt::format("batch norm folded: bias less mean by gain over deviation of {}", norm.name);
    return made;
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
            std::min<std::uint64_t>(out.size() - i, rowElements - at % rowElements));
        const float factor = factorOf(at);
        for (std::size_t k = i; k < i + run; ++k)
            out[k] *= factor;
        i += run;
    }
}

} // namespace kernscope::audit
