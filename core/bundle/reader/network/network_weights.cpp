// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/reader/network/network_weights.h"

#include "core/base/error_builder.h"
#include "core/bundle/piece_order.h"
#include "core/bundle/weight.h"
#include "core/container/espresso/espresso.h"

#include <algorithm>
#include <numeric>
#include <set>

#include <fmt/format.h>

namespace kernscope {

namespace {

using codec::Operand;
using codec::PartRole;
using network::StoredWeight;

/// Where the numbers of a weight lie that are not plain little-endian rows: codes of fewer than
/// eight bits, packed highest bit first; numbers in several pieces; a matrix column by column.
class NetworkOrder final : public codec::ElementOrder
{
public:
    /// `rows`: of a matrix that is stored by columns; 0 for row by row.
    NetworkOrder(std::shared_ptr<const codec::ElementOrder> pieces, std::uint64_t elements,
                 std::uint64_t bytes, unsigned width, std::uint64_t rows)
        : m_pieces(std::move(pieces)), m_elements(elements), m_bytes(bytes), m_width(width),
          m_rows(rows == 0 ? elements : rows), m_columns(rows == 0 ? 1 : elements / rows)
    {
    }

    void positions(std::uint64_t first, std::span<std::uint64_t> out) const override
    {
        for (std::uint64_t &position : out) {
            const std::uint64_t stored = first % m_columns * m_rows + first / m_columns;
            if (m_pieces)
                m_pieces->positions(stored, {&position, 1});
            else
                position = stored * m_width;
            ++first;
        }
    }
    bool highestFirst() const override { return m_width < 8; }
    std::uint64_t elements() const override { return m_elements; }
    std::uint64_t extent() const override { return m_pieces ? m_pieces->extent() : m_bytes; }
    void note(codec::LayoutNotes &notes) const override
    {
        notes.add(m_pieces.get());
        for (const std::uint64_t number : {std::uint64_t(m_width), m_rows, m_columns})
            notes.add(number);
    }
    std::optional<std::uint64_t> elementAt(std::uint64_t bit) const override
    {
        const auto stored =
            m_pieces
                ? m_pieces->elementAt(bit)
                : std::optional((highestFirst() ? bit / 8 * 8 + (7 - bit % 8) : bit) / m_width);
        return stored && *stored < m_elements
                   ? std::optional(*stored % m_rows * m_columns + *stored / m_rows)
                   : std::nullopt;
    }

private:
    std::shared_ptr<const codec::ElementOrder> m_pieces; ///< null where the bytes lie together
    std::uint64_t m_elements, m_bytes;
    unsigned m_width;
    std::uint64_t m_rows, m_columns;
};

class NetworkWeight
{
public:
    NetworkWeight(const StoredWeight &stored, std::size_t file) : m_stored(stored), m_file(file) {}

    Weight make()
    {
        m_weight.name = m_stored.layer + "." + m_stored.field;
        m_weight.otherOpName = m_stored.layer;
        m_weight.sourceOp = m_stored.kind;
        m_weight.shape = m_encoding.shape = m_stored.shape;
        m_weight.elements = elementCount(m_stored.shape).value_or(ElementCount());
        m_encoding.type = ElementType::Fp32;
        m_weight.fault = m_stored.fault;
        addForm();
        m_weight.type = m_encoding.type;
        addConsumer();
        std::uint64_t stored = 0;
        m_weight.form = StorageForm(std::move(m_encoding), FormWords::Network);
        for (const Operand &operand : m_weight.operands())
            stored += operand.place->bytes.value;
        m_weight.storedBytes = ByteCount(stored);
        if (m_weight.fault)
            m_weight.form.dropEncoding();
        return std::move(m_weight);
    }

private:
    void addForm()
    {
        switch (m_stored.form) {
        case StoredWeight::Kind::Floats:
            m_encoding.payload = floats(PartRole::Data, m_stored.floats, m_stored.shape);
            return;
        case StoredWeight::Kind::Halves:
            m_encoding.type = ElementType::Fp16;
            m_encoding.payload = bytes(PartRole::Data, ElementType::Fp16);
            return;
        case StoredWeight::Kind::Palette: addPalette(); return;
        case StoredWeight::Kind::Linear: addCodes(network::codeType(m_stored.bits)); return;
        case StoredWeight::Kind::Int8:
            if (m_stored.scale.count > 0)
                return addCodes(ElementType::Int8);
            m_encoding.type = ElementType::Int8;
            m_encoding.payload = bytes(PartRole::Data, ElementType::Int8);
            return;
        }
    }

