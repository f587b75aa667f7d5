// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/element_place.h"
#include "core/codec/decode/decoder.h"
#include "tests/core/bundle/made_bundle.h"
#include "tests/test_program.h"
#include "tests/widgets/sample_bundles.h"
#include "widgets/bytes/hex_dock.h"
#include "widgets/bytes/hex_find_bar.h"
#include "widgets/bytes/hex_view.h"
#include "widgets/bytes/inspector_view.h"
#include "widgets/models/inspector_model.h"
#include "widgets/models/table_text.h"
#include "widgets/models/task_manager.h"
#include "widgets/models/theme.h"

#include <QApplication>
#include <QLabel>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTest>

#include <algorithm>

using namespace kernscope;
using namespace kernscope::ui;
using test::shown;

class TestHexDock : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { theme::apply(false); }
    void pinnedDocksStay();
    void hexFollowsAndDrives();
    void hexGoesToAnElement();
    void hexCountsLargeMasksAside();
    void hexGoesToATypedOffset();
    void hexFindsBytes();
    void hexFindCanBeCancelled();
    void hexShowsEditsInPlace();
    void readingsStandBesideTheBytes();
};

void TestHexDock::pinnedDocksStay()
{
    Session session;
    HexDock dock(session);
    session.setBundle(test::sampleBundle("dense"));
    QVERIFY(shown(dock));
    auto *view = dock.findChild<HexView *>();
    session.goToWeight(0);
    const ByteRange before = view->selection();
    dock.setPinned(true);
    session.goToWeight(1);
    QCOMPARE(view->selection(), before);
    dock.setPinned(false);
    QVERIFY(view->selection() != before);
}

void TestHexDock::hexFollowsAndDrives()
{
    Session session;
    HexDock dock(session);
    session.setBundle(test::sampleBundle("dense"));
    QVERIFY(shown(dock));
    auto *view = dock.findChild<HexView *>();
    const Bundle &bundle = *session.bundle();
    QCOMPARE(view->file(), test::weightFile(bundle));
    const std::size_t weight = test::weightWith(bundle, codec::PartRole::Data);
    session.goToWeight(weight);
    const OperandPlace &part = *bundle.weights()[weight].operand(codec::PartRole::Data)->place;
    QCOMPARE(view->selection(), part.range());
    view->setFocus();
    QTest::mouseClick(view->viewport(), Qt::LeftButton, {},
                      view->cellRect(part.dataOffset.value + 4).center());
    const Place &place = session.place();
    QCOMPARE(place.file, part.file);
    QVERIFY(place.bytes &&
            *place.bytes == (ByteRange{FileOffset(part.dataOffset.value + 4), ByteCount(1)}));
    QCOMPARE(place.weight, weight);
    QCOMPARE(place.element.value_or(0),
             std::uint64_t{32 / bitWidth(bundle.weights()[weight].form.storedType())});
    const auto labels = dock.findChildren<QLabel *>();
    QVERIFY(std::any_of(labels.begin(), labels.end(), [&](const QLabel *label) {
        return label->text().startsWith(QStringLiteral("field: ")) &&
               label->text().contains(fromUtf8(bundle.weights()[weight].name));
    }));
    session.goToBytes(bundle.programFile(), {FileOffset(8), ByteCount(4)});
    QCOMPARE(view->file(), bundle.programFile());
    QCOMPARE(view->selection(), (ByteRange{FileOffset(8), ByteCount(4)}));
}

void TestHexDock::hexGoesToAnElement()
{
    Session session;
    HexDock dock(session);
    session.setBundle(test::sampleBundle("dense"));
    QVERIFY(shown(dock));
    auto *view = dock.findChild<HexView *>();
    const std::size_t weight = test::weightWith(*session.bundle(), codec::PartRole::Data);
    const OperandPlace &part =
        *session.bundle()->weights()[weight].operand(codec::PartRole::Data)->place;
    const std::uint64_t bytes = bitWidth(session.bundle()->weights()[weight].form.storedType()) / 8;
    session.goToElement(weight, 5);
    QCOMPARE(view->selection(),
             (ByteRange{FileOffset(part.dataOffset.value + 5 * bytes), ByteCount(bytes)}));
}

