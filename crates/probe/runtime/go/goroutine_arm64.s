// func goroutine() uintptr; 4 is NOSPLIT.
TEXT ·goroutine(SB), 4, $0-8
	MOVD g, R0
	MOVD R0, ret+0(FP)
	RET
