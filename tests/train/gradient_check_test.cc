// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Every registered gradient against central differences, run on this machine's
// CPU in float64 (float32 where an op has no float64), once with shapes known
// when the graph is built and once with shapes that only the feeds tell.
#include <cmath>
#include <functional>
#include <set>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/graph/builder.h"
#include "leat/graph/ops.h"
#include "leat/runtime/local_session.h"

namespace leat {
namespace {

using Inputs = std::vector<Output>;

struct GradientCase {
  std::string op = {};  // whose gradient it checks
  std::vector<Shape> shapes = {};
  std::function<Output(GraphBuilder&, const Inputs&)> build = {};
  double low = -1.5;
  double high = 1.5;
  bool single = false;  // float32
  bool needs_static_shapes = false;
};

template <class T>
Output Vec(GraphBuilder& b, std::initializer_list<T> values) {
  return b.Const(Tensor::Vector<T>(values));
}
Output Ints(GraphBuilder& b, std::initializer_list<int32_t> values) {
  return Vec<int32_t>(b, values);
}

// Distinct values without ties, in a fixed order that looks random.
std::vector<double> Values(int64_t count, double low, double high, int salt) {
  std::vector<double> values(count);
  const int64_t modulus = 1009;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t x = (i * 377 + salt * 131 + 57) % modulus;
    values[i] = low + (high - low) * (x + 0.5) / modulus;
  }
  return values;
}

Tensor AsTensor(const Shape& shape, const std::vector<double>& values,
                bool single) {
  if (!single) return Tensor::FromSpan<double>(shape, values);
  const std::vector<float> narrow(values.begin(), values.end());
  return Tensor::FromSpan<float>(shape, narrow);
}

std::vector<double> AsDoubles(const Tensor& tensor) {
  std::vector<double> values;
  if (tensor.dtype() == DType::kFloat) {
    for (float v : tensor.data<float>()) values.push_back(v);
  } else if (tensor.dtype() == DType::kDouble) {
    for (double v : tensor.data<double>()) values.push_back(v);
  }
  return values;
}

std::vector<GradientCase> Cases();

class GradientCheck {
 public:
  GradientCheck(const GradientCase& c, bool known_shapes) : case_(c) {
    for (size_t i = 0; i < c.shapes.size(); ++i) {
      xs_.push_back(b_.Placeholder(
          c.single ? DType::kFloat : DType::kDouble, "x" + std::to_string(i),
          known_shapes ? PartialShape(c.shapes[i]) : PartialShape()));
      points_.push_back(Values(c.shapes[i].num_elements(), c.low, c.high,
                               static_cast<int>(i)));
    }
    const Output y = c.build(b_, xs_);
    // A weighted sum, so that no two elements of y count alike.
    const Output flat = op::Reshape(y, Ints(b_, {-1}));
    const Output positions =
        op::Cast(op::Range(0, op::Size(flat), 1), y.dtype());
    loss_ = op::Sum(flat * op::Sin(positions + 1.0), 0);
    const Output ys[] = {loss_};
    for (const Gradient& gradient : b_.Gradients(ys, xs_)) {
      gradients_.push_back(gradient.AsDense());
    }
  }

  void Run() {
    ASSERT_TRUE(b_.status().ok()) << b_.status();
    absl::StatusOr<Graph> graph = b_.Build();
    ASSERT_TRUE(graph.ok()) << graph.status();
    auto session = NewLocalSession(*graph);
    ASSERT_TRUE(session.ok()) << session.status();
    session_ = *session;
    std::vector<Tensor> analytic = Fetch(gradients_);
    ASSERT_EQ(analytic.size(), xs_.size());
    const double step = case_.single ? 1e-2 : 1e-5;
    const double tolerance = case_.single ? 2e-2 : 1e-6;
    for (size_t i = 0; i < xs_.size(); ++i) {
      EXPECT_EQ(analytic[i].shape(), case_.shapes[i]) << "input " << i;
      const std::vector<double> got = AsDoubles(analytic[i]);
      for (size_t k = 0; k < points_[i].size() && k < got.size(); ++k) {
        const double want = Difference(i, k, step);
        EXPECT_NEAR(got[k], want, tolerance * (1 + std::fabs(want)))
            << "input " << i << ", element " << k;
      }
    }
  }

