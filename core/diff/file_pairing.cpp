// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diff/file_pairing.h"

#include "core/bundle/bundle.h"
#include "core/diff/diff.h"

#include <utility>

namespace kernscope::diff {

namespace {

class FilePairer
{
public:
    FilePairer(const Bundle &a, const Bundle &b)
        : m_a(a), m_b(b), m_ofA(a.files().size(), kNoIndex), m_ofB(b.files().size(), kNoIndex)
    {
    }

    std::vector<FilePair> pairs()
    {
        match([](const BundleFile &x, const BundleFile &y) { return x.path == y.path; });
        match([](const BundleFile &x, const BundleFile &y) {
            return x.role == y.role && lastComponent(x.path) == lastComponent(y.path);
        });
        for (const SectionKind role : {SectionKind::Data, SectionKind::Program})
            matchOnlyOnes(role);
        // Of two sections, checkpoints and the like the one file is the same one, however called.
        if (m_ofA.size() == 1 && m_ofB.size() == 1 && m_a.kind() == m_b.kind() &&
            m_ofA.front() == kNoIndex)
            join(0, 0);
        std::vector<FilePair> result;
        for (std::size_t i = 0; i < m_ofA.size(); ++i)
            result.push_back({i, m_ofA[i]});
        for (std::size_t i = 0; i < m_ofB.size(); ++i) {
            if (m_ofB[i] == kNoIndex)
                result.push_back({kNoIndex, i});
        }
        return result;
    }

private:
    template <class Same>
    void match(const Same &same)
    {
        for (std::size_t i = 0; i < m_ofA.size(); ++i) {
            for (std::size_t j = 0; j < m_ofB.size() && m_ofA[i] == kNoIndex; ++j) {
                if (m_ofB[j] == kNoIndex && same(m_a.files()[i], m_b.files()[j]))
                    join(i, j);
            }
        }
    }
    void matchOnlyOnes(SectionKind role)
    {
        const auto only = [role](const Bundle &bundle, const std::vector<std::size_t> &partner) {
            std::size_t found = kNoIndex, count = 0;
            for (std::size_t i = 0; i < partner.size(); ++i) {
                if (partner[i] == kNoIndex && bundle.files()[i].role == role) {
                    found = i;
                    ++count;
                }
            }
            return count == 1 ? found : kNoIndex;
        };
        const std::size_t a = only(m_a, m_ofA), b = only(m_b, m_ofB);
        if (a != kNoIndex && b != kNoIndex)
            join(a, b);
    }
    void join(std::size_t a, std::size_t b)
    {
        m_ofA[a] = b;
        m_ofB[b] = a;
    }

    const Bundle &m_a;
    const Bundle &m_b;
    std::vector<std::size_t> m_ofA, m_ofB;
};

} // namespace

std::vector<FilePair> pairFiles(const Bundle &a, const Bundle &b)
{
    return FilePairer(a, b).pairs();
}

} // namespace kernscope::diff
