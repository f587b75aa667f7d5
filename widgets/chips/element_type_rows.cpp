// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/chips/element_type_rows.h"

#include "core/target/dma_format.h"
#include "widgets/chips/chip_words.h"
#include "widgets/common/table_text.h"

namespace kernscope::ui {

namespace {

using format::CatalogueRow;
using Row = FactTableModel::Row;

/// What the DMA engine does with a tensor format on the chip.
QString dmaWords(const target::Target &target, format::TensorFormat format)
{
    const target::DmaFormat check = target::checkDmaFormat(target, format);
    const QString state = !check.valid   ? FactTableModel::tr("? unknown")
                          : *check.valid ? FactTableModel::tr("\u25b6 valid")
                                         : FactTableModel::tr("\u2715 refused");
    return check.byte ? FactTableModel::tr("%1 (%2)").arg(
                            state, fromUtf8(target::halOffsetText(*check.byte)))
                      : state;
}

Row rowOf(const QString &numbering, const CatalogueRow &fact)
{
    Row row;
    row.push_back({numbering});
    row.push_back({QString::number(fact.code), fact.code});
    row.push_back({fromUtf8(fact.name)});
    row.push_back({fact.bits ? QString::number(*fact.bits) : QStringLiteral("\u2013"),
                   fact.bits ? static_cast<int>(*fact.bits) : -1});
    row.push_back({QStringLiteral("\u2013")});
    row.push_back({fact.inKernelUnit ? FactTableModel::tr("weight sections") : QString()});
    row.push_back({confidenceLabel(fact.confidence)});
    row.push_back({fromUtf8(fact.source), {}, fromUtf8(fact.note)});
    return row;
}

} // namespace

FactTableModel *makeElementTypeModel(QObject *parent)
{
    using T = FactTableModel;
    return new FactTableModel(
        {T::tr("numbering"), T::tr("code"), T::tr("name"), T::tr("bits"), T::tr("DMA to fp16"),
         T::tr("on this chip"), T::tr("confidence"), T::tr("source")},
        {T::tr("Which list the code belongs to; codes of different lists are never the same thing"),
         T::tr("The compiler's or the file's number"), T::tr("Name of the type"),
         T::tr("Bits of one element"),
         T::tr("Whether the DMA engine converts it to fp16: (fmt < 0xe) & (0x2ff0 >> fmt)"),
         T::tr("Tensor formats: what CheckValidDMAFormat says, and the byte that it asks; the "
               "catalogue: types that a weight section's descriptor is written with"),
         T::tr("How well the row is known"), T::tr("Where the row comes from")},
        parent);
}

std::vector<Row> elementTypeRows(const target::Target &target)
{
    std::vector<Row> rows;
    for (const CatalogueRow &fact : format::tensorFormats()) {
        Row row = rowOf(FactTableModel::tr("tensor format"), fact);
        const format::TensorFormat code(fact.code);
        row[4].text = format::isDmaConvertibleToFp16(code) ? FactTableModel::tr("yes")
                                                           : FactTableModel::tr("no");
        row[4].tip = fromUtf8(fact.note);
        row[5].text = dmaWords(target, code);
        rows.push_back(std::move(row));
    }
    for (const CatalogueRow &fact : format::elementCatalogue())
        rows.push_back(rowOf(FactTableModel::tr("symbol catalogue"), fact));
    for (const CatalogueRow &fact : format::serializationTypes())
        rows.push_back(rowOf(FactTableModel::tr("serialization type"), fact));
    for (const CatalogueRow &fact : format::blobTypes())
        rows.push_back(rowOf(FactTableModel::tr("weight.bin type"), fact));
    return rows;
}

} // namespace kernscope::ui
