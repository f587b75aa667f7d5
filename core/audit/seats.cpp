// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/audit/seats.h"

#include "core/audit/structures.h"
#include "core/bundle/bundle.h"

#include <cmath>
#include <set>
#include <utility>

namespace kernscope::audit {

namespace {

/// Correlation from which on two tensors hold the same values, whatever the form; unrelated ones
/// have none.
constexpr double kSame = 0.8;
constexpr double kSameCoarse = 0.5;  ///< of compressed ones: a table of two entries keeps the signs
constexpr double kSameJoined = 0.35; ///< of several tensors, of which one may be another
constexpr double kSameShort = 0.95;  ///< of few elements
constexpr std::size_t kShort = 24;
constexpr double kNearlyEqual = 1e-4; ///< squared relative distance

/// Pairs, step by step.
class Seater
{
public:
    Seater(const BundlePtr &package, const BundlePtr &checkpoint, Progress *progress)
        : m_package(*package), m_checkpoint(*checkpoint), m_progress(progress),
          m_positions(positionsOf(package)), m_seatOf(package->weights().size(), kNoIndex),
          m_how(m_seatOf.size(), PairedBy::Name), m_judged(m_seatOf.size(), false),
          m_names(m_seatOf.size())
    {
    }

    Seating run()
    {
        collect();
        const auto fit = [this](std::size_t reference) { return nearest(reference); };
        fitEpsilon(m_checkpoint, m_out, fit);
        for (const std::size_t reference : unusedByFolding(m_out, m_tensor, fit))
            m_holder[reference] = kTaken;
        byName();
        byValues();
        turnMatrices();
        addParts();
        byValues();
        addJoined();
        byValues();
        exchangeNamed();
        alignJoined();
        seatBiases();
        byOrder();
        exchangeLayers();
        checkOrder();
        exchangeByBiases();
        return finish();
    }

private:
    using Class = Shape; ///< squeezed

    void collect()
    {
        std::set<Shape> transposed;
        bool lstm = false;
        for (const Weight &weight : m_package.weights()) {
            for (const Consumer &each : weight.consumers) {
                lstm = lstm || each.op == "lstm";
                if (each.op.starts_with("conv_transpose") && weight.shape.size() > 2 &&
                    weight.elements.value > 0)
                    transposed.insert(weight.shape);
            }
        }
        m_out.norms = findNorms(m_checkpoint, transposed);
        m_open.assign(m_checkpoint.weights().size(), true);
        for (std::size_t i = 0; i < m_checkpoint.weights().size(); ++i) {
            const Weight &weight = m_checkpoint.weights()[i];
            if (weight.fault || !isFloatingPoint(weight.type) || weight.elements.value < 2)
                continue;
            auto made = lstm ? Reference::ofLstm(m_checkpoint, i) : std::nullopt;
            add(made ? *std::move(made) : Reference::whole(m_checkpoint, i), i);
        }
        for (std::size_t i = 0; i < m_out.norms.size(); ++i) {
            const FoldedNorm &norm = m_out.norms[i];
            add(Reference::foldedWeight(m_checkpoint, norm), norm.convolution, i);
            const std::string &named = m_checkpoint.weights()[norm.norm].name;
            const std::string name = named.substr(0, named.rfind('.')) + ".bias";
            const std::size_t tensor = tensorOf(name);
            add(Reference::foldedBias(norm, name), tensor == kNoIndex ? norm.norm : tensor, i);
        }
        for (std::size_t i = 0; i < m_package.weights().size(); ++i) {
            const Weight &weight = m_package.weights()[i];
            if (weight.fault || !isFloatingPoint(weight.type) || weight.elements.value < 2) {
                m_out.unpaired.push_back(
                    {i, weight.address(),
                     weight.fault ? "it cannot be read" : "no tensor of real numbers"});
                continue;
            }
            auto decoder = m_package.decoder(i);
            if (!decoder) {
                m_out.unpaired.push_back({i, weight.address(), "it cannot be read"});
                continue;
            }
            m_decoders.emplace(i, *std::move(decoder));
            m_names[i] = plainName(weight.name);
            m_judged[i] = true;
        }
    }

