// SPDX-License-Identifier: GPL-3.0-or-later
#include "world.h"

#include "container_samples.h"
#include "core/base/overlaid_file.h"
#include "core/base/sha256.h"
#include "core/patch/save/backup.h"
#include "sample_bundles.h"

#include <algorithm>
#include <fstream>
#include <stdexcept>

#include <fmt/format.h>

namespace kernscope::simulator {

namespace {

/// More than a block of saves and journals (1 MiB) changes at once.
constexpr std::size_t kLargeElements = 700'000;
constexpr const char *kLarge = "large";

Sample sampleOf(std::string name, std::string described, const OpenOptions &options)
{
    Sample sample{std::move(name), std::move(described), {}};
    const bool lone = options.memory.size() == 1 && options.memory.front().first == sample.name;
    for (const auto &[path, bytes] : options.memory)
        sample.tree[lone ? kLone : path] = bytes;
    return sample;
}

Sample largeSample()
{
    test::MadeBundle made;
    Bytes payload(kLargeElements * 2);
    for (std::size_t i = 0; i < payload.size(); ++i)
        payload[i] = static_cast<std::byte>(i % 2 == 0 ? i / 2 % 251 : 0x30);
    const auto type = fmt::format("[{}]", kLargeElements);
    made.layer("behind", type, payload);
    return sampleOf("x.mlmodelc", kLarge, made.options());
}

std::string nameIn(const Tree &tree, const std::string &name, const std::string &file)
{
    return isLone(tree) ? name : file;
}

Result<BundlePtr> openInMemory(const Tree &tree, const std::string &name)
{
    OpenOptions options;
    for (const auto &[path, bytes] : tree)
        options.memory.emplace_back(nameIn(tree, name, path), bytes);
    return Bundle::open(name, options);
}

std::string drawEdit(const Tree &tree, const std::string &name, std::mt19937 &random)
{
    const auto weights = tree.find("weights/weight.bin");
    const bool large = weights != tree.end() && weights->second.size() > kLargeElements;
    if (random() % 3 == 0 && weights != tree.end()) {
        const double value = static_cast<double>(random() % 61) / 16.0 - 1.5;
        if (large) {
            const auto begin = random() % kLargeElements / 8;
            return fmt::format("fill behind[{}:{}]={}", begin,
                               begin + 1 + random() % (kLargeElements - begin), value);
        }
        return fmt::format("set behind[{}]={}", random() % 10, value);
    }
    auto file = tree.begin();
    std::advance(file, static_cast<std::ptrdiff_t>(random() % tree.size()));
    if (file->second.empty())
        return {};
    const auto count = std::min<std::size_t>(1 + random() % 6, file->second.size());
    std::string bytes;
    for (std::size_t i = 0; i < count; ++i)
        bytes += fmt::format("{}{:02x}", i == 0 ? "" : " ", random() & 0xff);
    return fmt::format("bytes {}+{:#x}={}", nameIn(tree, name, file->first),
                       random() % (file->second.size() - count + 1), bytes);
}

} // namespace

const std::vector<Sample> &samples()
{
    static const std::vector<Sample> all = [] {
        std::vector<Sample> made;
        for (const char *form : {"dense-fp16", "lut2", "lut4-grouped", "sparse", "blockwise-int4"})
            made.push_back(sampleOf("x.mlmodelc", form, test::sampleBundle(form).options()));
        made.push_back(largeSample());
        for (const test::ContainerSample &container : test::containerSamples()) {
            if (container.files.reader == nullptr && Bundle::open(container.name, container.files))
                made.push_back(sampleOf(container.name, container.name, container.files));
        }
        return made;
    }();
    return all;
}

bool opens(const Tree &tree, const std::string &name)
{
    return openInMemory(tree, name).has_value();
}

bool isLone(const Tree &tree)
{
    return tree.size() == 1 && tree.begin()->first == kLone;
}

Bytes readFile(const fs::path &path)
{
    std::ifstream in(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

void writeFile(const fs::path &path, const Bytes &bytes)
{
    fs::create_directories(path.parent_path());
    std::ofstream out(path, std::ios::binary | std::ios::trunc);
    out.write(reinterpret_cast<const char *>(bytes.data()),
              static_cast<std::streamsize>(bytes.size()));
    if (!out)
        throw std::runtime_error("the simulator cannot write " + path.string());
}

fs::path placeOf(const fs::path &path, const std::string &file)
{
    return file == kLone ? path : path / file;
}

Tree readTree(const fs::path &path)
{
    Tree tree;
    if (fs::is_regular_file(path))
        tree[kLone] = readFile(path);
    else if (fs::is_directory(path)) {
        for (const auto &entry : fs::recursive_directory_iterator(path)) {
            if (entry.is_regular_file())
                tree[entry.path().lexically_relative(path).string()] = readFile(entry.path());
        }
    }
    return tree;
}

void writeTree(const fs::path &path, const Tree &tree)
{
    for (const auto &[file, bytes] : tree)
        writeFile(placeOf(path, file), bytes);
}

Tree shownTree(const Bundle &bundle, bool lone)
{
    Tree tree;
    for (const BundleFile &file : bundle.files()) {
        const auto bytes = file.file->bytes();
        tree[lone ? kLone : file.path] = Bytes(bytes.begin(), bytes.end());
    }
    return tree;
}

Result<BundlePtr> editBundle(BundlePtr bundle, const std::string &script,
                             std::vector<AppliedEdit> *plans)
{
    const auto edits = parseEditScript(script, "script");
    if (!edits)
        return tl::unexpected(edits.error());
    auto planned = planEdits(bundle, *edits, 0.0);
    if (!planned)
        return tl::unexpected(planned.error());
    for (const AppliedEdit &edit : *planned) {
        auto next = applyEdit(bundle, edit);
        if (!next)
            return next;
        bundle = *next;
    }
    if (plans != nullptr)
        *plans = std::move(*planned);
    return bundle;
}

std::optional<Tree> edited(const Tree &tree, const std::string &name, const std::string &script)
{
    const auto bundle = openInMemory(tree, name);
    const auto changed = bundle ? editBundle(*bundle, script) : bundle;
    if (!changed)
        return std::nullopt;
    Tree after = shownTree(**changed, isLone(tree));
    if (const auto follower = patch::followingFile(**changed)) {
        const auto own = patch::followed(**changed, *follower);
        if (!own)
            return std::nullopt;
        const auto bytes = (*own)->bytes();
        after[(*changed)->files()[*follower].path] = Bytes(bytes.begin(), bytes.end());
    }
    return after;
}

Tree takenBack(const Tree &before, const Tree &after)
{
    Tree tree = before;
    const auto module = before.find("main.mlirb"), hash = before.find("main.hash");
    if (module == before.end() || hash == before.end() || after.at("main.mlirb") == module->second)
        return tree;
    Sha256 sum;
    sum.update(module->second);
    if (const auto digest = sum.finish(); digest && digest->size() == hash->second.size())
        tree["main.hash"] = Bytes(digest->begin(), digest->end());
    return tree;
}

std::string drawEdits(const Tree &tree, const std::string &name, std::uint32_t draw)
{
    std::mt19937 random(draw);
    std::string script;
    const auto count = 1 + random() % 4;
    for (unsigned tries = 0, made = 0; made < count && tries < 12; ++tries) {
        const std::string line = drawEdit(tree, name, random);
        const std::string longer = script + line + '\n';
        const auto after = line.empty() ? std::nullopt : edited(tree, name, longer);
        if (!after || !opens(*after, name))
            continue;
        script = longer;
        ++made;
    }
    return script;
}

bool isOneOf(const Tree &tree, const std::vector<Tree> &all)
{
    return std::find(all.begin(), all.end(), tree) != all.end();
}

Tree withChanges(Tree onto, const Tree &from, const Tree &to)
{
    for (auto &[file, bytes] : onto) {
        const auto before = from.find(file), after = to.find(file);
        if (before == from.end() || after == to.end())
            continue;
        for (std::size_t i = 0;
             i < std::min({bytes.size(), before->second.size(), after->second.size()}); ++i) {
            if (before->second[i] != after->second[i])
                bytes[i] = after->second[i];
        }
    }
    return onto;
}

std::string thirdState(const Tree &tree, const Tree &one, const Tree &other)
{
    if (tree.size() != one.size())
        return fmt::format("{} files", tree.size());
    for (const auto &[file, bytes] : tree) {
        const auto a = one.find(file), b = other.find(file);
        if (a == one.end() || b == other.end() || a->second.size() != bytes.size() ||
            b->second.size() != bytes.size())
            return fmt::format("{} has {} bytes", file, bytes.size());
        for (std::size_t i = 0; i < bytes.size(); ++i) {
            if (bytes[i] != a->second[i] && bytes[i] != b->second[i])
                return fmt::format("{}+{:#x}", file, i);
        }
    }
    return {};
}

} // namespace kernscope::simulator
