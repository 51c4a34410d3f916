package races

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"strings"
	"sync"
)

// Functions of libraries that only forward to the reader or writer that they are given:
// whether they order something is decided by what that is.

// counter counts what is written to it, and passes it on.
type counter struct {
	n   int
	out io.Writer
}

func (c *counter) Write(p []byte) (int, error) {
	c.n++
	return c.out.Write(p)
}

type lockedCounter struct {
	sync.Mutex
	counter
}

func (c *lockedCounter) Write(p []byte) (int, error) {
	c.Lock()
	defer c.Unlock()
	return c.counter.Write(p)
}

// memo keeps what is written to it.
type memo struct{ kept bytes.Buffer }

func (m *memo) Write(p []byte) (int, error) { return m.kept.Write(p) }

// letters reads for ever.
type letters struct{ n int }

func (l *letters) Read(p []byte) (int, error) {
	l.n++
	return copy(p, "a b\n"), nil
}

type prefixed struct {
	io.Writer
	prefix string
}

func RacyForwardFlush() {
	c := &counter{out: io.Discard}
	f := func() {
		w := bufio.NewWriter(c)
		_, _ = w.WriteString("a")
		_ = w.Flush()
	}
	both(f, f)
}

func RacyForwardDeferred() {
	c := &counter{out: io.Discard}
	f := func() {
		w := bufio.NewWriter(c)
		defer w.Flush()
		_ = w.WriteByte('a')
	}
	both(f, f)
}

func RacyForwardPrint() {
	c := &counter{out: io.Discard}
	f := func() { fmt.Fprintf(c, "%d", len(c.label())) }
	both(f, f)
}

func (c *counter) label() string { return "a" }

func RacyForwardPrefixed() {
	c := &counter{out: io.Discard}
	w := prefixed{c, "a"}
	f := func() { fmt.Fprintln(w, "b") }
	both(f, f)
}

func RacyForwardSeveral() {
	c := &counter{out: io.Discard}
	w := io.MultiWriter(io.Discard, c)
	f := func() { _, _ = io.WriteString(w, "a") }
	both(f, f)
}

func RacyForwardEncoder() {
	c := &counter{out: io.Discard}
	f := func() {
		e := json.NewEncoder(c)
		_ = e.Encode([]string{"a"})
	}
	both(f, f)
}

func RacyForwardScanner() {
	l := &letters{}
	f := func() {
		s := bufio.NewScanner(l)
		s.Split(bufio.ScanWords)
		s.Scan()
	}
	both(f, f)
}

func RacyForwardReader() {
	l := &letters{}
	f := func() {
		var p [2]byte
		_, _ = io.ReadFull(l, p[:])
	}
	both(f, f)
}

func RacyForwardRecords() {
	l := &letters{}
	f := func() {
		r := csv.NewReader(l)
		_, _ = r.Read()
	}
	both(f, f)
}

func RacyForwardCopy() {
	c := &counter{out: io.Discard}
	f := func() { _, _ = io.Copy(c, strings.NewReader("a")) }
	both(f, f)
}

// What is behind two values that are made of it.
func RacyForwardMade() {
	c := &counter{out: io.Discard}
	f := func() { _ = json.NewEncoder(c).Encode("a") }
	both(f, f)
}

func RacyForwardBuffer() {
	var b bytes.Buffer
	v, w := bufio.NewWriter(&b), bufio.NewWriter(&b)
	_, _ = v.WriteString("a")
	_, _ = w.WriteString("b")
	both(func() { _ = v.Flush() }, func() { _ = w.Flush() })
}

func RacyForwardMemo() {
	m := &memo{}
	f := func() {
		w := bufio.NewWriter(m)
		_, _ = w.WriteString("a")
		_ = w.Flush()
	}
	both(f, f)
}

func SafeForwardOwn() {
	f := func() {
		w := bufio.NewWriter(&counter{out: io.Discard})
		defer w.Flush()
		fmt.Fprint(w, "a")
	}
	both(f, f)
}

func SafeForwardLocked() {
	c := &lockedCounter{counter: counter{out: new(bytes.Buffer)}}
	f := func() {
		w := bufio.NewWriter(c)
		fmt.Fprint(w, "a")
		_ = w.Flush()
		fmt.Fprint(c, "b")
	}
	both(f, f)
}

// lockedBuffer has a buffer that nobody writes to without the lock.
type lockedBuffer struct {
	sync.Mutex
	*bytes.Buffer
}

func (g *lockedBuffer) Write(p []byte) (int, error) {
	g.Lock()
	defer g.Unlock()
	return g.Buffer.Write(p)
}

func SafeForwardGuarded() {
	g := &lockedBuffer{Buffer: new(bytes.Buffer)}
	f := func() {
		w := bufio.NewWriter(g)
		fmt.Fprint(w, "a")
		_ = w.Flush()
		fmt.Fprint(g, "b")
	}
	both(f, f)
}

// A logger has a lock, and calls the writer with it.
func SafeLoggerWriter() {
	c := &counter{out: io.Discard}
	l := log.New(c, "", 0)
	f := func() { l.Printf("a") }
	both(f, f)
}

func SafeLoggerMemo() {
	m := &memo{}
	l := log.New(m, "", 0)
	f := func() { l.Print("a"); l.Println("b") }
	both(f, f)
}

func RacyForwardLogger() {
	c := &counter{out: io.Discard}
	l := log.New(c, "", 0)
	f := func() {
		w := bufio.NewWriter(l.Writer())
		_ = w.WriteByte('a')
		l.Print("b")
		_ = w.Flush()
	}
	both(f, f)
}
