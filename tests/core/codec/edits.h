// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/codec/edit/editor.h"
#include "sample.h"
#include "tests/test_program.h"

/// What the tests of the editor have in common.
namespace kernscope::codec::test {

/// The span of a part of an encoding, where it stores one of that role.
inline std::span<const std::byte> partBytes(const Encoding &encoding, PartRole role)
{
    const auto bytesOf = [](const OperandSource &source) {
        const auto *operand = std::get_if<Operand>(&source);
        return operand != nullptr ? operand->bytes : std::span<const std::byte>();
    };
    switch (role) {
    case PartRole::Mask: return encoding.mask->bytes;
    case PartRole::Lut: return bytesOf(encoding.palette->lut);
    case PartRole::Scale: return bytesOf(encoding.scaling->scale);
    case PartRole::ZeroPoint:
    case PartRole::Offset: return bytesOf(*encoding.scaling->offset);
    default: return bytesOf(encoding.payload);
    }
}

/// Lays a plan that keeps all sizes over the sample's bytes; every range must really change.
inline void apply(Sample &sample, const EditPlan &plan)
{
    for (const PartEdit &edit : plan.parts) {
        const auto part = partBytes(sample.encoding, edit.role);
        auto &bytes = sample.bytesBehind(part);
        QVERIFY(!edit.bytes.empty());
        QVERIFY(edit.offset + edit.bytes.size() <= bytes.size());
        QVERIFY(edit.bytes.front() != bytes[edit.offset]);
        QVERIFY(edit.bytes.back() != bytes[edit.offset + edit.bytes.size() - 1]);
        std::ranges::copy(edit.bytes, bytes.begin() + std::ptrdiff_t(edit.offset));
    }
}

inline std::vector<float> decodeAll(const Encoding &encoding)
{
    const auto decoder = Decoder::make(encoding);
    if (!decoder)
        return {};
    std::vector<float> values(decoder->elements().value);
    decoder->decodeFloat(0, values);
    return values;
}

inline bool same(float a, float b)
{
    return a == b || (std::isnan(a) && std::isnan(b));
}

/// A row for each form whose payload is stored; `masked`: only for those with a mask.
inline void formRows(bool masked)
{
    QTest::addColumn<int>("index");
    const std::vector<Form> forms = allForms();
    for (int i = 0; i < int(forms.size()); ++i) {
        const Form &form = forms[std::size_t(i)];
        if (!form.payloadCoded && (!masked || form.mask))
            QTest::newRow(form.name.c_str()) << i;
    }
}

} // namespace kernscope::codec::test
