// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/mlir/aicode.h"
#include "core/container/mlir/writer.h"
#include "made_module.h"
#include "print.h"
#include "tests/fuzz/fuzz_check.h"

#include <algorithm>
#include <array>
#include <vector>

using namespace kernscope;

namespace {

/// A module whose tables are sound and whose operations, and last attributes and types, are the
/// input's: whole modules that are broken are refused long before.
std::vector<std::byte> madeOf(std::span<const std::byte> input)
{
    test::MadeModule made = test::madeWeights();
    while (input.size() > 2 && input[0] == std::byte{'A'}) {
        const auto size =
            std::min<std::size_t>(std::to_integer<std::size_t>(input[2]) & 31, input.size() - 3);
        const auto entry = input.subspan(3, size);
        auto &entries = input[1] == std::byte{'T'} ? made.types : made.attributes;
        entries.emplace_back(entry.begin(), entry.end());
        input = input.subspan(3 + size);
    }
    if (!input.empty())
        made.operations.assign(input.begin(), input.end());
    return made.bytes();
}

/// Whatever the bytes are, the module is refused with a place in them, or written back as it is,
/// and what is changed of it reads again.
void check(std::span<const std::byte> bytes)
{
    const mlir::Module module = mlir::readModule(bytes, "main.mlirb");
    if (module.fault) {
        fuzz::require(module.fault->offset && module.fault->offset->value <= bytes.size());
        return;
    }
    const auto written = mlir::writeModule(module);
    fuzz::require(written && std::ranges::equal(*written, bytes));
    for (std::uint32_t i = 0; i < std::min<std::size_t>(module.attributes.size(), 64); ++i)
        mlir::attributeText(module, i, 4096);
    for (const mlir::Value &value : module.values)
        mlir::tensorType(module, value.type);
    const mlir::ConstantUses uses = mlir::constantUses(module);
    if (module.version < 5 || module.dialects.empty())
        return;
    mlir::ModuleEdit edit(module);
    const std::array<std::byte, 2> own{std::byte{1}, std::byte{2}};
    for (std::uint32_t i = 0; i < module.operations.size(); ++i) {
        const auto data =
            mlir::constantBytes(module, module.attributeOf(module.operations[i], "value"));
        if (!data || !module.is(module.operations[i], "aicode.primitive.constant_v1"))
            continue;
        fuzz::require(!uses.sharing(*data).empty());
        const auto value =
            edit.attribute("serialization.dense_elements", {{{1}, {own.size()}}, own});
        fuzz::require(value.has_value());
        const auto properties = edit.properties("aicode.primitive.constant_v1", {*value});
        fuzz::require(properties.has_value());
        edit.setProperties(i, *properties);
    }
    edit.dropUnused();
    const auto changed = mlir::writeModule(module, &edit);
    fuzz::require(changed.has_value());
    const mlir::Module again = mlir::readModule(*changed, "main.mlirb");
    fuzz::require(!again.fault);
    fuzz::require(again.operations.size() == module.operations.size());
    const auto same = mlir::writeModule(again);
    fuzz::require(same && *same == *changed);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const auto input = fuzz::bytesOf(data, size);
    if (mlir::isModule(input))
        check(input);
    else
        check(madeOf(input));
    return 0;
}
