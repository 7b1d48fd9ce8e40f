// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// BlasApi on cuBLASLt, which is opened when it is first needed. Only builds
// with CUDA have this file.
#include "leat/runtime/cuda/cublaslt_api.h"

#include <cublasLt.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/runtime/cuda/blas_api.h"
#include "leat/runtime/cuda/shared_library.h"

namespace leat {
namespace {

// The size that NVIDIA recommends for GPUs of compute capability 9.0.
constexpr size_t kWorkspaceBytes = size_t{32} << 20;

// Returns the name of the library, in the version with which this file is
// compiled.
std::string LibraryName() {
  return absl::StrCat("libcublasLt.so.", CUBLAS_VER_MAJOR);
}

// The functions of the library that are used.
struct CublasLtFunctions {
  decltype(&cublasLtCreate) create = nullptr;
  decltype(&cublasLtDestroy) destroy = nullptr;
  decltype(&cublasLtGetStatusName) name_of = nullptr;
  decltype(&cublasLtMatmul) matmul = nullptr;
  decltype(&cublasLtMatmulAlgoGetHeuristic) choose = nullptr;
  decltype(&cublasLtMatmulDescInit_internal) init_product = nullptr;
  decltype(&cublasLtMatmulDescSetAttribute) set_product = nullptr;
  decltype(&cublasLtMatrixLayoutInit_internal) init_layout = nullptr;
  decltype(&cublasLtMatrixLayoutSetAttribute) set_layout = nullptr;
  decltype(&cublasLtMatmulPreferenceInit_internal) init_limits = nullptr;
  decltype(&cublasLtMatmulPreferenceSetAttribute) set_limits = nullptr;

  absl::Status FindIn(const SharedLibrary& library) {
    LEAT_RETURN_IF_ERROR(library.Find("cublasLtCreate", create));
    LEAT_RETURN_IF_ERROR(library.Find("cublasLtDestroy", destroy));
    LEAT_RETURN_IF_ERROR(library.Find("cublasLtGetStatusName", name_of));
    LEAT_RETURN_IF_ERROR(library.Find("cublasLtMatmul", matmul));
    LEAT_RETURN_IF_ERROR(
        library.Find("cublasLtMatmulAlgoGetHeuristic", choose));
    LEAT_RETURN_IF_ERROR(
        library.Find("cublasLtMatmulDescInit_internal", init_product));
    LEAT_RETURN_IF_ERROR(
        library.Find("cublasLtMatmulDescSetAttribute", set_product));
    LEAT_RETURN_IF_ERROR(
        library.Find("cublasLtMatrixLayoutInit_internal", init_layout));
    LEAT_RETURN_IF_ERROR(
        library.Find("cublasLtMatrixLayoutSetAttribute", set_layout));
    LEAT_RETURN_IF_ERROR(
        library.Find("cublasLtMatmulPreferenceInit_internal", init_limits));
    return library.Find("cublasLtMatmulPreferenceSetAttribute", set_limits);
  }

  // Converts the result of a call to a status.
  absl::Status ToStatus(absl::string_view call, cublasStatus_t result) const {
    if (result == CUBLAS_STATUS_SUCCESS) return absl::OkStatus();
    const std::string text = absl::StrCat(call, ": ", name_of(result));
    switch (result) {
      case CUBLAS_STATUS_NOT_SUPPORTED:
      case CUBLAS_STATUS_INVALID_VALUE:
      case CUBLAS_STATUS_ARCH_MISMATCH:
        return absl::UnimplementedError(text);
      case CUBLAS_STATUS_ALLOC_FAILED:
        return absl::ResourceExhaustedError(text);
      default:
        return absl::InternalError(text);
    }
  }
};

// The types of a product's elements, of its sums, and of its arithmetic.
struct Types {
  cudaDataType_t element = CUDA_R_32F;
  cudaDataType_t sum = CUDA_R_32F;
  cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
};

absl::StatusOr<Types> TypesOf(DType type, bool allow_tf32) {
  switch (type) {
    case DType::kHalf:
      return Types{CUDA_R_16F, CUDA_R_32F, CUBLAS_COMPUTE_32F};
    case DType::kBfloat16:
      return Types{CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F};
    case DType::kFloat:
      return Types{
          CUDA_R_32F, CUDA_R_32F,
          allow_tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F};
    case DType::kDouble:
      return Types{CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F};
    default:
      return absl::UnimplementedError(
          absl::StrCat("cuBLASLt has no products of ", Name(type)));
  }
}

cublasLtEpilogue_t ToCublas(ProductEpilogue epilogue) {
  switch (epilogue) {
    case ProductEpilogue::kNone:
      return CUBLASLT_EPILOGUE_DEFAULT;
    case ProductEpilogue::kBias:
      return CUBLASLT_EPILOGUE_BIAS;
    case ProductEpilogue::kBiasRelu:
      return CUBLASLT_EPILOGUE_RELU_BIAS;
    case ProductEpilogue::kBiasGelu:
      return CUBLASLT_EPILOGUE_GELU_BIAS;
  }
  return CUBLASLT_EPILOGUE_DEFAULT;
}

// The library's descriptions of the products. The library takes pointers to
// them. The manual of the library allows copying the descriptions.
struct Descriptions {
  cublasLtMatmulDescOpaque_t product = {};
  cublasLtMatrixLayoutOpaque_t a = {};
  cublasLtMatrixLayoutOpaque_t b = {};
  cublasLtMatrixLayoutOpaque_t d = {};
};

class CublasLtPlan final : public BlasPlan {
 public:
  CublasLtPlan(const CublasLtFunctions& lib, cublasLtHandle_t handle)
      : lib_(lib), handle_(handle) {}

