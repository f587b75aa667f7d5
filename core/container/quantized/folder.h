// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/codec/microscaled/microscaled.h"

#include <array>
#include <functional>

#include <nlohmann/json.hpp>

/// A folder that `quantize` writes: data.bin and exp.bin (E8M0) of a microscaled matrix; data.bin,
/// scale.bin and, of uint8, offset.bin (fp32, one number a row) of INT8; and quantize.json, which
/// says what they are. One reader and one writer, for every command.
namespace kernscope::quantized {

using Json = nlohmann::ordered_json;
using Bytes = std::vector<std::uint8_t>;

inline constexpr std::string_view kManifest = "quantize.json";
/// Every file that a folder may hold.
inline constexpr std::array<std::string_view, 5> kFileNames{kManifest, "data.bin", "exp.bin",
                                                            "scale.bin", "offset.bin"};

/// Error "quantize.manifest" about a member of quantize.json or a file that it names.
Error manifestFault(std::string field, std::string expected, std::string found,
                    std::string message = "The folder's description cannot be followed");

/// The error with the place of its member in the text of quantize.json, where it has none.
Error placedIn(std::span<const std::byte> manifest, Error error);

/// How far quantised values are from the ones they stand for.
struct ErrorFigures {
    double maxAbs = 0;
    double meanAbs = 0;
    double rmse = 0;
    double relative = 0; ///< rmse over the root mean square of the values
    double cosine = 1;
    std::uint64_t elements = 0;
    std::uint64_t nonFinite = 0; ///< left out: infinite or NaN on either side
};
/// Of as many elements as both have.
ErrorFigures figuresOf(const std::vector<double> &found, const std::vector<double> &expected);
Json figuresJson(const ErrorFigures &figures);
/// What a description records; nothing where it records none.
std::optional<ErrorFigures> recordedFigures(const Json &manifest);

/// What a description says of its matrix.
struct Description {
    std::string format; ///< mxfp8, mxfp8_e5m2, mxfp4, int8, uint8
    std::string name;   ///< stem of the array that was quantised; "matrix" where it is not known
    Shape shape;        ///< of that array; of as many elements as the matrix
    std::uint64_t rows = 0, columns = 0;
    std::uint64_t rowsStored = 0, columnsStored = 0; ///< with those that fill the last group
    unsigned axis = 1;            ///< microscaled: 1, groups along the columns; 0, the rows
    std::string layout = "nd";    ///< of the data: nd, nz
    std::string exponents = "nd"; ///< of the exponents: nd, zz, interleaved

    bool microscaled() const { return format.starts_with("mx"); }
};
/// The text of a description. Errors: "quantize.manifest" (no JSON object, over 1 MiB).
Result<Json> parseManifest(std::span<const std::byte> text);
/// Members that are missing get what is usual, but format, rows and columns. Errors:
/// "quantize.manifest".
Result<Description> describeMatrix(const Json &manifest);

/// A folder's content, in memory.
struct Folder {
    Json manifest; ///< with members that the description does not name, kept as they are
    Description matrix;
    std::vector<std::pair<std::string, Bytes>> files; ///< all but the description

    /// Null where there is no file of that name.
    const Bytes *file(std::string_view name) const;
};

/// Reads the files that the description calls for. `read` gives one by its name; its errors are
/// passed on. Errors: "quantize.manifest".
/// `read` gives the content of a file, or an error where it has more than `most` bytes.
Result<Folder>
readFolder(const std::function<Result<Bytes>(std::string_view name, std::uint64_t most)> &read);

/// The matrix in rows, whatever layout it lies in. Errors: "quantize.manifest" (INT8), "mx.length",
/// "mx.constraint".
Result<codec::Microscaled> microscaledOf(const Folder &folder);
/// Errors: "quantize.manifest" (a file does not have its length, or the folder is microscaled).
Result<codec::Int8Matrix> integersOf(const Folder &folder);
/// Exact values, row-major. Errors: those of both above.
Result<std::vector<double>> valuesOf(const Folder &folder);

/// Data and exponents of a matrix in these layouts. Errors: those of codec::toNz, toZz and
/// toInterleaved.
Result<Bytes> dataInLayout(const codec::Microscaled &matrix, std::string_view layout);
Result<Bytes> exponentsInLayout(const codec::Microscaled &matrix, std::string_view layout);

/// What was quantised.
struct Origin {
    std::string format; ///< mxfp8, mxfp8_e5m2, mxfp4, int8, uint8
    Shape shape;
    std::uint64_t rows = 0, columns = 0;
    std::string source; ///< element type of the values
    std::string input;  ///< path of the array
    std::string sha256; ///< of that file; empty where it is not known
};
/// Begins a folder; one of the two below adds its matrix.
Folder beginFolder(const Origin &origin);
/// Errors: those of dataInLayout and exponentsInLayout.
Result<void> addMicroscaled(Folder &folder, const codec::Microscaled &matrix,
                            std::string_view algorithm, std::string_view layout,
                            std::string_view exponents);
void addIntegers(Folder &folder, const codec::Int8Matrix &matrix, std::string_view chain,
                 bool perTensor);
/// The files alone, of a description that names them.
void addIntegers(Folder &folder, const codec::Int8Matrix &matrix);
/// The same matrix in other layouts. Errors: those of dataInLayout and exponentsInLayout.
Result<Folder> inLayouts(const Folder &folder, const codec::Microscaled &matrix,
                         std::string_view layout, std::string_view exponents);

/// Text of the description, as it is written.
std::string manifestText(const Json &manifest);

} // namespace kernscope::quantized
