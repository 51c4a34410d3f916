// Package main panics by each of the functions of package log.
package main

import (
	"log"
	"os"
)

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
		log.Panic("over") // want "panic"
	case 1:
		log.Panicf("over") // want "panic"
	case 2:
		log.Panicln("over") // want "panic"
	case 3:
		l.Panic("over") // want "panic"
	case 4:
		l.Panicf("over") // want "panic"
	case 5:
		l.Panicln("over") // want "panic"
	}
	<-which
}