  // Fills the descriptions of the products and chooses the algorithm.
  absl::Status Choose(const ProductForm& form, const BlasLimits& limits) {
    LEAT_ASSIGN_OR_RETURN(const Types types,
                          TypesOf(form.type, limits.allow_tf32));
    is_double_ = form.type == DType::kDouble;
    has_bias_ = form.epilogue != ProductEpilogue::kNone;
    LEAT_RETURN_IF_ERROR(Describe(form, types, limits));
    LEAT_RETURN_IF_ERROR(DescribeMatrix(described_.a, types, form.a, form.m,
                                        form.k, form.num_products));
    LEAT_RETURN_IF_ERROR(DescribeMatrix(described_.b, types, form.b, form.k,
                                        form.n, form.num_products));
    LEAT_RETURN_IF_ERROR(DescribeMatrix(described_.d, types, form.d, form.m,
                                        form.n, form.num_products));
    return ChooseAlgorithm(limits);
  }

  absl::Status Run(CudaStream stream, const ProductOperands& operands,
                   char* workspace) const override {
    Descriptions to = described_;
    if (has_bias_) {
      LEAT_RETURN_IF_ERROR(
          SetBias(to.product, reinterpret_cast<uintptr_t>(operands.bias)));
    }
    const float one_float = 1;
    const double one_double = 1;
    const void* const one = is_double_ ? static_cast<const void*>(&one_double)
                                       : static_cast<const void*>(&one_float);
    const double zero = 0;  // also reads as a float 0
    const absl::Status status = lib_.ToStatus(
        "cublasLtMatmul",
        lib_.matmul(handle_, &to.product, one, operands.a, &to.a, operands.b,
                    &to.b, &zero, operands.d, &to.d, operands.d, &to.d,
                    &algorithm_, workspace, workspace_bytes_, stream));
    // The plan was found to work, so the error must not be UNIMPLEMENTED.
    // Otherwise the caller would compute the products again in another way.
    return status.ok() ? status : absl::InternalError(status.message());
  }

 private:
  // Each overload of Set sets one attribute of one kind of description: of a
  // product, of a matrix, or of the limits for choosing an algorithm.
  template <class T>
  absl::Status Set(cublasLtMatmulDescOpaque_t& product,
                   cublasLtMatmulDescAttributes_t name, const T& value) const {
    return lib_.ToStatus(
        "cublasLtMatmulDescSetAttribute",
        lib_.set_product(&product, name, &value, sizeof(value)));
  }
  template <class T>
  absl::Status Set(cublasLtMatrixLayoutOpaque_t& layout,
                   cublasLtMatrixLayoutAttribute_t name, const T& value) const {
    return lib_.ToStatus("cublasLtMatrixLayoutSetAttribute",
                         lib_.set_layout(&layout, name, &value, sizeof(value)));
  }
  template <class T>
  absl::Status Set(cublasLtMatmulPreferenceOpaque_t& limits,
                   cublasLtMatmulPreferenceAttributes_t name,
                   const T& value) const {
    return lib_.ToStatus("cublasLtMatmulPreferenceSetAttribute",
                         lib_.set_limits(&limits, name, &value, sizeof(value)));
  }
  absl::Status SetBias(cublasLtMatmulDescOpaque_t& product,
                       uintptr_t address) const {
    return Set(product, CUBLASLT_MATMUL_DESC_BIAS_POINTER, address);
  }

  absl::Status Describe(const ProductForm& form, const Types& types,
                        const BlasLimits& limits) {
    LEAT_RETURN_IF_ERROR(lib_.ToStatus(
        "cublasLtMatmulDescInit",
        lib_.init_product(&described_.product, sizeof described_.product,
                          types.compute, types.sum)));
    const auto operation = [](bool is_transposed) {
      return static_cast<int32_t>(is_transposed ? CUBLAS_OP_T : CUBLAS_OP_N);
    };
    LEAT_RETURN_IF_ERROR(Set(described_.product, CUBLASLT_MATMUL_DESC_TRANSA,
                             operation(form.a.is_transposed)));
    LEAT_RETURN_IF_ERROR(Set(described_.product, CUBLASLT_MATMUL_DESC_TRANSB,
                             operation(form.b.is_transposed)));
    LEAT_RETURN_IF_ERROR(Set(described_.product, CUBLASLT_MATMUL_DESC_EPILOGUE,
                             static_cast<uint32_t>(ToCublas(form.epilogue))));
    // The heuristic derives the alignment of the bias from this address.
    return has_bias_ ? SetBias(described_.product, limits.alignment)
                     : absl::OkStatus();
  }

