// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/reader/mil/form_operations.h"

#include "core/base/find.h"

namespace kernscope {

namespace {

template <auto Read>
Result<ReadValue> byMember(FormReader &reader, const mil::Operation &operation,
                           codec::PartRole role)
{
    return (reader.*Read)(operation, role);
}

constexpr std::array kOperations{
    FormOperation{"constexpr_affine_dequantize", byMember<&FormReader::affine>},
    FormOperation{"constexpr_blockwise_shift_scale", byMember<&FormReader::blockwise>},
    FormOperation{"constexpr_lut_to_dense", byMember<&FormReader::lutToDense>},
    FormOperation{"constexpr_sparse_to_dense", byMember<&FormReader::sparse>},
    FormOperation{"constexpr_lut_to_sparse", byMember<&FormReader::lutToSparse>},
    FormOperation{"constexpr_sparse_blockwise_shift_scale", byMember<&FormReader::sparseBlockwise>},
    FormOperation{"constexpr_cast", byMember<&FormReader::cast>},
};

} // namespace

const FormOperation *formOperation(std::string_view type)
{
    return findBy(kOperations, &FormOperation::type, type);
}

} // namespace kernscope
