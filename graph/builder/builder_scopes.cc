// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "leat/core/status_macros.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/builder/builder_state.h"

namespace leat {
namespace {

std::string Where(SourceLocation location) {
  return absl::StrCat(location.file, ":", location.line);
}

// Fails with INVALID_ARGUMENT if a scope cannot have this name, for example "".
// Ignores a '/' at the end.
absl::Status CheckScopeName(absl::string_view name) {
  if (IsValidNodeName(absl::StripSuffix(name, "/"))) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("'", name, "' is not a valid scope name"));
}

}  // namespace

void BuilderContext::NestDevices(const BuilderContext& inner) {
  // The scopes of this context now enclose the scopes of `inner`. `device` has
  // the merged device names of the innermost scopes of this context, up to the
  // next scope with a device function. These scopes directly enclose the first
  // device function of `inner`, so its `around` gets their device names.
  DeviceName last = device;
  for (DeviceFunctionScope scope : inner.device_functions) {
    scope.around = OverrideDeviceName(last, scope.around);
    device_functions.push_back(std::move(scope));
    last = {};
  }
  device = OverrideDeviceName(last, inner.device);
}

void BuilderContext::UseDeviceOf(const NodeDef& node) {
  // The device name of a node in the graph can always be parsed.
  device = DeviceName::Parse(node.device).value_or(DeviceName());
  device_functions.clear();
}

absl::StatusOr<std::string> GraphBuilder::State::DeviceFor(
    NodeDef& node) const {
  DeviceName device = context.device;
  for (auto scope = context.device_functions.rbegin();
       scope != context.device_functions.rend(); ++scope) {
    node.device = device.ToString();
    const absl::StatusOr<std::string> text = (*scope->function)(node);
    const absl::StatusOr<DeviceName> chosen =
        text.ok() ? DeviceName::Parse(*text) : text.status();
    if (!chosen.ok()) {
      return Annotate(chosen.status(), "its device function: ");
    }
    device =
        OverrideDeviceName(scope->around, OverrideDeviceName(*chosen, device));
  }
  return device.ToString();
}

std::string GraphBuilder::State::UniqueName(absl::string_view name) {
  if (absl::EndsWith(name, "/")) {
    std::string verbatim(absl::StripSuffix(name, "/"));
    names.try_emplace(absl::AsciiStrToLower(verbatim), 1);
    return verbatim;
  }
  return UniqueFromRoot(absl::StrCat(context.name_prefix, name));
}

std::string GraphBuilder::State::UniqueFromRoot(std::string full) {
  const std::string base = absl::AsciiStrToLower(full);
  int uses = names[base]++;
  if (uses == 0) return full;
  std::string key = base;
  while (names.contains(key)) key = absl::StrCat(base, "_", uses++);
  names[key] = 1;
  return absl::StrCat(full, "_", uses - 1);
}

Scope GraphBuilder::State::Open(
    const std::shared_ptr<State>& state, std::string description,
    SourceLocation location, absl::FunctionRef<void(BuilderContext&)> change) {
  const uint64_t id = state->next_scope++;
  state->scopes.push_back(OpenScope{.id = id,
                                    .description = std::move(description),
                                    .location = location,
                                    .outer = state->context});
  change(state->context);
  return Scope([weak = std::weak_ptr<State>(state), id] {
    if (auto alive = weak.lock()) alive->Close(id);
  });
}

void GraphBuilder::State::Close(uint64_t id) {
  const auto it = std::find_if(scopes.begin(), scopes.end(),
                               [id](const OpenScope& s) { return s.id == id; });
  if (it == scopes.end()) return;
  if (it + 1 != scopes.end()) {
    Fail(absl::FailedPreconditionError(absl::StrCat(
             it->description, " ends before ", scopes.back().description,
             " opened in it at ", Where(scopes.back().location))),
         it->location);
    scopes.erase(it);
    return;
  }
  context = std::move(it->outer);
  scopes.pop_back();
}

Scope GraphBuilder::NameScope(absl::string_view name, SourceLocation location) {
  if (name == "/") {
    return State::Open(
        Current().state_, "the root name scope", location,
        [](BuilderContext& context) { context.name_prefix.clear(); });
  }
  if (absl::Status valid = CheckScopeName(name); !valid.ok()) {
    Fail(valid, location);
    return Scope(nullptr);
  }
  const std::shared_ptr<State>& state = Current().state_;
  const std::string full = state->UniqueName(name);
  return State::Open(state, absl::StrCat("name scope '", full, "'"), location,
                     [&](BuilderContext& context) {
                       context.name_prefix = absl::StrCat(full, "/");
                     });
}

