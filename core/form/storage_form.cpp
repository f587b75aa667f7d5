// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/form/storage_form.h"

#include "core/base/find.h"
#include "core/form/form_steps.h"

#include <fmt/format.h>

namespace kernscope {

namespace {

using codec::Encoding;
using codec::OperandSource;
using codec::Scaling;

const Encoding *made(const OperandSource &source)
{
    const auto *inner = std::get_if<std::shared_ptr<const Encoding>>(&source);
    return inner ? inner->get() : nullptr;
}

class StepCollector
{
public:
    void collect(const Encoding &encoding, bool nested)
    {
        const std::size_t before = m_steps.size();
        const auto add = [&](FormNode node) { m_steps.push_back({node, &encoding, nested}); };
        // A section scales the rows of what its palette gives; a program scales it by blocks.
        const bool rowsOfPalette =
            encoding.palette && encoding.scaling && encoding.scaling->kind == Scaling::Kind::Affine;
        if (encoding.mask)
            add(FormNode::Sparse);
        // What powers of two scale are fp8 or fp4 numbers, or indices into a table: then only
        // blocks.
        if (encoding.scaling && !rowsOfPalette) {
            const FormNode node = nodeOf(*encoding.scaling);
            add(encoding.palette && node == FormNode::Microscaled ? FormNode::Blockwise : node);
        }
        inner(encoding.payload);
        if (encoding.palette) {
            add(FormNode::Palette);
            inner(encoding.palette->lut);
        }
        if (rowsOfPalette)
            add(FormNode::Affine);
        if (encoding.scaling) {
            inner(encoding.scaling->scale);
            if (encoding.scaling->offset)
                inner(*encoding.scaling->offset);
            if (encoding.scaling->bias)
                inner(*encoding.scaling->bias);
        }
        if (!nested && m_steps.size() == before)
            add(FormNode::Dense);
    }

    std::vector<FormStep> take() { return std::move(m_steps); }

private:
    void inner(const OperandSource &source)
    {
        if (const Encoding *maker = made(source))
            collect(*maker, true);
    }

    std::vector<FormStep> m_steps;
};

/// Figures by key; of two with one key, the first.
class FigureCollector
{
public:
    void collect(const Encoding &encoding)
    {
        inner(encoding.payload);
        if (encoding.palette) {
            addPalette(*encoding.palette, encoding);
            inner(encoding.palette->lut);
        }
        if (encoding.scaling) {
            addScaling(*encoding.scaling, encoding);
            inner(encoding.scaling->scale);
            if (encoding.scaling->offset)
                inner(*encoding.scaling->offset);
            if (encoding.scaling->bias)
                inner(*encoding.scaling->bias);
        }
    }

    Detail take() { return std::move(m_detail); }

private:
    void inner(const OperandSource &source)
    {
        if (const Encoding *maker = made(source))
            collect(*maker);
    }

    void add(std::string_view key, DetailValue value)
    {
        const bool known =
            std::ranges::any_of(m_detail, [key](const auto &entry) { return entry.first == key; });
        if (!known)
            m_detail.emplace_back(key, std::move(value));
    }

    void addPalette(const codec::Palette &palette, const Encoding &encoding)
    {
        std::uint64_t codebooks = 1;
        for (const std::uint64_t groups : palette.grid)
            codebooks *= groups; // no more than there are indices
        add("index_bits", std::uint64_t{bitWidth(codec::sourceType(encoding.payload))});
        add("codebooks", codebooks);
        add("entries", palette.entries);
        add("vector", palette.vector);
        if (palette.vector > 1)
            add("vector_axis", palette.vectorAxis);
    }

    void addScaling(const Scaling &scaling, const Encoding &encoding)
    {
        const ElementType codes =
            codec::sourceType(encoding.palette ? encoding.palette->lut : encoding.payload);
        const Shape &scales = codec::sourceShape(scaling.scale);
        add("data_bits", std::uint64_t{bitWidth(codes)});
        add("scales", elementCount(scales).value_or(ElementCount()).value);
        if (scaling.kind == Scaling::Kind::Affine)
            return;
        std::vector<std::uint64_t> block;
        for (std::size_t i = 0; i < encoding.shape.size() && i < scales.size(); ++i)
            block.push_back(scales[i] == 0 ? 0 : encoding.shape[i] / scales[i]);
        add("block", std::move(block));
    }

