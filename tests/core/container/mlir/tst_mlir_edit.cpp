// SPDX-License-Identifier: GPL-3.0-or-later
// Modules written with changes.
#include "core/container/mlir/aicode.h"
#include "core/container/mlir/writer.h"
#include "made_module.h"
#include "tests/test_program.h"

using namespace kernscope;
using test::Bytes;

class TestMlirEdit : public QObject
{
    Q_OBJECT

private slots:
    /// One of the constants that share a splat gets bytes of its own; the others keep theirs.
    void ownBytesOfAConstant()
    {
        changed([](mlir::ModuleEdit &edit) {
            const Bytes own{std::byte{0x34}, std::byte{0x12}};
            const auto value = VERIFIED(
                edit.attribute("serialization.dense_elements", {{{1}, {own.size()}}, own}));
            const auto properties =
                VERIFIED(edit.properties("aicode.primitive.constant_v1", {*value}));
            edit.setProperties(6, *properties);
            edit.dropUnused();
        });
        QCOMPARE(m_new.operations.size(), m_module.operations.size());
        const auto data =
            mlir::constantBytes(m_new, m_new.attributeOf(m_new.operations[6], "value"));
        QVERIFY(data && data->splat);
        QCOMPARE(std::to_integer<int>(m_newBytes[std::size_t(data->data.offset.value)]), 0x34);
        // What nothing holds any more is gone.
        const std::uint32_t before = m_module.attributeOf(m_module.operations[6], "value");
        QVERIFY(m_new.attribute(before).is("unit_v1"));
        QCOMPARE(m_new.attributeOf(m_new.operations[5], "value"),
                 m_module.attributeOf(m_module.operations[5], "value"));
    }

    /// Scaled codes become a palette: other operations, a type and blobs that are new, the old ones
    /// gone.
    void anotherForm()
    {
        Bytes codes(64, std::byte{0x21});
        changed([&codes](mlir::ModuleEdit &edit) {
            const mlir::Module &module = edit.module();
            const auto code = VERIFIED(edit.type("uint4_v1", {}));
            const auto half = VERIFIED(edit.type("float16_v1", {}));
            const auto axisType = edit.type("sint16_v1", {});
            const auto indices = edit.type("tensor_v1", {{{8, 16}, {*code}}, {}});
            const auto table = edit.type("tensor_v1", {{{1, 1, 16, 1}, {*half}}, {}});
            const auto scalar = edit.type("tensor_v1", {{{}, {*axisType}}, {}});
            QVERIFY(indices && table && scalar);
            const std::uint64_t blob = edit.resource("codes", 16, codes);
            const Bytes entries(32, std::byte{0x3C}), axis(2);
            const auto properties = [&edit](const Result<std::uint32_t> &attribute) {
                return *edit.properties("aicode.primitive.constant_v1", {*attribute});
            };
            std::vector<mlir::NewOperation> added(4);
            for (std::size_t i = 0; i < 3; ++i)
                added[i].name = "aicode.primitive.constant_v1";
            added[0].properties =
                properties(edit.attribute("serialization.dense_resource", {{{blob}}, {}}));
            added[1].properties = properties(
                edit.attribute("serialization.dense_elements", {{{0}, {entries.size()}}, entries}));
            added[2].properties = properties(
                edit.attribute("serialization.dense_elements", {{{1}, {axis.size()}}, axis}));
            added[0].results = {edit.value(*indices)};
            added[1].results = {edit.value(*table)};
            added[2].results = {edit.value(*scalar)};
            added[3].name = "aicode.primitive.lut_to_dense_v1";
            added[3].operands = {added[0].results[0], added[1].results[0], added[2].results[0]};
            added[3].results = {module.operations[7].results.first};
            edit.replace(7, added);
            edit.dropUnused();
        });
        QCOMPARE(m_new.operations.size(), m_module.operations.size() - 1); // 5 go, 4 come
        QCOMPARE(m_new.resources.size(), std::size_t(1));
        const mlir::Resource &blob = m_new.resources[0];
        QCOMPARE(m_new.strings[blob.key], std::string_view("codes_1"));
        QVERIFY(std::ranges::equal(m_new.bytesOf(blob.data), codes));
        QCOMPARE(blob.data.offset.value % 16, std::uint64_t(0));
        const mlir::Operation &table = m_new.operations[6];
        QVERIFY(m_new.is(table, "aicode.primitive.lut_to_dense_v1"));
        const mlir::Operation &output = m_new.operations[7];
        QCOMPARE(m_new.operandsOf(output)[1], table.results.first);
        QCOMPARE(m_new.operandsOf(output)[0], std::uint32_t(0));
        const auto data = mlir::constantBytes(
            m_new, m_new.attributeOf(
                       m_new.operations[m_new.values[m_new.operandsOf(table)[0]].owner], "value"));
        QVERIFY(data && data->resource == 0);
    }

    void equalPartsAreShared()
    {
        m_bytes = test::madeWeights().bytes();
        m_module = mlir::readModule(m_bytes, "main.mlirb");
        mlir::ModuleEdit edit(m_module);
        QVERIFY(edit.empty());
        QCOMPARE(edit.string("aicode.name"), edit.string("aicode.name"));
        QVERIFY(edit.string("aicode.name") < m_module.strings.size());
        const std::uint32_t added = edit.string("new");
        QCOMPARE(added, std::uint32_t(m_module.strings.size()));
        QCOMPARE(edit.string("new"), added);
        const auto known = edit.type("tensor_v1", {{{4}, {*edit.type("float16_v1", {})}}, {}});
        QVERIFY(known && *known < m_module.types.size());
        const auto other = edit.type("tensor_v1", {{{5}, {*edit.type("float16_v1", {})}}, {}});
        QCOMPARE(*other, std::uint32_t(m_module.types.size()));
        QVERIFY(!edit.empty());
    }

    void refuses()
    {
        m_bytes = test::madeWeights().bytes();
        m_module = mlir::readModule(m_bytes, "main.mlirb");
        mlir::ModuleEdit edit(m_module);
        QCOMPARE(edit.attribute("no such kind", {}).error().code, "mlir.edit");
        QCOMPARE(edit.type("tensor_v1", {{{1}}, {}}).error().code, "mlir.edit");
        QCOMPARE(edit.properties("aicode.primitive.constant_v1", {}).error().code, "mlir.edit");
        edit.replace(2, {}); // its result is read
        QCOMPARE(mlir::writeModule(m_module, &edit).error().code, "mlir.write");
    }

private:
    /// The module of madeWeights with `edit`, written and read again.
    template <class Change>
    void changed(Change change)
    {
        m_bytes = test::madeWeights().bytes();
        m_module = mlir::readModule(m_bytes, "main.mlirb");
        mlir::ModuleEdit edit(m_module);
        change(edit);
        const auto written = VERIFIED(mlir::writeModule(m_module, &edit));
        m_newBytes = *written;
        m_new = mlir::readModule(m_newBytes, "main.mlirb");
        QVERIFY2(!m_new.fault, m_new.fault ? describe(*m_new.fault).c_str() : "");
        mlir::WriteReport report;
        const auto again = mlir::writeModule(m_new, nullptr, &report);
        QVERIFY(again && *again == m_newBytes && report.kept.empty());
    }

    Bytes m_bytes, m_newBytes;
    mlir::Module m_module, m_new;
};

KERNSCOPE_TEST(TestMlirEdit, QCoreApplication)
#include "tst_mlir_edit.moc"
