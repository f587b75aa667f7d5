// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/descriptor/task_diff.h"

#include <algorithm>

namespace kernscope::descriptor {

namespace {

using NamedValues = std::vector<std::pair<std::string_view, std::uint32_t>>;

std::optional<std::uint32_t> valueOf(const NamedValues &fields, std::string_view name)
{
    const auto at =
        std::ranges::find_if(fields, [name](const auto &field) { return field.first == name; });
    return at == fields.end() ? std::nullopt : std::optional(at->second);
}

std::vector<FieldDifference> headerDifferences(const NamedValues &a, const NamedValues &b)
{
    std::vector<FieldDifference> found;
    const auto add = [&found](std::string_view name, std::optional<std::uint32_t> left,
                              std::optional<std::uint32_t> right) {
        if (left != right && name != "NextPointer")
            found.push_back({std::string(name), left, right});
    };
    for (const auto &[name, value] : a)
        add(name, value, valueOf(b, name));
    for (const auto &[name, value] : b) {
        if (!valueOf(a, name))
            add(name, std::nullopt, value);
    }
    return found;
}

std::vector<FieldDifference> fieldDifferences(const Register *reg, std::optional<std::uint32_t> a,
                                              std::optional<std::uint32_t> b)
{
    std::vector<FieldDifference> found;
    if (reg == nullptr)
        return found;
    for (const BitField &field : reg->fields) {
        const auto left = a ? std::optional(field.of(*a)) : std::nullopt;
        const auto right = b ? std::optional(field.of(*b)) : std::nullopt;
        if (left != right)
            found.push_back({field.name, left, right});
    }
    return found;
}

/// A gap of more pairs of tasks than this is paired in order.
constexpr std::size_t kMostCells = std::size_t(1) << 20;
/// Price of a task that has no partner, where two tasks without anything in common cost 1: one
/// that shares less than a third of its registers is another task.
constexpr double kAlone = 0.35;

/// What a task writes, by address.
using Content = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

std::vector<Content> contentsOf(const TaskReader &reader)
{
    std::vector<Content> contents(reader.list().tasks.size());
    TaskDetail detail;
    for (std::size_t i = 0; i < contents.size(); ++i) {
        reader.read(i, detail);
        for (const RegisterWrite &write : detail.stream.writes)
            contents[i].emplace_back(write.address, write.value);
        std::stable_sort(contents[i].begin(), contents[i].end(),
                         [](const auto &x, const auto &y) { return x.first < y.first; });
    }
    return contents;
}

/// 0 for the same content, 1 for nothing in common.
double distance(const Content &a, const Content &b)
{
    std::size_t same = 0;
    for (auto i = a.begin(), k = b.begin(); i != a.end() && k != b.end();) {
        if (i->first < k->first) {
            ++i;
        } else if (k->first < i->first) {
            ++k;
        } else {
            same += i->second == k->second;
            ++i;
            ++k;
        }
    }
    const std::size_t all = std::max(a.size(), b.size());
    return all == 0 ? 0 : 1 - static_cast<double>(same) / static_cast<double>(all);
}

class TaskAligner
{
public:
    TaskAligner(std::vector<Content> a, std::vector<Content> b)
        : m_a(std::move(a)), m_b(std::move(b))
    {
    }

    std::vector<TaskPair> run()
    {
        std::size_t first = 0, endA = m_a.size(), endB = m_b.size();
        while (first < std::min(endA, endB) && m_a[first] == m_b[first]) {
            m_pairs.push_back({first, first});
            ++first;
        }
        std::vector<TaskPair> tail;
        while (endA > first && endB > first && m_a[endA - 1] == m_b[endB - 1])
            tail.push_back({--endA, --endB});
        std::size_t a = first, b = first;
        for (const auto &[atA, atB] : onceEach(first, endA, endB)) {
            gap(a, atA, b, atB);
            m_pairs.push_back({atA, atB});
            a = atA + 1;
            b = atB + 1;
        }
        gap(a, endA, b, endB);
        m_pairs.insert(m_pairs.end(), tail.rbegin(), tail.rend());
        return std::move(m_pairs);
    }

private:
    /// Contents that occur once on each side, as far as they keep their order.
    std::vector<std::pair<std::size_t, std::size_t>> onceEach(std::size_t first, std::size_t endA,
                                                              std::size_t endB) const
    {
        struct Places {
            std::size_t a = 0, b = 0, timesA = 0, timesB = 0;
        };
        std::map<Content, Places> places;
        for (std::size_t i = first; i < endA; ++i) {
            Places &at = places[m_a[i]];
            at.a = i;
            ++at.timesA;
        }
        for (std::size_t i = first; i < endB; ++i) {
            Places &at = places[m_b[i]];
            at.b = i;
            ++at.timesB;
        }
        std::vector<std::pair<std::size_t, std::size_t>> once, kept;
        for (const auto &[content, at] : places) {
            if (at.timesA == 1 && at.timesB == 1)
                once.emplace_back(at.a, at.b);
        }
        std::ranges::sort(once);
        for (const auto &match : once) {
            if (kept.empty() || match.second > kept.back().second)
                kept.push_back(match);
        }
        return kept;
    }

