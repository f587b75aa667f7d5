// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/container/mil/program.h"

/// Private to the reader of networks: rows of resources/tables/network_layers.csv.
namespace kernscope::network {

/// An extent of a weight's shape: a field of the layer, maybe over another one.
struct ShapeExtent {
    std::uint32_t field = 0;
    std::uint32_t over = 0; ///< field to divide by; 0: none. A value of 0 divides by 1.
    bool repeated = false;  ///< every value of the field is an extent
    std::vector<std::uint64_t> fallback; ///< where the field is empty
};

struct LayerField {
    std::string layer;               ///< "convolution"
    std::vector<std::uint32_t> path; ///< fields from the layer's message to the WeightParams
    std::string name;                ///< "weights"; "@": a network within the layer
    std::vector<ShapeExtent> shape;  ///< empty: not known
    bool byColumns = false;          ///< the values of the matrix lie column by column
    std::size_t axis = 0;
    /// Applies only where this flag of the layer has this value.
    std::optional<std::pair<std::uint32_t, std::uint64_t>> when;

    bool isNetwork() const { return name == "@"; }
};

/// By the layer's field number.
const std::multimap<std::uint32_t, LayerField> &layerTable();

// Neural networks of the kind before programs: the weights of the NeuralNetwork message and its
// classifier and regressor (NeuralNetwork.proto of coremltools).

/// Numbers of a repeated float field: one run where they are packed, as every writer has them; a
/// run each where they are not.
struct Floats {
    std::vector<mil::SourceSpan> runs;
    std::uint64_t count = 0;
};

/// One WeightParams message, where it holds anything.
struct StoredWeight {
    enum class Kind : std::uint8_t {
        Floats,  ///< floatValue: fp32
        Halves,  ///< float16Value
        Linear,  ///< rawValue: w = scale * code + bias
        Palette, ///< rawValue: w = table[code]
        Int8,    ///< int8RawValue: w = scale * code, or the code where there is no scale
    };
    std::string layer; ///< "conv_0"
    std::string kind;  ///< "convolution"
    std::string field; ///< "weights", "inputGateWeightMatrix"
    Kind form = Kind::Floats;
    mil::SourceSpan message;
    Floats floats;         ///< of Kind::Floats
    mil::SourceSpan bytes; ///< of every other kind; codes are packed highest bit first
    unsigned bits = 0;     ///< of one code: 1 to 8
    Floats scale, bias, table;
    Shape shape;                ///< one extent where the layer's do not fit the values
    bool byColumns = false;     ///< a matrix whose values lie column by column, not row by row
    std::size_t axis = 0;       ///< of the shape, along which vectors of scales and biases run
    std::optional<Error> fault; ///< why the values cannot be read
};

/// The type of a code of that number of bits; networks have those of 5 and 7, programs do not.
inline ElementType codeType(unsigned bits)
{
    return bits == 5 ? ElementType::Uint5 : bits == 7 ? ElementType::Uint7 : unsignedType(bits);
}

/// What a network holds. Time is linear in the message.
struct Network {
    std::size_t layers = 0; ///< those of nested networks included
    std::vector<StoredWeight> weights;
    Diagnostics diagnostics;
};

/// Reads the network at `content` of a serialised Model. Codes: "proto.wire", "proto.depth",
/// "proto.cut", "mil.limit", and of one weight "network.bits" (codes of other than 1 to 8 bits),
/// "network.length" (bytes or numbers missing), "network.table" (not 2^bits entries),
/// "network.scale" (scales that fit no axis), "network.runs" (numbers in too many pieces);
/// "network.shape" (a warning: the layer's extents do not fit the values).
Network readNetwork(std::span<const std::byte> model, mil::SourceSpan content,
                    std::string_view fileName);

} // namespace kernscope::network
