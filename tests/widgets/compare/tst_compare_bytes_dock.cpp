// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/patch/sample_bundles.h"
#include "tests/widgets/compare/aligned_pairs.h"
#include "tests/widgets/compare/compare_tools.h"
#include "tests/widgets/compare/pair_bundles.h"
#include "widgets/compare/byte_compare_view.h"
#include "widgets/compare/bytes_dock.h"
#include "widgets/compare/ranges_dock.h"
#include "widgets/models/byte_models.h"

using namespace kernscope::ui;

namespace {

/// Both docks as the window joins them; that of the bytes is never shown.
struct JoinedDocks {
    Session session;
    BytesDock bytes{session};
    RangesDock ranges{session};

    JoinedDocks()
    {
        QObject::connect(&bytes, &BytesDock::differencesChanged, &ranges,
                         &RangesDock::setDifferences);
        QObject::connect(&bytes, &BytesDock::comparisonCancelled, &ranges,
                         &RangesDock::setCancelled);
        QObject::connect(&ranges, &RangesDock::differencesWanted, &bytes,
                         &BytesDock::compareHidden);
        QObject::connect(&ranges, &RangesDock::rangeWanted, &bytes, &BytesDock::goToRange);
    }
    /// Two weights, of which the second differs in two elements far from each other.
    void open()
    {
        std::vector<float> other(128, 1);
        other[0] = 2;
        other[100] = 3;
        session.setBundle(denseBundle(
            {{"w", "[2, 2]", {1, 2, 3, 4}}, {"v", "[4, 32]", std::vector<float>(128, 1)}}));
        session.setOther(denseBundle({{"w", "[2, 2]", {1, 2, 3, 4}}, {"v", "[4, 32]", other}}));
    }
    bool show()
    {
        ranges.resize(1000, 240);
        ranges.show();
        return QTest::qWaitForWindowExposed(&ranges) && settle();
    }
    bool settle()
    {
        return QTest::qWaitFor([this] { return !ranges.busy(); }, 20000);
    }
    QString cell(int row, const char *key) const
    {
        return ranges.model().index(row, ranges.model().columnOf(key)).data().toString();
    }
};

} // namespace

