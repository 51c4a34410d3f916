// Package git reads the files of a revision of a repository of git, with the installed git.
//
// A repository says in its own configuration and attributes what git is to run: hooks, filters,
// monitors of the file system, programs that compare or show files. So only commands are run that
// look at refs, trees and blobs, and neither at the index nor at the files of the working tree, and
// nothing is fetched that is not there.
package git
