// Command archive keeps what was found in the entry points of packages, in a directory of
// bundles with an index: digest, program and verdicts of each. An entry point that can reach
// nothing that has changed since is not checked again, as long as the version of vtrace and the
// budget are the same. What is done is kept when the rest is interrupted. The programs are built and run.
//
//	archive -o bundles ./...
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"github.com/vtrace/vtrace"
	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/bundle"
)

func main() {
	dir := flag.String("o", "bundles", "directory of the archive")
	budget := flag.Duration("budget", time.Minute, "bound the time for each entry point")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	a := archive{dir: *dir, budget: *budget, out: os.Stdout}
	err := a.add(ctx, vtrace.Package(flag.Arg(0)))
	if err == nil {
		err = a.index(ctx)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

type archive struct {
	dir    string
	budget time.Duration
	out    io.Writer
}

// record says what a bundle of the archive was made from.
type record struct {
	Bundle string `json:"bundle"` // its digest, by which it is named
	inputs
}

// inputs decide of a result, with the Go toolchain.
type inputs struct {
	Reach  string        `json:"reach"` // the digest of what the entry point can reach
	Tool   string        `json:"tool"`  // the version of vtrace
	Budget time.Duration `json:"budget"`
}

// add checks the entry points of packages, and adds what is new.
func (a *archive) add(ctx context.Context, src vtrace.Source) (err error) {
	set, err := vtrace.Load(ctx, src)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, set.Close()) }()
	if err := os.MkdirAll(a.dir, 0o755); err != nil {
		return err
	}
	records, err := a.records()
	if err != nil {
		return err
	}
	for _, e := range set.Entries() {
		reach, err := set.Digest(e)
		if err != nil {
			return err
		}
		from := inputs{reach, vtrace.Version(), a.budget}
		if records[e.String()].inputs == from {
			fmt.Fprintf(a.out, "%s: unchanged\n", e)
			continue
		}
		b, err := set.Check(ctx, e, vtrace.Budget(a.budget))
		if err != nil {
			return fmt.Errorf("%s: %w", e, err)
		}
		// The name of a bundle is its digest: one that is there already is the same.
		if err := artifact.Save(b, filepath.Join(a.dir, b.Digest()+artifact.Ext)); err != nil {
			return err
		}
		records[e.String()] = record{b.Digest(), from}
		if err := a.keep(records); err != nil {
			return err
		}
		fmt.Fprintf(a.out, "%s: %d real\n", e, vtrace.Conclude(b).Real)
	}
	return nil
}

// keep writes the records: as a whole, or what was there stays.
func (a *archive) keep(records map[string]record) error {
	data, err := json.MarshalIndent(records, "", "  ")
	if err != nil {
		return err
	}
	name := filepath.Join(a.dir, "records.json")
	if err := os.WriteFile(name+".new", data, 0o644); err != nil {
		return err
	}
	return os.Rename(name+".new", name)
}

// records are those of the entry points, by their names.
func (a *archive) records() (map[string]record, error) {
	all := map[string]record{}
	data, err := os.ReadFile(filepath.Join(a.dir, "records.json"))
	if os.IsNotExist(err) {
		return all, nil
	} else if err != nil {
		return nil, err
	}
	return all, json.Unmarshal(data, &all)
}

// index writes index.json: a line for each bundle, which is read for that, checked and not kept
// in memory. Nothing of it is run.
func (a *archive) index(ctx context.Context) error {
	f, err := os.Create(filepath.Join(a.dir, "index.json"))
	if err != nil {
		return err
	}
	defer f.Close()
	return bundle.Index(ctx, a.dir, artifact.OpenOptions{}, func(e bundle.Entry) error {
		fmt.Fprintf(a.out, "%.8s %s %s %v\n", e.Digest, e.Program, e.Entry, e.Findings)
		return e.WriteLine(f)
	})
}
