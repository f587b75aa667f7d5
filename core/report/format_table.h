// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/format/activation_table.h"
#include "core/format/legality.h"
#include "core/report/json.h"
#include "core/target/target.h"

/// The numberings of element types and storage formats, as `formats` and its dock list them. Rows
/// point into the embedded tables.
namespace kernscope::report {

/// A format of the kernel enum, and every rule that was consulted for it.
struct KernelFormatFacts {
    const format::KernelFormatRow *row = nullptr;
    format::Legality legality;
};
std::vector<KernelFormatFacts> kernelFormatRows(const format::FormatUse &use);
extern const TableOf<KernelFormatFacts> kernelFormatTable;

/// A type of one of the other numberings; of tensor formats with what a chip's DMA does with it.
struct ElementTypeFacts {
    std::string_view numbering;
    const format::CatalogueRow *row = nullptr;
    std::optional<bool> dmaToFp16; ///< tensor formats only, as the next
    std::optional<target::DmaFormat> dma;
};
std::vector<ElementTypeFacts> tensorFormatRows(const target::Target &target);
/// Tensor formats, the symbol catalogue, serialization types, types of weight.bin.
std::vector<ElementTypeFacts> allElementTypeRows(const target::Target &target);
extern const TableOf<ElementTypeFacts> elementTypeTable;

/// Table 25.5: what an encoder of a descriptor version can write.
struct CodegenFacts {
    const format::CodegenRule *rule = nullptr;
    bool implemented = false;
};
std::vector<CodegenFacts> codegenRows(unsigned version);
extern const TableOf<CodegenFacts> codegenTable;

/// Everything of `formats`: the numberings on a chip, and what its descriptor version (0: not
/// known) makes of them.
Json formatsJson(const target::Target &target, const format::FormatUse &use);

// The tables of facts about formats and chips as they are embedded, each row with its source.

struct EmbeddedFact {
    std::string table; ///< "hwx_codes"
    std::string cells; ///< "kind=section_type; code=0x0; name=regular"; empty cells are left out
    std::string confidence, source, note;
};
/// The rows of one table, or of all for an empty name.
std::vector<EmbeddedFact> embeddedFactRows(std::string_view table = {});
extern const TableOf<EmbeddedFact> embeddedFactTable;
/// `formats --facts`: {"facts":[…]}
Json embeddedFactsJson(std::string_view table);

// The engine's activation tables, as `activation` and its dock list them.

/// Entries of a record that are one row: one of them, or all of a field.
struct ActivationEntry {
    std::shared_ptr<const format::ActivationTable> table;
    const format::ActivationField *field = nullptr; ///< null where the layout has none there
    std::size_t entry = 0;                          ///< 0 to 42
    std::size_t count = 1;
};
/// Each of the 43 entries, a row each.
std::vector<ActivationEntry> activationEntries(const format::ActivationTable &table);
/// A row a field of the table's layout; the knots are one.
std::vector<ActivationEntry> activationFieldRows(const format::ActivationTable &table);
extern const TableOf<ActivationEntry> activationTable;

/// One of the 33 knots.
struct KnotFacts {
    std::size_t knot = 0;
    double input = 0;
    float output = 0;
};
std::vector<KnotFacts> knotFacts(const format::ActivationTable &table);
extern const TableOf<KnotFacts> knotTable;

/// A place at which the function was evaluated.
struct EvaluatedInput {
    double input = 0;
    std::uint16_t bits = 0; ///< fp16
};
/// `{"name","layout","domain","entries","fields","knots","evaluated"}`
Json activationJson(std::string_view name, const format::ActivationTable &table,
                    std::span<const EvaluatedInput> evaluated);

/// Everything of `activation`: each of activationJson(), and how the functions were evaluated.
Json activationTablesJson(std::vector<Json> tables, std::string_view arithmetic,
                          std::string_view tail);

} // namespace kernscope::report
