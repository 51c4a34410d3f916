package orcruntime

import (
	"crypto/hmac"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha3"
	"crypto/sha512"
	"hash/adler32"
	"hash/crc32"
	"hash/crc64"
	"hash/fnv"
	"maps"
	"math/rand"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestUnlockedInside: the table has the types of what constructors of the standard library return,
// and no others.
func TestUnlockedInside(t *testing.T) {
	shown := map[string]bool{}
	for _, v := range []any{
		hmac.New(sha256.New, nil), md5.New(), sha1.New(), sha256.New(), sha256.New224(), sha512.New(), sha512.New384(), sha3.New256(),
		adler32.New(), crc32.NewIEEE(), crc64.New(crc64.MakeTable(crc64.ISO)),
		fnv.New32(), fnv.New32a(), fnv.New64(), fnv.New64a(), fnv.New128(), fnv.New128a(), rand.NewSource(1),
	} {
		of := reflect.TypeOf(v)
		require.True(t, isUnlocked(of), "%v", of)
		shown[of.Elem().PkgPath()+"."+of.Elem().Name()] = true
	}
	require.Equal(t, maps.Collect(maps.All(unlockedInside)), shown)
}
