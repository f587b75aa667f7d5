// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/sandbox.h"
#include "tests/test_program.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

constexpr int kNoSandbox = 99;

/// What `inside` returns from a process that has entered the sandbox.
int resultInside(const SandboxRights &rights, const std::function<int()> &inside)
{
    const pid_t child = ::fork();
    if (child == 0)
        ::_exit(enterSandbox(rights) ? inside() : kNoSandbox);
    int status = 0;
    return ::waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// 0, or why the file cannot be opened.
int openFault(const QString &path, int flags)
{
    const int file = ::open(path.toLocal8Bit().constData(), flags | O_CLOEXEC, 0600);
    const int fault = file < 0 ? errno : 0;
    if (file >= 0)
        ::close(file);
    return fault;
}

} // namespace

class TestSandbox : public QObject
{
    Q_OBJECT

private slots:
    void init()
    {
        if (resultInside({}, [] { return 0; }) == kNoSandbox)
            QSKIP("This kernel has no Landlock");
        for (const char *folder : {"in", "out", "else", "list"})
            QVERIFY(QDir(m_folder.path()).mkpath(QString::fromUtf8(folder)));
        for (const char *name : {"in/a", "out/a", "else/a", "list/a", "one", "two"})
            QVERIFY(put(at(QString::fromUtf8(name)), "a"));
        QFile::link(at(u"else/a"_s), at(u"in/link"_s));
    }

    void files_data()
    {
        const auto row = addColumns<QString, int, int>();
        row("in/a", O_RDONLY, 0);
        row("in/a", O_RDWR, EACCES);
        row("in/a", O_WRONLY | O_TRUNC, EACCES);
        row("in/new", O_WRONLY | O_CREAT, EACCES);
        row("in/link", O_RDONLY, EACCES); // which leads out of what was given
        row("one", O_RDONLY, 0);
        row("one", O_RDWR, EACCES);
        row("two", O_RDONLY, EACCES);
        row("else/a", O_RDONLY, EACCES);
        row("else", O_RDONLY | O_DIRECTORY, EACCES);
        row("list", O_RDONLY | O_DIRECTORY, 0);
        row("list/a", O_RDONLY, EACCES);
        row("else/new", O_WRONLY | O_CREAT, EACCES);
        row("out/a", O_WRONLY | O_TRUNC, 0);
        row("out/new", O_RDWR | O_CREAT | O_EXCL, 0);
    }

    void files()
    {
        const auto [name, flags, fault] = fetched<QString, int, int>();
        const int outside = openFault(at(name), flags);
        QCOMPARE(outside, 0); // so that it is the sandbox that refuses
        if ((flags & O_CREAT) != 0)
            QVERIFY(QFile::remove(at(name)));
        QCOMPARE(resultInside(rights(), [&] { return openFault(at(name), flags); }), fault);
    }

    void holdsForThreads()
    {
        const QString path = at(u"two"_s);
        QCOMPARE(resultInside(rights(),
                              [&] {
                                  int fault = 0;
                                  std::thread([&] { fault = openFault(path, O_RDONLY); }).join();
                                  return fault;
                              }),
                 EACCES);
    }

    void network()
    {
        QCOMPARE(resultInside({}, [] { return ::socket(AF_INET, SOCK_STREAM, 0) < 0 ? errno : 0; }),
                 EACCES);
    }

private:
    QString at(const QString &name) const { return m_folder.filePath(name); }
    SandboxRights rights() const
    {
        return {
            {at(u"in"_s).toStdString(), at(u"one"_s).toStdString(), at(u"nowhere"_s).toStdString()},
            {at(u"out"_s).toStdString()},
            {at(u"list"_s).toStdString()}};
    }

    QTemporaryDir m_folder;
};

KERNSCOPE_TEST(TestSandbox, NoApplication)
#include "tst_sandbox.moc"
