package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/vtrace/vtrace/artifact"
)

// commented has a source and findings of some kinds in lines of it.
func commented(t *testing.T, text string, all ...artifact.Finding) *artifact.Bundle {
	t.Helper()
	out := artifact.New(artifact.Manifest{Pass: artifact.PassDeep, Parent: strings.Repeat("a", 64), Entry: artifact.Entry{Package: "m/p", Func: "TestA"}})
	out.Put("source/p/a.go", []byte(text))
	out.Put("source/p/other.go", []byte("package p\n"))
	for i := range all {
		all[i].Number, all[i].Verdict, all[i].File = i+1, artifact.Real, "p/a.go"
	}
	out.SetFindings(all)
	b, err := out.Bundle()
	require.NoError(t, err)
	return b
}

// at are findings of a kind in some lines.
func at(kind string, lines ...int) (out []artifact.Finding) {
	for _, l := range lines {
		out = append(out, artifact.Finding{Kind: kind, Line: l})
	}
	return out
}

const ignoring = `package p

func f() {
	g() //vtrace:ignore goroutine-leak it lives as long as the process
	//vtrace:ignore goroutine-leak,deadlock	both
	g()
	g()
}

// h does.
//
//vtrace:ignore goroutine-leak all of it
func h() {
	g()
	g()
}

//vtrace:ignored goroutine-leak another word

const s = "//vtrace:ignore goroutine-leak no comment"
`

func TestAcceptComments(t *testing.T) {
	b := commented(t, ignoring, at(artifact.KindLeak, 3, 4, 5, 6, 7, 9, 14, 15, 17, 19, 20, 21)...)
	accepted, problems := Accept(b, nil)
	require.Empty(t, problems)
	lines := map[int]int{} // of findings, with those of comments
	for _, a := range accepted {
		lines[b.Findings()[a.Finding-1].Line] = a.Line
		require.Equal(t, InComment, a.By)
		require.Equal(t, "p/a.go", a.File)
	}
	require.Equal(t, map[int]int{4: 4, 5: 4, 6: 5, 14: 12, 15: 12}, lines)
	require.Equal(t, "p/a.go:4: it lives as long as the process", accepted[0].String())

	// Other kinds, and other files.
	accepted, _ = Accept(commented(t, ignoring, at(artifact.KindDeadlock, 4, 6, 14)...), nil)
	require.Len(t, accepted, 1)
	require.Equal(t, 2, accepted[0].Finding)
	f := at(artifact.KindLeak, 4)
	b = commented(t, ignoring, f...)
	f[0].File = "p/other.go"
	out := artifact.Extend(b, artifact.Manifest{Pass: artifact.PassDeep, Parent: b.Digest(), Entry: b.Manifest().Entry})
	out.SetFindings(f)
	b, err := out.Bundle()
	require.NoError(t, err)
	accepted, _ = Accept(b, nil)
	require.Empty(t, accepted)
}

// TestAcceptProblems: a comment that is not understood accepts nothing, and is named.
func TestAcceptProblems(t *testing.T) {
	for text, want := range map[string]string{
		"//vtrace:ignore":                         "p/a.go:4: //vtrace:ignore: it names no kind of finding, as in //vtrace:ignore goroutine-leak REASON",
		"//vtrace:ignore goroutine-leak":          "p/a.go:4: //vtrace:ignore: it gives no reason, which has to stand behind the kind",
		"//vtrace:ignore leak why":                `p/a.go:4: //vtrace:ignore: no kind of finding is called "leak": they are deadlock, `,
		"//vtrace:ignore goroutine-leak, why not": `p/a.go:4: //vtrace:ignore: no kind of finding is called ""`,
	} {
		b := commented(t, "package p\n\nfunc f() {\n\tg() "+text+"\n}\n", at(artifact.KindLeak, 4)...)
		accepted, problems := Accept(b, nil)
		require.Empty(t, accepted, text)
		require.Len(t, problems, 1, text)
		require.True(t, strings.HasPrefix(problems[0], want), problems[0])
	}
	_, problems := Accept(commented(t, "package p\n\nfunc f( { //vtrace:ignore goroutine-leak x\n", at(artifact.KindLeak, 3)...), nil)
	require.Len(t, problems, 1)
	require.Contains(t, problems[0], "p/a.go: its comments are not read: ")
}

