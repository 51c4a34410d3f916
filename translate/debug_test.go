package translate

import (
	"context"
	"fmt"
	"go/token"
	"os"
	"testing"

	"github.com/vtrace/vtrace/sites"
	"github.com/vtrace/vtrace/source"
)

func TestDebug(t *testing.T) {
	dir := os.Getenv("VTRACE_DUMP")
	if dir == "" {
		t.Skip()
	}
	prog, err := source.Load(context.Background(), source.Spec{Dir: dir, Entry: os.Getenv("VTRACE_ENTRY")})
	if err != nil {
		t.Fatal(err)
	}
	var pkgs []sites.Package
	for _, p := range prog.Packages {
		pkgs = append(pkgs, sites.Package{Path: p.PkgPath, Files: p.Syntax, Types: p.Types, Info: p.TypesInfo})
	}
	idx := sites.Number(prog.Fset, prog.Rel, pkgs, prog.Func)
	p, err := buildProgram(prog)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range p.funcs {
		f.WriteTo(os.Stdout)
	}
	sl := newSlice(p)
	for _, f := range p.funcs {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				if sl.executed(in) {
					fmt.Println(f.Name(), b.Index, in)
				}
			}
		}
	}
	x := newTranslator(context.Background(), p, sl, idx, Options{})
	x.access, x.polled = map[sites.ID]bool{}, map[token.Pos]bool{}
	x.solve()
	fmt.Println("plain needed", x.plainNeeded)
	for _, tm := range x.templates {
		fmt.Println("TEMPLATE", tm.name, tm.slots, tm.once, tm.args)
		for _, l := range tm.locs {
			fmt.Println("  LOC", l.index, l.op, x.idx.Site(l.site).Line, l.key)
			for i, lv := range l.live {
				fmt.Println("     ", lv.v.name, l.in[i], l.lost[i])
			}
		}
	}
	for _, c := range x.mem.cells {
		if c != nil && stored(c.abs) {
			fmt.Println("CELL", c.addr, c.name, c.abs, c.ref)
		}
	}
}
