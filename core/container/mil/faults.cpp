// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/mil/faults.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>

#include <fmt/format.h>

namespace kernscope::mil {

ErrorBuilder Faults::make(std::string_view code, std::uint64_t offset, std::uint64_t length) const
{
    ErrorBuilder error(code);
    error.file(m_fileName).at(FileOffset(offset));
    if (length > 0)
        error.length(ByteCount(length));
    return error;
}

void Faults::add(Severity severity, Error error)
{
    std::size_t &kept = m_kept[static_cast<std::size_t>(severity)];
    if (kept >= kMaxPerSeverity) {
        ++m_dropped;
        return;
    }
    ++kept;
    m_diagnostics.push_back({severity, std::move(error)});
}

Faults::Mark Faults::mark() const
{
    return {m_diagnostics.size(), m_dropped, {m_kept[0], m_kept[1], m_kept[2]}};
}

void Faults::rollBack(const Mark &mark)
{
    m_diagnostics.resize(std::min(mark.count, m_diagnostics.size()));
    m_dropped = mark.dropped;
    std::copy(std::begin(mark.kept), std::end(mark.kept), std::begin(m_kept));
}

Diagnostics Faults::take()
{
    if (m_dropped > 0) {
        m_diagnostics.push_back(
            {Severity::Note,
             valueError({m_fileName}, "mil.more", {}, {}, fmt::format("{}", m_dropped),
                        "More faults of this file are not listed.")});
    }
    return std::move(m_diagnostics);
}

namespace {

class Validator
{
public:
    Validator(const Unread &unread, Faults &faults) : m_unread(unread), m_faults(faults) {}

    void run(const Function &function)
    {
        m_names.clear();
        m_names.reserve(function.body.operations.size() + function.inputs.size());
        m_block = &function.body; // a parameter is a name of the body like any other
        std::vector<Hidden> hidden;
        for (const NamedType &input : function.inputs)
            declare(input.name, input.span, hidden, true);
        block(function.body);
    }

    void report(std::string_view code, std::string_view name, SourceSpan place,
                std::string_view expected, std::string_view message)
    {
        Error error = m_faults.make(code, place.offset, place.length)
                          .field(name)
                          .expected(expected)
                          .found(name)
                          .message(message);
        if (place.length == 0)
            error.offset.reset();
        m_faults.add(Severity::Error, std::move(error));
    }

private:
    struct Name {
        const Block *owner = nullptr;
        bool defined = false;
    };
    /// A name of a block and what it hid of the blocks around.
    struct Hidden {
        std::string_view name;
        std::optional<Name> before;
    };

    void declare(std::string_view name, SourceSpan place, std::vector<Hidden> &hidden, bool defined)
    {
        const auto [at, fresh] = m_names.try_emplace(name, Name{m_block, defined});
        if (fresh) {
            hidden.push_back({name, std::nullopt});
        } else if (at->second.owner == m_block) {
            report("mil.duplicate", name, place, "a name of its own", "A name is defined twice.");
        } else { // hides a name of a block around
            hidden.push_back({name, at->second});
            at->second = Name{m_block, defined};
        }
    }

    void block(const Block &block)
    {
        const Block *const around = m_block;
        m_block = &block;
        std::vector<Hidden> hidden;
        for (const NamedType &input : block.inputs)
            declare(input.name, input.span, hidden, true);
        for (const Operation &op : block.operations) {
            for (const NamedType &output : op.outputs)
                declare(output.name, output.span, hidden, false);
        }
        for (const Operation &op : block.operations)
            operation(op);
        for (std::size_t i = 0; i < block.outputs.size(); ++i)
            use(block.outputs[i],
                i < block.outputSpans.size() ? block.outputSpans[i] : SourceSpan{});
        if (around == &block) // of the function itself: nothing comes behind it
            return;
        for (auto it = hidden.rbegin(); it != hidden.rend(); ++it) {
            if (it->before)
                m_names[it->name] = *it->before;
            else
                m_names.erase(it->name);
        }
        m_block = around;
    }

    void operation(const Operation &op)
    {
        for (const auto *arguments : {&op.inputs, &op.attributes}) {
            for (const Argument &argument : *arguments) {
                for (const ProgramValue &v : argument.values)
                    value(v, op.span);
            }
        }
        for (const Block &nested : op.blocks)
            block(nested);
        for (const NamedType &output : op.outputs)
            m_names[output.name].defined = true;
    }

    void value(const ProgramValue &v, SourceSpan place)
    {
        if (const Reference *reference = v.reference())
            use(reference->name, reference->span.length > 0 ? reference->span : place);
        if (const auto *values = std::get_if<Values>(&v.content)) {
            for (const ProgramValue &inner : *values)
                value(inner, place);
        }
    }

    void use(std::string_view name, SourceSpan place)
    {
        if (m_unread.more || m_unread.names.contains(name))
            return;
        const auto found = m_names.find(name);
        if (found == m_names.end())
            report("mil.undefined", name, place, "a name that is defined",
                   "A name is used that nothing defines.");
        else if (!found->second.defined)
            report("mil.order", name, place, "a definition before the first use",
                   "A name is used before its definition.");
    }

    const Unread &m_unread;
    Faults &m_faults;
    std::unordered_map<std::string_view, Name> m_names;
    const Block *m_block = nullptr;
};

} // namespace

void validate(const Program &program, const Unread &unread, Faults &faults)
{
    Validator validator(unread, faults);
    std::set<std::pair<std::string_view, std::string_view>> functions;
    for (const Function &function : program.functions) {
        if (!functions.emplace(function.model, function.name).second)
            validator.report("mil.duplicate", function.name, function.nameSpan, "a name of its own",
                             "Two functions have one name.");
        validator.run(function);
    }
}

void checkElementCount(const ValueType &type, const Literal &literal, SourceSpan place,
                       Faults &faults)
{
    const auto shape = type.shape();
    const auto count = shape ? elementCount(*shape) : std::nullopt;
    if (!count || count->value == literal.count)
        return;
    faults.add(literal.count == 1 ? Severity::Warning : Severity::Error,
               faults.make("mil.count", place.offset, place.length)
                   .expected(fmt::format("{} elements", count->value))
                   .found(fmt::format("{}", literal.count))
                   .message("A literal does not have as many elements as its type says."));
}

} // namespace kernscope::mil
