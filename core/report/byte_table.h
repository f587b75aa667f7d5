// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/coverage.h"
#include "core/bundle/byte_field.h"
#include "core/numeric/element_type.h"
#include "core/report/column.h"
#include "core/search/find.h"

namespace kernscope {
class Progress;
}

/// What bytes are, as `bytes` prints it: their fields, and the first of them in every reading.
namespace kernscope::report {

/// One field, or one stored element, of those that hold the bytes asked for.
struct ByteFieldFacts {
    BundlePtr bundle;
    std::size_t file = 0;
    ByteField field;
    std::vector<std::byte> bytes;        ///< of the field; at most kMostFieldBytes
    std::vector<std::uint64_t> elements; ///< decoded ones whose codes have bits in the first byte
};
inline constexpr std::uint64_t kMostFieldBytes = 64;

/// The fields that hold bytes of a range of a file, in order. Reads the files: hold the bundle's
/// read lock. Stops where `progress` is cancelled. Of several stored elements in a byte only the
/// one of the decoded `element`, where that is given.
std::vector<ByteFieldFacts> byteFieldRows(const BundlePtr &bundle, std::size_t file,
                                          const ByteRange &range,
                                          std::optional<std::uint64_t> element, Progress &progress);
extern const TableOf<ByteFieldFacts> byteFieldTable;

/// One reading in both orders.
struct ReadingFacts {
    ByteReading little, big;
};
std::vector<ReadingFacts> readingRows(const Bundle &bundle, std::size_t file, FileOffset offset);
/// Of up to eight bytes, from the place on.
std::vector<ReadingFacts> readingRows(std::span<const std::byte> bytes);
extern const TableOf<ReadingFacts> readingTable;

/// Everything of `bytes` but the diagnostics.
Json bytesJson(std::string_view path, const Bundle &bundle, std::size_t file,
               const ByteRange &range, const std::vector<ByteFieldFacts> &fields,
               const std::vector<ReadingFacts> &readings);

/// A section of a file of a bundle. Neither is owned.
struct SectionFacts {
    const Bundle *bundle = nullptr;
    const kernscope::Section *section = nullptr;
};
std::vector<SectionFacts> sectionRows(const Bundle &bundle);
/// Every byte of every file once, as `inspect` and the Layout dock list it.
extern const TableOf<SectionFacts> sectionTable;

/// The files of a bundle, as `inspect` lists them in its text and in its report.
extern const TableOf<BundleFile> fileTable;

// What a search found, as `find` and the Search dock list it.

/// One place, with its first bytes where bytes were looked for.
struct HitFacts {
    BundlePtr bundle;
    search::Hit hit;
    search::What what = search::What::Bytes;
    std::vector<std::byte> bytes; ///< at most 16
    std::string text;             ///< of a search for text: the hit and what stands around it
};
/// The places in the order of the search. Reads bytes of the files: hold the bundle's read lock.
std::vector<HitFacts> hitRows(const BundlePtr &bundle, const search::Query &query,
                              const std::vector<search::Hit> &hits);
/// The columns of either kind of search; those of the other are absent in each row.
extern const TableOf<HitFacts> hitTable;

/// "zero-bytes"
std::string_view whatName(search::What what);
/// Everything of `find` but the diagnostics.
Json foundJson(std::string_view path, const Bundle &bundle, const search::Query &query,
               const search::Found &found, const std::vector<HitFacts> &rows);

// What was compressed, as `inspect --coverage` shows it.

struct CoverageLine {
    const Bundle *bundle = nullptr;
    const CoverageRow *row = nullptr;
};
std::vector<CoverageLine> coverageLines(const Bundle &bundle, const Coverage &coverage);
extern const TableOf<CoverageLine> coverageTable;

/// "4.31 bits a weight, 1,234,567 parameters, 3 weights are not in the form expected (12,288 B)".
std::string coverageSentence(const Coverage &coverage, const CoverageRules &rules);
/// `"coverage"` of the document of `inspect`.
void addCoverage(Json &document, const Bundle &bundle, const Coverage &coverage,
                 const CoverageRules &rules);

} // namespace kernscope::report
