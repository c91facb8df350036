// SPDX-License-Identifier: Apache-2.0
// stp_x_down: pairs of 8-byte stores like stp_x, each below the one before: what a descending stream alone costs.
//
// Assumptions: to in x0, n in x1; clobbers x1, flags; no features; extents are multiples of 64 and aligned to it, and
// may be empty.

#define start x0
#define cursor x1

	.text
	.p2align 6
	.globl	folioscope_stp_x_down
	.type	folioscope_stp_x_down, %function
folioscope_stp_x_down:
	.cfi_startproc
	hint	#34		// bti c
	add	cursor, start, cursor
	cmp	cursor, start
	b.eq	2f
	.p2align	4
1:
	stp	xzr, xzr, [cursor, #-16]
	stp	xzr, xzr, [cursor, #-32]
	stp	xzr, xzr, [cursor, #-48]
	stp	xzr, xzr, [cursor, #-64]!
	cmp	cursor, start
	b.ne	1b
2:
	ret
	.cfi_endproc
	.size	folioscope_stp_x_down, . - folioscope_stp_x_down

	.section .note.GNU-stack, "", %progbits
