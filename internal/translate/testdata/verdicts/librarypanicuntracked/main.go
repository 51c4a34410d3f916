// Package main recovers a panic of the library that leaves a mutex locked, because of what the
// model does not know.
package main

import (
	"os"
	"regexp"
	"strings"
	"sync"
)

func main() {
	var mu sync.Mutex
	compile := func(text string) {
		defer func() { recover() }()
		mu.Lock()                // missed "deadlock"
		regexp.MustCompile(text) // under "runtime-panic"
		mu.Unlock()
	}
	compile(strings.TrimSuffix("(a", os.Getenv("HOME")))
	compile("b")
}
