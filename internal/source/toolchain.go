package source

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"sync"

	"github.com/vtrace/vtrace/internal/group"
)

// toolchainVariables are what the go command says of itself that can change how a program is
// built or runs. Those of cgo are no paths of the machine as long as nobody sets them.
var toolchainVariables = []string{
	"GOVERSION", "GOOS", "GOARCH", "GOFLAGS", "GOEXPERIMENT", "GODEBUG", "GOFIPS140",
	"GO386", "GOAMD64", "GOARM", "GOARM64", "GOMIPS", "GOMIPS64", "GOPPC64", "GORISCV64", "GOWASM",
	"CGO_ENABLED", "CC", "CXX", "CGO_CFLAGS", "CGO_CPPFLAGS", "CGO_CXXFLAGS", "CGO_LDFLAGS",
}

// toolchain is what the go command has said, once for all programs of a Set.
type toolchain struct {
	mu    sync.Mutex
	known json.RawMessage
}

// Toolchain is a JSON object of what decides how the go command builds the program: its
// version, the platform and flags. Programs of one Set ask the go command once.
func (prog *Program) Toolchain(ctx context.Context) (json.RawMessage, error) {
	t := prog.toolchain
	if t == nil {
		t = &toolchain{}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.known != nil {
		return t.known, nil
	}
	var known json.RawMessage
	if err := GoVariables(ctx, prog.Root, prog.Spec.GoEnviron(), &known, toolchainVariables...); err != nil {
		return nil, err
	}
	t.known = known
	return known, nil
}

// GoVariables asks the go command for settings, in a directory and an environment, of which nil
// is that of the process. It decodes them, a JSON object, to what into points to.
func GoVariables(ctx context.Context, dir string, env []string, into any, names ...string) error {
	cmd := exec.CommandContext(ctx, "go", append([]string{"env", "-json"}, names...)...)
	cmd.Dir, cmd.Env = dir, env
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := group.Output(cmd)
	if err != nil {
		return fmt.Errorf("go env: %w: %s", err, strings.TrimSpace(stderr.String()))
	}
	if err := json.Unmarshal(out, into); err != nil {
		return fmt.Errorf("go env: %w", err)
	}
	return nil
}
