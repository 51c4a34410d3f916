package pass

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/orcruntime"
)

func sampleCorpus() []Input {
	step := orcruntime.Step{G: "0.1", Site: "p.f@1", Occ: 1}
	return []Input{
		{Seed: 1, Tail: 2, Prefix: []orcruntime.Step{step, {G: orcruntime.TimeStep}}, Chain: []orcruntime.Step{step}},
		{Seed: 3, Cases: []orcruntime.Step{step}, Choices: []orcruntime.EnvChoice{{G: "0", Site: "p.f@2", Occ: 1, N: 3, Value: 2}}},
	}
}

// What is kept is read again, what is not kept any more is removed, and the files of others stay.
func TestCorpusFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "testdata", "vtrace")
	none, err := ReadCorpus(dir)
	require.NoError(t, err)
	require.Empty(t, none)
	corpus := sampleCorpus()
	require.NoError(t, WriteCorpus(dir, corpus))
	got, err := ReadCorpus(dir)
	require.NoError(t, err)
	require.ElementsMatch(t, corpus, got)
	require.NoError(t, os.Mkdir(filepath.Join(dir, "other"), 0o755))
	require.NoError(t, WriteCorpus(dir, corpus[:1]))
	got, err = ReadCorpus(dir)
	require.NoError(t, err)
	require.Equal(t, corpus[:1], got)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "notes"), []byte("mine\n"), 0o644))
	require.NoError(t, WriteCorpus(dir, nil))
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 2)
	_, err = ReadCorpus(dir)
	require.ErrorContains(t, err, "notes: it is no input of a search")
}

// An input may come from anywhere: what is read is written again as it was.
func FuzzInputs(f *testing.F) {
	dir := f.TempDir()
	require.NoError(f, WriteCorpus(dir, sampleCorpus()))
	entries, err := os.ReadDir(dir)
	require.NoError(f, err)
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		require.NoError(f, err)
		f.Add(data)
	}
	f.Add([]byte(corpusHeader + `{"Seed":-1}`))
	f.Add([]byte(corpusHeader + `{"Unknown":1}`))
	file := filepath.Join(dir, "input")
	f.Fuzz(func(t *testing.T, data []byte) {
		require.NoError(t, os.WriteFile(file, data, 0o600))
		in, err := readInput(file)
		if err != nil {
			return
		}
		again := filepath.Join(t.TempDir(), "corpus")
		require.NoError(t, WriteCorpus(again, []Input{*in}))
		got, err := ReadCorpus(again)
		require.NoError(t, err)
		require.Len(t, got, 1)
		require.Equal(t, in.Seed, got[0].Seed)
		require.Len(t, got[0].Prefix, len(in.Prefix))
	})
}
