// SPDX-License-Identifier: GPL-3.0-or-later
// Programs written back: the same bytes, and changed numbers at their places alone.
#include "core/container/mil/reader.h"
#include "rewrite.h"
#include "tests/test_program.h"

using namespace kernscope;

namespace {

/// An offset of three digits, an extent, and whole numbers written in three ways.
QByteArray writtenText()
{
    return R"(program(1.3)
{
func main<ios18>(tensor<fp16, [1, 4]> x) {
tensor<fp16, [2, 2]> w = const()[name = string("w"), val = tensor<fp16, [2, 2]>(BLOBFILE(path = string("@model_path/weights/weight.bin"), offset = uint64(128)))];
tensor<int32, [3]> p = const()[name = string("p"), val = tensor<int32, [3]>([-12, 0x10, +7])];
} -> (x);
})";
}

mil::ProgramValue &valueOf(mil::Program &program, std::size_t operation)
{
    for (mil::Argument &attribute :
         program.functions.front().body.operations[operation].attributes) {
        if (attribute.name == "val")
            return attribute.values.front();
    }
    qFatal("the operation has no value");
}

} // namespace

class TestMilWriter : public QObject
{
    Q_OBJECT

private slots:
    void textWritesBack()
    {
        const auto source = test::asBytes(writtenText());
        const auto written = VERIFIED(mil::rewriteProgram(source, "model.mil"));
        QVERIFY(*written == source);
    }

    void changesNumbersAlone()
    {
        const auto source = test::asBytes(writtenText());
        auto parsed = mil::readProgramText(source, "model.mil");
        QVERIFY(parsed.diagnostics.empty());
        std::get<mil::BlobReference>(valueOf(parsed.program, 0).content).offset = 64;
        auto &numbers = std::get<mil::Literal>(valueOf(parsed.program, 1).content);
        numbers.bytes[0] = std::byte(0xff); // -12 becomes -1
        const auto written = mil::writeProgram(parsed.program, source, false);
        QVERIFY(written);
        QByteArray expected = writtenText();
        expected.replace("uint64(128)", "uint64(064)").replace("[-12,", "[-01,");
        QVERIFY(*written == test::asBytes(expected));
        // What was written is read as what was meant.
        auto again = mil::readProgramText(*written, "model.mil");
        QVERIFY(again.diagnostics.empty());
        QCOMPARE(valueOf(again.program, 0).blob()->offset, std::uint64_t(64));
        QVERIFY(valueOf(again.program, 1).literal()->bytes == numbers.bytes);
    }

    void refusesWhatDoesNotFit()
    {
        const auto source = test::asBytes(writtenText());
        auto parsed = mil::readProgramText(source, "model.mil");
        std::get<mil::BlobReference>(valueOf(parsed.program, 0).content).offset = 4096;
        const Error written = REFUSED(mil::writeProgram(parsed.program, source, false));
        QCOMPARE(written.code, "mil.write");
        QCOMPARE(written.offset->value, static_cast<std::uint64_t>(writtenText().indexOf("128)")));
        QCOMPARE(written.length->value, std::uint64_t(3));
    }

    /// A program that ends within the names that it gives back: one fault, with a place.
    void cutTextHasNoEmptyName()
    {
        QByteArray cut = writtenText();
        cut.truncate(cut.lastIndexOf("(x)") + 1);
        const auto parsed = mil::readProgramText(test::asBytes(cut), "model.mil");
        QVERIFY(!parsed.diagnostics.empty());
        for (const Diagnostic &row : parsed.diagnostics)
            QVERIFY2(row.error.offset.has_value(), describe(row.error).c_str());
    }
};

KERNSCOPE_TEST(TestMilWriter, kernscope::test::NoApplication)
#include "tst_mil_writer.moc"
