// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/coreai_cache/survey.h"

#include "core/base/error_builder.h"
#include "core/base/parts.h"
#include "core/base/sha256.h"
#include "core/base/text.h"
#include "core/format/table_rows.h"

#include <algorithm>
#include <map>
#include <set>
#include <system_error>
#include <tuple>

#include <fmt/format.h>

namespace kernscope::coreai_cache {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kHashDigits = 64, kFewestDigits = 8, kMostFacts = 4096;

/// A row of resources/tables/coreai_cache.csv.
struct LayoutRow {
    std::string what, pattern, role, place, source;
    format::Confidence confidence = format::Confidence::Assumed;
};

const std::vector<LayoutRow> &layout()
{
    static const auto rows =
        tables::loadRows<LayoutRow>("coreai_cache", {{"what", &LayoutRow::what},
                                                     {"pattern", &LayoutRow::pattern},
                                                     {"role", &LayoutRow::role},
                                                     {"place", &LayoutRow::place},
                                                     {"source", &LayoutRow::source},
                                                     {"confidence", &LayoutRow::confidence}});
    return rows;
}

/// The first row of that kind whose pattern the text has.
const LayoutRow *rowOf(std::string_view what, std::string_view text)
{
    const auto &rows = layout();
    const auto found = std::ranges::find_if(rows, [&](const LayoutRow &row) {
        return row.what == what && matchesPattern(row.pattern, text);
    });
    return found != rows.end() ? &*found : nullptr;
}

/// What stands for the stars of a pattern that the name has; of several the last one.
std::string_view starOf(std::string_view pattern, std::string_view name)
{
    const std::size_t last = pattern.rfind('*'), behind = pattern.size() - last - 1;
    name.remove_suffix(behind);
    if (pattern.find('*') == last)
        return name.substr(last);
    return name.substr(name.rfind(pattern[last - 1]) + 1);
}

bool isHex(std::string_view text, bool lower, bool upper)
{
    return !text.empty() && std::ranges::all_of(text, [lower, upper](char c) {
        return (c >= '0' && c <= '9') || (lower && c >= 'a' && c <= 'f') ||
               (upper && c >= 'A' && c <= 'F');
    });
}

std::string lowerCase(std::string_view text)
{
    std::string lower(text);
    for (char &c : lower)
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return lower;
}

class Surveyor
{
public:
    Surveyor(const fs::path &path, Progress *progress, const SmallFileReader &read)
        : m_root(path), m_progress(progress), m_read(read)
    {
    }
    Result<Survey> read()
    {
        std::error_code error;
        if (!fs::exists(m_root, error))
            return refused({m_root.string()}, "io.open", {}, {}, error ? error.message() : "none",
                           "There is no such file or folder");
        if (m_root.filename().empty()) // "model.aimodelc/"
            m_root = m_root.parent_path();
        namesAbove();
        TRY(walk());
        if (m_known == 0)
            return refused(
                {m_root.string(), FileOffset(0)}, "coreai_cache.kind", {},
                "what a compiler left: .aimodelc, coreai-cache, .mpsgraphpackage, "
                "a specialization bundle, .e5",
                fmt::format("{}, none with a name of that layout", counted(m_survey.files, "file")),
                "Nothing in it is known");
        judge();
        return std::move(m_survey);
    }

private:
    struct Entry {
        std::string path;    ///< from the folder on
        std::string package; ///< that it lies in
        std::size_t depth = 0;
    };
    /// The folders that the path itself names, where it is an entry of a cache.
    void namesAbove()
    {
        std::error_code error;
        const fs::path whole = fs::weakly_canonical(m_root, error);
        bool inCache = false;
        for (const fs::path &step : whole.parent_path()) {
            inCache = inCache || step == "coreai-cache";
            if (inCache)
                noteName(step.string(), step.string());
        }
        noteName(whole.filename().string(), whole.filename().string());
    }

