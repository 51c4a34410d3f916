// Package main misuses functions of the library, which panic then: always, or because of what
// the model follows.
package main

import (
	"bytes"
	"context"
	"errors"
	"math/rand"
	"regexp"
	"strings"
	"text/template"
)

type broken struct{ code int }

func main() {
	which, none := make(chan int, 1), make(chan int, 1)
	none <- -1
	n := <-none
	if n > 0 {
		<-none
	}
	var err error
	select {
	case which <- 0:
	case which <- 1:
	case which <- 2:
	case which <- 3:
	case which <- 4:
	case which <- 5:
	case which <- 6:
	case which <- 7:
		err = errors.New("wrong")
	case which <- 8:
		err = errors.New("wrong")
	}
	switch <-which {
	case 0:
		println(rand.Intn(n)) // want "panic"
	case 1:
		println(strings.Repeat("a", n)) // want "panic"
	case 2:
		var b bytes.Buffer
		b.Grow(-1) // want "panic"
	case 3:
		regexp.MustCompile("(") // want "panic"
	case 4:
		context.WithValue(context.Background(), nil, 1) // want "panic"
	case 5:
		strings.NewReplacer("a") // want "panic"
	case 6:
		var as *broken
		errors.As(err, as) // there is no error
	case 7:
		if err == nil {
			<-which
		}
		template.Must(nil, err) // want "panic"
	case 8:
		var as *broken
		errors.As(err, as) // want "panic"
	}
}
