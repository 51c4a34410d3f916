package main

import (
	"log"
	"os"
)

// The methods of a logger end the program as the functions do.
func main() {
	l := log.New(os.Stderr, "", 0)
	which := make(chan int, 1)
	select {
	case which <- 0:
	case which <- 1:
	case which <- 2:
	case which <- 3:
	case which <- 4:
	case which <- 5:
	}
	switch <-which {
	case 0:
		l.Fatal("over") // want "exit"
	case 1:
		l.Fatalf("over") // want "exit"
	case 2:
		l.Fatalln("over") // want "exit"
	case 3:
		log.Fatalln("over") // want "exit"
	case 4:
		<-which // want "deadlock"
	case 5:
		return
	}
	panic("not over")
}
