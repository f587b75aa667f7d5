// SPDX-License-Identifier: GPL-3.0-or-later
#include "sample.h"

namespace kernscope::codec::test {

namespace {

ElementType indexType(unsigned bits)
{
    return elementTypeFromName("uint" + std::to_string(bits));
}

Form named(std::string name)
{
    Form form;
    form.name = std::move(name);
    return form;
}

void addPlain(std::vector<Form> &forms)
{
    for (const ElementType type :
         {ElementType::Fp16, ElementType::Fp32, ElementType::Bf16, ElementType::Fp8E4M3Fn,
          ElementType::Fp8E5M2, ElementType::Int4, ElementType::Int8, ElementType::Int16,
          ElementType::Int32, ElementType::Uint1, ElementType::Uint2, ElementType::Uint3,
          ElementType::Uint4, ElementType::Uint6, ElementType::Uint8, ElementType::Uint16,
          ElementType::Uint32}) {
        Form form = named("dense " + std::string(elementTypeName(type)));
        form.payload = type;
        forms.push_back(form);
    }
    for (const ElementType type : {ElementType::Fp16, ElementType::Fp32, ElementType::Int8,
                                   ElementType::Uint8, ElementType::Int4, ElementType::Uint4}) {
        for (const bool packed : {false, true}) {
            Form form = named("sparse " + std::string(elementTypeName(type)) +
                              (packed ? ", packed mask" : ""));
            form.payload = type;
            form.mask = true;
            form.packedMask = packed;
            forms.push_back(form);
        }
    }
}

void addPalettes(std::vector<Form> &forms)
{
    for (const unsigned bits : {1u, 2u, 3u, 4u, 6u, 8u}) {
        Form form = named("palette " + std::to_string(bits));
        form.bits = bits;
        form.payload = indexType(bits);
        forms.push_back(form);
        Form grouped = form;
        grouped.name += " grouped";
        grouped.grouped = true;
        forms.push_back(grouped);
        Form sparse = grouped;
        sparse.name += " sparse";
        sparse.mask = true;
        forms.push_back(sparse);
        Form old = form;
        old.name += " packed";
        old.packedIndices = true;
        old.payload = ElementType::Uint8;
        forms.push_back(old);
        for (const std::uint64_t axis : {0u, 1u, 2u}) {
            Form vector = form;
            vector.name += " vectors along axis " + std::to_string(axis);
            vector.vector = 2 + (bits + axis) % 4;
            vector.vectorAxis = axis;
            vector.grouped = axis != 0;
            forms.push_back(vector);
            vector.name += " sparse";
            vector.mask = true;
            forms.push_back(vector);
        }
    }
    for (const ElementType lut : {ElementType::Fp32, ElementType::Int8, ElementType::Uint8}) {
        Form form = named("palette of " + std::string(elementTypeName(lut)));
        form.bits = 4;
        form.payload = ElementType::Uint4;
        form.lut = lut;
        form.grouped = true;
        forms.push_back(form);
        form.name += " vectors";
        form.vector = 3;
        form.vectorAxis = 1;
        forms.push_back(form);
    }
}

void addScaled(std::vector<Form> &forms)
{
    for (const ElementType scale : {ElementType::Fp16, ElementType::Fp32}) {
        for (const ElementType data : {ElementType::Int8, ElementType::Uint8}) {
            for (const ElementType zero :
                 {ElementType::Unknown, ElementType::Int8, ElementType::Uint8, ElementType::Fp32}) {
                for (const int ones : {0, 1, 2, 3}) {
                    Form form =
                        named("affine " + std::string(elementTypeName(data)) + " scale " +
                              std::string(elementTypeName(scale)) + " zero " +
                              std::string(elementTypeName(zero)) + " ones " + std::to_string(ones));
                    form.payload = data;
                    form.scaling = Scaling::Kind::Affine;
                    form.scale = scale;
                    form.offset = zero;
                    form.oneScale = (ones & 1) != 0;
                    form.oneOffset = (ones & 2) != 0;
                    forms.push_back(form);
                }
            }
        }
        for (const ElementType data : {ElementType::Int4, ElementType::Uint4, ElementType::Int8,
                                       ElementType::Uint8, ElementType::Fp16, ElementType::Fp32}) {
            for (const ElementType offset :
                 {ElementType::Unknown, data, ElementType::Fp16, ElementType::Fp32}) {
                Form form = named("blockwise " + std::string(elementTypeName(data)) + " scale " +
                                  std::string(elementTypeName(scale)) + " offset " +
                                  std::string(elementTypeName(offset)) +
                                  (offset == data ? " of the data" : ""));
                form.payload = data;
                form.scaling = Scaling::Kind::Blockwise;
                form.scale = scale;
                form.offset = offset;
                forms.push_back(form);
                form.name += " sparse";
                form.mask = true;
                forms.push_back(form);
            }
        }
    }
}

void addNested(std::vector<Form> &forms)
{
    Form form = named("palette of int8, then blockwise");
    form.bits = 4;
    form.payload = ElementType::Uint4;
    form.lut = ElementType::Int8;
    form.grouped = true;
    form.scaling = Scaling::Kind::Blockwise;
    forms.push_back(form);
    form.name = "sparse palette of int8 vectors, then blockwise";
    form.mask = true;
    form.vector = 2;
    form.vectorAxis = 1;
    forms.push_back(form);
    form = named("palette of fp16, then blockwise with offset");
    form.bits = 3;
    form.payload = ElementType::Uint3;
    form.scaling = Scaling::Kind::Blockwise;
    form.offset = ElementType::Fp16;
    forms.push_back(form);
    form = named("scaled codebook");
    form.bits = 4;
    form.payload = ElementType::Uint4;
    form.grouped = true;
    form.lutScaled = true;
    forms.push_back(form);
    form.name = "scaled codebook of vectors";
    form.vector = 4;
    forms.push_back(form);
    form = named("coded scales");
    form.payload = ElementType::Int8;
    form.scaling = Scaling::Kind::Blockwise;
    form.scaleCoded = true;
    forms.push_back(form);
    form = named("coded survivors");
    form.mask = true;
    form.payloadCoded = true;
    forms.push_back(form);
}

/// Blocks with a bias that is added to the product.
void addBiased(std::vector<Form> &forms)
{
    for (const ElementType scale : {ElementType::Fp16, ElementType::Fp32}) {
        for (const ElementType data : {ElementType::Int4, ElementType::Uint8, ElementType::Fp32}) {
            Form form = named("blockwise " + std::string(elementTypeName(data)) + " scale " +
                              std::string(elementTypeName(scale)) + " with a bias");
            form.payload = data;
            form.scaling = Scaling::Kind::Blockwise;
            form.scale = scale;
            form.offset = scale;
            form.addsOffset = true;
            forms.push_back(form);
            form.name += ", sparse";
            form.mask = true;
            forms.push_back(form);
        }
    }
}

} // namespace

std::vector<Form> allForms()
{
    std::vector<Form> forms;
    addPlain(forms);
    addPalettes(forms);
    addScaled(forms);
    addNested(forms);
    addBiased(forms);
    return forms;
}

} // namespace kernscope::codec::test
