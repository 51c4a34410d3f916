package artifact

import (
	"cmp"
	"fmt"

	"github.com/vtrace/vtrace/internal/approximation"
)

// Bounds are those of a model that would be too large with the ones asked for: how
// many objects one allocation has, elements a slice that grows, entries a map,
// activations a function in one goroutine, and paths from guard to guard the program. A
// translation that is given them makes the same model again.
type Bounds struct {
	// Objects, Elements, Entries and Activations are for the sites that are not
	// listed.
	Objects     int `json:"objects"`
	Elements    int `json:"elements"`    // of a slice that grows
	Entries     int `json:"entries"`     // of a map
	Activations int `json:"activations"` // of a function in one goroutine
	// Paths is after how many paths from guard to guard the model takes up nothing new, but ends;
	// 0 is nowhere.
	Paths int `json:"paths,omitempty"`
	// Sites are those with more than that, and those at whose bound paths of the
	// model end, in order.
	Sites []SiteBound `json:"sites,omitempty"`
}

// SiteBound is the bound of one site of a program.
type SiteBound struct {
	BoundSite
	N int `json:"n"` // the bound there
	// Why says why it is not greater.
	Why string `json:"why,omitempty"`
	// Query is the number of the query that is satisfied if the bound is never
	// reached, 0 if there is none.
	Query int `json:"query,omitempty"`
}

// BoundSite names what has a bound of its own, by what is counted and where the
// program makes it.
type BoundSite struct {
	// Kind is what is counted: objects of an allocation; elements of a slice that grows there; entries of a map that is made there, and
	// without a position of every sync.Map; activations of the function that is declared there;
	// paths from guard to guard of the program, without a position.
	Kind string `json:"kind" schema:"objects|elements|entries|activations|paths"`
	File string `json:"file,omitempty"` // relative to the root of the program; "" is every site of the kind
	Line int    `json:"line,omitempty"` // from 1
	Col  int    `json:"col,omitempty"`  // in bytes, from 1
}

func (p BoundSite) String() string {
	return fmt.Sprintf("%s:%d:%d: %s", p.File, p.Line, p.Col, p.Kind)
}

// Compare orders sites by position and kind.
func (p BoundSite) Compare(q BoundSite) int {
	return cmp.Or(cmp.Compare(p.File, q.File), cmp.Compare(p.Line, q.Line), cmp.Compare(p.Col, q.Col), cmp.Compare(p.Kind, q.Kind))
}

// Of is the bound of the sites of a kind that are not listed.
func (b *Bounds) Of(kind string) int {
	if b == nil {
		return 0
	}
	switch kind {
	case approximation.BoundObjects:
		return b.Objects
	case approximation.BoundElements:
		return b.Elements
	case approximation.BoundEntries:
		return b.Entries
	case approximation.BoundActivations:
		return b.Activations
	case approximation.BoundPaths:
		return b.Paths
	}
	return 0
}
