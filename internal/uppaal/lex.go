package uppaal

import (
	"fmt"
	"strings"
)

// tokenKind classifies tokens.
type tokenKind uint8

const (
	tokEOF     tokenKind = iota
	tokName              // an identifier
	tokKeyword           // a word that cannot be a name
	tokInt               // a decimal literal
	tokOp                // an operator or punctuation
	tokNewline           // the end of a query line
)

// A token is one lexical element. Alternative spellings are already replaced:
// "and" is the operator "&&", ":=" is "=".
type token struct {
	kind      tokenKind
	text      string
	val       int64 // tokInt
	line, col int
}

func (t token) describe() string {
	switch t.kind {
	case tokEOF:
		return "end of text"
	case tokNewline:
		return "end of line"
	case tokKeyword:
		return "keyword " + t.text
	}
	return fmt.Sprintf("%q", t.text)
}

// Bounds on what is accepted from a text.
const (
	maxText   = 64 << 20 // bytes
	maxTokens = 8 << 20
	maxName   = 4000   // bytes of an identifier
	maxNest   = 4000   // nesting of parentheses, blocks, structs, ...
	maxOps    = 100000 // operators of one expression, which bound its depth
	minInt32  = -1 << 31
	maxInt32  = 1<<31 - 1
)

// keywords are the words that cannot be names in a model.
var keywords = wordSet(`
	const select guard sync assign probability process state branchpoint init
	trans urgent commit broadcast system true false and or xor not imply for
	while do if else default return typedef struct import meta before_update
	after_update progress gantt assert IO forall exists sum priority bool int
	double string chan clock void scalar hybrid dynamic spawn exit numOf query
	location
	abs fabs fmod fma fmax fmin fdim exp exp2 expm1 ln log log10 log2 log1p pow
	sqrt cbrt hypot sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh
	atanh erf erfc tgamma lgamma ceil floor trunc round fint ldexp ilogb logb
	nextafter copysign isfinite isinf isnan isnormal signbit isunordered
	random random_arcsine random_beta random_gamma random_normal random_poisson
	random_weibull random_tri`)

// queryWords can be names in a model but not, or not everywhere, in a query.
var queryWords = wordSet(`
	deadlock stuck A E U W R M X sup inf bounds control control_t simulation
	simulate Pr Pmax minE maxE minPr maxPr strategy under imitate loadStrategy
	saveStrategy sat scenario`)

// laterWords are reserved for later versions of the language.
var laterWords = wordSet(`switch case continue break enum goto`)

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}

// IsReserved reports whether a generated model should not declare name: it is
// a keyword of the language, a word with a meaning in queries, a word reserved
// for later, or a predefined name.
func IsReserved(name string) bool {
	return keywords[name] || queryWords[name] || laterWords[name] || predefined[name] || doubleNames[name]
}

// IsName reports whether name has the form of an identifier and is not a
// keyword.
func IsName(name string) bool {
	if name == "" || len(name) > maxName || keywords[name] {
		return false
	}
	for i := 0; i < len(name); i++ {
		if c := name[i]; !isLetter(c) && (i == 0 || !isNameByte(c)) {
			return false
		}
	}
	return true
}

