package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/vtrace/vtrace"
	"github.com/vtrace/vtrace/internal/earlier"
	"github.com/vtrace/vtrace/internal/pass"
	"github.com/vtrace/vtrace/internal/repository"
	"github.com/vtrace/vtrace/internal/source"
)

const (
	// configName is the file with the settings of a module, beside its go.mod.
	configName = "vtrace.yaml"
	// noConfig is the -config that reads none.
	noConfig = "off"
	// configVersion is the version of its form.
	configVersion = 1
	// maxConfig bounds its bytes, and maxText those of a name or value in it.
	maxConfig = 256 << 10
	maxText   = 1000
	// maxPatterns bounds the size of all its regular expressions, as patternSize has it.
	maxPatterns = 10_000
	// maxFileMemory and maxFileTime are the largest bounds that a file can ask for: a repository of
	// somebody else takes no more of the machine than that.
	maxFileMemory sizeFlag = 8 << 30
	maxFileTime            = time.Hour
	// maxFileBound, maxFileRuns and maxFileStates are the largest numbers: a model grows with its bounds
	// before anything else bounds it.
	maxFileBound  = 1000
	maxFileRuns   = 1000
	maxFileStates = 1_000_000_000
)

// config are the settings of a file. A repository of somebody else may have such a file: it sets
// nothing that has a program run, writes elsewhere, or takes away what bounds a check.
type config struct {
	path  string
	check []flagValue
	rules []rule
	// patterns is the size of the regular expressions so far.
	patterns int
}

// flagValue is what a file says of a flag.
type flagValue struct {
	line   int
	name   string
	values []string // one, but of flags that may be repeated
}

// rule is what a file says of some entry points.
type rule struct {
	pkg    func(string) bool // nil: any
	test   *regexp.Regexp    // nil: any
	skip   string            // why they are not checked, "" if they are
	budget time.Duration     // 0: as of all
}

// kinds of settings.
type kind int

const (
	truth kind = iota
	number
	duration
	size
	word
	list
	numbers // by name
	outputFile
)

// setting is a flag of check that a file may set.
type setting struct {
	kind kind
	// extension of a file.
	extension string
	// words are the only values, or elements of a list, that are taken, if there are some.
	words []string
	// otherwise says why others, which the flag may have, are not.
	otherwise string
	// most is the largest number.
	most int64
}

// The settings of a file, by the name of their flag.
var configurable = map[string]setting{
	"baseline":     {kind: outputFile, extension: ".json"},
	"bound":        {kind: numbers, most: maxFileBound},
	"budget":       {kind: duration},
	"cache":        {kind: word, words: []string{noResults}, otherwise: "a directory of results decides what a check says: name one on the command line, or in " + resultsVariable},
	"categories":   {kind: list, words: vtrace.QueryCategories()},
	"continue":     {kind: truth},
	"deps":         {kind: list},
	"disallow":     {kind: word, words: []string{pass.DisallowExact, pass.DisallowFNV}},
	"every-line":   {kind: truth},
	"from-proto":   {kind: truth},
	"junit":        {kind: outputFile, extension: ".xml"},
	"load-timeout": {kind: duration},
	"memory":       {kind: size},
	"race":         {kind: truth},
	"reductions":   {kind: truth},
	"run-depth":    {kind: number, most: maxFileRuns},
	"sandbox":      {kind: word, words: []string{"true", requireSandbox}, otherwise: "a file asks for protection, and takes none away"},
	"sarif":        {kind: outputFile, extension: ".sarif"},
	"stall":        {kind: duration},
	"states":       {kind: number, most: maxFileStates},
	"strategy":     {kind: word, words: strategyNames()},
	"strict":       {kind: truth},
	"tags":         {kind: list},
	"timeout":      {kind: duration},
	"vendor-deps":  {kind: truth},
	"watchdog":     {kind: duration},
}

// onlyFlags are the flags of check that a file cannot set, with the reason.
var onlyFlags = map[string]string{
	"changed-since": "it says what one check is about", "config": "it names this file", "entry": "it says what one check is about",
	"flags":     "build flags, as -toolexec, can have the go command run programs; build tags are set with tags",
	"functions": "it is another kind of check", "github": "it is about where one check runs", "json": "it is about who reads one check", "list": "it is another command", "numbers": "it belongs to functions", "o": "bundles are written where who checks says",
	"parallel": "it is about where one check runs", "run": "it says what one check is about", "sign": "a key belongs to who checks", "timing": "it is about who reads one check",
	"update-baseline": "it changes a file", "v": "it is about who reads one check", "valuations": "it belongs to functions",
}

