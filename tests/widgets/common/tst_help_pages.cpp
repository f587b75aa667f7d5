// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/test_program.h"
#include "widgets/common/help_dock.h"

using namespace kernscope::ui;

namespace {

QStringList allPages()
{
    QStringList pages;
    const QDir root(u":/help"_s);
    for (const QString &path : pathsBelow(root.path(), {u"*.md"_s}))
        pages << root.relativeFilePath(path).chopped(3);
    return pages;
}

QString pageText(const QString &page)
{
    return test::textOf(u":/help/%1.md"_s.arg(page));
}

} // namespace

class TestHelpPages : public QObject
{
    Q_OBJECT

private slots:
    void formatPagesAreThere()
    {
        for (const char *name :
             {"index", "sources", "blob-storage", "programs", "forms", "hardware-containers",
              "descriptors", "kernel-bytes", "weight-sections", "numbers", "engine"}) {
            const QString page = u"formats/"_s + QString::fromLatin1(name);
            QVERIFY2(HelpDock::hasPage(page), qPrintable(page));
        }
    }

    void everyLinkLeadsToAPage()
    {
        static const QRegularExpression link(u"\\]\\((?!https:)([^)#]+\\.md)\\)"_s);
        // Of links to elsewhere the help dock opens https alone.
        static const QRegularExpression elsewhere(u"\\]\\((?!https:)[a-z]+:"_s);
        // What docks can do stands under View, Docks.
        static const QRegularExpression gone(u"\\((Tools, Docks|Weights|Bytes|Chips|Hardware), "_s);
        const QStringList pages = allPages();
        QVERIFY(pages.size() > 30);
        int links = 0;
        for (const QString &page : pages) {
            QVERIFY2(!pageText(page).contains(elsewhere), qPrintable(page));
            QVERIFY2(!pageText(page).contains(gone), qPrintable(page));
            auto found = link.globalMatch(pageText(page));
            while (found.hasNext()) {
                const QString name = found.next().captured(1);
                const QString folder = page.section(QLatin1Char('/'), 0, -2);
                const QString target =
                    QDir::cleanPath(folder.isEmpty() ? name : folder + QLatin1Char('/') + name);
                QVERIFY2(pages.contains(target.chopped(3)), qPrintable(page + u" -> "_s + target));
                ++links;
            }
        }
        QVERIFY(links > 40);
    }

    void linksAreFollowedFromTheirFolder()
    {
        Session session;
        HelpDock dock(session);
        auto *browser = VERIFIED(dock.findChild<QTextBrowser *>());
        emit browser->anchorClicked(QUrl(u"formats/index.md"_s));
        QCOMPARE(dock.page(), u"formats/index"_s);
        emit browser->anchorClicked(QUrl(u"blob-storage.md"_s));
        QCOMPARE(dock.page(), u"formats/blob-storage"_s);
        QVERIFY(browser->toPlainText().contains(u"sentinel"_s));
        emit browser->anchorClicked(QUrl(u"../hex.md"_s));
        QCOMPARE(dock.page(), u"hex"_s);
    }

    /// A table of three columns or more has no room in a side dock: words would stand one below the
    /// other. There it is a list, and with room a table again.
    void tablesBecomeListsWhereNarrow()
    {
        const QString table = QStringLiteral("text\n\n| Kind | Text | Changes |\n|---|---|---|\n"
                                             "| **fill** (`--fill`) | `w[0]=a\\|b` | a range |\n"
                                             "| drop | | clears |\n\nend");
        QCOMPARE(narrowTables(table, 40), table);
        QCOMPARE(narrowTables(table, 20),
                 QStringLiteral("text\n\n- **fill (`--fill`)**  \n  *Text:* `w[0]=a|b`  \n"
                                "  *Changes:* a range\n- **drop**  \n  *Changes:* clears\n\nend"));
        const QString pair = u"| Key | Does |\n|---|---|\n| F2 | edits |"_s;
        QCOMPARE(narrowTables(pair, 10), pair);

        Session session;
        HelpDock dock(session);
        const auto tables = [&dock] {
            const auto *browser = dock.findChild<QTextBrowser *>();
            const auto frames = browser->document()->rootFrame()->childFrames();
            return std::ranges::count_if(frames, [](QTextFrame *frame) {
                return qobject_cast<QTextTable *>(frame) != nullptr;
            });
        };
        dock.showPage(u"edits"_s);
        dock.resize(300, 700);
        dock.show();
        QTRY_COMPARE(tables(), 0);
        const auto *browser = dock.findChild<QTextBrowser *>();
        QVERIFY(browser->toPlainText().contains(u"one decoded element"_s));
        dock.resize(1000, 700);
        QTRY_COMPARE(tables(), 1);
        QVERIFY(browser->toPlainText().contains(u"one decoded element"_s));
    }
};

KERNSCOPE_TEST(TestHelpPages, QApplication)
#include "tst_help_pages.moc"
