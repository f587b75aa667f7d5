// SPDX-License-Identifier: GPL-3.0-or-later
// Edits of bytes as they lie in a file: of headers, records, metadata, stored numbers, registers.
#include "core/base/error_builder.h"
#include "core/bundle/bundle.h"
#include "core/patch/plan/planner.h"
#include "core/patch/plan/raw_place.h"

namespace kernscope::patch {

Result<AppliedEdit> Planner::planRaw(const Edit &edit)
{
    auto place = rawPlace(*m_bundle, edit);
    if (!place)
        return tl::unexpected(std::move(place.error()));
    auto written = m_recorder.write(place->file, place->offset, place->after);
    if (!written)
        return tl::unexpected(std::move(written.error()));
    m_applied.bytes = m_recorder.take();
    m_applied.oldText = std::move(place->oldText);
    m_applied.newText = std::move(place->newText);
    m_applied.note = std::move(place->note);
    m_applied.asked = m_applied.stored = static_cast<double>(edit.stored);
    if (m_applied.bytes.empty() || place->values)
        return std::move(m_applied);
    // Whatever these bytes say may be read into the tables.
    m_applied.tables = true;
    auto reread = m_bundle->reread();
    if (!reread) {
        std::string message = "The files could not be opened any more: " + reread.error().message;
        return ErrorBuilder(std::move(reread.error())).message(std::move(message)).unexpected();
    }
    m_applied.breaks = whatBreaks(*m_bundle, **reread);
    if (!m_applied.breaks.empty())
        m_applied.note += (m_applied.note.empty() ? "breaks: " : "; breaks: ") + m_applied.breaks;
    m_bundle = std::move(*reread);
    return std::move(m_applied);
}

} // namespace kernscope::patch
