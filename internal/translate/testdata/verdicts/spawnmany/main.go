package main

func main() {
	c := make(chan int)
	for i := 0; i < 12; i++ {
		go func() { c <- i }()
	}
	for range 12 {
		<-c
	}
}
