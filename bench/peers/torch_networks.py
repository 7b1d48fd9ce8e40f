#!/usr/bin/env python3
# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Measures the networks of bench/gpu_networks_bench with PyTorch, eager.

  torch_networks.py    prints a line for each network, on the same GPU
"""
import time

import torch
from torch import nn

STEPS = 20


def normalized(in_channels, out_channels, kernel, stride):
  return nn.Sequential(
      nn.Conv2d(in_channels, out_channels, kernel, stride, kernel // 2,
                bias=False),
      nn.BatchNorm2d(out_channels))


class Block(nn.Module):
  """A block of ResNet-50, version 1.5."""

  def __init__(self, in_channels, width, stride, is_first):
    super().__init__()
    self.shortcut = (normalized(in_channels, 4 * width, 1, stride)
                     if is_first else nn.Identity())
    self.layers = nn.Sequential(
        normalized(in_channels, width, 1, 1), nn.ReLU(inplace=True),
        normalized(width, width, 3, stride), nn.ReLU(inplace=True),
        normalized(width, 4 * width, 1, 1))

  def forward(self, x):
    return torch.relu(self.layers(x) + self.shortcut(x))


def resnet50():
  layers = [normalized(3, 64, 7, 2), nn.ReLU(inplace=True),
            nn.MaxPool2d(3, 2, 1)]
  width, channels = 64, 64
  for blocks in [3, 4, 6, 3]:
    for i in range(blocks):
      stride = 2 if i == 0 and width > 64 else 1
      layers.append(Block(channels, width, stride, i == 0))
      channels = 4 * width
    width *= 2
  return nn.Sequential(*layers, nn.AvgPool2d(7), nn.Flatten(),
                       nn.Linear(2048, 1000))


def cnn():
  return nn.Sequential(
      nn.Conv2d(1, 32, 3), nn.ReLU(inplace=True), nn.MaxPool2d(2),
      nn.Conv2d(32, 64, 3), nn.ReLU(inplace=True), nn.MaxPool2d(2),
      nn.Flatten(), nn.Linear(1600, 128), nn.ReLU(inplace=True),
      nn.Linear(128, 10))


def seconds(network, shape, dtype):
  """Returns the time of one training step, the best of five."""
  network = network.cuda().to(memory_format=torch.channels_last)
  images = torch.full(shape, 0.5, device='cuda').to(
      memory_format=torch.channels_last)
  labels = torch.full((shape[0],), 3, device='cuda')
  optimizer = torch.optim.SGD(network.parameters(), lr=0.01, momentum=0.9)

  def step():
    optimizer.zero_grad()
    with torch.autocast('cuda', dtype, enabled=dtype != torch.float32):
      logits = network(images)
    loss = nn.functional.cross_entropy(logits.float(), labels)
    loss.backward()
    optimizer.step()
    return loss.item()

  for _ in range(5):
    step()
  best = float('inf')
  for _ in range(5):
    start = time.perf_counter()
    for _ in range(STEPS):
      step()
    best = min(best, (time.perf_counter() - start) / STEPS)
  return best


def main():
  print(torch.cuda.get_device_name(0), 'torch', torch.__version__)
  # Leat computes in float unless it is told otherwise.
  torch.backends.cuda.matmul.allow_tf32 = False
  torch.backends.cudnn.allow_tf32 = False
  for name, make, shape, dtype in [
      ('BM_ResNet50/bfloat16', resnet50, (128, 3, 224, 224), torch.bfloat16),
      ('BM_ResNet50/bfloat16', resnet50, (256, 3, 224, 224), torch.bfloat16),
      ('BM_ResNet50/float', resnet50, (128, 3, 224, 224), torch.float32),
      ('BM_FashionMnistCnn', cnn, (128, 1, 28, 28), torch.float32)]:
    best = seconds(make(), shape, dtype)
    print(f'{name}/{shape[0]} {best * 1e3:.3f} ms '
          f'{shape[0] / best:.0f} images/s', flush=True)


if __name__ == '__main__':
  main()
