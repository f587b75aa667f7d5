// SPDX-License-Identifier: GPL-3.0-or-later
// What the disk may hold after a step, and what other programs do to it.
#include "simulation.h"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kernscope::simulator {

namespace {

constexpr const char *kLinkName = "linked";
constexpr const char *kPartMark = ".kernscope-part-";
constexpr const char *kState = "state";

bool isPart(const fs::path &path)
{
    return path.filename().string().find(kPartMark) != std::string::npos;
}

/// What stands beside the bundle: files with their bytes, folders and links by their kind.
std::map<std::string, std::pair<fs::file_type, Bytes>> listing(const fs::path &folder)
{
    std::map<std::string, std::pair<fs::file_type, Bytes>> all;
    for (const auto &entry : fs::recursive_directory_iterator(folder)) {
        const auto type = entry.symlink_status().type();
        all[entry.path().string()] = {type, type == fs::file_type::regular ? readFile(entry.path())
                                                                           : Bytes()};
    }
    return all;
}

void writeInPlace(const fs::path &path, const Bytes &bytes)
{
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    const bool done = descriptor >= 0 && ::pwrite(descriptor, bytes.data(), bytes.size(), 0) ==
                                             static_cast<ssize_t>(bytes.size());
    ::close(descriptor);
    if (!done)
        throw std::runtime_error("the simulator cannot write " + path.string());
}

} // namespace

Simulation::Simulation(fs::path root, const Sample &sample, std::array<Watch *, 2> watches,
                       Counts &counts, bool trace)
    : m_root(std::move(root)), m_world(m_root / "world"), m_sample(sample), m_watches(watches),
      m_counts(counts), m_trace(trace)
{
}

Simulation::~Simulation()
{
    std::error_code ignored;
    fs::remove_all(m_root, ignored);
}

void Simulation::broken(std::string rule, std::string detail) const
{
    throw Broken{std::move(rule), std::move(detail)};
}

void Simulation::start()
{
    fs::remove_all(m_root);
    for (const fs::path &folder : {m_world, m_root / "grave"})
        fs::create_directories(folder);
    m_bundle = m_world / m_sample.name;
    writeTree(m_bundle, m_sample.tree);
    m_tree = m_sample.tree;
    ::setenv("XDG_STATE_HOME", (m_world / kState).c_str(), 1);
}

Place Simulation::place(std::size_t process) const
{
    const std::string copy = fmt::format("copy{}-{}", process, m_sample.name);
    return {m_world, m_root / "grave", m_bundle, m_world / copy, isLone(m_sample.tree)};
}

/// A file of the bundle has a further name.
bool Simulation::linked() const
{
    struct stat one = {}, other = {};
    return !m_linkedFile.empty() && ::stat(placeOf(m_bundle, m_linkedFile).c_str(), &one) == 0 &&
           ::stat((m_world / kLinkName).c_str(), &other) == 0 && one.st_ino == other.st_ino;
}

bool Simulation::touchesLink(const Tree &after) const
{
    return linked() && after.at(m_linkedFile) != m_tree.at(m_linkedFile);
}

std::optional<fs::path> Simulation::journal() const
{
    for (const auto &entry : fs::directory_iterator(m_world)) {
        if (entry.path().extension() == ".kernscope-journal")
            return entry.path();
    }
    return std::nullopt;
}

Ended Simulation::alone(const Work &work, const std::string &script)
{
    Watch &watch = *m_watches[1];
    watch.plan = {};
    watch.recording = false;
    Process process(place(0), work, script, watch);
    return process.wait();
}

/// Opens the bundle for reading, which must not write.
Answer Simulation::lookAgain()
{
    const auto before = listing(m_world);
    Work work;
    work.task = Task::Read;
    const Ended ended = alone(work);
    if (!ended.answer.given)
        broken("crashed", fmt::format("reading, by signal {}", ended.signal));
    if (!ended.answer.code.empty())
        broken("not opened", ended.answer.message);
    if (m_watches[1]->changes > 0 || listing(m_world) != before)
        broken("reading wrote");
    return ended.answer;
}

// ---- what the disk may hold

