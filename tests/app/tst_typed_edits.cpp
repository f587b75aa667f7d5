// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/status_line.h"
#include "core/form/operand_place.h"
#include "main_window_fixture.h"
#include "sample_bundles.h"
#include "widgets/bytes/hex_view.h"
#include "widgets/chips/engine_docks.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/labels.h"
#include "widgets/hardware/tasks_dock.h"
#include "widgets/models/words.h"
#include "widgets/patch/edit_line.h"
#include "widgets/patch/patches_dock.h"
#include "widgets/weight/weight_grid_view.h"

using app::Layout;

/// Bytes, registers and cells changed by hand: typed digits, a number in a dialog, pasted rows.
class TestTypedEdits : public MainWindowTest
{
    Q_OBJECT

private Q_SLOTS:
    void init() { openSameWindow(); }
    void cleanup() { leaveSameWindow(); }

    void digitsChangeAByte()
    {
        QVERIFY(m_window->open({sample(u"dense"_s)}));
        ui::HexView *view = VERIFIED(hexAt(0x20));
        QTest::keyClicks(view, u"a5"_s); // locked: nothing
        QVERIFY(m_window->settle());
        QCOMPARE(patches(), std::size_t{0});
        session().setPatchingEnabled(true);
        view->select({FileOffset(0x20), ByteCount(1)});
        QSignalSpy said(&session(), &ui::Session::statusMessage);
        QTest::keyClicks(view, u"a5"_s);
        QTRY_COMPARE(patches(), std::size_t{1});
        // The digit that is missing is asked for until it is typed.
        QVERIFY(said.size() > 1 && said.first().first().toString().contains(u"0x20"_s));
        QVERIFY(!said.last().first().toString().contains(u"digit"_s));
        QCOMPARE(std::to_integer<int>(view->bytes()[0x20]), 0xa5);
        QCOMPARE(view->cursor(), std::uint64_t{0x21});
        session().undoStack().undo();
        QVERIFY(m_window->settle());
        QCOMPARE(std::to_integer<int>(view->bytes()[0x20]), 0);
    }

    void whatBreaksIsAskedFirst()
    {
        QVERIFY(m_window->open({sample(u"dense"_s)}));
        session().setPatchingEnabled(true);
        ui::HexView *view = hexAt(0x40); // the sentinel of the first record
        QVERIFY(view);
        for (const bool anyway : {false, true}) {
            view->select({FileOffset(0x40), ByteCount(1)});
            QTest::keyClicks(view, u"00"_s);
            QMessageBox *box = nullptr;
            QTRY_VERIFY((box = (*m_window)->findChild<QMessageBox *>()) != nullptr);
            QVERIFY(!box->informativeText().isEmpty());
            QCOMPARE(patches(), std::size_t{0});
            const auto role = anyway ? QMessageBox::AcceptRole : QMessageBox::RejectRole;
            for (QAbstractButton *button : box->buttons()) {
                if (box->buttonRole(button) == role)
                    button->click();
            }
            QTRY_VERIFY((*m_window)->findChild<QMessageBox *>() == nullptr);
            QTRY_COMPARE(patches(), std::size_t{anyway ? 1U : 0U});
        }
        session().undoStack().undo();
    }

    /// A weight's stored bytes: an edit of those, which the weight then reads.
    void weightsBytesAreTyped()
    {
        QVERIFY(m_window->open({sample(u"dense"_s)}));
        session().setPatchingEnabled(true);
        ui::HexView *view = VERIFIED(hexAt(0x80));
        QTest::keyClicks(view, u"00"_s);
        QTRY_COMPARE(patches(), std::size_t{1});
        QTest::keyClicks(view, u"3c"_s);
        QTRY_COMPARE(patches(), std::size_t{2});
        bool found = false;
        for (std::size_t i = 0; i < session().bundle()->weights().size(); ++i) {
            const OperandPlace &place = *session().bundle()->weights()[i].operands().front().place;
            found |= place.dataOffset.value == 0x80 && valueAt(*session().bundle(), i, 0) == 1.0F;
        }
        QVERIFY(found);
        QVERIFY(notices().texts().isEmpty());
    }

    void everyNumberField_data()
    {
        QTest::addColumn<QString>("build");
        for (const char *build : {"sparse", "palette", "affine", "hardware"})
            addRow(build, QString::fromLatin1(build));
    }

