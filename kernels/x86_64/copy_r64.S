// SPDX-License-Identifier: Apache-2.0
// copy_r64: copies through general registers, one line an iteration: the copy Linux falls back to.
//
// Assumptions: to in rdi, from in rsi, n in rdx; the extents do not overlap; clobbers rax, rcx, r8, r9, rdi, rsi, rdx,
// flags; no features; extents are multiples of 64 and aligned to it, and may be empty.

#define cursor %rdi
#define source %rsi
#define end %rdx

	.text
	.p2align 6
	.globl	folioscope_copy_r64
	.type	folioscope_copy_r64, @function
folioscope_copy_r64:
	.cfi_startproc
	endbr64
	addq	cursor, end
	cmpq	end, cursor
	je	2f
	.p2align 4
1:
	movq	(source), %rax
	movq	8(source), %rcx
	movq	16(source), %r8
	movq	24(source), %r9
	movq	%rax, (cursor)
	movq	%rcx, 8(cursor)
	movq	%r8, 16(cursor)
	movq	%r9, 24(cursor)
	movq	32(source), %rax
	movq	40(source), %rcx
	movq	48(source), %r8
	movq	56(source), %r9
	movq	%rax, 32(cursor)
	movq	%rcx, 40(cursor)
	movq	%r8, 48(cursor)
	movq	%r9, 56(cursor)
	addq	$64, source
	addq	$64, cursor
	cmpq	end, cursor
	jne	1b
2:
	ret
	.cfi_endproc
	.size	folioscope_copy_r64, . - folioscope_copy_r64

	.section .note.GNU-stack, "", @progbits
