// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compare/interface_difference.h"

#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/container/hwx/container.h"
#include "core/container/mlir/aicode.h"
#include "core/container/mlir/module.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kernscope::diff {

namespace {

constexpr std::size_t kMostFields = 16, kLongestText = 80;

void add(ProgramChange::What what, ProgramChange::Kind kind, std::string name,
         std::string_view type, std::vector<std::string> details, ProgramDifference &result)
{
    if (details.size() > kMostFields) {
        const std::size_t more = details.size() - kMostFields;
        details.resize(kMostFields);
        details.push_back(fmt::format("and {} more", more));
    }
    result.add(kind, what, {}, std::move(name), type, std::move(details));
}

/// What a container says of a thing: kind ("port"), name, and by field what is said.
using Fields = std::map<std::string, std::string>;
using Things = std::map<std::pair<std::string_view, std::string>, Fields>;

/// Of things of one name what each says, in their order.
void say(Fields &fields, const std::string &field, const std::string &text)
{
    std::string &said = fields[field];
    said += (said.empty() ? "" : "; ") + text;
}

void addThread(const hwx::Thread &thread, Things &things)
{
    if (thread.role == hwx::ThreadRole::Port) {
        Fields &port = things[{"port", thread.name}];
        say(port, "kind", fmt::format("{}", thread.kind));
        say(port, "direction",
            thread.direction == 1   ? "input"
            : thread.direction == 2 ? "output"
                                    : fmt::format("{}", thread.direction));
        say(port, "symbol", thread.symbol);
        say(port, "element type", fmt::format("{}", thread.elementType));
        say(port, "extents", fmt::format("{}", thread.dims));
        say(port, "strides", fmt::format("{}", thread.strides));
        say(port, "interleave", fmt::format("{}", thread.interleave));
        say(port, "bytes", fmt::format("{}", thread.byteSize));
        return;
    }
    Fields &program = things[{"program state", thread.procedure}];
    say(program, "first descriptor", fmt::format("{:#x}", thread.tdBase));
    for (const auto &[number, address] : thread.apertures)
        say(program, fmt::format("aperture {}", number), fmt::format("{:#x}", address));
    for (const hwx::ProgramTag &tag : thread.tags)
        say(program, fmt::format("tag {}", tag.tag), hexBytesText(tag.raw, ""));
}

Things thingsOf(const hwx::Container &container)
{
    Things things;
    for (const hwx::Thread &thread : container.threads)
        addThread(thread, things);
    for (const hwx::Binding &binding : container.bindings)
        say(things[{"binding", binding.name}], "address", fmt::format("{:#x}", binding.address));
    for (const hwx::Symbol &symbol : container.symbols) {
        const hwx::SegmentSection *section = container.section(symbol.section);
        say(things[{"symbol", symbol.name}], "value",
            fmt::format("{} {:#x} in {}, desc {:#x}", hwx::symbolKindName(symbol.type),
                        symbol.value, section ? section->name : std::string("none"), symbol.desc));
    }
    return things;
}

/// An attribute or a type of an operation.
struct Part {
    std::string name;
    std::size_t digest = 0;
    std::uint32_t index = 0;
    bool type = false;
};

struct OperationParts {
    std::string type;
    std::vector<Part> parts;
    std::size_t digest = 0;

    friend bool operator<(const OperationParts &a, const OperationParts &b)
    {
        return std::tie(a.type, a.digest) < std::tie(b.type, b.digest);
    }
};

bool isPlaceInSource(const mlir::Decoded &decoded)
{
    const std::string_view name = decoded.row ? std::string_view(decoded.row->name) : "";
    return name.starts_with("debuginfo.") || name.ends_with("location") || name.ends_with("loc");
}

/// What attributes and types say, whatever their numbers in the file.
class Contents
{
public:
    explicit Contents(const mlir::Module &module)
        : m_module(module), m_attributes(module.attributes.size()), m_types(module.types.size())
    {
    }

