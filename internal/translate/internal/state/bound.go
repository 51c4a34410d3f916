package state

import (
	"fmt"
	"go/token"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/approximation"
)

// Bound is that of a site where it is smaller than asked for.
type Bound struct {
	artifact.SiteBound
	Pos    token.Pos
	Name   string  // of a function
	Size   int     // the greatest number of objects: loops can have more than N
	Over   []*Cell // that say of maps that they have had more entries
	Buffer bool    // of elements: of the buffer of a channel
	Shown  bool    // the model has paths that reach it
	Approx int     // its number
}

// More says what is more than the bound.
func (b *Bound) More() string {
	switch b.Kind {
	case approximation.BoundObjects:
		return fmt.Sprintf("more than %d objects allocated here are in use", b.Size)
	case approximation.BoundElements:
		if b.Buffer {
			return fmt.Sprintf("more than %d values are in the buffer of a channel made here", b.N)
		}
		return fmt.Sprintf("a slice has more than %d elements here", b.N)
	case approximation.BoundPaths:
		return fmt.Sprintf("the program goes on behind the first %d paths from guard to guard that the translation follows", b.N)
	case approximation.BoundEntries:
		if b.File == "" {
			return fmt.Sprintf("a sync.Map has more than %d entries", b.N)
		}
		return fmt.Sprintf("a map made here has more than %d entries", b.N)
	}
	return fmt.Sprintf("recursion of %s is deeper than %d", b.Name, b.N)
}

// Reason is that of the approximation that the bound is.
func (b *Bound) Reason() string {
	why := b.Why
	if why == "" {
		why = "with the bounds asked for the model would be too large"
	}
	if len(b.Over) > 0 {
		return "nothing is known of what is not found where " + b.More() + ": " + why
	}
	return "the model ends where " + b.More() + ": " + why
}

// Direction is that of the approximation.
func (b *Bound) Direction() string {
	if len(b.Over) > 0 {
		return artifact.DirectionOver
	}
	return artifact.DirectionBound
}
