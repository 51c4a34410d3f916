package main

import (
	"flag"
	"fmt"
	"io"

	"github.com/vtrace/vtrace/internal/pass"
)

// sandboxFlag is -sandbox, a boolean flag that may have a value.
type sandboxFlag string

const requireSandbox = "require"

func (s *sandboxFlag) String() string { return string(*s) }

// IsBoolFlag has package flag accept it without a value.
func (s *sandboxFlag) IsBoolFlag() bool { return true }

func (s *sandboxFlag) Set(text string) error {
	switch text {
	case "true":
		*s = pass.SandboxPreferred
	case "false":
		*s = ""
	case requireSandbox:
		*s = pass.SandboxRequired
	default:
		return fmt.Errorf("%q is not -sandbox or -sandbox=%s", text, requireSandbox)
	}
	return nil
}

func (s *settings) inSandbox(fs *flag.FlagSet) {
	fs.Var(&s.sandbox, "sandbox", "run the program without a network, with a read-only file system and limits of memory and processes, where the system offers that, and say so where it does not; -sandbox="+requireSandbox+" refuses to run it then. The go command runs outside: see docs/security.md")
}

// unsandboxed takes up that there is no sandbox, and says so once.
func (p *progress) unsandboxed(e pass.Unsandboxed) {
	text := "no sandbox here: " + e.Reason + ". The program runs with all that you may do"
	if e.Partly {
		text = "the sandbox lacks something here: " + e.Reason
	}
	p.without = text
	if text != p.unsandboxedSaid {
		p.unsandboxedSaid = text
		p.clear()
		fmt.Fprintf(p.w, "vtrace: %s\n", plain(text))
	}
}

// writeUnsandboxed says behind a result in what it came about, if that is not what was asked
// for.
func (p *progress) writeUnsandboxed(w io.Writer) {
	if p.without != "" {
		fmt.Fprintf(w, "\n%s\n", plain(p.without))
	}
}
