package main

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"reflect"
	"strings"
)

func twice(f func(string) string) { go f("a") }

// Goroutines run code of the library: what it calls is not in the model.
func main() {
	done := make(chan bool)
	go fmt.Println("a")
	twice(strings.ToUpper)
	go filepath.WalkDir(".", func(string, fs.DirEntry, error) error { // under "unknown-call"
		<-done
		return fs.SkipAll
	})
	wait, _ := reflect.ValueOf(func() { <-done }).Interface().(func()) // under "unknown-call"
	go wait()                                                          // under "unknown-call"
	select {
	case done <- true:
		<-done // missed "deadlock"
	default:
	}
}
