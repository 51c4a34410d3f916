package orcruntime

import (
	"bytes"
	"compress/bzip2"
	"compress/flate"
	"compress/zlib"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha3"
	"crypto/sha512"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"hash/adler32"
	"hash/crc32"
	"hash/crc64"
	"hash/fnv"
	"io"
	"maps"
	"math/rand"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestUnlockedInside: the table has the types of what constructors of the standard library return,
// and no others.
func TestUnlockedInside(t *testing.T) {
	shown := map[string]bool{}
	block, err := aes.NewCipher(make([]byte, 16))
	require.NoError(t, err)
	vector := make([]byte, 16)
	inflated, err := zlib.NewReader(bytes.NewReader([]byte{0x78, 0x9c, 3, 0, 0, 0, 0, 1}))
	require.NoError(t, err)
	none := strings.NewReader("")
	for _, v := range []any{
		hmac.New(sha256.New, nil), md5.New(), sha1.New(), sha256.New(), sha256.New224(), sha512.New(), sha512.New384(), sha3.New256(),
		adler32.New(), crc32.NewIEEE(), crc64.New(crc64.MakeTable(crc64.ISO)),
		fnv.New32(), fnv.New32a(), fnv.New64(), fnv.New64a(), fnv.New128(), fnv.New128a(), rand.NewSource(1),
		bzip2.NewReader(none), flate.NewReader(none), inflated,
		//lint:ignore SA1019 programs use them
		cipher.NewCFBEncrypter(block, vector), cipher.NewOFB(block, vector), cipher.NewCBCEncrypter(block, vector), cipher.NewCBCDecrypter(block, vector),
		base32.NewEncoder(base32.StdEncoding, io.Discard), base32.NewDecoder(base32.StdEncoding, none),
		base64.NewEncoder(base64.StdEncoding, io.Discard), base64.NewDecoder(base64.StdEncoding, none),
		hex.NewEncoder(io.Discard), hex.NewDecoder(none), hex.Dumper(io.Discard),
	} {
		of := reflect.TypeOf(v)
		require.True(t, isUnlocked(of), "%v", of)
		shown[of.Elem().PkgPath()+"."+of.Elem().Name()] = true
	}
	require.Equal(t, maps.Collect(maps.All(unlockedInside)), shown)
}
