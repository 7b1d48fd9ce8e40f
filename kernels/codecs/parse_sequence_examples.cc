// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
