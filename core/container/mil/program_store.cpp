// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/mil/program_store.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>

namespace kernscope::mil {

namespace {

/// The operations that make what a function gives back, for the types of that.
std::vector<Operation> makersOfOutputs(const Block &body)
{
    const std::unordered_set<std::string_view> outputs(body.outputs.begin(), body.outputs.end());
    std::vector<Operation> makers;
    for (const Operation &operation : body.operations) {
        const auto isOutput = [&outputs](const NamedType &made) {
            return outputs.contains(made.name);
        };
        if (std::none_of(operation.outputs.begin(), operation.outputs.end(), isOutput))
            continue;
        Operation &maker = makers.emplace_back();
        maker.type = operation.type;
        maker.opset = operation.opset;
        maker.outputs = operation.outputs;
        maker.span = operation.span;
    }
    return makers;
}

Program outlineOf(const Program &program)
{
    Program outline;
    outline.version = program.version;
    outline.attributes = program.attributes;
    outline.models = program.models;
    outline.descriptions = program.descriptions;
    outline.functions.reserve(program.functions.size());
    for (const Function &function : program.functions) {
        Function &bare = outline.functions.emplace_back();
        bare.name = function.name;
        bare.nameSpan = function.nameSpan;
        bare.model = function.model;
        bare.opset = function.opset;
        bare.inputs = function.inputs;
        bare.attributes = function.attributes;
        bare.body.inputs = function.body.inputs;
        bare.body.operations = makersOfOutputs(function.body);
        bare.body.outputs = function.body.outputs;
        bare.body.outputSpans = function.body.outputSpans;
    }
    return outline;
}

} // namespace

ProgramStore::ProgramStore(Program program)
    : m_outline(outlineOf(program)), m_whole(std::make_shared<const Program>(std::move(program)))
{
}

std::shared_ptr<const Program> ProgramStore::whole() const
{
    const std::lock_guard lock(m_mutex);
    if (m_whole)
        return m_whole;
    auto used = m_used.lock();
    if (!used) {
        used = std::make_shared<const Program>(m_packed->whole());
        m_used = used;
    }
    return used;
}

std::shared_ptr<const PackedProgram> ProgramStore::packed() const
{
    std::shared_ptr<const Program> whole;
    {
        const std::lock_guard lock(m_mutex);
        if (m_packed)
            return m_packed;
        whole = m_whole;
    }
    auto packed = std::make_shared<const PackedProgram>(*whole); // meanwhile others may ask for it
    const std::lock_guard lock(m_mutex);
    if (!m_packed)
        m_packed = std::move(packed);
    return m_packed;
}

void ProgramStore::setAside() const
{
    packed()->dropPages();
    std::shared_ptr<const Program> whole; // freed after the lock is gone
    const std::lock_guard lock(m_mutex);
    if (!m_whole)
        return;
    m_used = m_whole;
    whole.swap(m_whole);
}

} // namespace kernscope::mil
