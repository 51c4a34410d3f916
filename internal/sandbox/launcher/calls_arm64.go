package main

const (
	auditArch      = 0xc00000b7
	sysBPF         = 280
	sysUserfaultfd = 282
)

var oldRefused []uint32
