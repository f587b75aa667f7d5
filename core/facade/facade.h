// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"
#include "core/base/progress.h"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <utility>

/// Kernscope for other programs: what its command line does, with standard types. The Python module
/// is written on this header, and libkernscope installs it.
///
/// Answers that a command prints with --json are that document, as text in UTF-8; its keys are only
/// ever added to. Every function may be called from any thread. Long ones take a Progress, through
/// which another thread sees how far they are and stops them: "task.cancelled". Nothing is written
/// but by save().
namespace kernscope {
class Bundle;
}

namespace kernscope::facade {

/// "0.1.0"
std::string version();

/// One stored operand of a weight, as it lies in the mapped files.
struct StoredPart {
    std::string role; ///< "data", "indices", "lut", "mask", "nonzero_data", "scale", …
    std::string type; ///< of its elements: "fp16", "uint4"
    std::vector<std::uint64_t> shape; ///< of its elements, outermost first
    unsigned bits = 0;                ///< of an element; 0: not known
    std::string file;                 ///< within the bundle; empty: written in the program
    std::uint64_t offset = 0;         ///< of its first byte in that file
    /// Its bytes: one run, or several where a container has it in pieces. Valid as long as the
    /// Weights object or a copy of it. Elements narrower than a byte are packed, the first in the
    /// lowest bits. Empty where the bytes could not be read.
    std::vector<std::span<const std::byte>> runs;
    bool ordered = true; ///< row by row; else in the order of a container's engines
};

/// How a weight is stored, in numbers.
struct Coverage {
    std::string name, form;
    std::uint64_t elements = 0;
    std::optional<std::uint64_t> storedBytes; ///< empty: a part of it could not be read
    std::optional<double> bits;               ///< stored bits of an element
};

struct SavedRange {
    std::string file; ///< within the bundle
    std::uint64_t offset = 0, bytes = 0;
};

/// What save() wrote.
struct Saved {
    std::vector<SavedRange> ranges;
    std::uint64_t bytesWritten = 0;
    bool verified = false; ///< read back and found to be what was meant
    std::vector<std::filesystem::path> backups;
    Diagnostics warnings;
};

/// Where save() writes: one of the two.
struct SaveTarget {
    bool inPlace = false;
    std::filesystem::path output = {}; ///< a copy
    bool replace = false;              ///< output: a file that exists is replaced
    bool backup = false;     ///< in place: keep each changed file as it was, beside the bundle
    bool breakLinks = false; ///< in place: of a file with several names, write a copy
};

/// What find() looks for.
struct Search {
    /// "bytes" ("ef be ?? de"), "text", "integer", "value", "nan", "infinite", "zeros" (runs of at
    /// least `count` elements), "zero-bytes" (runs of at least `count` bytes), "largest" (`count`
    /// of them), "out-of-range".
    std::string what = {};
    std::string pattern = {}; ///< bytes, text, integer: what is typed; value: a number
    unsigned width = 4;       ///< integer: 1, 2, 4 or 8 bytes
    bool bigEndian = false;
    std::optional<double> tolerance = {}; ///< value: how far away; empty: what its type makes of it
    std::uint64_t count = 1;
    std::string weight = {}; ///< only in this one; empty: everywhere
    std::uint64_t limit = 10'000;
};

/// A bundle, program, weight file, hardware container or checkpoint that was opened: an immutable
/// snapshot of its tables over mapped files. Copies are cheap and share it.
class Weights
{
public:
    /// Maps the files and reads the tables; no values are read. A damaged file opens as well, with
    /// diagnostics(). A save that was interrupted is shown as it will be when it is undone, and is
    /// among them. Errors: "io.open" and its like, "bundle.kind", "task.cancelled".
    static Result<Weights> open(const std::filesystem::path &path, Progress *progress = nullptr);

    const std::string &name() const; ///< last component of the path
    std::filesystem::path path() const;
    std::string kind() const; ///< "mlmodelc", "mlpackage", "aimodel", "hwx", "safetensors", …
    const Diagnostics &diagnostics() const;
    bool modified() const; ///< it holds changes that were not saved

    /// Names by which find() and index() know the weights, in the bundle's order.
    std::vector<std::string> names() const;
    /// By its name, or its address "FUNCTION/NAME". Errors: "patch.weight", `expected` naming the
    /// nearest ones.
    Result<std::size_t> index(std::string_view name) const;
    std::vector<std::uint64_t> shape(std::size_t weight) const;
    /// One object of `weights` of `inspect --json`: form, shape, parts, consumers. With `figures`
    /// also those of the values.
    Result<std::string> info(std::size_t weight, bool figures = false,
                             Progress *progress = nullptr) const;
    /// Decoded elements as fp32, row by row: exact for every type of 24 or fewer significant bits.
    /// `out` has as many as the shape says. Errors: those of the weight, "io.changed" where
    /// another program wrote to the file meanwhile. Progress in elements.
    Result<void> values(std::size_t weight, std::span<float> out,
                        Progress *progress = nullptr) const;
    std::vector<StoredPart> stored(std::size_t weight) const;
    /// A PNG file with the values as a picture, from blue (low) to orange (high).
    Result<std::vector<std::byte>> picture(std::size_t weight, Progress *progress = nullptr) const;

