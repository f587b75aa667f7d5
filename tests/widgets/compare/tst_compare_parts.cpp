// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/test_program.h"
#include "tests/widgets/compare/compare_tools.h"
#include "tests/widgets/compare/pair_bundles.h"
#include "tests/widgets/sample_session.h"
#include "widgets/compare/codebooks_dock.h"
#include "widgets/compare/compare_dock.h"
#include "widgets/compare/pair_pictures.h"
#include "widgets/compare/places_dock.h"

#include <QAbstractItemModelTester>
#include <QTableView>
#include <QTest>

#include <numeric>

using namespace kernscope;
using namespace kernscope::ui;
using kernscope::test::actionOf;
using kernscope::test::Bytes;
using kernscope::test::denseBundle;
using kernscope::test::MadeBundle;
using kernscope::test::showDock;

namespace {

constexpr std::size_t kRows = 8, kCols = 4, kFirst = 3;

std::vector<float> someValues()
{
    std::vector<float> values(kRows * kCols);
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = float((i * 37) % 101) / 16;
    return values;
}

/// "qk" of 8 rows.
BundlePtr wholeBundle()
{
    return denseBundle({{"qk", "[8, 4]", someValues()}}, false);
}

/// Its first 3 rows "q", and the others "k", the fourth element of which differs by 1.
BundlePtr partsBundle()
{
    const std::vector<float> all = someValues();
    const auto cut = all.begin() + kFirst * kCols;
    std::vector<float> second(cut, all.end());
    second[3] += 1;
    return denseBundle({{"q", "[3, 4]", {all.begin(), cut}}, {"k", "[5, 4]", second}}, false);
}

/// Palettes of four bits with one codebook, of these codes, read by nothing.
BundlePtr palettes(const std::vector<std::pair<std::string, std::vector<unsigned>>> &weights,
                   bool descending)
{
    MadeBundle made;
    Bytes book;
    for (unsigned i = 0; i < 16; ++i) {
        const std::uint16_t half = floatToHalf(float(descending ? 16 - i : i + 1));
        book.push_back(static_cast<std::byte>(half & 0xFF));
        book.push_back(static_cast<std::byte>(half >> 8));
    }
    for (const auto &[name, codes] : weights) {
        Bytes packed;
        for (std::size_t i = 0; i < codes.size(); i += 2)
            packed.push_back(static_cast<std::byte>(codes[i] | codes[i + 1] << 4));
        const std::string shape = "[" + std::to_string(codes.size() / kCols) + ", 4]";
        made.line("tensor<fp16, " + shape + "> " + name + " = constexpr_lut_to_dense(indices = " +
                  made.blob(ElementType::Uint4, shape, packed) +
                  ", lut = " + made.blob(ElementType::Fp16, "[1, 1, 16, 1]", book) +
                  ")[name = string(\"" + name + "\")]");
    }
    return *made.open();
}

} // namespace

/// Weights that are split or merged, shown as plain pairs are.
class TestCompareParts : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void splitRows();
    void pictures_data();
    void pictures();
    void channelsAndElements();
    void codebooks();
};

void TestCompareParts::splitRows()
{
    Session session;
    CompareDock dock(session);
    session.setBundle(wholeBundle());
    session.setOther(partsBundle());
    QVERIFY(showDock(dock));
    QAbstractItemModelTester tester(const_cast<CompareModel *>(&dock.model()));
    const auto &rows = dock.model().rows();
    QCOMPARE(rows.size(), std::size_t(2));
    const auto text = [&](std::size_t row, std::string_view key) { // by its stable number
        const int shown = dock.model().shownRow(row);
        return dock.model().index(shown, dock.model().columnOf(key)).data().toString();
    };
    QVERIFY(rows[0].pair.slice && rows[1].pair.slice);
    QCOMPARE(rows[0].state, report::PairState::Compared);
    QCOMPARE(dock.model().rowAt(0), std::size_t(1)); // the part that differs is worse
    QVERIFY(text(0, "verdict").endsWith(QStringLiteral("split, same values")));
    QVERIFY(text(1, "verdict").contains(QStringLiteral("1 value differs")));
    QCOMPARE(text(1, "changes"),
             QStringLiteral("split: part 2 of 2, 3 to 7 of axis 0 of the whole"));
    QCOMPARE(rows[1].pair.values->worst->element, std::uint64_t(3));
    QCOMPARE(rows[1].elements, std::uint64_t(20));
    QVERIFY(!actionOf(dock, QStringLiteral("Take the Pair Apart"))->isEnabled());
}

void TestCompareParts::pictures_data()
{
    QTest::addColumn<bool>("merged");
    QTest::newRow("split") << false;
    QTest::newRow("merged") << true;
}

