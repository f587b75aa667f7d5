// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compare/container_difference.h"

#include "core/base/hash.h"
#include "core/base/overlaid_file.h"
#include "core/base/sha256.h"
#include "core/base/text.h"
#include "core/bundle/bundle.h"
#include "core/container/hwx/container.h"
#include "core/container/mlir/aicode.h"
#include "core/container/odix/trace.h"

#include <algorithm>

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
        // Writers give private graphs other names in each file.
        for (const mlir::Operation &each : module.operations) {
            if (!module.is(each, "aicode.dataflow.graph_v1"))
                continue;
            const std::uint32_t isPrivate = module.attributeOf(each, "isPrivate"),
                                name = module.attributeOf(each, "name");
            if (isPrivate == mlir::kNone || name == mlir::kNone)
                continue;
            const mlir::Decoded flag = module.attribute(isPrivate), text = module.attribute(name);
            if (flag.is("serialization.integer") && flag.fields.back().value != 0 &&
                text.is("serialization.string"))
                m_private.insert(text.fields.front().value);
        }
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
        case 'S':
            return m_private.count(field.value) > 0
                       ? 0
                       : HashSum(m_module.strings[field.value]).value();
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
    std::set<std::uint64_t> m_private; ///< strings: names of private graphs
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

namespace kernscope {

namespace {

/// The tasks of one text section with their bytes; of a side that has none, an empty list.
struct TextTasks {
    std::span<const std::byte> bytes;
    const descriptor::TaskList *list = nullptr;

    std::size_t count() const { return list == nullptr ? 0 : list->tasks.size(); }
};

std::vector<TextTasks> textsOf(const Bundle &bundle)
{
    std::vector<TextTasks> texts;
    const auto file = bundle.files().front().file->bytes();
    for (const hwx::Text &text : bundle.hardware()->texts) {
        const hwx::SegmentSection *section = bundle.hardware()->section(text.section);
        if (text.tasks->tasks.empty() || section == nullptr || !section->bytes)
            continue;
        texts.push_back({file.subspan(static_cast<std::size_t>(section->bytes->offset.value),
                                      static_cast<std::size_t>(section->bytes->bytes.value)),
                         text.tasks.get()});
    }
    return texts;
}

void addOneSided(std::size_t count, std::size_t first, bool ofA,
                 std::vector<descriptor::TaskDifference> &to)
{
    for (std::size_t i = 0; i < count; ++i) {
        descriptor::TaskDifference alone;
        alone.a = ofA ? first + i : descriptor::kNoTask;
        alone.b = ofA ? descriptor::kNoTask : first + i;
        to.push_back(std::move(alone));
    }
}

/// Inserting a task moves the numbers of all that follow it: that is no change of theirs.
void dropMovedNumber(descriptor::TaskDifference &difference, const descriptor::TaskPair &pair)
{
    std::erase_if(difference.header, [&](const descriptor::FieldDifference &field) {
        return field.name == "TID" && field.a && field.b &&
               static_cast<std::int64_t>(*field.b) - static_cast<std::int64_t>(*field.a) ==
                   static_cast<std::int64_t>(pair.b) - static_cast<std::int64_t>(pair.a);
    });
}

void compareTexts(const TextTasks &a, std::size_t firstA, const TextTasks &b, std::size_t firstB,
                  std::vector<descriptor::TaskDifference> &to)
{
    if (a.list == nullptr || b.list == nullptr) {
        addOneSided(a.count(), firstA, true, to);
        addOneSided(b.count(), firstB, false, to);
        return;
    }
    descriptor::TaskReader readerA(a.bytes, *a.list), readerB(b.bytes, *b.list);
    for (const descriptor::TaskPair &pair : descriptor::alignTasks(readerA, readerB)) {
        const bool inA = pair.a != descriptor::kNoTask, inB = pair.b != descriptor::kNoTask;
        descriptor::TaskDifference difference;
        if (inA && inB) {
            difference = descriptor::compareTasks(readerA, pair.a, readerB, pair.b);
            dropMovedNumber(difference, pair);
            if (difference.equal())
                continue;
        }
        difference.a = inA ? firstA + pair.a : descriptor::kNoTask;
        difference.b = inB ? firstB + pair.b : descriptor::kNoTask;
        to.push_back(std::move(difference));
    }
}

} // namespace

std::optional<TaskComparison> compareTasks(const Bundle &a, const Bundle &b)
{
    if (!a.hardware() || !b.hardware())
        return std::nullopt;
    const BundleReadLock lock(a, b);
    TaskComparison result;
    result.sameVersion = a.hardware()->version == b.hardware()->version;
    const auto textsA = textsOf(a), textsB = textsOf(b);
    for (std::size_t i = 0; i < std::max(textsA.size(), textsB.size()); ++i) {
        const TextTasks none;
        const TextTasks &textA = i < textsA.size() ? textsA[i] : none;
        const TextTasks &textB = i < textsB.size() ? textsB[i] : none;
        compareTexts(textA, result.tasksA, textB, result.tasksB, result.differences);
        result.tasksA += textA.count();
        result.tasksB += textB.count();
    }
    return result;
}

namespace {

using odix::Opcode;

constexpr std::size_t kMostLines = 4; ///< of a function that are said to differ

std::string typeText(const odix::Program &program, std::uint32_t type)
{
    return type == odix::kNone ? "?" : program.types[type].text;
}

std::string signatureOf(const odix::Program &program, const odix::Symbol &symbol)
{
    std::string text = symbol.name + "(";
    for (const std::uint32_t type : symbol.inputs) {
        // A context has a slot a constant: which ones are read is compared.
        if (type == odix::kNone || program.types[type].kind != odix::Type::Kind::Context)
            text += typeText(program, type) + ", ";
    }
    text += ") > ";
    for (std::size_t i = 0; i < symbol.outputs.size(); ++i) {
        const std::uint32_t type = symbol.outputs[i];
        if (type == odix::kNone || program.types[type].kind != odix::Type::Kind::Context)
            text += fmt::format("{} {}, ", typeText(program, type), symbol.intents[i]);
    }
    if (symbol.attribute != odix::kNone)
        text += program.attributeText(symbol.attribute);
    return text;
}

/// One compiled program: its functions by role and name, an instruction a line.
class Listing
{
public:
    explicit Listing(const Bundle &bundle)
        : m_compiled(*bundle.compiled()), m_program(m_compiled.program),
          m_bytes(bundle.files()[m_compiled.file].file->bytes()),
          m_isRead(m_program.constants.size(), false)
    {
        for (std::uint32_t f = 0; f < m_program.functions.size(); ++f) {
            const odix::Function &function = m_program.functions[f];
            m_functions.emplace(keyOf(function), f);
            if (m_program.roleOf(function) != "body")
                continue;
            for (const odix::Value &value : m_compiled.trace.values[f])
                read(value);
        }
        for (std::size_t i = 0; i < m_program.constants.size(); ++i) {
            for (const auto &place : m_program.constants[i].loadedBy)
                m_loaded.emplace(place, i);
        }
    }

