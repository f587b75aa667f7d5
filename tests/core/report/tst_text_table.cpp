// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/document.h"
#include "tests/test_program.h"

using namespace kernscope::report;

using kernscope::report::TextTable;

namespace {

using Align = TextTable::Align;

/// A row of a name, a number and words.
TextTable threeColumns(const QString &name, const QString &words)
{
    TextTable table({{"weight", Align::Name}, {"stored B", Align::Right}, {"condition"}});
    table.add({name.toStdString(), "1,234,567", words.toStdString()});
    table.add({"c", "12", "short"});
    return table;
}

QStringList linesOf(const TextTable &table, std::size_t width)
{
    QStringList lines;
    for (const std::string &line : table.lines(width))
        lines.append(QString::fromStdString(line));
    return lines;
}

qsizetype widest(const QStringList &lines)
{
    qsizetype most = 0;
    for (const QString &line : lines)
        most = std::max(most, line.size());
    return most;
}

/// One part of each kind, with what the notations would read as their own.
Document made()
{
    Document document{"a<b"};
    document.addHeading("w|x", 1);
    document.add(Document::Sentence{"1 < 2", Document::Tone::Fails, "No."});
    document.add(Document::Items{{"first", "*second*"}});
    TextTable table({{"name"}, {"bytes", TextTable::Align::Right}});
    table.add({"=1+1", "12"});
    table.add({"a,b", "3"});
    document.add(std::move(table));
    document.add(Document::Picture{"data:image/png;base64,AA", "A \"b\"", {"one", "two"}});
    return document;
}

} // namespace

