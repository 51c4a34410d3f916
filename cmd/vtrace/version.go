package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/output"
)

// build is what version prints.
type build struct {
	Version string `json:"version"`
	// Revision is that of the version control system, with the time of its commit, "" if it is
	// not known. Modified: files were not as in it.
	Revision string `json:"revision,omitempty"`
	Time     string `json:"time,omitempty"`
	Modified bool   `json:"modified,omitempty"`
	Go       string `json:"go"`
	OS       string `json:"os"`
	Arch     string `json:"arch"`
	// Formats are the versions of what is written: bundles, and the output of check -json.
	Format int `json:"format"`
	Output int `json:"output"`
}

func buildOf(info *debug.BuildInfo) build {
	b := build{Version: version(), Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH, Format: artifact.Version, Output: output.OutputVersion}
	if info == nil {
		return b
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Revision = s.Value
		case "vcs.time":
			b.Time = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}

func runVersion(c *call) (int, error) {
	fs := c.flags()
	asJSON := fs.Bool("json", false, "print it as JSON")
	if _, err := c.parse(fs, 0, 0); err != nil {
		return 0, err
	}
	info, _ := debug.ReadBuildInfo()
	b := buildOf(info)
	if *asJSON {
		return exitNothing, encode(c.stdout, b)
	}
	return exitNothing, b.write(c)
}

func (b *build) write(c *call) error {
	text := fmt.Sprintf("vtrace %s\n", b.Version)
	if b.Revision != "" {
		text += "revision " + b.Revision
		if b.Time != "" {
			text += " of " + b.Time
		}
		if b.Modified {
			text += ", with changes that are not committed"
		}
		text += "\n"
	}
	text += fmt.Sprintf("built with %s for %s/%s\nwrites bundles of version %d and check -json of version %d\n", b.Go, b.OS, b.Arch, b.Format, b.Output)
	_, err := fmt.Fprint(c.stdout, text)
	return err
}
