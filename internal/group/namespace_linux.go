package group

import "syscall"

// alone reports whether a command is the first process of a namespace of processes. It cannot join a
// group that is outside of it. All in the namespace end with it; that it ends with this process it
// sees to itself, as that of package sandbox does.
func alone(attr *syscall.SysProcAttr) bool { return attr.Cloneflags&syscall.CLONE_NEWPID != 0 }