    Result<void> walk()
    {
        std::vector<Entry> folders;
        look({}, folders);
        while (!folders.empty()) {
            const Entry folder = std::move(folders.back());
            folders.pop_back();
            std::error_code error;
            std::vector<std::string> names;
            const fs::path path = folder.path.empty() ? m_root : m_root / folder.path;
            for (fs::directory_iterator each(path, error), end; !error && each != end;
                 each.increment(error)) {
                if (m_progress != nullptr && !m_progress->advance(1))
                    return tl::unexpected(cancelledError("The survey was stopped"));
                if (++m_entries > kMostEntries) {
                    warn("coreai_cache.limit", folder.path, "more",
                         fmt::format("Only {} entries are looked at", grouped(kMostEntries)));
                    break;
                }
                names.push_back(each->path().filename().string());
            }
            if (error)
                warn("io.read", folder.path, error.message(), "The folder cannot be read");
            std::ranges::sort(names);
            const std::string own = fs::path(folder.path).filename().string();
            const bool package =
                rowOf("folder", folder.path.empty() ? m_root.filename().string() : own) != nullptr;
            m_known += package ? 1 : 0;
            for (const std::string &name : names)
                look({folder.path.empty() ? name : folder.path + "/" + name,
                      package ? folder.path : folder.package, folder.depth + 1},
                     folders);
            if (m_entries > kMostEntries)
                break;
        }
        if (m_changed)
            return tl::unexpected(*m_changed);
        return {};
    }

    void look(const Entry &entry, std::vector<Entry> &folders)
    {
        std::error_code error;
        const fs::path path = entry.path.empty() ? m_root : m_root / entry.path;
        // The folder itself may be reached by a link, what lies in it may not.
        const fs::file_status status =
            entry.path.empty() ? fs::status(path, error) : fs::symlink_status(path, error);
        if (fs::is_directory(status)) {
            if (!entry.path.empty())
                noteName(path.filename().string(), entry.path);
            if (entry.depth >= kMostDepth)
                warn("coreai_cache.limit", entry.path, "a folder",
                     fmt::format("Folders within more than {} folders are not looked into",
                                 kMostDepth));
            else
                folders.push_back(entry);
        } else if (fs::is_regular_file(status)) {
            const auto bytes = fs::file_size(path, error);
            if (!error)
                addFile(entry, bytes);
        } else {
            warn("coreai_cache.entry", entry.path,
                 fs::is_symlink(status) ? "a link"
                 : fs::is_fifo(status)  ? "a pipe"
                                        : "no regular file",
                 "Only files and folders are looked at; this is left out");
        }
        if (error)
            warn("io.read", entry.path, error.message(), "This cannot be looked at");
    }

    /// Hashes and architectures that names of files and folders say.
    void noteName(std::string_view name, const std::string &path)
    {
        if (name.size() == kHashDigits) {
            const bool lower = isHex(name, true, false), upper = isHex(name, false, true);
            if (lower != upper) {
                if (const LayoutRow *row = rowOf("hash", lower ? "lower" : "upper"))
                    addFact(*row, {}, std::string(name), path);
            }
        }
        if (const LayoutRow *row = rowOf("architecture", name))
            addFact(*row, {}, std::string(starOf(row->pattern, name)), path);
    }

    void addFile(const Entry &entry, std::uint64_t bytes)
    {
        const std::string whole = entry.path.empty() ? m_root.filename().string() : entry.path;
        const std::string name = fs::path(whole).filename().string();
        const auto sum = checkedAdd(m_survey.bytes, bytes);
        if (!sum)
            return warn(
                "coreai_cache.limit", whole, grouped(bytes),
                "The files together have more bytes than 64 bits can count: this one is left out");
        m_survey.bytes = *sum;
        ++m_survey.files;
        noteName(name, whole);
        const LayoutRow *row = rowOf("file", name);
        m_known += row != nullptr ? 1 : 0;
        Part part;
        part.role = "unknown";
        part.name = part.file = whole;
        part.package = entry.package;
        part.bytes = bytes;
        if (row != nullptr) {
            static constexpr std::array kPlaces{Place::Engine, Place::Gpu, Place::Elsewhere};
            part.role = row->role;
            part.confidence = row->confidence;
            part.source = row->source;
            for (const Place place : kPlaces)
                part.place = row->place == placeName(place) ? place : part.place;
        }
        if (part.role != "region") {
            m_survey.parts.push_back(std::move(part));
            readText(entry.path, name, bytes);
            return;
        }
        part.name =
            name.substr(0, name.size() - (row->pattern.size() - row->pattern.rfind('*') - 1));
        const fs::path folder = fs::path(whole).parent_path();
        // REGION.bc/ARCHITECTURE/REGION.mlir.bc
        if (folder.parent_path().extension() == ".bc")
            part.architectures.push_back(folder.filename().string());
        const auto [at, added] =
            m_regions.try_emplace({entry.package, part.name}, m_survey.parts.size());
        if (added) {
            m_survey.parts.push_back(std::move(part));
            return;
        }
        Part &known = m_survey.parts[at->second];
        known.bytes += bytes; // not more than the sum of all
        known.architectures.insert(known.architectures.end(), part.architectures.begin(),
                                   part.architectures.end());
    }

