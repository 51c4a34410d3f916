package main

import (
	"errors"
	"fmt"
)

var (
	errOne   = errors.New("one")
	errOther = errors.New("other")
)

func main() {
	err := fmt.Errorf("%w, %w", errOne, errOther)
	done := make(chan bool)
	if errors.Is(err, errOther) {
		<-done // want "deadlock"
	}
}
