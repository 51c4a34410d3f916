package main

import (
	"bytes"
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// What has a colour in a report, and that the text is the same without.
func TestPainted(t *testing.T) {
	const text = `example.com/p TestA: 2 real errors, 1 note

1. REAL: deadlock at acc.go:13 in example.com/p.Transfer
   goroutine 0.1 waits (blocked) at acc.go:13
   goroutines (0 is TestA, 0.1 the first that it starts):
     0      wait (blocked) at acc_test.go:13: wg.Wait()
     0.1    (panicked) at main.go:16
   interleaving:
   step  where           0                       0.1
      7  acc_test.go:13  blocked: wg.Wait()
   8-10  acc.go:13                               blocked: to.mu.Lock()
     11  acc.go:14       print("blocked: ")
   what helps: one order.
   reproduce: vtrace replay .vtrace/p.vtz q7-1

2. TIMING-DEPENDENT: test failure at a.go:1

3. accepted: goroutine leak at a.go:2
   it lives as long as the process

what this result does not cover:
  2 real errors of somebody else

example.com/p TestA  exact  2 real errors
example.com/p TestB  exact  no error
`
	got := painted(text)
	var colours []string
	for _, m := range regexp.MustCompile(`\x1b\[([\d;]+)m(.*?)\x1b\[0m`).FindAllStringSubmatch(got, -1) {
		colours = append(colours, m[1]+" "+m[2])
	}
	require.Equal(t, []string{
		red + " 2 real errors",
		red + " 1. REAL: deadlock",
		bold + " goroutines", red + " (blocked)", red + " (panicked)",
		bold + " interleaving", red + " blocked: ", red + " blocked: ",
		bold + " what helps", bold + " reproduce", // and the command, in its line
	}, colours[:10])
	require.Equal(t, []string{
		cyan + " vtrace replay .vtrace/p.vtz q7-1",
		yellow + " 2. TIMING-DEPENDENT: test failure", yellow + " 3. accepted: goroutine leak",
		bold + " what this result does not cover",
		red + " 2 real errors", green + " no error",
	}, colours[10:])
	require.Equal(t, text, regexp.MustCompile(`\x1b\[[\d;]*m`).ReplaceAllString(got, ""))
}

// Pipes and files have no colours.
func TestColoursOfFiles(t *testing.T) {
	require.False(t, colours(new(bytes.Buffer)))
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer r.Close()
	require.False(t, colours(w))
	require.NoError(t, printReport(w, "a TestA: 1 real error\n"))
	require.NoError(t, w.Close())
	var got bytes.Buffer
	_, err = got.ReadFrom(r)
	require.NoError(t, err)
	require.Equal(t, "a TestA: 1 real error\n", got.String())
}
