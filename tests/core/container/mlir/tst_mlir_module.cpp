// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/mlir/aicode.h"
#include "core/container/mlir/cursor.h"
#include "core/container/mlir/module.h"
#include "core/container/mlir/writer.h"
#include "made_module.h"
#include "module_text.h"
#include "print.h"
#include "tests/test_program.h"

using namespace kernscope;
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
        const Bytes bytes = test::madeWeights().bytes();
        const mlir::Module module = moduleOf(bytes);
        QVERIFY2(!module.fault, module.fault ? describe(*module.fault).c_str() : "");
        QVERIFY(module.diagnostics.empty());
        QCOMPARE(module.version, std::uint64_t(6));
        QCOMPARE(module.producer, std::string_view("made"));
        QCOMPARE(module.operations.size(), std::size_t(9));
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
        QCOMPARE(data->data.bytes.value, std::uint64_t(128));
        QCOMPARE(data->data.offset.value % 16, std::uint64_t(0));
        const auto tensor = VERIFIED(mlir::tensorType(module, module.values[operands[0]].type));
        QCOMPARE(tensor->shape, (std::vector<std::int64_t>{8, 16}));
        QCOMPARE(tensor->elementName, std::string_view("int8"));
        QCOMPARE(tensor->elementBits, 8u);
        const auto uses = mlir::constantUses(module);
        QCOMPARE(uses.sharing(*data), std::vector<std::uint32_t>{3});
        const auto written = VERIFIED(mlir::writeModule(module));
        QVERIFY(*written == bytes);
        const std::string text = test::moduleText(module, mlir::kMostText);
        QVERIFY2(text.find("%5 = \"aicode.primitive.blockwise_shift_scale_v2\"(%1, %2, %3, %4) : "
                           "(!aicode.tensor_v1<[8, 16] : !aicode.sint8_v1>, ") != std::string::npos,
                 text.c_str());
    }

    void numbers_data()
    {
        test::addColumns<quint64, QByteArray>();
        test::addRow("0", quint64(0), QByteArray("01"));
        test::addRow("127", quint64(127), QByteArray("ff"));
        test::addRow("128", quint64(128), QByteArray("0202"));
        test::addRow("2^49 - 1", (quint64(1) << 49) - 1, QByteArray("c0ffffffffffff"));
        test::addRow("2^49", quint64(1) << 49, QByteArray("8000000000000002"));
        test::addRow("2^56 - 1", (quint64(1) << 56) - 1, QByteArray("80ffffffffffffff"));
        test::addRow("2^56", quint64(1) << 56, QByteArray("000000000000000001"));
        test::addRow("2^64 - 1", ~quint64(0), QByteArray("00ffffffffffffffff"));
    }

    void numbers()
    {
        const auto [value, hex] = test::fetched<quint64, QByteArray>();
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
        test::MadeModule made = test::madeWeights();
        Bytes &blob =
            *std::find(made.attributes.begin(), made.attributes.end(), test::varints({7, 0}));
        blob = {std::byte{0x1E}, std::byte{0x00}, std::byte{0x01}}; // 7 in two bytes
        const Bytes bytes = made.bytes();
        const mlir::Module module = moduleOf(bytes);
        QVERIFY(!module.fault);
        mlir::WriteReport report;
        const auto written = mlir::writeModule(module, nullptr, &report);
        QVERIFY(written && *written == bytes);
        QCOMPARE(report.kept.size(), std::size_t(1));
        QCOMPARE(report.kept[0].bytes.value, std::uint64_t(3));
    }

    void unknownKinds()
    {
        test::MadeModule made = test::madeWeights();
        made.attribute({63, 1, 2, 3});
        made.attribute({63, 4});
        const Bytes bytes = made.bytes();
        const mlir::Module module = moduleOf(bytes);
        QVERIFY(!module.fault);
        QCOMPARE(module.diagnostics.size(), std::size_t(1)); // one for a kind
        QCOMPARE(module.diagnostics[0].error.code, "mlir.kind");
        const auto index = std::uint32_t(module.attributes.size() - 1);
        QVERIFY(!module.attribute(index).row);
        QCOMPARE(mlir::attributeText(module, index), "#aicode.kind63<0x7f09>");
        const auto written = mlir::writeModule(module);
        QVERIFY(written && *written == bytes);
    }

    void circles()
    {
        test::MadeModule made = test::madeWeights();
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
        for (const std::uint64_t deep : {511u, 512u, 100000u}) {
            test::MadeModule made = test::madeWeights();
            made.attribute({46});
            for (std::uint64_t i = 1; i < deep; ++i)
                made.attribute({5, 1, made.attributes.size() - 1});
            const mlir::Module module = moduleOf(made.bytes());
            QCOMPARE(bool(module.fault), deep > mlir::Module::kMostDepth);
        }
    }

    void doubledEntriesAreCut()
    {
        test::MadeModule made = test::madeWeights();
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

    void everyCutIsRefused()
    {
        const Bytes bytes = test::madeWeights().bytes();
        for (std::size_t size = 0; size < bytes.size(); ++size) {
            const Bytes cut(bytes.begin(), bytes.begin() + std::ptrdiff_t(size));
            const mlir::Module module = moduleOf(cut);
            QVERIFY2(module.fault, qPrintable(QString::number(size)));
            QVERIFY(module.fault->offset && module.fault->offset->value <= size);
            QCOMPARE(module.fault->file, "main.mlirb");
        }
    }

    /// Whatever a byte becomes, the module is refused with a place or written back as it is.
    void everyByteMayBeAny()
    {
        Bytes bytes = test::madeWeights().bytes();
        for (std::size_t i = 0; i < bytes.size(); ++i) {
            const std::byte before = bytes[i];
            for (const unsigned value : {0u, 1u, 2u, 3u, 0x40u, 0x7Fu, 0x80u, 0xFFu}) {
                bytes[i] = std::byte(value);
                const mlir::Module module = moduleOf(bytes);
                const std::string text = test::moduleText(module, 100000);
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
};

KERNSCOPE_TEST(TestMlirModule, QCoreApplication)
#include "tst_mlir_module.moc"