    void add(std::optional<Reference> reference, std::size_t tensor, std::size_t norm = kNoIndex)
    {
        if (!reference)
            return;
        reference->norm = norm;
        m_out.references.push_back(*std::move(reference));
        m_tensor.push_back(tensor);
        m_holder.push_back(kNoIndex);
    }
    std::size_t tensorOf(std::string_view name) const
    {
        const auto found = std::ranges::find(m_checkpoint.weights(), name, &Weight::name);
        return found == m_checkpoint.weights().end()
                   ? kNoIndex
                   : static_cast<std::size_t>(found - m_checkpoint.weights().begin());
    }
    /// Least distance of a weight of that shape.
    double nearest(std::size_t reference)
    {
        m_referenceSamples.erase(reference); // it may have other factors now
        double least = HUGE_VAL;
        for (std::size_t i = 0; i < m_judged.size(); ++i) {
            if (m_judged[i] && squeezed(m_package.weights()[i].shape) == classOf(reference))
                least = std::min(least, likenessOf(i, reference).distance);
        }
        return least;
    }

    void byName()
    {
        std::map<std::string, std::vector<std::size_t>> named; // whole and folded references
        for (std::size_t k = 0; k < m_out.references.size(); ++k)
            named[programName(m_out.references[k].name)].push_back(k);
        const auto choose = [&](std::size_t weight, const std::vector<std::size_t> &some) {
            std::size_t best = kNoIndex;
            double least = HUGE_VAL;
            for (const std::size_t k : some) {
                if (m_out.references[k].elements != m_package.weights()[weight].elements.value ||
                    !free(k))
                    continue;
                const Class wanted = squeezed(m_package.weights()[weight].shape);
                Reference &reference = m_out.references[k];
                // A matrix that stands the other way round.
                if (wanted != classOf(k) && reference.shape.size() == 2 && !reference.isTurned &&
                    wanted.size() == 2 && wanted[0] == reference.shape[1] &&
                    wanted[1] == reference.shape[0] && reference.pieces.size() == 1 &&
                    reference.factors.empty())
                    reference = reference.turned();
                if (wanted != classOf(k))
                    continue;
                const double distance = likenessOf(weight, k).distance;
                if (distance < least) {
                    least = distance;
                    best = k;
                }
            }
            if (best != kNoIndex)
                seat(weight, best, PairedBy::Name);
            return best != kNoIndex;
        };
        // The whole name, then without a number at the end, then as the end of either name.
        for (int step = 0; step < 3; ++step) {
            for (std::size_t i = 0; i < m_judged.size(); ++i) {
                if (!m_judged[i] || m_seatOf[i] != kNoIndex)
                    continue;
                const std::string name = step == 1 ? withoutNumber(m_names[i]) : m_names[i];
                if (name.size() < 2)
                    continue;
                if (step < 2) {
                    if (const auto found = named.find(name); found != named.end())
                        choose(i, found->second);
                    continue;
                }
                const std::vector<std::size_t> *only = nullptr;
                std::size_t fits = 0;
                for (const auto &[other, some] : named) {
                    const bool ends = other.size() > name.size() ? other.ends_with("_" + name)
                                                                 : name.ends_with("_" + other);
                    if (ends && std::min(other.size(), name.size()) > 6) {
                        only = &some;
                        ++fits;
                    }
                }
                if (fits == 1)
                    choose(i, *only);
            }
        }
    }

