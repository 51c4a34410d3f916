package main

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/vtrace/vtrace/internal/output"
)

// outputSchema is the schema that help prints, by a library that knows nothing of vtrace.
func outputSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	code, text, stderr := execute(t, "help", "-schema")
	require.Equal(t, exitNothing, code, stderr)
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	require.NoError(t, err)
	c := jsonschema.NewCompiler()
	require.NoError(t, c.AddResource("output", doc))
	s, err := c.Compile("output")
	require.NoError(t, err)
	return s
}

// validated checks a document, and returns it.
func validated(t *testing.T, s *jsonschema.Schema, text string) gjson.Result {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	require.NoError(t, err, text)
	require.NoError(t, s.Validate(doc), text)
	require.EqualValues(t, output.OutputVersion, gjson.Get(text, "version").Int())
	return gjson.Parse(text)
}

// cut ends the call when something is written that has a text.
type cut struct {
	bytes.Buffer
	at     string
	finish func()
	writes []string
}

func (c *cut) Write(p []byte) (int, error) {
	if c.at != "" && bytes.Contains(p, []byte(c.at)) {
		c.finish()
	}
	c.writes = append(c.writes, string(p))
	return c.Buffer.Write(p)
}

// What check -json prints is what its schema says, of one entry point and of several, also if it is
// interrupted; what -json=stream has printed at any moment is whole lines.
func TestOutputSchema(t *testing.T) {
	s := outputSchema(t)
	inModule(t, severalEntries)
	t.Setenv(resultsVariable, "off")
	code, out, stderr := execute(t, "check", "-o", "-", "-json", "-entry", "TestReal", "./a")
	require.Equal(t, exitReal, code, stderr)
	single := validated(t, s, out)
	require.Equal(t, "TestReal", single.Get("entry.func").String())
	require.NotEmpty(t, single.Get("findings.0.interleaving").Array())
	code, out, stderr = execute(t, "check", "-o", "-", "-json=stream", "-entry", "TestReal", "./a")
	require.Equal(t, exitReal, code, stderr)
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	require.Len(t, lines, 3)
	require.Equal(t, single.Get("findings.#.kind").Raw, validated(t, s, lines[1]).Get("entry.findings.#.kind").Raw)

	require.NoError(t, os.WriteFile(configName, []byte("version: 1\nentries: [{test: ^TestReflect, skip: too long}]\n"), 0o644))
	run1 := func(at string, args ...string) (int, *cut) {
		ctx, finish, stop := interruptible(context.Background())
		defer stop()
		out := &cut{at: at, finish: finish}
		var errs bytes.Buffer
		return run(ctx, append([]string{"check", "-o", "-"}, args...), out, &errs), out
	}
	code, all := run1("", "-json", "./...")
	require.Equal(t, exitReal, code)
	several := validated(t, s, all.String())
	require.Equal(t, `["TestReal","TestNone","main"]`, several.Get("entries.#.entry.func").Raw)
	require.Equal(t, `["TestC"]`, several.Get("refused.#.func").Raw)
	require.Equal(t, `["TestReflect"]`, several.Get("leftOut.#.func").Raw)

	// All that is printed until an interrupt, and behind it, each line at once.
	// What is being checked by then may have a result, as far as it has come.
	for at, want := range map[string]string{
		"":           "^begin entry entry leftOut entry refused end$",
		`"TestReal"`: "^begin entry (entry|refused) leftOut (entry|refused) refused end$",
	} {
		code, all = run1(at, "-json=stream", "./...")
		require.Equal(t, exitReal, code)
		var types []string
		for _, line := range all.writes {
			require.Equal(t, 1, strings.Count(line, "\n"))
			l := validated(t, s, line)
			types = append(types, l.Get("type").String())
		}
		require.Regexp(t, want, strings.Join(types, " "))
		require.EqualValues(t, 5, gjson.Get(all.writes[0], "count").Int())
		require.EqualValues(t, code, gjson.Get(all.writes[len(all.writes)-1], "code").Int())
	}
	// Interrupted before anything is known.
	ctx, finish, stop := interruptible(context.Background())
	defer stop()
	finish()
	var buf, errs bytes.Buffer
	run(ctx, []string{"check", "-o", "-", "-json", "-entry", "TestNone", "./a"}, &buf, &errs)
	if buf.Len() > 0 {
		validated(t, s, buf.String())
	} else {
		require.Contains(t, errs.String(), "vtrace: ")
	}

	code, _, stderr = execute(t, "check", "-json=lines", ".")
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, `"lines" is not -json or -json=stream`)
}
