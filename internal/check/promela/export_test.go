package promela_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/check/promela"
	"github.com/vtrace/vtrace/internal/uppaal"
)

// single is a network of one process with one edge.
func single(t testing.TB, decls, local, guard, update, system string) *uppaal.Network {
	t.Helper()
	escape := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace
	net, err := uppaal.ReadXML(strings.NewReader(fmt.Sprintf(`<nta><declaration>%s</declaration>
<template><name>P</name><parameter>const int[0,1] id</parameter><declaration>%s</declaration><location id="id0"><name>a</name></location><init ref="id0"/>
<transition><source ref="id0"/><target ref="id0"/>%s<label kind="assignment">%s</label></transition></template>
<system>%s</system></nta>`, escape(decls), escape(local), label("guard", escape(guard)), escape(update), escape(system))))
	require.NoError(t, err)
	return net
}

func label(kind, text string) string {
	if text == "" {
		return ""
	}
	return fmt.Sprintf(`<label kind=%q>%s</label>`, kind, text)
}

// What cannot be exported is refused with its position.
func TestRefused(t *testing.T) {
	for _, c := range []struct {
		name, decls, local, guard, update, system, query string
		message, where                                   string
	}{
		{name: "channel priority", decls: "chan a, b; chan priority a < b;", message: "priorities", where: "declaration"},
		{name: "process priority", system: "Q = P(0); R = P(1); system Q < R;", message: "priorities", where: "system"},
		{name: "before_update", decls: "int x; before_update { x = 1 }", message: "before_update", where: "declaration:1:24"},
		{name: "conditional variable", decls: "int x, y;", update: "(x > 0 ? x : y) = 1", message: "as a variable", where: "assignment"},
		{name: "constant reference", decls: "int x; int f(const int &r) { return r + x; }", update: "x = f(x + 1)", message: "as a variable", where: "assignment"},
		{name: "stuck", query: "A[] not stuck(P(0))", message: "stuck", where: "1:"},
		{name: "liveness", query: "A<> P(0).a", message: "A<>"},
		{name: "index with effects", decls: "int[0,1] i; int b[9];", update: "b[i++] = 1", message: "index with side effects", where: "assignment"},
		{name: "constant of a process", local: "const int k[2] = {id, 1};", guard: "k[0] == 1", message: "constant k", where: "template P"},
		{name: "many channels", decls: "chan c[300];", message: "channels", where: "declaration"},
		{name: "many processes", system: "Q(const int[0,299] x) = P(0); system Q;", message: "processes", where: "system"},
		{name: "wrong query", query: "A[] nothing", message: "nothing"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.system == "" {
				c.system = "system P;"
			}
			info, err := uppaal.Check(single(t, c.decls, c.local, c.guard, c.update, c.system))
			require.NoError(t, err)
			var q *uppaal.Query
			if c.query != "" {
				q, err = uppaal.ParseQuery(c.query)
				require.NoError(t, err)
			}
			var out bytes.Buffer
			err = promela.Export(&out, info, q)
			require.ErrorContains(t, err, c.message)
			require.ErrorContains(t, err, c.where)
			require.Zero(t, out.Len())
		})
	}
}

// Models that would become huge are refused and do not take all memory.
func TestHostile(t *testing.T) {
	var calls strings.Builder
	calls.WriteString("int x; int f0(int n) { int k = n; return k; }")
	for i := range 40 {
		fmt.Fprintf(&calls, " int f%d(int n) { return f%d(n) + f%d(n + 1); }", i+1, i, i)
	}
	for name, c := range map[string][3]string{
		"calls":       {calls.String(), "", "x = f40(1)"},
		"quantifiers": {"int x;", "forall (a : int[0,63]) forall (b : int[0,63]) forall (c : int[0,63]) forall (d : int[0,63]) a + b + c + d < x", ""},
		"large":       {"int x;", "forall (a : int[0,60]) forall (b : int[0,60]) forall (c : int[0,60]) a + b + c < x", ""},
		"assignments": {"int x[2][4096]; int y[2][4096];", "", "x = y"},
	} {
		t.Run(name, func(t *testing.T) {
			info, err := uppaal.Check(single(t, c[0], "", c[1], c[2], "system P;"))
			require.NoError(t, err)
			err = promela.Export(&bytes.Buffer{}, info, nil)
			require.ErrorContains(t, err, "exported")
		})
	}
}

// A query may take long to write out, but not long to be refused.
func TestHostileQuery(t *testing.T) {
	info, err := uppaal.Check(single(t, "int x;", "", "", "x = 1", "system P;"))
	require.NoError(t, err)
	for _, text := range []string{
		"E<> exists (j : int[0,4000]) x == j",
		"E<> exists (i : int[0,4000]) exists (j : int[0,4000]) x < i + j",
		"E<> forall (i : int[0,4000]) forall (j : int[0,100000]) P(0).a and x < i + j",
	} {
		q, err := uppaal.ParseQuery(text)
		require.NoError(t, err)
		var out bytes.Buffer
		if err := promela.Export(&out, info, q); err != nil {
			require.ErrorContains(t, err, "exported")
		}
	}
}

// TestCommittedPartners: while a process is in a committed location, a rendezvous needs a
// partner in one. The sender says whether it may do without, and the receiver whether it asks.
func TestCommittedPartners(t *testing.T) {
	for _, c := range []struct {
		committed     string // by the processes that have a committed location
		send, receive string
	}{
		{"", "!1,", "?_,"}, // nobody is ever committed
		{"other", "!(committed == 0),", "?1,"},
		{"sender", "!1,", "?1,"},
		{"receiver", "!(committed == 0),", "?_,"},
		{"sender receiver", "!1,", "?_,"},
	} {
		urgency := func(process string) string {
			if strings.Contains(c.committed, process) {
				return "<committed/>"
			}
			return ""
		}
		net, err := uppaal.ReadXML(strings.NewReader(fmt.Sprintf(`<nta><declaration>chan c;</declaration>
<template><name>S</name><location id="id0">%s</location><init ref="id0"/>
<transition><source ref="id0"/><target ref="id0"/><label kind="synchronisation">c!</label></transition></template>
<template><name>R</name><location id="id1">%s</location><init ref="id1"/>
<transition><source ref="id1"/><target ref="id1"/><label kind="synchronisation">c?</label></transition></template>
<template><name>O</name><location id="id2">%s</location><init ref="id2"/></template>
<system>system S, R, O;</system></nta>`, urgency("sender"), urgency("receiver"), urgency("other"))))
		require.NoError(t, err)
		model := string(export(t, net, nil))
		require.Contains(t, model, "]"+c.send, c.committed)
		require.Contains(t, model, "]"+c.receive, c.committed)
	}
}
