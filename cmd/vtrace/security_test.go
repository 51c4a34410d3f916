package main

import (
	"os"
	"path/filepath"
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

// A directory for bundles that a repository brings along has nothing written where its links lead.
func TestBundleDirLinks(t *testing.T) {
	for _, link := range []string{bundleDir, filepath.Join(bundleDir, ignoreName), filepath.Join(bundleDir, keptDir)} {
		t.Run(link, func(t *testing.T) {
			inModule(t, map[string]string{"go.mod": "module example.com/l\n\ngo 1.26\n", "main.go": "package main\n\nfunc main() {}\n"})
			t.Setenv(resultsVariable, "off")
			outside := t.TempDir()
			target := outside
			if filepath.Base(link) == ignoreName {
				target = filepath.Join(outside, "config")
				require.NoError(t, os.WriteFile(target, []byte("of the user\n"), 0o644))
			}
			if link != bundleDir {
				require.NoError(t, os.Mkdir(bundleDir, 0o755))
			}
			require.NoError(t, os.Symlink(target, link))
			before, err := os.ReadDir(outside)
			require.NoError(t, err)
			for _, args := range [][]string{{"check", "."}, {"check", "./..."}, {"first", "."}, {"record", "."}} {
				code, _, stderr := execute(t, args...)
				require.Equal(t, exitUsage, code, args)
				require.Contains(t, stderr, link+" is a symbolic link", args)
			}
			require.ErrorContains(t, makeBundleDir(), link+" is a symbolic link")
			code, _, stderr := execute(t, "check", "-o", "-", ".")
			require.Equal(t, exitNothing, code, stderr)
			after, err := os.ReadDir(outside)
			require.NoError(t, err)
			require.Equal(t, len(before), len(after))
			if target != outside {
				data, err := os.ReadFile(target)
				require.NoError(t, err)
				require.Equal(t, "of the user\n", string(data))
			}
		})
	}
	t.Run("its own", func(t *testing.T) {
		t.Chdir(t.TempDir())
		require.NoError(t, makeBundleDir())
		name := filepath.Join(bundleDir, ignoreName)
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		require.Equal(t, "*\n", string(data))
		require.NoError(t, os.WriteFile(name, []byte("mine\n"), 0o644))
		require.NoError(t, makeBundleDir())
		data, err = os.ReadFile(name)
		require.NoError(t, err)
		require.Equal(t, "mine\n", string(data))
	})
}
