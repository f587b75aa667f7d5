// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/help_dock.h"
#include "widgets/common/session.h"

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QRegularExpression>
#include <QTest>
#include <QTextBrowser>

using namespace kernscope::ui;

namespace {

QStringList allPages()
{
    QStringList pages;
    const QDir root(QStringLiteral(":/help"));
    QDirIterator files(root.path(), {QStringLiteral("*.md")}, QDir::Files,
                       QDirIterator::Subdirectories);
    while (files.hasNext())
        pages << root.relativeFilePath(files.next()).chopped(3);
    pages.sort();
    return pages;
}

QString textOf(const QString &page)
{
    QFile file(QStringLiteral(":/help/%1.md").arg(page));
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

} // namespace

class TestHelpPages : public QObject
{
    Q_OBJECT

private slots:
    void formatPagesAreThere();
    void everyLinkLeadsToAPage();
    void linksAreFollowedFromTheirFolder();
};

void TestHelpPages::formatPagesAreThere()
{
    for (const char *name :
         {"index", "sources", "blob-storage", "programs", "forms", "hardware-containers",
          "descriptors", "kernel-bytes", "weight-sections", "numbers", "engine"}) {
        const QString page = QStringLiteral("formats/") + QString::fromLatin1(name);
        QVERIFY2(HelpDock::hasPage(page), qPrintable(page));
    }
}

void TestHelpPages::everyLinkLeadsToAPage()
{
    static const QRegularExpression link(QStringLiteral("\\]\\((?!https:)([^)#]+\\.md)\\)"));
    // Of links to elsewhere the help dock opens https alone.
    static const QRegularExpression elsewhere(QStringLiteral("\\]\\((?!https:)[a-z]+:"));
    const QStringList pages = allPages();
    QVERIFY(pages.size() > 30);
    int links = 0;
    for (const QString &page : pages) {
        QVERIFY2(!textOf(page).contains(elsewhere), qPrintable(page));
        auto found = link.globalMatch(textOf(page));
        while (found.hasNext()) {
            const QString name = found.next().captured(1);
            const QString folder = page.section(QLatin1Char('/'), 0, -2);
            const QString target =
                QDir::cleanPath(folder.isEmpty() ? name : folder + QLatin1Char('/') + name);
            QVERIFY2(pages.contains(target.chopped(3)),
                     qPrintable(page + QStringLiteral(" -> ") + target));
            ++links;
        }
    }
    QVERIFY(links > 40);
}

void TestHelpPages::linksAreFollowedFromTheirFolder()
{
    Session session;
    HelpDock dock(session);
    auto *browser = dock.findChild<QTextBrowser *>();
    QVERIFY(browser);
    emit browser->anchorClicked(QUrl(QStringLiteral("formats/index.md")));
    QCOMPARE(dock.page(), QStringLiteral("formats/index"));
    emit browser->anchorClicked(QUrl(QStringLiteral("blob-storage.md")));
    QCOMPARE(dock.page(), QStringLiteral("formats/blob-storage"));
    QVERIFY(browser->toPlainText().contains(QStringLiteral("sentinel")));
    emit browser->anchorClicked(QUrl(QStringLiteral("../hex.md")));
    QCOMPARE(dock.page(), QStringLiteral("hex"));
}

QTEST_MAIN(TestHelpPages)
#include "tst_help_pages.moc"
