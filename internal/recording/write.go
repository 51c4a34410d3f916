package recording

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/vtrace/vtrace/internal/trace"
)

// Write writes a trace as a recording. The trace must be valid; names of objects and goroutines are not kept.
func Write(w io.Writer, t *trace.Trace, h Header) error {
	if err := t.Validate(); err != nil {
		return fmt.Errorf("recording: %w", err)
	}
	out, err := begin(w, headerOf(t, h))
	if err != nil {
		return err
	}
	return out.trace(t)
}

// headerOf adds what a trace says to a header.
func headerOf(t *trace.Trace, h Header) Header {
	h.Program = t.Program
	h.Positions, h.Names = t.Positions, nil
	for _, o := range t.Objects {
		if o.Kind == trace.Var && o.Name != "" {
			h.Names = append(h.Names, o.Name)
		}
	}
	h.Judged, h.Leaked, h.Reachable = false, nil, nil
	for i := range t.Goroutines {
		switch t.Goroutines[i].Left {
		case trace.Unreachable:
			h.Judged = true
			h.Leaked = append(h.Leaked, uint64(i+1))
		case trace.Reachable:
			h.Judged = true
			h.Reachable = append(h.Reachable, uint64(i+1))
		}
	}
	return h
}

func (out *writer) trace(t *trace.Trace) error {
	cut := false
	started := creators(t)
	for i := range t.Goroutines {
		g := &t.Goroutines[i]
		cut = cut || g.Truncated
		c := &chunk{goroutine: uint64(i + 1), creator: uint64(g.Parent), creatorPC: started[i]}
		if i == 0 {
			names := 0 // as headerOf has them
			for id, o := range t.Objects {
				kind := number(objectKinds[:], o.Kind)
				if o.Kind == trace.Var && o.Name != "" {
					kind = kindNamed
				}
				c.payload = append(c.payload, recObject|kind)
				c.payload = binary.AppendUvarint(c.payload, uint64(id+1))
				switch {
				case o.Kind == trace.Chan:
					c.payload = binary.AppendUvarint(c.payload, uint64(o.Cap))
				case kind == kindNamed:
					names++
					c.payload = binary.AppendUvarint(c.payload, uint64(names))
				}
				if err := out.flush(c, 1<<15); err != nil {
					return err
				}
			}
		}
		for j := range g.Events {
			c.payload = appendEvent(c.payload, &g.Events[j])
			if err := out.flush(c, 1<<15); err != nil {
				return err
			}
		}
		if err := out.flush(c, 0); err != nil {
			return err
		}
	}
	return out.close(cut)
}

// creators are the operations that have started the goroutines.
func creators(t *trace.Trace) []int32 {
	pcs := make([]int32, len(t.Goroutines))
	for i := range t.Goroutines {
		for j := range t.Goroutines[i].Events {
			if e := &t.Goroutines[i].Events[j]; e.Op == trace.OpGo {
				pcs[e.Partner.Goroutine-1] = e.PC
			}
		}
	}
	return pcs
}

// flush writes a chunk if it has at least so many bytes, and begins the next one.
func (w *writer) flush(c *chunk, least int) error {
	if len(c.payload) < least {
		return nil
	}
	if err := w.chunk(c); err != nil {
		return err
	}
	c.number++
	c.payload = c.payload[:0]
	return nil
}

// appendEvent writes an event as the runtime does.
func appendEvent(b []byte, e *trace.Event) []byte {
	if e.Phase.HasPre() {
		op := number(operations[:], e.Op)
		if e.Has(trace.HasDefault) {
			op |= recDefault
		}
		b = append(b, op)
		if e.Op == trace.OpEnd {
			if e.Has(trace.Panicked) {
				b = append(b, recPost|postPanicked)
			}
			return b
		}
		b = binary.AppendUvarint(b, uint64(e.Pos))
		switch e.Op {
		case trace.OpGo:
			return binary.AppendUvarint(b, uint64(e.Partner.Goroutine))
		case trace.OpSelect:
			b = binary.AppendUvarint(b, uint64(len(e.Cases)))
			for _, c := range e.Cases {
				v := uint64(c.Object) << 1
				if c.Op == trace.OpRecv {
					v |= 1
				}
				b = binary.AppendUvarint(b, v)
			}
		default:
			b = binary.AppendUvarint(b, uint64(e.Object))
			if e.Op == trace.OpAdd {
				b = binary.AppendVarint(b, int64(e.Delta))
			}
		}
	}
	if !e.Phase.HasPost() {
		return b
	}
	at := len(b)
	b = append(b, recPost)
	flag := func(f trace.Flags, bit byte) {
		if e.Has(f) {
			b[at] |= bit
		}
	}
	if e.Partner != trace.Unknown {
		b[at] |= postPartner
		b = binary.AppendUvarint(b, uint64(e.Partner.Goroutine))
		b = binary.AppendUvarint(b, uint64(e.Partner.PC))
	}
	flag(trace.Closed, postClosed)
	flag(trace.Failed, postClosed)
	flag(trace.Panicked, postPanicked)
	flag(trace.Ran, postRan)
	if e.Has(trace.Counted) {
		b[at] |= postCounted
		b = binary.AppendVarint(b, int64(e.Counter))
	}
	if e.Seq != 0 {
		b[at] |= postSeq
		b = binary.AppendUvarint(b, uint64(e.Seq))
	}
	if e.Op == trace.OpSelect {
		b = binary.AppendVarint(b, int64(e.Case))
	}
	return b
}
