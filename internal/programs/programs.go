// Package programs has what tests of several packages do with programs: it writes them, says in what errors they
// end, and loads archives of one module each, as packages of one module, which takes a hundredth of the time.
package programs

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/txtar"

	"github.com/vtrace/vtrace/internal/source"
)

// modulePath is the path of the module that all programs are packages of.
const modulePath = "example.com/programs"

// Program is one of the programs of a set.
type Program struct {
	Name  string // of the archive
	Entry source.EntryPoint
}

// Load loads each so-manieth archive of a directory, of those that have one package, of no module but
// their own, in the order of their names. It writes them to dir, which is to be empty.
func Load(ctx context.Context, archives string, each int, dir string) (*source.Set, []Program, error) {
	files, err := filepath.Glob(filepath.Join(archives, "*.txtar"))
	if err != nil {
		return nil, nil, err
	}
	entries := map[string]string{} // entry functions, by the names of the archives
	for i, file := range files {
		if i%each != 0 {
			continue
		}
		a, err := txtar.ParseFile(file)
		if err != nil {
			return nil, nil, err
		}
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		entry, ok := entryOf(a)
		if !ok {
			continue
		}
		entries[name] = entry
		for _, f := range a.Files {
			if f.Name == "go.mod" {
				continue
			}
			at := filepath.Join(dir, name, f.Name)
			if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
				return nil, nil, err
			}
			if err := os.WriteFile(at, f.Data, 0o644); err != nil {
				return nil, nil, err
			}
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module "+modulePath+"\n\ngo 1.26\n"), 0o644); err != nil {
		return nil, nil, err
	}
	set, err := source.LoadSet(ctx, source.Spec{Dir: dir, Pattern: "./..."})
	if err != nil {
		return nil, nil, err
	}
	var all []Program
	for _, e := range set.Entries() {
		if name := path.Base(e.Package); entries[name] == e.Func {
			all = append(all, Program{name, e})
			delete(entries, name)
		}
	}
	for name, entry := range entries {
		return nil, nil, fmt.Errorf("%s: it has no %s", name, entry)
	}
	slices.SortFunc(all, func(a, b Program) int { return strings.Compare(a.Name, b.Name) })
	return set, all, nil
}

// entryOf is the entry function of an archive that has one package, of no module but its own.
func entryOf(a *txtar.Archive) (entry string, ok bool) {
	for line := range strings.Lines(string(a.Comment)) {
		if v, found := strings.CutPrefix(line, "entry: "); found {
			entry = strings.TrimSpace(v)
		}
	}
	for _, f := range a.Files {
		if f.Name == "go.mod" && strings.Contains(string(f.Data), "require") || f.Name != "go.mod" && strings.Contains(f.Name, "/") {
			return "", false
		}
	}
	return entry, entry != ""
}
