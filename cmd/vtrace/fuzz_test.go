package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const fuzzedTests = `package m

import (
	"sync"
	"testing"
)

func TestMixed(t *testing.T) {
	var m sync.Mutex
	c, done := make(chan bool), make(chan bool)
	go func() {
		for range 2 {
			<-c
			m.Lock()
			m.Unlock()
		}
		close(done)
	}()
	send := func() {
		m.Lock()
		c <- true
		m.Unlock()
	}
	go send()
	send()
	<-done
}

func TestFine(t *testing.T) {
	x := 1
	x++
}
`

// A campaign searches all entry points, proves what it finds, keeps a corpus if it is asked to, and goes on
// from there; without -corpus it writes nothing to the tree.
func TestFuzz(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("go.mod", []byte("module example.com/m\n\ngo 1.26\n"), 0o644))
	require.NoError(t, os.WriteFile("m_test.go", []byte(fuzzedTests), 0o644))
	code, stdout, stderr := execute(t, "fuzz", "-runs", "200", "-fuzztime", "0", "-o", "-", ".")
	require.Equal(t, exitReal, code, stderr)
	require.Contains(t, stdout, "REAL: deadlock at m_test.go:")
	require.Regexp(t, `found by running the program \(run \d+ of a search by runs\)`, stdout)
	require.Contains(t, stdout, "example.com/m TestMixed: 200 runs, ")
	require.Contains(t, stdout, "example.com/m TestFine: all runs are the same: there is nothing to choose\n")
	files, err := filepath.Glob("*")
	require.NoError(t, err)
	require.Equal(t, []string{"go.mod", "m_test.go"}, files)
	code, again, _ := execute(t, "fuzz", "-runs", "200", "-fuzztime", "0", "-o", "-", ".")
	require.Equal(t, exitReal, code)
	require.Equal(t, stdout[:len(stdout)/2], again[:len(stdout)/2])

	for range 2 {
		code, _, stderr = execute(t, "fuzz", "-entry", "TestMixed", "-runs", "100", "-corpus", "testdata/vtrace", "-o", "m.vtz", ".")
		require.Equal(t, exitReal, code, stderr)
	}
	files, err = filepath.Glob("testdata/vtrace/example.com/m/TestMixed/*")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	code, stdout, _ = execute(t, "replay", "m.vtz", "q1-1")
	require.Equal(t, exitReal, code, stdout)
	require.NoError(t, os.WriteFile(files[0], []byte("go test fuzz v1\n"), 0o644))
	code, _, stderr = execute(t, "fuzz", "-entry", "TestMixed", "-corpus", "testdata/vtrace", ".")
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, files[0]+`: it is no input of a search: the first line of one is "vtrace fuzz v1"`)
}

func TestFuzzUsage(t *testing.T) {
	for _, args := range [][]string{{"-runs", "-1", "."}, {"-fuzztime", "-1s", "."}, {"-fuzztime", "0", "./..."}} {
		code, _, _ := execute(t, append([]string{"fuzz"}, args...)...)
		require.Equal(t, exitUsage, code, args)
	}
}

// What an entry point does not use of its share is for those that come later.
func TestCampaignShares(t *testing.T) {
	f := &campaign{time: time.Minute}
	f.begin(3)
	f.begin(7) // once
	require.Equal(t, time.Minute, f.rest)
	require.Equal(t, 20*time.Second, f.share())
	f.rest -= 10 * time.Second
	require.Equal(t, 25*time.Second, f.share())
	f.rest = 0
	require.Equal(t, leastShare, f.share())
	require.Zero(t, (&campaign{}).share())
	require.Equal(t, filepath.Join("c", "example.com", "m", "main"), (&campaign{corpus: "c"}).dirOf("example.com/m", "main"))
	require.Equal(t, filepath.Join("c", "m", "Drain(1_4)"), (&campaign{corpus: "c"}).dirOf("m", "Drain(1|4)"))
	require.Empty(t, (&campaign{}).dirOf("m", "main"))
}
