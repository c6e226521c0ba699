package cli

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"github.com/cpuguy83/go-md2man/v2/md2man"
	"github.com/urfave/cli/v2"

	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/render/text"
)

// commandHelp returns the help of a command, at most width columns wide: the description, which has the examples, before the flags. Of the flags in
// common, which other commands have too, it has the names.
func commandHelp(c *cli.Command, common []string, width int) string {
	var out bytes.Buffer
	h := begin(&out, c, width)
	h.description(c.Description)
	h.flags(c, common, cli.Flag.String)
	h.Flush()
	return out.String()
}

// shortHelp returns the first part of the help of a command: the examples, and what each flag is for, in a few words.
func shortHelp(c *cli.Command, common []string, width int) string {
	var out bytes.Buffer
	h := begin(&out, c, width)
	description, more, _ := strings.Cut(c.Description, "\n\n")
	h.description(description)
	h.flags(c, common, shortFlag)
	if more != "" {
		h.Line("")
		h.Wrapped("", "", text.Plain("olmgraph help "+c.Name+" describes the answer, all flags in detail, and the exit statuses."))
	}
	h.Flush()
	return out.String()
}

// begin begins the help of a command.
func begin(out *bytes.Buffer, c *cli.Command, width int) writer {
	h := writer{text.NewWriter(out, text.Style{Width: width})}
	h.Wrapped("", "  ", text.Plain("olmgraph "+c.Name+": "+c.Usage))
	h.Line("")
	h.Wrapped("", "  ", text.Plain("usage: olmgraph "+c.Name+" "+c.UsageText))
	h.Line("")
	return h
}

// parenthesis is what the usage of a flag says in parentheses.
var parenthesis = regexp.MustCompile(` \([^()]*\)`)

// shortFlag returns a flag with the first clause of its usage: in one line, if a comma ends one there.
func shortFlag(f cli.Flag) string {
	const least, most = 24, 54 // columns of a clause
	names, usage, _ := strings.Cut(f.String(), "\t")
	names, _, _ = strings.Cut(names, " [ ")
	usage, _, _ = strings.Cut(parenthesis.ReplaceAllString(usage, ""), "; ")
	if clause, _, more := strings.Cut(usage, ", "); more && len(usage) > most && len(clause) >= least && len(clause) <= most && !strings.Contains(clause, ": ") {
		usage = clause
	}
	return names + "\t" + usage
}

// flagNames returns the first names of flags.
func flagNames(all []cli.Flag) []string {
	return words.Map(all, func(f cli.Flag) string { return f.Names()[0] })
}

// flagsHelp returns the help of flags.
func flagsHelp(all []cli.Flag, width int) string {
	var out bytes.Buffer
	h := writer{text.NewWriter(&out, text.Style{Width: width})}
	for _, f := range all {
		h.flag(f.String())
	}
	h.Flush()
	return out.String()
}

// flags writes the flags of a command, and the names of those in common.
func (h writer) flags(c *cli.Command, common []string, describe func(cli.Flag) string) {
	h.Line("")
	h.Line("flags:")
	var others []string
	for _, f := range c.VisibleFlags() {
		if slices.Contains(common, f.Names()[0]) {
			others = append(others, "--"+f.Names()[0])
		} else {
			h.flag(describe(f))
		}
	}
	if len(others) > 0 {
		h.Wrapped("  ", "  ", text.Plain("and "+words.List(others, "and")+": see olmgraph help flags"))
	}
}

// wrapHelp returns the text of help at most width columns wide.
func wrapHelp(s string, width int) string {
	var out bytes.Buffer
	h := writer{text.NewWriter(&out, text.Style{Width: width})}
	h.description(s)
	h.Flush()
	return out.String()
}

// writer writes help. It wraps text where it has blanks, and shell commands so that they can be copied.
type writer struct{ *text.Writer }

// description writes paragraphs, which are wrapped anew, and indented lines, which are wrapped only if they are too long.
func (h writer) description(s string) {
	var paragraph []string
	end := func() {
		if len(paragraph) > 0 {
			h.Wrapped("", "", text.Plain(strings.Join(paragraph, " ")))
		}
		paragraph = nil
	}
	lines := strings.Split(strings.TrimRight(s, "\n"), "\n")
	for i := 0; i < len(lines); i++ {
		switch line := lines[i]; {
		case line == "":
			end()
			h.Line("")
		case !strings.HasPrefix(line, " "):
			if paragraph = append(paragraph, line); strings.HasSuffix(line, ":") {
				end()
			}
		default:
			end()
			comment := ""
			for ; i+1 < len(lines) && isContinued(lines[i+1]); i++ {
				comment += " " + strings.TrimSpace(lines[i+1])
			}
			h.example(line, comment)
		}
	}
	end()
}

