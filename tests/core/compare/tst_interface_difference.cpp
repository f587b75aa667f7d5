// SPDX-License-Identifier: GPL-3.0-or-later
// What two files say of their program beside its operations.
#include "core/compare/container_difference.h"
#include "core/container/hwx/container.h"
#include "core/container/mlir/module.h"
#include "made_coreai.h"
#include "tests/test_program.h"

namespace {

std::string shown(const ProgramDifference &difference)
{
    std::string text;
    for (const ProgramChange &change : difference.changes)
        text += fmt::format("{} {} {}: {}\n", programChangeName(change.kind), change.type,
                            change.operation, fmt::join(change.details, ", "));
    return text;
}

hwx::Container madeContainer()
{
    hwx::Container made;
    hwx::Thread port;
    port.role = hwx::ThreadRole::Port;
    port.name = "x";
    port.direction = 1;
    port.dims = {1, 16, 1, 1, 1};
    hwx::Thread program;
    program.role = hwx::ThreadRole::Program;
    program.procedure = "net";
    program.apertures = {{3, 0x4000}};
    made.threads = {port, program};
    made.bindings.push_back({"x", 0, 0, 0x8000, 32});
    made.symbols.push_back({0, 1, 0, 0, 0x20, "s"});
    return made;
}

} // namespace

class TestInterfaceDifference : public QObject
{
    Q_OBJECT

private slots:
    void hardware_data()
    {
        using Change = void (*)(hwx::Container &);
        const auto row = addColumns<Change, std::string>();
        row(
            "nothing", [](hwx::Container &) {}, "");
        row(
            "direction", [](hwx::Container &c) { c.threads[0].direction = 2; },
            "changed port x: direction: input > output\n");
        row(
            "extents", [](hwx::Container &c) { c.threads[0].dims[1] = 7; },
            "changed port x: extents: [1, 16, 1, 1, 1] > [1, 7, 1, 1, 1]\n");
        row(
            "element type", [](hwx::Container &c) { c.threads[0].elementType = 5; },
            "changed port x: element type: 0 > 5\n");
        row(
            "aperture", [](hwx::Container &c) { c.threads[1].apertures[3] = 0x4010; },
            "changed program state net: aperture 3: 0x4000 > 0x4010\n");
        row(
            "no aperture", [](hwx::Container &c) { c.threads[1].apertures.clear(); },
            "changed program state net: aperture 3: 0x4000 > none\n");
        row(
            "binding", [](hwx::Container &c) { c.bindings[0].address = 0x9000; },
            "changed binding x: address: 0x8000 > 0x9000\n");
        row(
            "name of a port", [](hwx::Container &c) { c.threads[0].name = "y"; },
            "removed port x: \ninserted port y: \n");
    }
    void hardware()
    {
        using Change = void (*)(hwx::Container &);
        const auto [change, changes] = fetched<Change, std::string>();
        const hwx::Container a = madeContainer();
        hwx::Container b = a;
        change(b);
        ProgramDifference difference;
        diff::compareHardware(a, b, difference);
        QCOMPARE(shown(difference), changes);
        QCOMPARE(difference.sameComputation, changes.empty());
    }

    /// Every number of an attribute counts, whatever it is of.
    void attributesOfModules()
    {
        MadeCoreAi made;
        const auto x = made.operation("primitive.input_v1", {}, {1, 4}, Elem::F16);
        made.output({made.transposed(x, {1, 0}, {4, 1}, Elem::F16)});
        const Bytes bytes = made.module();
        const mlir::Module module = mlir::readModule(bytes, "a");
        QVERIFY(!module.fault);
        ProgramDifference same;
        diff::compareModules(module, mlir::readModule(bytes, "b"), same);
        QCOMPARE(shown(same), std::string());
        QVERIFY(same.equal);
        std::size_t changed = 0;
        for (const mlir::Operation &operation : module.operations) {
            const std::uint32_t flag = module.attributeOf(operation, "isPrivate");
            if (flag == mlir::kNone)
                continue;
            const mlir::Field number = module.attribute(flag).fields.back();
            Bytes other = bytes;
            other[number.range.offset.value] ^= std::byte{1};
            ProgramDifference difference;
            diff::compareModules(module, mlir::readModule(other, "b"), difference);
            QVERIFY(!difference.equal);
            QVERIFY2(shown(difference).find("isPrivate: ") != std::string::npos,
                     shown(difference).c_str());
            ++changed;
        }
        QVERIFY(changed > 0);
    }

    /// Writers give private graphs other names in each file: that is no difference.
    void namesOfPrivateGraphs()
    {
        const auto moduleOf = [](const std::string &name, int isPrivate) {
            MadeModule made;
            const std::uint64_t location = made.attribute({46}), none = made.attribute({5, 0});
            const auto flag = [&made](int value) {
                return made.attribute(byteRow({0x05, 0x03, 1, value}));
            };
            const std::uint64_t no = flag(0), own = flag(isPrivate);
            const std::uint64_t called = made.attribute({1, made.string(name)});
            const std::uint64_t type = made.attribute({4, made.type({30, 0, 0})});
            made.wrapGraph(location, {none, 0, no, type, own, called, no, none, none}, 0, 0, 0, {});
            return made.bytes();
        };
        for (const int isPrivate : {0, 1}) {
            const Bytes a = moduleOf("norm_abcdefgh", isPrivate),
                        b = moduleOf("norm_ijklmnop", isPrivate);
            const mlir::Module one = mlir::readModule(a, "a"), other = mlir::readModule(b, "b");
            QVERIFY(!one.fault && !other.fault);
            ProgramDifference difference;
            diff::compareModules(one, other, difference);
            QCOMPARE(difference.equal, isPrivate == 1);
        }
    }
};

KERNSCOPE_TEST(TestInterfaceDifference, NoApplication)
#include "tst_interface_difference.moc"
