// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/patch/patch.h"
#include "made_bundle.h"

#include <filesystem>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

/// Bundles of a run, as bytes in memory and as files.
namespace kernscope::simulator {

namespace fs = std::filesystem;
using test::Bytes;
/// Files of a bundle by their path in it; a lone file's is kLone.
using Tree = std::map<std::string, Bytes>;
inline constexpr const char *kLone = ".";

/// What a run begins with.
struct Sample {
    std::string name;      ///< of the bundle on the disk: "x.mlmodelc"
    std::string described; ///< for people: "lut4"
    Tree tree;
};
const std::vector<Sample> &samples();

bool isLone(const Tree &tree);
/// The bundle at `path` as the disk has it: regular files only.
Tree readTree(const fs::path &path);
void writeTree(const fs::path &path, const Tree &tree);
Bytes readFile(const fs::path &path);
void writeFile(const fs::path &path, const Bytes &bytes);
/// A file of the bundle at `path`.
fs::path placeOf(const fs::path &path, const std::string &file);

bool isOneOf(const Tree &tree, const std::vector<Tree> &all);
/// `onto` with the bytes that differ between two trees.
Tree withChanges(Tree onto, const Tree &from, const Tree &to);
/// The first byte that is in neither of two trees; empty where there is none.
std::string thirdState(const Tree &tree, const Tree &one, const Tree &other);

/// Whether a bundle of these bytes can be opened at all.
bool opens(const Tree &tree, const std::string &name);
/// The bytes that the views show.
Tree shownTree(const Bundle &bundle, bool lone);
/// A script of one to four edits that a bundle of these bytes takes; empty where none was found.
std::string drawEdits(const Tree &tree, const std::string &name, std::uint32_t draw);
/// The bytes with the edits of a script, as a save of them is to leave the files; nothing where
/// they cannot be planned.
std::optional<Tree> edited(const Tree &tree, const std::string &name, const std::string &script);
/// What a save of `before`, changed to `after`, leaves when it is taken back and saved again: the
/// hash of a module is right then, whatever it was.
Tree takenBack(const Tree &before, const Tree &after);
/// Edits laid over an open bundle; the plans, to take them back.
Result<BundlePtr> editBundle(BundlePtr bundle, const std::string &script,
                             std::vector<AppliedEdit> *plans = nullptr);

} // namespace kernscope::simulator
