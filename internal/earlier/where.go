package earlier

import (
	"os"
	"path/filepath"
)

const (
	// ResultsVariable is the environment variable that says where results are kept.
	ResultsVariable = "VTRACE_CACHE"
	// NoResults stands for no directory of results.
	NoResults = "off"
)

// ResultsDir is the directory of results that the environment says, else that of the user;
// NoResults if there is none.
func ResultsDir() string {
	if dir := os.Getenv(ResultsVariable); dir != "" {
		return dir
	}
	user, err := os.UserCacheDir()
	if err != nil {
		return NoResults
	}
	return filepath.Join(user, "vtrace")
}

// Once reads each file once, also one that cannot be read. It is not for concurrent use.
func Once(read ReadFile) ReadFile {
	type content struct {
		data []byte
		err  error
	}
	seen := map[string]content{}
	return func(name string) ([]byte, error) {
		c, ok := seen[name]
		if !ok {
			c.data, c.err = read(name)
			seen[name] = c
		}
		return c.data, c.err
	}
}
