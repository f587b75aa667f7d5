// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error_builder.h"

#include <QString>

namespace kernscope::app {

/// The error of a file that the window keeps for itself (bookmarks, sessions): `message` is already
/// translated, `field` is the member that cannot be read.
inline tl::unexpected<Error> fileFault(const char *code, const QString &message,
                                       const QString &file = {}, const QString &field = {})
{
    return ErrorBuilder(code)
        .message(message.toStdString())
        .file(file.toStdString())
        .field(field.toStdString())
        .unexpected();
}

} // namespace kernscope::app
