package uppaal

import (
	"bytes"
	"fmt"
	"testing"
)

// large makes a network of the size of a big translated program.
func large(b testing.TB, templates, edges int) *Network {
	b.Helper()
	m := model{decls: "int[0,255] v[100]; chan c[50];", system: "system T0"}
	for i := range templates {
		tt := templateText{name: fmt.Sprintf("T%d", i)}
		for j := range edges {
			tt.edges = append(tt.edges, [4]string{"k : int[0,3]", fmt.Sprintf("v[%d] < 3 && v[k] == %d", j%100, j%7),
				fmt.Sprintf("c[%d]!", j%50), fmt.Sprintf("v[%d] = v[k] + 1, v[k] = 0", j%100)})
		}
		m.templates = append(m.templates, tt)
		if i > 0 {
			m.system += fmt.Sprintf(", T%d", i)
		}
	}
	m.system += ";"
	return m.build(b)
}

func BenchmarkReadXML(b *testing.B) {
	var text bytes.Buffer
	if err := WriteXML(&text, large(b, 20, 500)); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		if _, err := ReadXML(bytes.NewReader(text.Bytes())); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkWriteXML(b *testing.B) {
	n := large(b, 20, 500)
	for b.Loop() {
		if err := WriteXML(&bytes.Buffer{}, n); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCheck(b *testing.B) {
	n := large(b, 20, 500)
	for b.Loop() {
		if _, err := Check(n); err != nil {
			b.Fatal(err)
		}
	}
}
