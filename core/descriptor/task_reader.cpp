// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/descriptor/task_reader.h"

#include "core/base/little_endian.h"

#include <algorithm>

namespace kernscope::descriptor {

void RegisterState::set(std::uint32_t address, std::uint32_t value)
{
    const std::uint32_t word = address / 4;
    if (address % 4 != 0 || word >= kDirect) {
        if (m_others.insert_or_assign(address, value).second)
            ++m_count;
        return;
    }
    if (m_values.empty()) {
        m_values.resize(kDirect);
        m_set.resize(kDirect);
    }
    if (!m_set[word]) {
        m_set[word] = true;
        m_touched.push_back(address);
        ++m_count;
    }
    m_values[word] = value;
}

void RegisterState::apply(const Stream &stream)
{
    for (const RegisterWrite &write : stream.writes)
        set(write.address, write.value);
}

std::optional<std::uint32_t> RegisterState::get(std::uint32_t address) const
{
    const std::uint32_t word = address / 4;
    if (address % 4 != 0 || word >= kDirect) {
        const auto at = m_others.find(address);
        return at == m_others.end() ? std::nullopt : std::optional(at->second);
    }
    return !m_set.empty() && m_set[word] ? std::optional(m_values[word]) : std::nullopt;
}

void RegisterState::clear()
{
    for (const std::uint32_t address : m_touched)
        m_set[address / 4] = false;
    m_touched.clear();
    m_others.clear();
    m_count = 0;
}

RegisterState::Snapshot RegisterState::snapshot() const
{
    Snapshot all(m_others.begin(), m_others.end());
    for (const std::uint32_t address : m_touched)
        all.emplace_back(address, m_values[address / 4]);
    std::sort(all.begin(), all.end());
    return all;
}

void RegisterState::restore(const Snapshot &snapshot)
{
    clear();
    for (const auto &[address, value] : snapshot)
        set(address, value);
}

const RegisterWrite *TaskDetail::written(std::uint32_t address) const
{
    const auto at =
        std::find_if(stream.writes.rbegin(), stream.writes.rend(),
                     [address](const RegisterWrite &write) { return write.address == address; });
    return at == stream.writes.rend() ? nullptr : &*at;
}

void TaskReader::read(std::size_t index, TaskDetail &detail) const
{
    detail.index = index;
    detail.task = m_list.tasks[index];
    const auto bytes = m_text.subspan(static_cast<std::size_t>(detail.task.offset),
                                      static_cast<std::size_t>(detail.task.bytes()));
    detail.header.resize(detail.task.headerWords);
    for (std::size_t i = 0; i < detail.header.size(); ++i)
        detail.header[i] = loadLittle<std::uint32_t>(bytes, 4 * i);
    readStream(bytes, detail.task.streamBegin(), m_list.version->packets, detail.stream);
}

/// Makes m_state that of the task after m_at.
void TaskReader::advance()
{
    const Task &task = m_list.tasks[m_at];
    const bool newStream =
        m_at + 1 < m_list.tasks.size() && m_list.tasks[m_at + 1].stream != task.stream;
    if (newStream || !m_list.version->carriesState)
        m_state.clear();
    if (!newStream) {
        read(m_at, m_scratch);
        m_state.apply(m_scratch.stream);
    }
    ++m_at;
    if (m_at % kCheckpoint == 0 && m_checkpoints.size() == m_at / kCheckpoint)
        m_checkpoints.push_back(m_state.snapshot());
}

const RegisterState &TaskReader::before(std::size_t index)
{
    if (m_checkpoints.empty())
        m_checkpoints.emplace_back();
    if (m_at == kNone || m_at > index || index - m_at > kCheckpoint) {
        const std::size_t known = std::min(index / kCheckpoint, m_checkpoints.size() - 1);
        if (m_at == kNone || m_at > index || known * kCheckpoint > m_at) {
            m_state.restore(m_checkpoints[known]);
            m_at = known * kCheckpoint;
        }
    }
    while (m_at < index)
        advance();
    return m_state;
}

std::optional<std::uint32_t> TaskReader::effective(const TaskDetail &detail,
                                                   std::uint32_t address) const
{
    if (const RegisterWrite *write = detail.written(address))
        return write->value;
    if (m_list.version->carriesState && m_at == detail.index)
        return m_state.get(address);
    return std::nullopt;
}

std::vector<std::pair<std::string_view, std::uint32_t>> headerFields(const TaskDetail &detail,
                                                                     const Version &version)
{
    std::vector<std::pair<std::string_view, std::uint32_t>> fields;
    const RegisterMap *map = RegisterMap::of(version.registerMap);
    if (map == nullptr)
        return fields;
    for (std::uint32_t word = 0; word < detail.header.size(); ++word) {
        const Register *reg = map->header(word);
        if (reg == nullptr)
            continue;
        for (const BitField &field : reg->fields)
            fields.emplace_back(field.name, field.of(detail.header[word]));
    }
    return fields;
}

} // namespace kernscope::descriptor