// TestBaseline: what is in a baseline is accepted, also when other lines are edited; what is new is
// not; what comments accept is not put into one.
func TestBaseline(t *testing.T) {
	var base Baseline
	old := bundleOf(t, "TestA", 0, deadlock(artifact.Real))
	base.Add(old)
	base.Add(old)
	require.Equal(t, 1, base.Len())
	var out, again bytes.Buffer
	require.NoError(t, base.Write(&out))
	require.Equal(t, "deadlock", gjson.GetBytes(out.Bytes(), "findings.0.rule").String())
	read, err := ReadBaseline(bytes.NewReader(out.Bytes()))
	require.NoError(t, err)
	require.NoError(t, read.Write(&again))
	require.Equal(t, out.String(), again.String())

	accepted, _ := Accept(bundleOf(t, "TestB", 4, deadlock(artifact.Unconfirmed)), read)
	require.Equal(t, []Acceptance{{Finding: 1, By: InBaseline}}, accepted)
	other := deadlock(artifact.Real)
	other.Kind = artifact.KindLeak
	accepted, _ = Accept(bundleOf(t, "TestB", 0, other), read)
	require.Empty(t, accepted)
	other = deadlock(artifact.Real)
	other.Col = 7 // another operation
	accepted, _ = Accept(bundleOf(t, "TestB", 0, other), read)
	require.Empty(t, accepted)

	var none Baseline
	none.Add(commented(t, ignoring, at(artifact.KindLeak, 4)...))
	none.Add(bundleOf(t, "TestA", 0, deadlock(artifact.False)))
	none.Add(bundleOf(t, "TestA", 0, deadlock(artifact.Note)))
	require.Zero(t, none.Len())
}

func TestReadBaseline(t *testing.T) {
	for text, want := range map[string]string{
		"":  "EOF",
		"x": "invalid character",
		`{"format":"vtrace-baseline","version":2,"findings":[]}`:                    "version 2; wanted",
		`{"format":"other","version":1,"findings":[]}`:                              `its format is "other"`,
		`{"format":"vtrace-baseline","version":1,"findings":[{}]}`:                  "without a fingerprint",
		`{"format":"vtrace-baseline","version":1,"findings":[],"more":1}`:           "unknown field",
		`{"format":"vtrace-baseline","version":1,"findings":[]} {}`:                 "stands behind its end",
		`{"format":"vtrace-baseline","version":1,"findings":[{"fingerprint":"a"}]}`: "",
	} {
		_, err := ReadBaseline(strings.NewReader(text))
		if want == "" {
			require.NoError(t, err, text)
		} else {
			require.ErrorContains(t, err, want, text)
		}
	}
	_, err := ReadBaseline(nil)
	var argument *artifact.ArgumentError
	require.ErrorAs(t, err, &argument)
}

// FuzzBaseline: any bytes are refused, or a baseline that is read again as it was written.
func FuzzBaseline(f *testing.F) {
	f.Add([]byte(`{"format":"vtrace-baseline","version":1,"findings":[{"fingerprint":"a","rule":"deadlock"}]}`))
	f.Add([]byte(`{"format":"vtrace-baseline","version":1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		base, err := ReadBaseline(bytes.NewReader(data))
		if err != nil {
			return
		}
		var out, again bytes.Buffer
		require.NoError(t, base.Write(&out))
		base, err = ReadBaseline(bytes.NewReader(out.Bytes()))
		require.NoError(t, err)
		require.NoError(t, base.Write(&again))
		require.Equal(t, out.String(), again.String())
	})
}

// FuzzComments: no comment makes a problem of anything else, or is a crash.
func FuzzComments(f *testing.F) {
	f.Add(ignoring)
	f.Add("package p\n//vtrace:ignore deadlock a\nfunc f() {}\n")
	f.Fuzz(func(t *testing.T, text string) {
		out := artifact.New(artifact.Manifest{Pass: artifact.PassFirst, Entry: artifact.Entry{Package: "m", Func: "main"}})
		out.Put("source/a.go", []byte(text))
		b, err := out.Bundle()
		require.NoError(t, err)
		comments, problems := commentsOf(b)
		for _, c := range comments {
			require.NotEmpty(t, c.rules)
			require.NotEmpty(t, c.reason)
			require.LessOrEqual(t, c.first, c.last)
		}
		require.True(t, len(comments)+len(problems) <= strings.Count(text, directive))
	})
}

// TestAcceptPlaces: a comment at the place that reports show accepts a deadlock; fingerprints tell
// deadlocks apart in which main waits at the same place for other reasons.
func TestAcceptPlaces(t *testing.T) {
	blocked := func(site string, line int) artifact.Finding {
		f := at(artifact.KindDeadlock, 9)[0]
		f.Cause = "goroutine 0.1 waits there"
		f.Goroutines = []artifact.FindingGoroutine{{G: "0.1", State: "blocked", Operation: "send", Site: site, File: "p/a.go", Line: line}}
		return f
	}
	b := commented(t, ignoring, blocked("p.f#1", 6), blocked("p.f#2", 8))
	accepted, problems := Accept(b, nil)
	require.Empty(t, problems)
	require.Len(t, accepted, 1)
	require.Equal(t, 1, accepted[0].Finding)
	var base Baseline
	base.Add(commented(t, "package p\n", blocked("p.f#1", 6)))
	accepted, _ = Accept(commented(t, "package p\n", blocked("p.f#1", 6), blocked("p.f#2", 8)), &base)
	require.Equal(t, []Acceptance{{Finding: 1, By: InBaseline}}, accepted)
}
