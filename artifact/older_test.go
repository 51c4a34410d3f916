package artifact

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// placed is a sidecar as versions up to 6 have it, with a change of its bounds.
func placed(t testing.TB, b *Bundle, change func(bounds map[string]any)) []byte {
	data, ok := b.Read(SidecarPath)
	require.True(t, ok)
	var sidecar map[string]any
	require.NoError(t, json.Unmarshal(data, &sidecar))
	bounds := sidecar["bounds"].(map[string]any)
	bounds["places"] = bounds["sites"]
	delete(bounds, "sites")
	change(bounds)
	data, err := json.Marshal(sidecar)
	require.NoError(t, err)
	return data
}

// The bounds of a sidecar that calls their sites places are read as those of today, also in a bundle that goes on from that one.
func TestPlacedSidecar(t *testing.T) {
	b := sample(t)
	older := func(change func(bounds map[string]any)) *Builder {
		next := Extend(b, b.Manifest())
		next.Put(SidecarPath, placed(t, b, change))
		return next
	}
	parent, err := older(func(map[string]any) {}).Bundle()
	require.NoError(t, err)
	child, err := Extend(parent, parent.Manifest()).Bundle()
	require.NoError(t, err)
	path := t.TempDir() + "/b.vtz"
	require.NoError(t, Save(child, path))
	loaded, err := Load(path)
	require.NoError(t, err)
	for _, b := range []*Bundle{parent, child, loaded} {
		data, _ := b.Read(SidecarPath)
		require.Contains(t, string(data), `"places"`)
		require.Equal(t, sampleBounds, b.Sidecar().Bounds)
	}
	for name, change := range map[string]func(bounds map[string]any){
		"by both names":   func(bounds map[string]any) { bounds["sites"] = bounds["places"] },
		"with paths":      func(bounds map[string]any) { bounds["paths"] = 1 },
		"of another form": func(bounds map[string]any) { bounds["places"] = 1 },
		"not there":       func(bounds map[string]any) { bounds["places"] = nil; bounds["others"] = 1 },
	} {
		_, err := older(change).Bundle()
		var broken *CorruptError
		require.ErrorAs(t, err, &broken, name)
		require.ErrorContains(t, err, "unknown field", name)
	}
}
