package disallow

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// A set that is read refutes what the text lists, is written and read back the same, and stays
// as it was if the text is no set.
func FuzzSet(f *testing.F) {
	f.Add([]byte(`[["a","b"],["a"],["b","c"]]`))
	f.Add([]byte(`[[]]`))
	f.Add([]byte(`[["a"],null]`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var s Set
		_, err := s.Add([]string{"before"})
		require.NoError(t, err)
		if err := json.Unmarshal(data, &s); err != nil {
			require.Equal(t, [][]string{{"before"}}, s.Sequences())
			return
		}
		var list [][]string
		require.NoError(t, json.Unmarshal(data, &list))
		require.LessOrEqual(t, s.Len(), len(list))
		for _, seq := range list {
			require.True(t, s.Contains(seq))
			require.True(t, s.Contains(append(seq, "more")))
		}
		require.Equal(t, s.Len() == 0, len(list) == 0)
		written, err := json.Marshal(&s)
		require.NoError(t, err)
		var again Set
		require.NoError(t, json.Unmarshal(written, &again))
		require.Equal(t, s.Sequences(), again.Sequences())
		require.Equal(t, s.Len(), again.Len())
	})
}
