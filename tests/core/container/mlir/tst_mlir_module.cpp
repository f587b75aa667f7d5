// SPDX-License-Identifier: GPL-3.0-or-later
// Modules written with changes.
#include "core/container/mlir/aicode.h"
#include "core/container/mlir/cursor.h"
#include "core/format/coreai_operations.h"
#include "made_module.h"
#include "module_text.h"
#include "print.h"
#include "tests/test_program.h"

using test::Bytes;

namespace {

mlir::Module moduleOf(const Bytes &bytes)
{
    return mlir::readModule(bytes, "main.mlirb");
}

} // namespace

class TestMlirModule : public QObject
{
    Q_OBJECT

private slots:
    void reads()
    {
        const Bytes bytes = madeWeights().bytes();
        const mlir::Module module = moduleOf(bytes);
        QVERIFY2(!module.fault, module.fault ? describe(*module.fault).c_str() : "");
        QVERIFY(module.diagnostics.empty());
        QCOMPARE(module.version, 6U);
        QCOMPARE(module.producer, std::string_view("made"));
        QCOMPARE(module.operations.size(), 9U);
        std::vector<std::uint32_t> top, graphs, body;
        for (const std::uint32_t index : module.operationsOf(module.blocks[0]))
            top.push_back(index);
        QCOMPARE(top, std::vector<std::uint32_t>{0});
        for (const std::uint32_t region : module.regionsOf(module.operations[0]))
            for (const std::uint32_t block : module.blocksOf(module.regions[region]))
                for (const std::uint32_t index : module.operationsOf(module.blocks[block]))
                    graphs.push_back(index);
        QCOMPARE(graphs, std::vector<std::uint32_t>{1});
        const mlir::Operation &graph = module.operations[1];
        QVERIFY(module.is(graph, "aicode.dataflow.graph_v1"));
        QCOMPARE(module.stringOf(module.attributeOf(graph, "name")), std::string_view("main"));
        QCOMPARE(module.attributeOf(graph, "compositeDecl"), mlir::kNone);
        const mlir::Operation &scaled = module.operations[7];
        QCOMPARE(module.operationName(scaled), "aicode.primitive.blockwise_shift_scale_v2");
        const auto operands = module.operandsOf(scaled);
        QCOMPARE(std::vector<std::uint32_t>(operands.begin(), operands.end()),
                 (std::vector<std::uint32_t>{1, 2, 3, 4}));
        const mlir::Operation &codes = module.operations[module.values[operands[0]].owner];
        const auto data = mlir::constantBytes(module, module.attributeOf(codes, "value"));
        QVERIFY(data && data->resource == 0 && !data->splat);
        QCOMPARE(data->data.bytes.value, 128U);
        QCOMPARE(data->data.offset.value % 16, 0U);
        const auto tensor = VERIFIED(mlir::tensorType(module, module.values[operands[0]].type));
        QCOMPARE(tensor->shape, (std::vector<std::int64_t>{8, 16}));
        QCOMPARE(tensor->elementName, std::string_view("int8"));
        QCOMPARE(tensor->elementBits, 8u);
        const auto uses = mlir::constantUses(module);
        QCOMPARE(uses.sharing(*data), std::vector<std::uint32_t>{3});
        const auto written = VERIFIED(mlir::writeModule(module));
        QVERIFY(*written == bytes);
        const std::string text = moduleText(module, mlir::kMostText);
        QVERIFY2(text.find("%5 = \"aicode.primitive.blockwise_shift_scale_v2\"(%1, %2, %3, %4) : "
                           "(!aicode.tensor_v1<[8, 16] : !aicode.sint8_v1>, ") != std::string::npos,
                 text.c_str());
    }

    void numbers_data()
    {
        const auto row = addColumns<quint64, QByteArray>();
        row("0", 0, "01");
        row("127", 127, "ff");
        row("128", 128, "0202");
        row("2^49 - 1", (quint64(1) << 49) - 1, "c0ffffffffffff");
        row("2^49", quint64(1) << 49, "8000000000000002");
        row("2^56 - 1", (quint64(1) << 56) - 1, "80ffffffffffffff");
        row("2^56", quint64(1) << 56, "000000000000000001");
        row("2^64 - 1", ~quint64(0), "00ffffffffffffffff");
    }

