// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/geometry_table.h"
#include "widgets/common/row_table_model.h"

#include <QFont>

namespace kernscope::ui {

/// Figures of the engine, as the docks Geometry and Collective list them; headings are bold.
class EngineFactModel final : public RowTable<report::EngineFact>
{
public:
    explicit EngineFactModel(const report::TableOf<report::EngineFact> &table, QObject *parent)
        : RowTable(table, parent)
    {
        setLook([](const report::EngineFact &row, std::string_view, int role) -> QVariant {
            if (role != Qt::FontRole || !row.heading)
                return {};
            QFont font;
            font.setBold(true);
            return font;
        });
    }
};

} // namespace kernscope::ui
