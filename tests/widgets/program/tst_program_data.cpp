// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/data/data_folder.h"
#include "tests/widgets/program/plain_program.h"

using namespace kernscope::ui;

/// The rows of every program of the data folder are those that a plain reading of it gives.
class TestProgramData : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void bundles_data() { addPaths({u"*.mlmodelc"_s, u"*.mlpackage"_s}); }

    void bundles()
    {
        KERNSCOPE_SKIP_WITHOUT_ROWS();
        QFETCH(const QString, path);
        const auto bundle = VERIFIED(Bundle::open(path.toStdString()));
        const PlainProgram plain(**bundle);
        QCOMPARE(plain.difference(*ProgramTree::build(*bundle)), std::string());
    }
};

KERNSCOPE_TEST(TestProgramData, QCoreApplication)
#include "tst_program_data.moc"
