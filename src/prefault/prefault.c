/* SPDX-License-Identifier: Apache-2.0
 * LD_PRELOAD=libfolioscope_prefault.so PROGRAM: what the program populates by mmap(MAP_POPULATE) or
 * madvise(MADV_POPULATE_WRITE) is populated by touching the best page of each huge page first. Results and errors are
 * those of the program's own calls; see include/folioscope_prefault.h and docs/prefault.md.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static int real_madvise(void *address, size_t length, int advice) {
  return (int)syscall(SYS_madvise, address, length, advice);
}

/* The header's calls are not to come back here. */
#define madvise real_madvise
#include "folioscope_prefault.h"
#undef madvise

#define EXPORTED __attribute__((visibility("default")))

#ifndef MAP_HUGE_SHIFT
#define MAP_HUGE_SHIFT 26
#endif

/* Read once, before main: no lock, no allocation, and safe in a child after fork. */
static size_t pmd_size, hugetlb_size;
static long best_index = FOLIOSCOPE_PREFAULT_PLAIN;

/* The first whole number in a file, after `key` where that is given; 0 where there is none. */
static size_t number_in(char const *path, char const *key) {
  char text[4096];
  size_t number = 0;
  long at = 0, got = 0;
  int const fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
  if (fd < 0) return 0;
  while (got < (long)sizeof text - 1) {
    long const n = syscall(SYS_read, fd, text + got, sizeof text - 1 - (size_t)got);
    if (n <= 0) break;
    got += n;
  }
  syscall(SYS_close, fd);
  text[got] = '\0';
  if (key) {
    for (; text[at]; ++at) {
      long k = 0;
      while (key[k] && text[at + k] == key[k]) ++k;
      if (!key[k]) break;
    }
    if (!text[at]) return 0;
  }
  for (; text[at] && (text[at] < '0' || text[at] > '9'); ++at) {
  }
  for (; text[at] >= '0' && text[at] <= '9' && number < SIZE_MAX / 16; ++at) number = number * 10 + (size_t)(text[at] - '0');
  return number;
}

__attribute__((constructor)) static void begin(void) {
  int const before = errno;
  /* Of no bytes: succeeds where the advice is known, and does nothing. */
  if (real_madvise(0, 0, FOLIOSCOPE_MADV_POPULATE_WRITE) != 0) {
    errno = before;
    return;
  }
  best_index = folioscope_prefault_index();
  pmd_size = number_in("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size", 0);
  hugetlb_size = number_in("/proc/meminfo", "Hugepagesize:") * 1024;
  if (pmd_size == 0) pmd_size = hugetlb_size;
  errno = before;
}

/* An index is one of the PMD-size page; in a page of another size, the same share of it. */
static long index_in(size_t huge) {
  long const page = sysconf(_SC_PAGESIZE);
  if (best_index < 0 || huge == pmd_size || page <= 0 || pmd_size == 0) return best_index;
  return (long)((size_t)best_index * (huge / (size_t)page) / (pmd_size / (size_t)page));
}

EXPORTED int madvise(void *address, size_t length, int advice) {
  if (advice != FOLIOSCOPE_MADV_POPULATE_WRITE || best_index == FOLIOSCOPE_PREFAULT_PLAIN || pmd_size == 0)
    return real_madvise(address, length, advice);
  return folioscope_prefault_at(address, length, pmd_size, index_in(pmd_size));
}

/* mmap with MAP_POPULATE never fails for want of pages: it populates what it can and succeeds. Only where the mapping
 * can be written does Linux populate by writing, and only anonymous memory is cleared by it. */
static void *mapped(void *address, size_t length, int protection, int flags, int fd, off_t offset) {
  void *at;
  size_t huge = pmd_size;
  int const before = errno;
  int const ours = (flags & MAP_POPULATE) && !(flags & MAP_NONBLOCK) && (protection & PROT_WRITE) &&
                   best_index != FOLIOSCOPE_PREFAULT_PLAIN && (flags & MAP_ANONYMOUS);
  if (ours && (flags & MAP_HUGETLB)) {
    int const shift = (flags >> MAP_HUGE_SHIFT) & 0x3f;
    huge = shift ? (size_t)1 << shift : hugetlb_size;
  }
  if (!ours || huge == 0) return (void *)syscall(SYS_mmap, address, length, protection, flags, fd, offset);
  at = (void *)syscall(SYS_mmap, address, length, protection, flags & ~MAP_POPULATE, fd, offset);
  if (at == MAP_FAILED) return at;
  folioscope_prefault_at(at, length, huge, index_in(huge));
  errno = before;
  return at;
}

EXPORTED void *mmap(void *address, size_t length, int protection, int flags, int fd, off_t offset) {
  return mapped(address, length, protection, flags, fd, offset);
}

EXPORTED void *mmap64(void *address, size_t length, int protection, int flags, int fd, off64_t offset) {
  return mapped(address, length, protection, flags, fd, offset);
}
