package source

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vtrace/vtrace/internal/git"
	"github.com/vtrace/vtrace/internal/scratch"
)

// Changes says what entry points can reach that is not as it was at a revision.
type Changes struct {
	// Commit is the commit that the revision stands for, in hexadecimal.
	Commit string
	// Entries are the entry points that were asked for, in their order.
	Entries []Change
}

// Change says what an entry point can reach that has changed.
type Change struct {
	Entry EntryPoint
	// What names what has changed, has come or is gone, sorted. If there is nothing, what the
	// entry point can reach is as it was.
	What []string
}

// ChangedSince compares what entry points of the set can reach with what they could reach at a
// revision of the git repository that the program is in. The program is taken as it is on disk,
// whether or not git knows of its files; what it was is written to a directory for temporary files
// and loaded there. Nothing is written to the repository, and nothing that its configuration names
// is run.
//
// It errs on the side of changes: what could not be loaded at the revision has changed, and so
// has all that is reached of a function of which a comment has changed. That something stands at
// another place of its package is no change. A program with directories outside of the repository has
// changed. What else it reads when it runs is not seen, as by ReachableDigest.
//
// All entry points depend on the files besides, such as settings of who asks: absolute names, or
// relative to the current directory, of files that need not be there.
func (s *Set) ChangedSince(ctx context.Context, revision string, entries []EntryPoint, files ...string) (_ *Changes, err error) {
	if ctx == nil {
		return nil, &SpecError{"context", "nil"}
	}
	repo, err := git.Open(ctx, s.dir)
	if err != nil {
		return nil, err
	}
	out := &Changes{}
	if out.Commit, err = repo.Commit(ctx, revision); err != nil {
		return nil, err
	}
	dir, err := scratch.Make("revision")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, scratch.Remove(dir)) }()
	if err := repo.Extract(ctx, out.Commit, dir); err != nil {
		return nil, err
	}
	old, oldErr := s.at(ctx, repo.Root, dir)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	all, err := changedFiles(repo.Root, dir, files)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		c := Change{Entry: e}
		if oldErr != nil {
			c.What = []string{"all of it, since the program of that revision cannot be loaded: " + firstLine(oldErr, dir)}
		} else if c.What, err = s.changes(old, e, repo.Root, dir); err != nil {
			return nil, err
		}
		c.What = slices.Concat(all, c.What)
		out.Entries = append(out.Entries, c)
	}
	return out, nil
}