  // Describes a matrix of `count` products. `rows` and `columns` are its
  // extents after the transposition, if there is one.
  absl::Status DescribeMatrix(cublasLtMatrixLayoutOpaque_t& to,
                              const Types& types, const MatrixLayout& layout,
                              int64_t rows, int64_t columns, int64_t count) {
    if (layout.is_transposed) std::swap(rows, columns);
    LEAT_RETURN_IF_ERROR(lib_.ToStatus(
        "cublasLtMatrixLayoutInit",
        lib_.init_layout(&to, sizeof to, types.element,
                         static_cast<uint64_t>(rows),
                         static_cast<uint64_t>(columns), layout.leading)));
    if (count == 1) return absl::OkStatus();
    if (count > INT32_MAX) {
      return absl::UnimplementedError(
          absl::StrCat("cuBLASLt has no batches of ", count, " products"));
    }
    LEAT_RETURN_IF_ERROR(Set(to, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT,
                             static_cast<int32_t>(count)));
    return Set(to, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, layout.stride);
  }

  absl::Status ChooseAlgorithm(const BlasLimits& limits) {
    cublasLtMatmulPreferenceOpaque_t preference;
    LEAT_RETURN_IF_ERROR(
        lib_.ToStatus("cublasLtMatmulPreferenceInit",
                      lib_.init_limits(&preference, sizeof preference)));
    LEAT_RETURN_IF_ERROR(Set(preference,
                             CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                             uint64_t{limits.workspace_bytes}));
    // Partial sums must not be rounded to 16 bits.
    LEAT_RETURN_IF_ERROR(
        Set(preference, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
            static_cast<uint32_t>(CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE)));
    for (const auto attribute : {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES,
                                 CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
                                 CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES,
                                 CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES}) {
      LEAT_RETURN_IF_ERROR(
          Set(preference, attribute, static_cast<uint32_t>(limits.alignment)));
    }
    cublasLtMatmulHeuristicResult_t chosen = {};
    int count = 0;
    LEAT_RETURN_IF_ERROR(
        lib_.ToStatus("cublasLtMatmulAlgoGetHeuristic",
                      lib_.choose(handle_, &described_.product, &described_.a,
                                  &described_.b, &described_.d, &described_.d,
                                  &preference, 1, &chosen, &count)));
    if (count == 0) {
      return absl::UnimplementedError("cuBLASLt has no algorithm");
    }
    algorithm_ = chosen.algo;
    workspace_bytes_ = chosen.workspaceSize;
    return lib_.ToStatus("cublasLtMatmulAlgoGetHeuristic", chosen.state);
  }

  const CublasLtFunctions& lib_;
  const cublasLtHandle_t handle_;
  Descriptions described_;
  cublasLtMatmulAlgo_t algorithm_ = {};
  size_t workspace_bytes_ = 0;
  bool is_double_ = false;
  bool has_bias_ = false;
};

class CublasLt final : public BlasApi {
 public:
  ~CublasLt() override {
    if (handle_ != nullptr) lib_.destroy(handle_);
  }

  absl::Status Start() {
    LEAT_ASSIGN_OR_RETURN(
        const SharedLibrary library,
        SharedLibrary::Open(LibraryName(), LibrarySearch::OfProcess()));
    LEAT_RETURN_IF_ERROR(lib_.FindIn(library));
    const absl::Status status =
        lib_.ToStatus("cublasLtCreate", lib_.create(&handle_));
    if (status.ok()) return status;
    return absl::FailedPreconditionError(
        absl::StrCat(library.path(), " cannot be used: ", status.message()));
  }

  size_t preferred_workspace() const override { return kWorkspaceBytes; }

  absl::StatusOr<std::unique_ptr<BlasPlan>> NewPlan(
      const ProductForm& form, const BlasLimits& limits) override {
    auto plan = std::make_unique<CublasLtPlan>(lib_, handle_);
    LEAT_RETURN_IF_ERROR(plan->Choose(form, limits));
    return plan;
  }

 private:
  CublasLtFunctions lib_;
  cublasLtHandle_t handle_ = nullptr;
};

}  // namespace

absl::StatusOr<std::unique_ptr<BlasApi>> NewCublasLt() {
  auto library = std::make_unique<CublasLt>();
  LEAT_RETURN_IF_ERROR(library->Start());
  return library;
}

}  // namespace leat
