package main

func main() {
	in, out := make(chan int), make(chan int, 1)
	go func() {
		in <- 1
		in <- 2
		close(in)
	}()
	n := 0
	for in != nil {
		select {
		case v, ok := <-in:
			if !ok {
				in = nil
				break
			}
			n += v
		case out <- n:
			<-out
		}
	}
	select {
	case <-in: // never ready
	case v := <-out:
		panic(v)
	default:
		return
	}
	panic("not the default")
}
