// SPDX-License-Identifier: GPL-3.0-or-later
// Where file dialogs start, what they make of a name without a suffix, and which places they
// refuse.
#include "tests/test_program.h"
#include "widgets/common/file_dialogs.h"

#include <QApplication>
#include <QCompleter>
#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QLineEdit>
#include <QMessageBox>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <QWidget>

using namespace kernscope::ui;

class TestFileDialogs : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void startInTheFolderOfTheWindow();
    void whatIsShownIsNotReplaced_data();
    void whatIsShownIsNotReplaced();
    void refusedPlaceIsAskedForAgain();
    void typedPathsOpen_data();
    void typedPathsOpen();

private:
    /// As one types: selectFile() leaves a line alone that has the focus, the line the selection.
    static void type(QFileDialog &dialog, const QString &name)
    {
        dialog.selectFile(name);
        dialog.findChild<QLineEdit *>(QStringLiteral("fileNameEdit"))->setText(name);
    }
    /// Types a name into the dialog that opens next and accepts it, or cancels without one; the
    /// folder that it starts in goes to `started`.
    static void answer(const QString &name, QString *started)
    {
        QTimer::singleShot(0, qApp, [name, started] {
            auto *dialog = qobject_cast<QFileDialog *>(QApplication::activeModalWidget());
            if (!dialog)
                return;
            *started = dialog->directory().absolutePath();
            type(*dialog, name);
            QMetaObject::invokeMethod(dialog, name.isEmpty() ? "reject" : "accept");
        });
    }
};

void TestFileDialogs::startInTheFolderOfTheWindow()
{
    QTemporaryDir folder;
    QVERIFY(QDir(folder.path()).mkpath(QStringLiteral("elsewhere")));
    QWidget window;
    QWidget plot(&window);
    QCOMPARE(dialogFolder(&plot), QString());
    window.setProperty(kDialogFolder, folder.path());
    QString started;
    answer(QStringLiteral("elsewhere/table"), &started);
    const QString path = askSavePath(&plot, QStringLiteral("Export"), QStringLiteral("table.csv"),
                                     QStringLiteral("Tables (*.csv *.txt);;All files (*)"));
    QCOMPARE(started, folder.path());
    QCOMPARE(path, folder.filePath(QStringLiteral("elsewhere/table.csv")));
    // The next one starts where this one ended, whoever asks.
    QCOMPARE(dialogFolder(&window), folder.filePath(QStringLiteral("elsewhere")));
    answer(QString(), &started);
    QCOMPARE(askSavePath(&window, QStringLiteral("Export"), QString()), QString());
    QCOMPARE(started, folder.filePath(QStringLiteral("elsewhere")));
}

namespace {

void write(const QString &path)
{
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write("kept") == 4);
}

} // namespace

void TestFileDialogs::whatIsShownIsNotReplaced_data()
{
    QTest::addColumn<QString>("path"); // within the folder, or as it stands
    QTest::addColumn<bool>("refused");
    QTest::newRow("beside it") << QStringLiteral("other.csv") << false;
    QTest::newRow("a file that is there") << QStringLiteral("there.csv") << false;
    QTest::newRow("the file shown") << QStringLiteral("net.safetensors") << true;
    QTest::newRow("a link to it") << QStringLiteral("link.safetensors") << true;
    QTest::newRow("inside the bundle shown") << QStringLiteral("m.mlmodelc/model.mil") << true;
    QTest::newRow("new inside of it") << QStringLiteral("m.mlmodelc/weights/new.csv") << true;
    QTest::newRow("a folder") << QStringLiteral("m.mlmodelc") << true;
    QTest::newRow("a device") << QStringLiteral("/dev/null") << true;
    QTest::newRow("no such folder") << QStringLiteral("none/x.csv") << true;
}
void TestFileDialogs::whatIsShownIsNotReplaced()
{
    QFETCH(QString, path);
    QFETCH(bool, refused);
    const QTemporaryDir folder;
    QVERIFY(QDir(folder.path()).mkpath(QStringLiteral("m.mlmodelc/weights")));
    for (const char *name : {"net.safetensors", "there.csv", "m.mlmodelc/model.mil"})
        write(folder.filePath(QLatin1String(name)));
    QVERIFY(QFile::link(folder.filePath(QStringLiteral("net.safetensors")),
                        folder.filePath(QStringLiteral("link.safetensors"))));
    QWidget window;
    QWidget plot(&window);
    setShownInputs(&window, [&folder] {
        std::vector<std::filesystem::path> paths;
        for (const char *name : {"net.safetensors", "m.mlmodelc"})
            paths.emplace_back(folder.filePath(QLatin1String(name)).toStdString());
        return paths;
    });
    const QString place = QDir(folder.path()).absoluteFilePath(path);
    const QString said = outputRefusal(&plot, place);
    QCOMPARE(!said.isEmpty(), refused);
    QVERIFY2(said.isEmpty() || said.contains(QFileInfo(place).fileName()), qPrintable(said));
}

