// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/patch/patch.h"
#include "form_rows.h"

#include <set>

#include <QTest>

/// An edit of a weight in each form, planned, applied and taken back.
namespace kernscope::test {

inline constexpr std::size_t kElements = 64;

using Places = std::set<std::pair<std::size_t, std::uint64_t>>;

/// Bytes that differ, as (file, offset).
inline Places differences(const std::vector<Bytes> &a, const std::vector<Bytes> &b)
{
    Places places;
    for (std::size_t file = 0; file < a.size(); ++file) {
        for (std::size_t at = 0; at < a[file].size(); ++at) {
            if (a[file][at] != b[file][at])
                places.emplace(file, at);
        }
    }
    return places;
}

inline Places places(const std::vector<FileEdit> &edits)
{
    Places all;
    for (const FileEdit &edit : edits) {
        for (std::size_t i = 0; i < edit.after.size(); ++i)
            all.emplace(edit.file, edit.offset.value + i);
    }
    return all;
}

/// Shows a bundle before and after one edit, and holds the edit to its contract.
class Trial
{
public:
    explicit Trial(const std::string &form) : m_bundle(*sampleBundle(form).open())
    {
        m_original = contentOf(*m_bundle);
        before = decoded(*m_bundle, "w");
        behind = decoded(*m_bundle, "behind");
    }

    /// Plans and applies; what breaks the contract, or nothing.
    std::string run(const std::string &text, Edit::Kind kind, double tolerance)
    {
        const auto edit = parseEdit(kind, text);
        if (!edit)
            return describe(edit.error());
        const auto planned = planEdits(m_bundle, {*edit}, tolerance);
        if (!planned)
            return describe(planned.error());
        applied = planned->front();
        if (m_bundle->modified() || contentOf(*m_bundle) != m_original)
            return "planning changed the bundle";
        const auto after = applyEdit(m_bundle, applied);
        if (!after)
            return describe(after.error());
        m_after = *after;
        if (places(applied.bytes) != differences(m_original, contentOf(*m_after)))
            return "other bytes changed than the edit names";
        if (hasErrors(m_after->diagnostics()))
            return faults(m_after->diagnostics()).front();
        if (decoded(*m_after, "behind") != behind)
            return "the weight behind changed";
        if (!sectionFault(*m_after).empty())
            return sectionFault(*m_after);
        now = decoded(*m_after, "w");
        return takeBack();
    }

    std::vector<float> before, now, behind;
    AppliedEdit applied;

private:
    std::string takeBack()
    {
        const auto reverted = revertEdit(m_after, applied);
        if (!reverted)
            return describe(reverted.error());
        if (contentOf(**reverted) != m_original || (*reverted)->modified())
            return "taking back did not give the same bytes";
        if (decoded(**reverted, "w") != before)
            return "taking back did not give the same values";
        const auto again = applyEdit(*reverted, applied);
        if (!again || decoded(**again, "w") != now)
            return "redoing did not give the same values";
        return {};
    }

    BundlePtr m_bundle, m_after;
    std::vector<Bytes> m_original;
};

inline const SampleForm &formNamed(std::string_view name)
{
    for (const SampleForm &form : sampleForms()) {
        if (form.name == name)
            return form;
    }
    qFatal("no such form");
}

} // namespace kernscope::test
