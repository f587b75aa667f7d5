// SPDX-License-Identifier: GPL-3.0-or-later
// Who may include whom (include_arrows.csv), held by every source of the program.
#include "tests/test_program.h"

#include <QDirIterator>
#include <QFile>
#include <QHash>
#include <QRegularExpression>
#include <QTest>

namespace {

QString sourceFolder()
{
    return QString::fromUtf8(kernscope::test::sourceFolder());
}

/// True where a row's name (whose steps may be "*") is the path or begins it.
bool coversPath(const QString &row, const QStringList &path)
{
    const QStringList steps = row.split(u'/');
    return steps.size() <= path.size() && std::equal(steps.begin(), steps.end(), path.begin(),
                                                     [](const QString &step, const QString &part) {
                                                         return step == QLatin1String("*") ||
                                                                step == part;
                                                     });
}

QString textOf(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

struct Include {
    QString file;   ///< that includes, from the tree's folder
    QString target; ///< what stands between the quotes or brackets
};

QList<Include> includesOf(const QString &part)
{
    static const QRegularExpression kInclude(
        QStringLiteral("^[ \\t]*#[ \\t]*include[ \\t]*[\"<]([^\">]+)[\">]"),
        QRegularExpression::MultilineOption);
    QList<Include> all;
    const QDir root(sourceFolder());
    QDirIterator files(root.filePath(part), {QStringLiteral("*.h"), QStringLiteral("*.cpp")},
                       QDir::Files, QDirIterator::Subdirectories);
    while (files.hasNext()) {
        const QString path = files.next();
        auto found = kInclude.globalMatch(textOf(path));
        while (found.hasNext())
            all << Include{root.relativeFilePath(path), found.next().captured(1)};
    }
    return all;
}

/// Several words that a file's name may end with, as the views of the widgets are named.
bool isView(const QString &header)
{
    static const QRegularExpression kView(
        QStringLiteral("_(view|dock|delegate|plot|panel|widget|strip|bar|line)\\.h$"));
    return header.startsWith(QLatin1String("widgets/")) && kView.match(header).hasMatch();
}

} // namespace

class TestIncludeArrows : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void tableHasNoCycle();
    void foldersKeepTheirOrder_data();
    void foldersKeepTheirOrder();
    void coreKnowsNoQt();
    void commandLineKnowsNoQt();
    void modelsKnowNoViews();

private:
    QString rowOf(const QString &path) const;

    QHash<QString, QStringList> m_allowed;
    QStringList m_known;
};

/// The longest row that covers a path: "core/codec" of "core/codec/decode/decoder.h".
QString TestIncludeArrows::rowOf(const QString &path) const
{
    QString longest;
    const QStringList parts = path.split(u'/');
    for (auto row = m_allowed.keyBegin(); row != m_allowed.keyEnd(); ++row) {
        if (coversPath(*row, parts) &&
            (longest.isEmpty() || row->count(u'/') > longest.count(u'/')))
            longest = *row;
    }
    return longest.isEmpty() ? parts.mid(0, 2).join(u'/') : longest;
}

void TestIncludeArrows::initTestCase()
{
    const QString table = textOf(sourceFolder() + QStringLiteral("/tests/tree/include_arrows.csv"));
    const QStringList lines = table.split(u'\n', Qt::SkipEmptyParts);
    for (const QString &line : lines.mid(1)) {
        // "!file,header": one include against the order that is known and waits for its mend.
        if (line.startsWith(u'!')) {
            m_known << line.mid(1);
            continue;
        }
        m_allowed[line.section(u',', 0, 0)] = line.section(u',', 1).split(u' ', Qt::SkipEmptyParts);
    }
    QVERIFY(m_allowed.size() > 20);
}

/// An arrow and its opposite would mean that the table orders nothing.
void TestIncludeArrows::tableHasNoCycle()
{
    QStringList left = m_allowed.keys();
    bool progress = true;
    while (progress) {
        progress = false;
        for (qsizetype i = left.size(); i-- > 0;) {
            const QStringList &targets = m_allowed[left[i]];
            const bool free = std::none_of(targets.begin(), targets.end(), [&](const QString &to) {
                // A row's own name means that row; "core" all rows that begin so.
                return std::any_of(left.begin(), left.end(), [&](const QString &other) {
                    return other == to || (!m_allowed.contains(to) && other.startsWith(to + u'/'));
                });
            });
            if (free) {
                left.removeAt(i);
                progress = true;
            }
        }
    }
    QVERIFY2(left.isEmpty(), qPrintable(left.join(u' ')));
}

void TestIncludeArrows::foldersKeepTheirOrder_data()
{
    QTest::addColumn<QString>("part");
    for (const char *part : {"core", "widgets", "app"})
        QTest::newRow(part) << QString::fromLatin1(part);
}

void TestIncludeArrows::foldersKeepTheirOrder()
{
    QFETCH(QString, part);
    static const QStringList kOurs{QStringLiteral("core"), QStringLiteral("widgets"),
                                   QStringLiteral("app"), QStringLiteral("resources")};
    QStringList wrong;
    const QList<Include> includes = includesOf(part);
    QVERIFY(includes.size() > 100);
    for (const Include &include : includes) {
        if (!kOurs.contains(include.target.section(u'/', 0, 0)) || !include.target.contains(u'/'))
            continue;
        const QString from = rowOf(include.file), to = rowOf(include.target);
        if (from == to || m_known.contains(include.file + u',' + include.target))
            continue;
        const auto row = m_allowed.constFind(from);
        if (row == m_allowed.constEnd())
            wrong << QStringLiteral("%1 has no row in include_arrows.csv").arg(from);
        else if (!row->contains(to) && !row->contains(to.section(u'/', 0, 0)))
            wrong << QStringLiteral("%1 includes %2").arg(include.file, include.target);
    }
    wrong.removeDuplicates();
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(u'\n')));
}

void TestIncludeArrows::coreKnowsNoQt()
{
    static const QRegularExpression kQt(QStringLiteral("^(Q[A-Z]|Qt[A-Z]|qcustomplot)"));
    for (const Include &include : includesOf(QStringLiteral("core")))
        QVERIFY2(!kQt.match(include.target).hasMatch(),
                 qPrintable(include.file + QStringLiteral(" includes ") + include.target));
}

void TestIncludeArrows::commandLineKnowsNoQt()
{
    static const QRegularExpression kQt(QStringLiteral("^(Q[A-Z]|Qt[A-Z]|qcustomplot)"));
    for (const Include &include : includesOf(QStringLiteral("app/cli")))
        QVERIFY2(!kQt.match(include.target).hasMatch(),
                 qPrintable(include.file + QStringLiteral(" includes ") + include.target));
}

void TestIncludeArrows::modelsKnowNoViews()
{
    static const QRegularExpression kModel(QStringLiteral("_model\\.(h|cpp)$"));
    for (const Include &include : includesOf(QStringLiteral("widgets"))) {
        if (kModel.match(include.file).hasMatch())
            QVERIFY2(!isView(include.target),
                     qPrintable(include.file + QStringLiteral(" includes ") + include.target));
    }
}

KERNSCOPE_TEST(TestIncludeArrows, kernscope::test::NoApplication)
#include "tst_include_arrows.moc"