    /// Finds every field in which a number is typed, and types the same texts into each, where one
    /// is first found: it becomes the number that was meant, or it is refused where one types.
    void everyNumberField()
    {
        QFETCH(const QString, build);
        constexpr double kNone = 1e300; // no number at all
        const std::vector<std::pair<QString, double>> texts{
            {u"0,05"_s, kNone},     {u"0x10"_s, 16},         {u"0x3c00"_s, 15360},
            {u"1.5"_s, 1.5},        {u"0.25"_s, 0.25},       {u"nan"_s, std::nan("")},
            {u"-inf"_s, -HUGE_VAL}, {u"0x1.8p-3"_s, 0.1875}, {u"1e-7"_s, 1e-7},
            {u"010"_s, 10},         {u"1 000"_s, kNone},     {u"--1"_s, kNone},
            {u"5x"_s, kNone},       {u"1e"_s, kNone}};
        const auto same = [](double a, double b) {
            return a == b || (std::isnan(a) && std::isnan(b));
        };
        if (build == QLatin1String("affine")) {
            document().openMemory({"made.mlmodelc", sampleBundle("affine").options().memory});
        } else if (build == QLatin1String("hardware")) {
            QVERIFY(m_window->open({writeHardware()}));
        } else {
            QVERIFY(m_window->open({sample(build)}));
        }
        QVERIFY(m_window->settle());
        session().setPatchingEnabled(true);
        std::size_t shown = 0;
        for (std::size_t i = 0; i < session().bundle()->weights().size(); ++i) {
            const Weight &weight = session().bundle()->weights()[i];
            if (weight.has(codec::PartRole::Mask) || weight.has(codec::PartRole::Lut) ||
                weight.has(codec::PartRole::Scale))
                shown = i;
        }
        if (!session().bundle()->weights().empty())
            session().goToWeight(shown);
        QSignalSpy asked(&session(), &ui::Session::editsRequested);
        int boxes = 0, lines = 0, cells = 0;
        const auto isNew = [this](const ui::Dock &dock, qsizetype number, const QWidget &field) {
            const auto before = m_typedInto.size();
            m_typedInto << u"%1 %2 %3"_s.arg(dock.id(), field.accessibleName()).arg(number);
            return m_typedInto.size() > before;
        };
        for (const app::DockSet::Entry &entry : docks().entries()) {
            QVERIFY(showAlone(*entry.dock));
            const auto allBoxes = entry.dock->findChildren<QAbstractSpinBox *>();
            for (auto *box : allBoxes) {
                auto *whole = dynamic_cast<ui::IntegerBox *>(box);
                auto *part = dynamic_cast<ui::DecimalBox *>(box);
                QVERIFY2(whole || part, qPrintable(box->accessibleName()));
                if (!box->isEnabled() ||
                    !box->isVisibleTo(entry.dock)) // the axis that makes the rows
                    continue;
                auto *line = box->findChild<QLineEdit *>();
                const auto value = [&] { return whole ? whole->value() : part->value(); };
                ++boxes;
                if (!isNew(*entry.dock, allBoxes.indexOf(box), *box))
                    continue;
                for (const auto &[text, meant] : texts) {
                    const double before = value();
                    box->selectAll();
                    QTest::keyClicks(box, text);
                    const bool refused = !line->accessibleDescription().isEmpty();
                    QVERIFY2(line->text().contains(text),
                             qPrintable(box->accessibleName() + QLatin1Char(' ') + text +
                                        u" is "_s + line->text()));
                    QTest::keyClick(box, Qt::Key_Return);
                    // What is given up leaves no warning with the number that is put back.
                    QVERIFY2(line->accessibleDescription().isEmpty(),
                             qPrintable(box->accessibleName() + QLatin1Char(' ') + text));
                    QVERIFY2(refused ? same(value(), before) : same(value(), meant),
                             qPrintable(box->accessibleName() + QLatin1Char(' ') + text));
                    QVERIFY2(refused || meant != kNone,
                             qPrintable(box->accessibleName() + QLatin1Char(' ') + text));
                }
            }
            const auto allLines = entry.dock->findChildren<QLineEdit *>();
            for (auto *line : allLines) {
                const QValidator *check = line->validator();
                if (!check || line->parentWidget()->inherits("QAbstractSpinBox"))
                    continue;
                // No other validator: those of Qt drop keys and commas.
                const auto *numbers = dynamic_cast<const ui::NumberValidator *>(check);
                QVERIFY2(numbers, qPrintable(line->accessibleName()));
                ++lines;
                if (!isNew(*entry.dock, allLines.indexOf(line), *line))
                    continue;
                const QString before = line->text();
                for (const auto &[text, meant] : texts) {
                    line->setText({});
                    QTest::keyClicks(line, text);
                    QCOMPARE(line->text(), text);
                    const double low = numbers->rule().least, high = numbers->rule().most;
                    const bool free = std::isinf(low) && std::isinf(high);
                    const bool fits = meant != kNone && (free || (meant >= low && meant <= high)) &&
                                      (!numbers->rule().integer || meant == std::floor(meant));
                    QVERIFY2(line->hasAcceptableInput() == fits,
                             qPrintable(line->accessibleName() + QLatin1Char(' ') + text));
                    QCOMPARE(line->accessibleDescription().isEmpty(), fits);
                }
                line->setText(before);
            }
            for (auto *view : entry.dock->findChildren<QAbstractItemView *>()) {
                if (!view->isVisible() || !view->model() || view->inherits("QHeaderView"))
                    continue;
                QSet<int> columns; // with a cell of each kind
                for (int i = 0; i < 64; ++i) {
                    const QModelIndex index = view->model()->index(i / 8, i % 8);
                    const bool editable = index.isValid() && index.flags() & Qt::ItemIsEditable;
                    if (!editable || columns.contains(index.column()) || columns.size() > 2)
                        continue;
                    columns.insert(index.column());
                    const QVariant integer = index.data(ui::kNumberRole);
                    if (!integer.isValid()) { // then it is text: a note
                        QVERIFY2(!ui::typedNumber(index.data(Qt::EditRole).toString()),
                                 qPrintable(view->accessibleName()));
                        continue;
                    }
                    ++cells;
                    const int row = index.row(), column = index.column();
                    for (const auto &[text, meant] : texts) {
                        QVERIFY(m_window->settle());
                        auto *line = openCell(*view, view->model()->index(row, column));
                        QVERIFY2(line, qPrintable(view->accessibleName() + text));
                        asked.clear();
                        line->setText({});
                        QTest::keyClicks(line, text);
                        QCOMPARE(line->text(), text);
                        const bool refused = !line->accessibleDescription().isEmpty();
                        const bool fits = meant != kNone &&
                                          (!integer.toBool() || meant == std::floor(meant)) &&
                                          (!integer.toBool() || std::isfinite(meant));
                        QVERIFY2(refused != fits, qPrintable(view->accessibleName() + text));
                        QTest::keyClick(line, refused ? Qt::Key_Escape : Qt::Key_Return);
                        if (refused) {
                            QCOMPARE(asked.size(), 0);
                            continue;
                        }
                        QTRY_COMPARE(asked.size(), 1);
                        const Edit edit = asked.front().front().value<std::vector<Edit>>().front();
                        QVERIFY2(
                            same(integer.toBool() ? static_cast<double>(edit.stored) : edit.value,
                                 meant),
                            qPrintable(view->accessibleName() + text));
                    }
                }
            }
        }
        QVERIFY2(boxes >= 15 && lines >= 7, qPrintable(u"%1 %2"_s.arg(boxes).arg(lines)));
        // The grid; the codebook or the scales beside it.
        const int tables =
            build == QLatin1String("palette") || build == QLatin1String("affine") ? 1 : 0;
        QVERIFY2(build == QLatin1String("hardware") || cells > tables,
                 qPrintable(QString::number(cells)));
        newWindow(); // the fields keep what was typed
    }

