package main

import (
	"log"
	"os"
)

func main() {
	c := make(chan int)
	go func() {
		if len(os.Args) > 100 {
			log.Fatal("many arguments")
		}
		close(c)
	}()
	<-c
	log.Fatalf("always") // want "exit" // note "every run ends so"
}