/// The bits of a large mask are counted by a task: until it is done the weight is selected, then
/// the value; the next ones are there at once.
void TestHexDock::hexCountsLargeMasksAside()
{
    constexpr std::size_t kElements = std::size_t{9} << 20;
    test::MadeBundle made;
    const std::string shape = "[" + std::to_string(kElements) + "]";
    const std::string mask =
        made.blob(ElementType::Uint8, "[" + std::to_string(kElements / 8) + "]",
                  test::Bytes(kElements / 8, std::byte{0x21}));
    const std::string values = made.blob(
        ElementType::Fp16, "[" + std::to_string(kElements / 4) + "]", test::Bytes(kElements / 2));
    made.line("tensor<fp16, " + shape + "> w = constexpr_sparse_to_dense()[mask = " + mask +
              ", nonzero_data = " + values + ", shape = tensor<uint32, [1]>([" +
              std::to_string(kElements) + "]), name = string(\"w\")]");
    made.consume("w");
    const auto opened = made.open();
    QVERIFY(opened && (*opened)->weights().size() == 1);
    Session session;
    HexDock dock(session);
    session.setBundle(*opened);
    QVERIFY(shown(dock));
    auto *view = dock.findChild<HexView *>();
    const std::uint64_t last = kElements - 3; // bit 5 of the last byte
    const auto place = placeOfElement(**opened, 0, last);
    QVERIFY(place && place->bytes.bytes.value == 2);
    session.goToElement(0, last);
    QVERIFY(dock.busy() && view->selection() != place->bytes);
    QTRY_COMPARE(view->selection(), place->bytes);
    QVERIFY(!dock.busy());
    for (const std::uint64_t element : {std::uint64_t{0}, last - 8, last / 16 * 8}) {
        session.goToElement(0, element);
        QVERIFY(!dock.busy());
        const auto stored = placeOfElement(**opened, 0, element);
        QVERIFY(stored);
        QCOMPARE(view->selection(), stored->bytes);
    }
    // An edit may have changed the mask: it is counted again.
    session.updateBundle(*opened);
    session.goToElement(0, 5);
    QTRY_COMPARE(view->selection(), placeOfElement(**opened, 0, 5)->bytes);
}

void TestHexDock::hexGoesToATypedOffset()
{
    Session session;
    HexDock dock(session);
    session.setBundle(test::sampleBundle("dense"));
    QVERIFY(shown(dock));
    auto *view = dock.findChild<HexView *>();
    view->setFocus();
    QTest::keyClick(view, Qt::Key_G, Qt::ControlModifier | Qt::ShiftModifier);
    auto *box = qobject_cast<QLineEdit *>(QApplication::focusWidget());
    QVERIFY(box);
    QTest::keyClicks(box, QStringLiteral("0x41"));
    QTest::keyClick(box, Qt::Key_Return);
    QCOMPARE(view->cursor(), std::uint64_t{0x41});
    QVERIFY(session.place().bytes && session.place().bytes->offset == FileOffset(0x41));
    QVERIFY(view->hasFocus());
    QSignalSpy said(&session, &Session::statusMessage);
    box->setText(QStringLiteral("0xffffffffffff"));
    QTest::keyClick(box, Qt::Key_Return);
    QCOMPARE(view->cursor(), std::uint64_t{0x41});
    QCOMPARE(said.size(), 1);
}

void TestHexDock::hexFindsBytes()
{
    Session session;
    HexDock dock(session);
    session.setBundle(test::blobBundle(3, 100));
    QVERIFY(shown(dock));
    auto *view = dock.findChild<HexView *>();
    auto *bar = dock.findChild<HexFindBar *>();
    view->setFocus();
    QTest::keyClick(view, Qt::Key_F, Qt::ControlModifier);
    QVERIFY(bar->isVisible());
    auto *pattern = bar->findChild<QLineEdit *>();
    QTRY_VERIFY(pattern->hasFocus());
    QTest::keyClicks(pattern, QStringLiteral("ef be ad de"));
    std::vector<std::uint64_t> sentinels;
    for (const Section &section : session.bundle()->sections()) {
        if (section.kind == SectionKind::Metadata)
            sentinels.push_back(section.range.offset.value);
    }
    QCOMPARE(sentinels.size(), std::size_t{3});
    for (const std::uint64_t at : sentinels) {
        QTest::keyClick(pattern, Qt::Key_Return);
        QTRY_COMPARE(view->selection(), (ByteRange{FileOffset(at), ByteCount(4)}));
        QTRY_VERIFY(!bar->working());
    }
    bar->find(true);
    QTRY_COMPARE(view->cursor(), sentinels.front());
    QVERIFY(bar->message().contains(QStringLiteral("start")));
    bar->find(false);
    QTRY_COMPARE(view->cursor(), sentinels.back());
    QVERIFY(bar->message().contains(QStringLiteral("end")));
    pattern->setText(QStringLiteral("00 01 02 03 ff"));
    bar->find(true);
    QTRY_COMPARE(bar->message(), QStringLiteral("Not found."));
    pattern->setText(QStringLiteral("xyz"));
    bar->find(true);
    QVERIFY(bar->message().contains(QStringLiteral("hexadecimal")));
    QTest::keyClick(pattern, Qt::Key_Escape);
    QVERIFY(!bar->isVisible());
}