    void byValues()
    {
        struct Edge {
            std::pair<bool, double> order; ///< whether its name says another one; distance
            std::size_t weight = 0, reference = 0;
        };
        for (const auto &[shape, left] : open()) {
            std::vector<Edge> edges;
            for (const std::size_t weight : left.weights) {
                if (m_progress && m_progress->cancelled())
                    return;
                const double same = samplesOfWeight(weight).size() < kShort      ? kSameShort
                                    : m_package.weights()[weight].form.isDense() ? kSame
                                                                                 : kSameCoarse;
                for (const std::size_t k : left.references) {
                    const Likeness like = likenessOf(weight, k);
                    const double least = m_out.references[k].isJoined() ? kSameJoined : same;
                    if (like.correlation < least && like.distance >= kNearlyEqual)
                        continue;
                    const bool other = std::ranges::any_of(
                        left.references, [&, held = k, weight = weight](std::size_t each) {
                            return says(weight, held, each);
                        });
                    edges.push_back({{other, like.distance}, weight, k});
                }
            }
            std::ranges::stable_sort(edges, {}, &Edge::order);
            for (const Edge &edge : edges) {
                if (m_seatOf[edge.weight] == kNoIndex && free(edge.reference))
                    seat(edge.weight, edge.reference, PairedBy::Values);
            }
        }
    }

    /// Weights that hold the transpose of a matrix: the shape tells it, or of square ones that a
    /// converter says so, or that the program reads them as [inputs, outputs] where the checkpoint
    /// has [outputs, inputs], by most of the others, or the reverse.
    void turnMatrices()
    {
        std::size_t inputs = 0, outputs = 0; // matrices of the checkpoint, by what is first
        for (const bool square : {false, true}) {
            for (std::size_t i = 0; i < m_seatOf.size(); ++i) {
                const Weight &weight = m_package.weights()[i];
                const Shape shape = squeezed(weight.shape);
                if (!m_judged[i] || shape.size() != 2)
                    continue;
                const auto first = inputsFirst(weight);
                if (!square && shape[0] != shape[1]) {
                    if (m_seatOf[i] == kNoIndex)
                        turn(i);
                    if (first && m_seatOf[i] != kNoIndex)
                        ++(*first != m_out.references[m_seatOf[i]].isTurned ? inputs : outputs);
                } else if (square && shape[0] == shape[1] &&
                           (m_names[i].starts_with("transpose_") ||
                            (first && *first != (inputs > outputs)))) {
                    turn(i);
                }
            }
        }
    }
    /// If its values fit so.
    void turn(std::size_t weight)
    {
        const Shape shape = squeezed(m_package.weights()[weight].shape);
        const std::size_t held = m_seatOf[weight];
        double least = held == kNoIndex ? 1 - kSameCoarse : likenessOf(weight, held).distance;
        std::size_t best = kNoIndex;
        for (std::size_t k = 0; k < m_holder.size(); ++k) {
            const Reference &of = m_out.references[k];
            if ((k != held && (held != kNoIndex || !free(k))) || of.pieces.size() != 1 ||
                of.isTurned || of.norm != kNoIndex || of.shape != Shape{shape[1], shape[0]})
                continue;
            std::vector<float> samples;
            const double distance =
                likeness(samplesOfWeight(weight), of.turned().sampled(samples)).distance;
            if (distance < least) {
                least = distance;
                best = k;
            }
        }
        if (best == kNoIndex)
            return;
        m_out.references[best] = m_out.references[best].turned();
        m_referenceSamples.erase(best);
        seat(weight, best, held == kNoIndex ? PairedBy::Values : m_how[weight]);
    }

    /// Whether the weight's name says that it holds the same part of `other` instead.
    bool says(std::size_t weight, std::size_t held, std::size_t other) const
    {
        const Reference &a = m_out.references[held], &b = m_out.references[other];
        return a.shape == b.shape && a.transform == b.transform && !a.isJoined() &&
               namesOther(m_names[weight], a.name, b.name);
    }

