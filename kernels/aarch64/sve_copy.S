// SPDX-License-Identifier: Apache-2.0
// sve_copy: copies one SVE vector an iteration.
//
// Assumptions: to in x0, from in x1, n in x2; the extents do not overlap; clobbers z0, p0, x3, flags; feature sve; the
// vector length is asked nowhere: the predicate of each iteration covers what is left, whatever the length; any
// extent.

	.arch armv8.2-a+sve

#define base x0
#define source x1
#define total x2
#define done x3

	.text
	.p2align 6
	.globl	folioscope_sve_copy
	.type	folioscope_sve_copy, %function
folioscope_sve_copy:
	.cfi_startproc
	hint	#34		// bti c
	mov	done, #0
	whilelo	p0.b, done, total
	b.none	2f
	.p2align	4
1:
	ld1b	{z0.b}, p0/z, [source, done]
	st1b	{z0.b}, p0, [base, done]
	incb	done
	whilelo	p0.b, done, total
	b.first	1b
2:
	ret
	.cfi_endproc
	.size	folioscope_sve_copy, . - folioscope_sve_copy

	.section .note.GNU-stack, "", %progbits
