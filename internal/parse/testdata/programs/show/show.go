// Package show says what a conformance program is. It is not instrumented.
package show

import (
	"fmt"
	"strings"
	"sync"
)

// Program exercises a group of constructs.
type Program struct {
	Name string
	Run  func(*Out)
	// Allowed are the outputs that the language allows. Random schedules must
	// give each of them, and nothing else must ever come out.
	Allowed []string
	// Fine are allowed too, but need a switch of goroutines between statements
	// without an operation.
	Fine []string
	// Controlled programs may end badly and are only run under control. The
	// kind of the end stands in brackets after the output.
	Controlled bool
}

// Out collects what a program prints, with spaces between.
type Out struct {
	mu    sync.Mutex
	words []string
}

// Print prints operands with spaces between them.
func (o *Out) Print(args ...any) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.words = append(o.words, strings.TrimSuffix(fmt.Sprintln(args...), "\n"))
}

// String is what has been printed.
func (o *Out) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return strings.Join(o.words, " ")
}

// Panics calls f and returns what it panics with.
func Panics(f func()) (v any) {
	defer func() { v = recover() }()
	f()
	return nil
}
