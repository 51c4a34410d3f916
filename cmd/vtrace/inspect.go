package main

import (
	"encoding/json"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/vtrace/vtrace"
)

// runInspect shows a bundle: its contents, or what a path selects. The JSON
// files of the bundle are seen as one document, named by their paths without
// the extension: "findings.0.kind", "traces.q3-1.trace", "manifest.entry". The
// full name of any other file prints that file.
func runInspect(c *call) (int, error) {
	var s settings
	fs := c.flags()
	s.verifying(fs)
	args, err := c.parse(fs, 1, 2)
	if err != nil {
		return 0, err
	}
	if isRecording(args[0]) {
		switch {
		case s.verifyKey != "":
			return 0, fmt.Errorf("%w: a recording has no signature", errUsage)
		case len(args) == 1:
			return exitNothing, inspectRecording(c, args[0])
		case args[1] == "events":
			return exitNothing, writeEvents(c, args[0])
		}
		return 0, fmt.Errorf("%w: of a recording, PATH is nothing or events", errUsage)
	}
	b, err := s.load(args[0])
	if err != nil {
		return 0, err
	}
	if len(args) == 1 {
		return exitNothing, writeContents(c, b)
	}
	if data, ok := b.Read(args[1]); ok {
		_, err := c.stdout.Write(data)
		return exitNothing, err
	}
	doc, err := document(b)
	if err != nil {
		return 0, err
	}
	r := gjson.GetBytes(doc, args[1])
	if !r.Exists() {
		return 0, fmt.Errorf("%s: nothing at %q", args[0], args[1])
	}
	_, err = fmt.Fprintln(c.stdout, plain(r.String()))
	return exitNothing, err
}

// document joins the JSON files of a bundle.
func document(b *vtrace.Bundle) ([]byte, error) {
	doc := map[string]any{"manifest": b.Manifest()}
	for _, p := range b.Paths() {
		dir, file := path.Split(p)
		name, isJSON := strings.CutSuffix(file, ".json")
		if !isJSON || dir != "" && dir != "traces/" {
			continue
		}
		data, _ := b.Read(p)
		if dir == "" {
			doc[name] = json.RawMessage(data)
			continue
		}
		traces, _ := doc["traces"].(map[string]any)
		if traces == nil {
			traces = map[string]any{}
			doc["traces"] = traces
		}
		traces[name] = json.RawMessage(data)
	}
	return json.Marshal(doc)
}

func writeContents(c *call, b *vtrace.Bundle) error {
	m := b.Manifest()
	var out strings.Builder
	fmt.Fprintf(&out, "%s, version %d, %s pass, vtrace %s, %s\n", m.Format, m.Version, m.Pass, m.Tool, m.Go)
	fmt.Fprintf(&out, "digest %s\n", b.Digest())
	if m.Parent != "" {
		fmt.Fprintf(&out, "parent %s\n", m.Parent)
	}
	if m.SlimmedFrom != "" {
		fmt.Fprintf(&out, "slimmed from %s\n", m.SlimmedFrom)
	}
	for _, path := range m.Changed {
		fmt.Fprintf(&out, "changed by hand: %s\n", path)
	}
	for _, f := range m.Files {
		fmt.Fprintf(&out, "%9d  %s\n", f.Size, f.Path)
	}
	fmt.Fprintln(&out)
	if _, err := io.WriteString(c.stdout, plain(out.String())); err != nil {
		return err
	}
	return writeText(c.stdout, b, "", nil)
}
