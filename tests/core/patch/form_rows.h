// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/codec/encode/form_spec.h"
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

/// What weights are encoded in by hand: each form, with some of its options.
inline std::vector<codec::FormSpec> someForms()
{
    using namespace codec;
    std::vector<FormSpec> forms(9);
    forms[1].node = forms[2].node = FormNode::Affine;
    forms[2].affine = {ElementType::Uint8, std::nullopt, false};
    forms[3].node = forms[4].node = forms[5].node = FormNode::Palette;
    forms[4].palette = {2, 2, 2};
    forms[5].palette = {3, 1, 1, ElementType::Int8};
    forms[6].node = FormNode::Sparse;
    forms[6].density = 0.25;
    forms[7].node = forms[8].node = FormNode::Blockwise;
    forms[7].blockwise = {ElementType::Int8, 4, 1, false};
    forms[8].blockwise = {ElementType::Uint4, 2, 1, true};
    FormSpec joint;
    joint.node = FormNode::Sparse;
    joint.density = 0.5;
    joint.survivors = FormNode::Palette;
    joint.palette = {4, 1, 1};
    forms.push_back(joint);
    joint.survivors = FormNode::Blockwise;
    joint.blockwise = {ElementType::Int8, 2, 1, false};
    forms.push_back(joint);
    return forms;
}

} // namespace kernscope::test
