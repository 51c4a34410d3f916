package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/vtrace/vtrace/internal/storage"
	"github.com/vtrace/vtrace/internal/view"
)

// runView writes the page of a bundle, a recording or a trace of a model, and opens it unless it is told where to write it to.
func runView(c *call) (int, error) {
	var s settings
	fs := c.flags()
	out := fs.String("o", "", "write the page to `FILE`, and do not open it; - is standard output")
	trace := fs.String("trace", "", "show the trace in `FILE` of a model, which takes the place of BUNDLE: an .xtr file or XML of UPPAAL, or the text that verifyta or Spin prints")
	finding := fs.Int("finding", 0, "of a recording, show finding `N` first, with the steps around it if not all fit on the page; its numbers are those of the page")
	s.verifying(fs)
	args, err := c.parse(fs, 1, 1)
	if err != nil {
		return 0, err
	}
	write, err := s.page(c, args[0], *trace, *finding)
	if err != nil {
		return 0, err
	}
	switch *out {
	case "-":
		return exitNothing, write(c.stdout)
	case "":
		return exitNothing, openPage(c, write)
	}
	if err := storage.Replace(*out, func(f *os.File) error { return write(f) }); err != nil {
		return 0, err
	}
	_, err = fmt.Fprintf(c.stdout, "page: %s\n", plain(*out))
	return exitNothing, err
}

// page gives what writes the page of a bundle, of a recording, or of a trace of a model.
func (s *settings) page(c *call, of, trace string, finding int) (write func(io.Writer) error, err error) {
	recorded := trace == "" && isTrace(of)
	switch {
	case finding != 0 && !recorded:
		return nil, fmt.Errorf("%w: -finding is for recordings; the page of a bundle has all of its findings", errUsage)
	case recorded:
		return recordedPage(c, of, finding)
	case trace == "":
		b, err := s.load(of)
		return func(w io.Writer) error { return view.Write(w, b) }, err
	}
	m, err := c.modelTrace(of, trace)
	return func(w io.Writer) error { return view.WriteModel(w, m) }, err
}

// recordedPage gives what writes the page of a recording, or of a trace in the text form.
func recordedPage(c *call, of string, finding int) (write func(io.Writer) error, err error) {
	t, header, err := c.readTrace(of)
	if err != nil {
		return nil, err
	}
	return func(w io.Writer) error {
		if err := view.WriteRecording(w, view.Recording{Trace: t, Header: header, Tool: version(), Finding: finding}); err != nil {
			return fmt.Errorf("%s: %w", of, err)
		}
		return nil
	}, nil
}

// maxPages is how many pages are kept that were written to be opened.
const maxPages = 20

// pageFiles are the names of these pages.
const pageFiles = "vtrace-*.html"

// openPage writes a page to a new file below the user's cache directory, and opens
// that. The directory for temporary files is not seen by browsers that have one of their own.
func openPage(c *call, write func(io.Writer) error) error {
	page, err := writePage(c, write)
	if err != nil {
		return err
	}
	if err := open(page); err != nil {
		fmt.Fprintf(c.stderr, "vtrace: the page is not opened: %v; open it in a browser\n", err)
	}
	_, err = fmt.Fprintf(c.stdout, "page: %s\n", page)
	return err
}

// writePage writes a page to a new file below the user's cache directory, and returns its name.
func writePage(c *call, write func(io.Writer) error) (string, error) {
	dir, err := pageDir()
	if err != nil {
		return "", err
	}
	f, err := os.CreateTemp(dir, pageFiles)
	if err != nil {
		return "", err
	}
	if err := errors.Join(write(f), f.Close()); err != nil {
		return "", errors.Join(err, os.Remove(f.Name()))
	}
	if err := dropPages(dir, filepath.Base(f.Name())); err != nil {
		fmt.Fprintf(c.stderr, "vtrace: old pages are not removed: %v\n", err)
	}
	return f.Name(), nil
}

// pageDir is the directory of the pages, which nobody but the user may read, as it has source.
func pageDir() (string, error) {
	user, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("there is no place for the page, say one with -o: %w", err)
	}
	dir := filepath.Join(user, "vtrace", "pages")
	return dir, os.MkdirAll(dir, 0o700)
}

// dropPages removes the oldest pages, so that at most maxPages are left. That with the name, which
// is new, is one of them.
func dropPages(dir, name string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var pages []os.FileInfo
	for _, e := range entries {
		if ok, _ := filepath.Match(pageFiles, e.Name()); !ok || !e.Type().IsRegular() || e.Name() == name {
			continue
		}
		info, err := e.Info()
		if errors.Is(err, os.ErrNotExist) {
			continue // another vtrace has removed it
		} else if err != nil {
			return err
		}
		pages = append(pages, info)
	}
	slices.SortFunc(pages, func(a, b os.FileInfo) int {
		return cmp.Or(b.ModTime().Compare(a.ModTime()), cmp.Compare(a.Name(), b.Name()))
	})
	for _, old := range pages[min(len(pages), maxPages-1):] {
		if err := os.Remove(filepath.Join(dir, old.Name())); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

// openCommand is what opens a file in a browser.
func openCommand(path string) ([]string, error) {
	args := []string{"xdg-open", path}
	switch runtime.GOOS {
	case "darwin":
		args[0] = "open"
	case "windows":
		args = []string{"rundll32", "url.dll,FileProtocolHandler", path}
	default:
		// Without a display a browser of the terminal would be started.
		if os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "" {
			return nil, errors.New("there is no display")
		}
	}
	return args, nil
}

// open has the system open a file in a browser. It does not wait for that.
func open(path string) error {
	args, err := openCommand(path)
	if err != nil {
		return err
	}
	cmd := exec.Command(args[0], args[1:]...)
	if err := cmd.Start(); err != nil {
		return err
	}
	return cmd.Process.Release()
}