    /// A comma in an offset groups three digits, or it is none; a list has no hexadecimal by
    /// accident.
    void listsAndOffsetsAreStrict()
    {
        QCOMPARE(ui::parseOffset(u"1,000"_s, 0, 5000), std::optional<std::uint64_t>(1000));
        QVERIFY(!ui::parseOffset(u"0,05"_s, 0, 5000));
        QVERIFY(!ui::parseOffset(u"1 2"_s, 0, 5000));
        auto *collective = VERIFIED(qobject_cast<ui::CollectiveDock *>(dock(u"collective"_s)));
        QLineEdit *extents = &collective->extents();
        for (const char *sound : {"2 x 4", "2x4", "2,4", "0x10"}) {
            extents->setText(QString::fromLatin1(sound));
            QVERIFY2(extents->accessibleDescription().isEmpty(), sound);
        }
        extents->setText(u"2.5 x 4"_s);
        QVERIFY(extents->accessibleDescription().contains(QLatin1String("'.'")));
    }

    /// The code of a cell where that is double clicked, the value elsewhere; by a key as well.
    void codesAreEdited()
    {
        QVERIFY(m_window->open({sample(u"dense"_s)}));
        session().setPatchingEnabled(true);
        auto *grid = VERIFIED(gridOf(0));
        QTableView &table = grid->table();
        const QModelIndex cell = grid->model().index(1, 1);
        const QRect place = table.visualRect(cell);
        const auto editor = [&](bool code) -> QLineEdit * {
            const QPoint at(code ? place.left() + 6 : place.right() - 6, place.center().y());
            QTest::mouseClick(table.viewport(), Qt::LeftButton, {}, at);
            QTest::mouseDClick(table.viewport(), Qt::LeftButton, {}, at);
            return editorIn(table);
        };
        QLineEdit *line = VERIFIED(editor(false));
        QCOMPARE(line->text(), cell.data(Qt::EditRole).toString());
        QTest::keyClick(line, Qt::Key_Escape);
        QTRY_VERIFY(!table.viewport()->findChild<QLineEdit *>());
        line = VERIFIED(editor(true));
        QCOMPARE(line->text(), cell.data(ui::WeightGridModel::CodeRole).toString());
        line->clear();
        QTest::keyClicks(line, u"0x3c00"_s);
        QTest::keyClick(line, Qt::Key_Return);
        QTRY_COMPARE(patches(), std::size_t{1});
        QVERIFY(session().patches().front().edit->edit.kind == Edit::Kind::SetStored);
        const auto element = *grid->model().elementAt(grid->model().index(1, 1));
        QCOMPARE(valueAt(*session().bundle(), 0, element), 1.0F);
        QVERIFY(m_window->settle());
        grid->editCode();
        line = VERIFIED(editorIn(table));
        QCOMPARE(line->text(), u"0x3c00"_s);
    }

