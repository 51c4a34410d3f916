package artifact

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vtrace/vtrace/internal/approximation"
	"github.com/vtrace/vtrace/internal/storage"
)

// formats are the digests of what bundles of each version may hold. Version 1 has grown
// without notice: it is what was written before there was this table.
var formats = map[int]string{
	2: "8e6e3a66b23e34f3",
	3: "9bf990f0fec3d2b3",
	4: "1cba6c6db442d2a5",
	5: "ab93f892a187ce52",
	6: "1bfb432afd4a1b4d",
	7: "70d07e45c25b9bd9",
}

// describe writes a type as it shows in JSON.
func describe(out *strings.Builder, t reflect.Type) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		fmt.Fprintf(out, "%v ", t.Kind())
		describe(out, t.Elem())
	case reflect.Struct:
		out.WriteString("{")
		for i := range t.NumField() {
			f := t.Field(i)
			fmt.Fprintf(out, "%s %s ", f.Name, f.Tag.Get("json"))
			describe(out, f.Type)
		}
		out.WriteString("}")
	default:
		fmt.Fprintf(out, "%v;", t.Kind())
	}
}

// Whoever changes what a bundle may hold gives the format another version: otherwise a
// vtrace that does not know the change would call new bundles corrupt.
func TestFormat(t *testing.T) {
	var out strings.Builder
	for _, path := range slices.Sorted(maps.Keys(forms)) {
		out.WriteString("\n" + path + " ")
		describe(&out, forms[path])
	}
	describe(&out, traceForm)
	describe(&out, reflect.TypeFor[Manifest]())
	describe(&out, reflect.TypeFor[Options]())
	fmt.Fprint(&out, numbered, SourceDir, OverlayDir, LogsDir, ModulesDir, ModelPath)
	require.Equal(t, formats[Version], storage.Digest([]byte(out.String()))[:16], "bundles may hold something else than before: increase Version, and add it here")
	require.Len(t, formats, Version-1)
}

// allocated is what f allocates, in bytes.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// A small text that would be large in memory is refused before it is.
func TestBombs(t *testing.T) {
	oneGoroutine(t)
	lim := Limits{Decoded: 32 << 20}
	// Elements of a few bytes become structs, and what is nested deeply is indented.
	deep := func(levels int, inside string) string {
		return strings.Repeat("[", levels) + inside + strings.Repeat("]", levels)
	}
	bombs := map[string]string{
		"objects":  "[{}" + strings.Repeat(",{}", 1<<19) + "]",
		"nulls":    "[null" + strings.Repeat(",null", 1<<18) + "]",
		"deep":     deep(200_000, ""),
		"indented": deep(99, "1"+strings.Repeat(",1", 1<<20)),
	}
	for name, text := range bombs {
		files := map[string][]byte{FindingsPath: []byte(text)}
		m := Manifest{Format: Format, Version: Version, Files: []FileInfo{{FindingsPath, int64(len(text)), storage.Digest([]byte(text))}}}
		encoded, err := m.encode()
		require.NoError(t, err)
		n := allocated(func() { _, err = newBundle(encoded, files, nil, must(lim.withDefaults())) })
		var c *CorruptError
		require.ErrorAs(t, err, &c, name)
		require.Less(t, n, uint64(64<<20), name)

		// The same as options, which have any form. They would be indented to be compared.
		raw := bytes.Replace(encoded, []byte("\"files\""), []byte("\"options\": "+text+",\n  \"files\""), 1)
		require.True(t, json.Valid(raw) || name == "deep")
		n = allocated(func() { _, err = newBundle(raw, files, nil, must(lim.withDefaults())) })
		require.ErrorAs(t, err, &c, name)
		require.Equal(t, manifestPath, c.File)
		require.Less(t, n, uint64(64<<20), name)
	}
}

func must(l Limits, err error) Limits {
	if err != nil {
		panic(err)
	}
	return l
}

// The canonical form is as long as shapeOf says, if its strings are plain.
func TestShape(t *testing.T) {
	for _, v := range []any{
		sample(t).Manifest(), sample(t).Findings(), []int{}, []any{[]int{}, []int{1, 2}, map[string]any{}, map[string]any{"a": nil, "b": []any{[]any{}}}},
		"text with \" and \\", 1.5e10, nil, true, []any{[]any{[]any{[]any{}, []any{}}}},
	} {
		data, err := storage.EncodeJSON(v)
		require.NoError(t, err)
		s, err := shapeOf(data)
		require.NoError(t, err)
		require.EqualValues(t, len(data), s.indented, "%s", data)
		var compact bytes.Buffer
		require.NoError(t, json.Compact(&compact, data))
		again, err := shapeOf(compact.Bytes())
		require.NoError(t, err)
		require.Equal(t, s, again)
	}
}

// What is accepted as the content of a file can be read again, whatever it is.
func FuzzContent(f *testing.F) {
	paths := append(slices.Sorted(maps.Keys(forms)), TracePath(1, 1), manifestPath)
	b := sample(f)
	for i, p := range paths {
		data, _ := b.Read(p)
		if p == manifestPath {
			data = b.encoded
		}
		f.Add(uint8(i), data)
		f.Add(uint8(i), []byte("[{}]"))
		f.Add(uint8(i), []byte("{}"))
		if p == SidecarPath {
			f.Add(uint8(i), placed(f, b, func(map[string]any) {}))
		}
	}
	lim := must(Limits{Files: 100, File: 1 << 20, Total: 4 << 20, Path: 256, Decoded: 16 << 20}.withDefaults())
	f.Fuzz(func(t *testing.T, which uint8, data []byte) {
		path := paths[int(which)%len(paths)]
		if path == manifestPath {
			m, err := decodeManifest(data, lim)
			if err != nil {
				var c *CorruptError
				var v *VersionError
				if !asEither(err, &c, &v) {
					t.Fatalf("%T %v", err, err)
				}
				return
			}
			again, err := m.encode()
			require.NoError(t, err)
			require.Equal(t, string(data), string(again))
			return
		}
		files := map[string][]byte{path: data}
		encoded, err := Manifest{Format: Format, Version: Version, Files: []FileInfo{{path, int64(len(data)), storage.Digest(data)}}}.encode()
		require.NoError(t, err)
		b, err := newBundle(encoded, files, nil, lim)
		if err != nil {
			var c *CorruptError
			require.ErrorAs(t, err, &c)
			require.Nil(t, b)
			return
		}
		b.Queries()
		b.Verdicts()
		b.Facts()
		b.Refutations()
		b.Findings()
		b.Trace(1, 1)
		if r := b.Runs(); r != nil {
			r.Exhaustive.Coverage()
			r.Preemptions.Coverage()
		}
		if path == SidecarPath {
			s := b.Sidecar()
			require.NotNil(t, s)
			s.Outside()
			s.Site(1)
			s.Bounds.Of(approximation.BoundObjects)
		}
	})
}

func asEither(err error, c **CorruptError, v **VersionError) bool {
	switch e := err.(type) {
	case *CorruptError:
		*c = e
	case *VersionError:
		*v = e
	default:
		return false
	}
	return true
}
