// SPDX-License-Identifier: GPL-3.0-or-later
// What the scripts of packaging/ find in a tree, and install on a machine.
#include "tests/test_program.h"

using namespace kernscope::test;

namespace {

/// What packaging/names.sh prints of a tree, a line a name that stands twice.
QString doublesOf(const QString &tree)
{
    QProcess script;
    script.setProcessChannelMode(QProcess::MergedChannels);
    script.start(sourcePath(u"packaging/names.sh"_s), {tree});
    if (!script.waitForFinished(-1))
        return script.errorString();
    const QString found = QString::fromUtf8(script.readAll());
    return (script.exitCode() == 0) == found.isEmpty() ? found : u"wrong exit code"_s;
}

void write(const QDir &tree, const QString &path, const QByteArray &text)
{
    QVERIFY(tree.mkpath(QFileInfo(path).path()));
    QVERIFY(put(tree.filePath(path), text));
}

/// Two sources of one target, in a folder and in one below it; a third of another target.
void writeTree(const QDir &tree, const QByteArray &a, const QByteArray &b, const QByteArray &other)
{
    write(tree, u"core/CMakeLists.txt"_s, "kernscope_core_library(one SOURCES a.cpp)\n");
    write(tree, u"core/a.cpp"_s, a);
    write(tree, u"core/below/CMakeLists.txt"_s, "target_sources(one PRIVATE b.cpp)\n");
    write(tree, u"core/below/b.cpp"_s, b);
    write(tree, u"core/other/CMakeLists.txt"_s, "add_library(other c.cpp)\n");
    write(tree, u"core/other/c.cpp"_s, other);
    QVERIFY(tree.mkpath(u"app"_s) && tree.mkpath(u"widgets"_s));
}

/// Replaces a program for the scripts.
void writeProgram(const QDir &folder, const QString &name, const QByteArray &lines)
{
    write(folder, name, "#!/bin/bash\n" + lines);
    QFile::setPermissions(folder.filePath(name),
                          QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
}

/// What a command of bash prints where the programs of a folder come first.
QString printed(const QDir &programs, const QString &command)
{
    QProcess bash;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(u"PATH"_s, programs.path() + u':' + environment.value(u"PATH"_s));
    bash.setProcessEnvironment(environment);
    bash.setWorkingDirectory(sourcePath({}));
    bash.start(u"bash"_s, {u"-euo"_s, u"pipefail"_s, u"-c"_s, command});
    return bash.waitForFinished(-1) ? QString::fromUtf8(bash.readAllStandardOutput())
                                    : bash.errorString();
}

} // namespace

class TestScripts : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void privateNamesStandOnce() { QCOMPARE(doublesOf(sourcePath({})), QString()); }

    void doublesAreFound()
    {
        const QTemporaryDir folder;
        writeTree(
            QDir(folder.path()),
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
        QCOMPARE(names.join(u' '), u"Alias SHARED_MACRO Size Words alone kEdge made"_s);
    }

    /// Members, what is public, what a string holds, the same name in another target.
    void othersAreNoDoubles()
    {
        const QByteArray text =
            "namespace x {\n\nnamespace {\n\n"
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

    void installsWhatTheReleaseHas_data()
    {
        QTest::addColumn<QString>("who");
        QTest::addColumn<QString>("missing");   ///< of this machine, as a pattern
        QTest::addColumn<QString>("known");     ///< what the release has
        QTest::addColumn<QString>("installed"); ///< by the script
        kernscope::test::addRow("Debian 12", "check", "libclang*", "*-14-*", "libclang-rt-14-dev");
        kernscope::test::addRow("Debian 13", "check", "libclang*", "*-rt-dev", "libclang-rt-dev");
        kernscope::test::addRow("neither", "check", "libclang*", "none", "libclang-rt-14-dev");
        kernscope::test::addRow("the other is there", "check", "libclang-rt-14*", "*", "");
        kernscope::test::addRow("tests need no clang", "test", "*clang*|file", "*", "file");
        kernscope::test::addRow("the window needs no tests", "run", "*clang*|file|*benchmark*", "*",
                                "");
    }

    /// With programs of ours in place of Debian's.
    void installsWhatTheReleaseHas()
    {
        QFETCH(QString, who);
        QFETCH(QString, missing);
        QFETCH(QString, known);
        QFETCH(QString, installed);
        const QTemporaryDir folder;
        const QDir programs(folder.path());
        writeProgram(programs, u"dpkg-query"_s,
                     "case \"$3\" in " + missing.toUtf8() + ") ;; *) echo installed ;; esac\n");
        writeProgram(
            programs, u"apt-cache"_s,
            "case \"$2\" in " + known.toUtf8() +
                ") echo '  Candidate: 1' ;; *-14-*) ;; *) echo '  Candidate: (none)' ;; esac\n");
        writeProgram(programs, u"sudo"_s, "exec \"$@\"\n");
        writeProgram(programs, u"apt-get"_s,
                     "[ \"$1\" = update ] || echo \"${@:5}\" >\"${0%/*}/asked\"\n");
        printed(programs, u". packaging/setup.sh; install_packages "_s + who);
        QFile asked(programs.filePath(u"asked"_s));
        const bool any = asked.open(QIODevice::ReadOnly);
        QCOMPARE(any ? QString::fromUtf8(asked.readAll()).trimmed() : QString(), installed);
    }

    /// The programs that the metainfo names are those of its package.
    void metainfoNamesItsPrograms()
    {
        const QString metainfo = textOf(sourcePath(u"packaging/linux/kernscope.metainfo.xml"_s));
        const QString files = textOf(sourcePath(u"packaging/debian/kernscope.install"_s));
        const auto named = [](const QString &text, const char *expression) {
            QStringList names;
            QRegularExpression wanted(QString::fromLatin1(expression),
                                      QRegularExpression::MultilineOption);
            for (auto all = wanted.globalMatch(text); all.hasNext();)
                names += all.next().captured(1);
            return names;
        };
        QCOMPARE(named(metainfo, "<binary>(.*)</binary>"), named(files, "^usr/bin/(.*)$"));
    }

    void helpInstallsNothing_data()
    {
        QTest::addColumn<QString>("script");
        for (const char *name : {"run", "test", "check", "debian13"})
            kernscope::test::addRow(
                name, QString::fromLatin1("packaging/%1.sh").arg(QLatin1String(name)));
    }

    void helpInstallsNothing()
    {
        QFETCH(QString, script);
        const QTemporaryDir folder;
        const QDir programs(folder.path());
        for (const char *name : {"apt-get", "cmake", "debootstrap", "dpkg-query"})
            writeProgram(programs, QString::fromLatin1(name), ">\"${0%/*}/called\"; exit 1\n");
        const QString help = printed(programs, script + u" --help"_s);
        QVERIFY2(help.contains(script) && !help.startsWith(u'#'), qPrintable(help));
        QVERIFY(!programs.exists(u"called"_s));
    }
};

KERNSCOPE_TEST(TestScripts, QCoreApplication)
#include "tst_scripts.moc"
