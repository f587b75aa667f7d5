// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/memory.h"
#include "core/container/mlir/module.h"

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

/// A module written back, as it was read or with changes. Everything is encoded anew from what was
/// read. Where nothing is changed and the file writes it otherwise (numbers may be longer than
/// needed), its own bytes are taken.
namespace kernscope::mlir {

/// Values of an attribute's or a type's fields, one list a column.
struct FieldValues {
    std::vector<std::vector<std::uint64_t>> columns;
    std::span<const std::byte> data; ///< of the column B
};

/// An operation that a change adds; it has no regions, unless it is the replaced one with other
/// operands, and the last of those in its place.
struct NewOperation {
    std::string name;               ///< "aicode.primitive.constant_v1"
    std::uint32_t location = kNone; ///< kNone: that of the operation in whose place it stands
    std::uint32_t properties = kNone;
    std::vector<std::uint32_t> operands; ///< values
    std::vector<std::uint32_t> results;  ///< values: new ones, or of the replaced operation
    bool keepsRegions = false;
};

/// Changes of a module of version 5 or 6. Indices of the module stay as they are; what is added
/// comes after them, and what equals something that is there gets its index.
class ModuleEdit
{
public:
    /// `module` has no fault and outlives this.
    explicit ModuleEdit(const Module &module);

    const Module &module() const { return m_module; }

    std::uint32_t string(std::string_view text);
    /// An attribute or type of dialect `aicode` by the name of its kind; of several of a name, the
    /// one with as many columns. Errors: "mlir.edit" (no such kind, other columns).
    Result<std::uint32_t> attribute(std::string_view kind, const FieldValues &values);
    Result<std::uint32_t> type(std::string_view kind, const FieldValues &values);
    /// Properties of one operation, in the order of its row; kNone for optional ones that are
    /// missing. Errors: "mlir.edit".
    Result<std::uint32_t> properties(std::string_view operation,
                                     const std::vector<std::uint32_t> &attributes);
    /// A blob; its handle. Its key is made unique with "_1", "_2", …
    std::uint64_t resource(std::string key, std::uint64_t alignment, SharedBytes data);
    /// A value for results of new operations.
    std::uint32_t value(std::uint32_t type);

    /// `operations` stand in the place of one. Its results are results of theirs,
    /// or nothing reads them any more. None: it goes.
    void replace(std::uint32_t operation, std::vector<NewOperation> operations);
    void setProperties(std::uint32_t operation, std::uint32_t properties);

    /// Primitive operations that only what was replaced has read go as well, then the bytes of
    /// constants that no operation holds any more. Call it when all else is done.
    void dropUnused();

    bool empty() const;

private:
    friend class ModuleWriter;

    struct NewResource {
        std::uint32_t key = 0;
        std::uint64_t alignment = 1;
        SharedBytes data;
    };
    struct NewName {
        std::uint32_t dialect = 0;
        std::uint32_t name = 0;
    };
    using Encoded = std::vector<std::byte>;
    struct Added {
        const KindRow *row = nullptr;
        std::vector<std::vector<std::uint64_t>> columns;
        Encoded data;
    };

    Result<std::uint32_t> entry(std::string_view kind, const FieldValues &values, bool type);
    void addName(std::string_view fullName);
    /// Index of a name that is there or was added.
    std::uint32_t operationNameOf(std::string_view fullName) const;
    std::uint32_t dialect() const;
    void dropOperations(std::vector<std::uint32_t> &constants);
    void dropAttributes(const std::vector<std::uint32_t> &constants);
    std::vector<bool> reachedAttributes() const;

    const Module &m_module;
    std::unordered_map<std::string_view, std::uint32_t> m_stringIndex;
    std::vector<std::shared_ptr<const std::string>> m_strings; ///< added
    std::map<Encoded, std::uint32_t> m_entryIndex[2];          ///< attributes, types
    std::vector<Added> m_entries[2];
    std::map<Encoded, std::uint32_t> m_propertyIndex;
    std::vector<Encoded> m_properties; ///< added
    std::vector<std::uint32_t> m_held; ///< attributes that what was added holds
    std::vector<NewResource> m_resources;
    std::vector<NewName> m_names;
    std::vector<std::uint32_t> m_valueTypes; ///< of added values
    std::map<std::uint32_t, std::vector<NewOperation>> m_operations;
    std::map<std::uint32_t, std::uint32_t> m_operationProperties;
    std::vector<bool> m_droppedAttributes, m_droppedResources;
};

/// Takes the bytes of a file in order.
using ByteSink = std::function<Result<void>(std::span<const std::byte>)>;

struct WriteReport {
    /// What was taken as it stands in the file instead of being encoded.
    std::vector<ByteRange> kept;
};

/// Writes a module; `edit` null: as it was read. The payload of blobs goes from the file's bytes to
/// `sink` without a copy. Errors: "mlir.write" (a fault in the module, a version below 5 with
/// changes, a value that nothing defines any more), those of `sink`.
Result<WriteReport> writeModule(const Module &module, const ModuleEdit *edit, const ByteSink &sink);
/// The same into memory.
Result<std::vector<std::byte>> writeModule(const Module &module, const ModuleEdit *edit = nullptr,
                                           WriteReport *report = nullptr);

} // namespace kernscope::mlir
