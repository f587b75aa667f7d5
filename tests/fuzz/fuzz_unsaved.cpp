// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"
#include "core/patch/edit/unsaved_edits.h"
#include "tests/fuzz/fuzz_check.h"

#include <sstream>

using namespace kernscope;

/// What a window left of its edits: any text is read or refused, bytes that were taken back are as
/// many as were there, and what is written of it again reads as the same.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    static const std::vector<std::string> kFiles{"model.mil", "weights/weight.bin"};
    static const BundlePtr kBundle = [] {
        OpenOptions options;
        for (const std::string &file : kFiles)
            options.memory.emplace_back(file, fuzz::copyOf("-"));
        return Bundle::open("fuzz.mlmodelc", options).value();
    }();
    const std::string text(reinterpret_cast<const char *>(data), size);
    std::istringstream lines(text);
    const auto head = readUnsavedHead(lines);
    const auto edits = parseUnsaved(text, *kBundle);
    if (!edits) {
        fuzz::require(!edits.error().code.empty() && !edits.error().message.empty());
        return 0;
    }
    for (const auto &edit : edits->takenBack) {
        for (const FileEdit &run : edit->bytes)
            fuzz::require(run.file < kBundle->files().size() &&
                          run.before.size() == run.after.size());
    }
    const UnsavedHead given = head.value_or(UnsavedHead());
    const std::string written = unsavedText(*edits, given, kFiles);
    const auto again = parseUnsaved(written, *kBundle);
    fuzz::require(again && again->entries.size() == edits->entries.size() &&
                  again->takenBack.size() == edits->takenBack.size());
    fuzz::require(unsavedText(*again, given, kFiles) == written);
    std::istringstream writtenLines(written);
    const auto same = readUnsavedHead(writtenLines);
    fuzz::require(same && same->bundle == given.bundle && same->made == given.made &&
                  static_cast<std::size_t>(same->edits) ==
                      edits->entries.size() + edits->takenBack.size());
    return 0;
}
