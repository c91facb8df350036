// SPDX-License-Identifier: Apache-2.0
// dc_gzva: DC GZVA: zeroes a block and sets the allocation tags of its granules to the tag in the address, as Linux
// clears a page for a tagged mapping.
//
// Assumptions: to in x0, n in x1, their logical tag (bits 59 to 56) is the tag stored; clobbers x0 to x3, flags;
// features zva and mte; the mapping has PROT_MTE, else the tags are not stored and this is DC ZVA (Arm ARM, DC GZVA);
// DCZID_EL0.DZP is clear (feature zva: else the instruction traps); extents are multiples of the block and aligned to
// it, and may be empty.

	.arch armv8.5-a+memtag

#define cursor x0
#define end x1
#define block x2
#define four x3

	.text
	.p2align 6
	.globl	folioscope_dc_gzva
	.type	folioscope_dc_gzva, %function
folioscope_dc_gzva:
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
	dc	gzva, cursor
	add	cursor, cursor, block
	cmp	cursor, end
	b.ne	1b
2:
	ret
	.cfi_endproc
	.size	folioscope_dc_gzva, . - folioscope_dc_gzva

	.section .note.GNU-stack, "", %progbits
