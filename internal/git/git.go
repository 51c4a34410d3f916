package git

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/vtrace/vtrace/internal/group"
	"github.com/vtrace/vtrace/internal/repository"
)

// Repository is a repository with a working tree.
type Repository struct {
	// Root is the top directory of the working tree, absolute and without symbolic links.
	Root string
}

// Error is what git has to say when it does not do what it was asked for.
type Error struct {
	// Output is what it has said, "" if it could not be run.
	Output string
	Err    error
}

func (e *Error) Error() string {
	switch text := strings.TrimSpace(e.Output); {
	case errors.Is(e.Err, exec.ErrNotFound):
		return "git is needed, and there is none in PATH"
	case strings.HasPrefix(text, "fatal: not a git repository"):
		return "not a git repository, nor a directory in one"
	case text != "":
		first, _, _ := strings.Cut(text, "\n")
		return "git: " + strings.TrimPrefix(first, "fatal: ")
	}
	return "git: " + e.Err.Error()
}

func (e *Error) Unwrap() error { return e.Err }

// Open finds the repository that a directory lies in.
func Open(ctx context.Context, dir string) (*Repository, error) {
	out, err := output(command(ctx, dir, "rev-parse", "--show-toplevel"))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	root, err := filepath.EvalSymlinks(filepath.FromSlash(strings.TrimSuffix(string(out), "\n")))
	if err != nil {
		return nil, fmt.Errorf("git: %w", err)
	}
	return &Repository{root}, nil
}

// Commit is the name of the commit that a revision stands for, in hexadecimal. Where there is no
// commit yet, HEAD stands for the tree that has nothing.
func (r *Repository) Commit(ctx context.Context, revision string) (string, error) {
	out, err := output(command(ctx, r.Root, "rev-parse", "--quiet", "--verify", "--end-of-options", revision+"^{commit}"))
	if err == nil {
		return strings.TrimSpace(string(out)), nil
	}
	var e *Error
	if !errors.As(err, &e) || e.Output != "" || ctx.Err() != nil {
		return "", err
	}
	if revision == "HEAD" {
		// It names a branch that is not born yet, as before the first commit.
		if _, err := output(command(ctx, r.Root, "symbolic-ref", "--quiet", "HEAD")); err == nil {
			empty, err := output(command(ctx, r.Root, "hash-object", "-t", "tree", "--stdin"))
			return strings.TrimSpace(string(empty)), err
		}
	}
	text := fmt.Sprintf("there is no revision %q in the repository %s", revision, r.Root)
	if shallow, err := output(command(ctx, r.Root, "rev-parse", "--is-shallow-repository")); err == nil && strings.TrimSpace(string(shallow)) == "true" {
		text += ", which has only a part of its history: 'git fetch --unshallow' gets the rest"
	}
	return "", errors.New(text)
}

// variables of the environment say that git is to work elsewhere, as it tells hooks.
var variables = []string{"GIT_COMMON_DIR", "GIT_DIR", "GIT_INDEX_FILE", "GIT_NAMESPACE", "GIT_PREFIX", "GIT_WORK_TREE"}

// command is one of git that runs nothing but itself, in a directory.
func command(ctx context.Context, dir string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "git", slices.Concat([]string{
		"--no-pager",
		"-c", "core.hooksPath=" + os.DevNull, "-c", "core.fsmonitor=false",
		"-c", "safe.bareRepository=explicit", // a directory of the program need not be a repository since it looks so
	}, args)...)
	cmd.Dir = dir
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); !slices.Contains(variables, name) {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, "LC_ALL=C", "GIT_NO_REPLACE_OBJECTS=1", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0",
		"GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none") // the second one is for git before 2.45
	return cmd
}

func output(cmd *exec.Cmd) ([]byte, error) {
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := group.Output(cmd)
	if err != nil {
		return nil, &Error{stderr.String(), err}
	}
	return out, nil
}

const (
	// maxBytes bounds the size of the files of a revision.
	maxBytes = 4 << 30
	// maxTree bounds the bytes of a list of them, which is long if trees have the same tree many
	// times, though the repository is small.
	maxTree = 128 << 20
)

// entry is a file or symbolic link of a revision.
type entry struct {
	name       string // slash-separated
	id         string
	link       bool
	executable bool
	size       int64 // in bytes
}

// Extract writes the files of a commit into a directory, as they are in the repository: no filter
// and no conversion of line endings is applied. Symbolic links that lead out of the tree, or to
// nothing, are left out, and so are submodules and what has the name of a directory of a version control
// system.
func (r *Repository) Extract(ctx context.Context, commit, dir string) (err error) {
	entries, err := r.entries(ctx, commit)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("git: %w", err)
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	err = r.blobs(ctx, entries, func(e entry, data io.Reader) error { return e.write(root, data) })
	if err != nil {
		return err
	}
	// Where a link leads may hang on other links.
	for _, e := range entries {
		if name := filepath.FromSlash(e.name); e.link {
			if _, err := root.Stat(name); err != nil {
				if err := root.Remove(name); err != nil {
					return fmt.Errorf("git: %w", err)
				}
			}
		}
	}
	return nil
}

// entries are what is to be written of a commit.
func (r *Repository) entries(ctx context.Context, commit string) ([]entry, error) {
	tree, err := r.tree(ctx, commit, maxTree)
	if err != nil {
		return nil, err
	}
	return entriesOf(tree, commit)
}

