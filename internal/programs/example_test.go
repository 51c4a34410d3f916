package programs_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/vtrace/vtrace/internal/programs"
)

// Archives of one module each are loaded as packages of one module, with the entry that each names.
func ExampleLoad() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	for name, text := range map[string]string{
		"first.txtar":  "entry: main\n\n-- go.mod --\nmodule example.com/a\n\ngo 1.26\n-- main.go --\npackage main\n\nfunc main() {}\n",
		"second.txtar": "entry: TestB\n\n-- go.mod --\nmodule example.com/b\n\ngo 1.26\n-- b_test.go --\npackage b\n\nimport \"testing\"\n\nfunc TestB(t *testing.T) {}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			log.Fatal(err)
		}
	}
	to := filepath.Join(dir, "module")
	set, all, err := programs.Load(context.Background(), dir, 1, to)
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range all {
		fmt.Println(p.Name, p.Entry)
	}
	fmt.Println(len(set.Entries()), "entries")
	// Output:
	// first example.com/programs/first main
	// second example.com/programs/second TestB
	// 2 entries
}
