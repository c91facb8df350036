// SPDX-License-Identifier: Apache-2.0
// A static library needs a source; a module may have only headers or assembly.
