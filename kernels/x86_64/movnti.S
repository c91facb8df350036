// SPDX-License-Identifier: Apache-2.0
// movnti: 8-byte non-temporal stores from a general register: bypasses the caches without FPU state, so Linux could use
// it.
//
// Assumptions: to in rdi, n in rsi; clobbers rax, rdi, rsi, flags; feature sse2; extents are multiples of 64 and
// aligned to it, and may be empty. No fence: that is a factor of the measurement.

#define cursor %rdi
#define end %rsi
#define zero %rax

	.text
	.p2align 6
	.globl	folioscope_movnti
	.type	folioscope_movnti, @function
folioscope_movnti:
	.cfi_startproc
	endbr64
	addq	cursor, end
	xorl	%eax, %eax
	cmpq	end, cursor
	je	2f
	.p2align 4
1:
	movnti	zero, (cursor)
	movnti	zero, 8(cursor)
	movnti	zero, 16(cursor)
	movnti	zero, 24(cursor)
	movnti	zero, 32(cursor)
	movnti	zero, 40(cursor)
	movnti	zero, 48(cursor)
	movnti	zero, 56(cursor)
	addq	$64, cursor
	cmpq	end, cursor
	jne	1b
2:
	ret
	.cfi_endproc
	.size	folioscope_movnti, . - folioscope_movnti

	.section .note.GNU-stack, "", @progbits