// continued is the least indent of a line that continues the comment of the line above it.
const continued = 20

// isContinued reports whether a line continues the comment of the line above it.
func isContinued(line string) bool { return strings.HasPrefix(line, strings.Repeat(" ", continued)) }

// commentIndent indents the comment of an example that has no room next to it.
const commentIndent = "      "

// example writes an indented line: a command or a name, and a comment after at least two blanks or on the lines below.
func (h writer) example(line, below string) {
	command := strings.TrimLeft(line, " ")
	indent := line[:len(line)-len(command)]
	command, comment, _ := strings.Cut(command, "  ")
	comment = strings.TrimSpace(comment)
	before := strings.TrimSuffix(line, comment)
	const least = 24 // columns of a comment
	switch fits := len([]rune(line)) <= h.Style.Width; {
	case fits && below == "":
		h.Line(line)
	case comment != "" && len(before)+least <= h.Style.Width:
		h.Wrapped(before, strings.Repeat(" ", len(before)), text.Plain(comment+below))
	default:
		h.command(indent, command)
		if comment += below; comment != "" {
			h.Wrapped(commentIndent, commentIndent, text.Plain(comment))
		}
	}
}

// command writes a command, and continues it after a backslash where it is too long.
func (h writer) command(indent, command string) {
	line := indent
	var words []string // flags with their values, and > with its file
	for _, word := range strings.Fields(command) {
		last := len(words) - 1
		if last >= 0 && (words[last] == ">" || strings.HasPrefix(words[last], "-") && !strings.HasPrefix(word, "-") && !strings.Contains(words[last], " ")) {
			words[last] += " " + word
		} else {
			words = append(words, word)
		}
	}
	for i, word := range words {
		switch {
		case i == 0:
			line += word
		case len(line)+len(word)+len(" ")+len(` \`) > h.Style.Width:
			h.Line(line + ` \`)
			line = indent + "  " + word
		default:
			line += " " + word
		}
	}
	h.Line(line)
}

// flag writes the names of a flag and, in a second column, its usage.
func (h writer) flag(f string) {
	const column = 26
	names, usage, _ := strings.Cut(f, "\t")
	names, _, repeated := strings.Cut(names, " [ ")
	usage = strings.TrimSuffix(usage, " (default: false)")
	if repeated {
		usage += "; may be repeated"
	}
	before := "  " + strings.TrimSpace(names)
	if len(before)+2 > column {
		h.Line(before)
		before = ""
	}
	h.Wrapped(before+strings.Repeat(" ", column-len(before)), strings.Repeat(" ", column), text.Plain(usage))
}

// manName is the hidden command that prints the man page, which releases contain.
const manName = "__man"

func manCommand() command {
	return command{
		name:   manName,
		hidden: true,
		run:    runMan,
	}
}

func runMan(c *cli.Context, s *session, to outputs) error {
	_, err := s.stdout.Write(manPage(c.App, welcome, version(), commonFlags()))
	return err
}

// manWidth is how many columns wide the help is in a man page, which indents it.
const manWidth = 73

// manPage returns the man page of a program, in roff: what it does, the help of each of its commands, and the flags that they have in common.
func manPage(app *cli.App, about, version string, common []cli.Flag) []byte {
	var page strings.Builder
	page.WriteString("% " + app.Name + " 1 \"\" \"" + app.Name + " " + version + "\" \"User Commands\"\n\n")
	page.WriteString("# NAME\n\n" + app.Name + " - " + app.Usage + "\n\n")
	page.WriteString("# SYNOPSIS\n\n**" + app.Name + "** COMMAND \\[flags] ARGUMENT...\n\n")
	page.WriteString("# DESCRIPTION\n\n" + verbatim(wrapHelp(about, manWidth)))
	for _, c := range app.Commands {
		if !c.Hidden {
			page.WriteString("# " + strings.ToUpper(c.Name) + "\n\n" + verbatim(commandHelp(c, flagNames(common), manWidth)))
		}
	}
	page.WriteString("# FLAGS OF SEVERAL COMMANDS\n\n" + verbatim(flagsHelp(common, manWidth)))
	return md2man.Render([]byte(page.String()))
}

// verbatim is a text as a block of code in Markdown, which has no markup.
func verbatim(text string) string {
	var block strings.Builder
	for line := range strings.Lines(text) {
		block.WriteString("    " + line)
	}
	return block.String() + "\n"
}
