// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/form/encoding.h"

#include "core/form/operand_place.h"

#include <algorithm>
#include <array>

namespace kernscope::codec {

namespace {

// In the order of PartRole.
constexpr std::array<std::string_view, 9> kRoleNames{
    "data", "indices", "lut", "mask", "nonzero_data", "scale", "zero_point", "offset", "bias"};

/// The one place that says in which order the operands of an encoding come. `Tree` is an encoding
/// or a const one; `visit` gets each operand that is stored, `nested` each encoding that makes one.
template <class Tree, class Visit, class Nested>
void walk(Tree &encoding, const Visit &visit, const Nested &nested)
{
    const auto walkSource = [&](auto &source) {
        if (auto *operand = std::get_if<Operand>(&source))
            visit(*operand);
        else if (auto &inner = std::get<std::shared_ptr<const Encoding>>(source))
            nested(inner);
    };
    if (encoding.mask)
        visit(*encoding.mask);
    walkSource(encoding.payload);
    if (encoding.palette)
        walkSource(encoding.palette->lut);
    if (encoding.scaling) {
        walkSource(encoding.scaling->scale);
        if (encoding.scaling->offset)
            walkSource(*encoding.scaling->offset);
        if (encoding.scaling->bias)
            walkSource(*encoding.scaling->bias);
    }
}

void collectOperands(const Encoding &encoding, std::vector<const Operand *> &out)
{
    walk(
        encoding, [&out](const Operand &operand) { out.push_back(&operand); },
        [&out](const std::shared_ptr<const Encoding> &inner) { collectOperands(*inner, out); });
}

} // namespace

std::string_view Operand::lockReason() const
{
    static constexpr std::array<std::string_view, 6> kReasons{
        "",
        "An activation table is not edited as a weight",
        "one stored number serves all elements",
        "its bytes are packed",
        "The order of coefficients in this version's slices is assumed, not published: an edit "
        "would be a guess",
        "The order of the bytes in such slices is not published: an edit would be a guess"};
    return kReasons[place ? static_cast<std::size_t>(place->lock) : 0];
}

ElementType Operand::declaredType() const
{
    return place && place->declared ? place->declared->type : type;
}

const Shape &Operand::declaredShape() const
{
    return place && place->declared ? place->declared->shape : shape;
}

std::string_view partRoleName(PartRole role)
{
    return kRoleNames[static_cast<std::size_t>(role)];
}

std::optional<PartRole> partRoleFromName(std::string_view name)
{
    for (std::size_t i = 0; i < kRoleNames.size(); ++i) {
        if (kRoleNames[i] == name)
            return static_cast<PartRole>(i);
    }
    return std::nullopt;
}

const Operand *storedOperand(const OperandSource &source)
{
    return std::get_if<Operand>(&source);
}

ElementType sourceType(const OperandSource &source)
{
    if (const Operand *operand = storedOperand(source))
        return operand->type;
    const auto &made = std::get<std::shared_ptr<const Encoding>>(source);
    return made ? made->type : ElementType::Unknown;
}

const Shape &sourceShape(const OperandSource &source)
{
    static const Shape scalar;
    if (const Operand *operand = storedOperand(source))
        return operand->shape;
    const auto &made = std::get<std::shared_ptr<const Encoding>>(source);
    return made ? made->shape : scalar;
}

bool dividesInto(std::span<const std::uint64_t> grid, std::span<const std::uint64_t> shape)
{
    return std::equal(grid.begin(), grid.end(), shape.begin(), shape.end(),
                      [](std::uint64_t blocks, std::uint64_t extent) {
                          return blocks != 0 && extent % blocks == 0;
                      });
}

std::uint64_t madeElement(const Encoding &encoding, std::uint64_t element)
{
    std::uint64_t position = 8 * element;
    if (encoding.view)
        encoding.view->positions(element, std::span(&position, 1));
    return position / 8;
}

std::vector<const Operand *> operandsOf(const Encoding &encoding)
{
    std::vector<const Operand *> operands;
    collectOperands(encoding, operands);
    return operands;
}

const Operand *ownOperand(const Encoding &encoding, PartRole role)
{
    const Operand *found = nullptr;
    const auto look = [&found, role](const Operand &operand) {
        if (found == nullptr && operand.role == role)
            found = &operand;
    };
    walk(encoding, look, [](const std::shared_ptr<const Encoding> &) {});
    if (found != nullptr)
        return found;
    const std::vector<const Operand *> all = operandsOf(encoding);
    const auto has = [role](const Operand *operand) { return operand->role == role; };
    const auto first = std::ranges::find_if(all, has);
    const bool alone = first != all.end() && std::none_of(first + 1, all.end(), has);
    return alone ? *first : nullptr;
}

Encoding withOperands(Encoding encoding, const std::function<void(Operand &)> &change)
{
    walk(encoding, change, [&change](std::shared_ptr<const Encoding> &inner) {
        inner = std::make_shared<const Encoding>(withOperands(*inner, change));
    });
    return encoding;
}

} // namespace kernscope::codec
