package digest_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"
	"testing"

	"github.com/vtrace/vtrace/internal/digest"
)

// printed is a test that prints what it has to say.
type printed struct{ testing.TB }

func (printed) Helper()                           {}
func (printed) Errorf(format string, args ...any) { fmt.Printf(format+"\n", args...) }

// A file of digests is written with update, and later says which programs have changed, and which are gone.
func Example() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	file, t := filepath.Join(dir, "programs.sum"), printed{}
	digest.Compare(t, file, map[string]string{"deadlock": "1a", "leak": "2b", "race": "3c"}, true, true)
	digest.Compare(t, file, map[string]string{"deadlock": "1a", "leak": "4d"}, true, false)
	fmt.Println("of some programs:")
	digest.Compare(t, file, map[string]string{"deadlock": "1a"}, false, false)
	// Output:
	// leak: it is 4d, and was "2b"
	// race: there is no such program any more
	// of some programs:
}
