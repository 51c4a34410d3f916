package check

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/uppaal"
)

// model reads a network in a line format for tests:
//
//	TEXT                        global declarations, before the first template
//	template NAME(PARAMS)
//	var TEXT                    declarations of the template
//	loc NAME [init] [urgent|committed] [inv EXPR]
//	A > B [select TEXT] | [GUARD] | [SYNC] | [UPDATE]
//	system ...
//
// A template starts in its first location unless one says init.
func model(t testing.TB, text string) *uppaal.Network {
	t.Helper()
	net, err := parseModel(text)
	require.NoError(t, err)
	return net
}

var locLine = regexp.MustCompile(`^loc (\w+)( init)?( urgent| committed)?( inv (.*))?$`)

func parseModel(text string) (net *uppaal.Network, err error) {
	net = &uppaal.Network{}
	var globals, system strings.Builder
	locals := &strings.Builder{}
	var tm *uppaal.Template
	locs := map[string]*uppaal.Location{}
	finish := func() error {
		if tm == nil {
			return nil
		}
		tm.Decls, err = uppaal.ParseDecls(locals.String())
		return err
	}
	ids := 0
	for _, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		switch {
		case line == "":
		case system.Len() > 0 || strings.HasPrefix(line, "system ") || strings.HasPrefix(line, "instance "):
			system.WriteString(strings.TrimPrefix(line, "instance ") + "\n")
		case strings.HasPrefix(line, "template "):
			if err := finish(); err != nil {
				return nil, err
			}
			name, params, _ := strings.Cut(strings.TrimPrefix(line, "template "), "(")
			tm = &uppaal.Template{Name: name}
			if params != "" {
				if tm.Params, err = uppaal.ParseParams(strings.TrimSuffix(params, ")")); err != nil {
					return nil, err
				}
			}
			locals.Reset()
			locs = map[string]*uppaal.Location{}
			net.Templates = append(net.Templates, tm)
		case tm == nil:
			globals.WriteString(line + "\n")
		case strings.HasPrefix(line, "var "):
			locals.WriteString(strings.TrimPrefix(line, "var ") + "\n")
		case strings.HasPrefix(line, "loc "):
			m := locLine.FindStringSubmatch(line)
			if m == nil {
				return nil, fmt.Errorf("bad location %q", line)
			}
			ids++
			l := &uppaal.Location{ID: fmt.Sprintf("id%d", ids), Name: m[1]}
			switch m[3] {
			case " urgent":
				l.Urgency = uppaal.Urgent
			case " committed":
				l.Urgency = uppaal.Committed
			}
			if m[5] != "" {
				if l.Invariant, err = uppaal.ParseExpr(m[5]); err != nil {
					return nil, err
				}
			}
			tm.Locations = append(tm.Locations, l)
			locs[l.Name] = l
			if tm.Init == nil || m[2] != "" {
				tm.Init = l
			}
		default:
			e, err := parseEdge(line, locs)
			if err != nil {
				return nil, fmt.Errorf("%q: %w", line, err)
			}
			tm.Edges = append(tm.Edges, e)
		}
	}
	if err := finish(); err != nil {
		return nil, err
	}
	if net.Decls, err = uppaal.ParseDecls(globals.String()); err != nil {
		return nil, err
	}
	net.Instances, net.System, net.Progress, err = uppaal.ParseSystem(system.String())
	return net, err
}

func parseEdge(line string, locs map[string]*uppaal.Location) (e *uppaal.Edge, err error) {
	head, rest, _ := strings.Cut(line, " ")
	arrow, rest, _ := strings.Cut(rest, " ")
	to, rest, _ := strings.Cut(rest, " ")
	e = &uppaal.Edge{From: locs[head], To: locs[to]}
	if arrow != ">" || e.From == nil || e.To == nil {
		return nil, fmt.Errorf("bad edge")
	}
	fields := strings.Split(strings.NewReplacer("||", "\x00", "|=", "\x01").Replace(rest), "|")
	for len(fields) < 4 {
		fields = append(fields, "")
	}
	for i := range fields {
		fields[i] = strings.TrimSpace(strings.NewReplacer("\x00", "||", "\x01", "|=").Replace(fields[i]))
	}
	if s := strings.TrimPrefix(fields[0], "select "); s != "" {
		if e.Select, err = uppaal.ParseSelect(s); err != nil {
			return nil, err
		}
	}
	if fields[1] != "" {
		if e.Guard, err = uppaal.ParseExpr(fields[1]); err != nil {
			return nil, err
		}
	}
	if fields[2] != "" {
		if e.Sync, err = uppaal.ParseSync(fields[2]); err != nil {
			return nil, err
		}
	}
	if fields[3] != "" {
		if e.Update, err = uppaal.ParseUpdate(fields[3]); err != nil {
			return nil, err
		}
	}
	return e, nil
}

func queries(t testing.TB, text ...string) []*uppaal.Query {
	t.Helper()
	var qs []*uppaal.Query
	for _, s := range text {
		q, err := uppaal.ParseQuery(s)
		require.NoError(t, err, s)
		qs = append(qs, q)
	}
	return qs
}

// philosophers is a ring of n philosophers that can deadlock.
func philosophers(n int) string {
	return fmt.Sprintf(`
		const int N = %d;
		typedef int[0,N-1] id_t;
		bool fork[N];
		template Phil(const id_t i)
		loc think
		loc left
		loc eat
		loc drop
		think > left | !fork[i] | | fork[i] = true
		left > eat | !fork[(i+1)%%N] | | fork[(i+1)%%N] = true
		eat > drop | | | fork[i] = false
		drop > think | | | fork[(i+1)%%N] = false
		system Phil;`, n)
}