Scope GraphBuilder::OnDevice(absl::string_view device,
                             SourceLocation location) {
  absl::StatusOr<DeviceName> parsed = DeviceName::Parse(device);
  if (!parsed.ok()) {
    Fail(parsed.status(), location);
    return Scope(nullptr);
  }
  return State::Open(
      Current().state_, absl::StrCat("device scope '", device, "'"), location,
      [&](BuilderContext& context) {
        context.device = OverrideDeviceName(context.device, *parsed);
      });
}

Scope GraphBuilder::OnDevice(DeviceFunction function, SourceLocation location) {
  if (function == nullptr) {
    Fail(absl::InvalidArgumentError("OnDevice was given no function"),
         location);
    return Scope(nullptr);
  }
  auto shared = std::make_shared<const DeviceFunction>(std::move(function));
  return State::Open(
      Current().state_, "scope of a device function", location,
      [&](BuilderContext& context) {
        context.device_functions.push_back(
            {.function = std::move(shared),
             .around = std::exchange(context.device, DeviceName())});
      });
}

Scope GraphBuilder::ColocateWith(Operation operation, SourceLocation location) {
  const std::shared_ptr<State>& state = Current().state_;
  const State* owner = state.get();
  while (owner->self != operation.builder() && owner->body != nullptr) {
    owner = owner->body->parent->state_.get();
  }
  absl::StatusOr<std::vector<NodeId>> ids = owner->Ids({&operation, 1});
  if (!ids.ok()) {
    Fail(Annotate(ids.status(), "ColocateWith: "), location);
    return Scope(nullptr);
  }
  const NodeDef& def = *owner->graph.node(ids->front()).def;
  std::vector<std::string> classes;
  if (auto own = def.attrs.Get<std::vector<std::string>>("_class"); own.ok()) {
    classes = *own;
  }
  if (classes.empty()) classes.push_back(absl::StrCat("loc:@", def.name));
  // The attr _class of a node in a body cannot name a node outside of the body.
  // But if the node takes a resource from outside, placement puts the node on
  // the device of the resource.
  if (owner != state.get()) classes.clear();
  return State::Open(state, absl::StrCat("colocation with '", def.name, "'"),
                     location, [&](BuilderContext& context) {
                       context.colocation = classes;
                       context.UseDeviceOf(def);
                     });
}

Scope GraphBuilder::ControlDependencies(absl::Span<const Operation> operations,
                                        SourceLocation location) {
  const std::shared_ptr<State>& state = Current().state_;
  absl::StatusOr<std::vector<NodeId>> ids = state->ControlIds(operations);
  if (!ids.ok()) {
    Fail(Annotate(ids.status(), "ControlDependencies: "), location);
    return Scope(nullptr);
  }
  return State::Open(state, "a scope of control dependencies", location,
                     [&](BuilderContext& context) {
                       auto scope = std::make_shared<ControlScope>();
                       scope->operations = *std::move(ids);
                       context.controls.push_back(std::move(scope));
                     });
}

Scope GraphBuilder::NoControlDependencies(SourceLocation location) {
  return State::Open(Current().state_, "a scope without control dependencies",
                     location,
                     [](BuilderContext& context) { context.controls.clear(); });
}

Scope GraphBuilder::CallSite(SourceLocation location) {
  if (state_->tree->call_site.line != 0) return Scope(nullptr);
  const std::shared_ptr<State>& root = state_->tree->root->state_;
  root->tree->call_site = location;
  return Scope([weak = std::weak_ptr<State>(root)] {
    if (auto alive = weak.lock()) alive->tree->call_site = {};
  });
}

Scope GraphBuilder::VariableScope(absl::string_view name,
                                  SourceLocation location) {
  const absl::Status valid = CheckScopeName(name);
  if (!valid.ok() || absl::EndsWith(name, "/")) {
    Fail(valid.ok() ? absl::InvalidArgumentError(absl::StrCat(
                          "'", name, "' is not a valid variable scope name"))
                    : valid,
         location);
    return Scope(nullptr);
  }
  const std::shared_ptr<State>& state = Current().state_;
  ++(*state->context.layers)[name];
  const std::string full = state->UniqueName(name);
  return State::Open(
      state, absl::StrCat("variable scope '", name, "'"), location,
      [&](BuilderContext& context) {
        context.name_prefix = absl::StrCat(full, "/");
        absl::StrAppend(&context.variable_prefix, name, "/");
        context.layers =
            std::make_shared<absl::flat_hash_map<std::string, int>>();
      });
}

std::string GraphBuilder::LayerName(absl::string_view kind) {
  auto& layers = *Current().state_->context.layers;
  std::string name(kind);
  for (int i = 1; layers.contains(name); ++i) {
    name = absl::StrCat(kind, "_", i);
  }
  layers[name] = 1;
  return name;
}

}  // namespace leat
