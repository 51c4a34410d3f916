package main

import "sync"

type writer interface{ write(s string) int }

type file struct{ lines []string }

func (f *file) write(s string) int {
	f.lines = append(f.lines, s)
	return len(s)
}

// logger looks whether it is open and then writes, each under the lock.
type logger struct {
	mu  sync.Mutex
	out writer
	tmp *file
}

func (l *logger) isOpen() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.out != nil
}

func (l *logger) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.out, l.tmp = nil, nil
}

func (l *logger) print(s string) {
	if !l.isOpen() {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.out.write(s)           // want "panic"
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