    /// What the form cannot hold near the number is said with the distance and the range, and
    /// coloured, in the grid and in the line below.
    void farValuesAreNoticed()
    {
        QVERIFY(m_window->open({sample(u"palette"_s)}));
        session().setPatchingEnabled(true);
        const std::size_t weight = weightWith(*session().bundle(), codec::PartRole::Lut);
        auto *grid = VERIFIED(gridOf(weight));
        auto *line = VERIFIED(openCell(grid->table(), grid->model().index(0, 0)));
        const auto *answer = VERIFIED(grid->findChild<ui::ElidedLabel *>());
        line->clear();
        QTest::keyClicks(line, u"1000"_s);
        QVERIFY2(grid->answer().contains(QLatin1String("off by")) &&
                     grid->answer().contains(QLatin1String("; the form holds ")) &&
                     grid->answer().contains(QLatin1String(" here, off by ")),
                 qPrintable(grid->answer()));
        const QColor ink = ui::warningInk(answer->palette());
        QVERIFY(ui::theme::contrast(ink, answer->palette().color(QPalette::Base)) >= 4.5);
        QCOMPARE(answer->palette().color(QPalette::WindowText), ink);
        QTest::keyClick(line, Qt::Key_Escape);
        QTRY_VERIFY(answer->palette().color(QPalette::WindowText) != ink);
        // In the line of edits; what the program itself put there is no fault.
        session().goToElement(weight, 0);
        docks().patches()->beginEdit(Edit::Kind::Set);
        auto *edits = VERIFIED(docks().patches()->findChild<ui::EditLine *>());
        auto *said = edits->findChild<QLabel *>(u"editAnswer"_s);
        QTRY_VERIFY(edits->answer().startsWith(QLatin1String("Type the rest")));
        QVERIFY(said->palette().color(QPalette::WindowText) != ink);
        QTest::keyClicks(edits->lineEdit(), u"1000"_s);
        QTRY_VERIFY2(edits->answer().contains(QLatin1String("off by")),
                     qPrintable(edits->answer()));
        QCOMPARE(said->palette().color(QPalette::WindowText), ink);
        // The answer does not stay when the same is done elsewhere.
        session().requestEdits(
            {*parseEdit(Edit::Kind::Set, edits->lineEdit()->text().toStdString())}, {});
        QTRY_VERIFY2(edits->answer().contains(QLatin1String("nothing changes")),
                     qPrintable(edits->answer()));
    }

