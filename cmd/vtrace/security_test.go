package main

import (
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// docs/security.md says of every command what it executes, as the command itself does.
func TestSecurityDocument(t *testing.T) {
	text, err := os.ReadFile("../../docs/security.md")
	require.NoError(t, err)
	said := map[string]string{}
	var order []string
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z-]+)` \\| [^|]+ \\| ([^|]+) \\|$").FindAllStringSubmatch(string(text), -1) {
		if row[1][0] == '-' {
			continue // the table of flags
		}
		said[row[1]] = row[2]
		order = append(order, row[1])
	}
	_, help, _ := execute(t, "help")
	for i, c := range commands() {
		require.Contains(t, help, "  "+c.name+" ")
		require.Less(t, i, len(order))
		require.Equal(t, c.name, order[i])
		require.Equal(t, string(c.executes), said[c.name], c.name)
		if c.name != "help" {
			_, stdout, _ := execute(t, "help", c.name)
			require.Contains(t, stdout, "\nexecutes: "+said[c.name]+"\n")
		}
	}
	require.Len(t, order, len(commands()))
}
