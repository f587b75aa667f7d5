// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/overlaid_file.h"
#include "core/base/sha256.h"
#include "core/bundle/bundle.h"
#include "core/compare/compare.h"
#include "core/container/odix/trace.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kernscope {

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
