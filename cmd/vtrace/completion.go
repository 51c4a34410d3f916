package main

import (
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
)

// shells are those that there is a script for.
var shells = []string{"bash", "fish", "zsh"}

func runCompletion(c *call) (int, error) {
	args, err := c.parse(c.flags(), 1, 1)
	if err != nil {
		return 0, err
	}
	switch args[0] {
	case "bash":
		return exitNothing, writeBash(c.stdout, table())
	case "fish":
		return exitNothing, writeFish(c.stdout, table())
	case "zsh":
		return exitNothing, writeZsh(c.stdout, table())
	}
	return 0, fmt.Errorf("%w: no shell %q: they are %s", errUsage, args[0], strings.Join(shells, ", "))
}

// The arguments of a command, as far as a shell can complete them.
const (
	argFile    = "file"
	argDir     = "dir"
	argTool    = "tool"
	argNothing = "nothing"
)

// argument says what the arguments of a command are. Some are one of a few words.
func (d *described) argument() (what string, words []string) {
	switch first := strings.Fields(d.args + " "); {
	case d.name == "bundle":
		return argTool, toolNames()
	case d.name == "help":
		return argTool, slices.Concat(commandNames(), helpTopics(), []string{"-man", "-schema"})
	case d.name == "completion":
		return argTool, shells
	case len(first) == 0:
		return argNothing, nil
	case first[0] == "PACKAGE" || first[0] == "DIR":
		return argDir, nil
	}
	return argFile, nil
}

func commandNames() (names []string) {
	for _, cmd := range commands() {
		names = append(names, cmd.name)
	}
	return names
}

func toolNames() (names []string) {
	for _, cmd := range bundleCommands() {
		names = append(names, cmd.name)
	}
	return names
}

// quote is a text as a word of a shell. Shells agree on single quotes, but for how one stands in them:
// help texts have none.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", "’") + "'" }

// writeBash writes a script for bash, which asks vtrace nothing.
func writeBash(w io.Writer, all []described) error {
	var out strings.Builder
	fmt.Fprintf(&out, `# Completion of vtrace for bash. In ~/.bashrc: source <(vtrace completion bash)
_vtrace() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} at=1 command flags= files= dirs= values= argument=file words=
	local IFS=$'\n'
	COMPREPLY=()
	if [[ ${COMP_WORDS[1]} == -C ]]; then at=3; fi
	if [[ $prev == -C ]]; then COMPREPLY=($(compgen -d -- "$cur")); compopt -o filenames 2>/dev/null; return; fi
	if ((COMP_CWORD < at)); then return; fi
	if ((COMP_CWORD == at)); then COMPREPLY=($(compgen -W %s -- "$cur")); return; fi
	command=${COMP_WORDS[at]}
	if [[ ${COMP_WORDS[at+1]} == -C ]]; then ((at += 2)); fi
	if [[ $command == bundle ]] && ((COMP_CWORD > at + 1)); then command="bundle ${COMP_WORDS[at+1]}"; fi
	case $command in
`, quote(strings.Join(commandNames(), "\n")))
	for _, d := range all {
		var flags, files, dirs, values []string
		fmt.Fprintf(&out, "\t%s)\n", quote(d.name))
		var choices strings.Builder
		for _, f := range d.flags {
			flags = append(flags, "-"+f.Name)
			file, dir := namesFile(f)
			switch {
			case isBool(f):
				continue
			case file:
				files = append(files, "-"+f.Name)
			case dir:
				dirs = append(dirs, "-"+f.Name)
			default:
				values = append(values, "-"+f.Name)
			}
			if list := words(f); list != nil {
				fmt.Fprintf(&choices, "\t\tif [[ $prev == -%s ]]; then words=%s; fi\n", f.Name, quote(strings.Join(list, "\n")))
			}
		}
		for _, v := range []struct {
			name string
			list []string
		}{{"flags", flags}, {"files", files}, {"dirs", dirs}, {"values", values}} {
			if len(v.list) > 0 {
				fmt.Fprintf(&out, "\t\t%s=%s\n", v.name, quote(strings.Join(v.list, "\n")))
			}
		}
		what, list := d.argument()
		fmt.Fprintf(&out, "\t\targument=%s\n", what)
		if list != nil {
			fmt.Fprintf(&out, "\t\twords=%s\n", quote(strings.Join(list, "\n")))
		}
		out.WriteString(choices.String() + "\t\t;;\n")
	}
	out.WriteString(`	esac
	_vtrace_in() { [[ $'\n'"$2"$'\n' == *$'\n'"$1"$'\n'* ]]; }
	if _vtrace_in "$prev" "$dirs"; then
		words+=${words:+$'\n'}
		COMPREPLY=($(compgen -W "$words" -- "$cur") $(compgen -d -- "$cur"))
		compopt -o filenames 2>/dev/null
	elif _vtrace_in "$prev" "$files"; then
		COMPREPLY=($(compgen -W "$words" -- "$cur") $(compgen -f -- "$cur"))
		compopt -o filenames 2>/dev/null
	elif _vtrace_in "$prev" "$values"; then
		COMPREPLY=($(compgen -W "$words" -- "$cur"))
		COMPREPLY=("${COMPREPLY[@]// /\\ }")
	elif [[ $cur == -* ]]; then
		COMPREPLY=($(compgen -W "$flags"$'\n'"$words" -- "$cur"))
	elif [[ -n $words ]]; then
		COMPREPLY=($(compgen -W "$words" -- "$cur"))
	elif [[ $argument == dir ]]; then
		COMPREPLY=($(compgen -d -- "$cur"))
		compopt -o filenames 2>/dev/null
	elif [[ $argument == file ]]; then
		COMPREPLY=($(compgen -f -- "$cur"))
		compopt -o filenames 2>/dev/null
	fi
}
complete -F _vtrace vtrace
`)
	_, err := io.WriteString(w, out.String())
	return err
}

