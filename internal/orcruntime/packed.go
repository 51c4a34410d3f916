//go:build go1.25

package orcruntime

import (
	"encoding/binary"
	"errors"
	"math"
)

// Packed is a long list of steps, and what they work on, in a form that is written and read faster than a list of
// objects in JSON, and a tenth as long. It is between vtrace and the program only.
type Packed struct {
	// Names are the goroutines, sites and objects, each once.
	Names []string
	// Steps has for each step the numbers of goroutine and site in Names, Occ and Case, as signed varints of
	// package encoding/binary. Effects has for each effect how much its Step is above that of the one before,
	// and the numbers of Object and After.
	Steps   []byte
	Effects []byte `json:",omitempty"`
}

// PackedFrom is from how many steps on they are packed: few are easier to read as they are.
const PackedFrom = 1000

// Pack packs steps and effects, which may be none.
func Pack(steps []Step, effects []Effect) *Packed {
	p := &Packed{}
	numbers := map[string]int64{}
	number := func(name string) int64 {
		n, known := numbers[name]
		if !known {
			n = int64(len(p.Names))
			numbers[name] = n
			p.Names = append(p.Names, name)
		}
		return n
	}
	for _, s := range steps {
		for _, n := range [...]int64{number(s.G), number(s.Site), int64(s.Occ), int64(s.Case)} {
			p.Steps = binary.AppendVarint(p.Steps, n)
		}
	}
	last := 0
	for _, e := range effects {
		for _, n := range [...]int64{int64(e.Step - last), number(e.Object), number(e.After)} {
			p.Effects = binary.AppendVarint(p.Effects, n)
		}
		last = e.Step
	}
	return p
}

// errPacked is of a list that Pack has not made.
var errPacked = errors.New("a packed list of steps is damaged")

// Unpack is the reverse of Pack.
func (p *Packed) Unpack() (steps []Step, effects []Effect, err error) {
	rest := p.Steps
	next := func() int {
		n, size := binary.Varint(rest)
		if size <= 0 || n < math.MinInt32 || n > math.MaxInt32 {
			rest, err = nil, errPacked
			return 0
		}
		rest = rest[size:]
		return int(n)
	}
	name := func() string {
		n := next()
		if n < 0 || n >= len(p.Names) {
			rest, err = nil, errPacked
			return ""
		}
		return p.Names[n]
	}
	for len(rest) > 0 {
		steps = append(steps, Step{name(), name(), next(), next()})
	}
	if err != nil {
		return nil, nil, err
	}
	rest = p.Effects
	last := 0
	for len(rest) > 0 {
		last += next()
		effects = append(effects, Effect{last, name(), name()})
	}
	if err != nil {
		return nil, nil, err
	}
	return steps, effects, nil
}

// PackedResult is a result as a driver writes it: if it has many steps, Packed has its Trace and Effects.
type PackedResult struct {
	Result
	Packed *Packed `json:",omitempty"`
}

// pack packs the steps of a result if there are many.
func (r Result) pack() PackedResult {
	p := PackedResult{Result: r}
	if len(r.Trace) >= PackedFrom {
		p.Packed = Pack(r.Trace, r.Effects)
		p.Trace, p.Effects = nil, nil
	}
	return p
}

// Unpack puts the steps into the Result.
func (p *PackedResult) Unpack() (err error) {
	if p.Packed == nil {
		return nil
	}
	p.Trace, p.Effects, err = p.Packed.Unpack()
	p.Packed = nil
	return err
}
