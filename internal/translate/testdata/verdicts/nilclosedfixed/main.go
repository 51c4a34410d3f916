package main

import "sync"

type writer interface{ write(s string) int }

type file struct{ lines []string }

func (f *file) write(s string) int {
	f.lines = append(f.lines, s)
	return len(s)
}

// logger looks whether it is open and writes under one lock.
type logger struct {
	mu  sync.Mutex
	out writer
	tmp *file
}

func (l *logger) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.out, l.tmp = nil, nil
}

func (l *logger) print(s string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.out == nil {
		return
	}
	l.out.write(s)
	l.tmp.lines = []string{} // not reached with nil: both are set together
}

func main() {
	f := &file{}
	l := &logger{out: f, tmp: f}
	var wg sync.WaitGroup
	wg.Go(l.close)
	wg.Go(func() { l.print("a") })
	wg.Wait()
}