// tree lists the files of a commit, in at most so many bytes.
func (r *Repository) tree(ctx context.Context, commit string, bound int64) (string, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd := command(ctx, r.Root, "ls-tree", "-r", "-z", "-l", "--full-tree", commit)
	var out strings.Builder
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return "", fmt.Errorf("git: %w", err)
	}
	g, err := group.Start(cmd)
	if err != nil {
		return "", &Error{"", err}
	}
	n, err := io.Copy(&out, io.LimitReader(pipe, bound+1))
	if err != nil || n > bound {
		cancel()
		_ = g.Wait() // it was killed
		if err == nil {
			err = fmt.Errorf("the list of the files of %s has more than %d bytes", commit, bound)
		}
		return "", fmt.Errorf("git: %w", err)
	}
	if err := g.Wait(); err != nil {
		return "", &Error{stderr.String(), err}
	}
	return out.String(), nil
}

// entriesOf reads what git prints of a tree: links come behind files, so that none leads there.
func entriesOf(tree, commit string) (files []entry, err error) {
	var links []entry
	var total int64
	for line := range strings.SplitSeq(strings.TrimSuffix(tree, "\x00"), "\x00") {
		head, name, ok := strings.Cut(line, "\t")
		fields := strings.Fields(head) // mode, type, id, size
		if !ok || len(fields) != 4 || fields[1] != "blob" || !filepath.IsLocal(filepath.FromSlash(name)) ||
			slices.ContainsFunc(strings.Split(name, "/"), repository.Named) {
			continue
		}
		e := entry{name: name, id: fields[2], link: fields[0] == "120000", executable: fields[0] == "100755"}
		e.size, err = strconv.ParseInt(fields[3], 10, 64)
		if err != nil || e.size < 0 {
			return nil, fmt.Errorf("git: %s has the size %q", name, fields[3]) // of a file that is not there
		}
		if e.size > maxBytes-total {
			return nil, fmt.Errorf("git: the files of %s have more than %d bytes", commit, int64(maxBytes))
		}
		total += e.size
		if e.link {
			links = append(links, e)
		} else {
			files = append(files, e)
		}
	}
	return append(files, links...), nil
}

// blobs reads the contents of entries, in their order.
func (r *Repository) blobs(ctx context.Context, entries []entry, read func(e entry, data io.Reader) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd := command(ctx, r.Root, "cat-file", "--batch")
	var ids, stderr bytes.Buffer
	for _, e := range entries {
		ids.WriteString(e.id + "\n")
	}
	cmd.Stdin, cmd.Stderr = &ids, &stderr
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return fmt.Errorf("git: %w", err)
	}
	g, err := group.Start(cmd)
	if err != nil {
		return &Error{"", err}
	}
	err = readBlobs(bufio.NewReaderSize(pipe, 1<<20), entries, read)
	if err != nil {
		cancel()
		_ = g.Wait() // it was killed
		if text := stderr.String(); errors.Is(err, io.EOF) && text != "" {
			err = &Error{text, err}
		}
		return err
	}
	if err := g.Wait(); err != nil {
		return &Error{stderr.String(), err}
	}
	return nil
}

func readBlobs(in *bufio.Reader, entries []entry, read func(e entry, data io.Reader) error) error {
	for _, e := range entries {
		head, err := in.ReadString('\n')
		if err != nil {
			return fmt.Errorf("git: %s: %w", e.name, err)
		}
		fields := strings.Fields(head) // id, type, size
		size := int64(-1)
		if len(fields) == 3 && fields[1] == "blob" {
			size, err = strconv.ParseInt(fields[2], 10, 64)
		}
		if err != nil || size < 0 {
			return fmt.Errorf("git: %s is not in the repository: %s", e.name, strings.TrimSpace(head))
		}
		if size != e.size { // the bound on all files is of what the tree says
			return fmt.Errorf("git: %s has %d bytes, and %d in the tree", e.name, size, e.size)
		}
		data := io.LimitReader(in, size)
		if err := read(e, data); err != nil {
			return err
		}
		if _, err := io.Copy(io.Discard, data); err != nil {
			return fmt.Errorf("git: %s: %w", e.name, err)
		}
		if end, err := in.ReadByte(); err != nil || end != '\n' {
			return fmt.Errorf("git: %s: it does not end where it should: %w", e.name, errors.Join(err, io.ErrUnexpectedEOF))
		}
	}
	return nil
}

// maxLink bounds what a symbolic link says.
const maxLink = 4 << 10

func (e *entry) write(root *os.Root, data io.Reader) (err error) {
	name := filepath.FromSlash(e.name)
	if err := root.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return fmt.Errorf("git: %w", err)
	}
	if e.link {
		to, err := io.ReadAll(io.LimitReader(data, maxLink))
		if err != nil {
			return fmt.Errorf("git: %s: %w", e.name, err)
		}
		if err := root.Symlink(filepath.FromSlash(string(to)), name); err != nil {
			return fmt.Errorf("git: %w", err)
		}
		return nil
	}
	mode := os.FileMode(0o600)
	if e.executable {
		mode = 0o700
	}
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return fmt.Errorf("git: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	n, err := io.Copy(f, data)
	if err == nil && n != e.size {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return fmt.Errorf("git: %s: %w", e.name, err)
	}
	return nil
}
