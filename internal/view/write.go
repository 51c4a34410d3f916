package view

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"io"
	"strings"

	"github.com/vtrace/vtrace/artifact"
)

// The parts of the page. The script is one, in files by what they are about.
var (
	//go:embed assets/page.html
	skeleton string
	//go:embed assets/page.css
	pageStyle string
	//go:embed assets/drawing.css
	drawingStyle string
	//go:embed assets/states.js
	statesScript string
	//go:embed assets/dom.js
	domScript string
	//go:embed assets/diagram.js
	diagramScript string
	//go:embed assets/panels.js
	panelsScript string
	//go:embed assets/recorded.js
	recordedScript string
	//go:embed assets/main.js
	mainScript string
)

// Write writes the page of a bundle. The errors are those of [Of] and of the writer.
func Write(w io.Writer, b *artifact.Bundle) error {
	d, err := Of(b)
	if err != nil {
		return err
	}
	_, err = w.Write(d.page())
	return err
}

// page is the page that shows the data. Nothing but its own style and script has effect: the policy
// names their digests, and allows no request of any kind.
func (d *Data) page() []byte {
	style := pageStyle + drawingStyle
	script := statesScript + domScript + diagramScript + panelsScript + recordedScript + mainScript
	policy := "default-src 'none'; script-src " + digest(script) + "; style-src " + digest(style) + "; base-uri 'none'; form-action 'none'"
	var out bytes.Buffer
	// The text of the page is written in pieces, so that nothing in the data is taken for a place.
	rest := skeleton
	for _, part := range []struct{ name, text string }{
		{"{{policy}}", policy}, {"{{style}}", style}, {"{{data}}", string(encoded(d))}, {"{{script}}", script},
	} {
		before, after, _ := strings.Cut(rest, part.name)
		out.WriteString(before)
		out.WriteString(part.text)
		rest = after
	}
	out.WriteString(rest)
	return out.Bytes()
}

// digest is how a policy names a text.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