    Detail m_detail;
};

std::string nodeText(FormNode node, const StorageForm &form)
{
    const StepFacts &facts = stepFacts(node);
    if (facts.typed)
        return fmt::format("{}-{}", facts.word, elementTypeName(form.storedType()));
    if (!facts.fp4Word.empty() && form.storedType() == ElementType::Fp4E2M1)
        return std::string(facts.fp4Word);
    const bool network = form.words() == FormWords::Network && !facts.networkWord.empty();
    return std::string(network ? facts.networkWord : facts.word);
}

/// Slices are called by what they hold: there is no program whose words they could have.
std::string_view sliceText(FormNode node)
{
    const std::string_view word = stepFacts(node).slices;
    return word.empty() ? stepFacts(FormNode::Dense).slices : word;
}

} // namespace

std::vector<FormStep> formSteps(const Encoding &encoding)
{
    StepCollector collector;
    collector.collect(encoding, false);
    return collector.take();
}

const Encoding &storingEncoding(const Encoding &encoding)
{
    const Encoding *maker = encoding.palette ? nullptr : made(encoding.payload);
    return maker ? storingEncoding(*maker) : encoding;
}

FormNode elementsNode(const Encoding &encoding)
{
    const Encoding &storing = storingEncoding(encoding);
    if (storing.palette)
        return FormNode::Palette;
    return storing.scaling ? nodeOf(*storing.scaling) : FormNode::Dense;
}

Detail formFigures(const Encoding &encoding)
{
    FigureCollector collector;
    collector.collect(encoding);
    return collector.take();
}

StorageForm::StorageForm(Encoding encoding, FormWords words)
    : m_encoding(std::make_shared<const Encoding>(std::move(encoding))), m_operands(m_encoding),
      m_words(words)
{
    m_type = codec::sourceType(storingEncoding(*m_encoding).payload);
    m_nodes.clear();
    for (const FormStep &step : formSteps(*m_encoding))
        m_nodes.push_back(step.node);
}

StorageForm StorageForm::unsound(FormNode node, ElementType type, std::vector<codec::Operand> known)
{
    StorageForm form;
    form.m_operands = OperandList(std::move(known));
    form.m_nodes = {node};
    form.m_type = type;
    return form;
}

StorageForm StorageForm::slices(FormNode node, Encoding bytes)
{
    StorageForm form(std::move(bytes));
    form.m_nodes = {node};
    form.m_slices = true;
    return form;
}

StorageForm StorageForm::activationTable(Encoding values)
{
    StorageForm form(std::move(values));
    form.m_nodes = {FormNode::ActivationTable};
    return form;
}

void StorageForm::dropEncoding()
{
    std::vector<codec::Operand> known;
    std::copy_if(m_operands.begin(), m_operands.end(), std::back_inserter(known),
                 [](const codec::Operand &operand) { return operand.place != nullptr; });
    m_operands = OperandList(std::move(known));
    m_encoding = nullptr;
}

const codec::Operand *StorageForm::operand(codec::PartRole role) const
{
    return findBy(m_operands, &codec::Operand::role, role);
}

void StorageForm::changeOperands(const std::function<void(codec::Operand &)> &change)
{
    if (m_encoding) {
        m_encoding = std::make_shared<const Encoding>(codec::withOperands(*m_encoding, change));
        m_operands = OperandList(m_encoding);
        return;
    }
    std::vector<codec::Operand> known(m_operands.begin(), m_operands.end());
    std::ranges::for_each(known, change);
    m_operands = OperandList(std::move(known));
}

const codec::Palette *StorageForm::palette() const
{
    return m_encoding && m_encoding->palette ? &*m_encoding->palette : nullptr;
}

const codec::Scaling *StorageForm::scaling() const
{
    return m_encoding && m_encoding->scaling ? &*m_encoding->scaling : nullptr;
}

std::uint64_t StorageForm::vectorAxis() const
{
    const codec::Palette *step = palette();
    return step ? step->vectorAxis : 0;
}

bool operator==(const StorageForm &a, const StorageForm &b)
{
    const bool sameType =
        a.m_type == b.m_type || (!a.isDense() && !a.isMicroscaled()) || a.isSlices();
    return a.m_nodes == b.m_nodes && a.m_slices == b.m_slices && a.m_words == b.m_words && sameType;
}

std::string formText(const StorageForm &form)
{
    if (form.isSlices())
        return std::string(sliceText(form.nodes().front()));
    std::string text;
    for (const FormNode node : form.nodes())
        text += (text.empty() ? "" : "+") + nodeText(node, form);
    return text;
}

OperandList::OperandList(std::shared_ptr<const codec::Encoding> encoding)
    : m_all(codec::operandsOf(*encoding)), m_owner(std::move(encoding))
{
}

OperandList::OperandList(std::vector<codec::Operand> operands)
{
    auto kept = std::make_shared<const std::vector<codec::Operand>>(std::move(operands));
    m_all.reserve(kept->size());
    for (const codec::Operand &operand : *kept)
        m_all.push_back(&operand);
    m_owner = std::move(kept);
}

} // namespace kernscope
