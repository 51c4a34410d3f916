package p

var (
	srv   = start()
	ticks = make(chan int)
)

type server struct {
	req chan int
	n   int
}

func start() *server {
	s := &server{req: make(chan int)}
	go s.loop()
	return s
}

func (s *server) loop() {
	go flush(s)
	for r := range s.req {
		s.n += r
	}
}

// flush is started by a goroutine that initialisation has started.
func flush(s *server) {
	for {
		select {
		case <-ticks:
		}
	}
}

// Add uses the daemon of the package.
func Add(n int) { srv.req <- n }