    using Key = std::pair<std::string, std::string>; ///< role, name
    const std::map<Key, std::uint32_t> &functions() const { return m_functions; }

    bool isFaithful(const std::string &body) const
    {
        const auto function = m_functions.find({"body", body});
        return function != m_functions.end() && m_compiled.trace.faithful[function->second];
    }

    /// The signature, then the instructions. Those that only release registers stand in no
    /// particular order.
    std::vector<std::string> linesOf(std::uint32_t function) const
    {
        const odix::Function &code = m_program.functions[function];
        std::vector<std::string> lines{signatureOf(m_program, m_program.symbolOf(code))};
        std::size_t released = 1;
        for (std::uint32_t i = 0; i < code.code.size(); ++i) {
            const odix::Instruction &each = code.code[i];
            lines.push_back(lineOf(function, i));
            if (each.is(Opcode::LoadImm) && each.value == 0)
                continue;
            std::sort(lines.begin() + static_cast<std::ptrdiff_t>(released), lines.end() - 1);
            released = lines.size();
        }
        std::sort(lines.begin() + static_cast<std::ptrdiff_t>(released), lines.end());
        return lines;
    }

    /// By entry the functions that it names.
    std::map<std::string, std::multiset<Key>> entries() const
    {
        std::map<std::string, std::multiset<Key>> all;
        for (const auto &[name, functions] : m_program.entries) {
            for (const std::uint32_t each : functions)
                all[name].insert(keyOf(m_program.functions[each]));
        }
        return all;
    }

private:
    Key keyOf(const odix::Function &function) const
    {
        return {std::string(m_program.roleOf(function)), m_program.symbolOf(function).name};
    }

