// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/bundle/made_bundle.h"
#include "tests/widgets/sample_bundles.h"
#include "widgets/bytes/hex_dock.h"
#include "widgets/bytes/hex_find_bar.h"
#include "widgets/bytes/hex_view.h"
#include "widgets/bytes/inspector_view.h"

using namespace kernscope::ui;
using test::shown;

namespace {

std::shared_ptr<OverlaidFile> countingFile(std::size_t bytes)
{
    std::vector<std::byte> content(bytes);
    for (std::size_t i = 0; i < bytes; ++i)
        content[i] = static_cast<std::byte>(i & 0xff);
    return OverlaidFile::fromMemory(std::move(content), "counting.bin");
}

std::unique_ptr<HexView> shownView(std::shared_ptr<OverlaidFile> file)
{
    auto view = std::make_unique<HexView>();
    view->setFile(std::move(file));
    view->resize(view->contentWidth() + 4, 300);
    view->show();
    view->activateWindow();
    if (!QTest::qWaitForWindowActive(view.get()))
        return nullptr;
    view->setFocus();
    return view;
}

/// The dock over a bundle, shown.
struct ShownDock {
    explicit ShownDock(BundlePtr bundle) : ready(shown(dock, session, std::move(bundle))) {}
    ui::Session session;
    HexDock dock{session};
    HexView *view = dock.findChild<HexView *>();
    const bool ready;
};

ByteRange range(std::uint64_t offset, std::uint64_t bytes)
{
    return {FileOffset(offset), ByteCount(bytes)};
}

} // namespace

