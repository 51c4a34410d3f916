package main

import "syscall"

const (
	auditArch      = 0xc000003e
	sysBPF         = 321
	sysUserfaultfd = 323
)

// oldRefused are the forms without a directory.
var oldRefused = []uint32{syscall.SYS_SYMLINK, syscall.SYS_MKNOD}
