package main

import (
	"math/rand"
	"os"
	"strconv"
)

type sizer interface{ size(k, n int) int }

type fixed struct{}

func (fixed) size(k, n int) int { return n }

// A number from outside is on either side of what it is compared with, be that negative,
// and wherever it is handed to.
func main() {
	n, _ := strconv.Atoi(os.Args[len(os.Args)-1])
	var s sizer = fixed{}
	k := s.size(1, n)
	c := make(chan int, 1)
	d := make(chan int)
	for range k {
		c <- 1 // want "deadlock" // unconfirmed "with other arguments"
	}
	if k > -2 {
		if k <= -1 {
			<-d // want "deadlock" // unconfirmed "with other arguments"
		}
	}
	if -3 >= k {
		<-c // want "deadlock" // unconfirmed "with other arguments"
	}
	if k < 0 {
		return
	}
	if rand.Intn(3) < 0 {
		<-d // unreal "deadlock"
	}
}