 private:
  std::vector<Tensor> Fetch(const std::vector<Output>& outputs) {
    RunArgs args;
    for (size_t i = 0; i < xs_.size(); ++i) {
      args.feeds.push_back(
          {xs_[i], AsTensor(case_.shapes[i], points_[i], case_.single)});
    }
    for (const Output& output : outputs) args.fetches.push_back(output);
    absl::StatusOr<std::vector<Tensor>> result = session_->Run(args);
    EXPECT_TRUE(result.ok()) << result.status();
    return result.ok() ? *result : std::vector<Tensor>();
  }

  double Loss() {
    const std::vector<Tensor> loss = Fetch({loss_});
    return loss.empty() ? NAN : AsDoubles(loss[0])[0];
  }

  double Difference(size_t input, size_t element, double step) {
    double& x = points_[input][element];
    const double at = x;
    x = at + step;
    const double above = Loss();
    x = at - step;
    const double below = Loss();
    x = at;
    return (above - below) / (2 * step);
  }

  const GradientCase& case_;
  GraphBuilder b_;
  std::vector<Output> xs_;
  std::vector<std::vector<double>> points_;
  Output loss_;
  std::vector<Output> gradients_;
  std::shared_ptr<Session> session_;
};

using Unary = Output (*)(Operand, SourceLocation);
GradientCase Element(std::string op, Unary function, double low, double high) {
  return {.op = std::move(op),
          .shapes = {Shape{2, 3}},
          .build =
              [function](GraphBuilder&, const Inputs& x) {
                return function(x[0], SourceLocation{});
              },
          .low = low,
          .high = high};
}

// Once without and twice with broadcasting.
void AddBinary(std::vector<GradientCase>& cases, const std::string& op,
               std::function<Output(Output, Output)> function, double low,
               double high) {
  const std::vector<std::pair<Shape, Shape>> shapes = {
      {Shape{2, 3}, Shape{2, 3}},
      {Shape{2, 1, 3}, Shape{4, 1}},
      {Shape{}, Shape{2, 3}}};
  for (const auto& pair : shapes) {
    cases.push_back(
        {.op = op,
         .shapes = {pair.first, pair.second},
         .build = [function](GraphBuilder&,
                             const Inputs& x) { return function(x[0], x[1]); },
         .low = low,
         .high = high});
  }
}

void AddElementWise(std::vector<GradientCase>& cases) {
  const auto square = [](Operand x, SourceLocation l) {
    return op::Square(x, l);
  };
  cases.push_back(Element("Square", square, -2, 2));
  cases.push_back(Element("Neg", op::Neg, -2, 2));
  cases.push_back(Element("Sqrt", op::Sqrt, 0.5, 3));
  cases.push_back(Element("Rsqrt", op::Rsqrt, 0.5, 3));
  cases.push_back(Element("Exp", op::Exp, -2, 2));
  cases.push_back(Element("Log", op::Log, 0.5, 3));
  cases.push_back(Element("Log1p", op::Log1p, -0.5, 3));
  cases.push_back(Element("Abs", op::Abs, -2, 2));
  cases.push_back(Element("Sign", op::Sign, -2, 2));
  cases.push_back(Element("Reciprocal", op::Reciprocal, 0.5, 3));
  cases.push_back(Element("Sin", op::Sin, -2, 2));
  cases.push_back(Element("Cos", op::Cos, -2, 2));
  cases.push_back(Element("Sigmoid", op::Sigmoid, -2, 2));
  cases.push_back(Element("Tanh", op::Tanh, -2, 2));
  cases.push_back(Element("Relu", op::Relu, -2, 2));
  cases.push_back(Element("Relu6", op::Relu6, 4, 8));
  cases.push_back(Element("Elu", op::Elu, -2, 2));
  cases.push_back(Element("Softplus", op::Softplus, -2, 2));
  cases.push_back(Element("Softmax", op::Softmax, -2, 2));
  cases.push_back(Element("LogSoftmax", op::LogSoftmax, -2, 2));
  cases.push_back(Element("L2Loss", op::L2Loss, -2, 2));
  cases.push_back(Element("Identity", op::Identity, -2, 2));
  cases.push_back({.op = "LeakyRelu",
                   .shapes = {Shape{2, 3}},
                   .build = [](GraphBuilder&, const Inputs& x) {
                     return op::LeakyRelu(x[0], {.alpha = 0.3f});
                   }});
  cases.push_back({.op = "CheckNumerics",
                   .shapes = {Shape{2, 3}},
                   .build = [](GraphBuilder&, const Inputs& x) {
                     return op::CheckNumerics(x[0], "x");
                   }});
  cases.push_back({.op = "PlaceholderWithDefault",
                   .shapes = {Shape{2, 3}},
                   .build = [](GraphBuilder&, const Inputs& x) {
                     return op::PlaceholderWithDefault(x[0], PartialShape());
                   }});
  cases.push_back(
      {.op = "Cast",
       .shapes = {Shape{2, 3}},
       .build = [](GraphBuilder&,
                   const Inputs& x) { return op::Cast(x[0], DType::kDouble); },
       .single = true});
  cases.push_back({.op = "IdentityN",
                   .shapes = {Shape{2, 3}, Shape{3}},
                   .build = [](GraphBuilder&, const Inputs& x) {
                     const auto copies = op::IdentityN(x);
                     return copies[0] * copies[1];
                   }});
  cases.push_back({.op = "AddN",
                   .shapes = {Shape{2, 3}, Shape{2, 3}},
                   .build = [](GraphBuilder&, const Inputs& x) {
                     return op::Sin(op::AddN({{x[0], x[1], x[0]}}));
                   }});
}

void AddBinaryMath(std::vector<GradientCase>& cases) {
  const auto add = [&](const char* name,
                       Output (*f)(Operand, Operand, SourceLocation),
                       double low = -1.5, double high = 1.5) {
    AddBinary(
        cases, name,
        [f](Output x, Output y) { return f(x, y, SourceLocation{}); }, low,
        high);
  };
  add("Add", op::Add);
  add("AddV2", op::AddV2);
  add("Sub", op::Sub);
  add("Mul", op::Mul);
  add("Div", op::Div, 0.5, 2);
  add("RealDiv", op::RealDiv, 0.5, 2);
  add("DivNoNan", op::DivNoNan, 0.5, 2);
  add("FloorMod", op::FloorMod, 0.5, 2);
  add("Maximum", op::Maximum);
  add("Minimum", op::Minimum);
  add("SquaredDifference", op::SquaredDifference);
  add("Pow", op::Pow, 0.5, 2);
  AddBinary(
      cases, "SelectV2",
      [](Output x, Output y) {
        const Output condition =
            x.builder()->Const(Tensor::Vector<bool>({true, false, true}));
        return op::SelectV2(condition, op::Sin(x), op::Cos(y));
      },
      -1.5, 1.5);
  cases.push_back({.op = "Select",
                   .shapes = {Shape{2, 3}, Shape{2, 3}},
                   .build = [](GraphBuilder& b, const Inputs& x) {
                     return op::Select(Vec<bool>(b, {true, false}), x[0], x[1]);
                   }});
}

void AddReductions(std::vector<GradientCase>& cases) {
  using Reduce = std::function<Output(Output, Output, bool)>;
  const auto add = [&](const char* name, const Reduce& reduce) {
    const std::vector<std::vector<int32_t>> all_axes = {{0},    {1},       {-1},
                                                        {0, 2}, {0, 1, 2}, {}};
    for (const auto& axes : all_axes) {
      for (bool keep : {false, true}) {
        cases.push_back(
            {.op = name,
             .shapes = {Shape{2, 3, 4}},
             .build =
                 [reduce, axes, keep](GraphBuilder& b, const Inputs& x) {
                   const Shape shape{static_cast<int64_t>(axes.size())};
                   const Output list =
                       b.Const(Tensor::FromSpan<int32_t>(shape, axes));
                   return reduce(x[0], list, keep);
                 },
             .needs_static_shapes = std::string(name) == "Prod"});
      }
    }
  };
  add("Sum", [](Output x, Output axes, bool keep) {
    return op::Sum(x, axes, {.keep_dims = keep});
  });
  add("Mean", [](Output x, Output axes, bool keep) {
    return op::Mean(x, axes, {.keep_dims = keep});
  });
  add("Prod", [](Output x, Output axes, bool keep) {
    return op::Prod(x, axes, {.keep_dims = keep});
  });
  add("Max", [](Output x, Output axes, bool keep) {
    return op::Max(x, axes, {.keep_dims = keep});
  });
  add("Min", [](Output x, Output axes, bool keep) {
    return op::Min(x, axes, {.keep_dims = keep});
  });
  for (bool exclusive : {false, true}) {
    for (bool reverse : {false, true}) {
      cases.push_back(
          {.op = "Cumsum",
           .shapes = {Shape{2, 3}},
           .build = [exclusive, reverse](GraphBuilder&, const Inputs& x) {
             return op::Cumsum(x[0], 1,
                               {.exclusive = exclusive, .reverse = reverse});
           }});
      cases.push_back(
          {.op = "Cumprod",
           .shapes = {Shape{2, 3}},
           .build = [exclusive, reverse](GraphBuilder&, const Inputs& x) {
             return op::Cumprod(x[0], 1,
                                {.exclusive = exclusive, .reverse = reverse});
           }});
    }
  }
}

void AddMatrices(std::vector<GradientCase>& cases) {
  for (bool ta : {false, true}) {
    for (bool tb : {false, true}) {
      const Shape a = ta ? Shape{3, 2} : Shape{2, 3};
      const Shape b = tb ? Shape{4, 3} : Shape{3, 4};
      cases.push_back({.op = "MatMul",
                       .shapes = {a, b},
                       .build = [ta, tb](GraphBuilder&, const Inputs& x) {
                         return op::MatMul(
                             x[0], x[1],
                             {.transpose_a = ta, .transpose_b = tb});
                       }});
      const Shape batch_a = ta ? Shape{2, 1, 3, 2} : Shape{2, 1, 2, 3};
      const Shape batch_b = tb ? Shape{5, 4, 3} : Shape{5, 3, 4};
      cases.push_back({.op = "BatchMatMulV2",
                       .shapes = {batch_a, batch_b},
                       .build = [ta, tb](GraphBuilder&, const Inputs& x) {
                         return op::BatchMatMulV2(x[0], x[1],
                                                  {.adj_x = ta, .adj_y = tb});
                       }});
    }
  }
  cases.push_back({.op = "BiasAdd",
                   .shapes = {Shape{2, 3}, Shape{3}},
                   .build = [](GraphBuilder&, const Inputs& x) {
                     return op::BiasAdd(x[0], x[1]);
                   }});
  cases.push_back(
      {.op = "SoftmaxCrossEntropyWithLogits",
       .shapes = {Shape{2, 3}, Shape{2, 3}},
       .build = [](GraphBuilder&, const Inputs& x) {
         return op::SoftmaxCrossEntropyWithLogits(x[0], op::Softmax(x[1])).loss;
       }});
  cases.push_back({.op = "SparseSoftmaxCrossEntropyWithLogits",
                   .shapes = {Shape{2, 3}},
                   .build = [](GraphBuilder& b, const Inputs& x) {
                     return op::SparseSoftmaxCrossEntropyWithLogits(
                                x[0], Ints(b, {2, 0}))
                         .loss;
                   }});
}

void AddImages(std::vector<GradientCase>& cases) {
  for (const char* padding : {"SAME", "VALID"}) {
    for (int64_t stride : {1, 2}) {
      const std::string p = padding;
      const std::vector<int64_t> strides = {1, stride, stride, 1};
      cases.push_back({.op = "Conv2D",
                       .shapes = {Shape{2, 5, 4, 2}, Shape{3, 2, 2, 3}},
                       .build = [p, strides](GraphBuilder&, const Inputs& x) {
                         return op::Conv2D(x[0], x[1], strides, p);
                       }});
      cases.push_back({.op = "MaxPool",
                       .shapes = {Shape{2, 5, 4, 2}},
                       .build =
                           [p, strides](GraphBuilder&, const Inputs& x) {
                             return op::MaxPool(x[0], {1, 2, 2, 1}, strides, p);
                           },
                       .low = -5,
                       .high = 5});
      cases.push_back({.op = "AvgPool",
                       .shapes = {Shape{2, 5, 4, 2}},
                       .build = [p, strides](GraphBuilder&, const Inputs& x) {
                         return op::AvgPool(x[0], {1, 2, 2, 1}, strides, p);
                       }});
    }
  }
  cases.push_back({.op = "Conv2DBackpropInput",
                   .shapes = {Shape{3, 2, 2, 3}, Shape{2, 3, 3, 3}},
                   .build = [](GraphBuilder& b, const Inputs& x) {
                     return op::Conv2DBackpropInput(Ints(b, {2, 5, 4, 2}), x[0],
                                                    x[1], {1, 1, 1, 1},
                                                    "VALID");
                   }});
  for (bool training : {true, false}) {
    cases.push_back(
        {.op = "FusedBatchNormV3",
         .shapes = {Shape{3, 2, 2, 2}, Shape{2}, Shape{2}},
         .build =
             [training](GraphBuilder& b, const Inputs& x) {
               const Output mean =
                   training ? b.Const(Tensor::Filled<float>(Shape{0}, 0.0f))
                            : Vec<float>(b, {0.1f, -0.2f});
               const Output variance =
                   training ? mean : Vec<float>(b, {1.5f, 0.8f});
               return op::FusedBatchNormV3(
                          x[0], x[1], x[2], mean, variance,
                          {.epsilon = 0.01f, .is_training = training})
                   .y;
             },
         .single = true});
  }
  cases.push_back({.op = "LRN",
                   .shapes = {Shape{1, 2, 2, 5}},
                   .build =
                       [](GraphBuilder&, const Inputs& x) {
                         return op::LRN(x[0], {.depth_radius = 2});
                       },
                   .single = true});
}

void AddShapes(std::vector<GradientCase>& cases) {
  const auto add = [&](const char* name, std::vector<Shape> shapes,
                       std::function<Output(GraphBuilder&, const Inputs&)> f) {
    cases.push_back(
        {.op = name, .shapes = std::move(shapes), .build = std::move(f)});
  };
  add("Reshape", {Shape{2, 6}}, [](GraphBuilder& b, const Inputs& x) {
    return op::Reshape(x[0], Ints(b, {3, -1}));
  });
  add("ExpandDims", {Shape{2, 3}},
      [](GraphBuilder&, const Inputs& x) { return op::ExpandDims(x[0], 1); });
  add("Squeeze", {Shape{2, 1, 3}},
      [](GraphBuilder&, const Inputs& x) { return op::Squeeze(x[0]); });
  add("ConcatV2", {Shape{2, 3}, Shape{2, 1}},
      [](GraphBuilder&, const Inputs& x) { return op::ConcatV2(x, -1); });
  add("Pack", {Shape{2, 3}, Shape{2, 3}},
      [](GraphBuilder&, const Inputs& x) { return op::Pack(x, {.axis = 1}); });
  add("Unpack", {Shape{3, 2}}, [](GraphBuilder&, const Inputs& x) {
    const auto parts = op::Unpack(x[0], 3);
    return op::Sin(parts[0]) * parts[2];  // none from parts[1]
  });
  add("Split", {Shape{2, 6}}, [](GraphBuilder&, const Inputs& x) {
    const auto parts = op::Split(1, x[0], 3);
    return parts[0] * parts[2];
  });
  add("SplitV", {Shape{2, 5}}, [](GraphBuilder& b, const Inputs& x) {
    const auto parts = op::SplitV(x[0], Ints(b, {2, 1, 2}), 1, 3);
    return parts[0] * parts[2];
  });
  add("Slice", {Shape{3, 4}}, [](GraphBuilder& b, const Inputs& x) {
    return op::Slice(x[0], Ints(b, {1, 0}), Ints(b, {2, 3}));
  });
  add("StridedSlice", {Shape{3, 5}}, [](GraphBuilder& b, const Inputs& x) {
    return op::StridedSlice(x[0], Ints(b, {1, 4}), Ints(b, {2, 0}),
                            Ints(b, {1, -2}), {.shrink_axis_mask = 1});
  });
  add("Transpose", {Shape{2, 3, 4}}, [](GraphBuilder& b, const Inputs& x) {
    return op::Transpose(x[0], Ints(b, {2, 0, 1}));
  });
  add("Tile", {Shape{2, 3}}, [](GraphBuilder& b, const Inputs& x) {
    return op::Tile(x[0], Ints(b, {3, 2}));
  });
  add("Pad", {Shape{2, 3}}, [](GraphBuilder& b, const Inputs& x) {
    return op::Pad(x[0],
                   b.Const(Tensor::Of<int32_t>(Shape{2, 2}, {1, 0, 2, 1})));
  });
  add("BroadcastTo", {Shape{2, 1}}, [](GraphBuilder& b, const Inputs& x) {
    return op::BroadcastTo(x[0], Ints(b, {4, 2, 3}));
  });
  add("Fill", {Shape{}}, [](GraphBuilder& b, const Inputs& x) {
    return op::Fill(Ints(b, {2, 3}), x[0]);
  });
}

void AddGathers(std::vector<GradientCase>& cases) {
  const auto add = [&](const char* name, std::vector<Shape> shapes,
                       std::function<Output(GraphBuilder&, const Inputs&)> f,
                       bool needs_static = false) {
    cases.push_back({.op = name,
                     .shapes = std::move(shapes),
                     .build = std::move(f),
                     .needs_static_shapes = needs_static});
  };
  const Tensor matrix = Tensor::Of<int32_t>(Shape{2, 2}, {2, 0, 2, 1});
  add("Gather", {Shape{3, 2}}, [](GraphBuilder& b, const Inputs& x) {
    return op::Gather(x[0], Ints(b, {2, 0, 2}));
  });
  add("GatherV2", {Shape{3, 2}}, [matrix](GraphBuilder& b, const Inputs& x) {
    return op::GatherV2(x[0], b.Const(matrix), 0);
  });
  add(
      "GatherV2", {Shape{2, 3, 2}},
      [matrix](GraphBuilder& b, const Inputs& x) {
        return op::GatherV2(x[0], b.Const(matrix), 1);
      },
      true);
  add(
      "GatherV2", {Shape{2, 4, 3, 2}},
      [matrix](GraphBuilder& b, const Inputs& x) {
        return op::GatherV2(x[0], b.Const(matrix), 2, {.batch_dims = 1});
      },
      true);
  add("GatherNd", {Shape{3, 2, 2}}, [](GraphBuilder& b, const Inputs& x) {
    return op::GatherNd(
        x[0], b.Const(Tensor::Of<int32_t>(Shape{3, 2}, {2, 0, 0, 1, 2, 0})));
  });
  add("ScatterNd", {Shape{3, 2}}, [](GraphBuilder& b, const Inputs& x) {
    return op::ScatterNd(b.Const(Tensor::Of<int32_t>(Shape{3, 1}, {3, 1, 3})),
                         x[0], Ints(b, {4, 2}));
  });
  add("UnsortedSegmentSum", {Shape{4, 2}},
      [](GraphBuilder& b, const Inputs& x) {
        return op::UnsortedSegmentSum(x[0], Ints(b, {2, 0, -1, 2}), 3);
      });
  add("DynamicStitch", {Shape{2, 2}, Shape{1, 2}},
      [](GraphBuilder& b, const Inputs& x) {
        const std::vector<Output> indices = {Ints(b, {2, 0}), Ints(b, {1})};
        return op::DynamicStitch(indices, x);
      });
  add("TopKV2", {Shape{3, 5}}, [](GraphBuilder&, const Inputs& x) {
    return op::TopKV2(x[0], 2).values;
  });
}

std::vector<GradientCase> Cases() {
  std::vector<GradientCase> cases;
  AddElementWise(cases);
  AddBinaryMath(cases);
  AddReductions(cases);
  AddMatrices(cases);
  AddImages(cases);
  AddShapes(cases);
  AddGathers(cases);
  return cases;
}

TEST(GradientCheckTest, AgreesWithCentralDifferencesWhereShapesAreKnown) {
  int i = 0;
  for (const GradientCase& c : Cases()) {
    SCOPED_TRACE("case " + std::to_string(i++) + ", " + c.op);
    GradientCheck(c, /*known_shapes=*/true).Run();
  }
}

TEST(GradientCheckTest, AgreesWithCentralDifferencesWhereTheyAreNot) {
  int i = 0;
  for (const GradientCase& c : Cases()) {
    if (c.needs_static_shapes) continue;
    SCOPED_TRACE("case " + std::to_string(i++) + ", " + c.op);
    GradientCheck(c, /*known_shapes=*/false).Run();
  }
}

// The gradient of sum(rows^2) / 2 by a variable is the rows, where gathered.
TEST(GradientCheckTest, ReachesVariables) {
  GraphBuilder b;
  const Output start = b.Const(Tensor::Of<double>(Shape{3, 1}, {2, 3, 5}));
  Variable w = b.Variable("w", start);
  Variable ref = b.Variable("ref", start, {.use_resource = false});
  const Output rows =
      op::ResourceGather(w.handle(), Ints(b, {2, 0, 2}), DType::kDouble);
  const Output ys[] = {op::L2Loss(rows) + op::L2Loss(w.value()),
                       op::L2Loss(op::RefIdentity(ref.handle()))};
  const Output xs[] = {w.handle(), ref.handle()};
  const std::vector<Gradient> gradients = b.Gradients(ys, xs);
  const Output by_w = gradients[0].AsDense();
  const Output by_ref = gradients[1].AsDense();
  absl::StatusOr<Graph> graph = b.Build();
  ASSERT_TRUE(graph.ok()) << graph.status();
  auto session = NewLocalSession(*graph);
  ASSERT_TRUE(session.ok()) << session.status();
  RunArgs init;
  init.targets.push_back(graph->init_op());
  ASSERT_TRUE((*session)->Run(init).ok());
  RunArgs args;
  args.fetches = {by_w, by_ref};
  auto result = (*session)->Run(args);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_THAT(AsDoubles((*result)[0]), testing::ElementsAre(4, 3, 15));
  EXPECT_THAT(AsDoubles((*result)[1]), testing::ElementsAre(2, 3, 5));
}

// Print passes its gradient on, PreventGradient refuses.
TEST(GradientCheckTest, CoversEveryGradient) {
  // The last three: ReachesVariables.
  std::set<std::string> covered = {"Print", "PreventGradient", "ReadVariableOp",
                                   "RefIdentity", "ResourceGather"};
  for (const GradientCase& c : Cases()) covered.insert(c.op);
  for (const OpDef* op : BuiltinOps().Ops()) {
    const auto* entry = BuiltinGradients().Find(op->name);
    if (entry == nullptr || entry->function == nullptr) continue;
    EXPECT_EQ(covered.count(op->name), 1u) << op->name;
  }
}

}  // namespace
}  // namespace leat
