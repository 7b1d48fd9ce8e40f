// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// DnnApi on cuDNN 9.8 or later, which is opened when it is first needed. Only
// builds with CUDA have this file. It calls cuDNN's graph API directly, without
// NVIDIA's C++ headers for it. The objects of this API are descriptors with
// attributes.
#include "leat/runtime/cuda/cudnn_api.h"

#include <cudnn_backend.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "leat/core/status_macros.h"
#include "leat/runtime/cuda/dnn_api.h"
#include "leat/runtime/cuda/shared_library.h"

namespace leat {
namespace {

// Is cuDNN 9.8, the first version that has CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR.
constexpr size_t kMinVersion = 90800;

// The most plans that are tried for a form in each heuristic mode. cuDNN ranks
// about 30 plans. For floats, the first 15 to 30 of them round to TF32.
constexpr int64_t kMaxTries = 256;

// The functions of the library that are used.
struct CudnnFunctions {
  decltype(&cudnnGetVersion) version = nullptr;
  decltype(&cudnnCreate) create = nullptr;
  decltype(&cudnnDestroy) destroy = nullptr;
  decltype(&cudnnSetStream) set_stream = nullptr;
  decltype(&cudnnGetErrorString) name_of = nullptr;
  decltype(&cudnnGetLastErrorString) last_error = nullptr;
  decltype(&cudnnBackendCreateDescriptor) new_descriptor = nullptr;
  decltype(&cudnnBackendDestroyDescriptor) free_descriptor = nullptr;
  decltype(&cudnnBackendSetAttribute) set = nullptr;
  decltype(&cudnnBackendGetAttribute) get = nullptr;
  decltype(&cudnnBackendFinalize) finalize = nullptr;
  decltype(&cudnnBackendExecute) execute = nullptr;

  absl::Status FindIn(const SharedLibrary& library) {
    LEAT_RETURN_IF_ERROR(library.Find("cudnnGetVersion", version));
    LEAT_RETURN_IF_ERROR(library.Find("cudnnCreate", create));
    LEAT_RETURN_IF_ERROR(library.Find("cudnnDestroy", destroy));
    LEAT_RETURN_IF_ERROR(library.Find("cudnnSetStream", set_stream));
    LEAT_RETURN_IF_ERROR(library.Find("cudnnGetErrorString", name_of));
    LEAT_RETURN_IF_ERROR(library.Find("cudnnGetLastErrorString", last_error));
    LEAT_RETURN_IF_ERROR(
        library.Find("cudnnBackendCreateDescriptor", new_descriptor));
    LEAT_RETURN_IF_ERROR(
        library.Find("cudnnBackendDestroyDescriptor", free_descriptor));
    LEAT_RETURN_IF_ERROR(library.Find("cudnnBackendSetAttribute", set));
    LEAT_RETURN_IF_ERROR(library.Find("cudnnBackendGetAttribute", get));
    LEAT_RETURN_IF_ERROR(library.Find("cudnnBackendFinalize", finalize));
    return library.Find("cudnnBackendExecute", execute);
  }

