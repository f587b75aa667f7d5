// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/reader/hwx/hardware_block.h"
#include "core/bundle/reader/readers.h"
#include "core/container/anec/anec.h"

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
std::vector<ByteClaim> withSlices(std::vector<ByteClaim> tables, std::vector<ByteClaim> slices)
{
    const auto begins = [&slices](const ByteClaim &claim) {
        const auto first = std::lower_bound(
            slices.begin(), slices.end(), claim.range.offset,
            [](const ByteClaim &slice, FileOffset offset) { return slice.range.offset < offset; });
        return claim.kind == SectionKind::Data && first != slices.end() &&
               first->range.offset == claim.range.offset;
    };
    // Before any is added: the slices are sought by their order.
    tables.erase(std::remove_if(tables.begin(), tables.end(), begins), tables.end());
    std::move(tables.begin(), tables.end(), std::back_inserter(slices));
    return slices;
}

std::vector<ByteClaim> claimsOfSpans(const std::vector<hwx::CoverSpan> &spans)
{
    std::vector<ByteClaim> claims;
    claims.reserve(spans.size());
    for (const hwx::CoverSpan &span : spans)
        claims.push_back({span.range, spanSectionKind(span.kind), span.name});
    return claims;
}

/// What the two readers share: the weights of the tasks, and as sections the `spans` of the tables
/// with the slices of the kernels in them. `image` is kept in `out`.
void addHardware(hwx::Container image, const std::vector<hwx::CoverSpan> &spans, BundleFile &file,
                 ContainerContents &out)
{
    const auto kept = std::make_shared<const hwx::Container>(std::move(image));
    out.log.add(kept->diagnostics);
    HardwareWeights found = hardwareWeights(*kept, file.file->bytes(), file.path);
    out.log.add(std::move(found.diagnostics));
    out.weights = std::move(found.weights);
    out.claims[0] = withSlices(claimsOfSpans(spans), std::move(found.claims));
    out.hardware = kept;
}

class HardwareReader final : public ContainerReader
{
public:
    BundleKind kind() const override { return BundleKind::Hwx; }
    std::string_view key() const override { return "hwx"; }
    std::string_view name() const override { return "a hardware container (.hwx)"; }
    std::string_view helpPage() const override { return "hardware-containers"; }
    std::string_view fuzzTarget() const override { return "fuzz_hardware"; }
    std::string_view wanted() const override { return "a .hwx"; }
    std::vector<std::string_view> endings() const override { return {".hwx"}; }

    bool knows(std::span<const std::byte> bytes, std::string_view) const override
    {
        return hwx::isContainer(bytes);
    }

    void read(ContainerInput &input, ContainerContents &out) const override
    {
        BundleFile &file = input.files.front();
        file.role = SectionKind::Program;
        auto container = hwx::readContainer(file.file->bytes(), file.path);
        if (!container)
            return out.log.add(Severity::Error, std::move(container.error()));
        const auto spans = hwx::coverContainer(*container, file.file->bytes());
        addHardware(std::move(*container), spans, file, out);
    }
};

class AnecReader final : public ContainerReader
{
public:
    BundleKind kind() const override { return BundleKind::Anec; }
    std::string_view key() const override { return "anec"; }
    std::string_view name() const override { return "an image for a Linux driver (.anec)"; }
    std::string_view helpPage() const override { return "hardware-containers"; }
    std::string_view fuzzTarget() const override { return "fuzz_hwx"; }
    std::string_view wanted() const override { return "a .anec"; }
    std::vector<std::string_view> endings() const override { return {".anec"}; }

    bool knows(std::span<const std::byte> bytes, std::string_view) const override
    {
        return anec::isAnec(bytes);
    }

    void read(ContainerInput &input, ContainerContents &out) const override
    {
        BundleFile &file = input.files.front();
        file.role = SectionKind::Program;
        auto anec = anec::readAnec(file.file->bytes(), file.path);
        if (!anec)
            return out.log.add(Severity::Error, std::move(anec.error()));
        const auto spans = anec::coverAnec(*anec, file.file->bytes());
        addHardware(std::move(anec->image), spans, file, out);
    }
};

} // namespace

const ContainerReader &hardwareReader()
{
    static const HardwareReader reader;
    return reader;
}

const ContainerReader &anecReader()
{
    static const AnecReader reader;
    return reader;
}

} // namespace kernscope
