package golangci

import (
	"testing"

	"github.com/golangci/plugin-module-register/register"
	"github.com/stretchr/testify/require"
)

// golangci-lint finds the plugin by its name, and gives it the settings that it has read.
func TestPlugin(t *testing.T) {
	make, err := register.GetPlugin("vtrace")
	require.NoError(t, err)
	p, err := make(map[string]any{"results": "off", "bundles": "some", "all": true})
	require.NoError(t, err)
	require.Equal(t, register.LoadModeSyntax, p.GetLoadMode())
	all, err := p.BuildAnalyzers()
	require.NoError(t, err)
	require.Len(t, all, 1)
	require.Equal(t, "vtrace", all[0].Name)
	require.Equal(t, "some", all[0].Flags.Lookup("bundles").Value.String())
	_, err = make(map[string]any{"unknown": 1})
	require.ErrorContains(t, err, "settings of vtrace: ")
}