    std::vector<OperationParts> operations()
    {
        std::vector<OperationParts> all;
        for (const mlir::Operation &operation : m_module.operations) {
            OperationParts made;
            made.type = m_module.operationName(operation);
            for (const mlir::NamedAttribute &each : m_module.attributesOf(operation)) {
                if (!isPlaceInSource(m_module.attribute(each.attribute)))
                    addPart(made, std::string(each.name), each.attribute, false);
            }
            const mlir::OperationName &name = m_module.operationNames[operation.name];
            if (name.row == nullptr && operation.properties != mlir::kNone)
                made.parts.push_back(
                    {"properties", digestOf(m_module.properties[operation.properties])});
            std::size_t number = 0;
            for (const mlir::Value &result : m_module.resultsOf(operation))
                addPart(made, fmt::format("result {}", number++), result.type, true);
            number = 0;
            for (const std::uint32_t region : m_module.regionsOf(operation)) {
                for (const std::uint32_t block : m_module.blocksOf(m_module.regions[region])) {
                    const mlir::Run arguments = m_module.blocks[block].arguments;
                    for (std::uint32_t i = 0; i < arguments.count; ++i)
                        addPart(made, fmt::format("input {}", number++),
                                m_module.values[arguments.first + i].type, true);
                }
            }
            for (const Part &part : made.parts)
                made.digest = HashSum(made.digest, part.name, part.digest).value();
            all.push_back(std::move(made));
        }
        std::ranges::sort(
            all, {}, [](const OperationParts &each) { return std::tie(each.type, each.digest); });
        return all;
    }

    /// For people: cut where it is long.
    std::string textOf(const Part *part) const
    {
        std::string text;
        if (part == nullptr)
            return "none";
        if (part->name == "properties")
            return "other bytes";
        write(part->type ? m_module.type(part->index) : m_module.attribute(part->index), text);
        return text.size() <= kLongestText ? text : text.substr(0, kLongestText) + "...";
    }

private:
    void addPart(OperationParts &made, std::string name, std::uint32_t index, bool type)
    {
        if (index != mlir::kNone)
            made.parts.push_back({std::move(name), digest(index, type), index, type});
    }

    std::size_t digestOf(ByteRange range) const { return HashSum(m_module.textOf(range)).value(); }

    std::size_t digest(std::uint32_t index, bool type)
    {
        std::optional<std::size_t> &known = (type ? m_types : m_attributes)[index];
        if (known)
            return *known;
        const mlir::Decoded decoded = type ? m_module.type(index) : m_module.attribute(index);
        std::size_t sum = 0;
        if (decoded.row == nullptr) {
            sum = HashSum(decoded.assembly.empty() ? m_module.textOf(decoded.range)
                                                   : decoded.assembly)
                      .value();
        } else if (!isPlaceInSource(decoded) && (type || !mlir::constantBytes(m_module, index))) {
            sum = HashSum(decoded.row->name).value();
            for (const mlir::Field &field : decoded.fields)
                sum = HashSum(sum, field.column, digest(field)).value();
        }
        known = sum;
        return sum;
    }

    std::size_t digest(const mlir::Field &field)
    {
        switch (field.letter) {
        case 'A':
        case 'T': return digest(static_cast<std::uint32_t>(field.value), field.letter == 'T');
        case 'S': return HashSum(m_module.strings[field.value]).value();
        case 'R': return 0;
        case 'B': return digestOf(field.range);
        default: return field.value;
        }
    }

    void write(const mlir::Decoded &decoded, std::string &to) const
    {
        if (to.size() > kLongestText)
            return;
        if (decoded.row == nullptr) {
            to += decoded.assembly.empty() ? std::string_view("not known") : decoded.assembly;
            return;
        }
        to += decoded.row->name + "(";
        for (std::size_t i = 0; i < decoded.fields.size(); ++i) {
            const mlir::Field &field = decoded.fields[i];
            const auto index = static_cast<std::uint32_t>(field.value);
            to += i == 0 ? "" : ", ";
            switch (field.letter) {
            case 'A': write(m_module.attribute(index), to); break;
            case 'T': write(m_module.type(index), to); break;
            case 'S': to += printable(m_module.strings[index]); break;
            case 'R': to += "resource"; break;
            case 'B': to += counted(field.value, "byte"); break;
            default: to += fmt::format("{}", field.integer());
            }
            if (to.size() > kLongestText)
                return;
        }
        to += ")";
    }