/// Rows for a line of that width.
/// What is said once is written in every notation, its letters made safe.
class TestTextTable : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    /// Where no width is given, as into a file, each row stays one line.
    void oneLineARowInAnyWidth()
    {
        const QString words = u"bandwidth-bound stack of convolutions "_s.repeated(9);
        const QStringList lines = linesOf(threeColumns(u"conv"_s, words), 0);
        QCOMPARE(lines.size(), 3);
        QVERIFY(lines[1].contains(words.trimmed()));
    }

    void wordsTakeFurtherLines()
    {
        const QString words =
            u"size not published: taken as bound by the weight's bytes, as on M1"_s;
        const QString name = u"encoder_layers_2"_s;
        const QStringList lines = linesOf(threeColumns(name, words), 64);
        QVERIFY2(widest(lines) <= 64, qPrintable(lines.join(u'\n')));
        QVERIFY(lines[1].contains(name)); // there is room for the name
        QVERIFY(lines[1].contains(u"1,234,567"_s));
        QVERIFY(lines[2].startsWith(QString(20, u' '))); // no second name or number
        const qsizetype at = lines[0].indexOf(u"condition"_s);
        QStringList said;
        for (qsizetype i = 1; i + 1 < lines.size(); ++i)
            said.append(lines[i].mid(at).trimmed());
        QCOMPARE(said.join(u' '), words);
        QVERIFY(lines.back().contains(u"short"_s));
    }

    /// A word longer than the column is broken; nothing of it is lost.
    void longWordsAreBroken()
    {
        const QString word = u"é0123456789"_s.repeated(12);
        const QStringList lines = linesOf(threeColumns(u"w"_s, word), 50);
        QVERIFY2(widest(lines) <= 50, qPrintable(lines.join(u'\n')));
        const qsizetype at = lines[0].indexOf(u"condition"_s);
        QString said;
        for (qsizetype i = 1; i + 1 < lines.size(); ++i)
            said += lines[i].mid(at).trimmed();
        QCOMPARE(said, word);
    }

    /// A mark before the first word never stands alone in a line.
    void marksStayWithTheirWord()
    {
        TextTable table({{"ceiling"}, {"value", Align::Right}, {"source"}});
        table.add({"> saturating_matmul_fp16", "1.2e+13", "overhead-isolated matmul slope"});
        table.add({"  peak_fp16", "5.5e+12", "half of the marketed figure"});
        const QStringList lines = linesOf(table, 56);
        QVERIFY2(widest(lines) <= 56, qPrintable(lines.join(u'\n')));
        QVERIFY(lines[1].contains(u"> saturating_matmul_fp16"_s));
        QVERIFY(lines.filter(u"5.5e+12"_s).value(0).contains(u"    peak_fp16"_s));
    }

    void namesAreShortenedAfterWords()
    {
        const QString name = u"StatefulPartitionedCall_model_conv2d_2_weight"_s;
        const QString words = u"taken as bound by the weight's bytes"_s;
        const QStringList wide = linesOf(threeColumns(name, words), 94);
        QVERIFY(wide[1].contains(name));
        const QStringList narrow = linesOf(threeColumns(name, words), 60);
        QVERIFY2(widest(narrow) <= 60, qPrintable(narrow.join(u'\n')));
        QVERIFY(narrow[1].contains(u'…'));
        QVERIFY(narrow[1].contains(u"1,234,567"_s));
    }

    /// Numbers stay whole also where the line is too narrow for them.
    void numbersAreNeverCut()
    {
        const QStringList lines = linesOf(threeColumns(u"conv_transpose"_s, u"a b"_s), 10);
        QVERIFY(lines[1].contains(u"1,234,567"_s));
    }

    /// Two names that differ in the middle stay different, whatever room there is.
    void namesStayDifferent()
    {
        TextTable table({{"weight", Align::Name}, {"bytes", Align::Right}});
        for (const char *number : {"17", "18", "27"})
            table.add(
                {std::string("encoder_layers_") + number + "_self_attention_value_weight", "1"});
        std::vector<std::string> leftOut;
        QStringList lines = linesOf(table, 24);
        lines.removeDuplicates();
        QCOMPARE(lines.size(), 4);
        const QStringList fitted = linesOf(table.fitted(48, leftOut), 48);
        QVERIFY2(widest(fitted) <= 48, qPrintable(fitted.join(u'\n')));
        QVERIFY2(fitted[1].contains(u"…_17_self_attention_value_weight"_s), qPrintable(fitted[1]));
        QVERIFY(leftOut.empty());
    }

    /// Columns that there is no room for are left out from the right, and named.
    void columnsAreLeftOut()
    {
        TextTable table({{"weight", Align::Name},
                         {"stored", Align::Right},
                         {"moved", Align::Right},
                         {"time", Align::Right}});
        table.add({"conv_1_weight", "123,456,789", "123,456,789", "0.123456789"});
        std::vector<std::string> leftOut;
        const QStringList lines = linesOf(table.fitted(44, leftOut), 44);
        QVERIFY2(widest(lines) <= 44, qPrintable(lines.join(u'\n')));
        QVERIFY(lines[1].contains(u"123,456,789"_s));
        QCOMPARE(leftOut, std::vector<std::string>({"time"}));
        leftOut.clear();
        QCOMPARE(linesOf(table.fitted(200, leftOut), 200), linesOf(table, 200));
        QVERIFY(leftOut.empty());
        table.fitted(3, leftOut);
        QCOMPARE(leftOut.size(), 3U);
    }

    void spacesAloneEnd()
    {
        const QStringList lines = linesOf(threeColumns(u"w"_s, QString(200, u' ')), 40);
        QVERIFY(widest(lines) <= 40);
    }

    void html()
    {
        const std::string text = htmlText(made());
        const std::string body = text.substr(text.find("<body>"));
        QVERIFY(text.starts_with("<!DOCTYPE html>\n"));
        QVERIFY(text.find("<title>a&lt;b</title>") != std::string::npos);
        QCOMPARE(body, "<body>\n<h1>w|x</h1>\n<p class=\"fails\"><b>No.</b>1 &lt; 2</p>\n"
                       "<ul><li>first</li><li>*second*</li></ul>\n"
                       "<div class=\"wide\"><table><thead><tr><th>name</th>"
                       "<th class=\"n\">bytes</th></tr></thead><tbody>\n"
                       "<tr><td>=1+1</td><td class=\"n\">12</td></tr>\n"
                       "<tr><td>a,b</td><td class=\"n\">3</td></tr>\n</tbody></table></div>\n"
                       "<figure><img width=\"288\" height=\"144\" alt=\"A &quot;b&quot;\" "
                       "src=\"data:image/png;base64,AA\">"
                       "<figcaption>one<br>two</figcaption></figure>\n</body></html>\n");
    }

    void markdown()
    {
        QCOMPARE(markdownText(made()),
                 "# w\\|x\n\n**No.**1 \\< 2\n\n- first\n- \\*second\\*\n\n"
                 "| name | bytes |\n|---|---:|\n| =1+1 | 12 |\n| a,b | 3 |\n");
    }

    /// A spreadsheet takes no cell for a formula.
    void csv()
    {
        QCOMPARE(csvText(std::get<TextTable>(made().parts[3])),
                 "name,bytes\n'=1+1,12\n\"a,b\",3\n");
    }
};

KERNSCOPE_TEST(TestTextTable, NoApplication)
#include "tst_text_table.moc"
