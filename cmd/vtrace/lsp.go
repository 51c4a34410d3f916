package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/vtrace/vtrace"
	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/lsp"
	"github.com/vtrace/vtrace/internal/view"
	"github.com/vtrace/vtrace/report"
)

// lspFlags declares the flags of lsp, and returns that of -config.
func lspFlags(fs *flag.FlagSet, s *settings) *string {
	s.building(fs)
	s.model(fs)
	s.search(fs)
	s.replay(fs)
	s.results(fs)
	fs.Bool("stdio", true, "speak over standard input and output, which it always does: some editors say so")
	return configFlag(fs)
}

// runLSP speaks with an editor until that ends it.
func runLSP(c *call) (int, error) {
	var s settings
	fs := c.flags()
	lspFlags(fs, &s)
	if _, err := c.parse(fs, 0, 0); err != nil {
		return 0, err
	}
	if len(c.program) > 0 {
		return 0, fmt.Errorf("%w: vtrace lsp has no arguments", errUsage)
	}
	if _, err := s.options(true, newProgress(io.Discard, false)); err != nil {
		return 0, err
	}
	// An editor that is gone shows as an error of a write, which ends what is going on in order.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	return c.serve(&s, os.Stdin)
}

// settingsIn are those of the command line, and for the package in a directory those of its module,
// as check has them.
func (c *call) settingsIn(dir string) (lsp.Settings, error) {
	var s settings
	fs := c.flags()
	file := lspFlags(fs, &s)
	if _, err := c.parse(fs, 0, 0); err != nil {
		return lsp.Settings{}, err
	}
	conf, err := findConfig(*file, dir)
	if err != nil {
		return lsp.Settings{}, err
	}
	if err := conf.apply(fs, &s); err != nil {
		return lsp.Settings{}, err
	}
	opts, err := s.options(true, newProgress(io.Discard, false))
	return lsp.Settings{
		Flags: s.flags(), Deps: s.dependencies(), Check: opts, Skips: conf.skips,
		Of: func(e vtrace.EntryPoint) []vtrace.Option { return conf.options(e.Package, e.Func) },
	}, err
}

func (c *call) serve(s *settings, in io.Reader) (int, error) {
	server := lsp.Options{
		Version: version(), Settings: c.settingsIn,
		Headline: func(b *artifact.Bundle) string {
			accepted, _ := report.Accept(b, nil)
			return headline(b, accepted)
		},
		Page: func(b *artifact.Bundle) (string, error) {
			return writePage(c, func(w io.Writer) error { return view.Write(w, b) })
		},
	}
	if s.cache != noResults {
		server.Results.Dir = s.cache
	}
	err := lsp.Serve(c.ctx, in, c.stdout, server)
	var end *lsp.EndError
	switch {
	case errors.As(err, &end) && end.Exit:
		return exitReal, nil // the protocol wants a 1
	case err != nil && c.ctx.Err() == nil:
		return 0, err
	}
	return exitNothing, nil
}
