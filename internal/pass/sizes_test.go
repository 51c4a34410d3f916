package pass

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/source"
	"github.com/vtrace/vtrace/internal/translate"
	"github.com/vtrace/vtrace/internal/uppaal"
)

var sizes = flag.String("sizes", "", "print the sizes of the models of the entries of `DIR`, and of those of the examples, in TestSizes")

// sizeStates bounds each search of TestSizes.
const sizeStates = 1_000_000

// TestSizes prints the table of model sizes of benchmarks/benchmarks.md.
func TestSizes(t *testing.T) {
	if *sizes == "" {
		t.Skip("-sizes names no directory")
	}
	fmt.Println("| entry | locations | edges | queries | states | Proto locations | Proto edges | Proto states |")
	fmt.Println("|---|---|---|---|---|---|---|---|")
	for _, dir := range []string{"../../examples", *sizes} {
		set, err := source.LoadSet(context.Background(), source.Spec{Dir: dir, Pattern: "./..."})
		require.NoError(t, err)
		for _, e := range set.Entries() {
			if strings.HasSuffix(e.Package, "examples/gen") || dir == "../../examples" && e.Func != "main" {
				continue
			}
			name := path.Base(e.Package)
			if e.Func != "main" {
				name += "." + e.Func
			}
			row, err := sizeOf(source.Spec{Dir: filepath.Dir(e.Pos.Filename), Entry: e.Func})
			var refused *translate.UnsupportedError
			if errors.As(err, &refused) {
				fmt.Printf("| %s | refused |\n", name)
				continue
			}
			require.NoError(t, err, name)
			fmt.Printf("| %s | %s |\n", name, strings.Join(row, " | "))
		}
	}
}

// sizeOf is the row of an entry.
func sizeOf(spec source.Spec) ([]string, error) {
	ctx := context.Background()
	p, err := load(ctx, spec)
	if err != nil {
		return nil, err
	}
	opts, err := Options{Model: &Model{}}.withDefaults()
	if err != nil {
		return nil, err
	}
	var row []string
	for _, proto := range []bool{false, true} {
		m, err := p.translate(ctx, opts, proto, nil)
		if err != nil {
			return nil, err
		}
		locations, edges := 0, 0
		for _, tm := range m.Network.Templates {
			locations += len(tm.Locations)
			edges += len(tm.Edges)
		}
		row = append(row, strconv.Itoa(locations), strconv.Itoa(edges))
		if !proto {
			row = append(row, strconv.Itoa(len(m.Queries)))
		}
		queries := make([]*uppaal.Query, len(m.Queries))
		for i, q := range m.Queries {
			if queries[i], err = uppaal.ParseQuery(q.Formula); err != nil {
				return nil, err
			}
		}
		limits := opts.search()
		limits.MaxStates = sizeStates
		report, err := opts.engine().Verify(ctx, m.Network, queries, limits)
		if err != nil {
			return nil, err
		}
		states := strconv.Itoa(report.Stats.States)
		if report.Stats.States >= sizeStates {
			states = "more than " + strconv.Itoa(sizeStates)
		}
		row = append(row, states)
	}
	return row, nil
}