    void readText(const std::string &path, const std::string &name, std::uint64_t bytes)
    {
        const bool json = name.ends_with(".json"), plist = name.ends_with(".plist");
        const auto wanted = [&](const LayoutRow &row) {
            return (json && row.what == "json" && row.pattern.starts_with(name + "/")) ||
                   (plist && row.what.starts_with("plist"));
        };
        if (std::ranges::none_of(layout(), wanted))
            return;
        const auto text =
            m_read(path.empty() ? m_root : m_root / path, kMostText).map_error([&](Error error) {
                return Error(ErrorBuilder(std::move(error)).file(path.empty() ? name : path));
            });
        if (text && text->size() != bytes)
            m_changed =
                valueError({path.empty() ? name : path}, "io.changed", {},
                           fmt::format("{} bytes", bytes), fmt::format("{} bytes", text->size()),
                           "The file was changed by another program while it was read");
        const auto leaves = !text  ? Result<std::vector<Leaf>>(tl::unexpected(text.error()))
                            : json ? jsonLeaves(*text, path)
                                   : plistLeaves(*text, path);
        if (!leaves) {
            m_survey.diagnostics.push_back({Severity::Error, leaves.error()});
            return;
        }
        for (const Leaf &leaf : *leaves) {
            const std::string whole = json ? name + "/" + leaf.path : leaf.path;
            for (const LayoutRow &row : layout()) {
                if (!wanted(row))
                    continue;
                const auto steps = std::ranges::count(row.pattern, '/') + 1;
                std::size_t end = 0; // of as many steps of the path as the pattern has
                for (std::ptrdiff_t i = 0; i < steps && end != std::string::npos; ++i)
                    end = whole.find('/', end == 0 ? 0 : end + 1);
                const std::string begin = whole.substr(0, end);
                if (row.what == "plist key" && matchesPattern(row.pattern, begin))
                    addFact(row, {}, begin.substr(begin.rfind('/') + 1), path);
                if (row.what == "plist key" || !matchesPattern(row.pattern, whole))
                    continue;
                std::string of; // what the star at the end stands for
                if (row.pattern.ends_with('*')) {
                    const std::size_t first = row.pattern.find_first_not_of('*');
                    const std::string fixed =
                        row.pattern.substr(first, row.pattern.find_last_not_of('*') + 1 - first);
                    of = whole.substr(whole.find(fixed) + fixed.size());
                }
                addFact(row, std::move(of), leaf.value, path);
            }
        }
    }

    void addFact(const LayoutRow &row, std::string of, std::string value, const std::string &file)
    {
        const bool architecture = row.role == "architecture";
        if (m_survey.facts.size() >= kMostFacts ||
            (architecture && rowOf("host", value) != nullptr))
            return;
        // The descriptor stands several times in a manifest, the architecture in many names.
        if (!m_said.emplace(row.role + "/" + of, value, architecture ? std::string() : file).second)
            return;
        m_survey.facts.push_back(
            {row.role, std::move(of), std::move(value), file, row.confidence, row.source});
        if (m_survey.facts.size() == kMostFacts)
            warn("coreai_cache.limit", file, "more",
                 fmt::format("Only the first {} facts are told", grouped(kMostFacts)));
    }

