// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/files.h"
#include "core/base/progress.h"
#include "core/format/catalogue.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What compilers of Apple's platforms leave in folders: .aimodelc, coreai-cache,
/// .mpsgraphpackage, specialization bundles, .e5. They are made on Macs only and none was read
/// here: the layout is what others published, rows of resources/tables/coreai_cache.csv. Only names
/// and sizes of files are looked at, and the texts among them. What has no row is unknown.
namespace kernscope::coreai_cache {

/// Entries of a folder that are looked at, and folders within folders.
inline constexpr std::size_t kMostEntries = 200000, kMostDepth = 40;
/// Bytes of a text that is read.
inline constexpr std::uint64_t kMostText = std::uint64_t(4) << 20;

enum class Place : std::uint8_t { Engine, Gpu, Elsewhere, Unknown };
/// "engine", "GPU", "elsewhere", "unknown".
std::string_view placeName(Place place);

/// A file, or the files of one region.
struct Part {
    std::string role;    ///< "region", "weights", "hardware container", …; "unknown"
    std::string name;    ///< of a region, else the path
    std::string file;    ///< the first one, from the folder on
    std::string package; ///< folder of the plan that it belongs to; empty where there is none
    std::vector<std::string> architectures; ///< of a region: those that it was compiled for
    std::uint64_t bytes = 0;
    Place place = Place::Unknown;
    bool refused = false; ///< for the engine, which did not take it: elsewhere
    bool again = false;   ///< a hardware container beside regions, whose bytes are counted there
    format::Confidence confidence = format::Confidence::Assumed;
    std::string source;
};

/// What a name or a text says.
struct Fact {
    std::string what;  ///< "architecture", "source hash", "region hash", …
    std::string of;    ///< of a region hash the architecture, of a statistic its name
    std::string value; ///< as written
    std::string file;
    format::Confidence confidence = format::Confidence::Assumed;
    std::string source;
};

struct Survey {
    std::vector<Part> parts; ///< regions first, then by path
    std::vector<Fact> facts;
    std::uint64_t bytes = 0;       ///< of all files
    std::uint64_t engineBytes = 0; ///< of regions on the engine; where a package has none, of its
                                   ///< hardware containers
    std::size_t files = 0;
    Diagnostics diagnostics;

    std::size_t count(std::string_view role, Place place) const;
    std::size_t refused() const;
};

/// Reads a small file, as readSmallFile does: a caller that watches for changes passes its own.
using SmallFileReader =
    std::function<Result<std::string>(const std::filesystem::path &path, std::uint64_t most)>;

/// Links are named and not followed; pipes and devices are named and not opened. Texts that cannot
/// be read are diagnostics "coreai_cache.json", "coreai_cache.plist", "io.limit"; what the limits
/// leave out "coreai_cache.limit". Errors: "io.open" (there is none), "coreai_cache.kind" (nothing
/// of the layout in it), "task.cancelled".
Result<Survey> surveyFolder(const std::filesystem::path &path, Progress *progress,
                            const SmallFileReader &read = readSmallFile);

/// Whether a region hash, "A_B", says that the engine refused the region: a part of it is the
/// SHA-256 of nothing, or begins it with eight digits or more.
bool isRefused(std::string_view regionHash);

/// main.hash of a package as 64 lower-case digits. Errors: those of readSmallFile, "aimodel.hash"
/// (no 32 bytes).
Result<std::string> packageHash(const std::filesystem::path &package,
                                const SmallFileReader &read = readSmallFile);

/// Whether the folder was compiled from the package of that hash: a source hash is the same; none
/// is; or there is none of 64 hexadecimal digits.
std::optional<bool> compiledFrom(const Survey &survey, std::string_view hash);

/// What a text may hold, so that a small file cannot ask for much memory.
inline constexpr std::size_t kMostLeaves = 20000, kMostPath = 1024, kMostLevels = 64,
                             kMostJson = std::size_t(1) << 20; ///< bytes

/// A number, text or truth value of a JSON text or a property list.
struct Leaf {
    std::string path; ///< "Package Version/7.0.63/ANERegionsHash/h17c", members of arrays by number
    std::string value;
};

/// Errors: "coreai_cache.json", with the offset.
Result<std::vector<Leaf>> jsonLeaves(std::string_view text, const std::string &file);
/// A property list as XML or binary ("bplist00", whose dates are seconds and whose data are
/// hexadecimal digits). Values that are JSON themselves, as the compiler's descriptor is, are given
/// by their own leaves. Errors: "coreai_cache.plist", with the offset.
Result<std::vector<Leaf>> plistLeaves(std::string_view text, const std::string &file);

} // namespace kernscope::coreai_cache
