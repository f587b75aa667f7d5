// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>

/// For headers that only pass these on.
namespace kernscope {

class OverlaidFile;
namespace codec {
class Decoder;
}

class Bundle;
class BundleReadLock;
struct BundleFile;
struct OpenOptions;
struct Section;
struct Totals;
struct Weight;
struct Consumer;
struct ConsumerGeometry;
enum class BundleKind : std::uint8_t;
enum class SectionKind : std::uint8_t;

using BundlePtr = std::shared_ptr<const Bundle>;

} // namespace kernscope
