package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// closers are a client and a server of which each waits for the other one to close a channel of the same name.
const closers = `package main

type server struct {
	requests chan int
	done     chan bool
}

type client struct{ done chan bool }

func newServer() *server { return &server{make(chan int), make(chan bool)} }
func newClient() *client { return &client{make(chan bool)} }

func (c *server) run(to *client) {
	<-c.requests
	<-to.done
	close(c.done)
}

func (c *client) run(s *server) {
	s.requests <- 1
	<-s.done
	close(c.done)
}

func (c *client) stop() {
	<-c.done
}

func main() {
	s, c := newServer(), newClient()
	go s.run(c)
	go c.run(s)
	c.stop()
}
`

// TestObjects: reports say where objects were made, and nothing of another object that has the same name. So does
// explore.
func TestObjects(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/m\n\ngo 1.26\n"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte(closers), 0o644))
	for _, args := range [][]string{{"check", "-o", "-", dir}, {"explore", "-runs", "3", dir}, {"explore", "-exhaustive", dir}} {
		code, stdout, stderr := execute(t, args...)
		require.Equal(t, exitReal, code, "%s%s", stdout, stderr)
		require.Contains(t, stdout, "goroutine 0 waits at main.go:26 to receive from c.done (made at main.go:11), and nobody who is left sends on it: goroutine 0.2 does not come to `close(c.done)` at main.go:22\n")
		require.Contains(t, stdout, "   objects, and where they were made:\n")
		require.Contains(t, stdout, " at main.go:11: func newClient() *client { return &client{make(chan bool)} }\n")
		require.Contains(t, stdout, "     s.done at main.go:10: ")
		require.NotContains(t, stdout, "chan#")
	}
}
