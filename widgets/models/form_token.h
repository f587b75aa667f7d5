// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/form/storage_form.h"
#include "widgets/models/theme.h"

namespace kernscope::ui {

/// Colour of a storage form: of the kind of part that makes it ("sparse+lut" is sparse).
Token formToken(const StorageForm &form);

} // namespace kernscope::ui
