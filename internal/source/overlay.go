package source

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"
)

// The go command takes files of a program from elsewhere by its -overlay flag, as
// editors want it for what has not been saved. Those files are read when the program
// is loaded, and belong to it from then on: the flag is not passed on. So do the files that
// a caller has in memory.

// takeOverlay replaces an -overlay flag by the files that it names, and adds those of
// spec.Overlay, which win.
func (spec Spec) takeOverlay() (Spec, error) {
	dir, err := filepath.Abs(spec.Dir)
	if err != nil {
		return spec, fmt.Errorf("source directory: %w", err)
	}
	if spec, err = spec.takeFlag(dir); err != nil || len(spec.Overlay) == 0 {
		return spec, err
	}
	files := make(map[string][]byte, len(spec.overlay)+len(spec.Overlay))
	maps.Copy(files, spec.overlay)
	for name, text := range spec.Overlay {
		files[absolute(dir, name)] = text
	}
	spec.Overlay, spec.overlay = nil, files
	return spec, nil
}

// absolute is the absolute name of a file that may be relative to a directory.
func absolute(dir, file string) string {
	if filepath.IsAbs(file) {
		return filepath.Clean(file)
	}
	return filepath.Join(dir, file)
}

// takeFlag replaces an -overlay flag by the files that it names, relative to dir.
func (spec Spec) takeFlag(dir string) (Spec, error) {
	var name string
	var rest []string
	for i := 0; i < len(spec.Flags); i++ {
		flag := "-" + strings.TrimLeft(spec.Flags[i], "-")
		value, joined := strings.CutPrefix(flag, "-overlay=")
		switch {
		case joined:
			name = value
		case flag == "-overlay":
			if i++; i == len(spec.Flags) {
				return spec, fmt.Errorf("build flags: -overlay without a file")
			}
			name = spec.Flags[i]
		default:
			rest = append(rest, spec.Flags[i])
		}
	}
	if name == "" {
		return spec, nil
	}
	data, err := os.ReadFile(absolute(dir, name))
	if err != nil {
		return spec, fmt.Errorf("build flags: -overlay: %w", err)
	}
	var overlay struct{ Replace map[string]string }
	if err := json.Unmarshal(data, &overlay); err != nil {
		return spec, fmt.Errorf("build flags: -overlay=%s: %w", name, err)
	}
	files := maps.Clone(spec.overlay)
	if files == nil {
		files = map[string][]byte{}
	}
	for _, file := range slices.Sorted(maps.Keys(overlay.Replace)) {
		from := overlay.Replace[file]
		if from == "" {
			return spec, fmt.Errorf("build flags: -overlay=%s: %s is left out, which is not supported", name, file)
		}
		text, err := os.ReadFile(absolute(dir, from))
		if err != nil {
			return spec, fmt.Errorf("build flags: -overlay=%s: %w", name, err)
		}
		files[absolute(dir, file)] = text
	}
	spec.Flags, spec.overlay = rest, files
	return spec, nil
}

// passOverlay has the go command and the parser take the files of an overlay, instead of package packages: that one
// takes all compiled packages for outdated where there is an overlay, and checks the types of each package that the
// program imports, from its source, down to package runtime. The go command compiles what the overlay changes.
// Package packages reads a file before it has it parsed, so files that are not on disk are left to it. The files
// for the go command are made in a directory.
func passOverlay(cfg *packages.Config, dir string) error {
	if len(cfg.Overlay) == 0 {
		return nil
	}
	onDisk := make(map[string]os.FileInfo, len(cfg.Overlay))
	for name := range cfg.Overlay {
		info, err := os.Stat(name)
		if err != nil || info.IsDir() {
			return nil
		}
		onDisk[name] = info
	}
	replace := make(map[string]string, len(cfg.Overlay))
	for i, name := range slices.Sorted(maps.Keys(cfg.Overlay)) {
		replace[name] = filepath.Join(dir, "overlay"+strconv.Itoa(i)+filepath.Ext(name))
		if err := os.WriteFile(replace[name], cfg.Overlay[name], 0o600); err != nil {
			return fmt.Errorf("overlay: %w", err)
		}
	}
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return fmt.Errorf("overlay: %w", err)
	}
	file := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		return fmt.Errorf("overlay: %w", err)
	}
	texts := cfg.Overlay
	cfg.Overlay = nil
	cfg.BuildFlags = append(slices.Clone(cfg.BuildFlags), "-overlay="+file)
	cfg.ParseFile = func(fset *token.FileSet, name string, src []byte) (*ast.File, error) {
		if text, ok := texts[name]; ok {
			src = text
		} else if info, err := os.Stat(name); err == nil {
			for other, at := range onDisk { // the go command may know the file by another name
				if os.SameFile(at, info) {
					src = texts[other]
				}
			}
		}
		return parser.ParseFile(fset, name, src, parser.AllErrors|parser.ParseComments) // as package packages does
	}
	return nil
}