void Simulation::settle(const Allowed &allowed)
{
    const Tree actual = readTree(m_bundle);
    const Answer seen = lookAgain();
    if (seen.states.empty()) {
        if (!isOneOf(actual, allowed.whole)) {
            const auto &two = allowed.pair.empty() ? allowed.whole : allowed.pair;
            const std::string where = thirdState(actual, two.front(), two.back());
            if (journal())
                broken("a journal that is not seen");
            broken(where.empty() ? "half written without a journal"
                   : allowed.whole.size() == 1 && allowed.pair.empty() ? "not what was reported"
                                                                       : "a third state",
                   where);
        }
        if (seen.shown != actual)
            broken("other bytes are shown", "than the files hold");
        m_tree = actual;
        m_other.reset();
    } else if (seen.states == std::vector<std::string>{"pending"}) {
        if (allowed.pair.empty())
            broken("a journal is left");
        const Tree &one = allowed.pair.front(), &other = allowed.pair.back();
        if (const std::string where = thirdState(actual, one, other); !where.empty())
            broken("a third state", where);
        if (seen.shown != one && seen.shown != other)
            broken("other bytes are shown", "over an interrupted save");
        if (!seen.fault)
            broken("an interrupted save is no fault");
        const Tree next = seen.shown == one ? other : one;
        m_tree = seen.shown;
        m_other = next;
    } else {
        broken("an interrupted save that cannot be used", fmt::format("{}", seen.states));
    }
    checkCopies(allowed);
    checkKept(allowed);
    checkNames();
}

void Simulation::checkCopies(const Allowed &allowed)
{
    for (std::size_t process = 0; process < m_copies.size(); ++process) {
        const Place where = place(process);
        std::optional<Tree> found;
        if (fs::exists(where.copy))
            found = readTree(where.copy);
        auto &known = m_copies[process];
        if (found && isOneOf(*found, allowed.copies))
            known = found;
        else if (found != known)
            broken("a copy is neither whole nor as it was", where.copy.filename().string());
        else if (process == 0 && !allowed.mayStayAbsent)
            broken("no copy", "though it was reported");
    }
}

/// Backups and files with a further name: nothing is replaced, nothing removed, and what is new
/// holds what the bundle held.
void Simulation::checkKept(const Allowed &allowed)
{
    for (const auto &[path, bytes] : m_kept) {
        if (!fs::exists(path))
            broken("a backup is gone", path.lexically_relative(m_world).string());
        if (readFile(path) != bytes)
            broken(path.filename() == kLinkName ? "a further name was written"
                                                : "a backup was changed",
                   path.lexically_relative(m_world).string());
    }
    for (const auto &entry : fs::recursive_directory_iterator(m_world)) {
        const fs::path &path = entry.path();
        const fs::path below = path.lexically_relative(m_world);
        const std::string root = below.begin()->string();
        const auto at = root.rfind(".bak");
        if (at == std::string::npos || !entry.is_regular_file() || isPart(path) ||
            m_kept.count(path) > 0)
            continue;
        const fs::path rest = below.lexically_relative(root);
        const std::string file = rest == "." ? kLone : rest.string();
        const Bytes bytes = readFile(path);
        const bool known =
            std::any_of(allowed.backups.begin(), allowed.backups.end(), [&](const Tree &tree) {
                const auto found = tree.find(file);
                return found != tree.end() && found->second == bytes;
            });
        if (!known)
            broken("a backup is not what the file was", below.string());
        m_kept[path] = bytes;
    }
}

/// Nothing stands beside the bundle that was not asked for. What a process that was killed had not
/// finished says so in an attribute, unless it had just been made.
void Simulation::checkNames()
{
    for (const auto &entry : fs::directory_iterator(m_world)) {
        const std::string name = entry.path().filename().string();
        if (isPart(entry.path())) {
            const bool marked =
                ::lgetxattr(entry.path().c_str(), "user.kernscope.part", nullptr, 0) >= 0;
            const bool empty = fs::is_empty(entry.path());
            if (!marked && !empty && !m_cut)
                broken("an unfinished file that is not cleared away", name);
            continue;
        }
        const bool known = entry.path() == m_bundle || name == kState || name == kLinkName ||
                           name.starts_with("copy") || name.find(".bak") != std::string::npos ||
                           (m_other && name.ends_with(".kernscope-journal"));
        if (!known)
            broken("left behind", name);
    }
}

// ---- other programs

/// Writes to the disk; returns the bytes that the bundle would hold without an interrupted save.
Tree Simulation::changeOutside(Outside outside, std::mt19937 &random, std::string &file)
{
    auto at = m_tree.begin();
    std::advance(at, static_cast<std::ptrdiff_t>(random() % m_tree.size()));
    file = at->first;
    Tree changed = m_tree;
    Bytes &bytes = changed[file];
    const fs::path path = placeOf(m_bundle, file);
    if (outside == Outside::Touch || bytes.empty()) {
        ::chmod(path.c_str(), random() % 2 == 0 ? 0600 : 0644);
        ::utimensat(AT_FDCWD, path.c_str(), nullptr, 0);
        return changed;
    }
    std::size_t place = 0;
    for (int tries = 0;; ++tries) {
        place = random() % bytes.size();
        const std::byte kept = bytes[place];
        bytes[place] ^= static_cast<std::byte>(1 + random() % 255);
        if (opens(changed, bundleName()))
            break;
        bytes[place] = kept;
        if (tries == 8)
            return changed;
    }
    if (outside == Outside::Write) {
        Bytes onDisk = readFile(path);
        onDisk[place] = bytes[place];
        const bool alsoLinked = linked() && file == m_linkedFile;
        writeInPlace(path, onDisk);
        if (alsoLinked)
            m_kept[m_world / kLinkName] = onDisk;
    } else {
        const fs::path fresh = m_world / "fresh";
        writeFile(fresh, bytes);
        fs::rename(fresh, path);
    }
    return changed;
}

