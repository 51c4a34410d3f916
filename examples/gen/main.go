// Command gen writes example programs in any size and form.
//
//	go run ./examples/gen                        # rewrite the committed examples
//	go run ./examples/gen -n 100 -o DIR sequences
//	go run ./examples/gen -test -o DIR sequences # as a package with a test
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/vtrace/vtrace/examples"
)

func main() {
	n := flag.Int("n", 0, "size of the program; 0 for its own")
	out := flag.String("o", "", "directory to write the program to, as a module of its own")
	test := flag.Bool("test", false, "write a package with a test function, not a main package")
	flag.Usage = func() {
		fmt.Fprintf(flag.CommandLine.Output(), "usage: gen [-n N] [-test] -o DIR NAME\n       gen\n\nprograms:\n")
		for _, p := range examples.Programs() {
			fmt.Fprintf(flag.CommandLine.Output(), "  %s\n", p.Name)
		}
		flag.PrintDefaults()
	}
	flag.Parse()
	if err := run(*n, *out, *test, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(2)
	}
}

func run(n int, out string, test bool, args []string) error {
	if len(args) == 0 && out == "" && n == 0 && !test {
		for _, p := range examples.Programs() {
			files, err := p.Files(examples.Main, 0)
			if err != nil {
				return err
			}
			if err := write(filepath.Join("examples", p.Name), files); err != nil {
				return err
			}
		}
		return nil
	}
	if len(args) != 1 || out == "" {
		return fmt.Errorf("one program and -o DIR are needed; -help lists the programs")
	}
	p, ok := examples.Find(args[0])
	if !ok {
		return fmt.Errorf("no program %q; -help lists them", args[0])
	}
	form := examples.Main
	if test {
		form = examples.Test
	}
	files, err := p.Files(form, n)
	if err != nil {
		return err
	}
	files["go.mod"] = fmt.Appendf(nil, "module example.com/%s\n\ngo 1.26\n", p.Name)
	return write(out, files)
}

func write(dir string, files map[string][]byte) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			return err
		}
	}
	return nil
}
