package parse

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// A program that is recorded is built with a Go runtime that tells who has met whom: which send a
// receive has got its value of, through the buffer of a channel too, and who has woken a waiter. That
// is a copy of the installed one, in the overlay, with some statements more. Nothing that the
// runtime does changes, and package context cancels with channels that can be told apart. The
// places of the statements are found by the text around them, of which each is there exactly once;
// in a version of Go where one is not, nothing is changed.

//go:embed toolchain/runtime.go.txt
var toolchainRuntime []byte

//go:embed toolchain/local.go.txt
var toolchainLocal []byte

// localFile is the file of the runtime package that the recorder finds its state in.
const localFile = "local.go"

// toolchainFile is the name of what is added to the Go runtime.
const toolchainFile = "runtime/zz_vtrace.go"

// insertion is a text of a file of the standard library, and what to have in its place.
type insertion struct{ file, old, new string }

var insertions = []insertion{
	{"runtime/chan.go", "\tbubble   *synctestBubble\n", "\tbubble   *synctestBubble\n\tvtrace   vtraceChan\n"},
	{"runtime/chan.go", "c = (*hchan)(mallocgc(hchanSize, nil, true))", "c = (*hchan)(mallocgc(hchanSize+vtraceSlots(size), nil, true))"},
	{"runtime/chan.go", "c = (*hchan)(mallocgc(hchanSize+mem, nil, true))", "c = (*hchan)(mallocgc(hchanSize+alignUp(mem, 8)+vtraceSlots(size), nil, true))"},
	{"runtime/chan.go", "\tc.elemsize = uint16(elem.Size_)\n", "\tc.vtraceInit(elem, mem, size)\n\tc.elemsize = uint16(elem.Size_)\n"},
	// chansend into the buffer, chanrecv from it.
	{"runtime/chan.go", "\t\tqp := chanbuf(c, c.sendx)\n", "\t\tqp := chanbuf(c, c.sendx)\n\t\tc.vtracePut(c.sendx)\n"},
	{"runtime/chan.go", "\t\tqp := chanbuf(c, c.recvx)\n\t\tif raceenabled {\n\t\t\tracenotify(c, c.recvx, nil)\n\t\t}\n", "\t\tqp := chanbuf(c, c.recvx)\n\t\tc.vtraceTake(c.recvx)\n\t\tif raceenabled {\n\t\t\tracenotify(c, c.recvx, nil)\n\t\t}\n"},
	// send to a waiting receiver, recv from a waiting sender.
	{"runtime/chan.go", "\tif sg.elem.get() != nil {\n\t\tsendDirect(", "\tvtraceMeet(sg.g)\n\tif sg.elem.get() != nil {\n\t\tsendDirect("},
	{"runtime/chan.go", "\t\tif ep != nil {\n\t\t\t// copy data from sender\n", "\t\tvtraceMeet(sg.g)\n\t\tif ep != nil {\n\t\t\t// copy data from sender\n"},
	{"runtime/chan.go", "\t\t// copy data from queue to receiver\n", "\t\tc.vtraceTurn(c.recvx, sg.g)\n\t\t// copy data from queue to receiver\n"},
	{"runtime/chan.go", "\tc.closed = 1\n", "\tc.vtraceClose()\n\tc.closed = 1\n"},
	// chanrecv from a closed channel.
	{"runtime/chan.go", "\t\tif c.qcount == 0 {\n\t\t\tif raceenabled {\n\t\t\t\traceacquire(c.raceaddr())\n\t\t\t}\n\t\t\tunlock(&c.lock)\n", "\t\tif c.qcount == 0 {\n\t\t\tc.vtraceSeesClosed()\n\t\t\tif raceenabled {\n\t\t\t\traceacquire(c.raceaddr())\n\t\t\t}\n\t\t\tunlock(&c.lock)\n"},
	// selectgo has its own code for buffers.
	{"runtime/select.go", "\tqp = chanbuf(c, c.recvx)\n", "\tqp = chanbuf(c, c.recvx)\n\tc.vtraceTake(c.recvx)\n"},
	{"runtime/select.go", "\ttypedmemmove(c.elemtype, chanbuf(c, c.sendx), cas.elem)\n", "\tc.vtracePut(c.sendx)\n\ttypedmemmove(c.elemtype, chanbuf(c, c.sendx), cas.elem)\n"},
	{"runtime/runtime2.go", "\tvalgrindStackID uintptr\n}\n", "\tvalgrindStackID uintptr\n\n\tvtrace vtraceG\n}\n"},
	{"runtime/proc.go", "\tgp.labels = nil\n", "\tgp.labels = nil\n\tgp.vtrace = vtraceG{}\n"},
	{"runtime/proc.go", "\t\tnewg.bubble = callergp.bubble\n", "\t\tnewg.bubble = callergp.bubble\n\t\tvtraceStart(callergp, newg)\n"},
	// vtraceLeaks needs it; nothing is changed.
	{"runtime/mgc.go", "\nfunc goroutineLeakGC() {\n", "\nfunc goroutineLeakGC() {\n"},
	// Signal and Broadcast of a Cond.
	{"runtime/sema.go", "\t\treadyWithTime(s, 4)\n\t\ts = next\n", "\t\tvtraceWakes(s.g)\n\t\treadyWithTime(s, 4)\n\t\ts = next\n"},
	{"runtime/sema.go", "\t\t\treadyWithTime(s, 4)\n\t\t\treturn\n", "\t\t\tvtraceWakes(s.g)\n\t\t\treadyWithTime(s, 4)\n\t\t\treturn\n"},
	// A context that is cancelled before anybody has asked for its channel has one for all such, which nobody of the program has closed.
	{"context/context.go", "\t\tc.done.Store(closedchan)\n", "\t\td = make(chan struct{})\n\t\tclose(d)\n\t\tc.done.Store(d)\n"},
}

// ToolchainError says that an installed Go runtime is not one that is known, so that recordings do
// not have the partners of operations.
type ToolchainError struct{ Reason string }

func (e *ToolchainError) Error() string { return "the Go runtime: " + e.Reason }

// Recorded makes the overlay one of a program that can be recorded with the partners of its
// operations: with the Go runtime of an installation of Go that tells them. After a
// *ToolchainError the overlay is as it was, and the program can be recorded without them.
func (o *Overlay) Recorded(goroot string) error {
	files := map[string][]byte{toolchainFile: toolchainRuntime}
	for _, in := range insertions {
		name := in.file
		if files[name] == nil {
			data, err := os.ReadFile(filepath.Join(goroot, "src", filepath.FromSlash(name)))
			if err != nil {
				return &ToolchainError{err.Error()}
			}
			files[name] = data
		}
		text := string(files[name])
		if n := strings.Count(text, in.old); n != 1 {
			return &ToolchainError{fmt.Sprintf("%s has %d times what is there once in the version that is known", in.file, n)}
		}
		files[name] = []byte(strings.Replace(text, in.old, in.new, 1))
	}
	local, err := renamePackage(localFile, toolchainLocal)
	if err != nil {
		return err
	}
	o.Toolchain = files
	o.Runtime[localFile] = local
	return nil
}
