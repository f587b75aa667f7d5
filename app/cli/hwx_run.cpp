// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/hwx_run.h"

#include "app/cli/command.h"
#include "app/cli/text_output.h"
#include "core/report/hwx_json.h"

#include <nlohmann/json.hpp>

namespace kernscope::cli {

namespace {

struct Opened {
    std::shared_ptr<OverlaidFile> file;
    hwx::Container container;
};

Result<Opened> openContainer(const std::string &path)
{
    auto file = OverlaidFile::open(path, std::filesystem::path(path).filename().string());
    if (!file)
        return tl::unexpected(std::move(file.error()));
    auto container = hwx::readContainer((*file)->bytes(), (*file)->name());
    if (!container)
        return tl::unexpected(std::move(container.error()));
    return Opened{std::move(*file), std::move(*container)};
}

} // namespace

int runHwx(const HwxOptions &options, Session &session)
{
    const auto opened = openContainer(options.path);
    if (!opened)
        return reportFailure(session, "hwx", opened.error());
    const auto &diagnostics = opened->container.diagnostics;
    report::Json document = report::document("hwx");
    document["hwx"] = report::hwxJson(opened->container, opened->file->bytes(),
                                      opened->file->name(), {!options.noRegisters});
    printDocument(session, document, diagnostics);
    return exitCodeOf(diagnostics);
}

} // namespace kernscope::cli
