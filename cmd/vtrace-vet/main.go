// Command vtrace-vet is a tool for go vet, which reports the findings of earlier checks where
// the code that they are about is still the same:
//
//	go vet -vettool=$(which vtrace-vet) ./...
//
// VTRACE_CACHE in the environment says where the results of checks are, and VTRACE_BUNDLES names
// bundles. It runs no program; where files have changed since a check, or those of vendored, replaced or
// workspace modules may have, it has the go command load the program.
package main

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/vtrace/vtrace/analyzer"
)

func main() {
	if len(os.Args) == 2 && os.Args[1] == "-V=full" {
		id, err := identity()
		if err != nil {
			fmt.Fprintf(os.Stderr, "vtrace-vet: %v\n", err)
			os.Exit(1)
		}
		fmt.Printf("%s version devel buildID=%s\n", filepath.Base(os.Args[0]), id)
		return
	}
	unitchecker.Main(analyzer.Analyzer)
}

// identity is what the go command keeps answers by: it asks for the version of the tool, and
// takes what that has said before if it is the same. So it is not that of the tool alone but
// also of the findings, and of the files that they are about.
func identity() (string, error) {
	exe, err := os.Executable()
	if err != nil {
		return "", err
	}
	f, err := os.Open(exe)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	state, err := analyzer.State(dir)
	if err != nil {
		return "", err
	}
	fmt.Fprintln(h, state)
	return fmt.Sprintf("%x", h.Sum(nil)), nil
}