    void addPalette()
    {
        m_weight.detail = {{"bits", std::uint64_t(m_stored.bits)}};
        m_encoding.payload = bytes(PartRole::Indices, network::codeType(m_stored.bits));
        codec::Palette palette;
        palette.entries = m_stored.table.count;
        palette.lut = floats(PartRole::Lut, m_stored.table, {m_stored.table.count});
        m_encoding.palette = std::move(palette);
    }

    void addCodes(ElementType type)
    {
        m_weight.detail = {{"bits", std::uint64_t(bitWidth(type))}};
        m_encoding.payload = bytes(PartRole::Data, type);
        codec::Scaling scaling;
        scaling.axis = m_stored.axis;
        scaling.addsOffset = true;
        scaling.scale = floats(PartRole::Scale, m_stored.scale, {m_stored.scale.count});
        if (m_stored.bias.count > 0) {
            scaling.offset = floats(PartRole::Bias, m_stored.bias, {m_stored.bias.count});
            // coremltools rounds once; which of them Core ML does is not known here
            m_weight.detail.emplace_back(
                "rounding",
                std::string("product and sum to fp32 each (coremltools: the sum alone)"));
        }
        m_encoding.scaling = std::move(scaling);
    }

    /// Of a matrix that is stored column by column; 0 of every other weight.
    std::uint64_t rows() const
    {
        return m_stored.byColumns && m_stored.shape.size() == 2 ? m_stored.shape[0] : 0;
    }

    Operand bytes(PartRole role, ElementType type)
    {
        OperandPlace place =
            placeAt(m_file, {FileOffset(m_stored.bytes.offset), ByteCount(m_stored.bytes.length)});
        std::shared_ptr<const codec::ElementOrder> order;
        if (rows() > 0 || (bitWidth(type) > 0 && bitWidth(type) < 8))
            order = std::make_shared<NetworkOrder>(nullptr, m_weight.elements.value,
                                                   m_stored.bytes.length, bitWidth(type), rows());
        return operandAt(role, type, m_stored.shape, std::move(place), std::move(order));
    }

    Operand floats(PartRole role, const network::Floats &floats, Shape shape)
    {
        OperandPlace place;
        place.file = m_file;
        place.bytes = ByteCount(floats.count * 4);
        if (!floats.runs.empty())
            place.dataOffset = place.metaOffset = FileOffset(floats.runs.front().offset);
        std::shared_ptr<const codec::ElementOrder> order;
        if (floats.runs.size() > 1) {
            for (const SourceSpan &run : floats.runs)
                place.pieces.push_back({FileOffset(run.offset), ByteCount(run.length)});
            order = pieceOrder(place.pieces, 32);
        }
        if (role == PartRole::Data && rows() > 0)
            order = std::make_shared<NetworkOrder>(std::move(order), floats.count,
                                                   place.bytes.value, 32U, rows());
        return operandAt(role, ElementType::Fp32, std::move(shape), std::move(place),
                         std::move(order));
    }

    /// The layer. What it computes per inference depends on shapes that a network does not state.
    void addConsumer()
    {
        Consumer consumer;
        consumer.op = m_stored.kind;
        consumer.name = m_stored.layer;
        consumer.param = m_stored.field;
        if (m_weight.shape.size() < 2)
            consumer.flops = 0;
        if (m_stored.axis > 0) { // outputs of a deconvolution
            auto &axes = consumer.geometry.storedAxes;
            axes.resize(m_weight.shape.size());
            std::iota(axes.begin(), axes.end(), std::size_t(0));
            std::swap(axes.front(), axes[m_stored.axis]);
        }
        m_weight.consumers.push_back(std::move(consumer));
    }

    const StoredWeight &m_stored;
    std::size_t m_file;
    Weight m_weight;
    codec::Encoding m_encoding;
};

} // namespace

std::vector<Weight> networkWeights(const network::Network &network, std::size_t file,
                                   const std::string &model)
{
    std::vector<Weight> weights;
    weights.reserve(network.weights.size());
    std::unordered_map<std::string, std::size_t> named;
    for (const StoredWeight &stored : network.weights) {
        Weight &weight = weights.emplace_back(NetworkWeight(stored, file).make());
        weight.model = model;
        // Both sides of a branch may have a layer of that name: the second one is "fc.weights#2".
        if (const std::size_t number = ++named[weight.name]; number > 1)
            weight.name += "#" + std::to_string(number);
    }
    return weights;
}

namespace {

constexpr std::string_view kNet = ".espresso.net", kShape = ".espresso.shape",
                           kWeights = ".espresso.weights";

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
    const std::size_t shape = indexOfPath(files, stem + std::string(kShape));
    const std::size_t weights = indexOfPath(files, stem + std::string(kWeights));
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
