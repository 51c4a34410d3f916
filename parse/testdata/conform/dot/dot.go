package dot

import (
	"fmt"
	. "sync"
	. "time"
)

type hidden struct{ Mutex }

// D promotes Lock through an unexported field.
type D struct{ hidden }

func New() *D { return &D{} }

func Run() {
	var m Mutex
	m.Lock()
	m.Unlock()
	var wg WaitGroup
	wg.Go(func() { Sleep(1) })
	wg.Wait()
	AfterFunc(1, func() { fmt.Println("after"); m.Lock() })
	for m.TryLock() {
		m.Unlock()
		Sleep(Millisecond)
	}
}
