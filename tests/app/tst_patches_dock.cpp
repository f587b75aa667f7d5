// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/patch/edit/edit_parser.h"
#include "patches_fixture.h"
#include "tests/core/bundle/second_function.h"
#include "widgets/common/file_dialogs.h"
#include "widgets/common/labels.h"
#include "widgets/models/patch_list_model.h"
#include "widgets/models/short_names.h"
#include "widgets/models/theme.h"
#include "widgets/patch/edit_line.h"
#include "widgets/patch/typed_edits.h"

class TestPatchesDock : public test::PatchesTest
{
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        openPatches();
        line().begin(Edit::Kind::Set, {}); // as in a new window
        table().setFocus();
    }
    void cleanup() { leaveSameWindow(); }

    void modelHolds()
    {
        ui::PatchListModel model;
        const QAbstractItemModelTester tester(&model);
        QCOMPARE(model.rowCount(), 0);
        AppliedEdit edit;
        edit.edit.weight = "w";
        edit.edit.indices = {IndexRange{3, 4, false, true}};
        edit.oldText = "1";
        edit.newText = "2";
        edit.bytes = {{0, FileOffset(16), {std::byte{1}}, {std::byte{2}}}};
        const auto shared = std::make_shared<const AppliedEdit>(edit);
        model.setPatches(session().bundle(), {{shared, 0, true}, {shared, 1, false}});
        QCOMPARE(model.rowCount(), 2);
        const auto cell = [&model](int row, const char *key, int role = Qt::DisplayRole) {
            return model.index(row, model.columnOf(key)).data(role);
        };
        QCOMPARE(cell(0, "active", Qt::CheckStateRole).toInt(), int(Qt::Checked));
        QCOMPARE(cell(1, "active", Qt::CheckStateRole).toInt(), int(Qt::Unchecked));
        QCOMPARE(cell(0, "new").toString(), u"2"_s);
        QCOMPARE(cell(0, "bytes").toString(), u"1"_s);
        for (int column = 0; column < model.columnCount(); ++column)
            QVERIFY(
                !model.headerData(column, Qt::Horizontal, Qt::ToolTipRole).toString().isEmpty());
        QSignalSpy wanted(&model, &ui::PatchListModel::switchWanted);
        QVERIFY(model.setData(model.index(1, 0), Qt::Checked, Qt::CheckStateRole));
        QCOMPARE(wanted.takeFirst(), (QVariantList{QVariant::fromValue(std::size_t{1}), true}));
        QVERIFY(model.setData(model.index(0, 0), Qt::Unchecked, Qt::CheckStateRole));
        QCOMPARE(wanted.takeFirst(), (QVariantList{QVariant::fromValue(std::size_t{0}), false}));
        model.setPatches(nullptr, {});
        QCOMPARE(model.rowCount(), 0);
    }

    void addsByKeys()
    {
        type(weightName(0) + u"[5]=0.25"_s);
        QTest::keyClick(line().lineEdit(), Qt::Key_Return);
        QVERIFY(document().modified());
        QVERIFY(m_window->settle());
        QCOMPARE(table().model()->rowCount(), 1);
        QVERIFY(line().lineEdit()->text().isEmpty());
        session().undoStack().undo();
        QVERIFY(!document().modified());
    }

    void numbersAreWhole()
    {
        // As long as numbers of fp32 get; the old value is as the file has it.
        add(weightName(0) + u"[5]=-1.2345679e-05"_s);
        const QAbstractItemView &view = table(); // where the hint is public
        const auto &model = *qobject_cast<ui::PatchListModel *>(table().model());
        for (const char *key : {"old", "new"}) {
            const int column = model.columnOf(key);
            QVERIFY2(table().columnWidth(column) >= view.sizeHintForColumn(column), key);
        }
    }

    void placesAreInSight_data()
    {
        QTest::addColumn<QSize>("size");
        addRow("1400x900", QSize(1400, 900));
        addRow("1280x800", QSize(1280, 800));
    }

    /// Every column of the list of patches is within its edge, and the offset of a place is whole.
    void placesAreInSight()
    {
        QFETCH(QSize, size);
        (*m_window)->resize(size);
        layouts().show(app::Layout::Patch);
        layouts().reset();
        add(weightName(0) + u"[5]=0.25"_s);
        QCOMPARE((*m_window)->size(), size);
        const auto &model = *qobject_cast<ui::PatchListModel *>(table().model());
        QVERIFY2(table().horizontalHeader()->length() <= table().viewport()->width(),
                 qPrintable(u"%1 of %2"_s.arg(table().horizontalHeader()->length())
                                .arg(table().viewport()->width())));
        const int where = model.columnOf("where");
        const QString offset = model.index(0, where).data(ui::kShortNameRole).toString();
        QVERIFY2(offset.startsWith(QChar(0x2026) + u"+0x"_s), qPrintable(offset));
        QVERIFY(table().fontMetrics().horizontalAdvance(offset) + 8 <= table().columnWidth(where));
        newWindow(); // its columns keep their widths
    }

    /// The tick says whether an edit is on, a mark beside it whether the disk lacks it.
    void savedEditsLoseTheirMark()
    {
        const auto mark = [this](int row) { return table().model()->index(row, 0).data(); };
        add(weightName(0) + u"[5]=0.25"_s);
        QCOMPARE(mark(0), ui::theme::glyph(ui::Token::MarkChanged));
        document().save(false);
        QTRY_COMPARE(mark(0), QString());
        QVERIFY(m_window->settle());
        const float value = valueAt(*session().bundle(), 0, 7);
        add(weightName(0) + (value > 0 ? u"[7]=-0.9"_s : u"[7]=0.9"_s));
        QCOMPARE(table().model()->rowCount(), 2);
        QCOMPARE(mark(0), QString());
        QCOMPARE(mark(1), ui::theme::glyph(ui::Token::MarkChanged));
        tick(1, false);
        QCOMPARE(mark(1), QString());
    }

    void answersWhileTyping()
    {
        const auto weight = weightWith(*session().bundle(), codec::PartRole::Lut);
        QVERIFY(weight != kNoIndex);
        type(weightName(weight) + u"[0]=0.12345"_s);
        QTRY_VERIFY(line().answer().contains(u"0.12345"_s));
        QVERIFY(line().answer().contains(u"entry"_s));
        // Of several, how many.
        line().begin(Edit::Kind::Fill, weightName(weight) + u"[0:3]=0.5"_s);
        QTRY_COMPARE(line().answer(), u"Sets 3 elements of "_s + weightName(weight));
        QVERIFY(!document().modified());
    }

    void answersFaults_data()
    {
        QTest::addColumn<QString>("text");
        addRow("no value", "%1[0]");
        addRow("no weight", "nothing[0]=1");
        addRow("past the end", "%1[99999999]=1");
        addRow("too many axes", "%1[0,0,0,0,0,0,0]=1");
        addRow("no number", "%1[0]=abc");
    }

    void answersFaults()
    {
        QFETCH(QString, text);
        if (text.contains(QLatin1String("%1")))
            text = text.arg(weightName(0));
        type(text);
        QTRY_VERIFY(line().answer().startsWith(u"\u2715"_s));
        QTest::keyClick(line().lineEdit(), Qt::Key_Return);
        QVERIFY(line().answer().startsWith(u"\u2715"_s));
        QVERIFY(!document().modified());
        QCOMPARE(line().lineEdit()->text(), text); // to be mended
    }

    void refusesLocked()
    {
        session().setPatchingEnabled(false);
        type(weightName(0) + u"[5]=0.25"_s);
        QTest::keyClick(line().lineEdit(), Qt::Key_Return);
        QVERIFY(!document().modified());
        QVERIFY(line().answer().startsWith(u"\u2715"_s));
        QCOMPARE(notices().texts().size(), 1);
    }

    /// What is exported makes the same bundle of the file on disk, and refuses another.
    void exportsForAnotherCopy()
    {
        edit(1, 7, 0.3337);
        edit(0, 7, 0.3337);
        QVERIFY(m_window->settle());
        const QString path = m_folder->filePath(u"made.kpatch"_s);
        dock().exportTo(path);
        QVERIFY(m_window->settle());
        QTRY_VERIFY(QFile::exists(path));
        const std::string text = contentOf(path).toStdString();
        const patch::ScriptOrigin origin = patch::scriptOrigin(text);
        QCOMPARE(origin.base.size(), std::size_t{64});
        const auto fresh = VERIFIED(Bundle::open(m_path.toStdString()));
        QVERIFY(patch::checkBase(origin, **fresh, "made.kpatch"));
        QVERIFY(!patch::checkBase(origin, *session().bundle(), "made.kpatch"));
        const auto edits = VERIFIED(parseEditScript(text, "made.kpatch"));
        const auto planned = VERIFIED(planOnFork(*fresh, *edits, 0));
        QVERIFY(patch::checkResult(origin, *planned->bundle, "made.kpatch"));
    }

    /// A row leads to its element, shows its bytes, and is copied as a command.
    void rowsAreOfTheirPlace()
    {
        edit(1, 7, 9);
        QVERIFY(m_window->settle());
        session().goToWeight(0);
        table().setFocus();
        table().selectRow(0);
        QTest::keyClick(&table(), Qt::Key_Return);
        QCOMPARE(session().place().weight, std::size_t{1});
        QCOMPARE(session().place().element.value(), std::uint64_t{7});
        QVERIFY(session().place().bytes);
        const auto *bytes = dock().findChild<QPlainTextEdit *>();
        QVERIFY(bytes->toPlainText().contains(u"weight.bin+0x"_s));
        for (QAction *action : dock().menuActions()) {
            if (action->text().contains(u"Command Line"_s))
                action->trigger();
        }
        const QString text = QGuiApplication::clipboard()->text();
        QVERIFY(text.startsWith(u"kernscope-cli patch '%1' --set '"_s.arg(m_path)));
        QVERIFY(text.endsWith(u"--in-place"_s));
        session().undoStack().undo();
    }

    void beginsWithTheSelectedCell()
    {
        session().goToElement(1, 0);
        dock().beginEdit();
        const QString text = line().lineEdit()->text();
        QVERIFY(text.startsWith(weightName(1) + QLatin1Char('[')));
        QVERIFY(text.endsWith(QLatin1Char('=')));
        QVERIFY(line().lineEdit()->hasFocus());
        QVERIFY(parseEdit(Edit::Kind::Set, (text + u"1"_s).toStdString()));
    }

    /// What the line begins with is a beginning of that kind: a person goes on typing.
    void beginsAsTheKindIsWritten()
    {
        session().goToElement(1, 3);
        const auto goesOn = [this](Edit::Kind kind, const QString &rest) {
            dock().beginEdit(kind);
            return parseEdit(kind, (line().lineEdit()->text() + rest).toStdString());
        };
        const auto taken = goesOn(Edit::Kind::FromNpy, u"w.npy"_s);
        QVERIFY(taken && taken->indices.empty());
        QCOMPARE(QString::fromStdString(taken->weight), weightName(1));
        QVERIFY(goesOn(Edit::Kind::Codebook, u"0][7]=-1"_s));
        QVERIFY(goesOn(Edit::Kind::Scale, u"4]=0.5"_s));
        QVERIFY(goesOn(Edit::Kind::SetStored, u"indices[17]=9"_s));
        QVERIFY(goesOn(Edit::Kind::Drop, {}));
        QVERIFY(goesOn(Edit::Kind::Keep, u"1"_s));
        QVERIFY(goesOn(Edit::Kind::Fill, u"1"_s));
        QVERIFY(goesOn(Edit::Kind::Compute, u"w*2"_s));
        session().goToBytes(0, {FileOffset(0x20), ByteCount(2)});
        const auto bytes = VERIFIED(goesOn(Edit::Kind::Bytes, u"00 01"_s));
        QVERIFY(line().lineEdit()->text().contains(u"+0x20="_s));
        dock().beginEdit(Edit::Kind::Field);
        QCOMPARE(line().lineEdit()->text(), QString());
    }

    /// File > Import Values of the Weight: the file is asked for, the name of the weight is there.
    void valuesOfAFileAreImported()
    {
        QAction *import = VERIFIED(action(u"Import Values"_s, false));
        import->trigger(); // no weight is chosen
        QVERIFY(!line().findChild<QFileDialog *>());
        session().goToElement(1, 3);
        import->trigger();
        auto *dialog = VERIFIED(line().findChild<QFileDialog *>());
        const QString file = m_folder->filePath(u"values.npy"_s);
        Q_EMIT dialog->fileSelected(file);
        dialog->close();
        QCOMPARE(line().lineEdit()->text(), weightName(1) + QLatin1Char('=') + file);
        QCOMPARE(ui::dialogFolder(&**m_window), m_folder->path());
    }

    /// A weight whose name another function has as well is meant by its address.
    void namesTheFunction()
    {
        const sample::SampleBundle made = sample::bundles().front();
        app::MemoryBundle bundle{made.name, made.files};
        test::addSecondFunction(bundle.files);
        document().openMemory(std::move(bundle));
        QVERIFY(m_window->settle());
        ui::Session &session = this->session();
        const std::size_t last = session.bundle()->weights().size() - 1;
        QVERIFY(session.bundle()->weights()[last].sharesName);
        session.setPatchingEnabled(true);
        session.goToElement(last, 0);
        dock().beginEdit();
        QVERIFY(line().lineEdit()->text().startsWith(u"second/"_s));
        QTest::keyClicks(line().lineEdit(), u"0.5"_s);
        QTest::keyClick(line().lineEdit(), Qt::Key_Return);
        QVERIFY(m_window->settle());
        QCOMPARE(session.patches().size(), std::size_t{1});
    }

    void quotesForTheShell()
    {
        QCOMPARE(ui::patchCommandLine(u"a b's"_s, {}),
                 u"kernscope-cli patch 'a b'\\''s' --in-place"_s);
    }

    /// What is copied holds without a tolerance, though the values asked for are not held.
    void scriptMakesTheSameBytes()
    {
        for (std::size_t weight = 0; weight < session().bundle()->weights().size(); ++weight)
            edit(weight, 2, 0.3337);
        QVERIFY(session().patches().size() > 1);
        const QString script = ui::patchScript(session().patches());
        const auto edits = VERIFIED(parseEditScript(script.toStdString(), "script"));
        QCOMPARE(edits->size(), session().patches().size());
        const std::vector<ui::PatchEntry> made = session().patches();
        session().undoStack().setIndex(0);
        const auto planned = VERIFIED(planEdits(session().bundle(), *edits, 0));
        for (std::size_t i = 0; i < made.size(); ++i) {
            QCOMPARE((*planned)[i].bytes.size(), made[i].edit->bytes.size());
            for (std::size_t run = 0; run < made[i].edit->bytes.size(); ++run) {
                QVERIFY((*planned)[i].bytes[run].offset == made[i].edit->bytes[run].offset);
                QVERIFY((*planned)[i].bytes[run].after == made[i].edit->bytes[run].after);
            }
        }
    }

    // The rows of the list of patches: as high as their texts need, the newest in view.
    /// A place or a note that is too long for its column goes on in a second line of a higher row.
    void longTextsTakeTwoLines()
    {
        (*m_window)->resize(1280, 800);
        // Near an entry of the codebook: how far off it is would be said in the note.
        add(weightName(0) + u"[5]=0.3025"_s);
        const auto &model = *qobject_cast<ui::PatchListModel *>(table().model());
        const int line = table().fontMetrics().height();
        table().setColumnWidth(model.columnOf("edit"), 20 * line);
        table().setColumnWidth(model.columnOf("note"), 20 * line);
        table().setColumnWidth(model.columnOf("where"), 20 * line);
        QTRY_VERIFY(table().rowHeight(0) < 2 * line);
        document().setEditNote(0, u"what the release notes of this build say of it"_s);
        QVERIFY(m_window->settle());
        table().setColumnWidth(model.columnOf("note"), 12 * line);
        QTRY_VERIFY(table().rowHeight(0) >= 2 * line);
        table().setColumnWidth(model.columnOf("note"), 40 * line);
        QTRY_VERIFY(table().rowHeight(0) < 2 * line);
        newWindow(); // its columns keep these widths
    }

    void lines()
    {
        const QFontMetrics metrics(ui::fixedFont());
        // Lines as they are written here: separated by "|", "~" is the mark of what was left out.
        const auto check = [&](const char *text, const char *key, int letters, const char *lines) {
            // A little more than they take: marks may be wider in a font of fixed width as well.
            const int width = (letters + 1) * metrics.horizontalAdvance(QLatin1Char('m'));
            QCOMPARE(ui::PatchRows::linesOf(QString::fromLatin1(text), key, metrics, width),
                     QString::fromLatin1(lines)
                         .replace(QLatin1Char('~'), QChar(0x2026))
                         .split(QLatin1Char('|')));
        };
        check("w[5]=0.25", "edit", 40, "w[5]=0.25");
        check("conv_0_weight[16,0,0,1]=0.25", "edit", 18, "conv_0_weight|[16,0,0,1]=0.25");
        // The value goes first.
        check("conv_0_weight[16,0,0,1]=0.0640869140625", "edit", 14, "conv_0_weight|[16,0,0,1]~");
        check("weights/weight.bin+0x20=00 01", "edit", 18, "weights/weight.bin|+0x20=00 01");
        check("weights/weight.bin+0x2941", "where", 18, "weights/weight.bin|+0x2941");
        // The offset is whole.
        check("weights/weight.bin+0x2941 (+631 more)", "where", 12, "~/weight.bin|+0x2941~");
        check("half of this channel", "note", 14, "half of this|channel");
    }

    /// Also where a scroll bar or a higher row comes with it.
    void theNewestIsInSight()
    {
        for (int i = 0; i < 12; ++i) {
            add(weightName(0) + u"[%1]=0.25"_s.arg(i));
            QCoreApplication::sendPostedEvents();
            const QRect row = table().visualRect(table().currentIndex());
            // An element that is stored so already is no patch.
            QCOMPARE(table().currentIndex().row(), table().model()->rowCount() - 1);
            QVERIFY2(row.top() >= 0 && row.bottom() <= table().viewport()->height(),
                     qPrintable(u"row %1 ends at %2 of %3"_s.arg(i)
                                    .arg(row.bottom())
                                    .arg(table().viewport()->height())));
        }
        QVERIFY(table().model()->rowCount() > 8);
    }

    // Single patches switched off and on, and their notes.
    void switchesOne()
    {
        QUndoStack &stack = session().undoStack();
        for (std::uint64_t element = 0; element < 3; ++element)
            edit(1, element * 9, 9);
        QVERIFY(m_window->settle());
        const int rows = table().model()->rowCount();
        QCOMPARE(rows, stack.count());
        QVERIFY(rows > 2);
        tick(0, false);
        QCOMPARE(table().model()->rowCount(), rows);
        QVERIFY(session().patches()[0].off && !session().patches()[0].active);
        for (int row = 1; row < rows; ++row)
            QVERIFY(session().patches()[std::size_t(row)].active);
        verifyAsPlanned();
        // One step back, and forward again.
        stack.undo();
        QVERIFY(session().patches()[0].active);
        verifyAsPlanned();
        stack.redo();
        QVERIFY(session().patches()[0].off);
        verifyAsPlanned();
        // The last one as well, then the first on again.
        tick(rows - 1, false);
        QVERIFY(session().patches()[0].off && session().patches().back().off);
        verifyAsPlanned();
        tick(0, true);
        QVERIFY(session().patches()[0].active && session().patches().back().off);
        verifyAsPlanned();
        stack.setIndex(0);
        QVERIFY(!document().modified());
    }

    /// The last edit is undone, and what is undone is redone.
    void ticksOfTheLast()
    {
        for (std::uint64_t element = 0; element < 3; ++element)
            edit(1, element * 9, 9);
        QVERIFY(m_window->settle());
        const int rows = table().model()->rowCount();
        tick(rows - 1, false); // a step of its own: undoing would be forgotten by the next edit
        QVERIFY(m_window->settle());
        QCOMPARE(session().undoStack().index(), rows + 1);
        QVERIFY(session().patches().back().off && !session().patches().back().active);
        session().undoStack().setIndex(0);
        QVERIFY(m_window->settle());
        tick(rows - 1, true);
        QCOMPARE(session().undoStack().index(), rows);
    }

    /// A later edit that took the entry of an earlier one takes another without it.
    void laterEditsArePlannedAnew()
    {
        const auto weight = weightWith(*session().bundle(), codec::PartRole::Lut);
        const std::string name = session().bundle()->weights()[weight].name;
        const auto entry = parseEdit(Edit::Kind::Codebook, name + "[0][3]=7");
        const auto value = parseEdit(Edit::Kind::Set, name + "[0]=7");
        QVERIFY(entry && value);
        session().requestEdits({*entry}, {});
        session().requestEdits({*value}, {});
        QVERIFY(m_window->settle());
        QCOMPARE(session().patches().size(), std::size_t{2});
        QCOMPARE(session().patches()[1].edit->stored, 7.0);
        tick(0, false);
        QCOMPARE(session().patches().size(), std::size_t{2});
        QVERIFY(session().patches()[0].off);
        QVERIFY(session().patches()[1].active);
        QVERIFY(session().patches()[1].edit->stored < 7.0);
        verifyAsPlanned();
        tick(0, true);
        QCOMPARE(session().patches()[1].edit->stored, 7.0);
        verifyAsPlanned();
    }

    void randomSwitches()
    {
        std::mt19937 random(4711);
        for (int round = 0; round < 15; ++round) {
            const std::size_t rows = session().patches().size();
            const auto action = random() % 5;
            if (action < 2 || rows == 0) {
                const auto weight = random() % session().bundle()->weights().size();
                const auto elements = session().bundle()->weights()[weight].elements.value;
                edit(weight, random() % elements, int(random() % 19) - 9);
            } else if (action < 4) {
                const int row = int(random() % rows);
                tick(row, !session().patches()[std::size_t(row)].active);
            } else if (random() % 2) {
                session().undoStack().undo();
            } else {
                session().undoStack().redo();
            }
            QVERIFY(m_window->settle());
            verifyAsPlanned();
            if (QTest::currentTestFailed())
                return;
        }
        session().undoStack().setIndex(0);
        QVERIFY(!document().modified());
    }

    void notesStay()
    {
        edit(1, 0, 9);
        edit(2, 0, 9);
        QVERIFY(m_window->settle());
        table().setFocus();
        table().selectRow(1);
        QTest::keyClick(&table(), Qt::Key_F2);
        auto *editor = VERIFIED(table().findChild<QLineEdit *>());
        QTest::keyClicks(editor, u"dead channel"_s);
        QTest::keyClick(editor, Qt::Key_Return);
        QTRY_COMPARE(session().patches()[1].note, "dead channel");
        tick(0, false);
        QCOMPARE(session().patches()[1].note, "dead channel");
        const QString script = ui::patchScript(session().patches());
        QVERIFY(script.startsWith(u"# note: dead channel\nset "_s));
        const auto edits = VERIFIED(parseEditScript(script.toStdString(), "script"));
        QCOMPARE(edits->size(), std::size_t{1});
        QCOMPARE(edits->front().note, "dead channel");
        // What was noted is one edit: the next one of its cell is another.
        edit(3, 0, 9);
        document().setEditNote(2, u"mine"_s);
        edit(3, 0, -9);
        QCOMPARE(session().patches().size(), std::size_t{4});
        QCOMPARE(session().patches()[2].note, "mine");
        QCOMPARE(session().patches()[3].note, "");
    }

    /// Undo takes back what was done last: the note, and not an edit before it.
    void notesAreSteps()
    {
        edit(1, 0, 9);
        edit(2, 0, 9);
        QUndoStack &stack = session().undoStack();
        const auto note = [this] { return session().patches()[0].note; };
        document().setEditNote(0, u"dead channel"_s);
        QCOMPARE(stack.count(), 3);
        document().setEditNote(0, u" dead  channel "_s); // the same
        QCOMPARE(stack.count(), 3);
        QVERIFY2(stack.undoText().startsWith(u"Note on "_s), qPrintable(stack.undoText()));
        stack.undo();
        QCOMPARE(note(), "");
        QVERIFY(session().patches()[0].active && session().patches()[1].active);
        stack.redo();
        QCOMPARE(note(), "dead channel");
        // A note must not forget what is undone.
        stack.setIndex(1);
        document().setEditNote(0, u"another"_s);
        QCOMPARE(note(), "another");
        QCOMPARE(stack.count(), 3);
        QCOMPARE(session().patches().size(), std::size_t{2});
        verifyAsPlanned();
    }

    /// A list that jumps to its end under the mouse makes the next click switch another edit.
    void theRowStays()
    {
        for (std::uint64_t element = 0; element < 40; ++element)
            edit(1, element * 9, 9);
        QVERIFY(m_window->settle());
        table().scrollToTop();
        for (const bool on : {false, true}) {
            // The first: in a low list the second is in sight only in part, and Qt scrolls to it.
            const QRect cell = table().visualRect(table().model()->index(0, 0));
            QTest::mouseClick(table().viewport(), Qt::LeftButton, {},
                              {cell.left() + cell.height() / 2, cell.center().y()});
            QVERIFY(m_window->settle());
            QCOMPARE(session().patches()[0].active, on);
            QCOMPARE(table().currentIndex().row(), 0);
            QCOMPARE(table().verticalScrollBar()->value(), 0);
        }
    }

    /// F2 writes the note where it is seen, however narrow the list is.
    void notesAreWrittenInView()
    {
        edit(1, 9, 9);
        QVERIFY(m_window->settle());
        table().setFixedWidth(200);
        table().horizontalScrollBar()->setValue(0);
        table().setFocus();
        QTest::keyClick(&table(), Qt::Key_F2);
        const auto *editor = VERIFIED(table().viewport()->findChild<QLineEdit *>());
        QVERIFY(table().viewport()->rect().contains(editor->geometry().center()));
        newWindow(); // its table keeps that width
    }

private:
    ui::EditLine &line() { return *dock().findChild<ui::EditLine *>(); }

    void type(const QString &text)
    {
        line().lineEdit()->setFocus();
        line().lineEdit()->clear();
        QTest::keyClicks(line().lineEdit(), text);
    }

    /// Types an edit and presses Enter.
    void add(const QString &edit)
    {
        type(edit);
        QTest::keyClick(line().lineEdit(), Qt::Key_Return);
        QVERIFY(m_window->settle());
    }
};

KERNSCOPE_TEST(TestPatchesDock, QApplication)
#include "tst_patches_dock.moc"
