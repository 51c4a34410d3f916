package uppaal

import (
	"bytes"
	"strings"
	"testing"
)

func FuzzParseExpr(f *testing.F) {
	for _, pair := range sameExprs {
		f.Add(pair[0])
		f.Add(pair[1])
	}
	for text := range badExprs {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		e, err := ParseExpr(text)
		if err != nil {
			return
		}
		printed := ExprString(e)
		again, err := ParseExpr(printed)
		if tooDeep(err) {
			return
		}
		if err != nil {
			t.Fatalf("%q prints as %q: %v", text, printed, err)
		}
		if s := ExprString(again); s != printed {
			t.Fatalf("%q prints as %q, then as %q", text, printed, s)
		}
	})
}

// tooDeep reports an error of the bound on nesting: what is printed may have
// more parentheses than what was parsed.
func tooDeep(err error) bool { return err != nil && strings.Contains(err.Error(), "nested too deeply") }

func FuzzParseDecls(f *testing.F) {
	for _, text := range goodDecls {
		f.Add(text)
	}
	for text := range badDecls {
		f.Add(text)
	}
	for _, test := range checkTests {
		if test.place == "decl" {
			f.Add(test.text)
		}
	}
	f.Add(baseDecls)
	f.Fuzz(func(t *testing.T, text string) {
		ds, err := ParseDecls(text)
		if err != nil {
			return
		}
		printed := DeclsString(ds)
		again, err := ParseDecls(printed)
		if tooDeep(err) {
			return
		}
		if err != nil {
			t.Fatalf("%q prints as %q: %v", text, printed, err)
		}
		if s := DeclsString(again); s != printed {
			t.Fatalf("%q prints as %q, then as %q", text, printed, s)
		}
		// Whatever parses can be checked.
		l := &Location{Name: "L"}
		_, _ = Check(&Network{Decls: ds, Templates: []*Template{{Name: "P", Init: l, Locations: []*Location{l}}},
			System: SystemLine{Names: []*Ident{{Name: "P"}}}})
		_, _ = Check(&Network{Templates: []*Template{{Name: "P", Decls: again, Init: l, Locations: []*Location{l}}},
			System: SystemLine{Names: []*Ident{{Name: "P"}}}})
	})
}

func FuzzParseQuery(f *testing.F) {
	for _, text := range goodQueries {
		f.Add(text)
	}
	for text := range badQueries {
		f.Add(text)
	}
	l := &Location{Name: "L"}
	ds, err := ParseDecls(baseDecls)
	if err != nil {
		f.Fatal(err)
	}
	info, err := Check(&Network{Decls: ds, Templates: []*Template{{Name: "P", Init: l, Locations: []*Location{l}}},
		System: SystemLine{Names: []*Ident{{Name: "P"}}}})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		q, err := ParseQuery(text)
		if err != nil {
			return
		}
		printed := QueryString(q)
		again, err := ParseQuery(printed)
		if tooDeep(err) {
			return
		}
		if err != nil {
			t.Fatalf("%q prints as %q: %v", text, printed, err)
		}
		if s := QueryString(again); s != printed {
			t.Fatalf("%q prints as %q, then as %q", text, printed, s)
		}
		_ = info.CheckQuery(q)
	})
}

func FuzzReadXML(f *testing.F) {
	f.Add(unordered)
	var b bytes.Buffer
	if err := WriteXML(&b, sample(f)); err != nil {
		f.Fatal(err)
	}
	f.Add(b.String())
	f.Fuzz(func(t *testing.T, text string) {
		n, err := ReadXML(strings.NewReader(text))
		if err != nil || n == nil {
			return
		}
		var first, second bytes.Buffer
		if err := WriteXML(&first, n); err != nil {
			t.Fatalf("cannot write what was read: %v", err)
		}
		again, err := ReadXML(bytes.NewReader(first.Bytes()))
		if err != nil {
			t.Fatalf("cannot read what was written: %v\n%s", err, first.String())
		}
		if err := WriteXML(&second, again); err != nil {
			t.Fatal(err)
		}
		if first.String() != second.String() {
			t.Fatalf("written twice:\n%s\n%s", first.String(), second.String())
		}
		_, _ = Check(n)
	})
}

func FuzzReadXTA(f *testing.F) {
	f.Add(peterson)
	var b bytes.Buffer
	if err := WriteXTA(&b, sample(f)); err != nil {
		f.Fatal(err)
	}
	f.Add(b.String())
	f.Add("process P() { state a { 1 ; 2 }; branchpoint f; init a; trans a -u-> f { sync c[0]!; }, f -> a { probability 1; }, -> a { }; } system P;")
	f.Fuzz(func(t *testing.T, text string) {
		n, err := ReadXTA(strings.NewReader(text), "m.xta")
		if err != nil {
			return
		}
		var first, second bytes.Buffer
		if err := WriteXTA(&first, n); err != nil {
			t.Fatalf("cannot write what was read: %v", err)
		}
		again, err := ReadXTA(bytes.NewReader(first.Bytes()), "")
		if tooDeep(err) {
			return
		}
		if err != nil {
			t.Fatalf("cannot read what was written: %v\n%s", err, first.String())
		}
		if err := WriteXTA(&second, again); err != nil {
			t.Fatal(err)
		}
		if first.String() != second.String() {
			t.Fatalf("written twice:\n%s\n%s", first.String(), second.String())
		}
		_, _ = Check(n)
	})
}