func isLetter(c byte) bool {
	return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isNameByte(c byte) bool {
	return isLetter(c) || isDigit(c) || c == '$' || c == '#'
}

// operators by length, longest first.
var operators = [][]string{
	{"<<=", ">>="},
	{"++", "--", "**", "<<", ">>", "<?", ">?", "<=", ">=", "==", "!=", "&&", "||",
		":=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^="},
	{"+", "-", "*", "/", "%", "<", ">", "=", "!", "&", "|", "^", "?", ":", ";", ",",
		".", "(", ")", "[", "]", "{", "}", "'"},
}

// pathTokens are recognised in queries only.
var pathTokens = []string{"A[]", "E<>", "E[]", "A<>", "-->"}

// spellings maps alternative spellings to the one of the tree.
var spellings = map[string]string{":=": "=", "and": "&&", "or": "||", "not": "!"}

// lex splits a text into tokens, the last of which is tokEOF. In query mode a
// newline is a token and path operators are recognised.
func lex(where, text string, query bool) ([]token, *Error) {
	fail := func(line, col int, format string, args ...any) ([]token, *Error) {
		return nil, &Error{Pos{where, line, col}, fmt.Sprintf(format, args...)}
	}
	if len(text) > maxText {
		return fail(1, 1, "text of %d bytes is too long", len(text))
	}
	var toks []token
	line, start := 1, 0 // start is the offset of the current line
	i := 0
	newline := func() {
		line++
		start = i
	}
next:
	for i < len(text) {
		if len(toks) >= maxTokens {
			return fail(line, i-start+1, "text has too many tokens")
		}
		c := text[i]
		col := i - start + 1
		switch {
		case c == '\n':
			i++
			if query {
				toks = append(toks, token{tokNewline, "\n", 0, line, col})
			}
			newline()
			continue
		case c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v':
			i++
			continue
		case c == '\\' && query:
			rest := strings.TrimLeft(text[i+1:], " \t\r")
			if strings.HasPrefix(rest, "\n") {
				i = len(text) - len(rest) + 1
				newline()
				continue
			}
			return fail(line, col, `a backslash must end the line`)
		case strings.HasPrefix(text[i:], "//"):
			for i < len(text) && text[i] != '\n' {
				i++
			}
			continue
		case strings.HasPrefix(text[i:], "/*"):
			end := strings.Index(text[i+2:], "*/")
			if end < 0 {
				return fail(line, col, "comment is not closed")
			}
			end += i + 4
			for ; i < end; i++ {
				if text[i] == '\n' {
					line++
					start = i + 1
				}
			}
			continue
		}
		if query {
			for _, t := range pathTokens {
				if strings.HasPrefix(text[i:], t) {
					toks = append(toks, token{tokOp, t, 0, line, col})
					i += len(t)
					continue next
				}
			}
		}
		switch {
		case isLetter(c):
			j := i + 1
			for j < len(text) && isNameByte(text[j]) {
				j++
			}
			word := text[i:j]
			if len(word) > maxName {
				return fail(line, col, "identifier is longer than %d characters", maxName)
			}
			i = j
			kind := tokName
			switch {
			case word == "and" || word == "or" || word == "not":
				kind, word = tokOp, spellings[word]
			case word == "xor" || word == "imply":
				kind = tokOp
			case keywords[word]:
				kind = tokKeyword
			}
			toks = append(toks, token{kind, word, 0, line, col})
			continue
		case isDigit(c):
			j, v := i, int64(0)
			for ; j < len(text) && isDigit(text[j]); j++ {
				if v = v*10 + int64(text[j]-'0'); v > maxInt32+1 {
					return fail(line, col, "integer literal overflows 32 bits")
				}
			}
			if j+1 < len(text) && text[j] == '.' && isDigit(text[j+1]) {
				return fail(line, col, "floating-point numbers are not supported")
			}
			if j < len(text) && isLetter(text[j]) {
				return fail(line, j-start+1, "unexpected %q after a number (literals are decimal)", text[j:j+1])
			}
			toks = append(toks, token{tokInt, text[i:j], v, line, col})
			i = j
			continue
		case c == '"':
			return fail(line, col, "strings are not supported")
		}
		for _, group := range operators {
			n := len(group[0])
			if i+n > len(text) {
				continue
			}
			for _, op := range group {
				if text[i:i+n] == op {
					if s, ok := spellings[op]; ok {
						op = s
					}
					toks = append(toks, token{tokOp, op, 0, line, col})
					i += n
					continue next
				}
			}
		}
		return fail(line, col, "unexpected character %q", []rune(text[i:min(i+4, len(text))])[0])
	}
	return append(toks, token{tokEOF, "", 0, line, i - start + 1}), nil
}
