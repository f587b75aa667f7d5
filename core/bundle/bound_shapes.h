// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle_fwd.h"
#include "core/bundle/shapes/infer.h"

namespace kernscope {

/// A bundle whose program has the shapes that follow from those of its inputs.
struct BoundShapes {
    BundlePtr bundle;
    shapes::Summary summary;
};

/// Reads the tables of `bundle` again, over the same files, with open extents of its program filled
/// in: types of the program, geometry and FLOPs of every consumer, and so every assessment. What
/// is found on the way is among the diagnostics as well. Bundle::reread() of the result binds them
/// again; where they fit no more, an edit having changed the program, that is a diagnostic. Without
/// bindings the extents are open, as the file has them.
/// Errors: "cli.option" where the bundle holds no program or a binding does not fit it.
Result<BoundShapes> bindShapes(const Bundle &bundle,
                               const std::vector<shapes::ShapeBinding> &bindings);

} // namespace kernscope
