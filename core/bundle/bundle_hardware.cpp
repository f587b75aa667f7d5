// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/bundle_builder.h"
#include "core/bundle/hardware_weights.h"
#include "core/container/anec/anec.h"
#include "core/container/hwx/container.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace kernscope {

namespace {

SectionKind spanSectionKind(hwx::SpanKind kind)
{
    switch (kind) {
    case hwx::SpanKind::Header: return SectionKind::Header;
    case hwx::SpanKind::Command:
    case hwx::SpanKind::Relocations:
    case hwx::SpanKind::Symbols:
    case hwx::SpanKind::Strings:
    case hwx::SpanKind::Debug:
    case hwx::SpanKind::Note: return SectionKind::Metadata;
    case hwx::SpanKind::TaskHeader:
    case hwx::SpanKind::Record:
    case hwx::SpanKind::Task:
    case hwx::SpanKind::Text: return SectionKind::Program;
    case hwx::SpanKind::Kernel: return SectionKind::Data;
    case hwx::SpanKind::Padding: return SectionKind::Padding;
    case hwx::SpanKind::Data: break;
    }
    return SectionKind::Unknown;
}

/// The claims of slices first; those of whole kernel symbols that begin with a slice give way.
std::vector<Claim> withSlices(std::vector<Claim> tables, std::vector<Claim> slices)
{
    const auto begins = [&slices](const Claim &claim) {
        const auto first = std::lower_bound(
            slices.begin(), slices.end(), claim.range.offset,
            [](const Claim &slice, FileOffset offset) { return slice.range.offset < offset; });
        return claim.kind == SectionKind::Data && first != slices.end() &&
               first->range.offset == claim.range.offset;
    };
    // Before any is added: the slices are sought by their order.
    tables.erase(std::remove_if(tables.begin(), tables.end(), begins), tables.end());
    std::move(tables.begin(), tables.end(), std::back_inserter(slices));
    return slices;
}

} // namespace

std::vector<Claim> BundleBuilder::claimsOfHardware(const std::vector<hwx::CoverSpan> &spans) const
{
    std::vector<Claim> claims;
    claims.reserve(spans.size());
    for (const hwx::CoverSpan &span : spans) {
        Claim claim;
        claim.range = span.range;
        claim.kind = spanSectionKind(span.kind);
        claim.name = span.name;
        claims.push_back(std::move(claim));
    }
    return claims;
}

/// A hardware container: one file, whose tables become the section map.
void BundleBuilder::buildHardware()
{
    BundleFile &file = m_bundle->m_files.front();
    file.role = SectionKind::Program;
    const auto bytes = file.file->bytes();
    std::vector<hwx::CoverSpan> spans;
    if (m_bundle->m_kind == BundleKind::Hwx) {
        auto container = hwx::readContainer(bytes, file.path);
        if (container) {
            spans = hwx::coverContainer(*container, bytes);
            m_bundle->m_hardware = std::make_shared<const hwx::Container>(std::move(*container));
        } else {
            m_log.add(Severity::Error, std::move(container.error()));
        }
    } else if (auto anec = anec::readAnec(bytes, file.path)) {
        spans = anec::coverAnec(*anec, bytes);
        m_bundle->m_hardware = std::make_shared<const hwx::Container>(std::move(anec->image));
    } else {
        m_log.add(Severity::Error, std::move(anec.error()));
    }
    std::vector<Claim> claims;
    if (m_bundle->m_hardware) {
        m_log.add(m_bundle->m_hardware->diagnostics);
        HardwareWeights found = hardwareWeights(*m_bundle->m_hardware, bytes, file.path);
        m_log.add(std::move(found.diagnostics));
        m_bundle->m_weights = std::move(found.weights);
        claims = withSlices(claimsOfHardware(spans), std::move(found.claims));
    }
    auto sections = coverFile(0, file.file->size(), std::move(claims));
    std::move(sections.begin(), sections.end(), std::back_inserter(m_bundle->m_sections));
    m_bundle->m_diagnostics = m_log.take();
}

} // namespace kernscope
