// SPDX-License-Identifier: Apache-2.0
// stp_x: pairs of 8-byte stores of the zero register, one 64-byte line an iteration.
//
// Assumptions: to in x0, n in x1; clobbers x0, x1, flags; no features; extents are multiples of 64 and aligned to it,
// and may be empty.

#define cursor x0
#define end x1

	.text
	.p2align 6
	.globl	folioscope_stp_x
	.type	folioscope_stp_x, %function
folioscope_stp_x:
	.cfi_startproc
	hint	#34		// bti c
	add	end, cursor, end
	cmp	cursor, end
	b.eq	2f
	.p2align	4
1:
	stp	xzr, xzr, [cursor]
	stp	xzr, xzr, [cursor, #16]
	stp	xzr, xzr, [cursor, #32]
	stp	xzr, xzr, [cursor, #48]
	add	cursor, cursor, #64
	cmp	cursor, end
	b.ne	1b
2:
	ret
	.cfi_endproc
	.size	folioscope_stp_x, . - folioscope_stp_x

	.section .note.GNU-stack, "", %progbits