    /// Gives weights that hold each other's references (in a circle) those that they should hold.
    void exchange(std::vector<std::size_t> wanted, PairedBy how)
    {
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            std::vector<std::size_t> circle;
            std::size_t at = i;
            do {
                circle.push_back(at);
                at = wanted[at] == kNoIndex ? kNoIndex : m_holder[wanted[at]];
            } while (at != i && at != kNoIndex && circle.size() < wanted.size());
            for (const std::size_t weight : circle) {
                if (at == i)
                    hold(weight, std::exchange(wanted[weight], kNoIndex), how);
            }
        }
    }
    void exchangeNamed()
    {
        std::vector<std::size_t> wanted(m_seatOf.size(), kNoIndex);
        for (std::size_t i = 0; i < m_seatOf.size(); ++i) {
            const bool byValues = m_seatOf[i] != kNoIndex && m_how[i] == PairedBy::Values;
            for (std::size_t k = 0; byValues && k < m_holder.size() && wanted[i] == kNoIndex; ++k) {
                if (m_holder[k] < kTaken && says(i, m_seatOf[i], k))
                    wanted[i] = k;
            }
        }
        exchange(std::move(wanted), PairedBy::Name);
    }
    void exchangeLayers()
    {
        const auto [names, positions] = places();
        std::vector<std::size_t> wanted(m_seatOf.size(), kNoIndex);
        for (const auto &[one, other] : exchangedParts(names, positions)) {
            const std::size_t first = m_holder[one], second = m_holder[other];
            if (m_how[first] != PairedBy::Name && m_how[second] != PairedBy::Name &&
                classOf(one) == classOf(other)) {
                wanted[first] = other;
                wanted[second] = one;
            }
        }
        exchange(std::move(wanted), PairedBy::Order);
    }
    /// Weights, each with the vector that its operation or the next one of a weight adds.
    std::vector<std::pair<std::size_t, std::size_t>> layersWithBiases() const
    {
        std::vector<std::size_t> order;
        for (std::size_t i = 0; i < m_seatOf.size(); ++i) {
            if (m_judged[i] && m_positions[i])
                order.push_back(i);
        }
        const auto isVector = [this](std::size_t i) {
            return squeezed(m_package.weights()[i].shape).size() < 2;
        };
        std::ranges::stable_sort(
            order, {}, [&](std::size_t i) { return std::pair(*m_positions[i], isVector(i)); });
        std::vector<std::pair<std::size_t, std::size_t>> pairs;
        for (std::size_t i = 1; i < order.size(); ++i) {
            const std::vector<Consumer> &readers = m_package.weights()[order[i]].consumers;
            if (!readers.empty() && isVector(order[i]) && m_seatOf[order[i - 1]] != kNoIndex &&
                std::ranges::all_of(readers, [](const Consumer &each) {
                    return each.param == "bias" || each.op.find("add") != each.op.npos;
                }))
                pairs.emplace_back(order[i - 1], order[i]);
        }
        return pairs;
    }
    /// References that hold a weight's values.
    std::size_t equals(std::size_t weight)
    {
        std::size_t same = 0;
        for (std::size_t k = 0; k < m_holder.size(); ++k)
            same += m_out.references[k].elements == m_package.weights()[weight].elements.value &&
                    likenessOf(weight, k).distance < kNearlyEqual;
        return same;
    }
    /// A layer's bias stands behind its weight, be it zero, another's or only like what it should
    /// be.
    void seatBiases()
    {
        for (const auto &[layer, bias] : layersWithBiases()) {
            const auto &samples = samplesOfWeight(bias);
            const bool known = std::ranges::count(samples, 0.0F) == std::ssize(samples) ||
                               (m_seatOf[bias] == kNoIndex && equals(bias) > 0);
            for (std::size_t k = 0; m_seatOf[bias] == kNoIndex && k < m_holder.size(); ++k) {
                if (free(k) &&
                    m_out.references[k].elements == m_package.weights()[bias].elements.value &&
                    weightOfBias(m_out.references, k) == m_seatOf[layer] &&
                    (known || likenessOf(bias, k).correlation > kSameCoarse))
                    seat(bias, k, PairedBy::Structure);
            }
        }
    }
    /// And weights that hold each other's tensors are told by biases that no other tensor equals.
    void exchangeByBiases()
    {
        std::vector<std::size_t> wanted(m_seatOf.size(), kNoIndex);
        for (const auto &[layer, bias] : layersWithBiases()) {
            if (m_seatOf[bias] == kNoIndex || m_how[layer] == PairedBy::Name ||
                likenessOf(bias, m_seatOf[bias]).distance >= kNearlyEqual || equals(bias) != 1)
                continue;
            const std::size_t own = weightOfBias(m_out.references, m_seatOf[bias]);
            if (own != kNoIndex && own != m_seatOf[layer] && m_holder[own] < kTaken &&
                classOf(own) == classOf(m_seatOf[layer]))
                wanted[layer] = own;
        }
        exchange(std::move(wanted), PairedBy::Structure);
    }

