package main

func main() {
	var chans []chan int
	for range 3 {
		chans = append(chans, make(chan int))
	}
	for i, c := range chans {
		go func() { c <- i }()
	}
	for i, c := range chans {
		if <-c != i {
			panic("mixed up")
		}
	}
}
