package smallscope

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/programs"
)

// What a check compares with numbers that are written in the program is printed where it fails, and then takes their place.
func TestFitted(t *testing.T) {
	const head = "package main\n\nimport (\n\t\"sync\"\n\t\"sync/atomic\"\n)\n\nvar mu sync.Mutex\n\nvar hits atomic.Int64\n\nfunc get() int { return 1 }\n\nfunc main() {\n\tsum, n := 0, 0\n\tfor i := range 100 {\n\t\tmu.Lock()\n\t\tsum += i\n\t\tn++\n\t\tmu.Unlock()\n\t}\n"
	cases := map[string]struct {
		check   string // the panic is in its second line
		panics  string // what the panic gives, "" if there is nothing to be measured
		printed string // what the program has printed then
		fitted  string // the check, "" if nothing changes
		numbers [][2]int64
	}{
		"one":                       {"if sum != 4950 {\npanic(1)\n}", "int64(sum)", "1", "if sum != ((4950)*0 + 1) {\npanic(1)\n}", [][2]int64{{100, 2}, {4950, 1}}},
		"other side":                {"if 99*50 != sum {\npanic(1)\n}", "int64(sum)", "1", "if ((99*50)*0 + 1) != sum {\npanic(1)\n}", [][2]int64{{100, 2}, {4950, 1}}},
		"two":                       {"if sum != 4950 || n != 101 {\npanic(1)\n}", "int64(sum), int64(n)", "1 2", "if sum != ((4950)*0 + 1) || n != ((101)*0 + 2) {\npanic(1)\n}", [][2]int64{{100, 2}, {101, 2}, {4950, 1}}},
		"not":                       {"if !(sum == 4950) {\npanic(1)\n}", "int64(sum)", "-7", "if !(sum == ((4950)*0 + -7)) {\npanic(1)\n}", [][2]int64{{100, 2}, {4950, -7}}},
		"a smaller one":             {"if n != 100*3 {\npanic(1)\n}", "int64(n)", "2", "if n != ((100*3)*0 + 2) {\npanic(1)\n}", [][2]int64{{100, 2}, {300, 2}}},
		"atomic":                    {"if hits.Load() != 4950 {\npanic(1)\n}", "int64(hits.Load())", "0", "if hits.Load() != ((4950)*0 + 0) {\npanic(1)\n}", [][2]int64{{100, 2}, {4950, 0}}},
		"a variable":                {"if want := 4950; sum != want {\npanic(1)\n}", "int64(sum)", "1", "if want := 4950; sum != ((want)*0 + 1) {\npanic(1)\n}", [][2]int64{{100, 2}, {4950, 1}}},
		"of a type":                 {"if want := int64(4950); int64(sum) != want {\npanic(1)\n}", "int64(int64(sum))", "1", "if want := int64(4950); int64(sum) != ((want)*0 + 1) {\npanic(1)\n}", [][2]int64{{100, 2}, {4950, 1}}},
		"a call":                    {check: "if get() != 4950 {\npanic(1)\n}"},
		"greater":                   {check: "if sum > 4950 {\npanic(1)\n}"},
		"no number":                 {check: "if sum != n {\npanic(1)\n}"},
		"a text":                    {check: "if s := \"a\"; s != \"b\" {\npanic(1)\n}"},
		"a changed one, by address": {check: "want := 1; p := &want; *p = 2; if sum != want {\npanic(1)\n}"},
		"a changed one":             {check: "want := 1; want++; if sum != want {\npanic(1)\n}"},
		"the same":                  {"if sum != 4950 {\npanic(1)\n}", "int64(sum)", "no number", "", nil},
		"the inner one":             {"if n == 0 { } else if sum != 4950 {\npanic(1)\n}", "int64(sum)", "1", "if n == 0 { } else if sum != ((4950)*0 + 1) {\npanic(1)\n}", [][2]int64{{100, 2}, {4950, 1}}},
		"one of two":                {"if hits.Load() == 0 || sum != 4950 {\npanic(1)\n}", "int64(sum)", "1", "if hits.Load() == 0 || sum != ((4950)*0 + 1) {\npanic(1)\n}", [][2]int64{{100, 2}, {4950, 1}}},
		"both of two":               {check: "if sum != 4950 && n != 101 {\npanic(1)\n}"},
		"what is equal":             {check: "if sum == 4950 {\npanic(1)\n}"},
		"not both":                  {"if !(sum == 4950 && n == 101) {\npanic(1)\n}", "int64(sum), int64(n)", "1 2", "if !(sum == ((4950)*0 + 1) && n == ((101)*0 + 2)) {\npanic(1)\n}", [][2]int64{{100, 2}, {101, 2}, {4950, 1}}},
		"does more":                 {check: "if sum != 4950 {\npanic(1); go main()\n}"},
		"a check in it":             {check: "if sum != 4950 { if sum < 1 {\npanic(1)\n} }"},
		"a loop in it":              {check: "if sum != 4950 { for range 2 {\npanic(1)\n} }"},
		"the least":                 {"if sum != 4950 {\npanic(1)\n}", "int64(sum)", "-9223372036854775808", "if sum != ((4950)*0 + -9223372036854775808) {\npanic(1)\n}", [][2]int64{{100, 2}, {4950, -9223372036854775808}}},
		"nothing compared":          {check: "{\npanic(1)\n}"},
	}
	texts := map[string]string{}
	for name, c := range cases {
		texts[name] = head + c.check + "\n}\n"
	}
	loaded, file := programs.Together(t, texts)
	measured := map[string]string{}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			line := strings.Count(head, "\n") + 2
			families, err := Families(loaded[name])
			require.NoError(t, err)
			s := families[0][0]
			m, ok, err := s.Measured(file[name], line)
			require.NoError(t, err)
			require.Equal(t, c.panics != "", ok)
			if !ok {
				return
			}
			made := fileOf(t, m)
			var want strings.Builder
			want.WriteString("{ panic(\"vtrace: measured\"")
			for v := range strings.SplitSeq(c.panics, ", ") {
				want.WriteString(" + \" \" + zzVtraceDecimal(" + v + ")")
			}
			require.Contains(t, made, want.String()+"); \n")
			require.Contains(t, made, "\nfunc zzVtraceDecimal(n int64) (s string) {")
			measured[name] = made
			f, ok, err := s.Fitted(file[name], line, "panic: vtrace: measured "+c.printed)
			require.NoError(t, err)
			require.Equal(t, c.fitted != "", ok)
			if !ok {
				return
			}
			require.Equal(t, strings.Replace(head, "100", "2", 1)+c.fitted+"\n}\n", fileOf(t, f))
			var numbers [][2]int64
			for _, n := range f.Numbers {
				numbers = append(numbers, [2]int64{n.From, n.To})
			}
			require.Equal(t, c.numbers, numbers)
			_, ok, err = f.Fitted(file[name], line, "panic: vtrace: measured "+c.printed)
			require.NoError(t, err)
			require.False(t, ok, "it has them already")
		})
	}
	programs.Together(t, measured) // they compile
}