/// The dialog comes back after the message, and takes another name.
void TestFileDialogs::refusedPlaceIsAskedForAgain()
{
    const QTemporaryDir folder;
    const QString shown = folder.filePath(QStringLiteral("net.csv"));
    write(shown);
    QWidget window;
    window.setProperty(kDialogFolder, folder.path());
    setShownInputs(&window,
                   [&shown] { return std::vector<std::filesystem::path>{shown.toStdString()}; });
    QString message;
    int asked = 0;
    QTimer timer;
    connect(&timer, &QTimer::timeout, qApp, [&] {
        QWidget *modal = QApplication::activeModalWidget();
        if (auto *box = qobject_cast<QMessageBox *>(modal)) {
            // Whether to replace it, and then that it may not be.
            if (QAbstractButton *yes = box->button(QMessageBox::Yes)) {
                yes->click();
            } else {
                message = box->text();
                box->accept();
            }
        } else if (auto *dialog = qobject_cast<QFileDialog *>(modal)) {
            timer.stop();
            type(*dialog, ++asked == 1 ? QStringLiteral("net.csv") : QStringLiteral("x.csv"));
            // Queued: it asks in an event loop of its own, in which a timer at work stands still.
            QMetaObject::invokeMethod(
                dialog,
                [dialog, &timer] {
                    timer.start(0);
                    QMetaObject::invokeMethod(dialog, "accept");
                },
                Qt::QueuedConnection);
        }
    });
    timer.start(0);
    QCOMPARE(askSavePath(&window, QStringLiteral("Export"), QString()),
             folder.filePath(QStringLiteral("x.csv")));
    QVERIFY2(message.contains(QStringLiteral("net.csv")), qPrintable(message));
    asked = 0;
    message.clear();
    QString path;
    openSaveDialog(&window, QStringLiteral("Export"), QString(), QString(),
                   [&path](const QString &chosen) { path = chosen; });
    QTRY_COMPARE(path, folder.filePath(QStringLiteral("x.csv")));
    QVERIFY2(message.contains(QStringLiteral("net.csv")), qPrintable(message));
    timer.stop();
    QFile kept(shown);
    QVERIFY(kept.open(QIODevice::ReadOnly));
    QCOMPARE(kept.readAll(), QByteArray("kept"));
}

void TestFileDialogs::typedPathsOpen_data()
{
    QTest::addColumn<bool>("folders");
    QTest::addColumn<QString>("typed"); // %1: the folder
    QTest::addColumn<QString>("chosen");
    for (const bool folders : {false, true}) {
        const char *lists = folders ? "folders" : "files";
        const auto row = [&](const char *what, const QString &typed, const QString &chosen) {
            QTest::addRow("%s, %s", lists, what) << folders << typed << chosen;
        };
        row("a file", QStringLiteral("%1/net.hwx"), QStringLiteral("net.hwx"));
        row("a file of this folder", QStringLiteral("net.hwx"), QStringLiteral("net.hwx"));
        row("a bundle", QStringLiteral("%1/m.mlmodelc"), QStringLiteral("m.mlmodelc"));
        row("with a slash", QStringLiteral("%1/m.mlmodelc/"), QStringLiteral("m.mlmodelc"));
        row("no name of one", QStringLiteral("%1/built"), QStringLiteral("built"));
        row("a plain folder", QStringLiteral("%1/plain"),
            folders ? QStringLiteral("plain") : QString());
    }
}

/// What is typed opens with Enter, be it a file or a folder, also while the completer shows its
/// proposals. A dialog for files goes into a folder that is no bundle.
void TestFileDialogs::typedPathsOpen()
{
    QFETCH(bool, folders);
    QFETCH(QString, typed);
    QFETCH(QString, chosen);
    const QTemporaryDir folder;
    for (const char *name : {"m.mlmodelc/weights", "built", "plain"})
        QVERIFY(QDir(folder.path()).mkpath(QLatin1String(name)));
    for (const char *name : {"net.hwx", "m.mlmodelc/model.mil", "built/model.mil"})
        write(folder.filePath(QLatin1String(name)));
    QWidget window;
    window.setProperty(kDialogFolder, folder.path());
    OpenDialog dialog(folders ? OpenDialog::Lists::Folders : OpenDialog::Lists::Files, &window,
                      QStringLiteral("Open"));
    QSignalSpy selected(&dialog, &QFileDialog::fileSelected);
    dialog.open();
    QVERIFY(QTest::qWaitForWindowExposed(&dialog));
    auto *edit = dialog.findChild<QLineEdit *>(QStringLiteral("fileNameEdit"));
    QVERIFY(edit);
    edit->setFocus();
    const QString text = typed.contains(QLatin1Char('%')) ? typed.arg(folder.path()) : typed;
    edit->clear();
    QTest::keyClicks(edit, text);
    QTRY_VERIFY(edit->completer() != nullptr);
    edit->completer()->complete();
    QTest::keyClick(edit, Qt::Key_Return);
    if (chosen.isEmpty()) {
        QVERIFY(selected.isEmpty() && dialog.isVisible());
        QCOMPARE(QFileInfo(dialog.directory().path()).fileName(), QStringLiteral("plain"));
        return;
    }
    QCOMPARE(selected.count(), 1);
    QCOMPARE(QFileInfo(selected.front().front().toString()).canonicalFilePath(),
             QFileInfo(folder.filePath(chosen)).canonicalFilePath());
    QVERIFY(!dialog.isVisible());
}

KERNSCOPE_TEST(TestFileDialogs, QApplication)
#include "tst_file_dialogs.moc"
