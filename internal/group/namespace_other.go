//go:build unix && !linux

package group

import "syscall"

// alone: there are no namespaces of processes.
func alone(*syscall.SysProcAttr) bool { return false }
