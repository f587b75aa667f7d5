// SPDX-License-Identifier: GPL-3.0-or-later
// Who may include whom (include_arrows.csv), held by every source of the program.
#include "tests/test_program.h"

using namespace kernscope::test;

namespace {

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

struct Include {
    QString file;   ///< that includes, from the tree's folder
    QString target; ///< what stands between the quotes or brackets
};

QList<Include> includesOf(const QString &part)
{
    static const QRegularExpression kInclude(u"^[ \\t]*#[ \\t]*include[ \\t]*[\"<]([^\">]+)[\">]"_s,
                                             QRegularExpression::MultilineOption);
    QList<Include> all;
    const QDir root(sourcePath({}));
    for (const QString &path : pathsBelow(root.filePath(part), {u"*.h"_s, u"*.cpp"_s})) {
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
        u"_(view|dock|delegate|plot|panel|widget|strip|bar|line)\\.h$"_s);
    return header.startsWith(QLatin1String("widgets/")) && kView.match(header).hasMatch();
}

} // namespace

class TestIncludeArrows : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        const QString table = textOf(sourcePath(u"tests/tree/include_arrows.csv"_s));
        const QStringList lines = table.split(u'\n', Qt::SkipEmptyParts);
        for (const QString &line : lines.mid(1)) {
            // "!file,header": one include against the order that is known and waits for its mend.
            if (line.startsWith(u'!')) {
                m_known << line.mid(1);
                continue;
            }
            m_allowed[line.section(u',', 0, 0)] =
                line.section(u',', 1).split(u' ', Qt::SkipEmptyParts);
        }
        QVERIFY(m_allowed.size() > 20);
    }

    /// An arrow and its opposite would mean that the table orders nothing.
    void tableHasNoCycle()
    {
        QStringList left = m_allowed.keys();
        bool progress = true;
        while (progress) {
            progress = false;
            for (qsizetype i = left.size(); i-- > 0;) {
                const QStringList &targets = m_allowed[left[i]];
                const bool free =
                    std::none_of(targets.begin(), targets.end(), [&](const QString &to) {
                        // A row's own name means that row; "core" all rows that begin so.
                        return std::any_of(left.begin(), left.end(), [&](const QString &other) {
                            return other == to ||
                                   (!m_allowed.contains(to) && other.startsWith(to + u'/'));
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

    void foldersKeepTheirOrder_data()
    {
        QTest::addColumn<QString>("part");
        for (const char *part : {"core", "widgets", "app"})
            kernscope::test::addRow(part, QString::fromLatin1(part));
    }

    void foldersKeepTheirOrder()
    {
        QFETCH(QString, part);
        static const QStringList kOurs{u"core"_s, u"widgets"_s, u"app"_s, u"resources"_s};
        QStringList wrong;
        const QList<Include> includes = includesOf(part);
        QVERIFY(includes.size() > 100);
        for (const Include &include : includes) {
            if (!kOurs.contains(include.target.section(u'/', 0, 0)) ||
                !include.target.contains(u'/'))
                continue;
            const QString from = rowOf(include.file), to = rowOf(include.target);
            if (from == to || m_known.contains(include.file + u',' + include.target))
                continue;
            const auto row = m_allowed.constFind(from);
            if (row == m_allowed.constEnd())
                wrong << u"%1 has no row in include_arrows.csv"_s.arg(from);
            else if (!row->contains(to) && !row->contains(to.section(u'/', 0, 0)))
                wrong << u"%1 includes %2"_s.arg(include.file, include.target);
        }
        wrong.removeDuplicates();
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(u'\n')));
    }

    void coreKnowsNoQt()
    {
        static const QRegularExpression kQt(u"^(Q[A-Z]|Qt[A-Z]|qcustomplot)"_s);
        for (const Include &include : includesOf(u"core"_s))
            QVERIFY2(!kQt.match(include.target).hasMatch(),
                     qPrintable(include.file + u" includes "_s + include.target));
    }

    void commandLineKnowsNoQt()
    {
        static const QRegularExpression kQt(u"^(Q[A-Z]|Qt[A-Z]|qcustomplot)"_s);
        for (const Include &include : includesOf(u"app/cli"_s))
            QVERIFY2(!kQt.match(include.target).hasMatch(),
                     qPrintable(include.file + u" includes "_s + include.target));
    }

    void modelsKnowNoViews()
    {
        static const QRegularExpression kModel(u"_model\\.(h|cpp)$"_s);
        for (const Include &include : includesOf(u"widgets"_s)) {
            if (kModel.match(include.file).hasMatch())
                QVERIFY2(!isView(include.target),
                         qPrintable(include.file + u" includes "_s + include.target));
        }
    }

private:
    /// The longest row that covers a path: "core/codec" of "core/codec/decode/decoder.h".
    QString rowOf(const QString &path) const
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

    QHash<QString, QStringList> m_allowed;
    QStringList m_known;
};

KERNSCOPE_TEST(TestIncludeArrows, kernscope::test::NoApplication)
#include "tst_include_arrows.moc"