    void judge()
    {
        std::set<std::string> withRegions;
        for (Part &part : m_survey.parts) {
            if (part.place != Place::Engine)
                continue;
            if (part.role == "region")
                withRegions.insert(part.package);
            part.refused = refusedIn(part);
            if (part.refused)
                part.place = Place::Elsewhere;
        }
        for (Part &part : m_survey.parts) {
            part.again = part.role != "region" && part.place == Place::Engine &&
                         withRegions.count(part.package) > 0;
            if (part.place == Place::Engine && !part.again)
                m_survey.engineBytes += part.bytes;
        }
        std::ranges::stable_sort(m_survey.parts, [](const Part &a, const Part &b) {
            return std::pair(a.role != "region", std::string_view(a.file)) <
                   std::pair(b.role != "region", std::string_view(b.file));
        });
    }

    /// Whether every region hash of the part's package and its architectures is that of nothing.
    bool refusedIn(const Part &part) const
    {
        std::size_t taken = 0, refused = 0;
        for (const bool own : {true, false}) { // the hash of an architecture, else those of any
            for (const Fact &fact : m_survey.facts) {
                const bool here =
                    fact.what == "region hash" &&
                    fs::path(fact.file).parent_path().generic_string() == part.package;
                const bool named =
                    std::ranges::find(part.architectures, fact.of) != part.architectures.end();
                if (here && (named || !own))
                    ++(isRefused(fact.value) ? refused : taken);
            }
            if (taken + refused > 0)
                break;
        }
        return refused > 0 && taken == 0;
    }

    void warn(std::string_view code, const std::string &file, std::string found,
              std::string message)
    {
        m_survey.diagnostics.push_back(
            {Severity::Warning,
             ErrorBuilder(code).file(file).found(std::move(found)).message(std::move(message))});
    }

    fs::path m_root;
    Progress *m_progress;
    const SmallFileReader &m_read;
    std::map<std::pair<std::string, std::string>, std::size_t> m_regions; ///< package and name
    std::set<std::tuple<std::string, std::string, std::string>> m_said;   ///< facts of a package
    std::optional<Error> m_changed; ///< a file, while it was looked at
    std::size_t m_entries = 0, m_known = 0;
    Survey m_survey;
};

} // namespace

std::string_view placeName(Place place)
{
    static constexpr std::array<std::string_view, 4> kNames{"engine", "GPU", "elsewhere",
                                                            "unknown"};
    return kNames[static_cast<std::size_t>(place)];
}

std::size_t Survey::count(std::string_view role, Place place) const
{
    return static_cast<std::size_t>(std::ranges::count_if(parts, [&](const Part &part) {
        return part.role == role && part.place == place && !part.again;
    }));
}

std::size_t Survey::refused() const
{
    return static_cast<std::size_t>(std::ranges::count_if(parts, &Part::refused));
}

Result<Survey> surveyFolder(const fs::path &path, Progress *progress, const SmallFileReader &read)
{
    return Surveyor(path, progress, read).read();
}

bool isRefused(std::string_view regionHash)
{
    static const std::string nothing = Sha256::hexOf({}).value_or(std::string());
    return !allParts(regionHash, '_', [](std::string_view part) {
        return part.size() < kFewestDigits || !nothing.starts_with(lowerCase(part));
    });
}

Result<std::string> packageHash(const fs::path &package, const SmallFileReader &read)
{
    constexpr std::size_t kBytes = 32;
    const fs::path path = package / "main.hash";
    const auto hash = TRY(read(path, 2 * kBytes));
    if (hash.size() != kBytes)
        return refused({path.string(), FileOffset(0)}, "aimodel.hash", {}, "32 bytes",
                       counted(hash.size(), "byte"),
                       "The hash of the program has not the length of a SHA-256");
    return hexBytesText(std::as_bytes(std::span(hash)), "");
}

std::optional<bool> compiledFrom(const Survey &survey, std::string_view hash)
{
    bool any = false;
    for (const Fact &fact : survey.facts) {
        if (fact.what != "source hash" || fact.value.size() != kHashDigits ||
            !isHex(fact.value, true, true))
            continue;
        any = true;
        if (lowerCase(fact.value) == hash)
            return true;
    }
    return any ? std::optional(false) : std::nullopt;
}

} // namespace kernscope::coreai_cache
