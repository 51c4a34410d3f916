//go:build go1.25

package orcruntime

// Measures is f, by which a program measures its own memory: it is called name. Generated code calls it.
func Measures[F any](name string, f F) F {
	if g := asks(); g != nil {
		g.run.measures = name
	}
	return f
}
