// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/csv.h"
#include "core/format/catalogue.h"
#include "core/format/legality.h"
#include "core/numeric/element_type.h"
#include "tests/data/data_folder.h"

using namespace kernscope::format;

class TestFormatVectors : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void predicatesOfTheGoldenTable()
    {
        QFile file(test::dataPath(u"vectors/tables/predicates.csv"_s));
        if (!file.open(QIODevice::ReadOnly))
            QSKIP("KERNSCOPE_DATA has no vectors/tables/predicates.csv");
        const QByteArray text = file.readAll();
        const auto csv =
            VERIFIED(CsvTable::parse({text.constData(), size_t(text.size())}, "predicates"));
        QVERIFY(csv->rows() > 0);
        for (std::size_t i = 0; i < csv->rows(); ++i) {
            const auto code = std::uint32_t(*parseInteger(csv->cell(i, "code")));
            QCOMPARE(isDmaConvertibleToFp16(TensorFormat(code)),
                     csv->cell(i, "dma_folds_to_fp16") == "1");
            QCOMPARE(nativeKernelFormats().has(code),
                     csv->cell(i, "kernel_format_admitted") == "1");
            QCOMPARE(isPaletteVector(code), csv->cell(i, "palette_vector_legal") == "1");
        }
    }
};

KERNSCOPE_TEST(TestFormatVectors, QCoreApplication)
#include "tst_format_vectors.moc"
