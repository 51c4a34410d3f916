package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/vtrace/vtrace"
	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/kept"
	"github.com/vtrace/vtrace/internal/storage"
)

// keeper keeps what a check has made until it is finished, below the directory of the
// bundles: one that was killed loses nothing that it had found, and the next one goes
// on from its passes. What is kept is removed at the end.
type keeper struct {
	dir   string // of the bundles, "" if nothing is to be written
	cache string
}

// keptDir is where the passes of unfinished checks are.
const keptDir = "unfinished"

func (s *settings) keeper() *keeper {
	if s.out != "" {
		return &keeper{}
	}
	k := &keeper{dir: bundleDir}
	// Another build of vtrace may make something else.
	exe, err := os.Executable()
	if err != nil {
		return k
	}
	info, err := os.Stat(exe)
	if err != nil {
		return k
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d %v", exe, info.Size(), info.ModTime().UnixNano()))
	if cache := filepath.Join(k.dir, keptDir, hex.EncodeToString(sum[:4])); refuseLinks() == nil && !isLink(cache) {
		k.cache = cache
	}
	return k
}

// options are those of the check.
func (k *keeper) options() []vtrace.Option {
	if k.dir == "" {
		return nil
	}
	opts := []vtrace.Option{vtrace.Partial(func(b *vtrace.Bundle) {
		// What cannot be kept is no reason to end the check.
		if makeBundleDir() == nil {
			_ = artifact.Save(b, filepath.Join(k.dir, partialName(b)))
		}
	})}
	if k.cache != "" {
		opts = append(opts, vtrace.Resume(k.cache))
	}
	return opts
}

// partialName is the name of what a check has found that is not finished.
func partialName(b *vtrace.Bundle) string {
	return strings.TrimSuffix(bundleName(b), artifact.Ext) + "-partial" + artifact.Ext
}

// done removes what was kept of a check, which has the result.
func (k *keeper) done(b *vtrace.Bundle) {
	if k.dir == "" {
		return
	}
	_ = storage.Remove(filepath.Join(k.dir, partialName(b)))
	if k.cache == "" {
		return
	}
	cache := kept.Cache{Dir: k.cache}
	for _, m := range parents(cache, b) {
		_ = cache.Remove(m)
	}
	_ = os.Remove(k.cache) // if nothing else is there
	_ = os.Remove(filepath.Dir(k.cache))
}

// parents are the manifests of the bundles in a cache that a bundle was made from.
func parents(cache kept.Cache, b *vtrace.Bundle) []artifact.Manifest {
	all, err := cache.Manifests()
	if err != nil {
		return nil
	}
	m := b.Manifest()
	var out []artifact.Manifest
	for _, o := range all {
		if o.Source == m.Source && o.Entry == m.Entry {
			out = append(out, o)
		}
	}
	return out
}
