// Package golangci is the analyzer of package analyzer as a plugin of golangci-lint, for its
// module plugin system: see docs/editor.md for the files that build golangci-lint with it.
package golangci

import (
	"fmt"

	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"

	"github.com/vtrace/vtrace/analyzer"
)

func init() { register.Plugin("vtrace", New) }

// settings are those of the plugin in the configuration of golangci-lint, as of
// analyzer.Options.
type settings struct {
	Results string `json:"results"`
	Bundles string `json:"bundles"`
	All     bool   `json:"all"`
}

type plugin struct{ settings settings }

// New makes the plugin with settings as golangci-lint has read them.
func New(raw any) (register.LinterPlugin, error) {
	s, err := register.DecodeSettings[settings](raw)
	if err != nil {
		return nil, fmt.Errorf("settings of vtrace: %w", err)
	}
	return &plugin{s}, nil
}

// BuildAnalyzers makes the analyzer.
func (p *plugin) BuildAnalyzers() ([]*analysis.Analyzer, error) {
	return []*analysis.Analyzer{analyzer.New(analyzer.Options(p.settings))}, nil
}

// GetLoadMode says that types are not needed.
func (p *plugin) GetLoadMode() string { return register.LoadModeSyntax }
