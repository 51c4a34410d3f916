package main

type sink interface{ put(int) }

type pipe struct{ c chan int }

func (p pipe) put(v int) { p.c <- v }

func pick(out bool) sink {
	if out {
		return pipe{make(chan int, 1)}
	}
	return nil
}

func main() {
	if s := pick(true); s != nil {
		s.put(1)
	}
	if s := pick(false); s != nil {
		s.put(1)
		panic("nil has a method")
	}
}
