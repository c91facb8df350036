// SPDX-License-Identifier: Apache-2.0
// stnp_q: pairs of 16-byte vector stores with the non-temporal hint.
//
// Assumptions: to in x0, n in x1; clobbers v0, x0, x1, flags; no features beyond Advanced SIMD; extents are multiples
// of 64 and aligned to it, and may be empty. STNP is a hint that the line is not needed soon (Arm ARM, Load/Store Non-
// temporal Pair): a core may treat it as STP, so nothing here assumes that it bypasses a cache.

#define cursor x0
#define end x1

	.text
	.p2align 6
	.globl	folioscope_stnp_q
	.type	folioscope_stnp_q, %function
folioscope_stnp_q:
	.cfi_startproc
	hint	#34		// bti c
	movi	v0.2d, #0
	add	end, cursor, end
	cmp	cursor, end
	b.eq	2f
	.p2align	4
1:
	stnp	q0, q0, [cursor]
	stnp	q0, q0, [cursor, #32]
	add	cursor, cursor, #64
	cmp	cursor, end
	b.ne	1b
2:
	ret
	.cfi_endproc
	.size	folioscope_stnp_q, . - folioscope_stnp_q

	.section .note.GNU-stack, "", %progbits
