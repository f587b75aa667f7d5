// SPDX-License-Identifier: GPL-3.0-or-later
// Images in the form of the Linux driver: read, covered, written back.
#include "core/base/little_endian.h"
#include "core/container/anec/anec.h"
#include "rewrite.h"
#include "synthetic.h"
#include "tests/test_program.h"

class TestAnec : public QObject
{
    Q_OBJECT

private slots:
    void readsAnec_data() { addEach({"0x1000", "0x800"}); }

    /// The same text and kernel behind the header of the Linux driver's form.
    void readsAnec()
    {
        const auto header = std::get<0>(fetched<QString>()).toUInt(nullptr, 0);
        const Bytes source = syntheticH13(2);
        const auto container = VERIFIED(hwx::readContainer(source, "synthetic.hwx"));
        const hwx::SegmentSection *text = container->firstOf(hwx::SectionType::Text);
        const hwx::SegmentSection *kernel = container->firstOf(hwx::SectionType::Kernel);
        const std::uint64_t begin = text->bytes->offset.value, end = kernel->bytes->end();
        Bytes bytes(header);
        storeLittle<std::uint64_t>(bytes, 0, end - begin);
        storeLittle<std::uint32_t>(bytes, 8, 0x1f8);
        storeLittle<std::uint32_t>(bytes, 12, 2);
        storeLittle<std::uint64_t>(bytes, 16, text->size);
        storeLittle<std::uint64_t>(bytes, 24, kernel->size);
        bytes.insert(bytes.end(), source.begin() + std::ptrdiff_t(begin),
                     source.begin() + std::ptrdiff_t(end));
        const auto bundle = VERIFIED(Bundle::open("x.anec", {.memory = {{"x.anec", bytes}}}));
        QCOMPARE((*bundle)->kind(), BundleKind::Anec);
        QVERIFY((*bundle)->diagnostics().empty());
        QCOMPARE((*bundle)->hardware()->taskCount(), 2U);
        // Slices of lanes are sections of their own; together they are the kernel.
        std::uint64_t inKernel = 0;
        for (const Section &section : (*bundle)->sections()) {
            if (section.range.offset.value >= bytes.size() - kernel->size)
                inKernel += section.range.bytes.value;
        }
        QCOMPARE(inKernel, kernel->size);
        const auto image = VERIFIED(anec::readAnec(bytes, "x.anec"));
        QVERIFY(anec::writeAnec(*image, bytes).value() == bytes);
        QCOMPARE(anec::writeAnec(*image, std::span(bytes).first(0x800)).error().code, "anec.write");
        // One byte more and the sizes do not fit any more: no .anec.
        bytes.push_back(std::byte(0));
        QVERIFY(!Bundle::open("x.anec", {.memory = {{"x.anec", bytes}}}));
    }
};

KERNSCOPE_TEST(TestAnec, QCoreApplication)
#include "tst_anec.moc"
