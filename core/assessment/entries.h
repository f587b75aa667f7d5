// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/container/mil/program.h"

#include <map>
#include <string>
#include <utility>

namespace kernscope {

/// "MODEL/FUNCTION" without the parts that are empty.
std::string functionAddress(const std::string &model, const std::string &function);

/// Which function a run enters to reach another: the outermost one that calls it (`call` of a
/// segmented program), the first in the program's order where several do; itself where none does.
class Entries
{
public:
    explicit Entries(const mil::Program &program);
    /// Address of the entry of a function of a model.
    std::string of(const std::string &model, const std::string &function) const;

private:
    using Key = std::pair<std::string, std::string>; ///< model and function
    std::map<Key, std::string> m_caller;             ///< name of the function that calls it
};

} // namespace kernscope
