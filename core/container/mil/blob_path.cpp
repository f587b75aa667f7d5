// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/mil/blob_path.h"

#include "core/base/error_builder.h"

#include <algorithm>

namespace kernscope {

std::string modelFolderOf(std::string_view programPath)
{
    const auto slash = programPath.rfind('/');
    return slash == std::string_view::npos ? std::string()
                                           : std::string(programPath.substr(0, slash + 1));
}

Result<std::string> resolveBlobPath(std::string_view written, std::string_view modelFolder)
{
    constexpr std::string_view kModelPath = "@model_path";
    const auto refuse = [written](std::string_view why) {
        return ErrorBuilder("blob.path")
            .field("path")
            .expected("a path below @model_path")
            .found(written)
            .message(why)
            .unexpected();
    };
    std::string_view rest = written;
    if (rest.starts_with(kModelPath)) {
        rest.remove_prefix(kModelPath.size());
        if (!rest.starts_with('/'))
            return refuse("The path of a weight file names no file of the bundle.");
        rest.remove_prefix(1);
    } else if (rest.starts_with('/') || rest.starts_with('@')) {
        return refuse("The path of a weight file names no file of the bundle.");
    }
    if (rest.empty() || rest.find('\0') != std::string_view::npos)
        return refuse("The path of a weight file names no file of the bundle.");
    std::string clean(modelFolder);
    for (std::size_t at = 0; at <= rest.size();) {
        const std::size_t slash = std::min(rest.find('/', at), rest.size());
        const std::string_view step = rest.substr(at, slash - at);
        if (step == "..")
            return refuse("The path of a weight file leaves the bundle.");
        if (!step.empty() && step != ".") {
            if (!clean.empty() && clean.back() != '/')
                clean += '/';
            clean += step;
        }
        at = slash + 1;
    }
    return clean;
}

} // namespace kernscope
