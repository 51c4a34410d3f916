package lsp_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// children are the processes that this one has started, and those that they have.
func children(t *testing.T) []string {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	require.NoError(t, err)
	parent, name := map[int]int{}, map[int]string{}
	for _, stat := range stats {
		data, err := os.ReadFile(stat)
		if err != nil {
			continue // it has ended
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(stat)))
		require.NoError(t, err)
		command, rest := data[bytes.IndexByte(data, '('):bytes.LastIndexByte(data, ')')], data[bytes.LastIndexByte(data, ')')+1:]
		fields := strings.Fields(string(rest))
		if fields[0] == "Z" {
			continue
		}
		parent[pid], err = strconv.Atoi(fields[1])
		require.NoError(t, err)
		name[pid] = string(command)
	}
	var out []string
	for pid := range parent {
		for p := parent[pid]; p > 1; p = parent[p] {
			if p == os.Getpid() {
				out = append(out, fmt.Sprint(pid, " ", name[pid]))
				break
			}
		}
	}
	return out
}
