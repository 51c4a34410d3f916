package check

import (
	"slices"

	"github.com/vtrace/vtrace/internal/uppaal"
)

// This file looks for what tells the values of a scalar type apart in guards,
// updates, functions, invariants and formulas.

// tell notes that the values of a scalar type, and of those in it, are told
// apart.
func (b *symmetrizer) tell(t uppaal.Type) {
	switch t := t.(type) {
	case *uppaal.Array:
		if t.Scalar != nil {
			b.tell(t.Scalar)
		}
		b.tell(t.Elem)
	case *uppaal.Struct:
		for _, f := range t.Fields {
			b.tell(f.Type)
		}
	case *uppaal.Scalar:
		if k := b.set(t); k >= 0 {
			b.wrong[k] = true
		}
	}
}

// code looks for what treats values of scalar types in the order of their
// numbers, or one of them in a way of its own. The language has no operations
// for that, but for variables of functions without an initial value, which are
// the first value, for lists as initial values, and for loops over the type.
// Quantifiers end early, and may thus not meet what is invalid.
func (b *symmetrizer) code() {
	for d, f := range b.info.Funcs {
		for _, v := range f.Locals {
			if v.Kind == uppaal.BoundVar {
				b.tell(v.Type)
			}
			if v.Init == nil {
				uppaal.Leaves(v.Type, func(_ string, leaf uppaal.Type) { b.tell(leaf) })
			}
		}
		visitStmt(d.Body, b.expr)
	}
	for _, e := range slices.Concat(b.info.Before, b.info.After) {
		uppaal.Inspect(e, b.expr)
	}
	seen := map[*uppaal.Template]bool{}
	for _, p := range b.info.Processes {
		if seen[p.Template] {
			continue
		}
		seen[p.Template] = true
		for _, l := range p.Template.Locations {
			uppaal.Inspect(l.Invariant, b.expr)
		}
		for _, e := range p.Template.Edges {
			uppaal.Inspect(e.Guard, b.expr)
			if e.Sync != nil {
				uppaal.Inspect(e.Sync.Chan, b.expr)
			}
			for _, u := range e.Update {
				uppaal.Inspect(u, b.expr)
			}
		}
	}
}

func (b *symmetrizer) expr(e uppaal.Expr) {
	switch e := e.(type) {
	case *uppaal.InitList:
		if t := b.info.Types[e]; t != nil {
			b.tell(t)
		}
	case *uppaal.Quant:
		if v := b.info.Defs[e.Bind]; v != nil && e.Kind != uppaal.Sum && !b.valid(e.Body) {
			b.tell(v.Type)
		}
	}
}

// valid reports whether the evaluation of an expression is certain to be valid.
func (b *symmetrizer) valid(e uppaal.Expr) bool {
	ok := true
	uppaal.Inspect(e, func(e uppaal.Expr) {
		switch e := e.(type) {
		case *uppaal.Binary:
			switch e.Op {
			case uppaal.OpDiv, uppaal.OpMod, uppaal.OpShl, uppaal.OpShr, uppaal.OpPow:
				ok = false
			}
		case *uppaal.Index:
			a, isArray := b.info.Types[e.X].(*uppaal.Array)
			if !isArray {
				ok = false
			} else if a.Scalar == nil {
				lo, hi, known := uppaal.Range(b.info.Types[e.I])
				ok = ok && known && a.Lo <= lo && hi <= a.Hi
			}
		case *uppaal.Call:
			if b.info.ProcessOf[e] != nil {
				break
			}
			if _, process := b.info.Uses[e.Fun].(*uppaal.ProcessSet); !process {
				ok = false
			}
			for _, a := range e.Args {
				_, scalar := b.info.Types[a].(*uppaal.Scalar)
				ok = ok && scalar
			}
		case *uppaal.Assign, *uppaal.IncDec, *uppaal.Comma:
			ok = false
		}
	})
	return ok
}

// ordered reports whether nothing depends on the order of the processes that
// have a parameter of set k: that of the invariants, one of which may be
// invalid, and that in which the receivers of a broadcast take their steps.
func (b *symmetrizer) ordered(k int) bool {
	defer func(proc int) { b.proc = proc }(b.proc)
	for i := range b.p.procs {
		if !b.moved[k][i] {
			continue
		}
		t := b.info.Processes[i].Template
		for _, l := range t.Locations {
			if l.Invariant != nil && !b.valid(l.Invariant) {
				return false
			}
		}
		b.proc = i
		for _, l := range b.p.procs[i].locs {
			for _, e := range l.recvs {
				casts := false
				for ch := e.chanLo; ch < e.chanHi; ch++ {
					casts = casts || b.p.channels[ch].broadcast
				}
				if casts && !b.writesOwn(i, t.Edges[e.index]) {
					return false
				}
			}
		}
	}
	return true
}

// writesOwn reports whether the updates of an edge change only variables of the
// process.
func (b *symmetrizer) writesOwn(i int, e *uppaal.Edge) bool {
	own := map[int32]bool{}
	for _, v := range b.info.Locals[b.info.Processes[i].Template] {
		for k := range int32(uppaal.Size(v.Type)) {
			own[b.locals[i][v]+k] = true
		}
	}
	for _, a := range b.info.Processes[i].Args {
		if a.Ref == nil {
			for k := range int32(uppaal.Size(a.Param.Type)) {
				own[b.locals[i][a.Param]+k] = true
			}
		}
	}
	ok := true
	err := caught(func() {
		for _, a := range b.recorded(func() { b.updates(e.Update) }) {
			if !a.write {
				continue
			}
			ok = ok && a.ref == 0
			for x := a.lo; x < a.hi; x++ {
				if _, variable := b.cells[x]; variable && !own[x] {
					ok = false
				}
			}
		}
	})
	return ok && err == nil
}

// formula looks for processes that a formula names, and for quantifiers that may
// be invalid.
func (b *symmetrizer) formula(f uppaal.Expr) {
	names := func(e uppaal.Expr) {
		if p := b.info.ProcessOf[e]; p != nil {
			for k := range b.sets {
				b.wrong[k] = b.wrong[k] || b.moved[k][b.processIndex[p]]
			}
			return
		}
		call, ok := e.(*uppaal.Call)
		if !ok {
			return
		}
		set, ok := b.info.Uses[call.Fun].(*uppaal.ProcessSet)
		if !ok {
			return
		}
		for d, v := range set.Params {
			if s, ok := v.Type.(*uppaal.Scalar); ok && b.info.Types[call.Args[d]] != uppaal.Type(s) {
				b.tell(s)
			}
		}
	}
	uppaal.Inspect(f, func(e uppaal.Expr) {
		b.expr(e)
		switch e := e.(type) {
		case *uppaal.Ident, *uppaal.Call:
			names(e)
		}
	})
}
