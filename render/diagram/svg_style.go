package diagram

import (
	"fmt"
	"strings"
)

// SVGStyle returns the style sheet of every SVG. It maps the colours in attributes to CSS variables, which follow the colour scheme and which a page can set.
func SVGStyle() string {
	var light, dark, rules strings.Builder
	for _, c := range themeColors() {
		fmt.Fprintf(&light, "--%s:%s;", c.name, c.light)
		fmt.Fprintf(&dark, "--%s:%s;", c.name, c.dark)
		fmt.Fprintf(&rules, ".olmgraph [fill=%q]{fill:var(--%s)}.olmgraph [stroke=%q]{stroke:var(--%s)}\n", c.light, c.name, c.light, c.name)
	}
	return fmt.Sprintf("\n.olmgraph{%sfont-family:Helvetica,Arial,'Liberation Sans',sans-serif}\n"+
		"@media(prefers-color-scheme:dark){.olmgraph{%s}}\n%s",
		light.String(), dark.String(), rules.String())
}