    void numbers()
    {
        const auto [value, hex] = fetched<quint64, QByteArray>();
        mlir::Encoder out;
        out.varint(value);
        const Bytes &bytes = out.all();
        QCOMPARE(QByteArray(reinterpret_cast<const char *>(bytes.data()), qsizetype(bytes.size()))
                     .toHex(),
                 hex);
        mlir::FaultState faults{"x", {}};
        mlir::Cursor cursor(bytes, {FileOffset(0), ByteCount(bytes.size())}, faults, "x", {});
        QCOMPARE(cursor.varint("number"), std::uint64_t(value));
        QVERIFY(cursor.finish("number"));
    }

    /// Numbers may be longer than needed: what was written so is kept.
    void longNumbersAreKept()
    {
        MadeModule made = madeWeights();
        Bytes &blob = *std::ranges::find(made.attributes, varints({7, 0}));
        blob = {std::byte{0x1E}, std::byte{0x00}, std::byte{0x01}}; // 7 in two bytes
        const Bytes bytes = made.bytes();
        const mlir::Module module = moduleOf(bytes);
        QVERIFY(!module.fault);
        mlir::WriteReport report;
        const auto written = mlir::writeModule(module, nullptr, &report);
        QVERIFY(written && *written == bytes);
        QCOMPARE(report.kept.size(), 1U);
        QCOMPARE(report.kept[0].bytes.value, 3U);
    }

    void unknownKinds()
    {
        MadeModule made = madeWeights();
        made.attribute({63, 1, 2, 3});
        made.attribute({63, 4});
        const Bytes bytes = made.bytes();
        const mlir::Module module = moduleOf(bytes);
        QVERIFY(!module.fault);
        QCOMPARE(module.diagnostics.size(), 1U); // one for a kind
        QCOMPARE(module.diagnostics[0].error.code, "mlir.kind");
        const auto index = std::uint32_t(module.attributes.size() - 1);
        QVERIFY(!module.attribute(index).row);
        QCOMPARE(mlir::attributeText(module, index), "#aicode.kind63<0x7f09>");
        const auto written = mlir::writeModule(module);
        QVERIFY(written && *written == bytes);
    }

    /// As images are printed by the platform's own library, and named here.
    void imageFormats()
    {
        MadeModule made = madeWeights();
        for (const auto &[code, vendor, own] :
             {std::tuple(24U, "k24RGB", "RGB24"), std::tuple(32U, "k32ARGB", "ARGB32"),
              std::tuple(0x42475241U, "k32BGRA", "BGRA"),
              std::tuple(0x79343230U, "k420YpCbCr8Planar", "y420"), std::tuple(7U, "7", "7")}) {
            const std::uint64_t type = made.types.size();
            made.type({39, made.attribute({27, code}), 4, 8});
            const Bytes bytes = made.bytes();
            const mlir::Module module = moduleOf(bytes);
            QVERIFY(!module.fault);
            QCOMPARE(mlir::typeText(module, std::uint32_t(type)),
                     "!aicode.image_v1<<" + std::string(vendor) + "> x 4 x 8>");
            QCOMPARE(fourccText(code), std::string(own));
        }
        QCOMPARE(fourccText(0x34323076), "420v");
    }

    void circles()
    {
        MadeModule made = madeWeights();
        const std::uint64_t next = made.attributes.size();
        made.attribute({5, 1, next + 1});
        made.attribute({4, made.types.size()});
        made.type({3, 0, 0, next}); // attribute -> attribute -> type -> attribute
        const mlir::Module module = moduleOf(made.bytes());
        QVERIFY(module.fault);
        QCOMPARE(module.fault->code, "mlir.entries");
        QVERIFY(module.fault->offset);
    }

