package main

import (
	"bytes"
	"fmt"
	"os"
	"syscall"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// A terminal shows colours, unless NO_COLOR says that nobody wants them, or it knows none.
func TestColoursOfTerminal(t *testing.T) {
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("there are no pseudo-terminals: %v", err)
	}
	defer master.Close()
	control := func(request uintptr, v *int32) {
		_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, master.Fd(), request, uintptr(unsafe.Pointer(v)))
		require.Zero(t, errno)
	}
	var locked, n int32
	control(syscall.TIOCSPTLCK, &locked)
	control(syscall.TIOCGPTN, &n)
	terminal, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("there are no pseudo-terminals: %v", err)
	}
	defer terminal.Close()
	t.Setenv("TERM", "xterm")
	t.Setenv("NO_COLOR", "")
	require.NoError(t, printReport(terminal, "a TestA: 1 real error\n"))
	t.Setenv("NO_COLOR", "1")
	require.NoError(t, printReport(terminal, "plain: 1 real error\n"))
	t.Setenv("NO_COLOR", "")
	t.Setenv("TERM", "dumb")
	require.NoError(t, printReport(terminal, "dumb: 1 real error\n"))
	var got bytes.Buffer
	for !bytes.HasSuffix(got.Bytes(), []byte("dumb: 1 real error\r\n")) { // which may come in parts
		part := make([]byte, 256)
		n, err := master.Read(part)
		require.NoError(t, err)
		got.Write(part[:n])
	}
	require.Equal(t, "a TestA: \x1b[1;31m1 real error\x1b[0m\r\nplain: 1 real error\r\ndumb: 1 real error\r\n", got.String())
}
