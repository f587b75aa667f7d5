// SPDX-License-Identifier: GPL-3.0-or-later
// Where file dialogs start, what they make of a name without a suffix, which places they refuse.
#include "tests/test_program.h"
#include "widgets/common/file_dialogs.h"

using namespace kernscope::ui;

namespace {

void write(const QString &path)
{
    QVERIFY(put(path, "kept"));
}

} // namespace

class TestFileDialogs : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void startInTheFolderOfTheWindow()
    {
        QTemporaryDir folder;
        QVERIFY(QDir(folder.path()).mkpath(u"elsewhere"_s));
        QWidget window;
        QWidget plot(&window);
        QCOMPARE(dialogFolder(&plot), QString());
        window.setProperty(kDialogFolder, folder.path());
        QString started;
        answer(u"elsewhere/table"_s, &started);
        const QString path = askSavePath(&plot, u"Export"_s, u"table.csv"_s,
                                         u"Tables (*.csv *.txt);;All files (*)"_s);
        QCOMPARE(started, folder.path());
        QCOMPARE(path, folder.filePath(u"elsewhere/table.csv"_s));
        // The next one starts where this one ended, from any window.
        QCOMPARE(dialogFolder(&window), folder.filePath(u"elsewhere"_s));
        answer(QString(), &started);
        QCOMPARE(askSavePath(&window, u"Export"_s, QString()), QString());
        QCOMPARE(started, folder.filePath(u"elsewhere"_s));
    }

    void whatIsShownIsNotReplaced_data()
    {
        QTest::addColumn<QString>("path"); // within the folder, or as it stands
        QTest::addColumn<bool>("refused");
        addRow("beside it", u"other.csv"_s, false);
        addRow("a file that is there", u"there.csv"_s, false);
        addRow("the file shown", u"net.safetensors"_s, true);
        addRow("a link to it", u"link.safetensors"_s, true);
        addRow("inside the bundle shown", u"m.mlmodelc/model.mil"_s, true);
        addRow("new inside of it", u"m.mlmodelc/weights/new.csv"_s, true);
        addRow("a folder", u"m.mlmodelc"_s, true);
        addRow("a device", u"/dev/null"_s, true);
        addRow("no such folder", u"none/x.csv"_s, true);
    }

    void whatIsShownIsNotReplaced()
    {
        QFETCH(QString, path);
        QFETCH(bool, refused);
        const QTemporaryDir folder;
        QVERIFY(QDir(folder.path()).mkpath(u"m.mlmodelc/weights"_s));
        for (const char *name : {"net.safetensors", "there.csv", "m.mlmodelc/model.mil"})
            write(folder.filePath(QLatin1String(name)));
        QVERIFY(QFile::link(folder.filePath(u"net.safetensors"_s),
                            folder.filePath(u"link.safetensors"_s)));
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
    void refusedPlaceIsAskedForAgain()
    {
        const QTemporaryDir folder;
        const QString shown = folder.filePath(u"net.csv"_s);
        write(shown);
        QWidget window;
        window.setProperty(kDialogFolder, folder.path());
        setShownInputs(
            &window, [&shown] { return std::vector<std::filesystem::path>{shown.toStdString()}; });
        QString message;
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
                // Again where the dialog was not ready for it.
                type(*dialog, message.isEmpty() ? u"net.csv"_s : u"x.csv"_s);
                // Queued: it asks in a loop of its own, in which a timer at work stands still.
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
        QCOMPARE(askSavePath(&window, u"Export"_s, QString()), folder.filePath(u"x.csv"_s));
        QVERIFY2(message.contains(u"net.csv"_s), qPrintable(message));
        message.clear();
        QString path;
        openSaveDialog(&window, u"Export"_s, QString(), QString(),
                       [&path](const QString &chosen) { path = chosen; });
        QTRY_COMPARE(path, folder.filePath(u"x.csv"_s));
        QVERIFY2(message.contains(u"net.csv"_s), qPrintable(message));
        timer.stop();
        QCOMPARE(contentOf(shown), "kept"_ba);
    }

    void typedPathsOpen_data()
    {
        // typed: %1: the folder
        addColumns<OpenDialog::Lists, QString, QString>();
        using enum OpenDialog::Lists;
        for (const auto &[lists, name] :
             {std::pair(Bundles, "bundles"), std::pair(Folders, "folders")}) {
            const auto row = [lists = lists, name = name](const char *what, const QString &typed,
                                                          const QString &chosen) {
                QTest::addRow("%s, %s", name, what) << lists << typed << chosen;
            };
            row("a file", u"%1/net.hwx"_s, u"net.hwx"_s);
            row("a file of this folder", u"net.hwx"_s, u"net.hwx"_s);
            row("a bundle", u"%1/m.mlmodelc"_s, u"m.mlmodelc"_s);
            row("with a slash", u"%1/m.mlmodelc/"_s, u"m.mlmodelc"_s);
            row("no name of one", u"%1/built"_s, u"built"_s);
            row("a plain folder", u"%1/plain"_s, lists == Folders ? u"plain"_s : QString());
        }
        QTest::addRow("files, a file") << Files << u"%1/net.hwx"_s << u"net.hwx"_s;
        QTest::addRow("files, a bundle") << Files << u"%1/m.mlmodelc"_s << QString();
    }

    /// What is typed opens with Enter, be it a file or a folder, also while the completer shows its
    /// proposals. A dialog for bundles goes into a folder that is none, one for files into any.
    void typedPathsOpen()
    {
        const auto [lists, typed, chosen] = fetched<OpenDialog::Lists, QString, QString>();
        const QTemporaryDir folder;
        for (const char *name : {"m.mlmodelc/weights", "built", "plain"})
            QVERIFY(QDir(folder.path()).mkpath(QLatin1String(name)));
        for (const char *name : {"net.hwx", "m.mlmodelc/model.mil", "built/model.mil"})
            write(folder.filePath(QLatin1String(name)));
        QWidget window;
        window.setProperty(kDialogFolder, folder.path());
        OpenDialog dialog(lists, &window, u"Open"_s);
        QSignalSpy selected(&dialog, &QFileDialog::fileSelected);
        dialog.open();
        QVERIFY(QTest::qWaitForWindowExposed(&dialog));
        auto *edit = VERIFIED(dialog.findChild<QLineEdit *>(u"fileNameEdit"_s));
        edit->setFocus();
        const QString text = typed.contains(QLatin1Char('%')) ? typed.arg(folder.path()) : typed;
        edit->clear();
        QTest::keyClicks(edit, text);
        QTRY_VERIFY(edit->completer() != nullptr);
        edit->completer()->complete();
        QTest::keyClick(edit, Qt::Key_Return);
        if (chosen.isEmpty()) {
            QVERIFY(selected.isEmpty() && dialog.isVisible());
            QCOMPARE(dialog.directory().dirName(), QDir(text).dirName());
            return;
        }
        QCOMPARE(selected.count(), 1);
        QCOMPARE(QFileInfo(selected.front().front().toString()).canonicalFilePath(),
                 QFileInfo(folder.filePath(chosen)).canonicalFilePath());
        QVERIFY(!dialog.isVisible());
    }

    /// A double click opens a bundle, and goes into a folder that is none.
    void activatedBundlesOpen()
    {
        const QTemporaryDir folder;
        QVERIFY(QDir(folder.path()).mkpath(u"plain/m.mlmodelc/weights"_s));
        write(folder.filePath(u"plain/m.mlmodelc/model.mil"_s));
        QWidget window;
        window.setProperty(kDialogFolder, folder.path());
        OpenDialog dialog(OpenDialog::Lists::Folders, &window, u"Open"_s);
        QSignalSpy selected(&dialog, &QFileDialog::fileSelected);
        dialog.open();
        auto *list = VERIFIED(dialog.findChild<QListView *>(u"listView"_s));
        for (const QString &name : {u"plain"_s, u"m.mlmodelc"_s}) {
            QVERIFY(selected.isEmpty() && dialog.isVisible());
            QTRY_COMPARE(list->model()->index(0, 0, list->rootIndex()).data().toString(), name);
            Q_EMIT list->activated(list->model()->index(0, 0, list->rootIndex()));
        }
        QTRY_COMPARE(selected.count(), 1);
        QVERIFY(selected.front().front().toString().endsWith(u"/plain/m.mlmodelc"_s));
        QVERIFY(!dialog.isVisible());
    }

private:
    /// As one types: selectFile() leaves a line alone that has the focus, the line the selection.
    static void type(QFileDialog &dialog, const QString &name)
    {
        dialog.selectFile(name);
        dialog.findChild<QLineEdit *>(u"fileNameEdit"_s)->setText(name);
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

KERNSCOPE_TEST(TestFileDialogs, QApplication)
#include "tst_file_dialogs.moc"