    /// Weights without a reference, and references without a weight.
    struct Open {
        std::vector<std::size_t> weights, references;
    };
    std::map<Class, Open> open() const
    {
        std::map<Class, Open> all;
        for (std::size_t i = 0; i < m_judged.size(); ++i) {
            if (m_judged[i] && m_seatOf[i] == kNoIndex)
                all[squeezed(m_package.weights()[i].shape)].weights.push_back(i);
        }
        for (std::size_t k = 0; k < m_out.references.size(); ++k) {
            if (free(k))
                all[classOf(k)].references.push_back(k);
        }
        return all;
    }
    /// Of the weights without a reference.
    std::set<Class> openShapes() const
    {
        std::set<Class> shapes;
        for (const auto &[shape, left] : open()) {
            if (!left.weights.empty())
                shapes.insert(shape);
        }
        return shapes;
    }

    /// Rows of larger tensors: gates of recurrent layers, queries, keys and values.
    void addParts()
    {
        const std::set<Class> wanted = openShapes();
        const std::size_t count = m_out.references.size();
        for (std::size_t k = 0; k < count; ++k) {
            const Reference &whole = m_out.references[k];
            if (!free(k) || whole.norm != kNoIndex || whole.pieces.size() != 1 || whole.isTurned)
                continue;
            const std::size_t tensor = m_tensor[k];
            for (const auto &[first, end] : rowRuns(whole.shape, wanted))
                add(Reference::rows(m_checkpoint, tensor, first, end), tensor);
        }
    }

    /// Several tensors of one module in one weight.
    void addJoined()
    {
        std::vector<std::size_t> tensors;
        for (std::size_t k = 0; k < m_out.references.size(); ++k) {
            const Reference &whole = m_out.references[k];
            if (free(k) && whole.transform == "as it is" && !whole.isTurned)
                tensors.push_back(m_tensor[k]);
        }
        for (const auto &order : joinOrders(m_checkpoint, tensors, openShapes()))
            add(Reference::joined(m_checkpoint, order), order[0]);
    }

    /// All modules join their tensors in one order: the one of most, of as many the usual one.
    void alignJoined()
    {
        using Names = std::vector<std::string>;
        const auto sorted = [](Names names) {
            std::ranges::sort(names);
            return names;
        };
        std::map<Names, std::map<Names, std::size_t>> votes;
        std::vector<std::size_t> joined;
        for (std::size_t i = 0; i < m_seatOf.size(); ++i) {
            if (m_seatOf[i] == kNoIndex || !m_out.references[m_seatOf[i]].isJoined())
                continue;
            const Names &names = m_out.references[m_seatOf[i]].joinedNames;
            joined.push_back(i);
            ++votes[sorted(names)][names];
        }
        const auto standing = [](const std::pair<const Names, std::size_t> &vote) {
            const std::vector<std::optional<double>> none(vote.first.size());
            return std::pair(vote.second, std::ranges::is_sorted(expectedOrder(vote.first, none)));
        };
        for (const std::size_t weight : joined) {
            const Reference &held = m_out.references[m_seatOf[weight]];
            const Names &most =
                std::ranges::max_element(votes[sorted(held.joinedNames)], {}, standing)->first;
            for (std::size_t k = 0; held.joinedNames != most && k < m_holder.size(); ++k) {
                const Reference &other = m_out.references[k];
                if (other.joinedNames != most ||
                    !std::ranges::is_permutation(other.pieces, held.pieces, {},
                                                 &Reference::Piece::tensor,
                                                 &Reference::Piece::tensor))
                    continue;
                m_holder[m_seatOf[weight]] = kTaken;
                hold(weight, k, PairedBy::Order);
                break;
            }
        }
    }

