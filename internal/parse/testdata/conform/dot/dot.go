package dot

import (
	"fmt"
	. "sync"
	. "time"
)

type hidden struct{ Mutex }

// D promotes Lock through an unexported field.
type D struct{ hidden }

// Hidden is D for method expressions.
type Hidden = D

type pointed struct{ *Mutex }

// Pointed promotes Lock through a pointer in an unexported field.
type Pointed struct {
	n int
	pointed
}

// Init gives it a mutex.
func Init(p *Pointed) { p.Mutex = new(Mutex) }

func New() *D { return &D{} }

func Run() {
	var m Mutex
	m.Lock()
	m.Unlock()
	var wg WaitGroup
	wg.Go(func() { Sleep(1) })
	wg.Wait()
	OnceFunc(func() { fmt.Println("dot once") })()
	AfterFunc(1, func() { fmt.Println("after"); m.Lock() })
	for m.TryLock() {
		m.Unlock()
		Sleep(Millisecond)
	}
}