/// The part and its place in the whole lie cell beside cell; places are those of the document.
void TestCompareParts::pictures()
{
    QFETCH(const bool, merged);
    Session session;
    CompareDock dock(session);
    session.setBundle(merged ? partsBundle() : wholeBundle());
    session.setOther(merged ? wholeBundle() : partsBundle());
    QVERIFY(showDock(dock, 1300, 800));
    const auto &rows = dock.model().rows();
    QCOMPARE(rows.size(), std::size_t(2));
    const std::size_t second = rows[0].pair.slice->number == 1 ? 0 : 1;
    // Row 4 of the whole is the second row of "k".
    session.goToElement(merged ? rows[second].pair.a : 0, merged ? 5 : 4 * kCols + 1);
    QVERIFY(QTest::qWaitFor([&] { return !dock.busy(); }, 20000));
    QCOMPARE(dock.shownRow(), second);
    PairPictures *pictures = dock.pictures();
    QVERIFY(pictures->subject().comparable());
    QCOMPARE(pictures->element(), std::optional<std::uint64_t>(5));
    for (TileView *view : {pictures->viewA(), pictures->viewB(), pictures->viewDifference()}) {
        QVERIFY(view->source());
        QCOMPARE(view->source()->rows(), std::uint64_t(5));
        QCOMPARE(view->source()->cols(), std::uint64_t(4));
        QCOMPARE(view->currentCell(), std::optional(Cell{1, 1}));
    }
    QVERIFY2(pictures->readout().contains(QStringLiteral("equal")),
             qPrintable(pictures->readout()));
    // The largest difference is in the first row of the part, which is row 3 of the whole.
    actionOf(dock, QStringLiteral("Go to Largest Difference"))->trigger();
    QVERIFY(QTest::qWaitFor([&] { return !dock.busy(); }, 20000));
    QCOMPARE(pictures->viewA()->currentCell(), std::optional(Cell{0, 3}));
    QCOMPARE(session.place().element,
             std::optional<std::uint64_t>(merged ? 3 : kFirst * kCols + 3));
    QVERIFY(pictures->readout().contains(QStringLiteral("\u0394")));
    // Another part of the same weight is another row.
    if (!merged) {
        session.goToElement(0, 0);
        QVERIFY(QTest::qWaitFor([&] { return !dock.busy(); }, 20000));
        QCOMPARE(dock.shownRow(), 1 - second);
        QCOMPARE(pictures->viewB()->source()->rows(), std::uint64_t(3));
    }
}

void TestCompareParts::channelsAndElements()
{
    Session session;
    CompareDock dock(session);
    PlacesDock places(session);
    connect(&dock, &CompareDock::placesChanged, &places, &PlacesDock::setPlaces);
    session.setBundle(wholeBundle());
    session.setOther(partsBundle());
    QVERIFY(showDock(dock));
    QVERIFY(showDock(places, 900, 300));
    session.goToElement(0, 4 * kCols);
    QVERIFY(QTest::qWaitFor([&] { return !dock.busy() && !places.busy(); }, 20000));
    QVERIFY(places.showsContent());
    QCOMPARE(places.channels()->model()->rowCount(), 1);
    QCOMPARE(places.elements()->model()->rowCount(), 1);
    QCOMPARE(places.elements()->model()->index(0, 0).data().toString(), QStringLiteral("[0,3]"));
    Q_EMIT places.elements()->activated(places.elements()->model()->index(0, 0));
    QCOMPARE(session.place().element, std::optional<std::uint64_t>(kFirst * kCols + 3));
    session.goToElement(0, 0);
    QVERIFY(QTest::qWaitFor([&] { return !dock.busy() && !places.busy(); }, 20000));
    QVERIFY(!places.showsContent()); // no element of the other part differs
}

/// The same values in the other order of entries.
void TestCompareParts::codebooks()
{
    std::vector<unsigned> codes(kRows * kCols);
    for (std::size_t i = 0; i < codes.size(); ++i)
        codes[i] = unsigned((i * 7 + i / 5) % 16);
    std::vector<unsigned> turned;
    for (const unsigned code : codes)
        turned.push_back(15 - code);
    const auto cut = turned.begin() + 4 * kCols;
    Session session;
    CompareDock dock(session);
    CodebooksDock books(session);
    connect(&dock, &CompareDock::placesChanged, &books, &CodebooksDock::setPlaces);
    session.setBundle(palettes({{"qk", codes}}, false));
    session.setOther(palettes({{"q", {turned.begin(), cut}}, {"k", {cut, turned.end()}}}, true));
    QVERIFY(showDock(dock));
    QVERIFY(showDock(books, 900, 300));
    QCOMPARE(dock.model().rows().size(), std::size_t(2));
    QVERIFY(dock.model().rows()[1].pair.slice);
    session.goToElement(0, 5 * kCols);
    QVERIFY(QTest::qWaitFor([&] { return !dock.busy() && !books.busy(); }, 20000));
    QVERIFY(books.showsContent());
    const auto match =
        matchCodebooks(*session.bundle(), *session.other(), dock.model().rows()[1].pair);
    QVERIFY(match);
    QCOMPARE(match->count(EntryChange::Changed), std::uint64_t(0));
    QVERIFY(match->count(EntryChange::Moved) > 4);
    const std::uint64_t uses = std::accumulate(
        match->entries.begin(), match->entries.end(), std::uint64_t(0),
        [](std::uint64_t sum, const EntryMatch &entry) { return sum + entry.usesA; });
    QCOMPARE(uses, std::uint64_t(4 * kCols)); // elements of the part alone
}

KERNSCOPE_TEST(TestCompareParts, QApplication)
#include "tst_compare_parts.moc"
