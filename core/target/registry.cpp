// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/target/registry.h"

#include "core/format/tables.h"

#include <algorithm>

namespace kernscope::target {

namespace {

/// The rows of an embedded table; a table that cannot be read has none (a test reads them all).
class Rows
{
public:
    explicit Rows(std::string_view name) : m_table(tables::load(name)) {}
    std::size_t count() const { return m_table ? m_table->rows() : 0; }
    std::string text(std::size_t row, std::string_view column) const
    {
        return std::string(m_table->cell(row, column));
    }
    std::optional<unsigned> number(std::size_t row, std::string_view column) const
    {
        const auto value = parseInteger(m_table->cell(row, column));
        if (!value || *value < 0 || *value > INT32_MAX)
            return std::nullopt;
        return static_cast<unsigned>(*value);
    }
    Confidence confidence(std::size_t row) const
    {
        return format::confidenceFromName(m_table->cell(row, "confidence"));
    }

private:
    Result<CsvTable> m_table;
};

std::vector<std::string> split(std::string_view text)
{
    std::vector<std::string> parts;
    while (!text.empty()) {
        const std::size_t bar = std::min(text.find('|'), text.size());
        parts.emplace_back(text.substr(0, bar));
        text.remove_prefix(std::min(bar + 1, text.size()));
    }
    return parts;
}

void readTargets(Registry &registry)
{
    const Rows rows("targets");
    for (std::size_t i = 0; i < rows.count(); ++i) {
        Target target;
        target.index = i;
        target.name = rows.text(i, "target");
        target.kind = rows.text(i, "kind");
        target.since = rows.text(i, "since");
        target.aliases = split(rows.text(i, "aliases"));
        target.silicon = rows.text(i, "silicon");
        target.family = rows.text(i, "family");
        target.familyIndex = rows.number(i, "family_index");
        target.hardwareVersion = rows.number(i, "hardware_version");
        target.cpuSubtype = rows.number(i, "cpusubtype");
        target.descriptorVersion = rows.number(i, "descriptor_version");
        target.cores = rows.number(i, "cores");
        target.confidence = rows.confidence(i);
        target.source = rows.text(i, "source");
        target.note = rows.text(i, "note");
        registry.names.push_back({lowerCase(target.name), i, true, {}});
        for (const std::string &alias : target.aliases)
            registry.names.push_back({lowerCase(alias), i, true, {}});
        registry.targets.push_back(std::move(target));
    }
}

std::optional<std::size_t> indexOf(const Registry &registry, std::string_view name)
{
    for (const Target &target : registry.targets) {
        if (target.name == name)
            return target.index;
    }
    return std::nullopt;
}

void readClaims(Registry &registry)
{
    const Rows rows("target_claims");
    for (std::size_t i = 0; i < rows.count(); ++i) {
        const auto target = indexOf(registry, rows.text(i, "target"));
        if (!target)
            continue;
        registry.claims[{*target, rows.text(i, "fact")}].push_back(
            {rows.text(i, "value"), rows.text(i, "default") == "1", rows.text(i, "source"),
             rows.confidence(i), rows.text(i, "note")});
    }
}

void readNames(Registry &registry)
{
    const Rows rows("target_names");
    for (std::size_t i = 0; i < rows.count(); ++i) {
        const auto target = indexOf(registry, rows.text(i, "target"));
        if (!target)
            continue;
        const std::string name = rows.text(i, "alias");
        const bool byDefault = rows.text(i, "default") == "1";
        std::erase_if(registry.names, [&](const Registry::Name &known) {
            return known.lower == lowerCase(name) && known.target == *target;
        });
        registry.names.push_back({lowerCase(name), *target, byDefault, rows.text(i, "source")});
        auto &aliases = registry.targets[*target].aliases;
        if (byDefault && std::find(aliases.begin(), aliases.end(), name) == aliases.end())
            aliases.insert(aliases.begin(), name);
    }
}

HalLayout layoutOf(std::string_view name)
{
    return name == halLayoutName(HalLayout::Chapters) ? HalLayout::Chapters : HalLayout::Later;
}

void readFields(Registry &registry)
{
    const Rows rows("hal_fields");
    for (std::size_t i = 0; i < rows.count(); ++i) {
        const auto offset = rows.number(i, "offset");
        if (!offset)
            continue;
        registry.fields.push_back({layoutOf(rows.text(i, "layout")), HalOffset{*offset},
                                   rows.text(i, "name"), rows.text(i, "kind") == "byte",
                                   rows.text(i, "source"), rows.confidence(i),
                                   rows.text(i, "note")});
    }
}

/// 2 for the target itself, 1 for its family, 0 for all targets of the layout; -1: none of these.
int scopeRank(const Target &target, HalLayout layout, std::string_view scope)
{
    if (scope == target.name)
        return 2;
    if (!target.family.empty() && scope == target.family)
        return 1;
    const bool inLayout = layout == HalLayout::Later || target.ofTheChapters();
    return scope == "*" && inLayout ? 0 : -1;
}

void readValues(Registry &registry)
{
    const Rows rows("hal_values");
    registry.valueOf.resize(registry.targets.size());
    std::vector<std::unordered_map<std::uint64_t, int>> ranks(registry.targets.size());
    for (std::size_t i = 0; i < rows.count(); ++i) {
        const auto offset = rows.number(i, "offset");
        if (!offset)
            continue;
        HalValue value;
        value.text = rows.text(i, "value");
        value.number = parseInteger(value.text);
        value.scope = rows.text(i, "scope");
        value.source = rows.text(i, "source");
        value.confidence = rows.confidence(i);
        const HalLayout layout = layoutOf(rows.text(i, "layout"));
        const std::uint64_t key = halKey(layout, HalOffset{*offset});
        for (const Target &target : registry.targets) {
            const int rank = scopeRank(target, layout, value.scope);
            auto &best = ranks[target.index].try_emplace(key, -1).first->second;
            if (rank > best) {
                best = rank;
                registry.valueOf[target.index][key] = registry.values.size();
            }
        }
        registry.values.push_back(std::move(value));
    }
}

void readRest(Registry &registry)
{
    const Rows buckets("device_buckets");
    for (std::size_t i = 0; i < buckets.count(); ++i) {
        registry.buckets.push_back({buckets.number(i, "bucket").value_or(0),
                                    buckets.number(i, "above").value_or(0),
                                    buckets.number(i, "die").value_or(0), buckets.text(i, "suffix"),
                                    buckets.number(i, "peak_units"), buckets.text(i, "source")});
    }
    const Rows facts("chip_facts");
    for (std::size_t i = 0; i < facts.count(); ++i) {
        registry.facts.push_back({facts.text(i, "place"), facts.text(i, "name"),
                                  facts.text(i, "target"), facts.text(i, "value"),
                                  facts.text(i, "source"), facts.confidence(i)});
    }
}

Registry readAll()
{
    Registry registry;
    readTargets(registry);
    readClaims(registry);
    readNames(registry);
    readFields(registry);
    readValues(registry);
    readRest(registry);
    return registry;
}

} // namespace

const Registry &Registry::get()
{
    static const Registry registry = readAll();
    return registry;
}

std::string lowerCase(std::string_view text)
{
    std::string lower(text);
    for (char &c : lower) {
        if (c >= 'A' && c <= 'Z')
            c = static_cast<char>(c - 'A' + 'a');
    }
    return lower;
}

} // namespace kernscope::target
