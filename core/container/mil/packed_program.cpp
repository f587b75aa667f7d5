// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/mil/packed_program.h"
#include "core/base/squeezed_bytes.h"
#include "core/container/mil/program_members.h"

#include <algorithm>

namespace kernscope::mil {

namespace {

/// Small enough to be unpacked between two frames, large enough to be squeezed well.
constexpr std::size_t kPageOperations = 128;
constexpr std::size_t kPageBytes = std::size_t{64} << 10;
/// Pages that are kept unpacked: what a view shows, and where its links lead.
constexpr std::size_t kMostKept = 8, kLeastKept = 2;
constexpr std::size_t kMostKeptBytes = std::size_t{8} << 20;

} // namespace

class PackedProgram::Packer
{
public:
    explicit Packer(PackedProgram &to) : m_to(to) {}

    void pack(const Program &program)
    {
        std::vector<std::size_t> counts;
        passFrame(m_stream, program, counts);
        m_to.m_frame = squeezed();
        for (const Function &function : program.functions) {
            m_to.m_firsts.push_back(m_to.m_operations);
            add(function.body);
        }
        m_to.m_firsts.push_back(m_to.m_operations);
        endPage();
        m_to.m_pages.shrink_to_fit();
    }

private:
    void add(const Block &block)
    {
        for (const Operation &operation : block.operations) {
            m_counts.clear();
            passOperation(m_stream, operation, m_counts);
            ++m_to.m_operations;
            if (m_to.m_operations - m_first == kPageOperations ||
                m_stream.bytes().size() >= kPageBytes)
                endPage();
            for (const Block &nested : operation.blocks)
                add(nested);
        }
    }
    void endPage()
    {
        if (m_to.m_operations == m_first)
            return;
        m_to.m_pages.push_back({m_first, squeezed()});
        m_first = m_to.m_operations;
    }
    std::vector<std::byte> squeezed()
    {
        m_squeezer.add(m_stream.bytes());
        m_stream.clear();
        return m_squeezer.finish();
    }

    PackedProgram &m_to;
    PackStream m_stream;
    Squeezer m_squeezer;
    std::size_t m_first = 0; ///< operation of the page that is being filled
    std::vector<std::size_t> m_counts;
};

PackedProgram::Reader::Reader(const PackedProgram &from) : m_from(from) {}

PackedProgram::Reader::~Reader() = default;

void PackedProgram::Reader::next(Operation &operation, std::vector<std::size_t> &inBlocks)
{
    if (!m_stream || m_stream->atEnd())
        m_stream = std::make_unique<UnpackStream>(unsqueezed(m_from.m_pages[m_page++].bytes));
    inBlocks.clear();
    passOperation(*m_stream, operation, inBlocks);
}

namespace {

/// That many operations and everything in them.
void fill(Block &block, std::size_t count, PackedProgram::Reader &reader)
{
    block.operations.resize(count);
    for (Operation &operation : block.operations) {
        std::vector<std::size_t> counts;
        reader.next(operation, counts);
        for (std::size_t i = 0; i < counts.size(); ++i)
            fill(operation.blocks[i], counts[i], reader);
    }
}

} // namespace

PackedProgram::PackedProgram(const Program &program)
{
    Packer(*this).pack(program);
}

Program PackedProgram::frame() const
{
    Program program;
    std::vector<std::size_t> counts;
    UnpackStream stream(unsqueezed(m_frame));
    passFrame(stream, program, counts);
    return program;
}

Program PackedProgram::whole() const
{
    Program program;
    std::vector<std::size_t> counts;
    UnpackStream stream(unsqueezed(m_frame));
    passFrame(stream, program, counts);
    Reader reader(*this);
    for (std::size_t i = 0; i < program.functions.size(); ++i)
        fill(program.functions[i].body, counts[i], reader);
    return program;
}

std::vector<std::size_t> PackedProgram::inBodies() const
{
    Program program;
    std::vector<std::size_t> counts;
    UnpackStream stream(unsqueezed(m_frame));
    passFrame(stream, program, counts);
    return counts;
}

PackedProgram::UnpackedPtr PackedProgram::unpacked(std::size_t page) const
{
    auto content = std::make_shared<Unpacked>();
    content->operations.resize(endOf(page) - m_pages[page].first);
    UnpackStream stream(unsqueezed(m_pages[page].bytes));
    std::vector<std::size_t> counts;
    for (Operation &operation : content->operations) {
        counts.clear();
        passOperation(stream, operation, counts);
    }
    content->bytes = stream.size() + content->operations.size() * sizeof(Operation);
    return content;
}

PackedProgram::UnpackedPtr PackedProgram::kept(std::size_t page) const
{
    const std::lock_guard lock(m_mutex);
    const auto found = std::find_if(m_kept.begin(), m_kept.end(),
                                    [page](const Kept &each) { return each.page == page; });
    if (found == m_kept.end())
        return nullptr;
    std::rotate(found, found + 1, m_kept.end());
    return m_kept.back().content;
}

void PackedProgram::keep(std::size_t page, const UnpackedPtr &content) const
{
    const std::lock_guard lock(m_mutex);
    m_kept.push_back({page, content});
    std::size_t bytes = 0;
    for (const Kept &each : m_kept)
        bytes += each.content->bytes;
    while (m_kept.size() > kMostKept || (m_kept.size() > kLeastKept && bytes > kMostKeptBytes)) {
        bytes -= m_kept.front().content->bytes;
        m_kept.erase(m_kept.begin());
    }
}

OperationPtr PackedProgram::operation(std::size_t number) const
{
    const auto after = std::upper_bound(m_pages.begin(), m_pages.end(), number,
                                        [](std::size_t n, const Page &p) { return n < p.first; });
    const auto page = static_cast<std::size_t>(after - m_pages.begin()) - 1;
    UnpackedPtr content = kept(page);
    if (!content) {
        content = unpacked(page);
        keep(page, content);
    }
    const Operation *operation = &content->operations[number - m_pages[page].first];
    return {std::move(content), operation};
}

void PackedProgram::dropPages() const
{
    std::vector<Kept> kept;
    const std::lock_guard lock(m_mutex);
    kept.swap(m_kept);
}

std::size_t PackedProgram::packedBytes() const
{
    std::size_t bytes = m_frame.size();
    for (const Page &page : m_pages)
        bytes += page.bytes.size() + sizeof page;
    return bytes;
}

bool operator==(const PackedProgram &a, const PackedProgram &b)
{
    return a.m_frame == b.m_frame && a.m_firsts == b.m_firsts &&
           std::equal(a.m_pages.begin(), a.m_pages.end(), b.m_pages.begin(), b.m_pages.end(),
                      [](const PackedProgram::Page &one, const PackedProgram::Page &other) {
                          return one.first == other.first && one.bytes == other.bytes;
                      });
}

} // namespace kernscope::mil
