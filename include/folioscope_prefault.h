/* SPDX-License-Identifier: Apache-2.0
 * Populates memory as MADV_POPULATE_WRITE does, and lets a Linux that clears a huge page towards the page touched first
 * (v4.14 to v6.19) clear it in its fastest order: the page at the best index is populated first, then the whole range.
 * No data is touched: a page that is there already stays as it is. Errors are those of madvise(MADV_POPULATE_WRITE) on
 * the range. For C and C++; needs no library. Why it helps, and how to find the index: docs/prefault.md.
 */
#ifndef FOLIOSCOPE_PREFAULT_H
#define FOLIOSCOPE_PREFAULT_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FOLIOSCOPE_MADV_POPULATE_WRITE 23 /* since Linux 5.14; the headers may be older */

/* Touch pages in no special order: a plain MADV_POPULATE_WRITE. */
#define FOLIOSCOPE_PREFAULT_PLAIN (-1L)
/* The last base page of a huge page. */
#define FOLIOSCOPE_PREFAULT_LAST (-2L)

/* The index for a Linux release such as "6.18.5": the last page where the order is target-last, since that makes the
 * clear ascend; plain where order does not depend on the page touched first, or the release cannot be read. */
static inline long folioscope_prefault_index_of(char const *release) {
  unsigned major = 0, minor = 0;
  char const *at = release;
  if (*at < '0' || *at > '9') return FOLIOSCOPE_PREFAULT_PLAIN;
  for (; *at >= '0' && *at <= '9' && major < 10000; ++at) major = major * 10 + (unsigned)(*at - '0');
  if (*at++ != '.' || *at < '0' || *at > '9') return FOLIOSCOPE_PREFAULT_PLAIN;
  for (; *at >= '0' && *at <= '9' && minor < 10000; ++at) minor = minor * 10 + (unsigned)(*at - '0');
  if (major > 4 && major < 7) return FOLIOSCOPE_PREFAULT_LAST;
  if (major == 4 && minor >= 14) return FOLIOSCOPE_PREFAULT_LAST;
  return FOLIOSCOPE_PREFAULT_PLAIN;
}

/* FOLIOSCOPE_PREFAULT_INDEX in the environment ("plain", "last", or a base-page index as `folioscope linux fault-order`
 * names it), otherwise by this Linux's release. */
static inline long folioscope_prefault_index(void) {
  struct utsname name;
  char const *const asked = getenv("FOLIOSCOPE_PREFAULT_INDEX");
  if (asked && *asked) {
    long index = 0;
    char const *at = asked;
    if (strcmp(asked, "last") == 0) return FOLIOSCOPE_PREFAULT_LAST;
    for (; *at >= '0' && *at <= '9' && index < 1000000; ++at) index = index * 10 + (*at - '0');
    return *at == '\0' ? index : FOLIOSCOPE_PREFAULT_PLAIN;
  }
  return uname(&name) == 0 ? folioscope_prefault_index_of(name.release) : FOLIOSCOPE_PREFAULT_PLAIN;
}

/* Populates [address, address + length) for writing. `huge` is the size of a huge page there (a power of two), `index`
 * the base page of each to touch first, or one of the two words above. Returns 0, or -1 and errno as
 * madvise(address, length, MADV_POPULATE_WRITE) would. Where that call is missing (EINVAL before Linux 5.14) nothing is
 * populated: memory is then populated as it is touched, as ever. */
static inline int folioscope_prefault_at(void *address, size_t length, size_t huge, long index) {
  long const page = sysconf(_SC_PAGESIZE);
  if (index != FOLIOSCOPE_PREFAULT_PLAIN && page > 0 && huge > (size_t)page && (huge & (huge - 1)) == 0) {
    size_t const pages = huge / (size_t)page;
    size_t const at = index == FOLIOSCOPE_PREFAULT_LAST ? pages - 1 : (size_t)index;
    uintptr_t const begin = (uintptr_t)address;
    int const before = errno;
    /* Whole huge pages within the range only: what lies outside is not ours to populate. A misaligned or overflowing
     * range is left to the real call, whose error it is. */
    if (at < pages && begin % (size_t)page == 0 && length <= UINTPTR_MAX - begin && begin <= UINTPTR_MAX - (huge - 1)) {
      uintptr_t folio = (begin + huge - 1) & ~(uintptr_t)(huge - 1);
      uintptr_t const end = begin + length;
      for (; folio < end && end - folio >= huge; folio += huge)
        if (madvise((void *)(folio + at * (size_t)page), (size_t)page, FOLIOSCOPE_MADV_POPULATE_WRITE) != 0 ||
            madvise((void *)folio, huge, FOLIOSCOPE_MADV_POPULATE_WRITE) != 0)
          break; /* where the real call stops, so do we: what lies behind stays unpopulated */
    }
    errno = before; /* whatever stopped it, the call on the whole range meets it too, and says it as ever */
  }
  return madvise(address, length, FOLIOSCOPE_MADV_POPULATE_WRITE);
}

/* The same with this machine's huge page size and index. */
static inline int folioscope_prefault(void *address, size_t length, size_t huge) {
  return folioscope_prefault_at(address, length, huge, folioscope_prefault_index());
}

#ifdef __cplusplus
}
#endif
#endif
