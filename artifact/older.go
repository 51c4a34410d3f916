package artifact

import (
	"errors"

	"github.com/vtrace/vtrace/internal/storage"
)

// Up to version 6 the sites of bounds are called places, and there is no bound on paths. A bundle that goes on from an older one
// has the sidecar of that as it was: by which names it is decoded is seen from the sidecar, not from the version of the bundle.

// placedSidecar is a Sidecar with the names of these versions.
type placedSidecar struct {
	Sidecar
	Bounds *placedBounds `json:"bounds,omitempty"`
}

type placedBounds struct {
	Objects     int         `json:"objects"`
	Elements    int         `json:"elements"`
	Entries     int         `json:"entries"`
	Activations int         `json:"activations"`
	Places      []SiteBound `json:"places,omitempty"`
}

// errNotPlaced says that a sidecar is none of these versions, so that it is wrong by the names of today.
var errNotPlaced = errors.New("a sidecar without places")

// decodePlaced decodes a sidecar of these versions.
func decodePlaced(data []byte) (*Sidecar, error) {
	var old placedSidecar
	if err := storage.DecodeJSON(data, &old); err != nil {
		return nil, err
	}
	b := old.Bounds
	if b == nil || b.Places == nil {
		return nil, errNotPlaced
	}
	s := old.Sidecar
	s.Bounds = &Bounds{Objects: b.Objects, Elements: b.Elements, Entries: b.Entries, Activations: b.Activations, Sites: b.Places}
	return &s, nil
}
