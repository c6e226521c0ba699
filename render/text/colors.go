package text

// Role is what a word is for, which decides its style. Styles only repeat what the words say.
type Role int

const (
	Normal Role = iota
	Heading
	Place
	Faint
	Fix
	Info
	Warning
	Error
	Name    // of something in a catalog: code in Markdown
	Command // what to type: in one line, and code in Markdown
)

// styles are the styles of roles as parameters of an escape sequence (ECMA-48: SGR), in the sixteen colours of every terminal.
var styles = [...]string{Heading: "1", Place: "1", Faint: "2", Fix: "32", Info: "36", Warning: "33", Error: "1;31", Command: ""}