    /// Weights that hold none of the values: what is left of their shape, in the order of the
    /// program.
    void byOrder()
    {
        const std::vector<std::size_t> rank = ranks();
        for (auto &entry : open()) {
            std::vector<std::size_t> &some = entry.second.weights, &left = entry.second.references;
            std::erase_if(some, [&](std::size_t weight) { // zeros that a converter added
                const auto &samples = samplesOfWeight(weight);
                return m_package.weights()[weight].form.isDense() &&
                       std::ranges::all_of(samples,
                                           [&](float value) { return value == samples[0]; });
            });
            std::erase_if(left, [&](std::size_t k) { return m_out.references[k].isJoined(); });
            if (some.empty() || left.empty())
                continue;
            std::ranges::stable_sort(
                left, [&](std::size_t a, std::size_t b) { return rank[a] < rank[b]; });
            // A dense constant that only an addition or product reads may be one of the program.
            std::vector<std::size_t> sure;
            for (const std::size_t weight : some) {
                const Weight &of = m_package.weights()[weight];
                const bool parameter = !of.form.isDense() ||
                                       std::ranges::any_of(of.consumers, [](const Consumer &each) {
                                           return each.op.find("conv") != each.op.npos ||
                                                  each.op.find("linear") != each.op.npos ||
                                                  each.op.find("matmul") != each.op.npos ||
                                                  each.op.find("gather") != each.op.npos ||
                                                  each.op.find("_norm") != each.op.npos ||
                                                  each.param.starts_with("weight");
                                       });
                bool like = parameter;
                for (std::size_t k = 0; !like && k < left.size(); ++k) {
                    Subject subject{&m_package, weight, m_decoders.at(weight),
                                    StoredSteps(m_package, weight, m_decoders.at(weight)),
                                    &m_out.references[left[k]]};
                    const std::size_t norm = m_out.references[left[k]].norm;
                    const Likeness sampled = likenessOf(weight, left[k]);
                    like = sampled.correlation > 0.5 ||
                           explain(subject, {5e-4, std::sqrt(sampled.distance),
                                             norm == kNoIndex ? nullptr : &m_out.norms[norm]})
                               .has_value();
                }
                if (like)
                    sure.push_back(weight);
            }
            std::ranges::stable_sort(sure, [&](std::size_t a, std::size_t b) {
                return m_positions[a].value_or(HUGE_VAL) < m_positions[b].value_or(HUGE_VAL);
            });
            if (sure.size() == left.size()) {
                for (std::size_t i = 0; i < sure.size(); ++i) {
                    if (free(left[i]))
                        seat(sure[i], left[i],
                             sure.size() == 1 ? PairedBy::Remainder : PairedBy::Order);
                }
                continue;
            }
            // Between its neighbours in the program: the only one that fits there.
            for (const std::size_t weight : sure) {
                if (!m_positions[weight])
                    continue;
                std::size_t low = 0, high = kNoIndex;
                double lowAt = -1, highAt = HUGE_VAL;
                for (std::size_t i = 0; i < m_seatOf.size(); ++i) {
                    if (m_seatOf[i] == kNoIndex || !m_positions[i])
                        continue;
                    if (*m_positions[i] < *m_positions[weight] && *m_positions[i] > lowAt) {
                        lowAt = *m_positions[i];
                        low = rank[m_seatOf[i]];
                    }
                    if (*m_positions[i] > *m_positions[weight] && *m_positions[i] < highAt) {
                        highAt = *m_positions[i];
                        high = rank[m_seatOf[i]];
                    }
                }
                std::size_t only = kNoIndex, fits = 0;
                for (const std::size_t k : left) {
                    if (free(k) && rank[k] >= low && rank[k] <= high) {
                        only = k;
                        ++fits;
                    }
                }
                if (fits == 1 || (left.size() == 1 && sure.size() == 1))
                    seat(weight, fits == 1 ? only : left[0], PairedBy::Order);
            }
        }
    }