  // Converts the result of a call to a status with cuDNN's words.
  absl::Status ToStatus(absl::string_view call, cudnnStatus_t result) const {
    if (result == CUDNN_STATUS_SUCCESS) return absl::OkStatus();
    char why[512] = {};
    last_error(why, sizeof why);
    const std::string text =
        absl::StrCat(call, ": ", name_of(result), " ", why);
    // CUDNN_STATUS_NOT_SUPPORTED and its kinds have the numbers 3000 to 3999.
    if (result / 1000 == CUDNN_STATUS_NOT_SUPPORTED / 1000) {
      return absl::UnimplementedError(text);
    }
    return absl::InternalError(text);
  }
};

// Returns "9.8.0" for 90800.
std::string VersionText(size_t version) {
  return absl::StrCat(version / 10000, ".", version / 100 % 100, ".",
                      version % 100);
}

// The type of an attribute whose values have the C++ type T.
template <class T>
constexpr cudnnBackendAttributeType_t kAttributeType = CUDNN_TYPE_INT64;
template <>
constexpr cudnnBackendAttributeType_t kAttributeType<bool> = CUDNN_TYPE_BOOLEAN;
template <>
constexpr cudnnBackendAttributeType_t kAttributeType<char> = CUDNN_TYPE_CHAR;
template <>
constexpr cudnnBackendAttributeType_t kAttributeType<int32_t> =
    CUDNN_TYPE_INT32;
template <>
constexpr cudnnBackendAttributeType_t kAttributeType<float> = CUDNN_TYPE_FLOAT;
template <>
constexpr cudnnBackendAttributeType_t kAttributeType<double> =
    CUDNN_TYPE_DOUBLE;
template <>
constexpr cudnnBackendAttributeType_t kAttributeType<cudnnDataType_t> =
    CUDNN_TYPE_DATA_TYPE;
template <>
constexpr cudnnBackendAttributeType_t kAttributeType<cudnnConvolutionMode_t> =
    CUDNN_TYPE_CONVOLUTION_MODE;
template <>
constexpr cudnnBackendAttributeType_t kAttributeType<cudnnBackendHeurMode_t> =
    CUDNN_TYPE_HEUR_MODE;
template <>
constexpr cudnnBackendAttributeType_t
    kAttributeType<cudnnBackendNumericalNote_t> = CUDNN_TYPE_NUMERICAL_NOTE;
// Descriptors and other pointers are both void*, so these two types have no
// kAttributeType.
constexpr cudnnBackendAttributeType_t kPointer = CUDNN_TYPE_VOID_PTR;
constexpr cudnnBackendAttributeType_t kDescriptor =
    CUDNN_TYPE_BACKEND_DESCRIPTOR;

// Owns a descriptor. Remembers the first error of its calls. Thread-compatible.
class Descriptor {
 public:
  Descriptor(const CudnnFunctions& lib, cudnnBackendDescriptorType_t type)
      : lib_(&lib) {
    status_ = lib.ToStatus("cudnnBackendCreateDescriptor",
                           lib.new_descriptor(type, &raw_));
  }
  Descriptor(Descriptor&& other) noexcept
      : lib_(other.lib_),
        raw_(std::exchange(other.raw_, nullptr)),
        status_(other.status_) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(lib_, other.lib_);
    std::swap(raw_, other.raw_);
    std::swap(status_, other.status_);
    return *this;
  }
  ~Descriptor() {
    if (raw_ != nullptr) lib_->free_descriptor(raw_);
  }

  template <class T>
  void Set(cudnnBackendAttributeName_t name, absl::Span<const T> values) {
    SetValues(name, kAttributeType<T>, static_cast<int64_t>(values.size()),
              values.data());
  }
  template <class T>
  void Set(cudnnBackendAttributeName_t name, const T& value) {
    Set(name, absl::MakeConstSpan(&value, 1));
  }
  void Set(cudnnBackendAttributeName_t name, const Descriptor& value) {
    SetValues(name, kDescriptor, 1, &value.raw_);
  }
  void SetPointers(cudnnBackendAttributeName_t name,
                   absl::Span<void* const> values) {
    SetValues(name, kPointer, static_cast<int64_t>(values.size()),
              values.data());
  }

  // Must be called when all attributes are set. Returns the first error.
  absl::Status Finalize() {
    if (!status_.ok()) return status_;
    return status_ =
               lib_->ToStatus("cudnnBackendFinalize", lib_->finalize(raw_));
  }

  // Gets up to `size` values of an attribute, and how many there are.
  absl::StatusOr<int64_t> Get(cudnnBackendAttributeName_t name,
                              cudnnBackendAttributeType_t type, int64_t size,
                              void* values) const {
    int64_t count = 0;
    LEAT_RETURN_IF_ERROR(
        lib_->ToStatus("cudnnBackendGetAttribute",
                       lib_->get(raw_, name, type, size, &count, values)));
    return count;
  }

  cudnnBackendDescriptor_t raw() const { return raw_; }

 private:
  void SetValues(cudnnBackendAttributeName_t name,
                 cudnnBackendAttributeType_t type, int64_t count,
                 const void* values) {
    if (!status_.ok()) return;
    status_ = lib_->ToStatus("cudnnBackendSetAttribute",
                             lib_->set(raw_, name, type, count, values));
  }

