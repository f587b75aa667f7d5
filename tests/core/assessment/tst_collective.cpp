// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/assessment/collective.h"
#include "tests/test_program.h"

using namespace kernscope::decision;

namespace {

template <class T>
QString codeOf(const Result<T> &result)
{
    return result ? QString() : QString::fromStdString(result.error().code);
}

} // namespace

class TestCollective : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void atomics()
    {
        QCOMPARE(*atomicOperation(1), 4U);
        QCOMPARE(*atomicOperation(10), 7U);
        QCOMPARE(*atomicOperation(0), 0U);
        QCOMPARE(*atomicOperation(12), 0U);
        for (const std::uint32_t none : {3U, 6U, 7U, 11U})
            QCOMPARE(codeOf(atomicOperation(none)), u"collective.atomic"_s);
        QCOMPARE(*atomicWord(0x104, 3), 0x304U);
        QCOMPARE(codeOf(atomicWord(4, 0x1000000)), u"collective.data_type"_s);
    }

    void meshesAreChecked()
    {
        const std::vector<std::uint64_t> origin{0};
        QCOMPARE(codeOf(aneIndex({{}, 0, 1}, {})), u"collective.mesh"_s);
        QCOMPARE(codeOf(aneIndex({{0}, 0, 1}, origin)), u"collective.mesh"_s);
        QCOMPARE(codeOf(aneIndex({{4}, 2, 4}, origin)), u"collective.mesh"_s);
        QCOMPARE(codeOf(aneIndex({{4}, 0, 0}, origin)), u"collective.mesh"_s);
        QCOMPARE(codeOf(aneIndex({{8}, 0, 4}, origin)), u"collective.mesh"_s);
        QCOMPARE(codeOf(aneIndex({{UINT64_MAX, UINT64_MAX}, 0, 4}, origin)),
                 u"collective.overflow"_s);
        QCOMPARE(codeOf(aneIndex({{4}, 0, 4}, std::vector<std::uint64_t>{4})),
                 u"collective.device"_s);
        QCOMPARE(codeOf(aneIndex({{4}, 0, 4}, std::vector<std::uint64_t>{1, 1})),
                 u"collective.device"_s);
        QCOMPARE(codeOf(deviceOfIndex({{4}, 0, 4}, 4)), u"collective.index"_s);
        QCOMPARE(codeOf(deviceOfIndex({{2, 4}, 1, 8}, 5)), u"collective.index"_s);
        QCOMPARE(*deviceCount({{2, 3, 4}, 1, 12}), 24U);
    }

    void theInverseIsOne()
    {
        const Mesh mesh{{3, 2, 4, 2}, 2, 8};
        for (std::uint64_t a = 0; a < 3; ++a)
            for (std::uint64_t b = 0; b < 2; ++b)
                for (std::uint64_t c = 0; c < 4; ++c)
                    for (std::uint64_t d = 0; d < 2; ++d) {
                        const std::vector<std::uint64_t> device{a, b, c, d};
                        const auto index = aneIndex(mesh, device);
                        QCOMPARE(*index, d + 2 * c + 8 * (a + 3 * b));
                        QCOMPARE(*deviceOfIndex(mesh, *index), device);
                    }
    }

    void shardings()
    {
        const Mesh mesh{{2, 4}, 1, 4};
        const std::vector<std::uint64_t> tensor{64, 32, 7};
        using Axes = std::vector<std::optional<std::size_t>>;
        const Sharding good = checkSharding(mesh, tensor, Axes{0, 1, std::nullopt});
        QVERIFY(good.valid());
        QCOMPARE(good.shard, (std::vector<std::uint64_t>{32, 8, 7}));
        QVERIFY(!checkSharding(mesh, tensor, Axes{0, 0}).valid());
        QVERIFY(!checkSharding(mesh, tensor, Axes{0, std::nullopt, 1}).valid());
        QVERIFY(!checkSharding(mesh, tensor, Axes{5}).valid());
        QVERIFY(checkSharding(mesh, tensor, Axes{}).valid());
    }

    void everyTargetIsClosed()
    {
        for (const target::Target &target : target::targets()) {
            const auto gates = collectiveGates(target);
            QVERIFY(std::ranges::any_of(gates,
                                        [](const auto &gate) { return gate.open && !*gate.open; }));
        }
    }
};

KERNSCOPE_TEST(TestCollective, QCoreApplication)
#include "tst_collective.moc"