    const mlir::Module &m_module;
    std::vector<std::optional<std::size_t>> m_attributes, m_types;
};

std::vector<std::string> partDetails(const Contents &contentsA, const OperationParts &a,
                                     const Contents &contentsB, const OperationParts &b)
{
    std::vector<std::string> details;
    const auto partOf = [](const OperationParts &of, const std::string &name) {
        const auto found = std::ranges::find(of.parts, name, &Part::name);
        return found == of.parts.end() ? nullptr : &*found;
    };
    for (const Part &part : a.parts) {
        const Part *other = partOf(b, part.name);
        if (other == nullptr || other->digest != part.digest)
            details.push_back(fmt::format("{}: {} > {}", part.name, contentsA.textOf(&part),
                                          contentsB.textOf(other)));
    }
    for (const Part &part : b.parts) {
        if (partOf(a, part.name) == nullptr)
            details.push_back(fmt::format("{}: none > {}", part.name, contentsB.textOf(&part)));
    }
    return details;
}

} // namespace

void compareHardware(const hwx::Container &a, const hwx::Container &b, ProgramDifference &result)
{
    using enum ProgramChange::Kind;
    const Things thingsA = thingsOf(a), thingsB = thingsOf(b);
    const auto addThing = [&result](ProgramChange::Kind kind, const Things::value_type &thing,
                                    std::vector<std::string> details) {
        add(ProgramChange::What::Interface, kind, thing.first.second, thing.first.first,
            std::move(details), result);
    };
    for (const auto &thing : thingsA) {
        const auto other = thingsB.find(thing.first);
        if (other == thingsB.end()) {
            addThing(Removed, thing, {});
            continue;
        }
        Fields fields = thing.second; // the names of either's
        fields.insert(other->second.begin(), other->second.end());
        std::vector<std::string> details;
        for (const auto &field : fields) {
            const auto textOf = [&field](const Fields &of) {
                const auto found = of.find(field.first);
                return found == of.end() ? std::string("none") : printable(found->second);
            };
            const std::string x = textOf(thing.second), y = textOf(other->second);
            if (x != y)
                details.push_back(fmt::format("{}: {} > {}", field.first, x, y));
        }
        if (!details.empty())
            addThing(Changed, thing, std::move(details));
    }
    for (const auto &thing : thingsB) {
        if (!thingsA.contains(thing.first))
            addThing(Inserted, thing, {});
    }
}

void compareModules(const mlir::Module &a, const mlir::Module &b, ProgramDifference &result)
{
    using enum ProgramChange::Kind;
    Contents contentsA(a), contentsB(b);
    const auto operationsA = contentsA.operations(), operationsB = contentsB.operations();
    std::vector<OperationParts> onlyA, onlyB;
    std::set_difference(operationsA.begin(), operationsA.end(), operationsB.begin(),
                        operationsB.end(), std::back_inserter(onlyA));
    std::set_difference(operationsB.begin(), operationsB.end(), operationsA.begin(),
                        operationsA.end(), std::back_inserter(onlyB));
    for (std::size_t i = 0, j = 0; i < onlyA.size() || j < onlyB.size();) {
        const bool inA = i < onlyA.size() && (j == onlyB.size() || onlyA[i].type <= onlyB[j].type);
        const bool inB = j < onlyB.size() && (i == onlyA.size() || onlyB[j].type <= onlyA[i].type);
        const std::string &type = inA ? onlyA[i].type : onlyB[j].type;
        add(ProgramChange::What::Operation,
            inA && inB ? Changed
            : inA      ? Removed
                       : Inserted,
            type, type,
            inA && inB ? partDetails(contentsA, onlyA[i], contentsB, onlyB[j])
                       : std::vector<std::string>(),
            result);
        i += inA ? 1 : 0;
        j += inB ? 1 : 0;
    }
}

} // namespace kernscope::diff
