package help

import (
	"strings"

	"github.com/cpuguy83/go-md2man/v2/md2man"
	"github.com/urfave/cli/v2"
)

// manWidth is how many columns wide the help is in a man page, which indents it.
const manWidth = 73

// Man returns the man page of a program, in roff: what it does, the help of each of its commands, and the flags that they have in common.
func Man(app *cli.App, about, version string, common []cli.Flag) []byte {
	var page strings.Builder
	page.WriteString("% " + app.Name + " 1 \"\" \"" + app.Name + " " + version + "\" \"User Commands\"\n\n")
	page.WriteString("# NAME\n\n" + app.Name + " - " + app.Usage + "\n\n")
	page.WriteString("# SYNOPSIS\n\n**" + app.Name + "** COMMAND \\[flags] ARGUMENT...\n\n")
	page.WriteString("# DESCRIPTION\n\n" + verbatim(Text(about, manWidth)))
	for _, c := range app.Commands {
		if !c.Hidden {
			page.WriteString("# " + strings.ToUpper(c.Name) + "\n\n" + verbatim(Command(c, Names(common), manWidth)))
		}
	}
	page.WriteString("# FLAGS OF SEVERAL COMMANDS\n\n" + verbatim(Flags(common, manWidth)))
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