  const CudnnFunctions* lib_;
  cudnnBackendDescriptor_t raw_ = nullptr;
  absl::Status status_;
};

absl::StatusOr<cudnnDataType_t> ToCudnn(DType type) {
  switch (type) {
    case DType::kHalf:
      return CUDNN_DATA_HALF;
    case DType::kBfloat16:
      return CUDNN_DATA_BFLOAT16;
    case DType::kFloat:
      return CUDNN_DATA_FLOAT;
    case DType::kDouble:
      return CUDNN_DATA_DOUBLE;
    default:
      return absl::UnimplementedError(
          absl::StrCat("cuDNN has no convolutions of ", Name(type)));
  }
}

// The extents of a tensor in cuDNN's order: batch or output channels, channels,
// height, width.
using Extents = std::array<int64_t, 4>;

Extents ExtentsOf(const ConvolutionShape& s, ConvolutionTensor tensor) {
  switch (tensor) {
    case ConvolutionTensor::kInput:
      return {s.batch, s.in_channels, s.in_height, s.in_width};
    case ConvolutionTensor::kFilter:
      return {s.out_channels, s.in_channels / s.groups, s.filter_height,
              s.filter_width};
    case ConvolutionTensor::kOutput:
      break;
  }
  return {s.batch, s.out_channels, s.out_height, s.out_width};
}

// Returns the number that names a tensor in cuDNN's graph.
int64_t UidOf(ConvolutionTensor tensor) {
  return static_cast<int64_t>(tensor) + 1;
}

// Describes convolutions to cuDNN.
class Describer {
 public:
  Describer(const CudnnFunctions& lib, const ConvolutionForm& form,
            cudnnDataType_t type)
      : lib_(lib), form_(form), type_(type) {}

  // Returns the graph that has the convolution as its only operation.
  absl::StatusOr<Descriptor> Graph() const {
    LEAT_ASSIGN_OR_RETURN(const Descriptor input,
                          DescribeTensor(ConvolutionTensor::kInput));
    LEAT_ASSIGN_OR_RETURN(const Descriptor filter,
                          DescribeTensor(ConvolutionTensor::kFilter));
    LEAT_ASSIGN_OR_RETURN(const Descriptor output,
                          DescribeTensor(ConvolutionTensor::kOutput));
    LEAT_ASSIGN_OR_RETURN(const Descriptor window, Window());
    LEAT_ASSIGN_OR_RETURN(const Descriptor operation,
                          Operation(input, filter, output, window));
    Descriptor graph(lib_, CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
    graph.Set(CUDNN_ATTR_OPERATIONGRAPH_OPS, operation);
    LEAT_RETURN_IF_ERROR(graph.Finalize());
    return graph;
  }

 private:
  bool is_double() const { return type_ == CUDNN_DATA_DOUBLE; }

  absl::StatusOr<Descriptor> DescribeTensor(ConvolutionTensor tensor) const {
    const Extents e = ExtentsOf(form_.shape, tensor);
    const Extents strides =
        form_.shape.channels_first
            ? Extents{e[1] * e[2] * e[3], e[2] * e[3], e[3], 1}
            : Extents{e[1] * e[2] * e[3], 1, e[3] * e[1], e[1]};
    Descriptor to(lib_, CUDNN_BACKEND_TENSOR_DESCRIPTOR);
    to.Set(CUDNN_ATTR_TENSOR_UNIQUE_ID, UidOf(tensor));
    to.Set(CUDNN_ATTR_TENSOR_DATA_TYPE, type_);
    to.Set<int64_t>(CUDNN_ATTR_TENSOR_DIMENSIONS, e);
    to.Set<int64_t>(CUDNN_ATTR_TENSOR_STRIDES, strides);
    to.Set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, ConvolutionLibrary::kAlignment);
    LEAT_RETURN_IF_ERROR(to.Finalize());
    return to;
  }

