package main

func closeAll(cs ...chan int) {
	for _, c := range cs {
		close(c)
	}
}

func main() {
	a, b, c := make(chan int), make(chan int), make(chan int)
	closeAll()
	closeAll(a)
	rest := []chan int{b, c}
	closeAll(rest...)
	<-a
	<-b
	<-c
}
