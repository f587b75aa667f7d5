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
constexpr std::uint64_t kSamples = 1024;

bool isStatistic(std::string_view name)
{
    return name.ends_with(".running_mean") || name.ends_with(".running_var") ||
           name.ends_with(".num_batches_tracked");
}

/// Pairs, step by step.
class Seater
{
public:
    Seater(const BundlePtr &package, const BundlePtr &checkpoint, Progress *progress)
        : m_package(*package), m_checkpoint(*checkpoint), m_progress(progress),
          m_positions(positionsOf(package)), m_seatOf(package->weights().size(), kNoIndex),
          m_how(m_seatOf.size(), PairedBy::Name), m_judged(m_seatOf.size(), false)
    {
    }

    Seating run()
    {
        collect();
        fitEpsilon();
        chooseFolding();
        byName();
        byValues();
        addParts();
        byValues();
        addJoined();
        byValues();
        alignJoined();
        byOrder();
        checkOrder();
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
                if (each.op == "conv_transpose" && weight.shape.size() > 2 &&
                    weight.elements.value > 0)
                    transposed.insert(weight.shape);
            }
        }
        m_out.norms = findNorms(m_checkpoint, transposed);
        m_open.assign(m_checkpoint.weights().size(), true);
        for (std::size_t i = 0; i < m_checkpoint.weights().size(); ++i) {
            const Weight &weight = m_checkpoint.weights()[i];
            if (weight.fault || !isFloatingPoint(weight.type) || weight.elements.value < 2 ||
                isStatistic(weight.name))
                continue;
            auto made = lstm ? Reference::ofLstm(m_checkpoint, i) : std::nullopt;
            add(made ? *std::move(made) : Reference::whole(m_checkpoint, i), i);
        }
        for (std::size_t i = 0; i < m_out.norms.size(); ++i) {
            const FoldedNorm &norm = m_out.norms[i];
            add(Reference::foldedWeight(m_checkpoint, norm, Folding::Whole), norm.convolution, i);
            const std::string &named = m_checkpoint.weights()[norm.norm].name;
            const std::string name = named.substr(0, named.rfind('.')) + ".bias";
            const std::size_t tensor = tensorOf(name);
            add(Reference::foldedBias(m_checkpoint, norm, name, Folding::Whole),
                tensor == kNoIndex ? norm.norm : tensor, i);
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
        double least = HUGE_VAL;
        for (std::size_t i = 0; i < m_judged.size(); ++i) {
            if (m_judged[i] && squeezed(m_package.weights()[i].shape) == classOf(reference))
                least = std::min(least, likenessOf(i, reference).distance);
        }
        return least;
    }

    /// The epsilon of the batch norms: the one with which folded weights fit best, of those in use.
    void fitEpsilon()
    {
        if (m_out.norms.empty())
            return;
        for (std::size_t k = 0; k < m_out.references.size(); ++k) {
            Reference &reference = m_out.references[k];
            if (reference.groupRows == 0 || !m_out.norms[reference.norm].eitherAxis)
                continue;
            const std::uint64_t rows = std::exchange(reference.groupRows, 0);
            const double plain = nearest(k);
            reference.groupRows = rows;
            m_referenceSamples.erase(k);
            if (2 * plain < nearest(k))
                m_out.norms[reference.norm].groups = reference.groupRows = 0;
            m_referenceSamples.erase(k);
        }
        double least = HUGE_VAL, chosen = 1e-5;
        for (const double epsilon : {1e-5, 1e-3, 1e-6, 1e-4, 1e-8, 1e-12, 1e-2}) {
            double sum = 0;
            std::size_t any = 0;
            for (std::size_t k = 0; k < m_out.references.size(); ++k) {
                Reference &reference = m_out.references[k];
                if (reference.norm == kNoIndex || reference.isBias)
                    continue;
                FoldedNorm &norm = m_out.norms[reference.norm];
                norm.epsilon = epsilon;
                reference.factors = norm.factors();
                m_referenceSamples.erase(k);
                sum += std::min(0.05, nearest(k)); // what nothing fits counts alike
                ++any;
            }
            if (any > 0 && sum < 0.9 * least) {
                least = sum;
                chosen = epsilon;
            }
        }
        for (std::size_t k = 0; k < m_out.references.size(); ++k) {
            Reference &reference = m_out.references[k];
            if (reference.norm == kNoIndex)
                continue;
            FoldedNorm &norm = m_out.norms[reference.norm];
            norm.epsilon = chosen;
            auto made =
                reference.isBias
                    ? Reference::foldedBias(m_checkpoint, norm, reference.name, Folding::Whole)
                    : Reference::foldedWeight(m_checkpoint, norm, Folding::Whole);
            if (made) {
                made->norm = reference.norm;
                reference = *std::move(made);
            }
            m_referenceSamples.erase(k);
        }
    }

    /// Whether each batch norm is folded into its layer or is an operation of its own: by the
    /// values, and where those fit neither way, as most of the package.
    void chooseFolding()
    {
        constexpr double kFits = 0.2, kCoarselyFits = 0.5, kNearlyFits = 0.02;
        enum class Way { Folded, Apart, Unknown };
        std::vector<Way> ways(m_out.norms.size(), Way::Unknown);
        std::size_t folded = 0, apart = 0;
        const auto rawOf = [&](std::size_t tensor) {
            for (std::size_t k = 0; k < m_out.references.size(); ++k) {
                if (m_tensor[k] == tensor && m_out.references[k].norm == kNoIndex)
                    return k;
            }
            return kNoIndex;
        };
        for (std::size_t k = 0; k < m_out.references.size(); ++k) {
            const Reference &reference = m_out.references[k];
            if (reference.norm == kNoIndex || reference.isBias)
                continue;
            const std::size_t raw = rawOf(m_tensor[k]);
            const double with = nearest(k), without = raw == kNoIndex ? HUGE_VAL : nearest(raw);
            const auto [less, more] = std::minmax(with, without);
            if (less > (2 * less < more ? kCoarselyFits : kFits)) // tables of few entries are off
                continue;
            // One that nearly fits may be folded without its gain: that is for the others to say.
            if (with <= without)
                ways[reference.norm] = Way::Folded;
            else if (without < kNearlyFits && with > 4 * without)
                ways[reference.norm] = Way::Apart;
            ++(with <= without ? folded : apart);
        }
        for (std::size_t k = 0; k < m_out.references.size(); ++k) {
            const Reference &reference = m_out.references[k];
            if (reference.norm == kNoIndex)
                continue;
            const Way way = ways[reference.norm];
            const bool isFolded = way == Way::Folded || (way == Way::Unknown && folded > apart);
            const FoldedNorm &norm = m_out.norms[reference.norm];
            if (!isFolded) {
                m_holder[k] = kTaken;
                continue;
            }
            for (const std::size_t tensor : {m_tensor[k], norm.norm, norm.biasTensor}) {
                if (const std::size_t raw = rawOf(tensor); raw != kNoIndex)
                    m_holder[raw] = kTaken;
            }
        }
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
                std::string name = plainName(m_package.weights()[i].name);
                if (step == 1)
                    name = withoutNumber(name);
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
        std::map<Class, std::vector<std::size_t>> weights, references;
        for (std::size_t i = 0; i < m_judged.size(); ++i) {
            if (m_judged[i] && m_seatOf[i] == kNoIndex)
                weights[squeezed(m_package.weights()[i].shape)].push_back(i);
        }
        for (std::size_t k = 0; k < m_out.references.size(); ++k) {
            if (free(k))
                references[classOf(k)].push_back(k);
        }
        struct Edge {
            double distance = 0;
            std::size_t weight = 0, reference = 0;
        };
        for (const auto &[shape, some] : weights) {
            const auto found = references.find(shape);
            if (found == references.end())
                continue;
            std::vector<Edge> edges;
            for (const std::size_t weight : some) {
                if (m_progress && m_progress->cancelled())
                    return;
                const double same = samplesOfWeight(weight).size() < kShort      ? kSameShort
                                    : m_package.weights()[weight].form.isDense() ? kSame
                                                                                 : kSameCoarse;
                for (const std::size_t k : found->second) {
                    const Likeness like = likenessOf(weight, k);
                    const double least = m_out.references[k].isJoined() ? kSameJoined : same;
                    if (like.correlation >= least || like.distance < kNearlyEqual)
                        edges.push_back({like.distance, weight, k});
                }
            }
            std::ranges::stable_sort(edges, {}, &Edge::distance);
            for (const Edge &edge : edges) {
                if (m_seatOf[edge.weight] == kNoIndex && free(edge.reference))
                    seat(edge.weight, edge.reference, PairedBy::Values);
            }
        }
    }

    /// Rows of larger tensors: gates of recurrent layers, queries, keys and values.
    void addParts()
    {
        std::set<Class> wanted;
        for (std::size_t i = 0; i < m_judged.size(); ++i) {
            if (m_judged[i] && m_seatOf[i] == kNoIndex)
                wanted.insert(squeezed(m_package.weights()[i].shape));
        }
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
        std::set<Class> wanted;
        for (std::size_t i = 0; i < m_judged.size(); ++i) {
            if (m_judged[i] && m_seatOf[i] == kNoIndex)
                wanted.insert(squeezed(m_package.weights()[i].shape));
        }
        for (const auto &order : joinOrders(m_checkpoint, tensors, wanted))
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
                m_holder[k] = weight;
                m_seatOf[weight] = k;
                m_how[weight] = PairedBy::Order;
                break;
            }
        }
    }

    /// Weights that hold none of the values: what is left of their shape, in the order of the
    /// program.
    void byOrder()
    {
        std::map<Class, std::vector<std::size_t>> weights, references;
        for (std::size_t i = 0; i < m_judged.size(); ++i) {
            if (!m_judged[i] || m_seatOf[i] != kNoIndex)
                continue;
            const auto &samples = samplesOfWeight(i);
            const bool flat =
                std::ranges::all_of(samples, [&](float value) { return value == samples[0]; });
            if (!flat || !m_package.weights()[i].form.isDense()) // no zeros that a converter added
                weights[squeezed(m_package.weights()[i].shape)].push_back(i);
        }
        for (std::size_t k = 0; k < m_out.references.size(); ++k) {
            const Reference &reference = m_out.references[k];
            if (!free(k) || reference.isJoined())
                continue;
            references[classOf(k)].push_back(k);
        }
        const std::vector<std::size_t> rank = ranks();
        for (auto &[shape, some] : weights) {
            const auto found = references.find(shape);
            if (found == references.end())
                continue;
            auto &left = found->second;
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
            if (const auto strange = strangeTensor(shape, weights, rank)) {
                m_holder[m_seatOf[strange->first]] = kNoIndex;
                seat(strange->first, strange->second, PairedBy::Order);
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
                m_holder[m_seatOf[strange->first]] = kNoIndex;
                seat(strange->first, strange->second, PairedBy::Order);
                continue;
            }
            for (const std::size_t i : moved) {
                m_seatOf[weights[i]] = expected[i];
                m_holder[expected[i]] = weights[i];
                m_how[weights[i]] = PairedBy::Order;
            }
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
        std::set<std::size_t> held;
        for (const Seat &seat : m_out.seats) {
            for (const auto &piece : m_out.references[seat.reference].pieces)
                held.insert(piece.tensor);
            held.insert(m_tensor[seat.reference]);
            if (m_out.references[seat.reference].norm != kNoIndex) {
                const FoldedNorm &norm = m_out.norms[m_out.references[seat.reference].norm];
                held.insert(norm.norm);
                held.insert(norm.biasTensor);
            }
        }
        for (std::size_t i = 0; i < m_checkpoint.weights().size(); ++i) {
            const Weight &weight = m_checkpoint.weights()[i];
            if (held.count(i) == 0 && !isStatistic(weight.name) && isFloatingPoint(weight.type))
                m_out.missing.push_back(weight.name);
        }
        for (std::size_t k = 0; k < m_holder.size(); ++k) {
            const Reference &part = m_out.references[k];
            if (m_holder[k] != kNoIndex || part.transform == "as it is" || part.isJoined() ||
                part.pieces.size() != 1 || held.count(m_tensor[k]) == 0 ||
                std::ranges::any_of(m_out.missingParts, [&](std::size_t other) {
                    return overlap(part, m_out.references[other]);
                }))
                continue;
            m_out.missingParts.push_back(k);
        }
        if (m_out.missing.empty())
            m_out.notCompared = 0;
        return std::move(m_out);
    }

    bool free(std::size_t reference) const
    {
        return m_holder[reference] == kNoIndex && m_open[m_tensor[reference]];
    }
    void seat(std::size_t weight, std::size_t reference, PairedBy how)
    {
        m_seatOf[weight] = reference;
        m_how[weight] = how;
        m_holder[reference] = weight;
        // A tensor is held as a whole or in parts, folded or not; its parts one by one.
        const Reference &held = m_out.references[reference];
        for (std::size_t i = 0; i < m_holder.size(); ++i) {
            if (i != reference && m_tensor[i] == m_tensor[reference] && m_holder[i] == kNoIndex &&
                (overlap(held, m_out.references[i])))
                m_holder[i] = kTaken;
        }
    }

    static bool overlap(const Reference &a, const Reference &b)
    {
        if (a.isBias || b.isBias || a.pieces.empty() || b.pieces.empty())
            return true;
        for (const auto &x : a.pieces) {
            for (const auto &y : b.pieces) {
                if (x.tensor == y.tensor && x.first < y.first + y.count &&
                    y.first < x.first + x.count)
                    return true;
            }
        }
        return false;
    }

    const std::vector<float> &samplesOfWeight(std::size_t weight)
    {
        auto &samples = m_weightSamples[weight];
        if (samples.empty()) {
            const codec::Decoder &decoder = m_decoders.at(weight);
            const auto places = samplePlaces(decoder.elements().value, kSamples);
            samples.resize(places.size());
            for (std::size_t i = 0; i < places.size(); ++i)
                decoder.decodeFloat(places[i], std::span(samples).subspan(i, 1));
        }
        return samples;
    }
    const std::vector<float> &samplesOfReference(std::size_t reference)
    {
        auto &samples = m_referenceSamples[reference];
        if (samples.empty()) {
            const Reference &of = m_out.references[reference];
            const auto places = samplePlaces(of.elements, kSamples);
            samples.resize(places.size());
            for (std::size_t i = 0; i < places.size(); ++i)
                of.read(places[i], std::span(samples).subspan(i, 1));
        }
        return samples;
    }
    Likeness likenessOf(std::size_t weight, std::size_t reference)
    {
        return likeness(samplesOfWeight(weight), samplesOfReference(reference));
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
    /// `without`: a weight whose place says nothing.
    std::vector<std::size_t> ranks(std::size_t without = kNoIndex) const
    {
        std::vector<std::string> names;
        std::vector<std::optional<double>> positions;
        for (std::size_t k = 0; k < m_out.references.size(); ++k) {
            names.push_back(orderName(k));
            const std::size_t holder = m_holder[k];
            positions.push_back(holder < kTaken && holder != without ? m_positions[holder]
                                                                     : std::nullopt);
        }
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
    std::vector<bool> m_judged; ///< weights that are compared at all
    std::map<std::size_t, std::vector<float>> m_weightSamples, m_referenceSamples;
    std::map<std::size_t, codec::Decoder> m_decoders;
};

} // namespace

std::vector<std::size_t> Seating::alike(std::size_t reference) const
{
    std::vector<std::size_t> result;
    const Reference &own = references[reference];
    for (std::size_t k = 0; k < references.size(); ++k) {
        const Reference &other = references[k];
        const bool sameTensors =
            own.isJoined()
                ? std::ranges::is_permutation(own.pieces, other.pieces, {},
                                              &Reference::Piece::tensor, &Reference::Piece::tensor)
                : own.name == other.name && (own.pieces.empty() || other.pieces.empty() ||
                                             own.pieces[0].first == other.pieces[0].first);
        if (k != reference && !sameTensors && squeezed(other.shape) == squeezed(own.shape))
            result.push_back(k);
    }
    return result;
}

Seating findSeats(const BundlePtr &package, const BundlePtr &checkpoint, Progress *progress)
{
    return Seater(package, checkpoint, progress).run();
}

} // namespace kernscope::audit
