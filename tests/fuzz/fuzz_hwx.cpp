// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/anec/anec.h"
#include "core/container/hwx/container.h"
#include "core/container/hwx/cover.h"
#include "core/container/hwx/kernels.h"
#include "core/container/hwx/slots.h"
#include "core/descriptor/task_reader.h"
#include "rewrite.h"
#include "tests/fuzz/fuzz_check.h"
#include "tests/fuzz/mutators.h"

#include <algorithm>

using namespace kernscope;

namespace {

void checkTasks(const hwx::Container &container, std::span<const std::byte> file)
{
    const auto tiles = hwx::kernelTiles(container);
    for (const hwx::Text &text : container.texts) {
        const hwx::SegmentSection *section = container.section(text.section);
        fuzz::require(section != nullptr && section->bytes.has_value());
        const auto range = *section->bytes;
        fuzz::require(fitsInside(range, ByteCount(file.size())));
        descriptor::TaskReader reader(file.subspan(range.offset.value, range.bytes.value),
                                      *text.tasks);
        const hwx::LaneFinder finder(container, text, tiles);
        descriptor::TaskDetail detail;
        for (std::size_t i = 0; i < text.tasks->tasks.size(); ++i) {
            reader.before(i);
            reader.read(i, detail);
            fuzz::require(detail.stream.end <= detail.task.bytes());
            finder.lanes(detail, reader);
        }
    }
    for (const hwx::Slot &slot : hwx::relocationSlots(container, file))
        fuzz::require(fitsInside(slot.range(), ByteCount(file.size())));
}

} // namespace

/// A container is read, covered, decoded and written back as it was; nothing leaves the file.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const auto file = fuzz::bytesOf(data, size);
    if (const auto container = hwx::readContainer(file, "x.hwx")) {
        for (const hwx::CoverSpan &span : hwx::coverContainer(*container, file))
            fuzz::require(fitsInside(span.range, ByteCount(size)));
        checkTasks(*container, file);
        if (const auto written = hwx::writeContainer(*container, file))
            fuzz::require(written->size() == file.size());
    }
    if (const auto anec = anec::readAnec(file, "x.anec")) {
        checkTasks(anec->image, file);
        anec::coverAnec(*anec, file);
        const auto written = anec::writeAnec(*anec, file);
        fuzz::require(written &&
                      std::equal(written->begin(), written->end(), file.begin(), file.end()));
    }
    return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t *data, std::size_t size,
                                               std::size_t most, unsigned seed)
{
    return fuzz::mutateCommands(data, size, most, seed);
}
