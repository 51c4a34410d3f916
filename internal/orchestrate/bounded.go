package orchestrate

import (
	"fmt"
	"sync"
)

// boundedWriter keeps the first and the last half of max bytes written to it:
// what a program says at its end is what matters most. It is safe for
// concurrent use.
type boundedWriter struct {
	max int

	mu      sync.Mutex
	head    []byte
	tail    []byte // ring of max/2 bytes once it is full
	next    int    // where the ring is written next
	dropped int64
}

func (w *boundedWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := len(p)
	half := w.max / 2
	if room := half - len(w.head); room > 0 {
		k := min(room, len(p))
		w.head = append(w.head, p[:k]...)
		p = p[k:]
	}
	if room := half - len(w.tail); room > 0 {
		k := min(room, len(p))
		w.tail = append(w.tail, p[:k]...)
		p = p[k:]
	}
	w.dropped += int64(len(p))
	if len(p) > half {
		p = p[len(p)-half:]
	}
	for len(p) > 0 {
		k := copy(w.tail[w.next:], p)
		w.next = (w.next + k) % half
		p = p[k:]
	}
	return n, nil
}

// String is what was kept, with a remark where something was dropped.
func (w *boundedWriter) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := string(w.head)
	if w.dropped > 0 {
		out += fmt.Sprintf("\n... %d bytes dropped ...\n", w.dropped)
	}
	return out + string(w.tail[w.next:]) + string(w.tail[:w.next])
}
