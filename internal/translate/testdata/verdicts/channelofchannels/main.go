package main

type request struct {
	n     int
	reply chan int
}

func server(in chan request) {
	for r := range in {
		r.reply <- r.n + 1
	}
}

func main() {
	in := make(chan request)
	go server(in)
	for i := range 3 {
		r := request{i, make(chan int)}
		in <- r
		if <-r.reply != i+1 {
			panic("answer")
		}
	}
	close(in)
}