    /// A cell that is still being typed in is saved, and listed before; one that holds no number is
    /// given up, and that is said.
    void savesWhatIsListed()
    {
        const QString path = sample(u"dense"_s);
        const FileBytes before = filesBelow(path);
        QVERIFY(m_window->open({path}));
        patch();
        auto *grid = VERIFIED(gridOf(0));
        QVERIFY(activate());
        auto *line = openCell(grid->table(), grid->model().index(2, 3));
        QVERIFY(line && line->hasFocus());
        line->clear();
        QTest::keyClicks(line, u"0.75"_s);
        QTest::keyClick(line, Qt::Key_S, Qt::ControlModifier);
        auto *save = VERIFIED(test::dialog());
        QCOMPARE(patches(), std::size_t{2});
        const auto listed = document().pendingRanges();
        QCOMPARE(save->findChild<QTableView *>()->model()->rowCount(), int(listed.size()));
        QTest::keyClick(save, Qt::Key_Return);
        QTRY_VERIFY(!document().modified());
        const FileBytes after = filesBelow(path);
        qsizetype changed = 0, promised = 0;
        for (const auto &[name, content] : after)
            changed += differences(before.at(name), content).size();
        for (const WrittenRange &range : listed)
            promised += qsizetype(range.range.bytes.value);
        QCOMPARE(changed, promised);
        // No number: nothing to save, and nothing is written.
        QVERIFY(m_window->settle());
        QVERIFY(activate());
        line = openCell(grid->table(), grid->model().index(2, 3));
        QVERIFY(line && line->hasFocus());
        line->clear();
        QTest::keyClicks(line, u"0,5"_s);
        action(u"Close Bundle"_s)->trigger();
        QVERIFY(m_window->settle());
        QVERIFY(!document().isOpen());
        QVERIFY(filesBelow(path) == after);
        const QString said = (*m_window)->statusLine().message();
        QVERIFY2(said.startsWith(QLatin1String("Not changed.")) &&
                     said.contains(QLatin1String("','")),
                 qPrintable(said));
    }

    /// What came after the list was shown is not written: it is listed first.
    void writesNothingElse()
    {
        const QString path = sample(u"dense"_s);
        const FileBytes before = filesBelow(path);
        QVERIFY(m_window->open({path}));
        patch();
        action(u"Save\u2026"_s)->trigger();
        auto *first = VERIFIED(test::dialog());
        patch(0.5); // the same place: the ranges stay, the bytes do not
        QTest::keyClick(first, Qt::Key_Return);
        QTRY_VERIFY(QApplication::activeModalWidget() != nullptr &&
                    QApplication::activeModalWidget() != first);
        QVERIFY(filesBelow(path) == before);
        QVERIFY((*m_window)->statusLine().message().contains(QLatin1String("Nothing was written")));
        QTest::keyClick(QApplication::activeModalWidget(), Qt::Key_Return);
        QTRY_VERIFY(!document().modified());
        QVERIFY(filesBelow(path) != before);
    }

    /// A file with another name is not written in place; into a copy goes what was listed, or the
    /// list is shown again.
    void linkedFilesAreCopied()
    {
        const QString path = sample(u"dense"_s);
        const QString file = path + u"/weights/weight.bin"_s;
        const QString other = m_folder->filePath(u"other.bin"_s);
        std::filesystem::create_hard_link(file.toStdString(), other.toStdString());
        const QByteArray before = contentOf(other);
        QVERIFY(m_window->open({path}));
        patch();
        const auto saveListed = [this] {
            action(u"Save\u2026"_s)->trigger();
            auto *dialog = test::dialog();
            if (dialog != nullptr)
                QTest::keyClick(dialog, Qt::Key_Return);
        };
        const auto intoCopy = [this] { return answerButton(u"Save into a Copy of the File"_s); };
        saveListed();
        QTRY_COMPARE(notices().texts().size(), 1);
        const QString why = notices().texts().constFirst();
        QVERIFY2(why.contains(QLatin1String("hard link")) && !why.contains(QLatin1String("--")),
                 qPrintable(why));
        patch(0.5); // was not listed
        VERIFIED(intoCopy())->click();
        auto *again = VERIFIED(test::dialog());
        QVERIFY(contentOf(file) == before);
        QTest::keyClick(again, Qt::Key_Return);
        QTRY_VERIFY(m_window->settle() && intoCopy() != nullptr);
        intoCopy()->click();
        QTRY_VERIFY(!document().modified());
        QVERIFY(contentOf(file) != before);
        QCOMPARE(contentOf(other), before);
        QTRY_VERIFY(notices().texts().isEmpty());
        // What is shown is the copy from now on: further edits are saved into it.
        session().checkFiles();
        QVERIFY(session().filesHold());
        patch(0.25);
        document().save(false);
        QTRY_VERIFY(!document().modified());
    }

