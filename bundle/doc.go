// Package bundle has the tools for bundles: it checks, compares, collects, unpacks, shortens and
// lists them. Nothing of a bundle is executed.
//
// Package artifact loads and saves bundles, and refuses what is broken. [Verify] asks for more:
// that what the files say of each other is so. docs/bundle.md describes the format.
//
// [VerifyFile], [DiffFiles], [ExtractFile], [SlimFile], [Merge] and [Index] read bundles file by
// file, and keep of one what they compare or report. So the memory that they take does not
// depend on how large sources, logs, modules and traces are together: it is that of the
// manifest, of the largest JSON file, and of the sidecar, queries, verdicts and findings. The
// others do the same with a bundle that is in memory.
package bundle

import (
	"errors"
	"io"

	"github.com/vtrace/vtrace/artifact"
)

// each calls a function for each file of a bundle, and closes the reader. No error is that all
// of the bundle is right.
func each(r *artifact.Reader, visit func(f artifact.FileInfo) error) error {
	for {
		f, err := r.Next()
		if err == io.EOF {
			return r.Close()
		}
		if err == nil {
			err = visit(f)
		}
		if err != nil {
			return errors.Join(err, r.Close())
		}
	}
}
