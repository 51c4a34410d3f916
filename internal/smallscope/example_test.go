package smallscope_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/vtrace/vtrace/internal/smallscope"
	"github.com/vtrace/vtrace/internal/source"
)

func ExampleFamilies() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	prog, err := source.Load(context.Background(), source.Spec{Dir: dir, Overlay: map[string][]byte{
		"go.mod": []byte("module example.com/m\n\ngo 1.26\n"),
		"main.go": []byte(`package main

import "sync"

const workers, jobs = 10, 1000

func main() {
	queue := make(chan int, jobs)
	for i := range jobs {
		queue <- i
	}
	close(queue)
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for range queue {
			}
		})
	}
	wg.Wait()
}
`)}})
	if err != nil {
		log.Fatal(err)
	}
	families, err := smallscope.Families(prog)
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range families[0] {
		for _, n := range s.Numbers {
			fmt.Printf("%s:%d: %d in place of %d\n", filepath.Base(n.At[0].Filename), n.At[0].Line, n.To, n.From)
		}
	}
	// Output:
	// main.go:5: 2 in place of 10
	// main.go:5: 3 in place of 1000
	// main.go:5: 3 in place of 10
	// main.go:5: 4 in place of 1000
}
