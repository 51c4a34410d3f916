package explain

import "github.com/vtrace/vtrace/artifact"

// Refuted reports whether an error is unconfirmed though the program was shown not to do it, as far as that was tried: the model
// is to blame more often than not.
func Refuted(f artifact.Finding) bool {
	return f.Verdict == artifact.Unconfirmed && f.Refuted > 0
}
