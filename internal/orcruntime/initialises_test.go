package orcruntime

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestInitialises(t *testing.T) {
	for name, want := range map[string]string{
		"example.com/a.b/p.zzorcReset3":            "example.com/a.b/p.init",
		"example.com/p.zzorcInit12":                "example.com/p.init",
		"main.zzorcx11Init1.func2.1":               "main.init.func2.1",
		"example.com/p.zzorcResetAll":              "example.com/p.zzorcResetAll",
		"example.com/p.(*T).zzorcReset1":           "example.com/p.(*T).zzorcReset1",
		"example.com/p.zzorc1":                     "example.com/p.zzorc1",
		"example.com/p.Init1":                      "example.com/p.Init1",
		"example.com/p.F[example.com/p.zzorcInit]": "example.com/p.F[example.com/p.zzorcInit]",
		"": "",
	} {
		require.Equal(t, want, initialises(name), name)
	}
}
