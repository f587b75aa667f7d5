// SPDX-License-Identifier: GPL-3.0-or-later
#include "patches_fixture.h"
#include "tests/test_program.h"
#include "widgets/common/fixed_font.h"
#include "widgets/models/patch_list_model.h"
#include "widgets/patch/edit_line.h"
#include "widgets/patch/patches_dock.h"

#include <QLineEdit>
#include <QTableView>

using namespace kernscope;

/// The rows of the list of patches: as high as their texts need, the newest in view.
class TestPatchRows : public test::PatchesTest
{
    Q_OBJECT

private Q_SLOTS:
    void longTextsTakeTwoLines();
    void lines_data();
    void lines();
    void theNewestIsInSight();

private:
    void add(const QString &edit);
};

void TestPatchRows::add(const QString &edit)
{
    auto *line = dock().findChild<ui::EditLine *>()->lineEdit();
    line->setFocus();
    line->setText(edit);
    QTest::keyClick(line, Qt::Key_Return);
    QVERIFY(m_window->settle());
}

/// A place or a note that is too long for its column goes on in a second line of a higher row.
void TestPatchRows::longTextsTakeTwoLines()
{
    openPatches();
    (*m_window)->resize(1280, 800);
    // Near an entry of the codebook: how far off it is would be said in the note.
    add(weightName(0) + QStringLiteral("[5]=0.3025"));
    const auto &model = *qobject_cast<ui::PatchListModel *>(table().model());
    const int line = table().fontMetrics().height();
    table().setColumnWidth(model.columnOf("edit"), 20 * line);
    table().setColumnWidth(model.columnOf("note"), 20 * line);
    table().setColumnWidth(model.columnOf("where"), 20 * line);
    QTRY_VERIFY(table().rowHeight(0) < 2 * line);
    (*m_window)->document().setEditNote(
        0, QStringLiteral("what the release notes of this build say of it"));
    QVERIFY(m_window->settle());
    table().setColumnWidth(model.columnOf("note"), 12 * line);
    QTRY_VERIFY(table().rowHeight(0) >= 2 * line);
    table().setColumnWidth(model.columnOf("note"), 40 * line);
    QTRY_VERIFY(table().rowHeight(0) < 2 * line);
}

void TestPatchRows::lines_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QByteArray>("key");
    QTest::addColumn<int>("letters");
    QTest::addColumn<QStringList>("lines");
    // Lines as they are written here: parted by "|", "~" is the mark of what was left out.
    const auto row = [](const char *name, const char *text, const char *key, int letters,
                        const char *lines) {
        QTest::newRow(name) << QString::fromLatin1(text) << QByteArray(key) << letters
                            << QString::fromLatin1(lines)
                                   .replace(QLatin1Char('~'), QChar(0x2026))
                                   .split(QLatin1Char('|'));
    };
    row("fits", "w[5]=0.25", "edit", 40, "w[5]=0.25");
    row("index", "conv_0_weight[16,0,0,1]=0.25", "edit", 18, "conv_0_weight|[16,0,0,1]=0.25");
    row("value goes first", "conv_0_weight[16,0,0,1]=0.0640869140625", "edit", 14,
        "conv_0_weight|[16,0,0,1]~");
    row("bytes", "weights/weight.bin+0x20=00 01", "edit", 18, "weights/weight.bin|+0x20=00 01");
    row("place", "weights/weight.bin+0x2941", "where", 18, "weights/weight.bin|+0x2941");
    row("offset is whole", "weights/weight.bin+0x2941 (+631 more)", "where", 12,
        "~/weight.bin|+0x2941~");
    row("note", "half of this channel", "note", 14, "half of this|channel");
}

void TestPatchRows::lines()
{
    QFETCH(QString, text);
    QFETCH(QByteArray, key);
    QFETCH(int, letters);
    QFETCH(QStringList, lines);
    const QFontMetrics metrics(ui::fixedFont());
    // A little more than the letters take: marks may be wider in a font of fixed width as well.
    QCOMPARE(ui::PatchRows::linesOf(text, key.toStdString(), metrics,
                                    (letters + 1) * metrics.horizontalAdvance(QLatin1Char('m'))),
             lines);
}

/// Also where a scroll bar or a higher row comes with it.
void TestPatchRows::theNewestIsInSight()
{
    openPatches();
    for (int i = 0; i < 12; ++i) {
        add(weightName(0) + QStringLiteral("[%1]=0.25").arg(i));
        QCoreApplication::sendPostedEvents();
        const QRect row = table().visualRect(table().currentIndex());
        // An element that is stored so already is no patch.
        QCOMPARE(table().currentIndex().row(), table().model()->rowCount() - 1);
        QVERIFY2(row.top() >= 0 && row.bottom() <= table().viewport()->height(),
                 qPrintable(QStringLiteral("row %1 ends at %2 of %3")
                                .arg(i)
                                .arg(row.bottom())
                                .arg(table().viewport()->height())));
    }
    QVERIFY(table().model()->rowCount() > 8);
}

KERNSCOPE_TEST(TestPatchRows, QApplication)
#include "tst_patch_rows.moc"
