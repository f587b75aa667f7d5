// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/audit/seats.h"

#include "core/assessment/consumer_kinds.h"
#include "core/assessment/weight_facts.h"
#include "core/base/text.h"
#include "core/bundle/bundle.h"
#include "core/graph/graph.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <tuple>

namespace kernscope::audit {

namespace {

/// Words that tell in which order parts of a layer are read, where the program does not.
constexpr std::array<std::string_view, 18> kUsualOrder{
    "embed", "query", "q_proj", "key", "k_proj", "value", "v_proj", "o_proj", "out_proj",
    "gate",  "up",    "down",   "fc1", "fc2",    "ih",    "hh",     "weight", "bias"};

std::size_t usualRank(std::string_view word)
{
    for (std::size_t i = 0; i < kUsualOrder.size(); ++i) {
        if (word.find(kUsualOrder[i]) != word.npos)
            return i;
    }
    return kUsualOrder.size();
}

/// Names come from a file: deeper parts count as one, and more siblings than any module has are not
/// held against each other.
constexpr std::size_t kMostParts = 32, kMostCompared = 64;

bool isNumber(std::string_view text)
{
    return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

/// Of two numbers of any length.
bool numberLess(std::string_view a, std::string_view b)
{
    for (std::string_view *text : {&a, &b})
        text->remove_prefix(std::min(text->find_first_not_of('0'), text->size()));
    return a.size() != b.size() ? a.size() < b.size() : a < b;
}

/// Dotted names as a tree, to be sorted level by level.
class NameTree
{
public:
    NameTree(std::span<const std::string> names, std::span<const std::optional<double>> positions)
    {
        for (std::size_t i = 0; i < names.size(); ++i) {
            Node *node = &m_root;
            std::string_view rest = names[i];
            std::vector<Node *> path{node};
            while (!rest.empty()) {
                const std::string_view part =
                    path.size() > kMostParts ? rest : rest.substr(0, rest.find('.'));
                rest.remove_prefix(std::min(rest.size(), part.size() + 1));
                Node *child = &node->children[std::string(part)];
                child->pattern = node->pattern + "." + (isNumber(part) ? "#" : std::string(part));
                node = child;
                path.push_back(node);
            }
            node->names.push_back(i);
            if (positions[i]) {
                for (Node *each : path)
                    each->positions.push_back(*positions[i]);
            }
        }
        vote(m_root);
    }

    std::vector<std::size_t> ranks(std::size_t count)
    {
        m_ranks.assign(count, 0);
        m_next = 0;
        walk(m_root);
        return m_ranks;
    }

private:
    struct Node {
        std::string pattern; ///< with "#" for numbers
        std::map<std::string, Node> children;
        std::vector<std::size_t> names;
        std::vector<double> positions; ///< ascending, once it was voted on
    };
    /// How often one child was found before another, and behind it.
    struct Votes {
        int before = 0, behind = 0;
    };
    /// Of every parent which of two children is read first, by all pairs of places in them: one
    /// moved weight must not outvote the others. Of numbered ones whether they are read upwards: by
    /// two thirds of the pairs.
    void vote(Node &node)
    {
        std::ranges::sort(node.positions);
        for (auto &[name, child] : node.children)
            vote(child);
        if (node.children.size() > kMostCompared)
            return;
        for (const auto &[name, child] : node.children) {
            for (const auto &[other, sibling] : node.children) {
                if (name == other || crosswise(node, name, other))
                    continue;
                std::ptrdiff_t before = 0, behind = 0;
                for (const double at : child.positions) {
                    const auto &others = sibling.positions;
                    before += others.end() - std::ranges::upper_bound(others, at);
                    behind += std::ranges::lower_bound(others, at) - others.begin();
                }
                if (!isNumber(name) || !isNumber(other)) {
                    Votes &votes = m_before[{node.pattern, name, other}];
                    votes.before += before > behind;
                    votes.behind += behind > before;
                } else if (numberLess(name, other)) {
                    m_upwards[node.pattern] += int(before > 2 * behind) - int(behind > 2 * before);
                }
            }
        }
    }

    /// Whether weights and biases of a recurrent layer follow each other crosswise ("weight_hh",
    /// "bias_ih", "weight_ih", "bias_hh"): two of them are swapped, and say nothing of the order.
    static bool crosswise(const Node &node, const std::string &name, const std::string &other)
    {
        const auto place = [&](std::string_view kind, const std::string &of) {
            const auto found = node.children.find(std::string(kind) +
                                                  of.substr(std::min(of.find('_'), of.size())));
            return found == node.children.end() || found->second.positions.size() != 1
                       ? -1
                       : found->second.positions[0];
        };
        const double weight = place("weight", name), next = place("weight", other),
                     bias = place("bias", name), nextBias = place("bias", other);
        const auto [first, second] = std::minmax(weight, next);
        const auto [firstBias, secondBias] = std::minmax(bias, nextBias);
        return first >= 0 && firstBias >= 0 && (weight < next) != (bias < nextBias) &&
               first < firstBias && firstBias < second && second < secondBias;
    }

    /// 1 where the first of two siblings is expected before the second, else -1; 0: not known.
    int order(const Node &node, const std::string &name, const std::string &other) const
    {
        if (isNumber(name) && isNumber(other)) {
            const auto votes = m_upwards.find(node.pattern);
            const bool down = votes != m_upwards.end() && votes->second < 0;
            return numberLess(name, other) != down ? 1 : -1;
        }
        const auto usual = usualRank(name), others = usualRank(other);
        const auto found = m_before.find({node.pattern, name, other});
        const Votes votes = found == m_before.end() ? Votes() : found->second;
        const auto [few, many] = std::minmax(votes.before, votes.behind);
        // Where words tell the order, a clear majority is needed to say another one.
        const bool telling = usual != others && std::max(usual, others) < kUsualOrder.size();
        if (many > (telling ? 2 * few : few))
            return votes.before > votes.behind ? 1 : -1;
        return usual != others ? (usual < others ? 1 : -1) : 0;
    }

    void walk(const Node &node)
    {
        for (const std::size_t name : node.names)
            m_ranks[name] = m_next++;
        struct Entry {
            int score = 0;
            std::size_t usual = 0;
            bool word = false; ///< no number
            std::string name;
            const Node *child = nullptr;
        };
        std::vector<Entry> entries;
        for (const auto &[name, child] : node.children) {
            Entry &entry =
                entries.emplace_back(Entry{0, usualRank(name), !isNumber(name), name, &child});
            if (node.children.size() > kMostCompared)
                continue;
            for (const auto &[other, sibling] : node.children) {
                if (name != other)
                    entry.score -= order(node, name, other);
            }
        }
        std::ranges::stable_sort(entries, [](const Entry &a, const Entry &b) {
            const auto x = std::tie(a.score, a.usual, a.word),
                       y = std::tie(b.score, b.usual, b.word);
            return x != y ? x < y : a.word ? a.name < b.name : numberLess(a.name, b.name);
        });
        for (const Entry &entry : entries)
            walk(*entry.child);
    }

    Node m_root;
    std::map<std::string, int> m_upwards;
    std::map<std::tuple<std::string, std::string, std::string>, Votes> m_before;
    std::vector<std::size_t> m_ranks;
    std::size_t m_next = 0;
};

} // namespace

std::string programName(std::string_view name)
{
    std::string result;
    for (const char c : name) {
        const bool plain =
            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        result += plain ? c : '_';
    }
    return result;
}

std::string plainName(std::string name)
{
    for (bool any = true; any;) {
        any = false;
        name = baseName(name);
        for (const std::string_view end :
             {"_to_fp16", "_to_fp32", "_to_int8", "_to_uint8", "_cast_fp16", "_pcs"}) {
            if (name.size() > end.size() && name.ends_with(end)) {
                name.resize(name.size() - end.size());
                any = true;
            }
        }
    }
    return programName(name);
}

std::string withoutNumber(const std::string &name)
{
    const std::size_t digits = name.find_last_not_of("0123456789");
    return digits != name.npos && digits + 1 < name.size() && name[digits] == '_'
               ? name.substr(0, digits)
               : std::string();
}

bool namesOther(const std::string &name, std::string_view held, std::string_view other)
{
    const auto same = static_cast<std::size_t>(
        std::mismatch(held.begin(), held.end(), other.begin(), other.end()).first - held.begin());
    const auto partBefore = [&](std::size_t at) {
        return at == 0 || held.rfind('.', at - 1) == held.npos ? 0 : held.rfind('.', at - 1) + 1;
    };
    const std::size_t part = partBefore(same), end = held.find('.', part),
                      ends = other.find('.', part);
    if (end == held.npos || ends == other.npos || held.substr(end) != other.substr(ends) ||
        held.substr(part, end - part) == other.substr(part, ends - part))
        return false;
    if (part == 0)
        return false; // "2" of "2.weight" may be any number
    const std::size_t from = partBefore(part - 1);
    const auto has = [&, whole = "_" + name + "_"](std::string_view parts) {
        return whole.find("_" + programName(parts) + "_") != whole.npos;
    };
    return has(other.substr(from, ends - from)) && !has(held.substr(from, end - from));
}

std::vector<std::size_t> expectedOrder(std::span<const std::string> names,
                                       std::span<const std::optional<double>> positions)
{
    return NameTree(names, positions).ranks(names.size());
}

std::vector<std::pair<std::size_t, std::size_t>>
exchangedParts(std::span<const std::string> names, std::span<const std::optional<double>> positions)
{
    using Parts = std::map<std::string_view, std::size_t>;               // by what follows
    std::map<std::string_view, std::map<std::string_view, Parts>> lists; // by what is before
    for (std::size_t i = 0; i < names.size(); ++i) {
        const std::string_view name = names[i];
        std::size_t from = 0, end = name.find('.');
        for (std::size_t part = 0; positions[i] && end != name.npos && part < kMostParts; ++part) {
            const std::string_view word = name.substr(from, end - from);
            if (isNumber(word))
                lists[name.substr(0, from)][word].emplace(name.substr(end), i);
            from = end + 1;
            end = name.find('.', from);
        }
    }
    std::vector<std::pair<std::size_t, std::size_t>> found;
    // Most modules stand in one order; of those that do not each is among the other layer's.
    const auto look = [&](const Parts &one, const Parts &other) {
        std::array<std::vector<std::pair<std::size_t, std::size_t>>, 2> ways;
        std::array<std::set<std::string_view>, 2> modules;
        for (const auto &[name, index] : one) {
            const auto partner = other.find(name);
            if (partner == other.end())
                continue;
            const bool behind = *positions[index] > *positions[partner->second];
            ways[behind].emplace_back(index, partner->second);
            modules[behind].insert(name.substr(0, name.rfind('.')));
        }
        const bool most = modules[1].size() > modules[0].size();
        double last = -1, next = HUGE_VAL; // of the layer that comes first, and of the other one
        for (auto [first, second] : ways[most]) {
            last = std::max(last, *positions[most ? second : first]);
            next = std::min(next, *positions[most ? first : second]);
        }
        const bool told = std::ranges::all_of(ways[!most], [&](const auto &pair) {
            return *positions[most ? pair.second : pair.first] > last &&
                   *positions[most ? pair.first : pair.second] < next;
        });
        if (told && last < next && modules[most].size() > modules[!most].size())
            found.insert(found.end(), ways[!most].begin(), ways[!most].end());
    };
    for (const auto &[before, layers] : lists) {
        for (auto one = layers.begin(); one != layers.end() && layers.size() <= kMostCompared;
             ++one) {
            for (auto other = std::next(one); other != layers.end(); ++other)
                look(one->second, other->second);
        }
    }
    return found;
}

std::optional<bool> inputsFirst(const Weight &weight)
{
    std::optional<bool> first;
    for (const Consumer &consumer : weight.consumers) {
        const ChannelAxes axes = channelAxes(weight, consumer);
        const bool own = axes.input < axes.output;
        if ((consumer.op != "linear" && consumer.op != "matmul") || !hasKernel(consumer) ||
            (first && *first != own))
            return std::nullopt;
        first = own;
    }
    return first;
}

std::vector<std::optional<double>> positionsOf(const BundlePtr &package)
{
    static constexpr std::array<std::string_view, 6> kMoves{"transpose", "reshape", "expand",
                                                            "squeeze",   "cast",    "slice"};
    std::vector<std::optional<double>> positions(package->weights().size());
    const auto graph = graph::Graph::build(package);
    if (!graph)
        return positions;
    for (std::size_t i = 0; i < positions.size(); ++i) {
        const std::size_t node = (*graph)->nodeOfWeight(i);
        if (node == graph::kNone)
            continue;
        std::vector<std::size_t> next{node};
        std::set<std::size_t> seen;
        std::size_t first = graph::kNone;
        while (!next.empty()) {
            const std::size_t at = next.back();
            next.pop_back();
            for (const std::size_t edge : (*graph)->edgesFrom(at)) {
                const std::size_t to = (*graph)->edges()[edge].to;
                if (!seen.insert(to).second || seen.size() > 64)
                    continue;
                const std::string title = (*graph)->title(to);
                const bool moves = std::ranges::any_of(
                    kMoves, [&](auto word) { return title.find(word) != title.npos; });
                if (moves)
                    next.push_back(to);
                else
                    first = std::min(first, to);
            }
        }
        if (first != graph::kNone)
            positions[i] = static_cast<double>(first);
    }
    return positions;
}

} // namespace kernscope::audit
