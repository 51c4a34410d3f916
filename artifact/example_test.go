package artifact_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/vtrace/vtrace/artifact"
)

func Example() {
	b := artifact.New(artifact.Manifest{Pass: artifact.PassFirst, Entry: artifact.Entry{Package: "example.com/m", Func: "main"}})
	b.AddSource("main.go", []byte("package main\n"))
	b.SetModel([]byte("<nta/>"))
	bundle, err := b.Bundle()
	if err != nil {
		fmt.Println(err)
		return
	}
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "run.vtz")
	if err := artifact.Save(bundle, path); err != nil {
		fmt.Println(err)
		return
	}
	again, err := artifact.Load(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(again.Paths(), again.Digest() == bundle.Digest())
	// Output: [model.xml source/main.go] true
}
