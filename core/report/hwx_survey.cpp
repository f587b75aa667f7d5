// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/hwx_survey.h"

#include "core/bundle/bundle.h"
#include "core/descriptor/task_reader.h"
#include "core/report/hwx_json.h"
#include "core/report/json_table.h"
#include "core/report/register_table.h"

namespace kernscope::report {

void HwxSurvey::note(const char *kind, unsigned version, std::uint32_t address, std::uint32_t value)
{
    const Key key{kind, version, address};
    auto [at, fresh] = m_rows.try_emplace(key);
    SurveyRow &row = at->second;
    if (fresh) {
        row.kind = kind;
        row.version = version;
        row.address = address;
        row.setBits = row.clearBits = UINT32_MAX;
    }
    ++row.writes;
    row.setBits &= value;
    row.clearBits &= ~value;
    if (m_seen.insert(key).second)
        ++row.files;
    const auto known = row.values.find(value);
    if (known != row.values.end())
        ++known->second;
    else if (row.values.size() < SurveyRow::kMaxValues)
        row.values.emplace(value, 1);
    else
        row.more = true;
}

void HwxSurvey::add(const hwx::Container &container, std::span<const std::byte> bytes)
{
    ++m_files;
    m_seen.clear();
    for (const hwx::Thread &thread : container.threads) {
        if (thread.role != hwx::ThreadRole::Program || thread.flavor != 1)
            continue;
        note("thread word", thread.flavor, 0x850, thread.word850);
        note("thread word", thread.flavor, 0x858, thread.word858);
    }
    for (const hwx::Text &text : container.texts) {
        const hwx::SegmentSection *section = container.section(text.section);
        if (section == nullptr || !section->bytes || text.tasks->version == nullptr)
            continue;
        const auto range = *section->bytes;
        const descriptor::TaskReader reader(
            bytes.subspan(static_cast<std::size_t>(range.offset.value),
                          static_cast<std::size_t>(range.bytes.value)),
            *text.tasks);
        const unsigned version = text.tasks->version->registerMap;
        const auto *map = descriptor::RegisterMap::of(version);
        descriptor::TaskDetail detail;
        for (std::size_t i = 0; i < text.tasks->tasks.size(); ++i) {
            reader.read(i, detail);
            ++m_tasks;
            for (const descriptor::RegisterWrite &write : detail.stream.writes) {
                if (map == nullptr || map->find(write.address) == nullptr)
                    note("register", version, write.address, write.value);
            }
        }
    }
}

std::vector<SurveyRow> HwxSurvey::rows() const
{
    std::vector<SurveyRow> rows;
    for (const auto &[key, row] : m_rows)
        rows.push_back(row);
    return rows;
}

Json hwxSurveyJson(const HwxSurvey &survey)
{
    Json json;
    json["files"] = survey.files();
    json["tasks"] = survey.tasks();
    json["words"] = jsonArray(surveyTable(), survey.rows());
    return json;
}

} // namespace kernscope::report
