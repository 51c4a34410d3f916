package view_test

import (
	"bytes"
	"flag"
	"math/rand/v2"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/view"
)

var damagedBundles = flag.Int("damaged", 100, "how many bundles TestDamaged damages")

// number is a number in JSON or XML, word a string in JSON.
var (
	number = regexp.MustCompile(`-?\b[0-9]+\b`)
	word   = regexp.MustCompile(`: "[^"]*"`)
)

// TestDamaged is that whatever numbers and names a bundle has, there is a page or an error.
func TestDamaged(t *testing.T) {
	b := load(t, transfers)
	files := []string{artifact.SidecarPath, artifact.FindingsPath, artifact.ModelPath, artifact.QueriesPath}
	for _, p := range b.Paths() {
		if regexp.MustCompile(`^traces/`).MatchString(p) {
			files = append(files, p)
		}
	}
	made := 0
	for seed := range uint64(*damagedBundles) {
		rng := rand.New(rand.NewPCG(seed, 1))
		out := artifact.Extend(b, b.Manifest())
		for range 1 + rng.IntN(3) {
			path := files[rng.IntN(len(files))]
			data, _ := b.Read(path)
			out.Put(path, damage(rng, data))
		}
		damaged, err := out.Bundle()
		if err != nil {
			continue // nobody loads it
		}
		made++
		var page bytes.Buffer
		require.NotPanics(t, func() { err = view.Write(&page, damaged) }, "seed %d", seed)
		require.NoError(t, err)
		require.Less(t, page.Len(), maxPage)
	}
	require.Greater(t, made, *damagedBundles/2)
}

// damage changes some numbers or strings of a text.
func damage(rng *rand.Rand, data []byte) []byte {
	form, with := number, func([]byte) []byte {
		return strconv.AppendInt(nil, []int64{-1, 0, 1, 2, 7, 100, 1 << 31, -1 << 31}[rng.IntN(8)], 10)
	}
	if rng.IntN(3) == 0 {
		words := word.FindAll(data, -1)
		form, with = word, func(old []byte) []byte {
			if len(words) == 0 {
				return old
			}
			return words[rng.IntN(len(words))]
		}
	}
	places := form.FindAllIndex(data, -1)
	if len(places) == 0 {
		return data
	}
	for range 1 + rng.IntN(4) {
		at := places[rng.IntN(len(places))]
		if at[1] > len(data) {
			break
		}
		next := bytes.Clone(data[:at[0]])
		next = append(next, with(data[at[0]:at[1]])...)
		data = append(next, data[at[1]:]...)
		places = form.FindAllIndex(data, -1)
		if len(places) == 0 {
			break
		}
	}
	return data
}
