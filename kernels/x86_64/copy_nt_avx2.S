// SPDX-License-Identifier: Apache-2.0
// copy_nt_avx2: copies with 32-byte loads and non-temporal stores: the copy stays out of the caches, its source does
// not.
//
// Assumptions: to in rdi, from in rsi, n in rdx; the extents do not overlap; clobbers ymm0, ymm1, rdi, rsi, rdx, flags;
// feature avx2; extents are multiples of 64 and aligned to it, and may be empty. No fence: that is a factor of the
// measurement. vzeroupper at the end spares later SSE code the transition penalty (Intel Optimization Manual, mixing
// AVX and SSE).

#define cursor %rdi
#define source %rsi
#define end %rdx

	.text
	.p2align 6
	.globl	folioscope_copy_nt_avx2
	.type	folioscope_copy_nt_avx2, @function
folioscope_copy_nt_avx2:
	.cfi_startproc
	endbr64
	addq	cursor, end
	cmpq	end, cursor
	je	2f
	.p2align 4
1:
	vmovdqa	(source), %ymm0
	vmovdqa	32(source), %ymm1
	vmovntdq %ymm0, (cursor)
	vmovntdq %ymm1, 32(cursor)
	addq	$64, source
	addq	$64, cursor
	cmpq	end, cursor
	jne	1b
2:
	vzeroupper
	ret
	.cfi_endproc
	.size	folioscope_copy_nt_avx2, . - folioscope_copy_nt_avx2

	.section .note.GNU-stack, "", @progbits
