// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "sample_bundles.h"
#include "tests/test_program.h"

namespace kernscope::test {

/// A row for each form of a sample bundle, called as the form is.
inline void addForms(bool sparseOnly = false)
{
    const auto row = addColumns<QString>();
    for (const SampleForm &form : sampleForms()) {
        if (form.sparse || !sparseOnly)
            row(form.name.c_str(), QString::fromStdString(form.name));
    }
}

} // namespace kernscope::test
