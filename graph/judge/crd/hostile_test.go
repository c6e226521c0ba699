package crd

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
)

// TestHostile has definitions that are expensive to check: each is checked or rejected in seconds, without a panic.
func TestHostile(t *testing.T) {
	if testing.Short() {
		t.Skip("megabytes of schemas")
	}
	for name, text := range hostile() {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start := time.Now()
			said := compareAll([]byte(text), []byte(strings.Replace(text, `"maxLength":7`, `"maxLength":6`, -1)))
			runtime.ReadMemStats(&after)
			t.Logf("%.1f MB in %v, %d MB allocated: %s", float64(len(text))/1e6, time.Since(start), (after.TotalAlloc-before.TotalAlloc)>>20, said)
		})
	}
}

// compareAll calls all methods of two definitions and summarizes the results.
func compareAll(old, new []byte) string {
	a, err := Parse(old)
	if err != nil {
		return err.Error()
	}
	b, err := Parse(new)
	if err != nil {
		return err.Error()
	}
	faults, faultsErr := b.Faults()
	refusals, refusalsErr := UpdateFaults(a.Outline, b.Outline, []string{"v1"})
	changes, changesErr := Changes(a, b)
	_, _ = b.asStored(b.StorageVersion(), []byte(`{"spec":{"x":1,"a":{"a":{}}}}`))
	invalid, invalidErr := b.Invalid(b.StorageVersion(), []byte(`{"spec":{"x":1,"a":{"a":{}}}}`))
	return fmt.Sprintf("%d faults %v, %d refusals %v, %d changes (%d topmost) %v, %d invalid %v", len(faults), faultsErr,
		len(refusals), refusalsErr, len(changes), len(Topmost(changes)), changesErr, len(invalid), invalidErr)
}

