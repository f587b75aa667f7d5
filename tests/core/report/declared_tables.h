// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/audit_report.h"
#include "core/report/build_matrix.h"
#include "core/report/bundle_report.h"
#include "core/report/byte_table.h"
#include "core/report/chip_table.h"
#include "core/report/collective_table.h"
#include "core/report/compiled_origin.h"
#include "core/report/container_table.h"
#include "core/report/decision_table.h"
#include "core/report/edit_table.h"
#include "core/report/encode_table.h"
#include "core/report/format_table.h"
#include "core/report/geometry_table.h"
#include "core/report/pair_table.h"
#include "core/report/placement_table.h"
#include "core/report/plan_table.h"
#include "core/report/program_table.h"
#include "core/report/register_table.h"
#include "core/report/section_json.h"
#include "core/report/structure_table.h"
#include "core/report/task_table.h"
#include "core/report/weight_detail.h"
#include "core/report/weight_table.h"

namespace kernscope::report {

/// A table whose rows are forgotten: for those who list what is declared.
struct TableFacts {
    std::string_view name;
    std::vector<ColumnFacts> columns;
};

template <class... Row>
inline std::vector<TableFacts> factsOf(const TableOf<Row> &...tables)
{
    return {TableFacts{tables.name, tables.facts()}...};
}

/// Those of files: programs, containers, weights, what is written.
inline std::vector<TableFacts> fileTables()
{
    return factsOf(commandTable, containerSectionTable, portTable, symbolTable, registerTable,
                   laneTable, surveyTable, registerChangeTable, modelTable, annotatedOperationTable,
                   sharedRecordTable, writtenRangeTable, pendingRangeTable, pickedElementTable,
                   changedBytesTable, fileDifferenceTable, valueBinTable, encodedSideTable,
                   encodedTable, halfOperationTable, halfWeightTable, quantizedFileTable,
                   quantizeTileTable, decisionTable, planTotalsTable, buildTotalsTable, chipTable,
                   knotTable, elementRoleTable, unitSectionTable, alignedSectionTable,
                   fp8FormatTable, engineNoteTable, ccdmaSetterTable, collectiveNoteTable,
                   compiledPartTable, compiledFactTable, auditTable, nearerTable, coverageTable);
}

inline std::vector<TableFacts> declaredTables()
{
    std::vector<TableFacts> all = factsOf(
        activationTable, calibrationTable, publishedFigureTable, candidateTable, diagnosticTable,
        editTable, embeddedFactTable, kernelFormatTable, elementTypeTable, codegenTable, graphTable,
        plannedWeightTable, frontTable, reasonTable, hitTable, programChangeTable, sectionTable,
        structureTable, targetFactTable, taskTable, floorTable, placedFactTable, weightTable,
        placementTable, gainTable, unplacedTable, pairTable, channelTable, elementTable, entryTable,
        rangeTable, matrixTable, geometryFactTable, collectiveFactTable, groupTable, partTable,
        bookEntryTable, scaleTable, binTable, keptChannelTable, findingTable, fileTable,
        targetTotalsTable, collectiveOperationTable, collectiveByteTable, collectiveGateTable,
        byteFieldTable, readingTable, ceilingTable, powerTable, unassessedTable, timedLayerTable,
        tileTable, streamSlotTable, imageGroupTable, imageFieldTable, relocationRegisterTable,
        imageStreamTable, laneCodeTable, doubleMacTable, slotTable, loadedSlotTable);
    for (TableFacts &table : fileTables())
        all.push_back(std::move(table));
    return all;
}

} // namespace kernscope::report
