// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of the command line are made of declared columns, and its documents in core/report: no
// command names columns or keys itself. What is private to a source has a name of its own.
#include <QDirIterator>
#include <QFile>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

class TestDeclared : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void commandsNameNoColumns();
    void commandsNameNoKeys();
    void privateNamesStandOnce();
    void doublesAreFound();
    void othersAreNoDoubles();
};

namespace {

/// Fails where a source of the command line has what the expression finds.
void findNowhere(const QRegularExpression &byHand)
{
    QDirIterator files(QStringLiteral(KERNSCOPE_SOURCE "/app/cli"), {QStringLiteral("*.cpp")},
                       QDir::Files);
    int read = 0;
    while (files.hasNext()) {
        QFile file(files.next());
        QVERIFY(file.open(QIODevice::ReadOnly));
        const auto found = byHand.match(QString::fromUtf8(file.readAll()));
        QVERIFY2(!found.hasMatch(), qPrintable(file.fileName() + u':' + found.captured()));
        ++read;
    }
    QVERIFY(read > 40);
}

/// What packaging/names.sh prints of a tree, a line a name that stands twice.
QString doublesOf(const QString &tree)
{
    QProcess script;
    script.setProcessChannelMode(QProcess::MergedChannels);
    script.start(QStringLiteral(KERNSCOPE_SOURCE "/packaging/names.sh"), {tree});
    if (!script.waitForFinished(-1))
        return script.errorString();
    const QString found = QString::fromUtf8(script.readAll());
    return (script.exitCode() == 0) == found.isEmpty() ? found : QStringLiteral("wrong exit code");
}

void write(const QDir &tree, const QString &path, const QByteArray &text)
{
    QVERIFY(tree.mkpath(QFileInfo(path).path()));
    QFile file(tree.filePath(path));
    QVERIFY(file.open(QIODevice::WriteOnly));
    QCOMPARE(file.write(text), text.size());
}

/// Two sources of one target, in a folder and in one below it; a third of another target.
void writeTree(const QDir &tree, const QByteArray &a, const QByteArray &b, const QByteArray &other)
{
    write(tree, QStringLiteral("core/CMakeLists.txt"),
          "kernscope_core_library(one SOURCES a.cpp)\n");
    write(tree, QStringLiteral("core/a.cpp"), a);
    write(tree, QStringLiteral("core/below/CMakeLists.txt"), "target_sources(one PRIVATE b.cpp)\n");
    write(tree, QStringLiteral("core/below/b.cpp"), b);
    write(tree, QStringLiteral("core/other/CMakeLists.txt"), "add_library(other c.cpp)\n");
    write(tree, QStringLiteral("core/other/c.cpp"), other);
    QVERIFY(tree.mkpath(QStringLiteral("app")) && tree.mkpath(QStringLiteral("widgets")));
}

} // namespace

void TestDeclared::commandsNameNoColumns()
{
    findNowhere(QRegularExpression(
        QStringLiteral("\\b(Text)?Table \\w+[({]|\\bTable::Column\\b|\\bTextTable\\(")));
}

void TestDeclared::commandsNameNoKeys()
{
    findNowhere(QRegularExpression(
        QStringLiteral("\\[\"\\w+\"\\]\\s*=[^=]|\\bJson::(object|array)\\(|\\.dump\\(")));
}

void TestDeclared::privateNamesStandOnce()
{
    QCOMPARE(doublesOf(QStringLiteral(KERNSCOPE_SOURCE)), QString());
}

void TestDeclared::doublesAreFound()
{
    const QTemporaryDir folder;
    writeTree(QDir(folder.path()),
              "#define SHARED_MACRO 1\n"
              "static int alone(int a);\n"
              "namespace x {\n\nnamespace {\n\n"
              "struct Words {\n    int a;\n};\nenum Column { Name, Size };\nusing Alias = int;\n"
              "constexpr double kGap = f(1, 2), kRoom{2}, kEdge = 3;\n"
              "template <class T>\nstd::map<int, T> &made(const std::map<int, T> &from)\n{\n}\n"
              "} // namespace\n} // namespace x\n",
              "namespace x {\n\nnamespace {\n\n"
              "class Words final : public Base\n{\n};\n"
              "enum Row {\n    Kind = 3,\n    Size, // why\n};\nusing Alias = int;\n"
              "constexpr int kEdge[] = {1};\n"
              "[[nodiscard]] Result<std::vector<int>>\nmade()\n{\n}\nint alone = 2;\n"
              "} // namespace\n} // namespace x\n#define SHARED_MACRO 2\n",
              {});
    QStringList names;
    for (const QString &line : doublesOf(folder.path()).split(u'\n', Qt::SkipEmptyParts)) {
        QVERIFY2(line.startsWith(QLatin1String("core/below/b.cpp:")) &&
                     line.contains(QLatin1String(" stands in core/a.cpp:")),
                 qPrintable(line));
        names << line.section(u' ', 1, 1);
    }
    names.sort();
    QCOMPARE(names.join(u' '), QStringLiteral("Alias SHARED_MACRO Size Words alone kEdge made"));
}

/// Members, what is public, what a string holds, the same name in another target.
void TestDeclared::othersAreNoDoubles()
{
    const QByteArray text = "namespace x {\n\nnamespace {\n\n"
                            "using std::swap;\nnamespace fs = std::filesystem;\n"
                            "enum class Kind { One };\nconstexpr auto kPage = R\"html(\nbody{x}\n"
                            "a{y}\n)html\";\nint Kind::size() const\n{\n    int inner = 0;\n}\n"
                            "bool operator==(A a, B b)\n{\n}\nstatic_assert(true);\n"
                            "} // namespace\n\nint shown(int a)\n{\n}\n} // namespace x\n";
    const QTemporaryDir folder;
    writeTree(QDir(folder.path()), text,
              QByteArray(text).replace("Kind {", "Sort {").replace("kPage", "kSheet"), text);
    QCOMPARE(doublesOf(folder.path()), QString());
}

QTEST_APPLESS_MAIN(TestDeclared)
#include "tst_declared.moc"
