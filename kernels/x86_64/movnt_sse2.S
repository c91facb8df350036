// SPDX-License-Identifier: Apache-2.0
// movnt_sse2: 16-byte non-temporal stores, which gather to a line in a write-combining buffer and bypass the caches.
//
// Assumptions: to in rdi, n in rsi; clobbers xmm0, rdi, rsi, flags; feature sse2; extents are multiples of 64 and
// aligned to it, and may be empty. No fence: that is a factor of the measurement.

#define cursor %rdi
#define end %rsi
#define zero %xmm0

	.text
	.p2align 6
	.globl	folioscope_movnt_sse2
	.type	folioscope_movnt_sse2, @function
folioscope_movnt_sse2:
	.cfi_startproc
	endbr64
	addq	cursor, end
	pxor	zero, zero
	cmpq	end, cursor
	je	2f
	.p2align 4
1:
	movntdq	zero, (cursor)
	movntdq	zero, 16(cursor)
	movntdq	zero, 32(cursor)
	movntdq	zero, 48(cursor)
	addq	$64, cursor
	cmpq	end, cursor
	jne	1b
2:
	ret
	.cfi_endproc
	.size	folioscope_movnt_sse2, . - folioscope_movnt_sse2

	.section .note.GNU-stack, "", @progbits
