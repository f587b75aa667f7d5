// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/reader/readers.h"

#include "core/bundle/reader/hwx/hardware_reader.h"
#include "core/container/anec/anec.h"

namespace kernscope {

namespace {

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

const ContainerReader &anecReader()
{
    static const AnecReader reader;
    return reader;
}

} // namespace kernscope
