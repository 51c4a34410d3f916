package testmainvariable

import (
	"os"
	"testing"
)

type server struct{ in, quit chan int }

var running *server

func (s *server) serve() {
	for {
		select {
		case <-s.in:
		case <-s.quit:
			return
		}
	}
}

func TestMain(m *testing.M) { // under "test-main"
	running = &server{make(chan int), make(chan int)}
	go running.serve()
	code := m.Run()
	close(running.quit)
	os.Exit(code)
}

func TestProgram(t *testing.T) {
	running.in <- 1 // unreal "bound exceeded"
}