// zshText is a text in a specification of _arguments, in single quotes.
func zshText(s string) string {
	return strings.NewReplacer("'", "’", `\`, `\\`, "[", `\[`, "]", `\]`, ":", `\:`, "`", "\\`", "$", `\$`).Replace(s)
}

// zshFlag is a flag as _arguments takes it.
func zshFlag(f *flag.Flag) string {
	spec := fmt.Sprintf("-%s[%s]", f.Name, zshText(short(f)))
	file, dir := namesFile(f)
	value, _ := flag.UnquoteUsage(f)
	action := " "
	switch {
	case isBool(f):
		return "'" + spec + "'"
	case words(f) != nil:
		var list []string
		for _, v := range words(f) {
			list = append(list, strings.ReplaceAll(zshText(v), " ", `\ `))
		}
		action = "(" + strings.Join(list, " ") + ")"
	case file:
		action = "_files"
	case dir:
		action = "_files -/"
	}
	return fmt.Sprintf("'%s:%s:%s'", spec, zshText(value), action)
}

// writeZsh writes a script for zsh.
func writeZsh(w io.Writer, all []described) error {
	var out strings.Builder
	out.WriteString("#compdef vtrace\n# Completion of vtrace for zsh. In ~/.zshrc, behind compinit: source <(vtrace completion zsh)\n_vtrace() {\n\tlocal context state line command\n\ttypeset -A opt_args\n" +
		"\t_arguments -C '-C[run in this directory]:DIR:_files -/' '1: :->command' '*:: :->arguments' && return\n" +
		"\tif [[ $state == command ]]; then\n\t\tlocal -a commands=(\n")
	for _, cmd := range commands() {
		fmt.Fprintf(&out, "\t\t\t'%s:%s'\n", cmd.name, zshText(cmd.short))
	}
	out.WriteString("\t\t)\n\t\t_describe command commands\n\t\treturn\n\tfi\n\tcommand=$line[1]\n" +
		"\tif [[ $command == bundle ]] && ((CURRENT > 2)); then command=\"bundle $words[2]\"; shift words; ((CURRENT--)); fi\n\tcase $command in\n")
	for _, d := range all {
		fmt.Fprintf(&out, "\t%s)\n\t\t_arguments", quote(d.name))
		for _, f := range d.flags {
			fmt.Fprintf(&out, " \\\n\t\t\t%s", zshFlag(f))
		}
		switch what, list := d.argument(); what {
		case argTool:
			fmt.Fprintf(&out, " \\\n\t\t\t'*: :(%s)'", strings.Join(list, " "))
		case argDir:
			out.WriteString(" \\\n\t\t\t'*: :_files -/'")
		case argFile:
			out.WriteString(" \\\n\t\t\t'*: :_files'")
		}
		out.WriteString("\n\t\t;;\n")
	}
	out.WriteString("\tesac\n}\nif [[ $funcstack[1] == _vtrace ]]; then _vtrace \"$@\"; else compdef _vtrace vtrace; fi\n")
	_, err := io.WriteString(w, out.String())
	return err
}

// fishText is a text in single quotes of fish.
func fishText(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(s) + "'"
}

// writeFish writes a script for fish.
func writeFish(w io.Writer, all []described) error {
	var out strings.Builder
	out.WriteString("# Completion of vtrace for fish: vtrace completion fish > ~/.config/fish/completions/vtrace.fish\n" +
		"complete -c vtrace -f\n" +
		"complete -c vtrace -n __fish_use_subcommand -s C -x -a '(__fish_complete_directories)' -d 'run in this directory'\n")
	for _, cmd := range commands() {
		fmt.Fprintf(&out, "complete -c vtrace -n __fish_use_subcommand -a %s -d %s\n", cmd.name, fishText(cmd.short))
	}
	for _, d := range all {
		first, tool, _ := strings.Cut(d.name, " ")
		when := "__fish_seen_subcommand_from " + first
		switch {
		case tool != "":
			when += "; and __fish_seen_subcommand_from " + tool
		case d.name == "bundle":
			when += "; and not __fish_seen_subcommand_from " + strings.Join(toolNames(), " ")
		}
		line := "complete -c vtrace -n " + fishText(when)
		for _, f := range d.flags {
			fmt.Fprintf(&out, "%s -o %s -d %s", line, f.Name, fishText(short(f)))
			file, dir := namesFile(f)
			switch {
			case isBool(f):
			case words(f) != nil:
				var list []string
				for _, v := range words(f) {
					list = append(list, `"`+v+`"`)
				}
				fmt.Fprintf(&out, " -x -a %s", fishText(strings.Join(list, " ")))
			case file:
				out.WriteString(" -r -F")
			case dir:
				out.WriteString(" -x -a '(__fish_complete_directories)'")
			default:
				out.WriteString(" -x")
			}
			out.WriteString("\n")
		}
		switch what, list := d.argument(); what {
		case argTool:
			fmt.Fprintf(&out, "%s -a %s\n", line, fishText(strings.Join(list, " ")))
		case argDir:
			fmt.Fprintf(&out, "%s -a '(__fish_complete_directories)'\n", line)
		case argFile:
			fmt.Fprintf(&out, "%s -F\n", line)
		}
	}
	_, err := io.WriteString(w, out.String())
	return err
}
