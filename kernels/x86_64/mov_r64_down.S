// SPDX-License-Identifier: Apache-2.0
// mov_r64_down: 8-byte stores like mov_r64, each below the one before: what a descending stream alone costs.
//
// Assumptions: to in rdi, n in rsi; clobbers rax, rsi, flags; no features; extents are multiples of 64 and aligned to
// it, and may be empty.

#define start %rdi
#define cursor %rsi
#define zero %rax

	.text
	.p2align 6
	.globl	folioscope_mov_r64_down
	.type	folioscope_mov_r64_down, @function
folioscope_mov_r64_down:
	.cfi_startproc
	endbr64
	addq	start, cursor
	xorl	%eax, %eax
	cmpq	start, cursor
	je	2f
	.p2align 4
1:
	subq	$64, cursor
	movq	zero, 56(cursor)
	movq	zero, 48(cursor)
	movq	zero, 40(cursor)
	movq	zero, 32(cursor)
	movq	zero, 24(cursor)
	movq	zero, 16(cursor)
	movq	zero, 8(cursor)
	movq	zero, (cursor)
	cmpq	start, cursor
	jne	1b
2:
	ret
	.cfi_endproc
	.size	folioscope_mov_r64_down, . - folioscope_mov_r64_down

	.section .note.GNU-stack, "", @progbits
