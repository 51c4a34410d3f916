//go:build linux && (amd64 || arm64 || riscv64)

package main

import (
	"encoding/json"
	"reflect"
	"testing"
)

// The launcher does what it is asked for as a whole, or nothing.
func FuzzRequest(f *testing.F) {
	f.Add(`{"Read":["/a"],"Write":["/b"],"Private":["/tmp"],"Hidden":["/run"],"Dir":"/a","Memory":1,"FileSize":2,"PrivateSize":3,"Tasks":4}`)
	f.Add(`{"Tasks":4} {}`)
	f.Add(`{"Network":true}`)
	f.Add(`null`)
	f.Fuzz(func(t *testing.T, text string) {
		c, err := request(text)
		if err != nil {
			if !reflect.DeepEqual(c, config{}) {
				t.Fatalf("%q: a part of it: %+v", text, c)
			}
			return
		}
		var fields map[string]json.RawMessage
		if err := json.Unmarshal([]byte(text), &fields); err != nil {
			t.Fatalf("%q is no object: %v", text, err)
		}
		data, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		again, err := request(string(data))
		if err != nil || !reflect.DeepEqual(c, again) {
			t.Fatalf("%q: %+v, then %+v, %v", text, c, again, err)
		}
	})
}
