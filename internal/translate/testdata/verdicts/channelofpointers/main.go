package main

type task struct {
	done chan bool
	n    int
}

func main() {
	in := make(chan *task, 2)
	go func() {
		for t := range in {
			t.n++ // want "panic"
			t.done <- true
		}
	}()
	t := &task{done: make(chan bool)}
	in <- t
	<-t.done
	if t.n != 1 {
		panic("another task")
	}
	in <- nil // its fields are those of nothing
	close(in)
	<-t.done
}
