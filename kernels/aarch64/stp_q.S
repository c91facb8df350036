// SPDX-License-Identifier: Apache-2.0
// stp_q: pairs of 16-byte vector stores, two a line.
//
// Assumptions: to in x0, n in x1; clobbers v0, x0, x1, flags; no features beyond Advanced SIMD, which arm64 Linux
// requires; extents are multiples of 64 and aligned to it, and may be empty.

#define cursor x0
#define end x1

	.text
	.p2align 6
	.globl	folioscope_stp_q
	.type	folioscope_stp_q, %function
folioscope_stp_q:
	.cfi_startproc
	hint	#34		// bti c
	movi	v0.2d, #0
	add	end, cursor, end
	cmp	cursor, end
	b.eq	2f
	.p2align	4
1:
	stp	q0, q0, [cursor]
	stp	q0, q0, [cursor, #32]
	add	cursor, cursor, #64
	cmp	cursor, end
	b.ne	1b
2:
	ret
	.cfi_endproc
	.size	folioscope_stp_q, . - folioscope_stp_q

	.section .note.GNU-stack, "", %progbits
