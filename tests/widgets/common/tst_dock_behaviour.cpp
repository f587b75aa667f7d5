// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/widgets/sample_bundles.h"
#include "widgets/bytes/hex_dock.h"
#include "widgets/bytes/hex_view.h"
#include "widgets/bytes/layout_dock.h"
#include "widgets/bytes/section_strip.h"
#include "widgets/common/diagnostics_dock.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/labels.h"
#include "widgets/common/panels.h"
#include "widgets/overview/bundle_dock.h"
#include "widgets/weight/weight_dock.h"

using namespace kernscope::ui;
using test::shown;

/// What a person sees of docks that are small, of long names, and of edits that were given up.
class TestDockBehaviour : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { theme::apply(false); }

    /// Families of one size leave room of different size above and below their letters: rows and
    /// gaps are not larger by it, and a row still holds its text. Of every family that is
    /// installed.
    void tallFontsMakeNothingLarger()
    {
        QWidget widget;
        for (const QString &family : QFontDatabase::families()) {
            QFont font(family);
            font.setPixelSize(20);
            widget.setFont(font);
            QVERIFY2(theme::em(&widget, 1) <= 24, qPrintable(family));
            const QFontMetrics metrics(font);
            const int letters = metrics.tightBoundingRect(u"Ågj|"_s).height();
            if (metrics.inFont(u'g') && QFontInfo(font).family() == family &&
                !family.contains(u"Emoji"))
                QVERIFY2(theme::em(&widget, 1.35) >= letters, qPrintable(family));
        }
    }

    void smallDocksScroll()
    {
        auto *content = new QWidget;
        auto *column = new QVBoxLayout(content);
        for (int i = 0; i < 8; ++i) {
            auto *line = new QLabel(u"words that wrap where the room is narrow"_s);
            line->setWordWrap(true);
            column->addWidget(line);
        }
        ShrinkArea area(content);
        area.resize(600, 400);
        area.show();
        QVERIFY(QTest::qWaitForWindowExposed(&area));
        QCOMPARE(content->size(), area.viewport()->size());
        QVERIFY(!area.verticalScrollBar()->isVisible());
        area.resize(120, 90);
        QTRY_VERIFY(area.verticalScrollBar()->isVisible());
        QCOMPARE(content->height(), column->minimumHeightForWidth(content->width()));
        QVERIFY(content->width() <= area.viewport()->width());
        area.resize(600, 400);
        QTRY_VERIFY(!area.verticalScrollBar()->isVisible());
        QCOMPARE(content->size(), area.viewport()->size());
        // Content that wants more while it is shown.
        content->setMinimumHeight(700);
        QTRY_COMPARE(content->height(), 700);
    }

    void messagesScroll()
    {
        auto [session, dock] = Alone<WeightDock>();
        QVERIFY(showDock(dock, 120, 60));
        QVERIFY(!dock.showsContent());
        auto *area = VERIFIED(dock.findChild<ShrinkArea *>());
        QVERIFY(area->widget()->height() >=
                area->widget()->heightForWidth(area->widget()->width()));
    }

    void namesGetTheRoomFirst_data() { addEach<int>({200, 300, 360, 420, 500, 700}); }

    void namesGetTheRoomFirst()
    {
        const auto [width] = fetched<int>();
        auto [session, dock] = Alone<BundleDock>();
        QVERIFY(showDock(dock, session, openSample("sparse"), nullptr, {width, 400}));
        auto *tree = VERIFIED(dock.findChild<QTreeView *>());
        const QHeaderView *header = tree->header();
        const int room = tree->viewport()->width(), name = header->sectionSize(0);
        const auto *view = static_cast<QAbstractItemView *>(tree);
        // In two lines a name also has the room beside its number.
        const auto *titles = tree->findChild<NavigatorHeader *>();
        const int least = theme::em(&dock, titles->twoLines() ? 5 : 8);
        const int wanted = std::min(view->sizeHintForColumn(0), least);
        QVERIFY(name >= std::min(wanted, room));
        // No column is cut at the edge.
        bool ends = false;
        for (int visual = 0, x = 0; visual < header->count(); ++visual) {
            x += header->sectionSize(header->logicalIndex(visual));
            ends |= x == room;
        }
        QString sizes;
        for (int visual = 0; visual < header->count(); ++visual)
            sizes += QString::number(header->sectionSize(header->logicalIndex(visual))) + u' ';
        QVERIFY2(ends, qPrintable(u"%1 of %2"_s.arg(sizes).arg(room)));
    }

    void namesAreCutNearTheirEnd()
    {
        const QFontMetrics metrics(QApplication::font());
        const QString name = u"encoder_layers_0_weight_to_fp16_quantized"_s;
        const int whole = metrics.horizontalAdvance(name);
        QCOMPARE(elidedName(metrics, name, whole), name);
        for (int width = whole - 1; width > 0; width -= 7) {
            const QString cut = elidedName(metrics, name, width);
            QVERIFY2(metrics.horizontalAdvance(cut) <= width || cut.size() <= 1, qPrintable(cut));
            QVERIFY2(cut.count(QChar(0x2026)) == 1 || cut.isEmpty(), qPrintable(cut));
        }
        const QString wide = elidedName(metrics, name, whole * 2 / 3);
        QVERIFY2(wide.startsWith(u"encoder_layers_0_"_s), qPrintable(wide));
        QVERIFY2(wide.endsWith(u"ntized"_s), qPrintable(wide));
        const QString path = u"Data/com.apple.CoreML/weights/0-weight.bin"_s;
        const int most = metrics.horizontalAdvance(path);
        QCOMPARE(elidedName(metrics, path, most), path);
        QCOMPARE(elidedName(metrics, path, most - 1),
                 u"\u2026/com.apple.CoreML/weights/0-weight.bin"_s);
        const QString end = u"\u2026/weights/0-weight.bin"_s;
        QCOMPARE(elidedName(metrics, path, metrics.horizontalAdvance(end)), end);
        // The index of a place stays whole, however long its name is.
        const QString place = name + u"[12,0,345]"_s;
        for (const QString &said : {place, place + u"=-0.0017633438"_s}) {
            const int all = metrics.horizontalAdvance(said);
            for (int width = all - 1; width > all * 2 / 5; width -= 7) {
                const QString cut = elidedName(metrics, said, width);
                QVERIFY2(cut.contains(u"[12,0,345]"_s), qPrintable(cut));
                QVERIFY2(cut.startsWith(u"enc"_s), qPrintable(cut));
                QVERIFY2(metrics.horizontalAdvance(cut) <= width, qPrintable(cut));
            }
        }
        // What was shortened before is cut once, and keeps what tells it from others.
        const QString shorter = u"conv_1_weight\u2026"_s;
        const int room = metrics.horizontalAdvance(shorter) * 4 / 5;
        const QString again = elidedName(metrics, shorter, room);
        QVERIFY2(again.startsWith(u"conv_1_"_s), qPrintable(again));
        QCOMPARE(again.count(QChar(0x2026)), 1);
        QVERIFY(metrics.horizontalAdvance(again) <= room);
        // Without its beginning, what tells it from others may stand at its end.
        const QString later = u"\u2026LayerNorm_1/native_layer_norm.gamma"_s;
        const QString ending = elidedName(metrics, later, metrics.horizontalAdvance(later) * 3 / 4);
        QVERIFY2(ending.startsWith(u"\u2026LayerNorm_1"_s) && ending.endsWith(u".gamma"_s),
                 qPrintable(ending));
        // Where there is hardly room, that part is left.
        const QString tile = u"\u20267.weights"_s;
        const QString least = elidedName(metrics, tile, metrics.horizontalAdvance(tile) * 2 / 3);
        QVERIFY2(least.startsWith(u"\u20267."_s), qPrintable(least));
    }

    /// A figure stands with its own words: what is cut is the end.
    void sentencesAreCutAtTheirEnd()
    {
        const QFontMetrics metrics(QApplication::font());
        const QString name = u"encoder_layers_0_weight"_s,
                      figures = u"  66,048 B  \u2260 8 changed"_s;
        const QString said = u"304,062 bytes changed, 574,324 only in A, 12,288 only in B"_s;
        for (int width = 600; width > 10; width -= 7) {
            const QString cut = fittingName(metrics, said, {}, width);
            QVERIFY2(said.startsWith(cut.chopped(cut.endsWith(QChar(0x2026)))), qPrintable(cut));
            for (const QString &text : {cut, nameAndFigures(metrics, name, figures, width)}) {
                QVERIFY2(metrics.horizontalAdvance(text) <= width || text.size() <= 1,
                         qPrintable(text));
                for (QString number : text.split(u' ', Qt::SkipEmptyParts)) {
                    number.remove(QChar(0x2026));
                    if (!number.isEmpty() && number.front().isDigit())
                        QVERIFY2((said + figures).split(u' ').contains(number), qPrintable(text));
                }
            }
        }
        const QString section = name + u": scale"_s; // is a name: its end tells which it is
        const int wide = metrics.horizontalAdvance(section) - 10;
        QVERIFY(fittingName(metrics, section, {}, wide).endsWith(u"scale"_s));
        const int most = metrics.horizontalAdvance(name + figures);
        QVERIFY(nameAndFigures(metrics, name, figures, most * 3 / 4).endsWith(figures));
    }

    /// Beside the title of a section: cut, it says so.
    void notesOfSectionsAreCutAtTheirEnd()
    {
        PanelSection section(u"Error by output channel"_s, new QWidget, nullptr);
        section.setNote(u"worst first"_s);
        section.setVisible(true);
        for (int width = 400; width > 200; width -= 7) {
            section.resize(width, 60);
            for (const QLabel *label : section.findChildren<QLabel *>())
                QVERIFY2(label->fontMetrics().horizontalAdvance(label->text()) <= label->width(),
                         qPrintable(label->text()));
        }
    }

    /// Whole, then without its end, then without its begin as well: never both while there is room.
    void namesLoseWhatTheyShareInTurn()
    {
        const QFontMetrics metrics(QApplication::font());
        const QString whole = u"encoder_layers_0_weight_to_fp16"_s;
        const QString brief = u"\u20260_weight\u2026"_s;
        const QString noEnd = u"encoder_layers_0_weight\u2026"_s;
        const auto at = [&](const QString &room) {
            return fittingName(metrics, whole, brief, metrics.horizontalAdvance(room));
        };
        QCOMPARE(at(whole), whole);
        QCOMPARE(fittingName(metrics, whole, brief, metrics.horizontalAdvance(whole) - 1), noEnd);
        QCOMPARE(at(noEnd), noEnd);
        QCOMPARE(fittingName(metrics, whole, brief, metrics.horizontalAdvance(noEnd) - 1),
                 u"\u20260_weight_to_fp16"_s);
        QCOMPARE(at(brief), brief);
        const QString more = u"\u2026layers_0_weight\u2026"_s;
        if (metrics.horizontalAdvance(more) <
            metrics.horizontalAdvance(u"\u20260_weight_to_fp16"_s))
            QCOMPARE(at(more), more);
        QCOMPARE(fittingName(metrics, whole, u"\u2026fp16"_s,
                             metrics.horizontalAdvance(u"\u2026weight_to_fp16"_s)),
                 u"\u2026weight_to_fp16"_s);
        QVERIFY(fittingName(metrics, whole, brief, metrics.horizontalAdvance(brief) / 2)
                    .endsWith(QChar(0x2026)));
        // Of a sentence words go at its end: what it would end with belongs to another beginning.
        const QString said = u"2 of 258 output channels hold a single value"_s;
        QCOMPARE(fittingName(metrics, said, {}, metrics.horizontalAdvance(said) - 1),
                 u"2 of 258 output channels hold a single\u2026"_s);
        // What shares nothing is cut as other names are.
        QCOMPARE(fittingName(metrics, whole, {}, 80), elidedName(metrics, whole, 80));
    }

    /// What is left of a number would be another number.
    void wholeWordsStay()
    {
        const QFontMetrics metrics(QApplication::font());
        const QString text = u"10 is held as 0.2612; off by 9.7388, here"_s;
        const int whole = metrics.horizontalAdvance(text);
        QCOMPARE(elidedWords(metrics, text, whole), text);
        for (int width = metrics.horizontalAdvance(u'1') * 5; width < whole; ++width) {
            const QString cut = elidedWords(metrics, text, width);
            QVERIFY(metrics.horizontalAdvance(cut) <= width);
            QVERIFY2(cut.endsWith(QChar(0x2026)) && text.startsWith(cut.chopped(1) + u' '),
                     qPrintable(cut));
        }
        const int digits = metrics.horizontalAdvance(u"995"_s);
        QCOMPARE(elidedWords(metrics, u"995,328 B \u00B7 1.000"_s, digits), QChar(0x2026));
    }

    /// A shortcut with Ctrl moves the position: the row there is the only one selected.
    void heldKeysSelectNothingMore()
    {
        QStandardItemModel model(5, 2);
        QTableView table;
        table.setModel(&model);
        prepareTable(&table);
        table.show();
        QVERIFY(QTest::qWaitForWindowExposed(&table));
        chooseRow(&table, model.index(1, 0));
        QTest::keyPress(&table, Qt::Key_Control, Qt::ControlModifier);
        QTest::sendKeyEvent(QTest::Press, &table, Qt::Key_F9, QString(), Qt::ControlModifier);
        chooseRow(&table, model.index(3, 0));
        QCOMPARE(table.selectionModel()->selectedRows().size(), 1);
        QCOMPARE(table.selectionModel()->selectedRows().front().row(), 3);
        QTest::keyRelease(&table, Qt::Key_Control);
    }

    /// Each Tab shows where the keyboard is: a label is no stop of its own before its links, and
    /// one without a link is none.
    void linksAreStops()
    {
        showLabelsPlain();
        QWidget window;
        QVBoxLayout column(&window);
        QLineEdit before, after;
        column.addWidget(&before);
        QList<QLabel *> labels;
        for (const QString &text : {u"<a href=\"1\">one</a>"_s, u"none"_s,
                                    u"<a href=\"2\">two</a> and <a href=\"3\">three</a>"_s}) {
            labels += linkLabel(text, &window);
            column.addWidget(labels.back());
        }
        column.addWidget(&after);
        window.show();
        window.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        before.setFocus();
        const auto next = [](Qt::Key key) {
            QTest::keyClick(QApplication::focusWidget(), key);
            const auto *label = qobject_cast<QLabel *>(QApplication::focusWidget());
            return label ? label->selectedText() : u"end"_s;
        };
        for (const QString &stop : {u"one"_s, u"two"_s, u"three"_s, u"end"_s})
            QCOMPARE(next(Qt::Key_Tab), stop);
        QVERIFY(after.hasFocus());
        for (const QString &stop : {u"three"_s, u"two"_s, u"one"_s, u"end"_s})
            QCOMPARE(next(Qt::Key_Backtab), stop);
        QVERIFY(before.hasFocus());
        QStyleOption option;
        QStyleHintReturnVariant mark;
        QuietStyle().styleHint(QStyle::SH_TextControl_FocusIndicatorTextCharFormat, &option,
                               nullptr, &mark);
        // A frame would be cut at the edges of the label.
        QCOMPARE(mark.variant.value<QTextFormat>().background().color(),
                 option.palette.color(QPalette::Highlight));
    }

    /// The left part of 0.999952 is 0.99: a column of numbers that the edge cuts is covered,
    /// wherever one scrolls, and what a cell paints does not depend on where it stands.
    void edgesCutNoNumber()
    {
        QTableView table;
        QStandardItemModel model(30, 8);
        for (int row = 0; row < model.rowCount(); ++row) {
            for (int column = 0; column < model.columnCount(); ++column) {
                auto *item = new QStandardItem(u"0.999952"_s);
                item->setTextAlignment(column == 0 ? Qt::AlignLeft : Qt::AlignRight);
                model.setItem(row, column, item);
            }
        }
        table.setModel(&model);
        prepareTable(&table);
        table.resize(430, 200);
        table.show();
        QVERIFY(QTest::qWaitForWindowExposed(&table));
        const QHeaderView &header = *table.horizontalHeader();
        const auto covered = [&](int x) { // the cover stands above the viewport
            const QPoint at = table.viewport()->pos() + QPoint(x, 30);
            const QWidget *cover = nullptr;
            for (const QWidget *child :
                 table.findChildren<QWidget *>(QString(), Qt::FindDirectChildrenOnly)) {
                if (child != table.viewport() && child->isVisible() &&
                    child->geometry().contains(at) &&
                    child->testAttribute(Qt::WA_TransparentForMouseEvents) &&
                    child->mask().contains(at - child->pos()))
                    cover = child;
            }
            return cover != nullptr;
        };
        const int text = table.fontMetrics().horizontalAdvance(u"0.999952"_s);
        for (int scrolled = 0; scrolled <= table.horizontalScrollBar()->maximum(); scrolled += 7) {
            table.horizontalScrollBar()->setValue(scrolled);
            const int seen = table.viewport()->width();
            for (int column = 0; column < model.columnCount(); ++column) {
                const int left = header.sectionViewportPosition(column),
                          right = left + header.sectionSize(column);
                if (right <= 0 || left >= seen)
                    continue;
                const bool whole = right <= seen && right - text - 8 >= 0;
                const int inside = std::clamp((left + right) / 2, 0, seen - 1);
                if (column == 0 || whole)
                    QVERIFY2(!covered(inside), qPrintable(QString::number(column)));
                else if (right > seen + 8 || right < text)
                    QVERIFY2(covered(inside), qPrintable(QString::number(column)));
            }
        }
        table.horizontalScrollBar()->setValue(0);
        QCOMPARE(table.horizontalScrollBar()->value(), 0);
    }

    /// A column that is a part of a pixel too narrow grows as well: 0x402c is not "0x...2c".
    void numbersAreWhole()
    {
        for (const QString &number : {u"0x402c"_s, u"0x4130"_s, u"0.0811"_s, u"1,234,567"_s}) {
            QTableView table;
            QStandardItemModel model(1, 1);
            auto *item = new QStandardItem(number);
            item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
            model.setItem(0, 0, item);
            table.setModel(&model);
            prepareTable(&table);
            table.resize(430, 100);
            table.show();
            QVERIFY(QTest::qWaitForWindowExposed(&table));
            const int text = table.fontMetrics().horizontalAdvance(number);
            const auto ink = [&](int width) {
                table.setColumnWidth(0, width);
                table.viewport()->grab(); // paints: the column grows by itself after that
                QCoreApplication::processEvents();
                const QImage cell =
                    table.viewport()->grab(table.visualRect(model.index(0, 0))).toImage();
                int sum = 0;
                for (int y = 3; y < cell.height() - 3; ++y) {
                    for (int x = 2; x < cell.width() - 2; ++x)
                        sum += std::max(0, 200 - cell.pixelColor(x, y).lightness());
                }
                return sum;
            };
            const int whole = ink(300);
            for (int width = text - 3; width < text + 20; ++width) {
                const int now = ink(width);
                QVERIFY2(
                    std::abs(now - whole) * 10 < whole,
                    qPrintable(u"%1 in %2: %3 of %4"_s.arg(number).arg(width).arg(now).arg(whole)));
            }
        }
    }

    void columnsGrowUntilSized()
    {
        QStandardItemModel model(3, 3);
        QTableView table;
        table.setModel(&model);
        prepareTable(&table);
        setColumnWidths(table.horizontalHeader(), {6, 5, 6});
        const int least = table.columnWidth(0), middle = table.columnWidth(1);
        growColumns(&table, {0, 2});
        table.resize(900, 200);
        table.show();
        QVERIFY(QTest::qWaitForWindowExposed(&table));
        QVERIFY(table.columnWidth(0) > least);
        QCOMPARE(table.columnWidth(1), middle);
        QCOMPARE(table.columnWidth(0), table.columnWidth(2));
        QTRY_VERIFY2(std::abs(table.viewport()->width() - table.horizontalHeader()->length()) < 2,
                     qPrintable(u"%1 of %2"_s.arg(table.horizontalHeader()->length())
                                    .arg(table.viewport()->width())));
        table.resize(100, 200);
        QTRY_COMPARE(table.columnWidth(0), least);
        table.setColumnWidth(0, 50);
        table.resize(900, 200);
        QCoreApplication::processEvents();
        QCOMPARE(table.columnWidth(0), 50);
    }

    void firstKeyIsNotLost()
    {
        auto [session, dock] = Alone<WeightDock>();
        QVERIFY(showDock(dock, session, openSample("dense")));
        session.setPatchingEnabled(true);
        session.goToWeight(0);
        QVERIFY(settle(dock));
        QTableView &table = dock.grid().table();
        table.setFocus();
        table.selectionModel()->clear();
        QVERIFY(!table.currentIndex().isValid());
        QTest::keyClicks(&table, u"7"_s);
        QCOMPARE(table.currentIndex(), table.model()->index(0, 0));
        auto *editor = VERIFIED(table.findChild<QLineEdit *>());
        QCOMPARE(editor->text(), u"7"_s);
    }

    void bitsAreDrawn()
    {
        HexView view;
        view.setFile(OverlaidFile::fromMemory(std::vector<std::byte>(64), "bits.bin"));
        view.resize(view.contentWidth() + 4, 200);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        view.select({FileOffset(4), ByteCount(1)});
        const auto marked = [&view](double share) {
            const QRect cell = view.cellRect(4);
            const QImage picture = view.viewport()->grab().toImage();
            const QPoint at(cell.left() + 2 + int((cell.width() - 4) * share), cell.bottom() - 2);
            return picture.pixelColor(at * picture.devicePixelRatio());
        };
        const QColor filled = view.palette().color(QPalette::Active, QPalette::Highlight);
        const QColor empty = view.palette().color(QPalette::Base);
        view.markBits(BitRun{4, 4}); // the left half
        QCOMPARE(marked(0.25), filled);
        QCOMPARE(marked(0.75), empty);
        view.markBits(BitRun{0, 4});
        QCOMPARE(marked(0.25), empty);
        QCOMPARE(marked(0.75), filled);
    }

    void docksSayWhatTheyNeed()
    {
        auto [session, bundle] = Alone<BundleDock>();
        LayoutDock layout(session);
        HexDock hex(session);
        DiagnosticsDock diagnostics(session);
        const std::initializer_list<Dock *> docks{&bundle, &layout, &hex, &diagnostics};
        for (Dock *dock : docks) {
            QVERIFY(shown(*dock));
            QVERIFY(!dock->showsContent() && says(*dock, u"Open a bundle"_s));
        }
        session.setBundle(openSample("sparse"));
        for (Dock *dock : docks) {
            QTRY_VERIFY(!dock->busy());
            QCOMPARE(dock->showsContent(), dock != &diagnostics);
        }
        QVERIFY(says(diagnostics, u"Nothing is wrong"_s));
        session.setBundle(nullptr);
        for (Dock *dock : docks) {
            QTRY_VERIFY(!dock->busy());
            QVERIFY(!dock->showsContent());
        }
    }

    void stripAndTableFollowEachOther()
    {
        auto [session, dock] = Alone<LayoutDock>();
        QVERIFY(shown(dock, session, openSample("sparse")));
        auto *strip = dock.findChild<SectionStrip *>();
        auto *table = dock.findChild<QTableView *>();
        auto *model = qobject_cast<SectionModel *>(table->model());
        QAbstractItemModelTester tester(model);
        strip->setFocus();
        QTest::keyClick(strip, Qt::Key_Home);
        QTest::keyClick(strip, Qt::Key_Right);
        QCOMPARE(session.place().section, strip->current());
        QCOMPARE(model->sectionAt(table->currentIndex().row()), strip->current());
        const int row = table->currentIndex().row() + 1;
        table->scrollTo(model->index(row, 0));
        QTest::mouseClick(table->viewport(), Qt::LeftButton, {},
                          table->visualRect(model->index(row, 0)).center());
        QCOMPARE(session.place().section, model->sectionAt(row));
        QCOMPARE(strip->current(), model->sectionAt(row));
        QSignalSpy raised(&dock, &LayoutDock::raiseRequested);
        table->setFocus();
        QTest::keyClick(table, Qt::Key_Return);
        QCOMPARE(raised.size(), 1);
        QCOMPARE(raised.first().first().toString(), u"hex"_s);
    }

    void layoutOpensTheFileOfASection()
    {
        auto [session, dock] = Alone<LayoutDock>();
        QVERIFY(shown(dock, session, openSample("dense")));
        auto *strip = dock.findChild<SectionStrip *>();
        auto *files = dock.findChild<QComboBox *>();
        QCOMPARE(std::size_t(files->count()), session.bundle()->files().size());
        for (std::size_t file = 0; file < session.bundle()->files().size(); ++file) {
            const auto sections = session.bundle()->sectionsOf(file);
            session.goToSection(sections.first);
            QCOMPARE(strip->file(), file);
            QCOMPARE(files->currentIndex(), int(file));
            QCOMPARE(strip->current(), sections.first);
        }
    }

    void diagnosticsJump()
    {
        auto [session, dock] = Alone<DiagnosticsDock>();
        QVERIFY(shown(dock, session, openSample("dense")));
        auto *table = dock.findChild<QTableView *>();
        auto *model = qobject_cast<DiagnosticsModel *>(table->model());
        QAbstractItemModelTester tester(model);
        const std::size_t file = weightFile(*session.bundle());
        Diagnostic row;
        row.severity = Severity::Warning;
        row.error.code = "blob.padding";
        row.error.file = session.bundle()->files()[file].path;
        row.error.offset = FileOffset(64);
        row.error.length = ByteCount(8);
        QSignalSpy counts(&dock, &DiagnosticsDock::countsChanged);
        dock.addRow(row);
        QCOMPARE(counts.size(), 1);
        QCOMPARE(dock.countOf(Severity::Warning), 1U);
        QSignalSpy raised(&dock, &DiagnosticsDock::raiseRequested);
        table->setCurrentIndex(model->index(model->rowCount() - 1, 0));
        table->setFocus();
        QTest::keyClick(table, Qt::Key_Return);
        QCOMPARE(raised.size(), 1);
        QCOMPARE(session.place().file, file);
        QCOMPARE(session.place().bytes.value_or(ByteRange{}),
                 (ByteRange{FileOffset(64), ByteCount(8)}));
        for (QToolButton *button : dock.findChildren<QToolButton *>()) {
            if (button->text().contains(u"warning"_s))
                button->click();
        }
        QCOMPARE(model->rowCount(), 0);
        QVERIFY(actionOf(dock, u"Copy Rows"_s));
    }

    void diagnosticsCheckPayloads()
    {
        auto [session, dock] = Alone<DiagnosticsDock>();
        QVERIFY(shown(dock, session, openSample("sparse")));
        QTRY_VERIFY(!dock.busy());
        const std::size_t before = dock.countOf(Severity::Error) + dock.countOf(Severity::Warning);
        QCOMPARE(before, 0U);
        // One more bit in the mask than there are values.
        const std::size_t sparse = weightWith(*session.bundle(), codec::PartRole::Mask);
        const Weight &weight = session.bundle()->weights()[sparse];
        const OperandPlace &mask = *weight.operand(codec::PartRole::Mask)->place;
        session.tasks().quiesce();
        QVERIFY(turnByte(*session.bundle(), mask.file, mask.dataOffset, std::byte{1}));
        session.updateBundle(session.bundle());
        QTRY_VERIFY(dock.countOf(Severity::Error) + dock.countOf(Severity::Warning) > 0);
    }

    void diagnosticsTakeRowsWithoutABundle()
    {
        auto [session, dock] = Alone<DiagnosticsDock>();
        QVERIFY(shown(dock));
        Diagnostic row;
        row.error.code = "io.open";
        row.error.file = "no/such.mlmodelc";
        row.error.message = "No such file";
        dock.addRow(row);
        QVERIFY(dock.showsContent());
        QCOMPARE(dock.countOf(Severity::Error), 1U);
        auto *table = dock.findChild<QTableView *>();
        const int message = qobject_cast<DiagnosticsModel *>(table->model())->columnOf("message");
        QVERIFY(table->columnViewportPosition(message) < table->viewport()->width() / 2);
        table->setCurrentIndex(table->model()->index(0, 0));
        table->setFocus();
        QTest::keyClick(table, Qt::Key_Return);
        QVERIFY(!session.bundle());
    }
};

KERNSCOPE_TEST(TestDockBehaviour, QApplication)
#include "tst_dock_behaviour.moc"
