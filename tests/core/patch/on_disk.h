// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cut_save.h"
#include "sample_bundles.h"

/// Bundles on disk, for the tests of saving.
namespace kernscope::test {

namespace fs = std::filesystem;

using Tree = std::map<std::string, Bytes>;

inline Bytes readAll(const fs::path &path)
{
    return asBytes(contentOf(QString::fromStdString(path.string())));
}

inline void writeAll(const fs::path &path, const Bytes &bytes)
{
    fs::create_directories(path.parent_path());
    QVERIFY(put(QString::fromStdString(path.string()), bytes));
}

inline Tree readTree(const fs::path &folder)
{
    Tree tree;
    for (const auto &entry : fs::recursive_directory_iterator(folder)) {
        if (entry.is_regular_file())
            tree[entry.path().lexically_relative(folder).string()] = readAll(entry.path());
    }
    return tree;
}

/// A bundle folder on disk.
class OnDisk
{
public:
    explicit OnDisk(const char *form) : path(fs::path(m_folder.path().toStdString()) / "x.mlmodelc")
    {
        for (const auto &[name, bytes] : sampleBundle(form).options().memory)
            writeAll(path / name, bytes);
        original = readTree(path);
    }

    fs::path folder() const { return m_folder.path().toStdString(); }
    fs::path journal() const { return folder() / "x.mlmodelc.kernscope-journal"; }
    BundlePtr open() const { return *Bundle::open(path); }
    /// The bundle with these edits laid over it.
    BundlePtr patched(const std::string &script) const { return test::patched(open(), script); }

private:
    QTemporaryDir m_folder;

public:
    fs::path path;
    Tree original;
};

/// The code of an error, or "" of a success.
template <class T>
std::string codeOf(const Result<T> &result)
{
    return result ? std::string() : result.error().code;
}

/// Three ranges in two files: a literal codebook in the program, codes in the weights.
inline constexpr const char *kThree =
    "codebook w[0][1]=7.5\nset-stored w:indices[0]=1\nset behind[9]=0.25";

} // namespace kernscope::test
