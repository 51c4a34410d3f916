package uppaal

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWithout: the network without an edge is another one, in which all others have their numbers.
func TestWithout(t *testing.T) {
	net, err := ReadXTA(strings.NewReader(`
int n;
process P() {
	state A, B, C;
	init A;
	trans A -> B { guard n < 2; assign n++; }, A -> C { assign n--; }, B -> A { };
}
process Q() { state S; init S; trans S -> S { guard n > 5; }; }
system P, Q;
`), "without")
	require.NoError(t, err)
	before := xta(t, net)
	p := net.Templates[0]
	less := net.Without(p.Edges[0], p.Edges[2])
	require.Equal(t, before, xta(t, net), "the network has changed")
	require.Equal(t, []string{"false", "", "false"}, guards(less.Templates[0]))
	require.Equal(t, []string{"n < 2", "", ""}, guards(p))
	require.Same(t, net.Templates[1], less.Templates[1])
	require.Same(t, p.Edges[1], less.Templates[0].Edges[1])
	require.Same(t, p.Edges[0].To, less.Templates[0].Edges[0].To)
	_, err = Check(less)
	require.NoError(t, err)
	require.Equal(t, before, xta(t, net.Without()))
}

func xta(t *testing.T, net *Network) string {
	t.Helper()
	var text strings.Builder
	require.NoError(t, WriteXTA(&text, net))
	return text.String()
}

func guards(t *Template) (out []string) {
	for _, e := range t.Edges {
		if e.Guard == nil {
			out = append(out, "")
			continue
		}
		out = append(out, ExprString(e.Guard))
	}
	return out
}