void TestHexDock::hexFindCanBeCancelled()
{
    Session session;
    HexDock dock(session);
    session.setBundle(test::blobBundle(1, 96u << 20));
    QVERIFY(shown(dock));
    auto *view = dock.findChild<HexView *>();
    auto *bar = dock.findChild<HexFindBar *>();
    bar->begin();
    bar->findChild<QLineEdit *>()->setText(QStringLiteral("fffe fdfc"));
    const std::uint64_t before = view->cursor();
    bar->find(true);
    QVERIFY(bar->working());
    bar->cancel();
    QVERIFY(!bar->working());
    QCOMPARE(bar->message(), QStringLiteral("Cancelled."));
    bar->find(true);
    session.tasks().cancelAll();
    QTRY_VERIFY(!bar->working());
    QCOMPARE(view->cursor(), before);
}

void TestHexDock::hexShowsEditsInPlace()
{
    Session session;
    HexDock dock(session);
    session.setBundle(test::sampleBundle("dense"));
    QVERIFY(shown(dock));
    auto *view = dock.findChild<HexView *>();
    const std::size_t weight = test::weightWith(*session.bundle(), codec::PartRole::Data);
    const OperandPlace &part =
        *session.bundle()->weights()[weight].operand(codec::PartRole::Data)->place;
    session.goToElement(weight, 3);
    const std::uint64_t top = view->topRow();
    session.tasks().quiesce();
    const std::byte now = ~view->bytes()[part.dataOffset.value];
    QVERIFY(session.bundle()->files()[part.file].file->write(part.dataOffset, std::span(&now, 1)));
    session.updateBundle(session.bundle());
    QTRY_VERIFY(!dock.busy());
    QCOMPARE(view->topRow(), top);
    const QRect cell = view->cellRect(part.dataOffset.value);
    QVERIFY(!cell.isEmpty());
    const QImage picture = view->viewport()->grab().toImage();
    QCOMPARE(test::colorAt(picture, QPoint(cell.left() + 1, cell.center().y())),
             theme::color(Token::MarkChanged, false));
}

/// As wide as a window of 1280 pixels leaves it: the readings that are looked up most are in sight
/// beside 16 bytes a row, the others below them, and none is cut.
void TestHexDock::readingsStandBesideTheBytes()
{
    Session session;
    HexDock dock(session);
    session.setBundle(test::sampleBundle("dense"));
    QVERIFY(shown(dock));
    const auto *view = dock.findChild<HexView *>();
    auto *readings = dock.findChild<InspectorView *>();
    QVERIFY(view && readings);
    dock.resize(view->contentWidth() + readings->minimumSizeHint().width() + theme::em(&dock, 1.5),
                340);
    QTest::qWait(0);
    QVERIFY(readings->isVisible());
    QVERIFY(readings->x() >= view->geometry().right());
    QVERIFY(view->width() >= view->contentWidth());
    const QAbstractItemModel &model = *readings->model();
    int rows = 0, tall = 0;
    for (int row = 0; row < model.rowCount(); ++row) {
        const QRect cell = readings->visualRect(model.index(row, readings->modelColumn()));
        const QString name = readings->nameOf(model.index(row, 0));
        if (row < 9) // u8 to i32, fp16, bf16, fp32
            QVERIFY2(readings->viewport()->rect().contains(cell), qPrintable(name));
        QCOMPARE(name.endsWith(QLatin1String("64")), row >= model.rowCount() - 3);
        // The longest value that it can have has its room, in the line of its name or below it.
        const QFontMetrics metrics = readings->fontMetrics();
        const int longest = metrics.horizontalAdvance(QStringLiteral("-2.2250738585e-308"));
        if (readings->isTall(row))
            QVERIFY2(longest < cell.width(), qPrintable(name));
        rows += 1;
        tall += readings->isTall(row) ? 1 : 0;
    }
    QCOMPARE(rows, 17);
    QVERIFY(tall <= 3);
    const QModelIndex last = model.index(model.rowCount() - 1, readings->modelColumn());
    readings->scrollTo(last);
    QVERIFY(readings->viewport()->rect().contains(readings->visualRect(last)));
}

KERNSCOPE_TEST(TestHexDock, QApplication)
#include "tst_hex_dock.moc"