// at makes an error about a place of the file.
func (c *config) at(n *yaml.Node, format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s", shorten(c.path), n.Line, fmt.Sprintf(format, args...))
}

// yamlLine finds the place in an error of the library.
var yamlLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)

// readConfig reads a file. The text is that of the file at the path.
func readConfig(name string, text []byte) (*config, error) {
	c := &config{path: name}
	dec := yaml.NewDecoder(bytes.NewReader(text))
	var doc, more yaml.Node
	err := dec.Decode(&doc)
	if errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: it is empty: it begins with version: %d", shorten(name), configVersion)
	}
	if err != nil {
		line := ""
		if m := yamlLine.FindStringSubmatch(err.Error()); m != nil && m[1] != "" {
			line = ":" + m[1]
		}
		return nil, fmt.Errorf("%s%s: %.*s", shorten(name), line, maxText, yamlLine.ReplaceAllString(err.Error(), ""))
	}
	if err := dec.Decode(&more); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: something stands behind the first document", shorten(name))
	}
	version := false
	err = c.mapping(doc.Content[0], "the file", []string{"version", "check", "entries"}, func(key string, value *yaml.Node) error {
		switch key {
		case "version":
			version = true
			if value.Value != strconv.Itoa(configVersion) || value.Tag != "!!int" {
				return c.at(value, "version is %.40q: this vtrace reads version %d", value.Value, configVersion)
			}
			return nil
		case "check":
			return c.readCheck(value)
		}
		return c.readRules(value)
	})
	if err == nil && !version {
		err = c.at(doc.Content[0], "it has no version: this is version: %d", configVersion)
	}
	return c, err
}

// mapping reads the keys of a mapping, each of which it has once.
func (c *config) mapping(n *yaml.Node, what string, keys []string, read func(key string, value *yaml.Node) error) error {
	if n.Kind != yaml.MappingNode {
		return c.at(n, "%s is %s, and has to be a mapping, as in name: value", what, shape(n))
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		switch {
		case key.Kind != yaml.ScalarNode || key.Tag == "!!merge":
			return c.at(key, "%s has a key that is no name", what)
		case len(key.Value) > maxText:
			return c.at(key, "%s has a name of %d bytes, and at most %d are read", what, len(key.Value), maxText)
		case seen[key.Value]:
			return c.at(key, "%s has %q twice", what, key.Value)
		case keys != nil && !slices.Contains(keys, key.Value):
			return c.at(key, "%s has no setting %q: they are %s", what, key.Value, strings.Join(keys, ", "))
		case value.Kind == yaml.AliasNode:
			return c.at(value, "aliases of YAML are not read")
		}
		seen[key.Value] = true
		if err := read(key.Value, value); err != nil {
			return err
		}
	}
	return nil
}

// shape is what a node is, in words.
func shape(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	case yaml.AliasNode:
		return "an alias"
	}
	switch n.Tag {
	case "!!bool":
		return "a truth"
	case "!!int", "!!float":
		return "a number"
	case "!!null":
		return "nothing"
	}
	return "text"
}

// scalar is the text of a value that has one of the tags.
func (c *config) scalar(n *yaml.Node, key, want string, tags ...string) (string, error) {
	if n.Kind != yaml.ScalarNode || !slices.Contains(tags, n.Tag) {
		return "", c.at(n, "%s is %s, and has to be %s", key, shape(n), want)
	}
	if len(n.Value) > maxText {
		return "", c.at(n, "%s has %d bytes, and at most %d are read", key, len(n.Value), maxText)
	}
	return n.Value, nil
}

func (c *config) readCheck(n *yaml.Node) error {
	return c.mapping(n, "check", nil, func(key string, value *yaml.Node) error {
		if why, ok := onlyFlags[key]; ok {
			return c.at(value, "%s is not taken from a file: %s", key, why)
		}
		s, ok := configurable[key]
		if !ok {
			return c.at(value, "check has no setting %q: they are %s", key, strings.Join(slices.Sorted(maps.Keys(configurable)), ", "))
		}
		values, err := c.values(s, key, value)
		if err != nil {
			return err
		}
		c.check = append(c.check, flagValue{value.Line, key, values})
		return nil
	})
}

