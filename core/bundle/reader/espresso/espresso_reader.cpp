// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/reader/espresso/espresso_reader.h"

#include "core/base/error_builder.h"
#include "core/base/find.h"
#include "core/bundle/reader/network/network_weights.h"
#include "core/container/espresso/espresso.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

namespace kernscope {

namespace {

constexpr std::string_view kNet = ".espresso.net", kShape = ".espresso.shape",
                           kWeights = ".espresso.weights";

std::size_t fileAt(const std::vector<BundleFile> &files, std::string_view path)
{
    const auto *found = findBy(files, &BundleFile::path, path);
    return !found ? kNoIndex : static_cast<std::size_t>(found - files.data());
}

/// "model0/model" of "model0/model.espresso.net".
std::string stemOf(std::string_view net)
{
    return std::string(net.substr(0, net.size() - kNet.size()));
}

} // namespace

bool isEspressoNet(std::string_view path)
{
    return path.ends_with(kNet);
}

std::vector<std::string> besideEspressoNet(std::string_view net)
{
    return {stemOf(net) + std::string(kShape), stemOf(net) + std::string(kWeights)};
}

void readEspresso(const std::vector<BundleFile> &files, std::size_t net, const std::string &model,
                  ContainerContents &out)
{
    const std::string stem = stemOf(files[net].path);
    const std::size_t shape = fileAt(files, stem + std::string(kShape));
    const std::size_t weights = fileAt(files, stem + std::string(kWeights));
    espresso::NetFiles parts;
    parts.net = files[net].file->bytes();
    parts.name = files[net].path;
    if (shape != kNoIndex) {
        parts.shape = files[shape].file->bytes();
        parts.shapeName = files[shape].path;
    }
    Result<espresso::BlobTable> table;
    if (weights != kNoIndex) {
        parts.weightsName = files[weights].path;
        table = espresso::readBlobs(files[weights].file->bytes(), files[weights].path);
        if (table)
            parts.weights = &*table;
        else
            out.log.add(Severity::Error, table.error());
    } else {
        out.log.add(Severity::Error,
                    valueError({stem + std::string(kWeights)}, "io.open", "storage",
                               "the weights of the network", "no such file",
                               "The weight file of the network is missing"));
    }
    auto read = espresso::readNet(parts);
    if (!read)
        return out.log.add(Severity::Error, read.error());
    out.log.add(std::move(read->network.diagnostics));
    read->function.model = model;
    if (out.program.version.empty())
        out.program.version = std::move(read->version);
    out.program.functions.push_back(std::move(read->function));
    auto own = networkWeights(read->network, weights, model);
    std::move(own.begin(), own.end(), std::back_inserter(out.weights));
}

std::vector<ByteClaim> espressoClaims(BundleFile &file, std::size_t number,
                                      const std::vector<Weight> &weights)
{
    const auto table = espresso::readBlobs(file.file->bytes(), file.path);
    if (!table)
        return {};
    auto claims = claimsOfOperands(number, weights);
    std::set<FileOffset> named;
    for (const ByteClaim &claim : claims)
        named.insert(claim.range.offset);
    file.records = table->blobs.size();
    file.blobCount = static_cast<std::uint32_t>(std::min<std::size_t>(file.records, UINT32_MAX));
    file.unusedRecords = static_cast<std::size_t>(
        std::ranges::count_if(table->blobs, [&named](const espresso::Blob &blob) {
            return blob.data.bytes.value > 0 && !named.contains(blob.data.offset);
        }));
    file.payloadBytes = ByteCount(file.file->size().value - table->header().end());
    claims.insert(claims.begin(), {table->header(), SectionKind::Header, "table of blobs"});
    for (const espresso::Blob &blob : table->blobs) // those that no layer names
        claims.push_back({blob.data, SectionKind::Data, fmt::format("blob {}", blob.id)});
    return claims;
}

} // namespace kernscope