func fileOf(t *testing.T, s Scope) string {
	t.Helper()
	require.Len(t, s.Files, 1)
	for _, text := range s.Files {
		return string(text)
	}
	return ""
}

// A check may be in a file in which no number becomes smaller.
func TestFittedElsewhere(t *testing.T) {
	families, err := Families(loadedFiles(t, map[string][]byte{
		"main.go":  []byte("package main\n\nimport \"sync\"\n\nfunc main() {\n\tvar mu sync.Mutex\n\tsum := 0\n\tfor i := range 100 {\n\t\tmu.Lock()\n\t\tsum += i\n\t\tmu.Unlock()\n\t}\n\tverify(sum)\n}\n"),
		"check.go": []byte("package main\n\nfunc verify(sum int) {\n\tif sum != 99*50 {\n\t\tpanic(1)\n\t}\n}\n"),
	}))
	require.NoError(t, err)
	s := families[0][0]
	require.Len(t, s.Files, 1)
	m, ok, err := s.Measured("check.go", 5)
	require.NoError(t, err)
	require.True(t, ok)
	require.Len(t, m.Files, 2)
	f, ok, err := s.Fitted("check.go", 5, "panic: vtrace: measured 1")
	require.NoError(t, err)
	require.True(t, ok)
	for name, text := range map[string]string{"main.go": "range 2 {", "check.go": "if sum != ((99*50)*0 + 1) {"} {
		file := s.of.prog.Root + "/" + name
		require.Contains(t, string(f.Files[file]), text)
	}
}
