// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/codec/analysis/accuracy.h"
#include "core/patch/reencode/raise_opset.h"
#include "core/report/json.h"

/// What `encode` says of a weight's values and of a program that got a later operation set.
namespace kernscope::report {

/// Errors of the weight and of the products with it, both as estimated from its values.
Json accuracyJson(const codec::AccuracyError &error);
/// `{"before","after","changes":[{"operation","function","count","opset","change"}]}`
Json raisedJson(const RaisedBundle &raised);

} // namespace kernscope::report
