//go:build go1.25

package orcruntime

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzPacked: what is unpacked is what was packed, and nothing that is damaged is taken for a list, or ends the process.
func FuzzPacked(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3}, []byte{1, 0, 0}, uint8(3))
	f.Add([]byte{0x80}, []byte(nil), uint8(1))
	f.Add([]byte(nil), []byte{255, 255, 255, 255, 255, 255, 255, 255, 255, 1}, uint8(0))
	f.Fuzz(func(t *testing.T, steps, effects []byte, names uint8) {
		p := &Packed{Steps: steps, Effects: effects}
		for i := range names {
			p.Names = append(p.Names, string(rune('a'+i)))
		}
		gotSteps, gotEffects, err := p.Unpack()
		if err != nil {
			require.ErrorIs(t, err, errPacked)
			require.Empty(t, gotSteps)
			require.Empty(t, gotEffects)
			return
		}
		again, effectsAgain, err := Pack(gotSteps, gotEffects).Unpack()
		require.NoError(t, err)
		require.True(t, slices.Equal(gotSteps, again))
		require.True(t, slices.Equal(gotEffects, effectsAgain))
	})
}

// TestPackedResult: only long results are packed, and unpacked they are as before.
func TestPackedResult(t *testing.T) {
	for n, packed := range map[int]bool{0: false, PackedFrom - 1: false, PackedFrom: true, 5 * PackedFrom: true} {
		var r Result
		for i := range n {
			g := entryPath
			if i%7 == 0 {
				g = TimeStep
			}
			r.Trace = append(r.Trace, Step{g, "p.f#1", i, i%5 - 4})
			if i%3 == 0 {
				r.Effects = append(r.Effects, Effect{i + 1, "mutex#1", ""}, Effect{i + 1, "channel#2", "1 of 2"})
			}
		}
		got := r.pack()
		require.Equal(t, packed, got.Packed != nil)
		require.Equal(t, packed, len(got.Trace) < n)
		require.NoError(t, got.Unpack())
		require.Equal(t, PackedResult{Result: r}, got)
	}
}