    void gap(std::size_t a, std::size_t endA, std::size_t b, std::size_t endB)
    {
        const std::size_t rows = endA - a, columns = endB - b;
        if (rows == 0 || columns == 0 || rows > kMostCells / columns) {
            for (std::size_t i = 0; i < std::max(rows, columns); ++i)
                m_pairs.push_back({i < rows ? a + i : kNoTask, i < columns ? b + i : kNoTask});
            return;
        }
        cheapest(a, rows, b, columns);
    }

    /// The cheapest way to turn one run into the other (Needleman and Wunsch).
    void cheapest(std::size_t a, std::size_t rows, std::size_t b, std::size_t columns)
    {
        const std::size_t width = columns + 1;
        std::vector<double> cost((rows + 1) * width);
        const auto together = [&](std::size_t i, std::size_t k) {
            return distance(m_a[a + i], m_b[b + k]);
        };
        for (std::size_t i = 0; i <= rows; ++i) {
            for (std::size_t k = 0; k <= columns; ++k) {
                double &at = cost[i * width + k];
                if (i == 0 || k == 0) {
                    at = kAlone * static_cast<double>(i + k);
                    continue;
                }
                at = std::min({cost[(i - 1) * width + k - 1] + together(i - 1, k - 1),
                               cost[(i - 1) * width + k] + kAlone,
                               cost[i * width + k - 1] + kAlone});
            }
        }
        std::vector<TaskPair> found;
        for (std::size_t i = rows, k = columns; i > 0 || k > 0;) {
            const double at = cost[i * width + k];
            if (i > 0 && k > 0 && at == cost[(i - 1) * width + k - 1] + together(i - 1, k - 1))
                found.push_back({a + --i, b + --k});
            else if (i > 0 && (k == 0 || at == cost[(i - 1) * width + k] + kAlone))
                found.push_back({a + --i, kNoTask});
            else
                found.push_back({kNoTask, b + --k});
        }
        m_pairs.insert(m_pairs.end(), found.rbegin(), found.rend());
    }

    std::vector<Content> m_a, m_b;
    std::vector<TaskPair> m_pairs;
};

} // namespace

TaskDifference compareTasks(TaskReader &readerA, std::size_t a, TaskReader &readerB, std::size_t b)
{
    TaskDifference result;
    result.a = a;
    result.b = b;
    TaskDetail left, right;
    readerA.before(a);
    readerA.read(a, left);
    std::vector<std::uint32_t> addresses;
    for (const RegisterWrite &write : left.stream.writes)
        addresses.push_back(write.address);
    // One reader may serve both sides: what holds on the first is asked for before it moves on.
    readerB.read(b, right);
    for (const RegisterWrite &write : right.stream.writes)
        addresses.push_back(write.address);
    std::ranges::sort(addresses);
    addresses.erase(std::unique(addresses.begin(), addresses.end()), addresses.end());
    std::vector<std::optional<std::uint32_t>> values;
    values.reserve(addresses.size());
    for (const std::uint32_t address : addresses)
        values.push_back(readerA.effective(left, address));
    readerB.before(b);
    const Version &version = *readerA.list().version;
    const RegisterMap *map = RegisterMap::of(version.registerMap);
    for (std::size_t i = 0; i < addresses.size(); ++i) {
        const auto other = readerB.effective(right, addresses[i]);
        if (values[i] == other)
            continue;
        const Register *reg = map == nullptr ? nullptr : map->find(addresses[i]);
        result.registers.push_back(
            {addresses[i], reg, values[i], other, fieldDifferences(reg, values[i], other)});
    }
    result.header = headerDifferences(headerFields(left, version),
                                      headerFields(right, *readerB.list().version));
    return result;
}

std::vector<TaskPair> alignTasks(const TaskReader &a, const TaskReader &b)
{
    return TaskAligner(contentsOf(a), contentsOf(b)).run();
}

} // namespace kernscope::descriptor
