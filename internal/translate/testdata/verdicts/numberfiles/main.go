package main

import (
	"os"
	"sync"
)

func main() {
	files, _ := os.ReadDir(".")
	errs := make(chan error, len(files))
	var wg sync.WaitGroup
	for _, f := range files {
		wg.Add(1)
		go func() {
			defer wg.Done()
			_, err := os.Stat(f.Name())
			errs <- err
		}()
	}
	wg.Wait()
	for range files {
		<-errs
	}
	<-errs // want "deadlock"
}
