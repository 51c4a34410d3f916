package repository_test

import (
	"fmt"

	"github.com/vtrace/vtrace/internal/repository"
)

func Example() {
	for _, element := range []string{".git", ".GIT. ", ".github", "git"} {
		fmt.Println(repository.Named(element))
	}
	// Output:
	// true
	// true
	// false
	// false
}
