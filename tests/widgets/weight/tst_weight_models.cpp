// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/edit/editor.h"
#include "made_bundle.h"
#include "tests/widgets/sample_bundles.h"
#include "widgets/common/number_field.h"
#include "widgets/models/part_models.h"
#include "widgets/models/weight_grid_model.h"
#include "widgets/models/words.h"
#include "widgets/weight/scale_panel.h"

using namespace kernscope::ui;
using kernscope::codec::PartRole;

namespace {

using Tester = QAbstractItemModelTester;

/// Lays an edit of the codec over the files, as the document does for edits of one size.
bool lay(const Bundle &bundle, std::size_t weight, const codec::EditPlan &plan)
{
    for (const codec::PartEdit &edit : plan.parts) {
        const codec::Operand *operand = bundle.weights()[weight].operand(edit.role);
        if (!operand || operand->place->isLiteral())
            return false;
        const FileOffset at(operand->place->dataOffset.value + edit.offset);
        if (!bundle.files()[operand->place->file].file->write(at, edit.bytes))
            return false;
    }
    return !plan.parts.empty();
}

/// Elements whose decoded value differs between two states of a bundle.
std::vector<float> decodeAll(const Bundle &bundle, std::size_t weight)
{
    const BundleReadLock lock(bundle);
    const auto decoder = bundle.decoder(weight);
    std::vector<float> values(decoder->elements().value);
    decoder->decodeFloat(0, values);
    return values;
}

bool read(WeightGridModel &model, const QModelIndex &index)
{
    model.data(index);
    return QTest::qWaitFor([&] { return model.data(index, WeightGridModel::ReadyRole).toBool(); },
                           10000);
}

/// Three rows; the scales take more digits than a table shows.
BundlePtr affineBundle()
{
    MadeBundle made;
    const std::string data = made.blob(ElementType::Int8, "[3, 2]", hex("01 02 03 04 05 06"));
    const std::string scales =
        made.blob(ElementType::Fp16, "[3]", halves({0.0123456F, 0.0234567F, 1.3344F}));
    const std::string zeros = made.blob(ElementType::Int8, "[3]", hex("00 01 FF"));
    made.line("tensor<fp16, [3, 2]> w = constexpr_affine_dequantize()[axis = int32(0), "
              "name = string(\"w\"), quantized_data = " +
              data + ", scale = " + scales + ", zero_point = " + zeros + "]");
    made.consume("w");
    return made.open().value_or(nullptr);
}

} // namespace

