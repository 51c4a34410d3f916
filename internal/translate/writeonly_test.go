package translate_test

import (
	"fmt"
	"testing"

	"github.com/vtrace/vtrace/internal/programs"
)

// TestWriteOnly checks that elements are kept where somebody reads them, whatever the
// way, and that slices whose elements are not kept have their lengths and identity.
func TestWriteOnly(t *testing.T) {
	cases := map[string]struct {
		text string // sets n
		n    int
	}{
		"not read":        {`b := make([]byte, 4000); for i := range b { b[i] = 1 }; n = len(b[100:200])`, 100},
		"appended":        {`b := make([]byte, 2, 3); b = append(b, 1); b = append(b, 2, 3); n = len(b)`, 5},
		"copied":          {`a, b := make([]byte, 5), make([]byte, 3); n = copy(a, b)`, 3},
		"nil":             {`b := make([]byte, 0); if b != nil { n = 1 }`, 1},
		"read":            {`b := make([]byte, 3); b[1] = 7; n = int(b[1])`, 7},
		"read by pointer": {`b := make([]byte, 3); b[1] = 7; n = int(read(&b[1]))`, 7},
		"read as a whole": {`b := [3]byte{0, 7, 0}; s := b[:]; s[1] = 8; c := b; n = int(c[1])`, 8},
		"read of a copy":  {`b := make([]byte, 3); b[1] = 7; c := append([]byte(nil), b...); n = int(c[1])`, 7},
		"read in a range": {`b := []byte{1, 2, 3}; for _, v := range b { n += int(v) }`, 6},
		"atomic":          {`b := make([]int32, 3); atomic.AddInt32(&b[2], 4); n = int(atomic.LoadInt32(&b[2]))`, 4},
	}
	texts := map[string]string{}
	for name, c := range cases {
		texts[name] = fmt.Sprintf(`package main

import "sync/atomic"

var _ = atomic.LoadInt32

func read(p *byte) byte { return *p }

func main() {
	ch := make(chan int, 1)
	n := 0
	%s
	ch <- n
	if n := <-ch; n != %d {
		panic("wrong")
	}
	panic("right")
}
`, c.text, c.n)
	}
	loaded, _ := programs.Together(t, texts)
	for name := range cases {
		t.Run(name, func(t *testing.T) {
			panicsRight(t, loaded[name], texts[name])
		})
	}
}
