// Command store writes the bundles of all stages of a program to a directory.
package main

import (
	"context"
	"log"
	"os"
	"path/filepath"

	"github.com/vtrace/vtrace"
	"github.com/vtrace/vtrace/artifact"
)

func main() {
	program, dir := os.Args[1], os.Args[2]
	ctx := context.Background()
	save := func(name string, b *vtrace.Bundle, err error) *vtrace.Bundle {
		if err == nil {
			err = artifact.Save(b, filepath.Join(dir, name))
		}
		if err != nil {
			log.Fatal(err)
		}
		return b
	}
	b, err := vtrace.Translate(ctx, vtrace.Dir(program))
	save("translate", b, err)
	b, err = vtrace.FirstPass(ctx, vtrace.Dir(program))
	b = save("first.vtz", b, err)
	b, err = vtrace.SecondPass(ctx, b)
	b = save("second.vtz", b, err)
	b, err = vtrace.DeepPass(ctx, b)
	save("deep.vtz", b, err)
}