class TestWeightModels : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void gridShowsValuesAndCodes_data() { addBuilds(); }

    void gridShowsValuesAndCodes()
    {
        QFETCH(QString, build);
        const BundlePtr bundle = VERIFIED(openSample(build.toStdString()));
        const std::size_t weight = builtWeight(*bundle);
        QVERIFY(weight != kNoIndex);
        TaskManager tasks;
        WeightGridModel model(tasks);
        Tester tester(&model, Tester::FailureReportingMode::QtTest);
        const SliceMap map(bundle->weights()[weight].shape);
        model.setReader(std::make_shared<const WeightReader>(bundle, weight, map));
        QCOMPARE(model.rowCount(), int(map.rows()));
        QCOMPARE(model.columnCount(), int(map.cols()));
        QCOMPARE(model.data(model.index(0, 0)).toString(), u"\u2026"_s);
        QVERIFY(read(model, model.index(0, 0)));

        const auto decoder = bundle->decoder(weight);
        for (int col = 0; col < std::min(model.columnCount(), 20); ++col) {
            const QModelIndex index = model.index(1, col);
            const std::uint64_t element = *map.element(1, std::uint64_t(col));
            float value = 0;
            std::int64_t code = 0;
            decoder->decodeFloat(element, {&value, 1});
            decoder->codes(element, {&code, 1});
            QCOMPARE(index.data(WeightGridModel::ElementRole).toULongLong(), element);
            QCOMPARE(index.data(WeightGridModel::LeftOutRole).toBool(), !decoder->stored(element));
            QCOMPARE(index.data(WeightGridModel::ValueRole).toFloat(), value);
            QVERIFY(!index.data(WeightGridModel::ChangedRole).toBool());
            if (!decoder->stored(element)) {
                QCOMPARE(index.data().toString(), u"\u00B7"_s);
                QVERIFY(index.data(WeightGridModel::CodeRole).toString().isEmpty());
            } else if (build == "palette"_L1) {
                QCOMPARE(index.data(WeightGridModel::CodeRole).toString(), QString::number(code));
            } else {
                QCOMPARE(index.data(WeightGridModel::CodeRole).toString(),
                         hexNumber(std::uint64_t(code), 4));
            }
        }
        // Another slice, then nothing: the tester watches both resets.
        model.setReader(std::make_shared<const WeightReader>(bundle, weight, map), true);
        QVERIFY(read(model, model.index(0, 0)));
        model.setReader(nullptr);
        QCOMPARE(model.rowCount(), 0);
    }

    void gridOfHugeWeight()
    {
        // Only the arithmetic of the window: nothing is read unless a view asks. The model tester
        // would ask for every cell.
        const BundlePtr bundle = VERIFIED(openSample("dense"));
        TaskManager tasks;
        WeightGridModel model(tasks);
        const SliceMap map({std::uint64_t{1} << 22, std::uint64_t{1} << 16});
        model.setReader(std::make_shared<const WeightReader>(bundle, 0, map));
        QVERIFY(model.windowed());
        QCOMPARE(std::uint64_t(model.rowCount()), WeightGridModel::kMaxRows);
        const std::uint64_t row = map.rows() - 1, col = map.cols() - 1;
        QVERIFY(!model.indexOf(row, col).isValid());
        model.reveal(row, col);
        const QModelIndex last = model.indexOf(row, col);
        QVERIFY(last.isValid());
        QCOMPARE(model.elementAt(last), map.element(row, col));
        QCOMPARE(model.headerData(last.row(), Qt::Vertical).toString(), QString::number(row));
        model.reveal(0, 0);
        QCOMPARE(model.firstRow(), 0u);
    }

    void gridEdits()
    {
        const BundlePtr bundle = VERIFIED(openSample("dense"));
        TaskManager tasks;
        WeightGridModel model(tasks);
        model.setReader(
            std::make_shared<const WeightReader>(bundle, 0, SliceMap(bundle->weights()[0].shape)));
        QSignalSpy asked(&model, &WeightGridModel::editRequested);
        QVERIFY(!(model.flags(model.index(0, 2)) & Qt::ItemIsEditable));
        QVERIFY(!model.setData(model.index(0, 2), 0.5, Qt::EditRole));
        model.setEditable(true);
        QVERIFY(model.flags(model.index(0, 2)) & Qt::ItemIsEditable);
        QVERIFY(!model.setData(model.index(0, 2), u"much"_s, Qt::EditRole));
        QVERIFY(model.setData(model.index(0, 2), u"0.5"_s, Qt::EditRole));
        QCOMPARE(asked.count(), 1);
        QCOMPARE(asked.at(0).at(0).toULongLong(), 2u);
        QCOMPARE(asked.at(0).at(1).toDouble(), 0.5);
    }

    void changesAreThoseThatDecodeDifferently_data()
    {
        addColumns<QByteArray, bool>();
        addRow("dense", "dense"_ba, false);
        addRow("sparse", "sparse"_ba, false);
        addRow("index", "palette"_ba, false);
        addRow("entry", "palette"_ba, true);
    }

    void changesAreThoseThatDecodeDifferently()
    {
        const auto [build, codebook] = fetched<QByteArray, bool>();
        const BundlePtr bundle = VERIFIED(openSample(build.toStdString()));
        const std::size_t weight = builtWeight(*bundle);
        QVERIFY(weight != kNoIndex);
        QVERIFY(changedElements(*bundle, weight).empty());
        const std::vector<float> before = decodeAll(*bundle, weight);
        {
            const auto decoder = bundle->decoder(weight);
            const codec::Editor editor(*decoder);
            constexpr double kAny = std::numeric_limits<double>::infinity();
            std::uint64_t element = decoder->elements().value / 2;
            while (!decoder->stored(element))
                ++element;
            const double wanted = before[element] > 0 ? -0.3 : 0.3;
            const auto plan = VERIFIED(codebook ? editor.setCodebookEntry(0, 3, 0, 7.5, kAny)
                                                : editor.setElement(element, wanted, kAny));
            QVERIFY(lay(*bundle, weight, *plan));
        }
        const std::vector<float> after = decodeAll(*bundle, weight);
        std::set<std::uint64_t> differ;
        for (std::uint64_t e = 0; e < after.size(); ++e) {
            if (before[e] != after[e])
                differ.insert(e);
        }
        QVERIFY(codebook ? differ.size() > 1 : differ.size() == 1);
        QCOMPARE(changedElements(*bundle, weight), differ);
    }

    void codebookEntries()
    {
        const BundlePtr bundle = VERIFIED(openSample("palette"));
        const std::size_t weight = weightWith(*bundle, PartRole::Lut);
        const auto decoder = bundle->decoder(weight);
        auto data = VERIFIED(CodebookData::read(*bundle, weight, *decoder));
        CodebookModel model;
        Tester tester(&model, Tester::FailureReportingMode::QtTest);
        model.setData(*data);
        QCOMPARE(model.rowCount(), int(data->entries));
        QCOMPARE(model.data(model.index(0, model.columnOf("uses"))).toString(), u"\u2026"_s);
        model.setUses(decoder->codebookUse());
        std::uint64_t total = 0;
        double share = 0;
        for (int entry = 0; entry < model.rowCount(); ++entry) {
            total += *model.uses(entry);
            share += model.index(entry, model.columnOf("share")).data(SortRole).toDouble();
            QCOMPARE(model.value(entry), double(decoder->codebookValues()[std::size_t(entry)]));
            QCOMPARE(
                model.index(entry, CodebookModel::CodeColumn).data().toString().toInt(nullptr, 2),
                entry);
        }
        if (data->codebooks == 1)
            QCOMPARE(total, decoder->payloadElements().value);
        QVERIFY(std::abs(share - 1) < 1e-9);
        QSignalSpy asked(&model, &CodebookModel::editRequested);
        const QModelIndex value = model.index(2, CodebookModel::FirstValueColumn);
        QVERIFY(!(model.flags(value) & Qt::ItemIsEditable));
        model.setEditable(true);
        QVERIFY(model.flags(value) & Qt::ItemIsEditable);
        QVERIFY(!(model.flags(model.index(2, CodebookModel::IndexColumn)) & Qt::ItemIsEditable));
        QVERIFY(static_cast<QAbstractItemModel &>(model).setData(value, 1.25));
        QCOMPARE(asked.count(), 1);
        QCOMPARE(asked.at(0).at(1).toULongLong(), 2u);
        QCOMPARE(asked.at(0).at(3).toDouble(), 1.25);
        model.clear();
        QCOMPARE(model.columnCount(), 0);
    }

    /// The colour of a value near zero is that of the ground: a frame shows where it is.
    void codebookSwatchesAreFramed()
    {
        const BundlePtr bundle = VERIFIED(openSample("palette"));
        const std::size_t weight = weightWith(*bundle, PartRole::Lut);
        auto data = VERIFIED(CodebookData::read(*bundle, weight, *bundle->decoder(weight)));
        const QPalette before = QGuiApplication::palette();
        for (const bool dark : {false, true}) {
            QGuiApplication::setPalette(theme::palette(dark));
            CodebookModel model;
            model.setData(*data);
            const QModelIndex value = model.index(0, CodebookModel::FirstValueColumn);
            const QIcon icon = value.data(Qt::DecorationRole).value<QIcon>();
            const QImage image = icon.pixmap(QSize(16, 16), 1.0).toImage();
            QCOMPARE(image.size(), QSize(16, 16));
            const QColor ground = QGuiApplication::palette().color(QPalette::Base);
            for (const QPoint edge : {QPoint(0, 8), QPoint(15, 8), QPoint(8, 0), QPoint(8, 15)})
                QVERIFY(theme::contrast(image.pixelColor(edge), ground) >= 3);
            double largest = 0;
            for (int entry = 0; entry < model.rowCount(); ++entry)
                largest = std::max(largest, std::abs(model.value(entry)));
            QCOMPARE(image.pixelColor(8, 8), theme::diverging(model.value(0) / largest, dark));
        }
        QGuiApplication::setPalette(before);
    }

    /// One outlier that hardly an element has leaves the other entries their colours, as in the
    /// picture.
    void codebookColoursAreThoseOfThePicture()
    {
        const CodebookData data{1, 4, 1, {-0.25f, 0, 0.25f, 21}, {}, {}, ElementType::Fp16, 2};
        CodebookModel model;
        model.setData(data);
        model.setUses({5000, 800, 4000, 2});
        const auto colour = [&model](int row) {
            const QIcon icon = model.index(row, CodebookModel::FirstValueColumn)
                                   .data(Qt::DecorationRole)
                                   .value<QIcon>();
            return icon.pixmap(QSize(16, 16), 1.0).toImage().pixelColor(8, 8);
        };
        const bool dark = theme::isDark(QGuiApplication::palette());
        QCOMPARE(colour(0), theme::diverging(-1, dark));
        QCOMPARE(colour(2), theme::diverging(1, dark));
        QCOMPARE(colour(3), theme::diverging(1, dark));
    }

    void codebookDuplicatesAndUnused()
    {
        CodebookData data{2, 4, 2, {}, {}, {}, ElementType::Fp16, 2};
        data.values = {0, 1, 2, 3, 0, 1, 5, 6, /* second */ 1, 1, 2, 2, 3, 3, 4, 4};
        data.uses = {5, 0, 2, 3, 1, 1, 1, 0};
        CodebookModel model;
        Tester tester(&model, Tester::FailureReportingMode::QtTest);
        model.setData(data);
        QCOMPARE(model.columnCount(), 7); // index, code, two lanes, uses, share, note
        QCOMPARE(model.duplicateOf(2), std::optional(0));
        QVERIFY(!model.duplicateOf(1));
        const auto note = [&model](int row) {
            return model.index(row, model.columnOf("note")).data().toString();
        };
        QVERIFY(note(2).contains(u"duplicate"_s) && note(1).contains(u"never"_s));
        QCOMPARE(model.index(1, CodebookModel::CodeColumn).data().toString(), u"01"_s);
        QCOMPARE(model.index(0, model.columnOf("share")).data(SortRole).toDouble(), 0.5);
        model.setCodebook(1);
        QVERIFY(!model.duplicateOf(2));
        QCOMPARE(model.value(3, 1), 4.0);
        QVERIFY(note(3).contains(u"never"_s));
        model.setCodebook(2); // there is none
        QCOMPARE(model.codebook(), 1u);
    }

    void codebookChangesShow()
    {
        const BundlePtr bundle = VERIFIED(openSample("palette"));
        const std::size_t weight = weightWith(*bundle, PartRole::Lut);
        {
            const auto decoder = bundle->decoder(weight);
            const auto plan = VERIFIED(codec::Editor(*decoder).setCodebookEntry(
                0, 1, 0, 3.0, std::numeric_limits<double>::infinity()));
            QVERIFY(lay(*bundle, weight, *plan));
        }
        const auto decoder = bundle->decoder(weight);
        auto data = VERIFIED(CodebookData::read(*bundle, weight, *decoder));
        CodebookModel model;
        model.setData(*data);
        QVERIFY(model.changed(1, 0));
        QVERIFY(!model.changed(0, 0));
        QCOMPARE(model.value(1), 3.0);
        QVERIFY(model.index(1, model.columnOf("note")).data().toString().contains(QChar(0x25CF)));
    }

    void axesAreNamed()
    {
        Weight weight;
        weight.shape = {8, 4, 3, 3};
        QCOMPARE(axisNames(weight).last(), u"axis 3"_s);
        Consumer conv;
        conv.op = "conv";
        conv.param = "weight";
        weight.consumers = {conv};
        QCOMPARE(axisNames(weight),
                 (QStringList{u"out channel"_s, u"in channel"_s, u"ky"_s, u"kx"_s}));
        weight.consumers[0].via = {"transpose"}; // the axes of the op are not those of the weight
        QCOMPARE(axisNames(weight).first(), u"axis 0"_s);
        weight.consumers[0].via = {"cast"};
        weight.consumers[0].op = "conv_transpose";
        QCOMPARE(axisNames(weight).first(), u"in channel"_s);
        QCOMPARE(shapeWords(weight.shape), u"8\u00D74\u00D73\u00D73"_s);
    }

    void initTestCase() { qRegisterMetaType<std::vector<Edit>>(); }

    void init()
    {
        m_panel.reset();
        m_session = std::make_unique<ui::Session>();
        m_bundle = VERIFIED(affineBundle());
        m_session->setBundle(m_bundle);
        m_panel = std::make_unique<ui::ScalePanel>(*m_session);
        m_panel->resize(400, 500);
        m_panel->setWeight(m_bundle, 0);
        m_panel->show();
        m_panel->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(m_panel.get()));
        QTRY_VERIFY(!m_panel->working());
        QCOMPARE(m_panel->model().rowCount(), 3);
    }

    /// Enter without a change writes what was there: not what the table shows of it.
    void editorsHoldTheWholeValue()
    {
        m_session->setPatchingEnabled(true);
        QSignalSpy scales(&m_panel->model(), &ui::ScaleModel::scaleEdited);
        for (int row = 0; row < 3; ++row) {
            QLineEdit *editor = VERIFIED(edit(row, ui::ScaleModel::ScaleColumn));
            const double whole = m_panel->model().content().scaleOf(std::size_t(row));
            // Exactly: QCOMPARE takes numbers for equal that a table tells apart no more.
            QVERIFY2(editor->text().toDouble() == whole, qPrintable(editor->text()));
            QTest::keyClick(editor, Qt::Key_Escape);
        }
        QCOMPARE(scales.size(), 0);
        QLineEdit *editor = VERIFIED(edit(1, ui::ScaleModel::ZeroColumn));
        QCOMPARE(editor->text(), u"1"_s);
    }

    void lockedTypingIsAnswered()
    {
        QSignalSpy said(m_session.get(), &ui::Session::statusMessage);
        table().setCurrentIndex(m_panel->model().index(0, ui::ScaleModel::ScaleColumn));
        table().setFocus();
        QTest::keyClick(&table(), Qt::Key_5);
        QCOMPARE(said.size(), 1);
        QVERIFY(said.last().first().toString().contains(u"Ctrl+E"_s));
        QTest::keyClick(&table(), Qt::Key_F2);
        QCOMPARE(said.size(), 2);
        QTest::keyClick(&table(), Qt::Key_Down); // moves only
        QCOMPARE(said.size(), 2);
        QVERIFY(!table().findChild<QLineEdit *>());
    }

    /// What the edit would come to, as in the value grid; far values in the colour of a warning.
    void typingIsAnswered()
    {
        m_session->setPatchingEnabled(true);
        const auto *answer = table().findChild<QLabel *>(u"cellAnswer"_s);
        QVERIFY(answer && !answer->isVisible());
        const auto type = [this](int row, int column, const QString &text) {
            QLineEdit *editor = edit(row, column);
            if (editor == nullptr)
                return;
            editor->clear();
            QTest::keyClicks(editor, text);
        };
        const auto inkIs = [answer](bool warns) {
            return (answer->palette().color(answer->foregroundRole()) ==
                    ui::warningInk(answer->palette())) == warns;
        };
        type(0, ui::ScaleModel::ScaleColumn, u"0.3"_s);
        QVERIFY2(answer->isVisible() && answer->text().startsWith("0.3 is held as 0.30"_L1),
                 qPrintable(answer->text()));
        QVERIFY(inkIs(false));
        QVERIFY(table().viewport()->geometry().contains(answer->geometry()));
        QVERIFY(!answer->geometry().intersects(
            table().visualRect(table().currentIndex()).translated(table().viewport()->pos())));
        type(0, ui::ScaleModel::ScaleColumn, u"1e-9"_s); // held as 0 in fp16
        QVERIFY2(answer->text().contains("off by"_L1), qPrintable(answer->text()));
        QVERIFY(inkIs(true));
        type(2, ui::ScaleModel::ZeroColumn, u"5"_s);
        QVERIFY2(answer->text().contains("1 B touched"_L1), qPrintable(answer->text()));
        QVERIFY(inkIs(false));
        type(2, ui::ScaleModel::ZeroColumn, u"500"_s);
        QVERIFY2(answer->isVisible() && !answer->text().contains("touched"_L1),
                 qPrintable(answer->text()));
        QVERIFY(inkIs(true));
        QLineEdit *editor = VERIFIED(edit(1, ui::ScaleModel::ZeroColumn));
        QTest::keyClick(editor, Qt::Key_Escape);
        QVERIFY(!answer->isVisible());
    }

    /// An element of another weight: its scale is marked once the scales have come.
    void marksWhatIsStillRead()
    {
        m_panel->setWeight(nullptr, 0);
        m_panel->setWeight(m_bundle, 0);
        m_panel->showElement(5);
        QVERIFY(m_panel->working());
        QTRY_VERIFY(!m_panel->working());
        QCOMPARE(table().currentIndex().row(), 2);
        QVERIFY(table().selectionModel()->isRowSelected(2, {}));
    }

    /// A number that is cut says another one: no column is narrower than its numbers, and one that
    /// holds nothing takes no room from them.
    void numbersHaveRoom()
    {
        m_panel->resize(280, 500);
        m_panel->setWeight(nullptr, 0);
        m_panel->setWeight(m_bundle, 0);
        QTRY_VERIFY(!m_panel->working());
        const QAbstractItemView &view = table(); // where the hint is public
        for (int column = 0; column < m_panel->model().columnCount(); ++column) {
            QCOMPARE(table().isColumnHidden(column), column > ui::ScaleModel::ZeroColumn);
            QVERIFY(table().isColumnHidden(column) ||
                    table().columnWidth(column) >= view.sizeHintForColumn(column));
        }
        QVERIFY(table().horizontalHeader()->length() <= table().viewport()->width());
    }

    void rowsAreCopied()
    {
        table().selectAll();
        table().setFocus();
        QTest::keyClick(&table(), Qt::Key_C, Qt::ControlModifier);
        const QStringList lines = QGuiApplication::clipboard()->text().trimmed().split(u'\n');
        QCOMPARE(lines.size(), 3);
        QVERIFY2(lines[2].endsWith(u"\t-1"_s), qPrintable(lines[2]));
    }

    /// Context menus hold nothing that the menus of the window do not.
    void menusHoldTheTableAndThePlot()
    {
        const QList<QAction *> all = m_panel->menuActions();
        for (const QWidget *widget :
             {static_cast<QWidget *>(&table()), m_panel->findChild<QWidget *>(u"scalePlot"_s)}) {
            QVERIFY(widget);
            QVERIFY(!widget->actions().isEmpty());
            QCOMPARE(widget->contextMenuPolicy(), Qt::ActionsContextMenu);
            for (QAction *action : widget->actions())
                QVERIFY2(all.contains(action), qPrintable(action->text()));
        }
    }

private:
    QTableView &table() { return m_panel->table(); }

    /// Opens the editor of a cell as F2 does.
    QLineEdit *edit(int row, int column)
    {
        table().setCurrentIndex(m_panel->model().index(row, column));
        table().setFocus();
        QTest::keyClick(&table(), Qt::Key_F2);
        const auto editors = table().findChildren<QLineEdit *>(); // one that was closed goes later
        return editors.isEmpty() ? nullptr : editors.last();
    }

    BundlePtr m_bundle;
    std::unique_ptr<ui::Session> m_session;
    std::unique_ptr<ui::ScalePanel> m_panel;
};

KERNSCOPE_TEST(TestWeightModels, QApplication)
#include "tst_weight_models.moc"