    void deepEntries()
    {
        for (const std::uint64_t deep : {511u, 512u, 513u, 100000u}) {
            MadeModule made = madeWeights();
            made.attribute({46});
            for (std::uint64_t i = 1; i < deep; ++i)
                made.attribute({5, 1, made.attributes.size() - 1});
            const mlir::Module module = moduleOf(made.bytes());
            QCOMPARE(bool(module.fault), deep > 512);
        }
    }

    void doubledEntriesAreCut()
    {
        MadeModule made = madeWeights();
        made.attribute({46});
        for (int i = 0; i < 60; ++i)
            made.attribute({5, 2, made.attributes.size() - 1, made.attributes.size() - 1});
        const Bytes bytes = made.bytes();
        const mlir::Module module = moduleOf(bytes);
        QVERIFY(!module.fault);
        const std::string text =
            mlir::attributeText(module, std::uint32_t(module.attributes.size() - 1), 1000);
        QVERIFY(text.size() <= 1003 && text.ends_with("…"));
    }

    /// Whatever a byte becomes, the module is refused with a place or written back as it is.
    void everyByteMayBeAny()
    {
        Bytes bytes = madeWeights().bytes();
        for (std::size_t i = 0; i < bytes.size(); ++i) {
            const std::byte before = bytes[i];
            for (const unsigned value : {0u, 1u, 2u, 3u, 0x40u, 0x7Fu, 0x80u, 0xFFu}) {
                bytes[i] = std::byte(value);
                const mlir::Module module = moduleOf(bytes);
                const std::string text = moduleText(module, 100000);
                if (module.fault) {
                    QVERIFY(module.fault->offset && module.fault->offset->value <= bytes.size());
                    continue;
                }
                const auto written = mlir::writeModule(module);
                QVERIFY2(written && *written == bytes,
                         qPrintable(u"byte %1 = %2"_s.arg(i).arg(value)));
            }
            bytes[i] = before;
        }
    }

    void tables()
    {
        QVERIFY(mlir::kindRows().size() > 100);
        for (const mlir::KindRow &row : mlir::kindRows()) {
            QVERIFY(!row.name.empty());
            for (const mlir::FieldSpec &field : row.fields)
                QVERIFY2(std::string_view("ATSVIYNFMBROD").find(field.letter) !=
                             std::string_view::npos,
                         row.name.c_str());
            QCOMPARE(mlir::rowsByCode(row.dialect, row.type)->at(std::size_t(row.code)), &row);
        }
        QVERIFY(mlir::propertyRow("aicode.primitive.constant_v1"));
        QVERIFY(mlir::propertyRow("aicode.primitive.scan_v7")); // all versions
        QVERIFY(!mlir::propertyRow("aicode.primitive.constant_v2"));
    }

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
        QCOMPARE(m_new.resources.size(), 1U);
        const mlir::Resource &blob = m_new.resources[0];
        QCOMPARE(m_new.strings[blob.key], std::string_view("codes_1"));
        QVERIFY(std::ranges::equal(m_new.bytesOf(blob.data), codes));
        QCOMPARE(blob.data.offset.value % 16, 0U);
        const mlir::Operation &table = m_new.operations[6];
        QVERIFY(m_new.is(table, "aicode.primitive.lut_to_dense_v1"));
        const mlir::Operation &output = m_new.operations[7];
        QCOMPARE(m_new.operandsOf(output)[1], table.results.first);
        QCOMPARE(m_new.operandsOf(output)[0], 0U);
        const auto data = mlir::constantBytes(
            m_new, m_new.attributeOf(
                       m_new.operations[m_new.values[m_new.operandsOf(table)[0]].owner], "value"));
        QVERIFY(data && data->resource == 0);
    }

    void equalPartsAreShared()
    {
        m_bytes = madeWeights().bytes();
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
        m_bytes = madeWeights().bytes();
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
        m_bytes = madeWeights().bytes();
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

KERNSCOPE_TEST(TestMlirModule, QCoreApplication)
#include "tst_mlir_module.moc"
