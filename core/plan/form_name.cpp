// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/form_name.h"

#include "core/codec/encode/form_encoder.h"

namespace kernscope::plan {

namespace {

using codec::FormEncoder;
using codec::FormSpec;

/// "a form such as keep, dense, int8 or …": an example of each encoder.
std::string expectedNames()
{
    std::string names = "a form such as " + std::string(kKeep);
    for (const FormEncoder *encoder : codec::formEncoders())
        names += ", " + std::string(encoder->examples);
    return names.replace(names.rfind(", "), 2, " or ");
}

} // namespace

std::string formName(const FormSpec &spec)
{
    const FormEncoder *encoder = codec::formEncoder(spec.node);
    return encoder != nullptr ? encoder->name(spec) : std::string();
}

Result<FormSpec> formFromName(std::string_view name, const Axes &axes)
{
    FormSpec spec;
    if (const FormEncoder *encoder = codec::formEncoderOfName(name)) {
        spec.node = encoder->node;
        if (encoder->read(name, {axes.output, axes.input}, spec))
            return spec;
    }
    return refused("plan.form", "form", expectedNames(), std::string(name),
                   "There is no form of this name");
}

std::string storedFormName(const decision::WeightForm &form)
{
    return form.key();
}

decision::WeightForm proposedForm(const FormSpec &spec, const decision::WeightForm &stored,
                                  ElementType type)
{
    const FormEncoder *encoder = codec::formEncoder(spec.node);
    const codec::ElementsMade made =
        encoder != nullptr ? encoder->made(spec) : codec::ElementsMade();
    decision::WeightForm form;
    form.node = made.node;
    form.masked = made.masked;
    form.element = made.type == ElementType::Unknown ? type : made.type;
    form.bits = made.bits != 0 ? made.bits : bitWidth(form.element);
    form.vectorSize = made.vectorSize;
    form.codebooks = made.codebooks;
    form.zeroPoint = made.zeroPoint;
    form.use = stored.use;
    form.shape = stored.shape;
    form.elements = stored.elements;
    form.storedBytes = stored.storedBytes;
    form.denseBytes = stored.denseBytes;
    return form;
}

} // namespace kernscope::plan
