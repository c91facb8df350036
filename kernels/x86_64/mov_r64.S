// SPDX-License-Identifier: Apache-2.0
// mov_r64: 8-byte stores from a general register, one line an iteration, as Linux unrolls its clear for CPUs without
// fast strings.
//
// Assumptions: to in rdi, n in rsi; clobbers rax, rdi, rsi, flags; no features; extents are multiples of 64 and aligned
// to it, and may be empty.

#define cursor %rdi
#define end %rsi
#define zero %rax

	.text
	.p2align 6
	.globl	folioscope_mov_r64
	.type	folioscope_mov_r64, @function
folioscope_mov_r64:
	.cfi_startproc
	endbr64
	addq	cursor, end
	xorl	%eax, %eax
	cmpq	end, cursor
	je	2f
	.p2align 4
1:
	movq	zero, (cursor)
	movq	zero, 8(cursor)
	movq	zero, 16(cursor)
	movq	zero, 24(cursor)
	movq	zero, 32(cursor)
	movq	zero, 40(cursor)
	movq	zero, 48(cursor)
	movq	zero, 56(cursor)
	addq	$64, cursor
	cmpq	end, cursor
	jne	1b
2:
	ret
	.cfi_endproc
	.size	folioscope_mov_r64, . - folioscope_mov_r64

	.section .note.GNU-stack, "", @progbits
