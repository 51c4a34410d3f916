package orcruntime

import "embed"

// Source is the source of this package, see internal/orcruntime/source.
//
//go:embed *.go
var Source embed.FS
