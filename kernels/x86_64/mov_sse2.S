// SPDX-License-Identifier: Apache-2.0
// mov_sse2: aligned 16-byte stores, one line an iteration.
//
// Assumptions: to in rdi, n in rsi; clobbers xmm0, rdi, rsi, flags; feature sse2; extents are multiples of 64 and
// aligned to it, and may be empty.

#define cursor %rdi
#define end %rsi
#define zero %xmm0

	.text
	.p2align 6
	.globl	folioscope_mov_sse2
	.type	folioscope_mov_sse2, @function
folioscope_mov_sse2:
	.cfi_startproc
	endbr64
	addq	cursor, end
	pxor	zero, zero
	cmpq	end, cursor
	je	2f
	.p2align 4
1:
	movdqa	zero, (cursor)
	movdqa	zero, 16(cursor)
	movdqa	zero, 32(cursor)
	movdqa	zero, 48(cursor)
	addq	$64, cursor
	cmpq	end, cursor
	jne	1b
2:
	ret
	.cfi_endproc
	.size	folioscope_mov_sse2, . - folioscope_mov_sse2

	.section .note.GNU-stack, "", @progbits