  absl::StatusOr<Descriptor> Window() const {
    using Pair = std::array<int64_t, 2>;
    const ConvolutionShape& s = form_.shape;
    Descriptor to(lib_, CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
    to.Set(CUDNN_ATTR_CONVOLUTION_COMP_TYPE,
           is_double() ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT);
    to.Set(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_CROSS_CORRELATION);
    to.Set(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, int64_t{2});
    to.Set<int64_t>(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS,
                    Pair{s.pad_top, s.pad_left});
    to.Set<int64_t>(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS,
                    Pair{s.pad_bottom, s.pad_right});
    to.Set<int64_t>(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES,
                    Pair{s.stride_height, s.stride_width});
    to.Set<int64_t>(CUDNN_ATTR_CONVOLUTION_DILATIONS,
                    Pair{s.dilation_height, s.dilation_width});
    LEAT_RETURN_IF_ERROR(to.Finalize());
    return to;
  }

  // The names of the attributes of an operation.
  struct Names {
    cudnnBackendDescriptorType_t type;
    cudnnBackendAttributeName_t input, filter, output, window, alpha, beta;
  };
  Names OperationNames() const {
    switch (form_.result) {
      case ConvolutionTensor::kInput:
        return {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
                CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX,
                CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
                CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY,
                CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
                CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
                CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA};
      case ConvolutionTensor::kFilter:
        return {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
                CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
                CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
                CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY,
                CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
                CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA,
                CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA};
      case ConvolutionTensor::kOutput:
        break;
    }
    return {CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y,
            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA};
  }

  absl::StatusOr<Descriptor> Operation(const Descriptor& input,
                                       const Descriptor& filter,
                                       const Descriptor& output,
                                       const Descriptor& window) const {
    const Names names = OperationNames();
    Descriptor to(lib_, names.type);
    to.Set(names.input, input);
    to.Set(names.filter, filter);
    to.Set(names.output, output);
    to.Set(names.window, window);
    if (is_double()) {
      to.Set(names.alpha, 1.0);
      to.Set(names.beta, 0.0);
    } else {
      to.Set(names.alpha, 1.0f);
      to.Set(names.beta, 0.0f);
    }
    LEAT_RETURN_IF_ERROR(to.Finalize());
    return to;
  }

  const CudnnFunctions& lib_;
  const ConvolutionForm& form_;
  const cudnnDataType_t type_;
};

// Says which numbers an engine rounds to fewer bits than a float has.
struct Rounding {
  bool of_factors = false;
  bool of_sums = false;

  bool is_exact() const { return !of_factors && !of_sums; }
};

// Says what is known of a plan.
struct Traits {
  int64_t workspace_bytes = 0;
  Rounding rounding = {};
  bool is_recommended = true;
};

class CudnnPlan final : public DnnPlan {
 public:
  CudnnPlan(const CudnnFunctions& lib, cudnnHandle_t handle, Descriptor plan,
            const Traits& traits)
      : lib_(lib), handle_(handle), plan_(std::move(plan)), traits_(traits) {}

  int64_t workspace_bytes() const override { return traits_.workspace_bytes; }
  bool is_exact() const override { return traits_.rounding.is_exact(); }
  bool rounds_sums() const override { return traits_.rounding.of_sums; }
  bool is_recommended() const override { return traits_.is_recommended; }

  absl::Status Run(CudaStream stream, const ConvolutionOperands& operands,
                   char* workspace) override {
    if (handle_ == nullptr) {
      return absl::FailedPreconditionError("the plan is for another machine");
    }
    const std::array<int64_t, 3> uids = {UidOf(ConvolutionTensor::kInput),
                                         UidOf(ConvolutionTensor::kFilter),
                                         UidOf(ConvolutionTensor::kOutput)};
    const std::array<void*, 3> data = {operands.input, operands.filter,
                                       operands.output};
    Descriptor pack(lib_, CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
    pack.Set<int64_t>(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, uids);
    pack.SetPointers(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, data);
    void* const scratch = workspace;
    pack.SetPointers(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, {&scratch, 1});
    absl::Status status = pack.Finalize();
    if (status.ok()) {
      status =
          lib_.ToStatus("cudnnSetStream", lib_.set_stream(handle_, stream));
    }
    if (status.ok()) {
      status = lib_.ToStatus("cudnnBackendExecute",
                             lib_.execute(handle_, plan_.raw(), pack.raw()));
    }
    // The plan was found to work, so the error must not be UNIMPLEMENTED.
    // Otherwise the caller would compute the convolution again in another way.
    return status.ok() ? status : absl::InternalError(status.message());
  }

 private:
  const CudnnFunctions& lib_;
  const cudnnHandle_t handle_;
  Descriptor plan_;
  const Traits traits_;
};

class Cudnn final : public DnnApi {
 public:
  ~Cudnn() override {
    if (handle_ != nullptr) lib_.destroy(handle_);
  }