// item is one of a list that becomes a part of a flag: without a comma, and not taken for a flag.
var item = regexp.MustCompile(`^[^\s,-][^\x00-\x1f,]*$`)

// values are what a setting sets its flag to.
func (c *config) values(s setting, key string, n *yaml.Node) ([]string, error) {
	one := func(text string, err error) ([]string, error) { return []string{text}, err }
	switch s.kind {
	case truth:
		return one(c.scalar(n, key, "true or false", "!!bool"))
	case number:
		return one(c.number(n, key, s.most))
	case size:
		text, err := c.scalar(n, key, "a size, as in 500M or 2G", "!!int", "!!str")
		var bytes sizeFlag
		switch {
		case err != nil || bytes.Set(text) != nil: // the flag says so
		case bytes == 0:
			err = c.at(n, "%s is 0, which is no bound: only a flag on the command line takes a bound away", key)
		case bytes > maxFileMemory:
			err = c.at(n, "%s is %s, and at most %dG in a file: only a flag on the command line takes more", key, text, maxFileMemory>>30)
		}
		return one(text, err)
	case duration:
		d, err := c.duration(n, key)
		return one(d.String(), err)
	case word:
		text, err := c.scalar(n, key, "a word", "!!str", "!!bool")
		if err == nil && s.words != nil && !slices.Contains(s.words, text) {
			why := ""
			if s.otherwise != "" {
				why = " in a file: " + s.otherwise
			}
			err = c.at(n, "%s is %q, and can only be %s%s", key, text, strings.Join(s.words, " or "), why)
		}
		return one(text, err)
	case list:
		if n.Kind != yaml.SequenceNode {
			return nil, c.at(n, "%s is %s, and has to be a list, as in [a, b]", key, shape(n))
		}
		var all []string
		for _, e := range n.Content {
			text, err := c.scalar(e, "an element of "+key, "text", "!!str", "!!int")
			if err != nil {
				return nil, err
			}
			if !item.MatchString(text) {
				return nil, c.at(e, "%q is no element of %s: it is empty, has a comma, or begins like a flag", text, key)
			}
			if s.words != nil && !slices.Contains(s.words, text) {
				return nil, c.at(e, "%q is none of the %s: they are %s", text, key, strings.Join(s.words, ", "))
			}
			all = append(all, text)
		}
		return one(strings.Join(all, ","), nil)
	case numbers:
		var all []string
		err := c.mapping(n, key, boundNames(), func(name string, value *yaml.Node) error {
			text, err := c.number(value, key+" "+name, s.most)
			all = append(all, name+"="+text)
			return err
		})
		return all, err
	case outputFile:
		text, err := c.scalar(n, key, "the name of a file", "!!str")
		if err != nil {
			return nil, err
		}
		return one(c.file(n, key, text, s.extension))
	}
	return nil, c.at(n, "%s is of a kind that is not known", key)
}

// number is a whole number from 0 to the largest that a file can ask for, in decimal.
func (c *config) number(n *yaml.Node, key string, most int64) (string, error) {
	text, err := c.scalar(n, key, "a number", "!!int", "!!float")
	if err != nil {
		return "", err
	}
	// One that is too large for YAML's integers is a float.
	value, err := strconv.ParseInt(text, 0, strconv.IntSize)
	switch {
	case err != nil || value < 0:
		return "", c.at(n, "%s is %.40s, and has to be a whole number from 0 to %d", key, text, most)
	case value > most:
		return "", c.at(n, "%s is %s, and at most %d in a file: only a flag on the command line takes more", key, text, most)
	}
	return strconv.FormatInt(value, 10), nil
}

func (c *config) duration(n *yaml.Node, key string) (time.Duration, error) {
	text, err := c.scalar(n, key, "a duration, as in 30s or 5m", "!!str")
	if err != nil {
		return 0, err
	}
	d, err := time.ParseDuration(text)
	switch {
	case err != nil:
		return 0, c.at(n, "%s is %q, and has to be a duration, as in 30s or 5m", key, text)
	case d <= 0:
		return 0, c.at(n, "%s is %s: only a flag on the command line takes a bound away", key, text)
	case d > maxFileTime:
		return 0, c.at(n, "%s is %s, and at most %.0fh in a file: only a flag on the command line takes more", key, text, maxFileTime.Hours())
	}
	return d, nil
}

