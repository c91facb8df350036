// SPDX-License-Identifier: Apache-2.0
// dc_zva: one DC ZVA a block, not unrolled, the block's size read each call: the loop of Linux's clear_page. Zeroes
// whole blocks without reading them; whether it allocates in a cache is the core's business.
//
// Assumptions: to in x0, n in x1; clobbers x0 to x3, flags; DCZID_EL0.DZP is clear (feature zva: else the instruction
// traps); extents are multiples of the block and aligned to it, and may be empty. The block is 4 << DCZID_EL0.BS
// bytes, 16 B to 2 KiB (Arm ARM, DCZID_EL0).

#define cursor x0
#define end x1
#define block x2
#define four x3

	.text
	.p2align 6
	.globl	folioscope_dc_zva
	.type	folioscope_dc_zva, %function
folioscope_dc_zva:
	.cfi_startproc
	hint	#34		// bti c
	mrs	block, dczid_el0
	mov	four, #4
	and	block, block, #15
	lsl	block, four, block
	add	end, cursor, end
	cmp	cursor, end
	b.eq	2f
	.p2align	4
1:
	dc	zva, cursor
	add	cursor, cursor, block
	cmp	cursor, end
	b.ne	1b
2:
	ret
	.cfi_endproc
	.size	folioscope_dc_zva, . - folioscope_dc_zva

	.section .note.GNU-stack, "", %progbits
