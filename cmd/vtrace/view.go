package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/view"
)

// runView writes the page of a bundle, and opens it unless it is told where to write it to.
func runView(c *call) (int, error) {
	var s settings
	fs := c.flags()
	out := fs.String("o", "", "write the page to `FILE`, and do not open it; - is standard output")
	s.verifying(fs)
	args, err := c.parse(fs, 1, 1)
	if err != nil {
		return 0, err
	}
	b, err := s.load(args[0])
	if err != nil {
		return 0, err
	}
	switch *out {
	case "-":
		return exitNothing, view.Write(c.stdout, b)
	case "":
		return exitNothing, openPage(c, b)
	}
	if err := artifact.ReplaceFile(*out, func(f *os.File) error { return view.Write(f, b) }); err != nil {
		return 0, err
	}
	_, err = fmt.Fprintf(c.stdout, "page: %s\n", plain(*out))
	return exitNothing, err
}

// openPage writes the page of a bundle to a temporary file, and opens that.
func openPage(c *call, b *artifact.Bundle) error {
	f, err := os.CreateTemp("", "vtrace-*.html")
	if err != nil {
		return err
	}
	if err := errors.Join(view.Write(f, b), f.Close()); err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	if err := open(f.Name()); err != nil {
		fmt.Fprintf(c.stderr, "vtrace: the page is not opened: %v; open it in a browser\n", err)
	}
	_, err = fmt.Fprintf(c.stdout, "page: %s\n", f.Name())
	return err
}

// open has the system open a file in a browser. It does not wait for that.
func open(path string) error {
	args := []string{"xdg-open", path}
	switch runtime.GOOS {
	case "darwin":
		args[0] = "open"
	case "windows":
		args = []string{"rundll32", "url.dll,FileProtocolHandler", path}
	default:
		// Without a display a browser of the terminal would be started.
		if os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "" {
			return errors.New("there is no display")
		}
	}
	cmd := exec.Command(args[0], args[1:]...)
	if err := cmd.Start(); err != nil {
		return err
	}
	return cmd.Process.Release()
}
