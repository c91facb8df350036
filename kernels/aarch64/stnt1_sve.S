// SPDX-License-Identifier: Apache-2.0
// stnt1_sve: one SVE vector a store, with the non-temporal hint.
//
// Assumptions: to in x0, n in x1; clobbers z0, p0, x2, flags; feature sve; the vector length is asked nowhere: the
// predicate of each iteration covers what is left, whatever the length; any extent. STNT1B is a hint that the line is
// not needed soon: nothing here assumes that it bypasses a cache.

	.arch armv8.2-a+sve

#define base x0
#define total x1
#define done x2

	.text
	.p2align 6
	.globl	folioscope_stnt1_sve
	.type	folioscope_stnt1_sve, %function
folioscope_stnt1_sve:
	.cfi_startproc
	hint	#34		// bti c
	mov	z0.b, #0
	mov	done, #0
	whilelo	p0.b, done, total
	b.none	2f
	.p2align	4
1:
	stnt1b	{z0.b}, p0, [base, done]
	incb	done
	whilelo	p0.b, done, total
	b.first	1b
2:
	ret
	.cfi_endproc
	.size	folioscope_stnt1_sve, . - folioscope_stnt1_sve

	.section .note.GNU-stack, "", %progbits
