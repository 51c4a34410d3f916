package orcutil

import "embed"

// Source is the source of this package, see orcutil/source.
//
//go:embed *.go
var Source embed.FS
