package sandbox

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// What a launcher has told, cut off or not, is how a program has ended, or says that there was
// no sandbox. A program is never said to have ended well where there was none.
func FuzzReport(f *testing.F) {
	f.Add([]byte(`{"Code":0,"Text":"exit status 0","Missing":["m"]}`))
	f.Add([]byte(`{"Error":"mount namespace: no","Code":1}`))
	f.Add([]byte(`{"Code":-1,"Text":"signal: kil`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := readReport(data)
		if err == nil {
			require.Empty(t, r.Error)
			again, err := json.Marshal(r)
			require.NoError(t, err)
			back, err := readReport(again)
			require.NoError(t, err)
			require.Equal(t, r, back)
			return
		}
		var none *Error
		require.ErrorAs(t, err, &none)
		require.NotEmpty(t, none.Reason)
		if r.Error == "" {
			require.Zero(t, r)
		}
	})
}
