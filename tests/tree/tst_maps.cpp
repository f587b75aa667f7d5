// SPDX-License-Identifier: GPL-3.0-or-later
// The maps (README.md of the tree, of core/, widgets/ and tests/) name what is there.
#include "tests/test_program.h"

using namespace kernscope::test;

namespace {

QDir tree()
{
    return QDir(sourcePath({}));
}

QString contentsOf(const QString &path)
{
    return textOf(sourcePath(path));
}

/// "widgets/x.{h,cpp}" as its two names.
QStringList spelledOut(const QString &path)
{
    static const QRegularExpression kBraces(u"\\{([^}]*)\\}"_s);
    const auto found = kBraces.match(path);
    if (!found.hasMatch())
        return {path};
    QStringList all;
    for (const QString &each : found.captured(1).split(u','))
        all << path.left(found.capturedStart()) + each + path.mid(found.capturedEnd());
    return all;
}

/// Every file and folder of the sources, from the tree's folder.
QStringList everything()
{
    QStringList all;
    for (const char *part : {"app", "core", "packaging", "resources", "tests", "widgets"}) {
        all << QString::fromLatin1(part);
        for (const QString &path : pathsBelow(sourcePath(QString::fromLatin1(part))))
            all << tree().relativeFilePath(path);
    }
    return all;
}

/// True where a path of the tree ends with these steps; "*" is any text within a step.
bool exists(const QStringList &all, const QString &path)
{
    QString pattern =
        QRegularExpression::escape(path.endsWith(u'/') ? path.left(path.size() - 1) : path);
    pattern.replace(u"\\*"_s, u"[^/]*"_s);
    const QRegularExpression steps(u"(^|/)%1$"_s.arg(pattern));
    return std::any_of(all.begin(), all.end(),
                       [&steps](const QString &each) { return steps.match(each).hasMatch(); });
}

/// The first column of the table below "Who lives here": names and what stands in the others.
QList<QStringList> inhabitants(const QString &map)
{
    QList<QStringList> rows;
    for (const QString &line : contentsOf(map).split(u'\n')) {
        if (line.startsWith(u"| `"_s))
            rows << line.split(u'|');
    }
    return rows;
}

} // namespace

class TestMaps : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void pathsExist_data()
    {
        QTest::addColumn<QString>("map");
        for (const char *map :
             {"README.md", "core/README.md", "widgets/README.md", "tests/README.md"})
            kernscope::test::addRow(map, QString::fromLatin1(map));
    }

    /// What is between backticks and looks like a path. Words in capitals stand for any name.
    void pathsExist()
    {
        QFETCH(QString, map);
        static const QRegularExpression kQuoted(u"`([A-Za-z0-9_./*{},-]+)`"_s);
        static const QRegularExpression kPath(u"/.|\\.(h|cpp|csv|cmake|md|sh|svg|txt|xml|1)$"_s);
        static const QRegularExpression kAnyName(u"\\b[A-Z]{2,}\\b|_?NAME|^\\.|^/"_s);
        const QStringList all = everything();
        QStringList missing;
        int checked = 0;
        auto found = kQuoted.globalMatch(contentsOf(map));
        while (found.hasNext()) {
            const QString quoted = found.next().captured(1);
            if (!kPath.match(quoted).hasMatch() ||
                (kAnyName.match(quoted).hasMatch() && !quoted.endsWith(u"README.md"_s)))
                continue;
            for (const QString &path : spelledOut(quoted)) {
                ++checked;
                if (!exists(all, path))
                    missing << path;
            }
        }
        QVERIFY(checked > 5);
        QVERIFY2(missing.isEmpty(), qPrintable(missing.join(u'\n')));
    }

    void everyFolderIsOnItsMap_data()
    {
        QTest::addColumn<QString>("part");
        for (const char *part : {"core", "widgets", "tests"})
            kernscope::test::addRow(part, QString::fromLatin1(part));
    }

    void everyFolderIsOnItsMap()
    {
        QFETCH(QString, part);
        const QString map = contentsOf(part + u"/README.md"_s);
        const QStringList folders =
            QDir(tree().filePath(part)).entryList(QDir::Dirs | QDir::NoDotAndDotDot);
        QVERIFY(folders.size() > 5);
        for (const QString &folder : folders)
            QVERIFY2(map.contains(u"`%1/"_s.arg(folder)), qPrintable(folder));
    }

    void widgetsIncludeWhatTheTableSays()
    {
        const QString arrows = contentsOf(u"tests/tree/include_arrows.csv"_s);
        int compared = 0;
        for (const QStringList &cells : inhabitants(u"widgets/README.md"_s)) {
            const QString folder = cells.value(1).trimmed().remove(u'`').chopped(1);
            QSet<QString> told, held;
            for (const QString &each : cells.value(3).split(u','))
                told << each.trimmed();
            told.remove(u"nothing"_s);
            const QRegularExpression row(u"^widgets/%1,(.*)$"_s.arg(folder),
                                         QRegularExpression::MultilineOption);
            for (const QString &each : row.match(arrows).captured(1).split(u' ')) {
                if (each != QLatin1String("core"))
                    held << each.section(u'/', 1);
            }
            QVERIFY2(told == held, qPrintable(folder));
            ++compared;
        }
        QVERIFY(compared > 5);
    }

    /// Each promise and each limit names test functions that there are.
    void promisesNameTheirTests()
    {
        const QString page = contentsOf(u"resources/help/promises.md"_s);
        QStringList held;
        for (const QString &promise : page.split(u"\n- **"_s).mid(1))
            held << promise.section(u"*Held by* "_s, 1).section(u'.', 0, 0);
        for (const QString &row : page.split(u'\n').filter(QRegularExpression(u"^\\| .*`tst_"_s)))
            held << row.section(u'|', 3, 3).trimmed();
        QVERIFY(held.size() > 15);
        const QStringList all = everything();
        for (const QString &tests : held) {
            QString source;
            int functions = 0;
            for (QString name : tests.split(QRegularExpression(u"[,\\s]+"_s))) {
                if (name.startsWith(u'`')) {
                    const QString file = u"/%1.cpp"_s.arg(name.remove(u'`'));
                    const auto found =
                        std::find_if(all.begin(), all.end(), [&](const QString &path) {
                            return path.startsWith(u"tests/") && path.endsWith(file);
                        });
                    QVERIFY2(found != all.end(), qPrintable(name));
                    source = contentsOf(*found);
                } else {
                    const QRegularExpression definition(
                        u"void (\\w+::)?%1\\(\\)\\s*\\{"_s.arg(name));
                    QVERIFY2(source.contains(definition), qPrintable(name));
                    ++functions;
                }
            }
            QVERIFY2(functions > 0, qPrintable(tests));
        }
    }
};

KERNSCOPE_TEST(TestMaps, kernscope::test::NoApplication)
#include "tst_maps.moc"
