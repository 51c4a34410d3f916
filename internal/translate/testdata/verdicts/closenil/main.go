package main

var c chan int

func main() {
	close(c) // want "close of nil channel"
}