// changedFiles names those of the files that are not as they are in a copy of the repository.
func changedFiles(root, dir string, files []string) ([]string, error) {
	var out []string
	for _, name := range files {
		full, err := filepath.Abs(name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		now, nowErr := os.ReadFile(full)
		if nowErr != nil && !errors.Is(nowErr, os.ErrNotExist) {
			return nil, nowErr
		}
		rel := ""
		if in, err := filepath.EvalSymlinks(filepath.Dir(full)); err == nil {
			rel = relTo(root, filepath.Join(in, filepath.Base(full)))
		}
		if rel == "" {
			if nowErr == nil {
				out = append(out, full+" is not in the repository, so that it is not known what it was")
			}
			continue
		}
		then, thenErr := os.ReadFile(filepath.Join(dir, filepath.FromSlash(rel)))
		switch {
		case nowErr == nil && thenErr != nil:
			out = append(out, "the file "+rel+" (new)")
		case nowErr != nil && thenErr == nil:
			out = append(out, "the file "+rel+" (no longer there)")
		case !bytes.Equal(now, then):
			out = append(out, "the file "+rel)
		}
	}
	return out, nil
}

// at loads what the set is of from a copy of the repository.
func (s *Set) at(ctx context.Context, root, dir string) (*Set, error) {
	spec := s.spec
	moved := func(name string) string {
		if real, err := filepath.EvalSymlinks(name); err == nil {
			if rel, err := filepath.Rel(root, real); err == nil && filepath.IsLocal(rel) {
				return filepath.Join(dir, rel)
			}
		}
		return name
	}
	// Where the pattern is resolved now, which need not be where it was given.
	spec.Dir = moved(s.dir)
	if spec.Dir == s.dir {
		return nil, fmt.Errorf("%s is not in the repository %s", s.dir, root)
	}
	if _, err := os.Stat(spec.Dir); err != nil {
		return nil, errors.New("the directory was not there")
	}
	env := spec.GoEnviron()
	if env == nil {
		env = os.Environ()
	}
	variable := func(name string) string {
		for _, v := range slices.Backward(env) {
			if value, ok := strings.CutPrefix(v, name+"="); ok {
				return value
			}
		}
		return ""
	}
	spec.GoEnv = slices.Clone(spec.GoEnv)
	if work := variable("GOWORK"); filepath.IsAbs(work) {
		spec.GoEnv = append(spec.GoEnv, "GOWORK="+moved(work))
	}
	if variable("GOTOOLCHAIN") == "" {
		spec.GoEnv = append(spec.GoEnv, "GOTOOLCHAIN=local") // no other one is downloaded to look at what was
	}
	spec.overlay = nil
	// With -trimpath what is compiled does not depend on the directory, and is in the cache the next time.
	spec.Flags = append(slices.Clone(spec.Flags), "-buildvcs=false", "-trimpath")
	return loadSet(ctx, spec, true)
}

// changes names what an entry point can reach that is not as it was. Errors of the program as it is
// are for who checks it.
func (s *Set) changes(old *Set, e EntryPoint, root, dir string) ([]string, error) {
	prog, err := s.Program(e)
	if err != nil {
		return []string{"it cannot be loaded"}, nil
	}
	if name := prog.outside(root); name != "" {
		return []string{name + " is not in the repository, so that it is not known what it was"}, nil
	}
	now, err := prog.reachableParts()
	if err != nil {
		return nil, err
	}
	before, err := old.Program(EntryPoint{Package: e.Package, Func: e.Func})
	if errors.Is(err, ErrNoEntry) || err == nil && before.Func == nil || !slices.Contains(old.matched, e.Package) {
		return []string{e.String() + ", which is new"}, nil
	}
	if err != nil {
		return []string{"all of it, since it cannot be loaded at that revision: " + firstLine(err, dir)}, nil
	}
	then, err := before.reachableParts()
	if err != nil {
		return []string{"all of it, since it cannot be read at that revision: " + firstLine(err, dir)}, nil
	}
	var what []string
	for _, name := range slices.Sorted(maps.Keys(now)) {
		if was, ok := then[name]; !ok {
			what = append(what, name+" (new)")
		} else if was != now[name] {
			what = append(what, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(then)) {
		if _, ok := now[name]; !ok {
			what = append(what, name+" (no longer there)")
		}
	}
	return what, nil
}

// outside is a directory or file of the program that is neither in a repository nor in the module
// cache, "" if there is none.
func (prog *Program) outside(root string) string {
	elsewhere := func(name string) bool {
		real, err := filepath.EvalSymlinks(name)
		return err != nil || real != root && relTo(root, real) == ""
	}
	for _, p := range prog.Packages {
		m := p.Module
		if cached := !m.Main && dependency(m).Cached && m.Dir != ""; !cached && p.Dir != "" && elsewhere(p.Dir) {
			return p.Dir
		}
	}
	for _, f := range prog.loose {
		if elsewhere(f) {
			return f
		}
	}
	return ""
}

// firstLine is that of an error about a copy of the program in a directory, which nobody knows.
func firstLine(err error, dir string) string {
	text := err.Error()
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "* ") {
			text = line[2:] // of several
			break
		}
	}
	text, _, _ = strings.Cut(strings.TrimSpace(text), "\n")
	return strings.ReplaceAll(text, dir+string(filepath.Separator), "")
}
