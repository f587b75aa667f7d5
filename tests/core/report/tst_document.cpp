// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/document.h"
#include "tests/test_program.h"

using namespace kernscope::report;

namespace {

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

/// What is said once is written in every notation, its letters made safe.
class TestDocument : public QObject
{
    Q_OBJECT

private Q_SLOTS:
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

KERNSCOPE_TEST(TestDocument, kernscope::test::NoApplication)
#include "tst_document.moc"
