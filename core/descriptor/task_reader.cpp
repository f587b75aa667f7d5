// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/descriptor/task_reader.h"

#include "core/base/little_endian.h"
#include "core/base/parts.h"
#include "core/base/text.h"
#include "core/format/table_rows.h"
#include "core/numeric/half.h"

#include <algorithm>
#include <array>
#include <bit>

#include <fmt/format.h>

namespace kernscope::descriptor {

namespace {

constexpr std::uint32_t kFullAddressMask = 0x03FFFFFF;
constexpr std::uint32_t kPackedAddressMask = 0x7FFF;
constexpr std::uint32_t kAddressPacketBit = 1U << 29;
/// Bits 30:21 are zero in a dense packet; bit 30 in an address packet.
constexpr std::uint32_t kDenseReserved = 0x7FE00000;

Packet packetOf(std::uint32_t word, PacketForm form)
{
    Packet packet;
    packet.word = word;
    if (form == PacketForm::Full) {
        packet.address = word & kFullAddressMask;
        packet.count = (word >> 26) + 1;
        return packet;
    }
    packet.address = (word & kPackedAddressMask) * 4;
    if ((word >> 31) != 0) {
        packet.kind = PacketKind::Masked;
        packet.mask = word >> 15 & 0xFFFF;
        packet.count = 1 + static_cast<std::uint32_t>(std::popcount(packet.mask));
        return packet;
    }
    packet.count = (word >> 15 & 0x3F) + 1;
    if ((word & kAddressPacketBit) != 0) {
        packet.kind = PacketKind::Address;
        packet.bar = word >> 21 & 0xFF;
    }
    return packet;
}

bool reservedBitsClear(const Packet &packet, PacketForm form)
{
    if (form == PacketForm::Full || packet.kind == PacketKind::Masked)
        return true;
    return packet.kind == PacketKind::Address ? (packet.word >> 30) == 0
                                              : (packet.word & kDenseReserved) == 0;
}

void readValues(std::span<const std::byte> task, const Packet &packet,
                std::vector<RegisterWrite> &writes)
{
    std::uint32_t offset = packet.offset + 4;
    const auto put = [&](std::uint32_t address) {
        writes.push_back({address, offset, loadLittle<std::uint32_t>(task, offset)});
        offset += 4;
    };
    if (packet.kind != PacketKind::Masked) {
        for (std::uint32_t i = 0; i < packet.count; ++i)
            put(packet.address + 4 * i);
        return;
    }
    put(packet.address);
    for (std::uint32_t mask = packet.mask; mask != 0; mask &= mask - 1)
        put(packet.address + 4 * (1 + static_cast<std::uint32_t>(std::countr_zero(mask))));
}

struct Meaning {
    std::vector<std::string> versions, fields; ///< no versions: every one
    std::string block;                         ///< empty: every one
    std::string kind, values;
};

const std::vector<Meaning> &meanings()
{
    static const auto rows = [] {
        std::vector<Meaning> all;
        const auto csv = tables::load("field_meanings");
        for (std::size_t row = 0; csv && row < csv->rows(); ++row) {
            all.push_back(
                {partsOf(csv->cell(row, "versions"), ' '), partsOf(csv->cell(row, "fields"), ' '),
                 std::string(csv->cell(row, "block")), std::string(csv->cell(row, "kind")),
                 std::string(csv->cell(row, "values"))});
        }
        return all;
    }();
    return rows;
}

bool holds(const std::vector<std::string> &list, std::string_view wanted)
{
    return std::ranges::find(list, wanted) != list.end();
}

std::string valueNameOf(const std::string &values, std::uint32_t value)
{
    for (const std::string &pair : partsOf(values, '|')) {
        const auto equals = pair.find('=');
        if (equals != std::string::npos &&
            parseInteger(std::string_view(pair).substr(0, equals)) == std::int64_t(value))
            return pair.substr(equals + 1);
    }
    return {};
}

std::string meant(const Meaning &meaning, const BitField &field, std::uint32_t value)
{
    const unsigned width = field.high - field.low + 1;
    if (meaning.kind == "bytes")
        return field.low == 0 ? std::string()
                              : fmt::format("{:#x} bytes", std::uint64_t(value) << field.low);
    if (meaning.kind == "names")
        return valueNameOf(meaning.values, value);
    if (meaning.kind == "half" && width == 16)
        return fmt::format("{}", halfToFloat(static_cast<std::uint16_t>(value)));
    if (meaning.kind == "log2" && value < 32)
        return counted(std::uint64_t(1) << value, meaning.values);
    if (meaning.kind == "unit")
        return counted(value, meaning.values);
    if (meaning.kind == "signed" && width < 32) {
        const bool negative = (value >> (width - 1)) != 0;
        return fmt::format("{}", std::int64_t(value) - (negative ? std::int64_t(1) << width : 0));
    }
    return {};
}

} // namespace

std::string_view packetKindName(PacketKind kind)
{
    static constexpr std::array<std::string_view, 3> kNames{"dense", "masked", "address"};
    return kNames[static_cast<std::size_t>(kind)];
}

void Stream::clear()
{
    packets.clear();
    writes.clear();
    begin = end = 0;
    exact = false;
    fault.clear();
}

void readStream(std::span<const std::byte> task, std::uint32_t begin, PacketForm form,
                Stream &stream)
{
    stream.clear();
    stream.begin = stream.end = begin;
    if (form == PacketForm::Unknown) {
        stream.fault = "the form of its records is not published";
        return;
    }
    if (begin > task.size()) {
        stream.fault = "the header runs over the task";
        return;
    }
    const auto size = static_cast<std::uint32_t>(task.size());
    std::uint32_t at = begin;
    while (size - at >= 4) {
        Packet packet = packetOf(loadLittle<std::uint32_t>(task, at), form);
        packet.offset = at;
        packet.firstWrite = stream.writes.size();
        if (!reservedBitsClear(packet, form)) {
            stream.fault =
                fmt::format("the word {:#010x} at {:#x} is not a record header", packet.word, at);
            break;
        }
        if (packet.bytes() > size - at) {
            stream.fault = fmt::format(
                "the record at {:#x} has {} values and runs over its task of {:#x} bytes", at,
                packet.count, size);
            break;
        }
        readValues(task, packet, stream.writes);
        at += packet.bytes();
        stream.packets.push_back(packet);
    }
    stream.end = at;
    stream.exact = at == size;
    if (!stream.exact && stream.fault.empty())
        stream.fault = "its size is not a multiple of a word";
}

Stream readStream(std::span<const std::byte> task, std::uint32_t begin, PacketForm form)
{
    Stream stream;
    readStream(task, begin, form, stream);
    return stream;
}

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
    std::ranges::sort(all);
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

std::string decodedField(const Register &reg, const BitField &field, std::uint32_t value,
                         std::uint32_t version)
{
    for (const Meaning &meaning : meanings()) {
        if (!meaning.versions.empty() && !holds(meaning.versions, fmt::to_string(version)))
            continue;
        if ((meaning.block.empty() || meaning.block == reg.block) &&
            holds(meaning.fields, field.name))
            return meant(meaning, field, value);
    }
    return {};
}

} // namespace kernscope::descriptor
