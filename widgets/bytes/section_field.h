// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/container/section/section.h"

#include <QString>

#include <optional>

namespace kernscope::ui {

/// A field of a weight section's tables.
struct SectionField {
    QString name; ///< "unit 3: kernel format", "w core 2, record 1: bias address"
    ByteRange bytes;
};
/// The field that holds a byte: of the header, of a unit, of an output-channel group's record.
/// Nothing where no table names one (names, payloads, padding).
std::optional<SectionField> sectionFieldAt(const section::Section &section, FileOffset offset);

} // namespace kernscope::ui
