// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/container/mil/program.h"

#include <map>
#include <string>
#include <utility>

namespace kernscope::mil {

/// The backend of each segment: what `call(…)[backend = …, function = …]` in another function of
/// the same model runs it on. Made once for a program: it looks at every operation.
class SegmentBackends
{
public:
    explicit SegmentBackends(const Program &program);
    const std::string &of(const Function &function) const; ///< empty where nothing calls it

private:
    std::map<std::pair<std::string, std::string>, std::string> m_backends; ///< by model and name
};

} // namespace kernscope::mil
