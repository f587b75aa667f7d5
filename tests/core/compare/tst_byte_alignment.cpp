// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/bundle.h"
#include "core/compare/byte_differences.h"
#include "tests/data/data_folder.h"

/// Bytes of two bundles set against each other, over real files.
class TestByteAlignment : public QObject
{
    Q_OBJECT

private slots:
    void copyIsEqual_data() { addPaths({u"*.hwx"_s, u"*.mlmodelc"_s, u"*.mlpackage"_s}); }

    /// A file opened twice: every section finds itself, none differs.
    void copyIsEqual()
    {
        KERNSCOPE_SKIP_WITHOUT_ROWS();
        QFETCH(const QString, path);
        const std::string name = QFile::encodeName(path).toStdString();
        const auto a = Bundle::open(name), b = Bundle::open(name);
        QVERIFY(a && b);
        const auto pairs = pairWeights(**a, **b).pairs;
        const AlignedBytes bytes{*a, *b, ByteAlignment(**a, **b, pairs)};
        for (const AlignedSection &section : bytes.alignment.sections()) {
            QVERIFY2(section.a != kNoIndex && section.b != kNoIndex, section.name.c_str());
            QCOMPARE(section.rangeA, section.rangeB);
        }
        Progress progress;
        const auto differences = VERIFIED(ByteDifferences::find(bytes, progress));
        QCOMPARE(differences->tally(), ByteTally());
    }
};

KERNSCOPE_TEST(TestByteAlignment, QCoreApplication)
#include "tst_byte_alignment.moc"