  absl::Status Open() {
    LEAT_ASSIGN_OR_RETURN(
        const SharedLibrary library,
        SharedLibrary::Open(absl::StrCat("libcudnn.so.", CUDNN_MAJOR),
                            LibrarySearch::OfProcess()));
    LEAT_RETURN_IF_ERROR(lib_.FindIn(library));
    const size_t version = lib_.version();
    if (version >= kMinVersion) return absl::OkStatus();
    return absl::FailedPreconditionError(absl::StrCat(
        library.path(), " is cuDNN ", VersionText(version), ", but cuDNN ",
        VersionText(kMinVersion), " or later is needed"));
  }

  absl::Status UseGpu(int ordinal) {
    LEAT_RETURN_IF_ERROR(
        Usable(lib_.ToStatus("cudnnCreate", lib_.create(&handle_))));
    gpu_ =
        std::make_unique<Descriptor>(lib_, CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR);
    gpu_->Set(CUDNN_ATTR_DEVICEPROP_DEVICE_ID, static_cast<int32_t>(ordinal));
    return Usable(gpu_->Finalize());
  }

  absl::Status UseProperties(absl::string_view properties) {
    gpu_ =
        std::make_unique<Descriptor>(lib_, CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR);
    gpu_->Set<char>(CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION, properties);
    return Usable(gpu_->Finalize());
  }

  absl::StatusOr<std::unique_ptr<DnnPlan>> NewPlan(
      const ConvolutionForm& form, const DnnLimits& limits) override {
    LEAT_ASSIGN_OR_RETURN(const cudnnDataType_t type, ToCudnn(form.type));
    LEAT_ASSIGN_OR_RETURN(const Descriptor graph,
                          Describer(lib_, form, type).Graph());
    // Is the reason why there is no plan: the first error that is not
    // UNIMPLEMENTED, or else the last UNIMPLEMENTED. An error that is not
    // UNIMPLEMENTED may be temporary, so it must reach the caller.
    absl::Status why = absl::UnimplementedError("none is recommended");
    for (const auto mode : {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_FALLBACK}) {
      LEAT_ASSIGN_OR_RETURN(std::vector<Descriptor> configs,
                            Recommended(graph, mode));
      for (const Descriptor& config : configs) {
        absl::StatusOr<std::unique_ptr<DnnPlan>> plan =
            PlanWith(config, form.type, limits, mode);
        if (plan.ok()) return plan;
        if (absl::IsUnimplemented(why)) why = plan.status();
      }
    }
    return absl::Status(why.code(),
                        absl::StrCat("cuDNN has no plan for this convolution: ",
                                     why.message()));
  }

 private:
  static absl::Status Usable(const absl::Status& status) {
    if (status.ok()) return status;
    return absl::FailedPreconditionError(
        absl::StrCat("cuDNN cannot be used: ", status.message()));
  }