    /// A weight without which the order is right, and the one tensor left for its place.
    std::optional<std::pair<std::size_t, std::size_t>>
    strangeTensor(const Class &shape, const std::vector<std::size_t> &weights,
                  const std::vector<std::size_t> &rank) const
    {
        std::optional<std::pair<std::size_t, std::size_t>> found;
        for (const std::size_t weight : weights) {
            std::size_t low = 0, high = kNoIndex, last = 0;
            bool ascends = true;
            for (const std::size_t other : weights) {
                const std::size_t at = rank[m_seatOf[other]];
                if (other == weight)
                    continue;
                ascends = ascends && last <= at;
                last = at;
                if (*m_positions[other] < *m_positions[weight])
                    low = at;
                else if (*m_positions[other] > *m_positions[weight])
                    high = std::min(high, at);
            }
            const std::size_t own = rank[m_seatOf[weight]];
            if (!ascends || (low <= own && own <= high))
                continue;
            for (std::size_t k = 0; k < m_out.references.size(); ++k) {
                if (!free(k) || classOf(k) != shape || rank[k] < low || rank[k] > high)
                    continue;
                if (found && found->first == weight)
                    return std::nullopt;
                if (!found || rank[k] < rank[found->second]) // a package leaves out last layers
                    found.emplace(weight, k);
            }
        }
        return found;
    }

    /// Of weights without names: those that hold a tensor whose place is elsewhere get the tensor
    /// that belongs where they stand.
    void checkOrder()
    {
        const std::vector<std::size_t> rank = ranks();
        std::map<Class, std::vector<std::size_t>> classes;
        for (std::size_t i = 0; i < m_seatOf.size(); ++i) {
            if (m_seatOf[i] != kNoIndex && m_how[i] != PairedBy::Name && m_positions[i])
                classes[classOf(m_seatOf[i])].push_back(i);
        }
        for (auto &[shape, weights] : classes) {
            // Values of one operation have equal places, which say nothing of their order.
            std::ranges::stable_sort(weights, {}, [&](std::size_t weight) {
                return std::pair(*m_positions[weight], rank[m_seatOf[weight]]);
            });
            const auto move = [this](const std::pair<std::size_t, std::size_t> &strange) {
                m_holder[m_seatOf[strange.first]] = kNoIndex;
                seat(strange.first, strange.second, PairedBy::Order);
            };
            if (const auto strange = strangeTensor(shape, weights, rank)) {
                move(*strange);
                continue;
            }
            std::vector<std::size_t> expected;
            for (const std::size_t weight : weights)
                expected.push_back(m_seatOf[weight]);
            std::ranges::stable_sort(
                expected, [&](std::size_t a, std::size_t b) { return rank[a] < rank[b]; });
            std::vector<std::size_t> moved;
            for (std::size_t i = 0; i < weights.size(); ++i) {
                const bool alone =
                    (i == 0 || *m_positions[weights[i - 1]] < *m_positions[weights[i]]) &&
                    (i + 1 == weights.size() ||
                     *m_positions[weights[i]] < *m_positions[weights[i + 1]]);
                if (m_seatOf[weights[i]] != expected[i]) {
                    if (!alone) {
                        moved.clear();
                        break;
                    }
                    moved.push_back(i);
                }
            }
            // One or two that stand elsewhere are a fault, many an order that is not understood.
            const std::size_t most = std::max<std::size_t>(2, weights.size() / 6);
            if (moved.empty() || moved.size() > most)
                continue;
            // The order of parts is learnt from where their holders stand: without a strange one it
            // may be another.
            std::optional<std::pair<std::size_t, std::size_t>> strange;
            for (std::size_t i = 0; i < moved.size() && !strange; ++i) {
                strange = strangeTensor(shape, weights, ranks(weights[moved[i]]));
                if (strange && strange->first != weights[moved[i]])
                    strange.reset();
            }
            if (strange) {
                move(*strange);
                continue;
            }
            for (const std::size_t i : moved)
                hold(weights[i], expected[i], PairedBy::Order);
        }
    }