    /// `inspect --json`, with `findings` also what is worth a look.
    Result<std::string> inspect(bool findings = false, Progress *progress = nullptr) const;
    std::vector<Coverage> coverage() const;
    /// `find --json`. Errors: "search.pattern", "patch.weight", those of the weight.
    Result<std::string> find(const Search &search, Progress *progress = nullptr) const;

    /// Error "io.changed" where another program changed the files since they were opened.
    Result<void> checkUnchanged() const;
    /// Writes the changes and reads them back, as `patch` does: in place only the changed bytes,
    /// behind a journal; a copy whole or not at all. Errors: "io.write", "io.exists",
    /// "patch.stale" (the file is not what was opened), "patch.verify", "facade.save" (neither or
    /// both targets; a bundle that was made in memory has no place), and those of saving.
    Result<Saved> save(const SaveTarget &target, Progress *progress = nullptr) const;

private:
    friend struct Access;
    std::shared_ptr<const Bundle> m_bundle;
    std::filesystem::path m_origin; ///< that a bundle in memory was made from; empty: is its own
};

/// A document, and the bundle that it speaks of: in memory until it is saved.
struct Made {
    std::string document;
    std::optional<Weights> bundle; ///< plan(): only where it was asked for
};

struct DiffWanted {
    bool values = false;    ///< decode and compare; limits imply it
    bool forms = false;     ///< how well the second stores the values of the first
    std::string rules = {}; ///< TOML of `diff --rules`; empty: none
    std::optional<double> maxAbs = {}, minCosine = {}, minSnr = {}; ///< over those of the rules
    bool sameProgram = false;
};
struct Compared {
    std::string document; ///< `diff --json`
    bool holds = false;   ///< within the limits; without limits: identical
};
/// Compares two builds. Errors: "diff.rules", "task.cancelled".
Result<Compared> diff(const Weights &a, const Weights &b, const DiffWanted &wanted,
                      Progress *progress = nullptr);

/// `decide --json`: what a chip does with each weight and why. `chip`: any of its names; empty: the
/// default one. Errors: "target.name".
Result<std::string> assess(const Weights &bundle, std::string_view chip);

struct PlanWanted {
    std::vector<std::string> chips = {}; ///< empty: the default one
    double tolerance = 0.01;             ///< largest relative error of a layer
    std::optional<double> totalTolerance = {};
    std::optional<std::uint64_t> maxBytes = {};
    std::string minimise = {}; ///< "time", "stored", "moved", "error"; empty: what is known
    std::vector<std::string> forms = {}; ///< names or patterns to try; empty: all
    std::vector<std::pair<std::string, std::string>> forced =
        {}; ///< pattern of weights, form or "keep"
    std::uint64_t batch = 1;
    bool make = false; ///< also the bundle in these forms
};
/// `plan --json`. Errors: "plan.…", "target.name", "task.cancelled".
Result<Made> plan(const Weights &bundle, const PlanWanted &wanted, Progress *progress = nullptr);

/// The weights that match these patterns in the form of that name ("palette4", "int8",
/// "sparse-0.5", "blockwise-int4-32", "dense"), all others as they are; the document is that of
/// plan(). Errors: "patch.weight", those of plan().
Result<Made> encode(const Weights &bundle, const std::vector<std::string> &patterns,
                    std::string_view form, Progress *progress = nullptr);

/// The bundle with its programs of fp32 as programs of fp16; the document is that of
/// `convert --json`, its `output` null. Errors: "convert.program", "encode.…", "task.cancelled".
Result<Made> convert(const Weights &bundle, Progress *progress = nullptr);

struct PatchWanted {
    double tolerance = 0; ///< how far a stored value may be from the one asked for
    /// To be saved in place: a module keeps its length. Else what edits change is given bytes of
    /// its own where it shares them.
    bool inPlace = false;
};
/// Plans edits, written as the command line has them ("set W[0]=1", one a line: a script), and lays
/// them over a bundle of its own: `bundle` reads as before. All or nothing. The document is that of
/// `patch --dry-run --json`. Errors: "patch.…", "task.cancelled".
Result<Made> patch(const Weights &bundle, std::string_view edits, const PatchWanted &wanted,
                   Progress *progress = nullptr);

/// The bundle of core/ behind the facade, for its own sources.
struct Access {
    static const std::shared_ptr<const Bundle> &bundle(const Weights &weights)
    {
        return weights.m_bundle;
    }
    static const std::filesystem::path &origin(const Weights &weights) { return weights.m_origin; }
    static Weights make(std::shared_ptr<const Bundle> bundle, std::filesystem::path origin = {});
};

} // namespace kernscope::facade
