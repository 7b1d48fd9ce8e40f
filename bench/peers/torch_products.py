#!/usr/bin/env python3
# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Measures the products of bench/gpu_bench with PyTorch, on the same GPU.

  torch_products.py    prints a line for each type and size
"""
import time

import torch

PRODUCTS = 8
SIZES = [1024, 2048, 4096, 8192, 16384]
# A GPU lowers its clock when it has worked for a while. So both programs run
# for as long as the default of Google Benchmark.
SECONDS = 0.5


def step(x, w, bias):
  """Does what a step of gpu_bench does."""
  y = x
  for _ in range(PRODUCTS):
    if bias is None:
      y = y @ w
    else:
      y = torch._addmm_activation(bias, y, w, use_gelu=False)
  return y[0, 0].item()


def seconds(x, w, bias):
  """Returns the mean time of one step."""
  for _ in range(3):
    step(x, w, bias)
  steps = 0
  start = time.perf_counter()
  while True:
    step(x, w, bias)
    steps += 1
    passed = time.perf_counter() - start
    if passed >= SECONDS:
      return passed / steps


@torch.no_grad()
def main():
  rows = [('bfloat16', torch.bfloat16, False, False),
          ('bfloat16_bias_relu', torch.bfloat16, False, True),
          ('tf32', torch.float32, True, False),
          ('tf32_bias_relu', torch.float32, True, True),
          ('float', torch.float32, False, False)]
  print(torch.cuda.get_device_name(0), 'torch', torch.__version__)
  for name, dtype, tf32, fused in rows:
    torch.backends.cuda.matmul.allow_tf32 = tf32
    for n in SIZES:
      x = torch.randn(n, n, device='cuda').to(dtype)
      w = (torch.randn(n, n, device='cuda') / n**0.5).to(dtype)
      bias = torch.full((n,), 0.01, device='cuda').to(dtype) if fused else None
      mean = seconds(x, w, bias)
      print(f'Products/{name}/{n} {mean * 1e6:.0f} us '
            f'{PRODUCTS * 2 * n**3 / mean / 1e12:.1f} TFLOP/s', flush=True)


if __name__ == '__main__':
  main()