    Seating finish()
    {
        for (std::size_t i = 0; i < m_seatOf.size(); ++i) {
            if (!m_judged[i])
                continue;
            if (m_seatOf[i] != kNoIndex) {
                m_out.seats.push_back({i, m_seatOf[i], m_how[i]});
                continue;
            }
            const auto &samples = samplesOfWeight(i);
            const bool zeros = std::ranges::all_of(samples, [](float value) { return value == 0; });
            m_out.notCompared += !zeros && !m_package.weights()[i].form.isDense();
            m_out.unpaired.push_back(
                {i, m_package.weights()[i].address(),
                 zeros ? "zeros that the converter added"
                       : "a constant of the program: the checkpoint has no tensor "
                         "for it"});
        }
        findMissing(m_checkpoint, m_tensor, m_holder, m_out);
        if (m_out.missing.empty())
            m_out.notCompared = 0;
        return std::move(m_out);
    }

    bool free(std::size_t reference) const
    {
        return m_holder[reference] == kNoIndex && m_open[m_tensor[reference]];
    }
    void hold(std::size_t weight, std::size_t reference, PairedBy how)
    {
        m_seatOf[weight] = reference;
        m_how[weight] = how;
        m_holder[reference] = weight;
    }
    void seat(std::size_t weight, std::size_t reference, PairedBy how)
    {
        hold(weight, reference, how);
        // A tensor is held as a whole or in parts, folded or not; its parts one by one.
        const Reference &held = m_out.references[reference];
        for (std::size_t i = 0; i < m_holder.size(); ++i) {
            if (i != reference && m_tensor[i] == m_tensor[reference] && m_holder[i] == kNoIndex &&
                (held.overlaps(m_out.references[i])))
                m_holder[i] = kTaken;
        }
    }

    const std::vector<float> &samplesOfWeight(std::size_t weight)
    {
        const codec::Decoder &decoder = m_decoders.at(weight);
        return sampled(m_weightSamples[weight], decoder.elements().value,
                       [&](std::uint64_t at, auto out) { decoder.decodeFloat(at, out); });
    }
    Likeness likenessOf(std::size_t weight, std::size_t reference)
    {
        return likeness(samplesOfWeight(weight),
                        m_out.references[reference].sampled(m_referenceSamples[reference]));
    }
    Class classOf(std::size_t reference) const
    {
        return squeezed(m_out.references[reference].shape);
    }
    std::string orderName(std::size_t reference) const
    {
        const Reference &of = m_out.references[reference];
        std::string name = of.name;
        if (!of.pieces.empty() && of.pieces[0].first > 0)
            name += "." + std::to_string(of.pieces[0].first);
        return name;
    }
    /// Of the references. `without`: a weight whose place says nothing.
    std::pair<std::vector<std::string>, std::vector<std::optional<double>>>
    places(std::size_t without = kNoIndex) const
    {
        std::vector<std::string> names;
        std::vector<std::optional<double>> positions;
        for (std::size_t k = 0; k < m_out.references.size(); ++k) {
            names.push_back(orderName(k));
            const std::size_t holder = m_holder[k];
            positions.push_back(holder < kTaken && holder != without ? m_positions[holder]
                                                                     : std::nullopt);
        }
        return {std::move(names), std::move(positions)};
    }
    std::vector<std::size_t> ranks(std::size_t without = kNoIndex) const
    {
        const auto [names, positions] = places(without);
        return expectedOrder(names, positions);
    }

    static constexpr std::size_t kTaken = kNoIndex - 1;
    const Bundle &m_package;
    const Bundle &m_checkpoint;
    Progress *m_progress;
    std::vector<std::optional<double>> m_positions;
    Seating m_out;
    std::vector<std::size_t> m_tensor; ///< of each reference: the first tensor in it
    std::vector<std::size_t> m_holder; ///< of each reference: its weight, kTaken, kNoIndex
    std::vector<bool> m_open;          ///< by tensor
    std::vector<std::size_t> m_seatOf; ///< of each weight
    std::vector<PairedBy> m_how;
    std::vector<bool> m_judged;       ///< weights that are compared at all
    std::vector<std::string> m_names; ///< of those, as plainName() has them
    std::map<std::size_t, std::vector<float>> m_weightSamples, m_referenceSamples;
    std::map<std::size_t, codec::Decoder> m_decoders;
};

} // namespace

Seating findSeats(const BundlePtr &package, const BundlePtr &checkpoint, Progress *progress)
{
    return Seater(package, checkpoint, progress).run();
}

} // namespace kernscope::audit
