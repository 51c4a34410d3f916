package main

import (
	"bufio"
	"fmt"
	"math/rand"
	randv2 "math/rand/v2"
	"os"
	"strings"
)

type settings struct {
	Sizes [2]int
	Next  *settings
	Any   any
	f     func()
}

// Numbers come from outside by generic functions, by interfaces, and through pointers.
func main() {
	c, d, e, f := make(chan int), make(chan int), make(chan int), make(chan int)
	if randv2.N(5) == 3 {
		<-c // want "deadlock"
	}
	var src rand.Source = rand.NewSource(int64(len(os.Args)))
	if src.Int63()%2 == 0 { // under "unknown-call"
		<-d // want "deadlock"
	}
	var n int
	var s settings
	r := bufio.NewReader(strings.NewReader("1 2 3"))
	fmt.Fscan(r, &n, &s.Sizes[0])
	if n == 1 && s.Sizes[0] == 2 {
		<-e // want "deadlock" // unconfirmed "behind what is random"
	}
	<-f // unreal "deadlock"
}
