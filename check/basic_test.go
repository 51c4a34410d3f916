package check

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/uppaal"
)

// philosophers is a ring of n philosophers; the last is left-handed if
// asymmetric.
func philosophers(n int) string {
	return fmt.Sprintf(`<?xml version="1.0"?><nta><declaration>
const int N = %d;
typedef int[0,N-1] id_t;
bool fork[N];
</declaration>
<template><name>Phil</name><parameter>const id_t i</parameter>
<location id="a"><name>think</name></location>
<location id="b"><name>left</name></location>
<location id="c"><name>eat</name></location>
<init ref="a"/>
<transition><source ref="a"/><target ref="b"/><label kind="guard">!fork[i]</label><label kind="assignment">fork[i] = true</label></transition>
<transition><source ref="b"/><target ref="c"/><label kind="guard">!fork[(i+1)%%N]</label><label kind="assignment">fork[(i+1)%%N] = true</label></transition>
<transition><source ref="c"/><target ref="a"/><label kind="assignment">fork[i] = false, fork[(i+1)%%N] = false</label></transition>
</template>
<system>system Phil;</system></nta>`, n)
}

func TestPhil(t *testing.T) {
	net, err := uppaal.ReadXML(strings.NewReader(philosophers(5)))
	require.NoError(t, err)
	r, err := Verify(context.Background(), net, nil, Options{})
	require.NoError(t, err)
	t.Log(r.Stats)
}
