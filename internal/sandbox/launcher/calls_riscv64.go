package main

const (
	auditArch      = 0xc00000f3
	sysBPF         = 280
	sysUserfaultfd = 282
)

var oldRefused []uint32