func hostile() map[string]string {
	nest := func(open, inner, end string, depth int) string {
		return strings.Repeat(open, depth) + inner + strings.Repeat(end, depth)
	}
	many := func(n int, format string) string {
		var all []string
		for i := range n {
			all = append(all, fmt.Sprintf(format, i))
		}
		return strings.Join(all, ",")
	}
	leaf := `"type":"string","maxLength":7`
	object := func(properties string) string { return `"type":"object","properties":{` + properties + `}` }
	return map[string]string{
		"deep properties":       widget(version("v1*", nest(`"a":{"type":"object","properties":{`, `"x":{`+leaf+`}`, `}}`, 50))),
		"deep and wide":         widget(version("v1*", nest(`"a":{"type":"object","properties":{`, many(11000, `"f%d":{`+leaf+`}`), `}}`, 48))),
		"deep items, wide":      widget(version("v1*", `"a":{`+nest(`"type":"array","items":{`, object(many(11000, `"f%d":{`+leaf+`}`)), `}`, 95)+`}`)),
		"additional at the end": widget(version("v1*", `"a":{`+nest(`"type":"object","additionalProperties":{`, object(many(5000, `"f%d":{`+leaf+`}`)), `}`, 98)+`}`)),
		"deeper":                widget(version("v1*", nest(`"a":{"type":"object","properties":{`, `"x":{`+leaf+`}`, `}}`, 5000))),
		"deep items":            widget(version("v1*", `"a":{`+nest(`"type":"array","items":{`, leaf, `}`, 90)+`}`)),
		"deep additional":       widget(version("v1*", `"a":{`+nest(`"type":"object","additionalProperties":{`, object(many(3000, `"f%d":{`+leaf+`}`)), `}`, 90)+`}`)),
		"deep additional, wide": widget(version("v1*", `"a":{`+nest(`"type":"object","additionalProperties":{`, object(many(10000, `"f%d":{`+leaf+`}`)), `}`, 30)+`}`)),
		"deep allOf":            widget(version("v1*", `"a":{`+nest(`"allOf":[{`, object(many(3000, `"f%d":{`+leaf+`}`)), `}]`, 49)+`}`)),
		"allOf by properties":   widget(version("v1*", nest(`"a":{"allOf":[{"properties":{`, many(3000, `"f%d":{`+leaf+`}`), `}}]}`, 24))),
		"wide":                  widget(version("v1*", many(30000, `"f%d":{`+leaf+`}`))),
		"wider":                 widget(version("v1*", many(60000, `"f%d":{`+leaf+`}`))),
		"wide anyOf":            widget(version("v1*", `"a":{"anyOf":[`+many(30000, `{"maxLength":7,"minLength":%d}`)+`]}`)),
		"long enum":             widget(version("v1*", `"a":{`+leaf+`,"enum":[`+many(90000, `"%d"`)+`]}`)),
		"long required":         widget(version("v1*", `"a":{"maxLength":7,"type":"object","required":[`+many(90000, `"%d"`)+`]}`)),
		"long names":            widget(version("v1*", nest(`"`+strings.Repeat("a", 20000)+`":{"properties":{`, many(5000, `"f%d":{}`), `}}`, 50))),
		"long description":      widget(version("v1*", `"x":{`+leaf+`,"description":"`+strings.Repeat("x", 2900000)+`"}`)),
		"long pattern":          widget(version("v1*", `"x":{`+leaf+`,"pattern":"`+strings.Repeat("(a|b){0,999}", 9000)+`"}`)),
		"many rules":            widget(version("v1*", `"x":{`+leaf+`,"x-kubernetes-validations":[`+many(1000, `{"rule":"self.size() > %d && self.startsWith('a') && self.matches('^a+b*$')"}`)+`]}`)),
		"too many rules":        widget(version("v1*", `"x":{`+leaf+`,"x-kubernetes-validations":[`+many(20000, `{"rule":"self.size() > %d"}`)+`]}`)),
		"long rule":             widget(version("v1*", `"x":{`+leaf+`,"x-kubernetes-validations":[{"rule":"`+strings.Repeat("self == 'a' || ", 15000)+`true"}]}`)),
		"broken rule":           widget(version("v1*", `"x":{`+leaf+`,"x-kubernetes-validations":[{"rule":"`+strings.Repeat("((self + ", 20000)+`"}]}`)),
		"deep rule":             widget(version("v1*", `"x":{"type":"array","maxItems":9,"items":{`+leaf+`},"x-kubernetes-validations":[{"rule":"`+nest("self.all(x, ", "true", ")", 12)+`"}]}`)),
		"many versions":         widget(version("v1*", ""), many(10000, `{"name":"v1alpha%d","served":true,"schema":{"openAPIV3Schema":{"type":"object"}}}`)),
		"many served":           widget(version("v1*", ""), many(60, `{"name":"v1alpha%d","served":true,"schema":{"openAPIV3Schema":{"type":"object"}}}`)),
		"served and different": widget(version("v1*", ""), many(19, `{"name":"v1alpha%d","served":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{"a%[1]d":{"additionalProperties":{`+
			object(many(400, `"f%d":{`+leaf+`}`))+`}}}}}}`)),
		"no versions":            widget(),
		"empty version":          widget("{}"),
		"same versions":          widget(version("v1*", `"x":{`+leaf+`}`), version("v1", `"y":{`+leaf+`}`)),
		"not an object":          widget(`{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"array","maxLength":7,"items":{"type":"string"}}}}`),
		"schema of nulls":        widget(`{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"maxLength":7,"properties":{"a":null},"items":null,"default":null,"enum":[null],"allOf":[null],"x-kubernetes-validations":[null]}}}`),
		"null":                   `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","spec":null,"metadata":null}`,
		"bare":                   `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition"}`,
		"bare v1beta1":           `{"apiVersion":"apiextensions.k8s.io/v1beta1","kind":"CustomResourceDefinition"}`,
		"v1beta1 in both places": strings.Replace(beta(`"x":{`+leaf+`}`), `"version":"v1"`, `"versions":[`+version("v1*", `"x":{`+leaf+`}`)+`]`, 1),
		"self-nesting refs":      widget(version("v1*", `"x":{"maxLength":7,"$ref":"#/definitions/x","definitions":{"x":{"$ref":"#/definitions/x"}}}`)),
		"all that is forbidden":  widget(version("v1*", `"x":{"maxLength":7,"not":{"type":"string"},"patternProperties":{"a":{"maxLength":7}},"dependencies":{"a":["b"],"b":{"maxLength":7}},"additionalItems":{"maxLength":7},"items":[{"maxLength":7},{}]}`)),
		"six megabytes":          widget(version("v1*", many(2000, `"f%d":{`+leaf+`,"description":"`+strings.Repeat("x", 3000)+`"}`))),
	}
}

func TestLongPattern(t *testing.T) {
	catalogtest.CheckGrowth(t, 1, 10_000, func(n int) {
		if addsAlternative("("+strings.Repeat("ab", n)+")x", "("+strings.Repeat("ab", n+1)+")x") {
			t.Error("it adds none")
		}
	})
}
