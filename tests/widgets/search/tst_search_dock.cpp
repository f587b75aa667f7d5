// SPDX-License-Identifier: GPL-3.0-or-later
#include "made_bundle.h"

#include "core/report/json_table.h"
#include "tests/widgets/sample_bundles.h"
#include "widgets/common/table_tools.h"
#include "widgets/search/search_dock.h"

using namespace kernscope::ui;
using test::shown;

/// The dock that lists every place of something.
class TestSearchDock : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { theme::apply(false); }

    void init()
    {
        m_dock.reset();
        m_session = std::make_unique<Session>();
        m_dock = std::make_unique<SearchDock>(*m_session);
        m_session->setBundle(openSample("sparse"));
        QVERIFY(shown(*m_dock));
    }

    void finds_data()
    {
        addColumns<int, QString, bool, bool>();
        addRow("bytes", 0, "ef be ?? de", true, false);
        addRow("text", 1, "const", true, false);
        addRow("integer", 2, "0xdeadbeef", true, false);
        addRow("value", 3, "0", true, true);
        addRow("no value", 3, "12345", false, true);
        addRow("NaN", 4, "", false, true);
        addRow("infinity", 5, "", false, true);
        addRow("zeros", 6, "3", true, true);
        addRow("zero bytes", 7, "16", true, false);
        addRow("largest", 8, "20", true, true);
        addRow("codes out of range", 9, "", false, true);
    }

    void finds()
    {
        const auto [kind, text, any, elements] = fetched<int, QString, bool, bool>();
        const QAbstractItemModelTester tester(&m_dock->model());
        type(kind, text);
        QVERIFY(search());
        const SearchModel &model = m_dock->model();
        QVERIFY2((model.rowCount() > 0) == any, qPrintable(m_dock->message()));
        QVERIFY(!m_dock->message().isEmpty());
        for (int row = 0; row < std::min(model.rowCount(), 50); ++row) {
            QCOMPARE(model.rowAt(row).hit.element.has_value(), elements);
            QVERIFY(!model.index(row, model.columnOf("place")).data().toString().isEmpty());
        }
        // What the table shows has a key in the JSON of `find`, and what it hides has none.
        const auto *table = m_dock->findChild<QTableView *>();
        const auto array = report::jsonArray(report::hitTable, model.rows());
        QCOMPARE(array.size(), std::size_t(model.rowCount()));
        for (int column = 0; any && column < model.columnCount(); ++column) {
            const std::string key(model.keyOf(column));
            if (kind == 1 && key == "hex")
                continue; // a text is shown as a text
            const bool inJson =
                std::ranges::any_of(array, [&key](const auto &hit) { return hit.contains(key); });
            QVERIFY2(table->isColumnHidden(column) != inJson, key.c_str());
            const QString cell = model.index(0, column).data(CopyRole).toString();
            if (key == "place" || key == "weight" || key == "section")
                QCOMPARE(cell, inJson && array[0][key].is_string()
                                   ? fromUtf8(array[0][key].get<std::string>())
                                   : QString());
        }
    }

    /// What the user hides stays hidden, and is not among what the dock hides.
    void hiddenColumnsStayHidden()
    {
        auto *table = m_dock->findChild<QTableView *>();
        const SearchModel &model = m_dock->model();
        const int weight = model.columnOf("weight"), hex = model.columnOf("hex"),
                  element = model.columnOf("element");
        table->setColumnHidden(weight, true);
        type(6, u"2"_s);
        QVERIFY(search());
        QVERIFY(table->isColumnHidden(weight) && table->isColumnHidden(hex));
        QVERIFY(!table->isColumnHidden(element));
        type(0, u"ef be ?? de"_s);
        QVERIFY(search());
        QVERIFY(table->isColumnHidden(weight) && table->isColumnHidden(element));
        QVERIFY(!table->isColumnHidden(hex));
        const QVariantList absent = table->horizontalHeader()->property(kAbsentColumns).toList();
        QVERIFY(absent.contains(element) && !absent.contains(weight));
    }

    /// Columns that a search has no use for leave their room to the places, and no index is cut.
    void placesAreWhole()
    {
        auto *table = m_dock->findChild<QTableView *>();
        m_dock->resize(800, 300);
        for (const int kind : {8, 0, 8}) {
            type(kind, kind == 0 ? u"ef be ?? de"_s : u"30"_s);
            QVERIFY(search());
            const QHeaderView *header = table->horizontalHeader();
            QTRY_VERIFY2(
                header->length() >= table->viewport()->width() - header->count(),
                qPrintable(u"%1 of %2"_s.arg(header->length()).arg(table->viewport()->width())));
        }
        type(3, u"12"_s);
        box("What to look for")->setCurrentIndex(4);
        QVERIFY(pattern()->text().isEmpty()); // NaN is looked for, not 12
    }

    /// Each row is the next maximum.
    void largestFirst()
    {
        type(8, u"30"_s);
        QVERIFY(search());
        const SearchModel &model = m_dock->model();
        QCOMPARE(model.rowCount(), 30);
        for (int row = 1; row < model.rowCount(); ++row)
            QVERIFY(std::abs(*model.rowAt(row - 1).hit.value) >=
                    std::abs(*model.rowAt(row).hit.value));
        QVERIFY2(m_dock->message().contains(u"30"_s), qPrintable(m_dock->message()));
        for (const char *wrong : {"0", "many", "-3", "10001"}) {
            type(8, QString::fromLatin1(wrong));
            m_dock->start();
            QVERIFY2(m_dock->message().contains(QString::fromLatin1(wrong)),
                     qPrintable(m_dock->message()));
        }
    }

    void inTheWeightOnly()
    {
        type(6, u"2"_s, u"weight"_s);
        QVERIFY(search());
        QCOMPARE(m_dock->model().rowCount(), 0);
        QVERIFY(m_dock->message().contains(u"weight"_s));
        m_session->goToWeight(0);
        QVERIFY(search());
        QVERIFY(m_dock->model().rowCount() > 0);
        for (int row = 0; row < m_dock->model().rowCount(); ++row)
            QCOMPARE(m_dock->model().rowAt(row).hit.weight, 0U);
    }

    void infinitiesAreFound()
    {
        MadeBundle made;
        constexpr float kInfinite = std::numeric_limits<float>::infinity();
        made.layer("w", "[2, 2]", halves({1, -kInfinite, 0, kInfinite}));
        const auto bundle = VERIFIED(made.open());
        m_session->setBundle(*bundle);
        QTRY_VERIFY(!m_dock->busy());
        for (const char *scope : {"bundle", "weight"}) {
            m_session->goToWeight(0);
            type(5, {}, QString::fromLatin1(scope));
            QVERIFY(!pattern()->isEnabled());
            QVERIFY(search());
            const SearchModel &model = m_dock->model();
            QCOMPARE(model.rowCount(), 2);
            const int value = model.columnOf("value");
            QCOMPARE(model.index(0, value).data(CopyRole).toString(), u"-inf"_s);
            QCOMPARE(model.index(1, value).data(CopyRole).toString(), u"inf"_s);
            QCOMPARE(*model.rowAt(1).hit.element, 3U);
        }
    }

    /// A text is read as a text, with what stands around it.
    void textsAreShown()
    {
        auto *table = m_dock->findChild<QTableView *>();
        type(1, u"const()"_s);
        QVERIFY(search());
        const SearchModel &model = m_dock->model();
        const int text = model.columnOf("text");
        QVERIFY(model.rowCount() > 0 && !table->isColumnHidden(text));
        QVERIFY(table->isColumnHidden(model.columnOf("hex")));
        QVERIFY(model.index(0, text).data().toString().contains(u"= const()"_s));
        type(0, u"63 6f 6e 73 74"_s);
        QVERIFY(search());
        QVERIFY(model.rowCount() > 0 && table->isColumnHidden(text));
    }

    /// A weight with too short a codebook is not decoded: its codes are found where they lie.
    void codesOutOfRangeLeadToTheirBytes()
    {
        MadeBundle made;
        const auto codes = made.blob(ElementType::Uint4, "[2, 2]", hex("a9 3f"));
        made.line(
            "tensor<fp16, [2, 2]> w = constexpr_lut_to_dense(indices = " + codes +
            ", lut = tensor<fp16, [1, 1, 3, 1]>([0x1p0, 0x1p1, 0x1p2]))[name = string(\"w\")]");
        made.consume("w");
        const auto bundle = VERIFIED(made.open());
        m_session->setBundle(*bundle);
        QTRY_VERIFY(!m_dock->busy());
        type(9, {});
        QVERIFY(!pattern()->isEnabled());
        QVERIFY(search());
        const SearchModel &model = m_dock->model();
        QVERIFY2(model.rowCount() == 4, qPrintable(m_dock->message()));
        const auto *table = m_dock->findChild<QTableView *>();
        QVERIFY(!table->isColumnHidden(model.columnOf("code")));
        QVERIFY(table->isColumnHidden(model.columnOf("value")));
        QCOMPARE(model.index(2, model.columnOf("code")).data().toString(), u"15"_s);
        QSignalSpy raised(m_dock.get(), &SearchDock::raiseRequested);
        Q_EMIT const_cast<QTableView *>(table)->activated(model.index(2, 0));
        QCOMPARE(raised[0][0].toString(), u"hex"_s);
        QCOMPARE(m_session->place().bytes, model.rowAt(2).hit.bytes);
    }

    void rowsAreGoneTo()
    {
        type(6, u"2"_s);
        QVERIFY(search());
        auto *table = m_dock->findChild<QTableView *>();
        QVERIFY(m_dock->model().rowCount() > 1);
        table->setCurrentIndex(m_dock->model().index(1, 0));
        const search::Hit hit = m_dock->model().rowAt(1).hit;
        QCOMPARE(m_session->place().weight, hit.weight);
        QCOMPARE(m_session->place().element, hit.element);
        QSignalSpy raised(m_dock.get(), &SearchDock::raiseRequested);
        Q_EMIT table->activated(m_dock->model().index(1, 0));
        QCOMPARE(raised.count(), 1);
        QCOMPARE(raised[0][0].toString(), u"weight"_s);
        type(0, u"ef be ad de"_s);
        QVERIFY(search());
        Q_EMIT table->activated(m_dock->model().index(0, 0));
        QCOMPARE(raised[1][0].toString(), u"hex"_s);
        QCOMPARE(m_session->place().bytes, m_dock->model().rowAt(0).hit.bytes);
    }

    void sortsByNumbers()
    {
        const QAbstractItemModelTester tester(&m_dock->model());
        type(6, u"1"_s);
        QVERIFY(search());
        SearchModel &model = m_dock->model();
        model.sort(model.columnOf("count"), Qt::DescendingOrder);
        for (int row = 1; row < model.rowCount(); ++row)
            QVERIFY(model.rowAt(row - 1).hit.count >= model.rowAt(row).hit.count);
        model.sort(-1, Qt::AscendingOrder);
        for (int row = 1; row < model.rowCount(); ++row)
            QVERIFY(model.rowAt(row - 1).hit.weight <= model.rowAt(row).hit.weight);
    }

    void refusesInWords_data()
    {
        addColumns<int, QString>();
        addRow("half a byte", 0, "abc");
        addRow("wildcards only", 0, "??");
        addRow("no text", 1, "");
        addRow("no integer", 2, "1.5");
        addRow("too wide", 2, "4294967296");
        addRow("no number", 3, "x");
        addRow("not a number", 3, "nan");
        addRow("no length", 6, "many");
        addRow("no run", 6, "0");
    }

    void refusesInWords()
    {
        const auto [kind, text] = fetched<int, QString>();
        type(kind, text);
        QVERIFY(search());
        QVERIFY(!m_dock->message().isEmpty());
        QVERIFY(!m_dock->message().contains(u"found."_s));
        QCOMPARE(m_dock->model().rowCount(), 0);
    }

    void stops()
    {
        type(6, u"1"_s);
        m_dock->start();
        QVERIFY(m_dock->busy());
        m_dock->cancel();
        QVERIFY(!m_dock->busy());
        QTRY_VERIFY(m_session->tasks().idle());
        QCOMPARE(m_dock->model().rowCount(), 0);
        QVERIFY(m_dock->message().contains(u"Cancelled"_s));
        QVERIFY(search()); // and again
        QVERIFY(m_dock->model().rowCount() > 0);
    }

    void saysThatItIsStale()
    {
        type(6, u"1"_s);
        QVERIFY(search());
        const int rows = m_dock->model().rowCount();
        const auto again = VERIFIED(m_session->bundle()->reread());
        m_session->updateBundle(*again);
        QTRY_VERIFY(m_dock->message().contains(u"again"_s));
        QCOMPARE(m_dock->model().rowCount(), rows);
    }

    void forgetsAnotherBundle()
    {
        type(6, u"1"_s);
        QVERIFY(search());
        QVERIFY(m_dock->model().rowCount() > 0);
        m_session->setBundle(openSample("dense"));
        QTRY_COMPARE(m_dock->model().rowCount(), 0);
        m_session->setBundle(nullptr);
        QTRY_VERIFY(!m_dock->showsContent());
    }

    /// A search for NaN has no line to press Enter in.
    void enterStartsInEveryField()
    {
        constexpr int kInfinity = 5, kLargest = 8;
        QComboBox *kind = box("What to look for"), *scope = box("Where to look");
        kind->setCurrentIndex(kLargest);
        for (QWidget *field : {static_cast<QWidget *>(kind), static_cast<QWidget *>(scope)}) {
            m_dock->model().setRows({});
            field->setFocus();
            QTest::keyClick(field, Qt::Key_Return);
            QVERIFY(searched());
            QCOMPARE(m_dock->model().rowCount(), 100);
        }
        kind->setCurrentIndex(kInfinity);
        kind->setFocus();
        QTest::keyClick(kind, Qt::Key_Enter);
        QVERIFY(searched());
        QCOMPARE(m_dock->model().rowCount(), 0);
    }

    /// Another kind is chosen, another number typed: the list still says what it is of.
    void answersSayTheQuestion()
    {
        constexpr int kValue = 3;
        box("What to look for")->setCurrentIndex(kValue);
        pattern()->setText(u"0"_s);
        pattern()->setFocus();
        QTest::keyClick(pattern(), Qt::Key_Return);
        QVERIFY(searched());
        QVERIFY2(m_dock->message().endsWith(u": Value 0, in the bundle."_s),
                 qPrintable(m_dock->message()));
        pattern()->setText(u"12345"_s);
        QTest::keyClick(pattern(), Qt::Key_Return);
        QVERIFY(searched());
        QCOMPARE(m_dock->message(), u"Nothing found: Value 12345, in the bundle."_s);
    }

private:
    void type(int kind, const QString &text, const QString &scope = u"bundle"_s)
    {
        box("What to look for")->setCurrentIndex(kind);
        box("Where to look")->setCurrentIndex(scope == "weight"_L1 ? 1 : 0);
        pattern()->setText(text);
    }

    bool search()
    {
        m_dock->start();
        return searched();
    }

    bool searched()
    {
        return QTest::qWaitFor([this] { return m_session->tasks().idle() && !m_dock->busy(); },
                               20000);
    }

    QComboBox *box(const char *name) const
    {
        for (auto *found : m_dock->findChildren<QComboBox *>()) {
            if (found->accessibleName() == QLatin1String(name))
                return found;
        }
        return nullptr;
    }
    QLineEdit *pattern() const { return m_dock->findChildren<QLineEdit *>().constFirst(); }

    std::unique_ptr<Session> m_session;
    std::unique_ptr<SearchDock> m_dock;
};

KERNSCOPE_TEST(TestSearchDock, QApplication)
#include "tst_search_dock.moc"
