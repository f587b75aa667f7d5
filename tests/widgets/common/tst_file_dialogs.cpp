// SPDX-License-Identifier: GPL-3.0-or-later
// Where file dialogs start, and what they make of a name without a suffix.
#include "widgets/common/file_dialogs.h"

#include <QApplication>
#include <QDir>
#include <QFileDialog>
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

private:
    /// Types a name into the dialog that opens next and accepts it, or cancels without one; the
    /// folder that it starts in goes to `started`.
    static void answer(const QString &name, QString *started)
    {
        QTimer::singleShot(0, qApp, [name, started] {
            auto *dialog = qobject_cast<QFileDialog *>(QApplication::activeModalWidget());
            if (!dialog)
                return;
            *started = dialog->directory().absolutePath();
            dialog->selectFile(name);
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

QTEST_MAIN(TestFileDialogs)
#include "tst_file_dialogs.moc"
