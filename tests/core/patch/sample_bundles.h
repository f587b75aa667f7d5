// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "made_bundle.h"

/// A small bundle of every form that a weight can be stored in, for the contract that all edits
/// keep: what is planned is what changes, it decodes to what was said, and it can be taken back.
namespace kernscope::test {

struct SampleForm {
    std::string name;         ///< of the test's row: "lut4-grouped"
    std::string form;         ///< as the bundle reports it: "lut"
    bool sparse = false;      ///< keep and drop apply
    std::uint64_t vector = 1; ///< elements that one index stands for
};

/// All of them.
const std::vector<SampleForm> &sampleForms();

/// The bundle: a weight "w" of 8 by 8 elements in that form, then a dense fp16 weight "behind".
MadeBundle sampleBundle(const std::string &name);

/// Content of every file, in the order of Bundle::files().
std::vector<Bytes> contentOf(const Bundle &bundle);

} // namespace kernscope::test