    /// Nothing is listed as on the disk that is not there; a copy can be saved.
    void goneFilesAreNotListed()
    {
        const QString path = sample(u"dense"_s);
        QVERIFY(m_window->open({path}));
        patch();
        QVERIFY(QFile::remove(path + u"/weights/weight.bin"_s));
        action(u"Save\u2026"_s)->trigger();
        QTRY_VERIFY(!notices().texts().isEmpty());
        QVERIFY(QApplication::activeModalWidget() == nullptr);
        const QString why = notices().texts().constLast();
        QVERIFY2(why.contains(QLatin1String("is gone from the disk")), qPrintable(why));
        QVERIFY(document().modified());
    }

    /// Keys with Ctrl move what is selected with the current cell, in every table.
    void currentIsSelected()
    {
        QVERIFY(m_window->open({sample(u"palette"_s), sample(u"dense"_s)}));
        session().goToWeight(weightWith(*session().bundle(), codec::PartRole::Lut));
        int walked = 0;
        for (const app::DockSet::Entry &entry : docks().entries()) {
            entry.dock->show();
            entry.dock->raise();
            QVERIFY(m_window->settle());
            for (auto *view : entry.dock->findChildren<QAbstractItemView *>()) {
                const auto *model = view->model();
                if (!view->isVisible() || !model || model->rowCount() < 3 ||
                    view->selectionMode() == QAbstractItemView::NoSelection ||
                    view->inherits("QHeaderView") || view->inherits("QComboBoxListView"))
                    continue;
                ui::chooseRow(view, model->index(1, 0));
                ++walked;
                for (const int key : {Qt::Key_End, Qt::Key_Up, Qt::Key_Home, Qt::Key_Down,
                                      Qt::Key_PageDown, Qt::Key_PageUp}) {
                    QTest::keyClick(view, Qt::Key(key), Qt::ControlModifier);
                    const QModelIndex now = view->currentIndex();
                    const auto *chosen = view->selectionModel();
                    const bool rows = view->selectionBehavior() == QAbstractItemView::SelectRows;
                    QVERIFY2(chosen->isSelected(now) &&
                                 (rows ? chosen->selectedRows(now.column()).size()
                                       : chosen->selectedIndexes().size()) == 1,
                             qPrintable(view->accessibleName() + QString::number(key)));
                }
            }
        }
        QVERIFY2(walked >= 8, qPrintable(QString::number(walked)));
        // With Shift from where the selection began; what is copied and changed is what is shown.
        auto *grid = VERIFIED(gridOf(0));
        ui::chooseRow(&grid->table(), grid->model().index(1, 2));
        QTest::keyClick(&grid->table(), Qt::Key_Home, Qt::ControlModifier | Qt::ShiftModifier);
        QCOMPARE(grid->table().selectionModel()->selectedIndexes().size(), 6);
        QTest::keyClick(&grid->table(), Qt::Key_Right, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(grid->table().selectionModel()->isSelected(grid->model().index(1, 2)));
        QTest::keyClick(&grid->table(), Qt::Key_Home, Qt::ControlModifier);
        grid->copySelection();
        QCOMPARE(QGuiApplication::clipboard()->text().trimmed(),
                 grid->model().index(0, 0).data(ui::CopyRole).toString());
    }

    /// F2 in the list of patches, and a note: Qt has nothing to warn of.
    void notesBringNoWarning()
    {
        QVERIFY(m_window->open({sample(u"dense"_s)}));
        patch();
        auto *view = VERIFIED(shownIn<QTableView>(u"patches"_s));
        QVERIFY(activate());
        QTest::failOnWarning(QRegularExpression(u"does not belong to this view"_s));
        for (const bool enter : {true, false}) {
            view->setFocus();
            QTest::keyClick(view, Qt::Key_F2);
            auto *line = VERIFIED(editorIn(*view));
            const QString note = enter ? u"first"_s : u"second"_s;
            line->clear();
            QTest::keyClicks(line, note);
            if (enter)
                QTest::keyClick(line, Qt::Key_Return);
            else
                view->setFocus();
            QTRY_COMPARE(QString::fromStdString(session().patches().front().note), note);
            QVERIFY(m_window->settle());
        }
    }

    void aFieldIsChangedByValue()
    {
        QVERIFY(m_window->open({writeHardware()}));
        layouts().show(Layout::Hardware);
        QVERIFY(m_window->settle());
        auto *dock = VERIFIED(qobject_cast<ui::TasksDock *>(this->dock(u"tasks"_s)));
        dock->raise();
        QVERIFY(m_window->settle());
        QTreeView &tree = dock->registerView();
        const QModelIndex header = dock->registers().index(0, 0);
        const QModelIndex word = dock->registers().index(2, 0, header);
        QVERIFY(word.isValid());
        tree.setCurrentIndex(dock->registers().index(0, 0, word));
        const QString name = tree.currentIndex().data(ui::CopyRole).toString();
        const auto ask = [dock] {
            for (QAction *action : dock->menuActions()) {
                if (action->shortcut() == QKeySequence(Qt::Key_F2))
                    action->trigger();
            }
            return dock->findChild<QInputDialog *>();
        };
        QVERIFY(!ask()); // locked: nothing is asked that cannot be done
        session().setPatchingEnabled(true);
        auto *dialog = VERIFIED(ask());
        QVERIFY(dialog->labelText().contains(QLatin1String("Header[2]")));
        QVERIFY2(dialog->labelText().contains(QLatin1String(", now ")) &&
                     dialog->labelText().contains(QLatin1String("bit")),
                 qPrintable(dialog->labelText())); // its bits and its present value
        for (const auto *button : dialog->findChildren<QPushButton *>())
            QVERIFY(button->icon().isNull());
        QCOMPARE(answerTo(*dialog, u"5x"_s), u"Character 2:"_s);
        QCOMPARE(answerTo(*dialog, u"0x5"_s), QString());
        dialog->accept();
        QTRY_COMPARE(patches(), std::size_t{1});
        QCOMPARE(session().patches().front().edit->newText, "5");
        // One goes on at the same field.
        QVERIFY(m_window->settle());
        const QModelIndex now = tree.currentIndex();
        QCOMPARE(now.data(ui::CopyRole).toString(), name);
        QCOMPARE(now.parent().data(ui::CopyRole).toString(), u"Header[2]"_s);
        QVERIFY(tree.isExpanded(now.parent()) &&
                tree.selectionModel()->isRowSelected(now.row(), now.parent()));
        session().undoStack().undo();
        // A number that has more bits than the field is refused where it can still be put right.
        dialog = VERIFIED(ask());
        QCOMPARE(answerTo(*dialog, u"0x100000000"_s), u"The field"_s);
        dialog->reject();
        delete dialog;
        // A whole register names its fields; of the words, the one that is chosen there is meant.
        tree.setCurrentIndex(word);
        dialog = VERIFIED(ask());
        QVERIFY2(dialog->labelText().contains(u'\n' + name.section(u' ', 0, 0)),
                 qPrintable(dialog->labelText()));
        delete dialog;
        auto *words = VERIFIED(dock->findChild<QTabWidget *>());
        words->setCurrentIndex(1);
        auto *wordView = VERIFIED(qobject_cast<QTreeView *>(words->currentWidget()));
        wordView->setCurrentIndex(dock->words().index(4, 0));
        dialog = VERIFIED(ask());
        QVERIFY2(dialog->labelText().contains(u"Header[4]"_s), qPrintable(dialog->labelText()));
        QCOMPARE(dialog->textValue(), dock->words().index(4, 1).data().toString());
    }

    void rowsArePasted()
    {
        QVERIFY(m_window->open({sample(u"dense"_s)}));
        auto *grid = VERIFIED(gridOf(0));
        grid->table().setCurrentIndex(grid->model().index(1, 1));
        QGuiApplication::clipboard()->setText(u"0.5\t0x3800 0.25\n\t-2\n"_s);
        grid->paste(); // locked
        QCOMPARE(patches(), std::size_t{0});
        session().setPatchingEnabled(true);
        grid->paste();
        QTRY_COMPARE(patches(), std::size_t{3});
        QCOMPARE(session().undoStack().count(), 1);
        const auto element = grid->model().elementAt(grid->model().index(2, 2));
        QCOMPARE(valueAt(*session().bundle(), 0, *element), -2.0F);
        session().undoStack().undo();
        // All of it or nothing: what is no number, not finite, or beyond the weight is named.
        QSignalSpy said(&session(), &ui::Session::statusMessage);
        const auto refused = [&](const QString &text, const QString &why, int row = 1) {
            grid->table().setCurrentIndex(grid->model().index(row, 1));
            QGuiApplication::clipboard()->setText(text);
            said.clear();
            grid->paste();
            return said.size() == 1 && said.first().first().toString().contains(why) &&
                   session().undoStack().index() == 0;
        };
        QVERIFY(refused(u"0.5\nx 1,5"_s, u"1,5"_s));
        QVERIFY(refused(u"0.5\tnan"_s, u"nan"_s));
        QVERIFY(refused(u"0.5\n0.5"_s, u"beyond"_s, grid->model().rowCount() - 1));
        QVERIFY(refused(u"words"_s, u"words"_s));
        QVERIFY(refused(QString(), u"no numbers"_s));
    }

    void selectedCellsAreComputed()
    {
        QVERIFY(m_window->open({sample(u"dense"_s)}));
        session().setPatchingEnabled(true);
        auto *grid = VERIFIED(gridOf(0));
        grid->table().selectionModel()->select(
            {grid->model().index(0, 0), grid->model().index(2, 2)},
            QItemSelectionModel::ClearAndSelect);
        const float before = valueAt(*session().bundle(), 0, 0);
        for (QAction *action : grid->actions()) {
            if (action->text().startsWith(QLatin1String("Change Selected")))
                action->trigger();
        }
        auto *dialog = VERIFIED(dock(u"weight"_s)->findChild<QInputDialog *>());
        // What cannot be read is said while it can still be put right, with the place in what was
        // typed.
        QCOMPARE(answerTo(*dialog, u"-w*"_s), u"Character 4:"_s);
        QCOMPARE(answerTo(*dialog, u"-w*2"_s), QString());
        // Before and after of the first values, once they are made.
        const auto *shown = dialog->findChild<QLabel *>(u"typedAnswer"_s);
        QTRY_VERIFY2(shown->text().contains(QLatin1String("of 9 change")),
                     qPrintable(shown->text()));
        QVERIFY(shown->text().contains(QLatin1String("before: ") + ui::valueText(double(before))));
        QVERIFY(
            shown->text().contains(QLatin1String("after: ") + ui::valueText(-2 * double(before))));
        dialog->accept();
        // One edit, as it is written, and one step.
        QTRY_COMPARE(patches(), std::size_t{1});
        const Weight &weight = session().bundle()->weights()[0];
        const std::string text = editText(session().patches().front().edit->edit);
        QVERIFY2(text.starts_with(std::string(weight.findableName()) + "[0:3,") &&
                     text.ends_with("]=-w*2"),
                 text.c_str());
        QCOMPARE(session().undoStack().count(), 1);
        QCOMPARE(valueAt(*session().bundle(), 0, 0), -2 * before);
        session().undoStack().undo();
    }

private:
    ui::HexView *hexAt(std::uint64_t offset)
    {
        auto *view = shownIn<ui::HexView>(u"hex"_s);
        if (view)
            view->select({FileOffset(offset), ByteCount(1)});
        return view;
    }

    /// Each dock that is on view takes time after each edit.
    bool showAlone(ui::Dock &dock)
    {
        for (const app::DockSet::Entry &entry : docks().entries())
            entry.dock->setVisible(entry.dock == &dock);
        return m_window->settle();
    }

    /// One that was closed goes later.
    static QLineEdit *editorIn(const QAbstractItemView &view)
    {
        const auto editors = view.viewport()->findChildren<QLineEdit *>();
        return editors.isEmpty() ? nullptr : editors.last();
    }

    static QLineEdit *openCell(QAbstractItemView &view, const QModelIndex &index)
    {
        view.scrollTo(index);
        view.setCurrentIndex(index);
        view.edit(index);
        return editorIn(view);
    }

    ui::WeightGridView *gridOf(std::size_t weight)
    {
        session().goToWeight(weight);
        return shownIn<ui::WeightGridView>(u"weight"_s);
    }

    /// The first two words that the dialog says of a text; it can be accepted where it says none.
    static QString answerTo(QInputDialog &dialog, const QString &typed)
    {
        dialog.setTextValue(typed);
        const auto *answer = dialog.findChild<QLabel *>(u"typedAnswer"_s);
        const auto *buttons = dialog.findChild<QDialogButtonBox *>();
        if (!answer || !buttons)
            return u"no answer"_s;
        if (buttons->button(QDialogButtonBox::Ok)->isEnabled() != answer->text().isEmpty())
            return u"can be accepted and cannot"_s;
        return answer->text().section(QLatin1Char(' '), 1, 2);
    }

    std::size_t patches() { return session().patches().size(); }

    QSet<QString> m_typedInto; ///< by everyNumberField()
};

KERNSCOPE_TEST(TestTypedEdits, QApplication)
#include "tst_typed_edits.moc"
