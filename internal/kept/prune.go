package kept

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/vtrace/vtrace/artifact"
)

// DefaultKeptSize bounds the bytes of the bundles of a [Cache], and of [Results], that set no bound.
const DefaultKeptSize = 1 << 30

// maxUnfinished is the age at which a file that is not whole was left by a process that has
// ended: none takes so long to write one.
const maxUnfinished = time.Hour

// used notes that a bundle is of use, for the order in which bundles are removed. A directory
// that cannot be written has no such order.
func used(path string) {
	now := time.Now()
	_ = os.Chtimes(path, now, now)
}

// finished are the files of a directory that are whole. Those that killed processes have left
// are removed.
func finished(dir string) ([]fs.FileInfo, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var out []fs.FileInfo
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			continue // another process has removed it
		}
		if !strings.HasPrefix(e.Name(), ".") {
			out = append(out, info)
		} else if time.Since(info.ModTime()) > maxUnfinished {
			_ = os.RemoveAll(filepath.Join(dir, e.Name()))
		}
	}
	return out, nil
}

// pruneBundles removes those bundles of a directory that have not been used for longest until
// the others have less than limit bytes; the one at keep stays. It says whether it has removed any.
func pruneBundles(dir string, limit int64, keep string) (removed bool, err error) {
	files, err := finished(dir)
	if err != nil {
		return false, err
	}
	files = slices.DeleteFunc(files, func(f fs.FileInfo) bool { return filepath.Ext(f.Name()) != artifact.Ext })
	var total int64
	for _, f := range files {
		total += f.Size()
	}
	if total <= limit {
		return false, nil
	}
	slices.SortFunc(files, func(a, b fs.FileInfo) int {
		return cmp.Or(a.ModTime().Compare(b.ModTime()), strings.Compare(a.Name(), b.Name()))
	})
	// Somewhat below the limit, so that not each Put has to.
	for _, f := range files {
		path := filepath.Join(dir, f.Name())
		if total <= limit-limit/8 {
			break
		}
		if path == keep {
			continue
		}
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return removed, err
		}
		removed, total = true, total-f.Size()
	}
	return removed, nil
}
