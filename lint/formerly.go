package lint

import (
	"fmt"
	"slices"
	"strings"
)

// RenamedTo returns the IDs of the rules that report what a rule of an earlier version reported.
func RenamedTo(rules []Rule, old string) []string {
	var ids []string
	for i := range rules {
		if slices.Contains(rules[i].Formerly, old) {
			ids = append(ids, rules[i].ID)
		}
	}
	return ids
}

// unknownRule returns the name that no rule has in quotes, and what the rule is called now if it was renamed.
func unknownRule(rules []Rule, name string) string {
	if now := RenamedTo(rules, name); len(now) > 0 {
		return fmt.Sprintf("%q is now %s", name, strings.Join(now, " and "))
	}
	return fmt.Sprintf("%q", name)
}
