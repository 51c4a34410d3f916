package main

import (
	"io"
	"strings"
	"sync"
)

type reader struct {
	mu sync.Mutex
	r  io.Reader
}

func (r *reader) Read(p []byte) (int, error) {
	r.mu.Lock() // missed "deadlock"
	defer r.mu.Unlock()
	return r.r.Read(p)
}

func main() {
	r := &reader{r: strings.NewReader("text")}
	io.Copy(io.Discard, r) // under "unknown-call"
	r.mu.Lock()
	io.Copy(io.Discard, r) // under "unknown-call"
}