/// Bytes of two bundles side by side, as a person walks through them.
class TestCompareBytesDock : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init() { theme::apply(false); }

    void messages()
    {
        auto [session, dock] = test::Alone<BytesDock>();
        QVERIFY(showDock(dock, session, openSample("dense")));
        QVERIFY(!dock.showsContent());
        QVERIFY(says(dock, u"Open a second bundle to compare (Ctrl+Shift+O)."_s));
        QVERIFY(!dock.goToNextDifference());
    }

    void dockWalksDifferences()
    {
        auto [session, dock] = test::Alone<BytesDock>();
        session.setBundle(denseBundle({{"w", "[2, 4]", {1, 2, 3, 4, 5, 6, 7, 8}},
                                       {"v", "[4, 32]", std::vector<float>(128, 1)}}));
        std::vector<float> other(128, 1);
        other[0] = 2;
        other[100] = 3;
        session.setOther(
            denseBundle({{"w", "[2, 4]", {1, 2, 3, 4, 5, 6, 7, 8}}, {"v", "[4, 32]", other}}));
        QVERIFY(showDock(dock, 1200, 500));
        QTRY_VERIFY(dock.differences() != nullptr);
        QVERIFY(says(dock, u"changed \u00B7 all files"_s)); // the one that is chosen is beside
        QAction *next = nullptr, *previous = nullptr;
        for (QAction *action : dock.menuActions()) {
            if (action->shortcut() == QKeySequence(Qt::Key_F8))
                next = action;
            if (action->shortcut() == QKeySequence(Qt::SHIFT | Qt::Key_F8))
                previous = action;
        }
        QVERIFY(next && previous && next->isEnabled());

        dock.activateWindow();
        dock.view()->setFocus();
        QVERIFY(QTest::qWaitForWindowActive(&dock));
        QTest::keyClick(dock.view(), Qt::Key_F8);
        const OperandPlace &part = *session.bundle()->weights()[1].operands().front().place;
        QCOMPARE(session.place().file, part.file);
        QCOMPARE(session.place().bytes->offset.value, part.dataOffset.value + 1); // 3c00, 4000
        QCOMPARE(session.place().weight, 1U);
        next->trigger();
        QCOMPARE(session.place().bytes->offset.value, part.dataOffset.value + 201);
        QSignalSpy status(&session, &Session::statusMessage);
        QVERIFY(!dock.goToNextDifference());
        QCOMPARE(status.count(), 1);
        QTest::keyClick(dock.view(), Qt::Key_F8, Qt::ShiftModifier);
        QCOMPARE(session.place().bytes->offset.value, part.dataOffset.value + 1);
        QVERIFY(!dock.goToPreviousDifference());

        // Alone: the two rows that differ, the title of their file and of their section.
        const std::uint64_t all = dock.view()->rows().rows();
        const auto actions = dock.menuActions();
        const auto only = std::ranges::find_if(
            actions, [](const QAction *action) { return action->text() == u"Only Differences"_s; });
        QVERIFY(only != actions.end() && (*only)->isEnabled());
        (*only)->setChecked(true);
        QTRY_COMPARE(dock.view()->rows().rows(), 4U);
        (*only)->setChecked(false);
        QCOMPARE(dock.view()->rows().rows(), all);
    }

    void paintsDifferences()
    {
        ByteCompareView view;
        view.resize(1300, 500);
        const auto bytes = blobPair({1, 2, 3, 4, 5, 6}, {1, 2, 9, 4});
        view.setBytes(bytes);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        const std::size_t segment = payloadSegment(*bytes);
        const QImage picture = view.viewport()->grab().toImage();
        const auto ground = [&](std::uint64_t at, bool ofA) {
            const QRect cell = view.cellRect({segment, at}, ofA);
            return picture.pixelColor(cell.left() + 3, cell.bottom() - 4);
        };
        const QColor base = view.palette().color(QPalette::Base);
        QCOMPARE(ground(1, true), base);
        QCOMPARE(ground(1, false), base);
        QVERIFY(ground(2, true).blue() > ground(2, true).red());   // blue on the side of A
        QVERIFY(ground(2, false).red() > ground(2, false).blue()); // orange on that of B
        QVERIFY(ground(4, true) != base);                          // A goes on where B ends
        // B is hatched there: ground and lines.
        const QRect gap = view.cellRect({segment, 4}, false).adjusted(2, 2, -2, -2);
        QSet<QRgb> colors;
        for (int y = gap.top(); y <= gap.bottom(); ++y) {
            for (int x = gap.left(); x <= gap.right(); ++x)
                colors.insert(picture.pixel(x, y));
        }
        QVERIFY(colors.size() >= 2);
    }

    void gapsAreSeen_data() { test::addThemes(); }

    /// The hatching of what a side lacks stands out from its ground.
    void gapsAreSeen()
    {
        QFETCH(const bool, dark);
        theme::apply(dark);
        ByteCompareView view;
        view.resize(1300, 500);
        const auto bytes = blobPair({1, 2, 3, 4, 5, 6}, {1, 2, 9, 4});
        view.setBytes(bytes);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        const QImage picture = view.viewport()->grab().toImage();
        const QRect gap = view.cellRect({payloadSegment(*bytes), 4}, false).adjusted(2, 2, -2, -2);
        double most = 0;
        for (int y = gap.top(); y <= gap.bottom(); ++y) {
            for (int x = gap.left(); x <= gap.right(); ++x)
                most = std::max(most, theme::contrast(picture.pixelColor(x, y),
                                                      view.palette().color(QPalette::Base)));
        }
        QVERIFY2(most >= 2, qPrintable(QString::number(most)));
    }

    void keyboard()
    {
        ByteCompareView view;
        view.resize(1300, 300);
        const auto bytes =
            blobPair(std::vector<std::uint8_t>(2000, 1), std::vector<std::uint8_t>(1500, 1));
        view.setBytes(bytes);
        view.show();
        view.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&view));
        view.setFocus();
        QCOMPARE(view.cursor(), (ByteCursor{0, 0}));
        QTest::keyClick(&view, Qt::Key_Right);
        QCOMPARE(view.cursor(), (ByteCursor{0, 1}));
        QTest::keyClick(&view, Qt::Key_Down);
        QCOMPARE(view.cursor().segment, 0U);
        QTest::keyClick(&view, Qt::Key_End);
        const ByteCursor endOfRow = view.cursor();
        QTest::keyClick(&view, Qt::Key_End, Qt::ControlModifier);
        const std::size_t last = bytes->alignment.segments().size() - 1;
        QCOMPARE(view.cursor().segment, last);
        QVERIFY(view.topRow() > 0);
        QTest::keyClick(&view, Qt::Key_Home, Qt::ControlModifier);
        QCOMPARE(view.cursor().segment, 0U);
        QVERIFY(endOfRow.offset > 0);
        QTest::keyClick(&view, Qt::Key_PageDown);
        QVERIFY(view.cursor().segment > 0 || view.cursor().offset > 0);
        QVERIFY(view.onSideA());
        QTest::keyClick(&view, Qt::Key_Tab);
        QVERIFY(!view.onSideA());
        QVERIFY(!view.accessibleDescription().isEmpty());
        // Less wide: as many bytes, without their characters.
        QCOMPARE(view.rows().bytesPerRow(), 16U);
        view.resize(1000, 300);
        QCOMPARE(view.rows().bytesPerRow(), 16U);
        QCOMPARE(view.horizontalScrollBar()->maximum(), 0);
        // Narrow: fewer bytes in a row, the same place.
        const ByteCursor cursor = view.cursor();
        view.resize(600, 300);
        QVERIFY(view.rows().bytesPerRow() < 16);
        QCOMPARE(view.cursor(), cursor);
    }

    void filesAndFollowing()
    {
        auto [session, dock] = test::Alone<BytesDock>();
        QVERIFY(showDock(dock, session, openSample("dense"), openSample("sparse"), {1200, 500}));
        QTRY_VERIFY(dock.differences() != nullptr);
        auto *files = dock.findChild<QComboBox *>();
        QVERIFY(files && files->count() >= 3);
        const int program = files->findText(u"model.mil"_s, Qt::MatchStartsWith);
        files->setCurrentIndex(program);
        Q_EMIT files->activated(program);
        QVERIFY(files->currentText().startsWith(u"model.mil"_s));
        // The program is shown line by line, and differs.
        const auto &bytes = *dock.view()->bytes();
        QVERIFY(bytes.alignment.segments()[dock.view()->cursor().segment].text);

        session.goToWeight(0);
        const ByteCursor cursor = dock.view()->cursor();
        const AlignedSegment &segment = bytes.alignment.segments()[cursor.segment];
        QCOMPARE(segment.firstA + cursor.offset, session.place().bytes->offset.value);
        QVERIFY(dock.view()->cellRect(cursor, true).isValid());
        // A row of the table leads to its bytes.
        QAction *table = nullptr;
        for (QAction *action : dock.menuActions()) {
            if (action->isCheckable())
                table = action;
        }
        table->trigger();
        auto *view = dock.findChild<QTableView *>();
        QVERIFY(view->isVisible());
        view->setCurrentIndex(view->model()->index(0, 0));
        QTest::keyClick(view, Qt::Key_Return);
        QVERIFY(!view->isVisible());
        QCOMPARE(dock.view()->cursor(), (ByteCursor{0, 0}));
    }

    /// Until somebody goes anywhere the bytes are those of the pair that Compare shows.
    void beginsAtThePairThatIsShown()
    {
        auto [session, dock] = test::Alone<BytesDock>();
        session.setBundle(openSample("dense"));
        session.setOther(openSample("sparse"));
        dock.setPair(1, 1); // known before the bytes are aligned
        QVERIFY(showDock(dock, 1200, 500));
        QTRY_VERIFY(dock.differences() != nullptr);
        const auto offsetInA = [&dock] {
            const ByteCursor cursor = dock.view()->cursor();
            return dock.view()->bytes()->alignment.segments()[cursor.segment].firstA +
                   cursor.offset;
        };
        const auto firstOf = [&session](std::size_t weight) {
            return session.bundle()->weights()[weight].operands().front().place->dataOffset.value;
        };
        QCOMPARE(offsetInA(), firstOf(1));
        QVERIFY(dock.view()->cellRect(dock.view()->cursor(), true).isValid()); // in view
        QVERIFY(session.place() == Place());                                   // it was not gone to
        dock.setPair(2, 2);
        QCOMPARE(offsetInA(), firstOf(2));
        session.goToWeight(0);
        QCOMPARE(offsetInA(), firstOf(0));
        dock.setPair(2, 2); // a place that somebody chose stays
        QCOMPARE(offsetInA(), firstOf(0));
    }

    /// Picking an element goes to its bytes, and a byte to its element.
    void elementsAndBytes()
    {
        auto [session, dock] = test::Alone<BytesDock>();
        QVERIFY(showDock(dock, session, denseBundle({{"w", "[1, 8]", {1, 2, 3, 4, 5, 6, 7, 8}}}),
                         denseBundle({{"w", "[1, 8]", {1, 2, 3, 4, 5, 9, 7, 8}}}), {1200, 500}));
        QTRY_VERIFY(dock.differences() != nullptr);
        const std::uint64_t first =
            session.bundle()->weights()[0].operands().front().place->dataOffset.value;
        const auto offset = [&] {
            const ByteCursor &cursor = dock.view()->cursor();
            return dock.view()->bytes()->alignment.segments()[cursor.segment].firstA +
                   cursor.offset;
        };
        session.goToElement(0, 5);
        QCOMPARE(offset(), first + 10);
        // The second byte of that element is the same element, the next one another.
        dock.view()->setFocus();
        QTest::keyClick(dock.view(), Qt::Key_Right);
        QCOMPARE(offset(), first + 11);
        QCOMPARE(session.place().element, std::optional<std::uint64_t>(5));
        QCOMPARE(session.place().weight, 0U);
        QTest::keyClick(dock.view(), Qt::Key_Right);
        QCOMPARE(session.place().element, std::optional<std::uint64_t>(6));
        QVERIFY(dock.goToPreviousDifference());
        QCOMPARE(session.place().element, std::optional<std::uint64_t>(5));
        // A byte of no weight has none.
        QTest::keyClick(dock.view(), Qt::Key_Home, Qt::ControlModifier);
        QVERIFY(!session.place().element);
    }

    void elementsOfOtherForms_data()
    {
        test::addColumns<QString, bool>();
        for (const char *form :
             {"affine", "lut4", "lut3", "lut4-vector", "sparse", "sparse-lut4"}) {
            QTest::addRow("%s", form) << QString::fromLatin1(form) << false;
            QTest::addRow("%s, sides exchanged", form) << QString::fromLatin1(form) << true;
        }
    }

    /// A picked element is marked on either side where that side's own form stores it, and a byte
    /// of the other side leads to its element.
    void elementsOfOtherForms()
    {
        const auto [form, swapped] = test::fetched<QString, bool>();
        auto [session, dock] = test::Alone<BytesDock>();
        session.setBundle(*test::sampleBundle("dense-fp16").open());
        session.setOther(*test::sampleBundle(form.toStdString()).open());
        dock.setSwapped(swapped);
        QVERIFY(showDock(dock, 1200, 500));
        QTRY_VERIFY(dock.differences() != nullptr);
        ByteCompareView &view = *dock.view();
        const auto &bytes = *view.bytes();
        for (const std::uint64_t element : {0u, 13u, 37u, 63u}) {
            session.goToElement(0, element);
            QCOMPARE(view.onSideA(), !swapped);
            const auto there = VERIFIED(placeOfElement(*session.other(), 0, element));
            const auto at =
                bytes.alignment.placeOf(swapped, there->file, there->bytes.offset.value);
            const auto &runs = view.counterpart().runs;
            QCOMPARE(runs.size(), 1U);
            // A kept fp16 value has the bytes of an fp16 value: first is compared with first.
            const bool alike = view.counterpart().byteForByte;
            QCOMPARE(alike, form == "sparse"_L1 && there->bytes.bytes.value == 2);
            const std::uint64_t length = alike ? 1 : there->bytes.bytes.value;
            QCOMPARE(runs.front(), (SegmentRun{at.segment, at.offset, length}));
            // Where every element has a code of its own, they stand in one row.
            const ByteCursor own = view.cursor();
            const bool stretched = bytes.alignment.segments()[own.segment].stretched();
            QCOMPARE(stretched, form == "affine"_L1 || form == "lut4"_L1 || form == "lut3"_L1);
            QVERIFY(!stretched || own.segment == at.segment);
            if (stretched)
                QCOMPARE(view.rows().rowOf(bytes.alignment, own.segment, own.offset, !swapped),
                         view.rows().rowOf(bytes.alignment, at.segment, at.offset, swapped));
            // Tab leads to it, and its byte leads to an element that it stores.
            view.setFocus();
            QTest::keyClick(&view, swapped ? Qt::Key_Backtab : Qt::Key_Tab);
            QCOMPARE(view.onSideA(), swapped);
            QCOMPARE(view.cursor(), (ByteCursor{at.segment, at.offset}));
            QCOMPARE(session.place().weight, 0U);
            QCOMPARE(session.place().element, std::optional(element));
            QVERIFY(alike || says(dock, u"stored otherwise"_s));
        }
    }

    /// The frame of the cursor lies around a character of text, not over it.
    /// Against a dense weight kept values stand under their elements: keys and mouse walk over the
    /// gaps between them, which are hatched.
    void keptValuesAndGaps()
    {
        auto [session, dock] = test::Alone<BytesDock>();
        QVERIFY(showDock(dock, session, openSample("dense"), openSample("sparse"), {1200, 600}));
        const AlignedBytesPtr &bytes = dock.view()->bytes();
        QVERIFY(bytes->kept && !bytes->kept->empty());
        const auto &[segment, side] = *bytes->kept->begin();
        ByteCompareView &view = *dock.view();
        view.setCursor({segment, 0}, false); // the first kept value
        const std::uint64_t element = side.places->elementOf(0);
        QVERIFY(view.counterpart().elements == std::vector<std::uint64_t>{element});
        // The same place in the same row on both sides.
        const QRect here = view.cellRect({segment, 0}, false),
                    there = view.cellRect({segment, 2 * element}, true);
        QVERIFY(!here.isEmpty() && !there.isEmpty());
        QCOMPARE(here.top(), there.top());
        const QRect firstDense = view.cellRect({segment, 0}, true);
        QVERIFY(std::abs(here.left() - there.left() - view.viewport()->width() / 2) <= 1);
        // The next element that is left out has a gap there, in which the ground is not plain.
        std::uint64_t out = 0;
        while (side.places->keptBefore(out + 1) > side.places->keptBefore(out))
            ++out;
        const QRect lack = view.cellRect({segment, 2 * out}, true);
        const QImage image = view.viewport()->grab().toImage();
        const QPoint gap = lack.center() + QPoint(here.left() - there.left(), 0);
        bool hatched = false;
        for (int dx = -6; dx <= 6; ++dx)
            hatched |=
                image.pixelColor(gap + QPoint(dx, 0)) != view.palette().color(QPalette::Base);
        QVERIFY(hatched);
        // A click on the gap takes the value before it, or the first of the row.
        QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, gap);
        QVERIFY(!view.onSideA());
        QCOMPARE(view.cursor().segment, segment);
        QTest::keyClick(&view, Qt::Key_Down);
        QCOMPARE(view.cursor().segment, segment);
        QVERIFY(view.cursor().offset > 0);
        QTest::keyClick(&view, Qt::Key_Up);
        QTest::keyClick(&view, Qt::Key_Backtab, Qt::ShiftModifier);
        QVERIFY(view.onSideA());
        QVERIFY(!firstDense.isEmpty());
    }

    void cursorLeavesTextReadable()
    {
        const auto bytes = alignedBytes(openSample("dense"), openSample("sparse"));
        ByteCompareView view;
        view.resize(1300, 500);
        view.setBytes(bytes);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        const auto &segments = bytes->alignment.segments();
        std::size_t text = 0;
        while (text < segments.size() && !(segments[text].text && segments[text].lengthA > 20))
            ++text;
        QVERIFY(text < segments.size());
        view.setCursor({text, 0});
        const QImage apart = view.viewport()->grab().toImage();
        const QRect cell = view.cellRect({text, 9}, true);
        QVERIFY(cell.isValid());
        view.setCursor({text, 9});
        QCOMPARE(view.cellRect({text, 9}, true), cell);
        const QImage there = view.viewport()->grab().toImage();
        QVERIFY(apart != there);
        const QRect inside = cell.adjusted(1, 1, -1, -1);
        QCOMPARE(there.copy(inside), apart.copy(inside));
    }

    void swapped()
    {
        auto [session, dock] = test::Alone<BytesDock>();
        session.setBundle(denseBundle({{"w", "[1, 4]", {1, 2, 3, 4}}}));
        session.setOther(denseBundle({{"w", "[1, 4]", {1, 2, 3, 5}}}));
        dock.setSwapped(true);
        QVERIFY(showDock(dock, 1200, 500));
        QTRY_VERIFY(dock.differences() != nullptr);
        QCOMPARE(dock.view()->bytes()->b, session.bundle());
        QVERIFY(dock.goToNextDifference());
        const OperandPlace &part = *session.bundle()->weights()[0].operands().front().place;
        QCOMPARE(session.place().file, part.file);
        QCOMPARE(session.place().bytes->offset.value, part.dataOffset.value + 7);
    }

    void equalBundles()
    {
        auto [session, dock] = test::Alone<BytesDock>();
        QVERIFY(showDock(dock, session, openSample("dense"), openSample("dense"), {1200, 500}));
        QTRY_VERIFY(dock.differences() != nullptr);
        QCOMPARE(dock.differences()->tally().total(), 0U);
        QVERIFY(says(dock, u"= every byte is the same"_s));
        QVERIFY(!dock.goToNextDifference());
    }

    void strip()
    {
        std::vector<std::uint8_t> a(200000, 1), b = a;
        b[150000] = 2;
        const auto bytes = blobPair(a, b);
        const ByteRows rows(bytes->alignment, 16);
        Progress progress;
        const auto found = ByteDifferences::find(*bytes, progress);
        DifferenceStrip strip;
        strip.resize(20, 400);
        strip.setDifferences(rows, *bytes, &*found);
        strip.setView(0, 20);
        strip.show();
        QVERIFY(QTest::qWaitForWindowExposed(&strip));
        QCOMPARE(strip.densityAt(20, true), 0.0);
        QVERIFY(strip.densityAt(320, true) > 0 &&
                strip.densityAt(320, false) > 0); // in the stretch of 64 KiB around three quarters
        QSignalSpy wanted(&strip, &DifferenceStrip::rowWanted);
        QTest::keyClick(&strip, Qt::Key_Down);
        QCOMPARE(wanted.count(), 1);
        QVERIFY(wanted[0][0].toULongLong() > rows.rows() / 2);
        QTest::mouseClick(&strip, Qt::LeftButton, {}, QPoint(10, 200));
        const auto row = wanted[1][0].toULongLong();
        QVERIFY(row > rows.rows() * 4 / 10 && row < rows.rows() * 6 / 10);
        const QImage picture = strip.grab().toImage();
        QVERIFY(picture.pixelColor(5, 320).blue() > picture.pixelColor(5, 320).red());   // A
        QVERIFY(picture.pixelColor(15, 320).red() > picture.pixelColor(15, 320).blue()); // B
    }

    /// A pair by hand puts other bytes beside each other: the cursor stays on its byte, and what is
    /// said of it is of the new ones.
    void pairsByHand()
    {
        auto [session, dock] = test::Alone<BytesDock>();
        const std::vector<float> one(64, 1), two(64, 2), three(32, 1.1f);
        QVERIFY(
            showDock(dock, session,
                     denseBundle({{"w", "[64]", one}, {"v", "[64]", two}, {"u", "[32]", three}}),
                     denseBundle({{"w", "[64]", one}, {"v", "[64]", two}, {"u", "[32]", three}}),
                     {1200, 500}));
        QTRY_VERIFY(dock.differences() != nullptr);
        session.goToWeight(1, nullptr);
        const auto byte = [&] {
            const ByteCursor &cursor = dock.view()->cursor();
            const AlignedSegment &at = dock.view()->bytes()->alignment.segments()[cursor.segment];
            return std::pair(dock.view()->onSideA(),
                             (dock.view()->onSideA() ? at.firstA : at.firstB) + cursor.offset);
        };
        const auto before = byte();
        QVERIFY(says(dock, u"= equal"_s));
        PairChoices choices;
        choices.pair(u"w"_s, u"u"_s);
        dock.setChoices(choices);
        QTRY_VERIFY(dock.differences() != nullptr && !dock.view()->bytes()->alignment.empty() &&
                    dock.view()->bytes()->alignment.partner(true, 0) == 2);
        QCOMPARE(byte(), before);
        choices.pair(u"v"_s, u"u"_s);
        dock.setChoices(choices);
        QTRY_VERIFY(dock.view()->bytes()->alignment.partner(true, 1) == 2);
        QCOMPARE(byte(), before);
        QVERIFY(!says(dock, u"= equal"_s));
    }

    // The ranges of bytes that differ, as a list.
    void messagesOfRangesDock()
    {
        JoinedDocks docks;
        QVERIFY(docks.show());
        QVERIFY(says(docks.ranges, u"Open a bundle to begin"_s));
        docks.session.setBundle(openSample("dense"));
        QVERIFY(docks.settle());
        QVERIFY(says(docks.ranges, u"Open a second bundle"_s));
        docks.session.setOther(openSample("dense"));
        QVERIFY(docks.settle());
        QVERIFY(says(docks.ranges, u"Every byte is the same."_s));
        QCOMPARE(docks.ranges.model().rowCount(), 0);
    }

    void listsAndGoes()
    {
        JoinedDocks docks;
        QAbstractItemModelTester tester(docks.ranges.table()->model());
        docks.open();
        QVERIFY(docks.show());
        QVERIFY(docks.ranges.showsContent());
        QVERIFY(!docks.bytes.isVisible());
        QCOMPARE(docks.ranges.model().rowCount(), 2);
        QCOMPARE(docks.cell(0, "part"), u"v: data"_s);
        QCOMPARE(docks.cell(0, "elements"), u"[0,0]"_s);
        QCOMPARE(docks.cell(1, "elements"), u"[3,4]"_s);

        QSignalSpy raised(&docks.ranges, &RangesDock::raiseRequested);
        docks.ranges.table()->selectRow(1);
        QCOMPARE(docks.session.place().weight, 1U);
        QCOMPARE(docks.session.place().element, std::optional<std::uint64_t>(100));
        QCOMPARE(raised.count(), 0);
        Q_EMIT docks.ranges.table()->activated(docks.ranges.model().index(0, 0));
        QCOMPARE(docks.session.place().element, std::optional<std::uint64_t>(0));
        QCOMPARE(raised.count(), 1);
        QCOMPARE(raised[0][0].toString(), u"bytes"_s);
        // The bytes show the place as soon as somebody looks.
        docks.bytes.resize(1000, 400);
        docks.bytes.show();
        QVERIFY(QTest::qWaitForWindowExposed(&docks.bytes));
        QVERIFY(QTest::qWaitFor([&] { return !docks.bytes.busy(); }, 20000));
        QCOMPARE(docks.bytes.differences() != nullptr, true);
        QVERIFY(docks.bytes.view()->cursorText().contains(u"v: data"_s));
        QCOMPARE(docks.ranges.model().rowCount(), 2);
        QVERIFY(docks.ranges.showsContent());
    }

    void follows()
    {
        JoinedDocks docks;
        docks.open();
        QVERIFY(docks.show());
        docks.session.goToElement(1, 100);
        const Weight &weight = docks.session.bundle()->weights()[1];
        const OperandPlace &part = *weight.operands().front().place;
        Place place;
        place.file = part.file;
        place.bytes = ByteRange{FileOffset(part.dataOffset.value + 201), ByteCount(1)};
        docks.session.goTo(place);
        QCOMPARE(docks.ranges.table()->currentIndex().row(), 1);
        QCOMPARE(docks.session.place().bytes->offset.value, part.dataOffset.value + 201); // stays
    }

    void editsListAnew()
    {
        JoinedDocks docks;
        docks.open();
        QVERIFY(docks.show());
        Session &session = docks.session;
        session.tasks().quiesce();
        const OperandPlace &part = *session.bundle()->weights()[0].operands().front().place;
        const auto &file = session.bundle()->files()[part.file].file;
        const std::array<std::byte, 1> content{std::byte{0x7}};
        QVERIFY(file->write(FileOffset(part.dataOffset.value), content));
        session.updateBundle(*session.bundle()->reread());
        QVERIFY(QTest::qWaitFor([&] { return !docks.ranges.busy(); }, 20000));
        QCOMPARE(docks.ranges.model().rowCount(), 3);
        QCOMPARE(docks.cell(0, "part"), u"w: data"_s);
    }

    void swappedOfRangesDock()
    {
        JoinedDocks docks;
        docks.session.setBundle(denseBundle({{"w", "[1, 4]", {1, 2, 3, 4}}}));
        docks.session.setOther(denseBundle({{"w", "[1, 4]", {1, 2, 3, 5}}}));
        QVERIFY(docks.show());
        docks.bytes.setSwapped(true);
        QVERIFY(docks.settle());
        QCOMPARE(docks.ranges.model().rowCount(), 1);
        docks.ranges.table()->selectRow(0);
        QCOMPARE(docks.session.place().element, std::optional<std::uint64_t>(3));
    }

    void cancelled()
    {
        JoinedDocks docks;
        docks.open();
        docks.ranges.show();
        QVERIFY(QTest::qWaitForWindowExposed(&docks.ranges));
        QVERIFY(QTest::qWaitFor([&] {
            docks.session.tasks().cancelAll();
            return says(docks.ranges, u"The comparison was cancelled."_s);
        }));
        QVERIFY(!docks.ranges.busy());
        QAction *again = docks.ranges.menuActions().front();
        QVERIFY(again->isEnabled());
        again->trigger();
        QVERIFY(docks.settle());
        QCOMPARE(docks.ranges.model().rowCount(), 2);
        QVERIFY(!again->isEnabled());
    }
};

KERNSCOPE_TEST(TestCompareBytesDock, QApplication)
#include "tst_compare_bytes_dock.moc"
