// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/little_endian.h"
#include "core/descriptor/walk.h"
#include "tests/core/descriptor/stream_words.h"
#include "tests/fuzz/fuzz_check.h"

using namespace kernscope;

/// The first byte chooses the version. What a stream reads it also writes; tasks stay in the text.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    if (size == 0)
        return 0;
    const auto text = fuzz::bytesOf(data + 1, size - 1);
    const auto versions = descriptor::versions();
    const descriptor::Version &version = versions[data[0] % versions.size()];
    for (const auto form : {descriptor::PacketForm::Full, descriptor::PacketForm::Packed}) {
        const auto stream = descriptor::readStream(text, 0, form);
        fuzz::require(stream.end <= text.size());
        const auto words = test::wordsOf(stream, form);
        fuzz::require(words.size() * 4 == stream.end);
        for (std::size_t i = 0; i < words.size(); ++i)
            fuzz::require(words[i] == loadLittle<std::uint32_t>(text, 4 * i));
    }
    const auto list = descriptor::walkTasks(text, &version, {});
    descriptor::TaskReader reader(text, list);
    descriptor::TaskDetail detail;
    for (std::size_t i = list.tasks.size(); i-- > 0;) {
        fuzz::require(list.tasks[i].offset + list.tasks[i].bytes() <= text.size());
        reader.before(i);
        reader.read(i, detail);
        descriptor::headerFields(detail, version);
    }
    return 0;
}
