// SPDX-License-Identifier: GPL-3.0-or-later
// The forms that are tried for a weight.
#include "core/plan/survey.h"

#include <array>

namespace kernscope::plan {

namespace {

using codec::FormSpec;

void addAffine(std::vector<FormSpec> &forms, const Axes &axes)
{
    FormSpec spec;
    spec.node = FormNode::Affine;
    spec.affine.axis = axes.output;
    forms.push_back(spec);
    spec.affine.symmetric = false;
    forms.push_back(spec);
    spec.affine.symmetric = true;
    spec.affine.axis.reset();
    forms.push_back(spec);
}

/// One codebook, one for every 64 and every 16 rows, and vectors of two and of four rows.
void addPalettes(std::vector<FormSpec> &forms, const Shape &shape)
{
    const std::uint64_t rows = shape.empty() ? 1 : shape[0];
    FormSpec spec;
    spec.node = FormNode::Palette;
    for (const unsigned bits : {1u, 2u, 3u, 4u, 6u, 8u}) {
        spec.palette = {bits, 1, 1, ElementType::Fp16};
        forms.push_back(spec);
        for (const std::uint64_t each : {std::uint64_t(64), std::uint64_t(16)}) {
            spec.palette.groups = rows % each == 0 ? rows / each : 1;
            if (spec.palette.groups > 1)
                forms.push_back(spec);
        }
        spec.palette.groups = 1;
        for (const std::uint64_t vector : {std::uint64_t(2), std::uint64_t(4)}) {
            spec.palette.vector = vector;
            if (rows % vector == 0 && (bits == 4 || bits == 6 || bits == 8))
                forms.push_back(spec);
        }
    }
}

void addBlockwise(std::vector<FormSpec> &forms, const Shape &shape, const Axes &axes)
{
    FormSpec spec;
    spec.node = FormNode::Blockwise;
    spec.blockwise.axis = axes.input;
    spec.blockwise.channels = axes.output;
    for (const ElementType type : {ElementType::Int8, ElementType::Int4}) {
        for (const std::uint64_t block :
             {std::uint64_t(16), std::uint64_t(32), std::uint64_t(64)}) {
            if (axes.input >= shape.size() || shape[axes.input] % block != 0)
                continue;
            spec.blockwise.codeType = type;
            spec.blockwise.block = block;
            forms.push_back(spec);
        }
    }
}

void addSparse(std::vector<FormSpec> &forms, const Shape &shape, const Axes &axes)
{
    FormSpec spec;
    spec.node = FormNode::Sparse;
    forms.push_back(spec); // every value that is not zero
    for (const double density : {0.75, 0.6, 0.5, 0.4, 0.35, 0.3, 0.25, 0.2, 0.15, 0.1, 0.05}) {
        spec.density = density;
        forms.push_back(spec);
    }
    spec.density.reset();
    spec.pattern = codec::SparsePattern{2, 4, axes.input};
    forms.push_back(spec);
    // Joint forms: every non-zero value, or half of all, coded.
    FormSpec joint;
    joint.node = FormNode::Sparse;
    for (const bool half : {false, true}) {
        joint.density = half ? std::optional(0.5) : std::nullopt;
        joint.survivors = FormNode::Palette;
        for (const unsigned bits : {4u, 6u, 8u}) {
            joint.palette = {bits, 1, 1, ElementType::Fp16};
            forms.push_back(joint);
        }
        joint.survivors = FormNode::Blockwise;
        joint.blockwise = {ElementType::Int8, 32, axes.input, false, axes.output};
        if (axes.input < shape.size() && shape[axes.input] % 32 == 0)
            forms.push_back(joint);
    }
}

} // namespace

std::vector<FormSpec> triedForms(const Shape &shape, const Axes &axes)
{
    std::vector<FormSpec> forms(1); // dense
    addAffine(forms, axes);
    addPalettes(forms, shape);
    addBlockwise(forms, shape, axes);
    addSparse(forms, shape, axes);
    return forms;
}

} // namespace kernscope::plan