void Simulation::performOutside(Outside outside, std::uint32_t draw)
{
    ++m_counts.outside;
    std::mt19937 random(draw);
    Allowed same;
    if (m_other)
        same.pair = {m_tree, *m_other};
    else
        same.whole = {m_tree};
    switch (outside) {
    case Outside::Write:
    case Outside::Replace: {
        if (outside == Outside::Replace && m_other)
            return; // a copy of a file that was half written: nothing is promised
        std::string file;
        const Tree before = m_tree;
        const Tree changed = changeOutside(outside, random, file);
        if (!m_other) {
            same.whole = {changed};
            return settle(same);
        }
        if (lookAgain().states == std::vector<std::string>{"stale"})
            return discardAndBegin("stale");
        same.pair = {changed, withChanges(*m_other, before, changed)};
        return settle(same);
    }
    case Outside::Touch: {
        std::string file;
        changeOutside(outside, random, file);
        return settle(same);
    }
    case Outside::AddLink: {
        if (linked() || fs::exists(m_world / kLinkName))
            return;
        auto at = m_tree.begin();
        std::advance(at, static_cast<std::ptrdiff_t>(random() % m_tree.size()));
        const fs::path path = placeOf(m_bundle, at->first);
        fs::create_hard_link(path, m_world / kLinkName);
        m_linkedFile = at->first;
        m_kept[m_world / kLinkName] = readFile(path);
        return settle(same);
    }
    case Outside::DropLink:
        fs::remove(m_world / kLinkName);
        m_kept.erase(m_world / kLinkName);
        m_linkedFile.clear();
        return settle(same);
    case Outside::Rename: {
        const bool away = m_bundle.filename() == m_sample.name;
        const fs::path to = m_world / ((away ? "moved-" : "") + m_sample.name);
        if (!opens(m_tree, to.filename().string()))
            return; // some kinds are told by their name
        fs::rename(m_bundle, to);
        m_bundle = to;
        if (m_other && lookAgain().states.empty())
            return beginAgain();
        return settle(same);
    }
    case Outside::LoseJournal: {
        if (!m_other)
            return;
        fs::remove(*journal());
        const Answer seen = lookAgain();
        if (seen.states.empty())
            return beginAgain();
        if (seen.states != std::vector<std::string>{"damaged"} || !seen.fault)
            broken("a journal that is gone is not missed");
        return discardAndBegin("damaged");
    }
    }
}

/// A save that had not begun to write, or had written all, needs its journal no more: without it
/// the files are whole.
void Simulation::beginAgain()
{
    const Tree actual = readTree(m_bundle);
    if (actual != m_tree && actual != *m_other)
        broken("half written, and it is not said");
    if (const auto left = journal())
        fs::remove(*left);
    writeAgain();
}

/// An interrupted save that cannot be used any more: nothing is written until its journal is
/// discarded, which leaves the files as they are. Then the bundle is written anew.
void Simulation::discardAndBegin(const char *state)
{
    const Tree actual = readTree(m_bundle);
    Work work;
    work.task = Task::Recover;
    if (const Answer refused = alone(work).answer;
        refused.code != fmt::format("journal.{}", state) || readTree(m_bundle) != actual)
        broken("recovered what cannot be", refused.message);
    work.action = RecoverAction::Discard;
    if (const Answer answer = alone(work).answer; !answer.given || !answer.code.empty())
        broken("not discarded", answer.message);
    if (readTree(m_bundle) != actual)
        broken("discarding wrote");
    if (const Answer seen = lookAgain(); !seen.states.empty() || seen.shown != actual)
        broken("discarded, and still there");
    writeAgain();
}

/// The bundle as the run began with it.
void Simulation::writeAgain()
{
    if (linked())
        fs::remove(placeOf(m_bundle, m_linkedFile)); // the further name keeps its bytes
    writeTree(m_bundle, m_sample.tree);
    m_tree = m_sample.tree;
    m_other.reset();
}

} // namespace kernscope::simulator
