package p

var srv = start()

type server struct{ req chan int }

// start is called by initialisation and by the test: one goroutine belongs to
// the process, the other one to the test.
func start() *server {
	s := &server{req: make(chan int)}
	go s.loop()
	return s
}

func (s *server) loop() {
	for range s.req { // want "goroutine leak" // note "the test has the server, and has not stopped it"
	}
}