class TestHexView : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init() { theme::apply(false); }

    void keysMove_data()
    {
        addColumns<quint64, int, int, quint64>();
        const auto row = [](const char *name, quint64 from, Qt::Key key, quint64 to,
                            Qt::KeyboardModifiers modifiers = {}) {
            addRow(name, from, int(key), int(modifiers), to);
        };
        // A file of 1,000 bytes, 16 a row.
        row("right", 5, Qt::Key_Right, 6);
        row("right at the end", 999, Qt::Key_Right, 999);
        row("left", 5, Qt::Key_Left, 4);
        row("left at the start", 0, Qt::Key_Left, 0);
        row("down", 5, Qt::Key_Down, 21);
        row("down into the short last row", 989, Qt::Key_Down, 999);
        row("down in the last row", 995, Qt::Key_Down, 995);
        row("up", 21, Qt::Key_Up, 5);
        row("up in the first row", 5, Qt::Key_Up, 5);
        row("home", 21, Qt::Key_Home, 16);
        row("end", 21, Qt::Key_End, 31);
        row("end of the short last row", 993, Qt::Key_End, 999);
        row("start of file", 500, Qt::Key_Home, 0, Qt::ControlModifier);
        row("end of file", 500, Qt::Key_End, 999, Qt::ControlModifier);
        row("page up at the top", 21, Qt::Key_PageUp, 5);
    }

    void keysMove()
    {
        const auto [from, key, modifiers, to] = fetched<quint64, int, int, quint64>();
        const auto view = VERIFIED(shownView(countingFile(1000)));
        view->select(range(from, 1));
        QTest::keyClick(view.get(), static_cast<Qt::Key>(key), Qt::KeyboardModifiers(modifiers));
        QCOMPARE(view->cursor(), to);
        QCOMPARE(view->selection(), range(to, 1));
        QVERIFY(!view->cellRect(to).isEmpty());
        QVERIFY(view->viewport()->rect().contains(view->cellRect(to)));
    }

    void shiftSelects()
    {
        const auto view = VERIFIED(shownView(countingFile(1000)));
        view->select(range(20, 1));
        const auto after = [&view](Qt::Key key, Qt::KeyboardModifiers held = {}) {
            QTest::keyClick(view.get(), key, held);
            return view->selection();
        };
        QCOMPARE(after(Qt::Key_Down, Qt::ShiftModifier), range(20, 17));
        QCOMPARE(after(Qt::Key_Right, Qt::ShiftModifier), range(20, 18));
        QCOMPARE(after(Qt::Key_Home, Qt::ShiftModifier | Qt::ControlModifier), range(0, 21));
        QCOMPARE(after(Qt::Key_Escape), range(0, 1));
        QCOMPARE(after(Qt::Key_A, Qt::ControlModifier), range(0, 1000));
        const std::uint64_t page = view->visibleRows() * 16;
        view->select(range(0, 1));
        QTest::keyClick(view.get(), Qt::Key_PageDown);
        QCOMPARE(view->cursor(), page);
        QTest::keyClick(view.get(), Qt::Key_PageUp);
        QCOMPARE(view->cursor(), 0U);
    }

    void mouseSelects()
    {
        const auto view = VERIFIED(shownView(countingFile(1000)));
        QSignalSpy picked(view.get(), &HexView::picked);
        const QPoint from = view->cellRect(18).center(), to = view->cellRect(40).center();
        QCOMPARE(view->byteAt(from), std::optional<std::uint64_t>(18));
        QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, from);
        QCOMPARE(view->selection(), range(18, 1));
        QCOMPARE(picked.size(), 1);
        QTest::mousePress(view->viewport(), Qt::LeftButton, {}, from);
        QTest::mouseMove(view->viewport(), to);
        QTest::mouseRelease(view->viewport(), Qt::LeftButton, {}, to);
        QCOMPARE(view->selection(), range(18, 23));
        QCOMPARE(picked.size(), 2);
        QCOMPARE(picked.last().first().value<ByteRange>(), range(18, 23));
        // A right click inside keeps the selection, outside it moves it.
        QTest::mouseClick(view->viewport(), Qt::RightButton, {}, view->cellRect(30).center());
        QCOMPARE(view->selection(), range(18, 23));
        QTest::mouseClick(view->viewport(), Qt::RightButton, {}, view->cellRect(60).center());
        QCOMPARE(view->selection(), range(60, 1));
        QTest::mouseClick(view->viewport(), Qt::LeftButton, Qt::ShiftModifier,
                          view->cellRect(50).center());
        QCOMPARE(view->selection(), range(50, 11));
    }

    void pickedAfterRest()
    {
        const auto view = VERIFIED(shownView(countingFile(1000)));
        QSignalSpy picked(view.get(), &HexView::picked);
        for (int i = 0; i < 5; ++i)
            QTest::keyClick(view.get(), Qt::Key_Right);
        QCOMPARE(picked.size(), 0);
        QTRY_COMPARE(picked.size(), 1);
        QCOMPARE(picked.first().first().value<ByteRange>(), range(5, 1));
        QTest::keyClick(view.get(), Qt::Key_Return);
        QCOMPARE(picked.size(), 2);
    }

    void selectionIsCutToTheFile()
    {
        const auto view = VERIFIED(shownView(countingFile(100)));
        view->select(range(90, UINT64_MAX - 90));
        QCOMPARE(view->selection(), range(90, 10));
        view->select(range(5000, 2));
        QCOMPARE(view->selection(), range(99, 1));
        view->select(range(50, 0));
        QCOMPARE(view->selection(), range(50, 1));
    }

    void copiesWhatIsSelected()
    {
        const auto view = VERIFIED(shownView(countingFile(1000)));
        view->select(range(16, 3));
        QCOMPARE(view->selectedText(CopyFormat::Hex).value_or(QString()), u"10 11 12"_s);
        view->setFile(countingFile(kMostBytesAsText + 1));
        view->selectAll();
        QVERIFY(!view->selectedText(CopyFormat::Hex));
    }

    void changedBytesAreOutlined()
    {
        const auto file = countingFile(1000);
        const auto view = VERIFIED(shownView(file));
        view->select(range(0, 1));
        const QRect cell = view->cellRect(37);
        const QColor mark = theme::color(Token::MarkChanged, false);
        const auto corner = [&] {
            return colorAt(view->viewport()->grab().toImage(),
                           QPoint(cell.left() + 1, cell.center().y()));
        };
        QVERIFY(corner() != mark);
        const std::byte now{0xee};
        QVERIFY(file->write(FileOffset(37), std::span(&now, 1)));
        view->viewport()->update();
        QCOMPARE(corner(), mark);
        view->select(range(37, 1));
        QVERIFY(view->accessibleDescription().contains(u"0xee"_s));
        QVERIFY(view->accessibleDescription().contains(u"on disk 0x25"_s));
    }

    void groundsKeepTextReadable_data() { addThemes(); }

    void groundsKeepTextReadable()
    {
        QFETCH(bool, dark);
        const QPalette palette = theme::palette(dark);
        const QColor ink = palette.color(QPalette::Text);
        for (int kind = 0; kind <= int(SectionKind::Unknown); ++kind) {
            const QColor ground = hexGround(static_cast<SectionKind>(kind), palette);
            QVERIFY2(theme::contrast(ink, ground) >= 4.5, qPrintable(QString::number(kind)));
            const QColor selected = hexSelectedGround(ground, palette);
            QVERIFY2(theme::contrast(ink, selected) >= 4.5, qPrintable(QString::number(kind)));
        }
        QVERIFY(theme::contrast(ink, hexChangedGround(palette)) >= 4.5);
        QVERIFY(theme::contrast(ink, hexSelectedGround(hexChangedGround(palette), palette)) >= 4.5);
        const QColor faint = palette.color(QPalette::PlaceholderText);
        QVERIFY(theme::contrast(faint, hexGround(SectionKind::Padding, palette)) >= 4.5);
    }

    void paintsSectionsInTheirColours()
    {
        const BundlePtr bundle = openSample("sparse");
        HexView view;
        view.setFile(bundle, weightFile(*bundle));
        view.resize(view.contentWidth() + 4, 300);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        const std::size_t weight = weightWith(*bundle, codec::PartRole::Mask);
        QVERIFY(weight != kNoIndex);
        const OperandPlace &mask = *bundle->weights()[weight].operand(codec::PartRole::Mask)->place;
        view.select({FileOffset(mask.dataOffset.value + 16), ByteCount(1)});
        const QImage picture = view.viewport()->grab().toImage();
        const QRect masked = view.cellRect(mask.dataOffset.value);
        QVERIFY(!masked.isEmpty());
        QCOMPARE(colorAt(picture, masked.topLeft() + QPoint(1, 1)),
                 hexGround(SectionKind::Mask, view.palette()));
        const QRect record = view.cellRect(mask.dataOffset.value - 1);
        if (!record.isEmpty()) {
            QCOMPARE(colorAt(picture, record.topLeft() + QPoint(1, 1)),
                     hexGround(SectionKind::Metadata, view.palette()));
        }
    }

    /// A whole part has a quiet ground between two lines; a few bytes have a strong one and a line.
    void largeSelectionsAreQuiet()
    {
        const auto view = VERIFIED(shownView(countingFile(4096)));
        const QColor base = view->palette().color(QPalette::Base);
        const QColor line = view->palette().color(QPalette::Active, QPalette::Highlight);
        // Whether there is a line in the upper and in the lower half of a cell, and its ground.
        const auto look = [&](std::uint64_t offset) {
            const QImage picture = view->viewport()->grab().toImage();
            const QRect cell = view->cellRect(offset);
            std::array<bool, 2> lines{};
            for (int y = cell.top(); y <= cell.bottom(); ++y) {
                const QColor color = colorAt(picture, QPoint(cell.left() + 2, y));
                lines[y > cell.center().y()] |= color == line;
            }
            const QPoint middle(cell.left() + 2, cell.center().y());
            return std::tuple(lines[0], colorAt(picture, middle), lines[1]);
        };
        view->select(range(16, 16 * 8));
        const QColor quiet = hexSelectedGround(base, view->palette(), true);
        QVERIFY(look(16 + 5) == std::tuple(true, quiet, false));
        QVERIFY(look(3 * 16) == std::tuple(false, quiet, false));
        QVERIFY(look(8 * 16 + 5) == std::tuple(false, quiet, true));
        view->select(range(16, 4));
        const QColor strong = hexSelectedGround(base, view->palette());
        QVERIFY(look(18) == std::tuple(false, strong, true));
        QVERIFY(theme::contrast(strong, base) > theme::contrast(quiet, base));
        QVERIFY(theme::contrast(quiet, base) > 1.05); // and yet seen
    }

    void widthsKeepThePlace()
    {
        const auto view = VERIFIED(shownView(countingFile(100000)));
        view->select(range(50000, 4));
        const std::uint64_t top = view->topRow() * 16;
        view->setBytesPerRow(32);
        QCOMPARE(view->bytesPerRow(), 32);
        QCOMPARE(view->topRow(), top / 32);
        QCOMPARE(view->selection(), range(50000, 4));
        view->setBytesPerRow(7);
        QCOMPARE(view->bytesPerRow(), 32);
        view->setBytesPerRow(8);
        QCOMPARE(view->topRow(), top / 32 * 32 / 8);
    }

    void hugeSparseFileScrolls()
    {
        QTemporaryDir folder;
        QVERIFY(folder.isValid());
        const QString path = folder.filePath(u"huge.bin"_s);
        constexpr qint64 kBytes = (qint64(1) << 35) + 5; // more rows of 8 than an int can count
        {
            QFile file(path);
            QVERIFY(file.open(QIODevice::WriteOnly));
            if (!file.resize(kBytes))
                QSKIP("This file system has no sparse files of 32 GiB.");
            QVERIFY(file.seek(kBytes - 1));
            QVERIFY(file.write("\x5a", 1) == 1);
        }
        auto file = OverlaidFile::open(path.toStdString(), "huge.bin");
        if (!file)
            QSKIP("This machine does not map files of 32 GiB.");
        const auto view = VERIFIED(shownView(*file));
        view->setBytesPerRow(8);
        const std::uint64_t rows = (quint64(kBytes) + 7) / 8;
        QTest::keyClick(view.get(), Qt::Key_End, Qt::ControlModifier);
        QCOMPARE(view->cursor(), quint64(kBytes - 1));
        QCOMPARE(view->topRow(), rows - view->visibleRows());
        QCOMPARE(view->verticalScrollBar()->value(), view->verticalScrollBar()->maximum());
        view->grab();
        QVERIFY(view->accessibleDescription().contains(u"0x5a"_s));
        // Arrows of the bar and the wheel still go row by row.
        view->scrollToRow(rows / 2);
        view->verticalScrollBar()->triggerAction(QAbstractSlider::SliderSingleStepAdd);
        QCOMPARE(view->topRow(), rows / 2 + 1);
        view->verticalScrollBar()->triggerAction(QAbstractSlider::SliderPageStepSub);
        QCOMPARE(view->topRow(), rows / 2 + 1 - view->visibleRows());
        const std::uint64_t top = view->topRow();
        const QPointF middle = QRectF(view->viewport()->rect()).center();
        QWheelEvent wheel(middle, view->viewport()->mapToGlobal(middle), {}, QPoint(0, -120),
                          Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase, false);
        QApplication::sendEvent(view->viewport(), &wheel);
        QCOMPARE(view->topRow(), top + 3);
        view->verticalScrollBar()->setValue(view->verticalScrollBar()->maximum() / 4);
        QVERIFY(view->topRow() > rows / 5 && view->topRow() < rows / 3);
        view->grab();
    }

    void emptyFileTakesKeys()
    {
        const auto view = VERIFIED(shownView(OverlaidFile::fromMemory({}, "empty.bin")));
        for (const Qt::Key key : {Qt::Key_Right, Qt::Key_Down, Qt::Key_End, Qt::Key_PageDown,
                                  Qt::Key_Return, Qt::Key_Escape})
            QTest::keyClick(view.get(), key);
        QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, QPoint(100, 60));
        view->selectAll();
        QCOMPARE(view->selection(), ByteRange{});
        QVERIFY(!view->selectedText(CopyFormat::Hex));
        view->grab();
    }

    /// A view that gets smaller keeps its cursor in sight; one that was scrolled away stays away.
    void cursorStaysInSight()
    {
        const auto view = VERIFIED(shownView(countingFile(4096)));
        const std::uint64_t row = view->visibleRows() - 1;
        view->select(range(row * 16, 4));
        QCOMPARE(view->topRow(), 0u);
        view->resize(view->width(), 160);
        QTRY_VERIFY(view->visibleRows() < row);
        QVERIFY(row >= view->topRow() && row < view->topRow() + view->visibleRows());
        view->resize(view->width(), 300);
        view->verticalScrollBar()->setValue(100);
        const std::uint64_t top = view->topRow();
        view->resize(view->width(), 160);
        QTRY_VERIFY(view->visibleRows() < row);
        QCOMPARE(view->topRow(), top);
    }

    void hexFollowsAndDrives()
    {
        auto [session, dock, view, ready] = ShownDock(openSample("dense"));
        QVERIFY(ready);
        const Bundle &bundle = *session.bundle();
        QCOMPARE(view->file(), weightFile(bundle));
        const std::size_t weight = weightWith(bundle, codec::PartRole::Data);
        session.goToWeight(weight);
        const OperandPlace &part = *bundle.weights()[weight].operand(codec::PartRole::Data)->place;
        QCOMPARE(view->selection(), part.range());
        view->setFocus();
        QTest::mouseClick(view->viewport(), Qt::LeftButton, {},
                          view->cellRect(part.dataOffset.value + 4).center());
        const Place &place = session.place();
        QCOMPARE(place.file, part.file);
        QVERIFY(place.bytes == range(part.dataOffset.value + 4, 1));
        QCOMPARE(place.weight, weight);
        QCOMPARE(place.element.value_or(0),
                 std::uint64_t{32 / bitWidth(bundle.weights()[weight].form.storedType())});
        const auto labels = dock.findChildren<QLabel *>();
        QVERIFY(std::ranges::any_of(labels, [&](const QLabel *label) {
            return label->text().startsWith(u"field: "_s) &&
                   label->text().contains(fromUtf8(bundle.weights()[weight].name));
        }));
        session.goToBytes(bundle.programFile(), {FileOffset(8), ByteCount(4)});
        QCOMPARE(view->file(), bundle.programFile());
        QCOMPARE(view->selection(), range(8, 4));
    }

    /// The bits of a large mask are counted by a task: until it is done the weight is selected,
    /// then the value; the next ones are there at once.
    void hexCountsLargeMasksAside()
    {
        constexpr std::size_t kElements = std::size_t{9} << 20;
        MadeBundle made;
        const std::string shape = "[" + std::to_string(kElements) + "]";
        const std::string mask =
            made.blob(ElementType::Uint8, "[" + std::to_string(kElements / 8) + "]",
                      Bytes(kElements / 8, std::byte{0x21}));
        const std::string values = made.blob(
            ElementType::Fp16, "[" + std::to_string(kElements / 4) + "]", Bytes(kElements / 2));
        made.line("tensor<fp16, " + shape + "> w = constexpr_sparse_to_dense()[mask = " + mask +
                  ", nonzero_data = " + values + ", shape = tensor<uint32, [1]>([" +
                  std::to_string(kElements) + "]), name = string(\"w\")]");
        made.consume("w");
        const auto opened = made.open();
        QVERIFY(opened && (*opened)->weights().size() == 1);
        auto [session, dock, view, ready] = ShownDock(*opened);
        QVERIFY(ready);
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
            const auto stored = VERIFIED(placeOfElement(**opened, 0, element));
            QCOMPARE(view->selection(), stored->bytes);
        }
        // An edit may have changed the mask: it is counted again.
        session.updateBundle(*opened);
        session.goToElement(0, 5);
        QTRY_COMPARE(view->selection(), placeOfElement(**opened, 0, 5)->bytes);
    }

    void hexGoesToATypedOffset()
    {
        auto [session, dock, view, ready] = ShownDock(openSample("dense"));
        QVERIFY(ready);
        view->setFocus();
        QTest::keyClick(view, Qt::Key_G, Qt::ControlModifier | Qt::ShiftModifier);
        auto *box = VERIFIED(qobject_cast<QLineEdit *>(QApplication::focusWidget()));
        QTest::keyClicks(box, u"0x41"_s);
        QTest::keyClick(box, Qt::Key_Return);
        QCOMPARE(view->cursor(), 0x41U);
        QVERIFY(session.place().bytes && session.place().bytes->offset == FileOffset(0x41));
        QVERIFY(view->hasFocus());
        QSignalSpy said(&session, &Session::statusMessage);
        box->setText(u"0xffffffffffff"_s);
        QTest::keyClick(box, Qt::Key_Return);
        QCOMPARE(view->cursor(), 0x41U);
        QCOMPARE(said.size(), 1);
    }

    void hexFindsBytes()
    {
        auto [session, dock, view, ready] = ShownDock(blobBundle(3, 100));
        QVERIFY(ready);
        auto *bar = dock.findChild<HexFindBar *>();
        view->setFocus();
        QTest::keyClick(view, Qt::Key_F, Qt::ControlModifier);
        QVERIFY(bar->isVisible());
        auto *pattern = bar->findChild<QLineEdit *>();
        QTRY_VERIFY(pattern->hasFocus());
        QTest::keyClicks(pattern, u"ef be ad de"_s);
        std::vector<std::uint64_t> sentinels;
        for (const Section &section : session.bundle()->sections()) {
            if (section.kind == SectionKind::Metadata)
                sentinels.push_back(section.range.offset.value);
        }
        QCOMPARE(sentinels.size(), 3U);
        for (const std::uint64_t at : sentinels) {
            QTest::keyClick(pattern, Qt::Key_Return);
            QTRY_COMPARE(view->selection(), range(at, 4));
            QTRY_VERIFY(!bar->working());
        }
        bar->find(true);
        QTRY_COMPARE(view->cursor(), sentinels.front());
        QVERIFY(bar->message().contains(u"start"_s));
        bar->find(false);
        QTRY_COMPARE(view->cursor(), sentinels.back());
        QVERIFY(bar->message().contains(u"end"_s));
        pattern->setText(u"00 01 02 03 ff"_s);
        bar->find(true);
        QTRY_COMPARE(bar->message(), u"Not found."_s);
        pattern->setText(u"xyz"_s);
        bar->find(true);
        QVERIFY(bar->message().contains(u"hexadecimal"_s));
        QTest::keyClick(pattern, Qt::Key_Escape);
        QVERIFY(!bar->isVisible());
    }

    void hexFindCanBeCancelled()
    {
        auto [session, dock, view, ready] = ShownDock(blobBundle(1, 96u << 20));
        QVERIFY(ready);
        auto *bar = dock.findChild<HexFindBar *>();
        bar->begin();
        bar->findChild<QLineEdit *>()->setText(u"fffe fdfc"_s);
        const std::uint64_t before = view->cursor();
        bar->find(true);
        QVERIFY(bar->working());
        bar->cancel();
        QVERIFY(!bar->working());
        QCOMPARE(bar->message(), u"Cancelled."_s);
        bar->find(true);
        session.tasks().cancelAll();
        QTRY_VERIFY(!bar->working());
        QCOMPARE(view->cursor(), before);
    }

    void hexShowsEditsInPlace()
    {
        auto [session, dock, view, ready] = ShownDock(openSample("dense"));
        QVERIFY(ready);
        const std::size_t weight = weightWith(*session.bundle(), codec::PartRole::Data);
        const OperandPlace &part =
            *session.bundle()->weights()[weight].operand(codec::PartRole::Data)->place;
        session.goToElement(weight, 3);
        const std::uint64_t top = view->topRow();
        session.tasks().quiesce();
        QVERIFY(turnByte(*session.bundle(), part.file, part.dataOffset));
        session.updateBundle(session.bundle());
        QTRY_VERIFY(!dock.busy());
        QCOMPARE(view->topRow(), top);
        const QRect cell = view->cellRect(part.dataOffset.value);
        QVERIFY(!cell.isEmpty());
        const QImage picture = view->viewport()->grab().toImage();
        QCOMPARE(colorAt(picture, QPoint(cell.left() + 1, cell.center().y())),
                 theme::color(Token::MarkChanged, false));
    }

    /// As wide as a window of 1280 pixels leaves it: the readings that are looked up most are in
    /// sight beside 16 bytes a row, the others below them, and none is cut.
    void readingsStandBesideTheBytes()
    {
        auto [session, dock] = Alone<HexDock>();
        QVERIFY(shown(dock, session, openSample("dense")));
        const auto *view = dock.findChild<HexView *>();
        auto *readings = dock.findChild<InspectorView *>();
        QVERIFY(view && readings);
        dock.resize(view->contentWidth() + readings->minimumSizeHint().width() +
                        theme::em(&dock, 1.5),
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
            QCOMPARE(name.endsWith("64"_L1), row >= model.rowCount() - 3);
            // The longest value that it can have has its room, in the line of its name or below it.
            const QFontMetrics metrics = readings->fontMetrics();
            const int longest = metrics.horizontalAdvance(u"-2.2250738585e-308"_s);
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
        // One is chosen, with Ctrl as well: what is copied are all of them.
        readings->setCurrentIndex(model.index(1, readings->modelColumn()));
        QTest::keyClick(readings, Qt::Key_Down, Qt::ControlModifier);
        QVERIFY(readings->currentIndex().row() > 1);
        QCOMPARE(readings->selectionModel()->selectedIndexes(), {readings->currentIndex()});
    }

    /// Until the user chooses how many.
    void wideDocksHaveMoreBytesInARow()
    {
        auto [session, dock] = Alone<HexDock>();
        QVERIFY(shown(dock, session, openSample("dense")));
        const auto *view = dock.findChild<HexView *>();
        for (const auto &[width, bytes] : {std::pair(3000, 32), {900, 16}}) {
            dock.resize(width, 340);
            QTest::qWait(0);
            QCOMPARE(view->bytesPerRow(), bytes);
            QVERIFY(view->width() >= view->contentWidth());
        }
        for (QAction *action : dock.menuActions()) {
            if (action->text() == u"8 Bytes a Row"_s)
                action->trigger();
        }
        dock.resize(3000, 340);
        QTest::qWait(0);
        QCOMPARE(view->bytesPerRow(), 8);
    }
};

KERNSCOPE_TEST(TestHexView, QApplication)
#include "tst_hex_view.moc"
