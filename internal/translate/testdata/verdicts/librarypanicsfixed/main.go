// Package main uses functions of the library as they may be, and recovers where it does not.
package main

import (
	"errors"
	"math/rand"
	"regexp"
	"strings"
	"sync"
	"text/template"
)

type broken struct{ code int }

func (*broken) Error() string { return "broken" }

func main() {
	none := make(chan int, 1)
	none <- 1
	n := <-none
	if n < 0 {
		<-none
	}
	var err error
	var as *broken
	errors.As(err, &as)
	regexp.MustCompile("a+")
	strings.NewReplacer("a", "b")
	template.Must(nil, err)
	println(rand.Intn(n), strings.Repeat("a", n-1))
	var mu sync.Mutex
	func() {
		defer func() {
			if _, ok := recover().(error); ok {
				<-none
			}
			mu.Unlock()
		}()
		mu.Lock()
		println(rand.Intn(n - 1))
		<-none
	}()
	mu.Lock()
}
