package orcruntime

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestMapRaces: two goroutines that are about to use one map, one of them writing, end
// the program. Those that something orders do not.
func TestMapRaces(t *testing.T) {
	const read, iteration, write = "fatal error: concurrent map read and map write", "fatal error: concurrent map iteration and map write", "fatal error: concurrent map writes"
	set := func(site Site, m map[int]int, k int) { MapWrite(site, m)[k] = k }
	get := func(site Site, m map[int]int, k int) int { return MapRead(site, m)[k] }
	for name, c := range map[string]struct {
		main func()
		want map[string]string
	}{
		"two writers": {func() {
			m := map[int]int{}
			Go(1, func() { set(2, m, 1) })
			set(3, m, 2)
		}, map[string]string{write: KindMapRace}},
		"two writers with a lock": {func() {
			m, mu := map[int]int{}, sync.Mutex{}
			Go(1, func() { Lock(4, &mu); set(2, m, 1); Unlock(5, &mu) })
			Lock(6, &mu)
			set(3, m, 2)
			Unlock(7, &mu)
		}, map[string]string{}},
		"two maps": {func() {
			m, n := map[int]int{}, map[int]int{}
			Go(1, func() { set(2, m, 1) })
			set(3, n, 2)
		}, map[string]string{}},
		"reader and writer": {func() {
			m := map[int]int{}
			Go(1, func() { set(2, m, 1) })
			get(3, m, 2)
		}, map[string]string{read: KindMapRace}},
		"two readers": {func() {
			m := map[int]int{1: 1}
			Go(1, func() { get(2, m, 1) })
			get(3, m, 2)
		}, map[string]string{}},
		"writer before the goroutine": {func() {
			m := map[int]int{}
			set(3, m, 2)
			Go(1, func() { get(2, m, 1) })
			get(4, m, 1)
		}, map[string]string{}},
		"reader after a receive": {func() {
			m, c := map[int]int{}, make(chan int)
			Go(1, func() { set(2, m, 1); Close(3, c) })
			Recv(4, c)
			get(5, m, 1)
		}, map[string]string{}},
		"write under a read lock": {func() {
			m, mu := map[int]int{}, sync.RWMutex{}
			Go(1, func() { RLock(2, &mu); set(3, m, 1); RUnlock(4, &mu) })
			RLock(5, &mu)
			get(6, m, 1)
			RUnlock(7, &mu)
		}, map[string]string{read: KindMapRace}},
		"range and writer": {func() {
			m := map[int]int{1: 1, 2: 2}
			Go(1, func() { set(2, m, 3) })
			for r := RangeMap(3, m, false); r.Next(); {
				_ = r.K
			}
		}, map[string]string{iteration: KindMapRace}},
		"range and writer with a lock": {func() {
			m, mu := map[int]int{1: 1, 2: 2}, sync.Mutex{}
			Go(1, func() { Lock(4, &mu); set(2, m, 3); Unlock(5, &mu) })
			Lock(6, &mu)
			for r := RangeMap(3, m, false); r.Next(); {
				_ = r.K
			}
			Unlock(7, &mu)
		}, map[string]string{}},
		"delete and writer": {func() {
			m := map[int]int{1: 1}
			Go(1, func() { delete(MapDelete(2, m), 1) })
			set(3, m, 3)
		}, map[string]string{write: KindMapRace}},
		"delete from an empty map": {func() {
			m := map[int]int{}
			Go(1, func() { delete(MapDelete(2, m), 1) })
			get(3, m, 3)
		}, map[string]string{}},
		"value that waits": {func() {
			m, c, d := map[int]int{}, make(chan int), make(chan int)
			Go(1, func() { m[1] = ThenMapWrite(3, m, Recv(2, c)); Close(7, d) })
			set(4, m, 2)
			To(c).Send(5, 1)
			Recv(6, d)
			get(8, m, 1)
		}, map[string]string{}},
		"nil map": {func() {
			var m map[int]int
			Go(1, func() { get(2, m, 1) })
			get(3, m, 3)
		}, map[string]string{}},
		"long loops": {func() {
			m := map[int]int{}
			Go(1, func() {
				for i := range 100 {
					set(2, m, i)
				}
			})
			for i := range 100 {
				get(3, m, i)
			}
		}, map[string]string{read: KindMapRace}},
	} {
		t.Run(name, func(t *testing.T) {
			got := explored(t, Config{Bubble: bubble(t), Main: c.main, Entry: EntryMain}, 200)
			require.Len(t, got, len(c.want), "%v", got)
			for message, kind := range c.want {
				require.Contains(t, got[message], kind)
			}
		})
	}
}

// TestMapRaceStates: both who access the map say how at the end, and that it is one map.
func TestMapRaceStates(t *testing.T) {
	res := Run(Config{Bubble: bubble(t), Entry: EntryMain, Plan: Plan{
		Minor: true, Steps: []Step{{G: "0", Site: "#1"}, {G: "0.1", Site: "#1.start"}, {G: "0", Site: "#3.map"}},
	}, Main: func() {
		m := map[int]int{}
		Go(1, func() { MapWrite(2, m)[1] = 1 })
		_ = MapRead(3, m)[1]
	}})
	require.Equal(t, KindMapRace, res.Outcome.Kind, res.String())
	got := map[string][]string{}
	for _, g := range res.Goroutines {
		got[g.Op] = []string{g.Object, g.State}
	}
	require.Equal(t, map[string][]string{"map write": {"map#1", stateAt}, "map read": {"map#1", stateEnded}}, got)
}