  // Returns the configurations of engines that cuDNN recommends, best first.
  absl::StatusOr<std::vector<Descriptor>> Recommended(
      const Descriptor& graph, cudnnBackendHeurMode_t mode) const {
    Descriptor heuristics(lib_, CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
    heuristics.Set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph);
    heuristics.Set(CUDNN_ATTR_ENGINEHEUR_MODE, mode);
    heuristics.Set(CUDNN_ATTR_ENGINEHEUR_DEVICEPROP, *gpu_);
    std::vector<Descriptor> configs;
    // Some forms have no recommendation in one of the modes.
    if (!heuristics.Finalize().ok()) return configs;
    LEAT_ASSIGN_OR_RETURN(
        const int64_t ranked,
        heuristics.Get(CUDNN_ATTR_ENGINEHEUR_RESULTS, kDescriptor, 0, nullptr));
    std::vector<cudnnBackendDescriptor_t> raw;
    for (int64_t i = 0; i < std::min(ranked, kMaxTries); ++i) {
      configs.emplace_back(lib_, CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
      raw.push_back(configs.back().raw());
    }
    LEAT_ASSIGN_OR_RETURN(
        const int64_t count,
        heuristics.Get(CUDNN_ATTR_ENGINEHEUR_RESULTS, kDescriptor,
                       static_cast<int64_t>(raw.size()), raw.data()));
    while (static_cast<int64_t>(configs.size()) > count) configs.pop_back();
    return configs;
  }

  absl::StatusOr<std::unique_ptr<DnnPlan>> PlanWith(
      const Descriptor& config, DType type, const DnnLimits& limits,
      cudnnBackendHeurMode_t mode) {
    LEAT_ASSIGN_OR_RETURN(const Rounding rounding, RoundingOf(config));
    const bool must_be_exact = type == DType::kFloat && !limits.allow_tf32;
    if (must_be_exact && !rounding.is_exact()) {
      return absl::UnimplementedError("an engine rounds floats");
    }
    if (SizeOf(type) == 2 && rounding.of_sums) {
      return absl::UnimplementedError("an engine rounds sums");
    }
    Descriptor plan(lib_, CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
    plan.Set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, config);
    plan.Set(CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP, *gpu_);
    LEAT_RETURN_IF_ERROR(plan.Finalize());
    int64_t workspace = 0;
    LEAT_RETURN_IF_ERROR(plan.Get(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE,
                                  CUDNN_TYPE_INT64, 1, &workspace)
                             .status());
    if (workspace > limits.workspace_bytes) {
      return absl::UnimplementedError(
          absl::StrCat("a plan wants a workspace of ", workspace, " bytes"));
    }
    return std::make_unique<CudnnPlan>(
        lib_, handle_, std::move(plan),
        Traits{workspace, rounding, mode != CUDNN_HEUR_MODE_FALLBACK});
  }

  absl::StatusOr<Rounding> RoundingOf(const Descriptor& config) const {
    Descriptor engine(lib_, CUDNN_BACKEND_ENGINE_DESCRIPTOR);
    cudnnBackendDescriptor_t raw = engine.raw();
    LEAT_RETURN_IF_ERROR(
        config.Get(CUDNN_ATTR_ENGINECFG_ENGINE, kDescriptor, 1, &raw).status());
    cudnnBackendNumericalNote_t notes[CUDNN_NUMERICAL_NOTE_TYPE_COUNT];
    LEAT_ASSIGN_OR_RETURN(
        const int64_t count,
        engine.Get(CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_TYPE_NUMERICAL_NOTE,
                   CUDNN_NUMERICAL_NOTE_TYPE_COUNT, notes));
    const auto has = [&](cudnnBackendNumericalNote_t note) {
      return std::find(notes, notes + count, note) != notes + count;
    };
    return Rounding{
        .of_factors = has(CUDNN_NUMERICAL_NOTE_TENSOR_CORE) ||
                      has(CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS),
        .of_sums = has(CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION)};
  }

  CudnnFunctions lib_;
  cudnnHandle_t handle_ = nullptr;
  std::unique_ptr<Descriptor> gpu_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<DnnApi>> NewCudnn(int ordinal) {
  auto library = std::make_unique<Cudnn>();
  LEAT_RETURN_IF_ERROR(library->Open());
  LEAT_RETURN_IF_ERROR(library->UseGpu(ordinal));
  return library;
}

absl::StatusOr<std::unique_ptr<DnnApi>> NewCudnnPlanner(
    absl::string_view properties) {
  auto library = std::make_unique<Cudnn>();
  LEAT_RETURN_IF_ERROR(library->Open());
  LEAT_RETURN_IF_ERROR(library->UseProperties(properties));
  return library;
}

}  // namespace leat