// file is the path of a file that a check reads or writes: one in the directory of the settings that
// its name says to be of this kind.
func (c *config) file(n *yaml.Node, key, name, extension string) (string, error) {
	dir := filepath.Dir(c.path)
	local := filepath.FromSlash(name)
	full := filepath.Join(dir, local)
	inside := func() bool {
		if !filepath.IsLocal(local) || slices.ContainsFunc(strings.Split(filepath.ToSlash(local), "/"), repository.Named) {
			return false
		}
		root, err := filepath.EvalSymlinks(dir)
		if err != nil {
			return false
		}
		// The directory may be another one by a symbolic link, and so may the file.
		for _, p := range []string{filepath.Dir(full), full} {
			real, err := filepath.EvalSymlinks(p)
			if errors.Is(err, os.ErrNotExist) {
				if _, err := os.Lstat(p); err == nil {
					return false // a link to nothing
				}
				continue
			}
			rel, err2 := filepath.Rel(root, real)
			if err != nil || err2 != nil || !filepath.IsLocal(rel) || slices.ContainsFunc(strings.Split(filepath.ToSlash(rel), "/"), repository.Named) {
				return false
			}
		}
		return true
	}
	switch {
	case path.Ext(filepath.ToSlash(name)) != extension:
		return "", c.at(n, "%s is %q, and has to end in %s in a file", key, name, extension)
	case !inside():
		return "", c.at(n, "%s is %q, which is not below the directory of this file: only a flag on the command line names others", key, name)
	}
	return full, nil
}

func (c *config) readRules(n *yaml.Node) error {
	if n.Kind != yaml.SequenceNode {
		return c.at(n, "entries is %s, and has to be a list", shape(n))
	}
	for _, e := range n.Content {
		r, names := rule{}, false
		err := c.mapping(e, "an element of entries", []string{"package", "test", "skip", "budget"}, func(key string, value *yaml.Node) (err error) {
			if key == "budget" {
				r.budget, err = c.duration(value, key)
				return err
			}
			text, err := c.scalar(value, key, "text", "!!str")
			if err == nil && strings.TrimSpace(text) == "" {
				err = c.at(value, "%s is empty", key)
			}
			if err != nil {
				return err
			}
			switch key {
			case "package":
				names = true
				r.pkg, err = c.packages(value, text)
			case "test":
				names = true
				r.test, err = c.pattern(value, text)
			case "skip":
				r.skip = strings.Join(strings.Fields(text), " ") // the reason, in a line
			}
			return err
		})
		switch {
		case err != nil:
			return err
		case !names:
			return c.at(e, "this names no entry points: it needs package, test or both")
		case r.skip == "" && r.budget == 0:
			return c.at(e, "this says nothing of its entry points: it needs skip or budget")
		}
		c.rules = append(c.rules, r)
	}
	return nil
}

// pattern compiles a regular expression. A short one may say that it is to be repeated very often,
// which compiling it writes out.
func (c *config) pattern(n *yaml.Node, text string) (*regexp.Regexp, error) {
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil, c.at(n, "test is no regular expression: %v", err)
	}
	if c.patterns += patternSize(tree); c.patterns > maxPatterns {
		return nil, c.at(n, "the regular expressions up to here are too large: written out, without counts of repetitions, they have more than %d parts", maxPatterns)
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, c.at(n, "test is no regular expression: %v", err)
	}
	return re, nil
}

// patternSize is how many parts a regular expression has when its repetitions are written out.
func patternSize(re *syntax.Regexp) int {
	n := max(1, len(re.Rune))
	if re.Op != syntax.OpLiteral {
		n = 1 // whatever the ranges of a class are
	}
	for _, sub := range re.Sub {
		n += patternSize(sub)
	}
	if re.Op == syntax.OpRepeat {
		n *= max(1, re.Min, re.Max)
	}
	return n
}