    /// A constant that a body reads is compared where it is read.
    void read(const odix::Value &value)
    {
        if (value.kind == odix::Value::Kind::Constant) {
            m_isRead[value.index] = true;
        } else if (value.kind == odix::Value::Kind::Made && m_madeRead.insert(value.index).second) {
            for (const odix::Value &each : m_compiled.trace.made[value.index].operands)
                read(each);
        }
    }

    std::string lineOf(std::uint32_t function, std::uint32_t index) const
    {
        const odix::Function &code = m_program.functions[function];
        const odix::Instruction &each = code.code[index];
        const odix::Code *opcode = odix::findCode("opcode", each.opcode);
        std::string text = opcode != nullptr ? opcode->name : std::to_string(each.opcode);
        if (const odix::Symbol *callee = m_program.callee(each))
            text += " " + signatureOf(m_program, *callee);
        else if (!each.is(Opcode::LoadDs))
            text += fmt::format(" {}", each.value);
        const auto loaded = m_loaded.find({function, index});
        if (loaded != m_loaded.end() && !m_isRead[loaded->second]) {
            const ByteRange place = m_program.constants[loaded->second].bytes;
            text +=
                " " +
                Sha256::hexOf(m_bytes.subspan(place.offset.value, place.bytes.value)).value_or("");
        }
        return text + fmt::format(" [{}] > [{}]", fmt::join(code.operandsOf(each), " "),
                                  fmt::join(code.resultsOf(each), " "));
    }

    const odix::Compiled &m_compiled;
    const odix::Program &m_program;
    std::span<const std::byte> m_bytes;
    std::map<Key, std::uint32_t> m_functions; ///< of two of one name the first
    std::vector<bool> m_isRead;               ///< by constant
    std::set<std::uint64_t> m_madeRead;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> m_loaded; ///< constants
};

/// The first lines that differ; empty where none do.
std::vector<std::string> differentLines(const std::vector<std::string> &a,
                                        const std::vector<std::string> &b)
{
    std::vector<std::string> details;
    for (std::size_t i = 0; i < std::max(a.size(), b.size()) && details.size() < kMostLines; ++i) {
        const std::string none = "none";
        const std::string &x = i < a.size() ? a[i] : none, &y = i < b.size() ? b[i] : none;
        if (x != y)
            details.push_back(i == 0 ? fmt::format("{} > {}", x, y)
                                     : fmt::format("instruction {}: {} > {}", i - 1, x, y));
    }
    return details;
}

void compareEntries(const Listing &a, const Listing &b, ProgramDifference &result)
{
    const auto entriesA = a.entries(), entriesB = b.entries();
    if (entriesA == entriesB)
        return;
    const auto text = [](const auto &entries) {
        std::string all;
        for (const auto &[name, functions] : entries) {
            all += (all.empty() ? "" : "; ") + name + ":";
            for (const Listing::Key &each : functions)
                all += fmt::format(" {} ({})", each.second, each.first);
        }
        return all;
    };
    result.add(ProgramChange::Kind::Changed, ProgramChange::What::Function, "entries", {}, {},
               {fmt::format("{} > {}", text(entriesA), text(entriesB))});
}

} // namespace

void compareCompiled(const Bundle &bundleA, const Bundle &bundleB, ProgramDifference &result)
{
    using enum ProgramChange::Kind;
    using enum ProgramChange::What;
    const Listing a(bundleA), b(bundleB);
    compareEntries(a, b, result);
    std::set<Listing::Key> keys;
    for (const Listing *side : {&a, &b}) {
        for (const auto &[key, function] : side->functions())
            keys.insert(key);
    }
    for (const Listing::Key &key : keys) {
        const auto &[role, name] = key;
        const auto inA = a.functions().find(key), inB = b.functions().find(key);
        const bool onlyA = inB == b.functions().end(), onlyB = inA == a.functions().end();
        if (onlyA || onlyB) {
            if (role != "body") // of bodies the comparison of programs says so
                result.add(onlyA ? Removed : Inserted, Function, name, {}, {}, {role});
            continue;
        }
        auto linesA = a.linesOf(inA->second), linesB = b.linesOf(inB->second);
        // Where arrays lie and in which order they are made is no matter where each is read as it
        // was written: then operations and operands say it all.
        const std::string body = name.substr(name.starts_with('$') ? 1 : 0);
        if (role != "shapes" && a.isFaithful(body) && b.isFaithful(body)) {
            linesA.resize(1);
            linesB.resize(1);
        }
        if (auto details = differentLines(linesA, linesB); !details.empty())
            result.add(Changed, Function, name, {}, {}, std::move(details));
    }
}

} // namespace kernscope