// packages is the meaning of a pattern of packages: one that begins with a dot is below the module.
func (c *config) packages(n *yaml.Node, pattern string) (func(string) bool, error) {
	if !strings.HasPrefix(pattern, ".") {
		return source.MatchPackages(pattern), nil
	}
	module, root, ok := earlier.Module(filepath.Dir(c.path))
	if !ok || root != filepath.Dir(c.path) {
		return nil, c.at(n, "package is %q, and beside this file is no go.mod that says what that is: write the import path", pattern)
	}
	below := path.Clean(pattern)
	if below == ".." || strings.HasPrefix(below, "../") {
		return nil, c.at(n, "package is %q, which leads out of the module", pattern)
	}
	return source.MatchPackages(path.Join(module, below)), nil
}

// apply sets the flags that the file has and the command line has not. A command that is not check
// may lack some, as those for files of results.
func (c *config) apply(fs *flag.FlagSet, s *settings) error {
	if c == nil {
		return nil
	}
	given := map[string]bool{}
	fs.Visit(func(f *flag.Flag) { given[f.Name] = true })
	given["tags"] = given["tags"] || slices.ContainsFunc(strings.Fields(s.buildFlags), func(f string) bool { return strings.HasPrefix(strings.TrimLeft(f, "-"), "tags") })
	for _, v := range c.check {
		if given[v.name] || fs.Lookup(v.name) == nil {
			continue
		}
		for _, text := range v.values {
			if err := fs.Set(v.name, text); err != nil {
				return fmt.Errorf("%s:%d: %s: %w", shorten(c.path), v.line, v.name, err)
			}
		}
	}
	if given["budget"] {
		for i := range c.rules {
			c.rules[i].budget = 0
		}
	}
	return nil
}

// of is what the file says of an entry point. Of several elements the last one that says
// something decides.
func (c *config) of(pkg, entry string) (skip string, budget time.Duration) {
	if c == nil {
		return "", 0
	}
	for _, r := range c.rules {
		if r.pkg != nil && !r.pkg(pkg) || r.test != nil && !r.test.MatchString(entry) {
			continue
		}
		if r.skip != "" {
			skip = fmt.Sprintf("%s (%s)", r.skip, configName)
		}
		if r.budget != 0 {
			budget = r.budget
		}
	}
	return skip, budget
}

// skips is why an entry point is not checked, "" if it is.
func (c *config) skips(e vtrace.EntryPoint) string {
	skip, _ := c.of(e.Package, e.Func)
	return skip
}

// options are those of an entry point.
func (c *config) options(pkg, entry string) []vtrace.Option {
	if _, budget := c.of(pkg, entry); budget != 0 {
		return []vtrace.Option{vtrace.Budget(budget)}
	}
	return nil
}

// packageOf is the import path of the package that a pattern names.
func packageOf(pattern string) string {
	dir, err := filepath.Abs(pattern)
	if info, err2 := os.Stat(dir); err != nil || err2 != nil || !info.IsDir() {
		return pattern // an import path
	}
	if at, ok := earlier.ImportPath(dir); ok {
		return at
	}
	return pattern
}

// configFile is the name of the file with the settings for the packages that a pattern names, which need not
// be there: what -config says, or beside the go.mod of their module. It is "" if there are to be none.
func configFile(file, pattern string) string {
	switch file {
	case noConfig:
		return ""
	case "":
		return filepath.Join(moduleDir(pattern), configName)
	}
	return file
}

func configFlag(fs *flag.FlagSet) *string {
	return fs.String("config", "", "take settings from `FILE`, or from none if that is off; without it from "+configName+" beside the go.mod of the program, if there is one")
}

// findConfig reads the settings for the packages that a pattern names: those of a file, or beside
// the go.mod of their module. It returns nil if there are none.
func findConfig(file, pattern string) (*config, error) {
	name := configFile(file, pattern)
	if name == "" {
		return nil, nil
	}
	full, err := filepath.Abs(name)
	if err != nil {
		return nil, fmt.Errorf("-config: %w", err)
	}
	info, err := os.Stat(full)
	if errors.Is(err, os.ErrNotExist) && file == "" {
		return nil, nil
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("-config: %w", err)
	case !info.Mode().IsRegular() || info.Size() > maxConfig:
		return nil, fmt.Errorf("%s: not a file of at most %d bytes", shorten(full), maxConfig)
	}
	text, err := os.ReadFile(full)
	if err != nil {
		return nil, fmt.Errorf("-config: %w", err)
	}
	return readConfig(full, text)
}
