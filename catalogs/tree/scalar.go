package tree

import (
	"encoding/base64"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"time"
)

// meaning is the type of a plain scalar by the rules of opm's YAML library (go.yaml.in/yaml/v2: resolve): those of YAML 1.1, with octal
// numbers in both spellings and without numbers to the base of 60.
type meaning uint8

const (
	meansString meaning = iota
	meansNull
	meansBool
	meansInt
	meansUint // above the largest int
	meansFloat
)

func (m meaning) String() string {
	return [...]string{"!!str", "!!null", "!!bool", "!!int", "!!int", "!!float"}[m]
}

// scalar is the value of a plain scalar, in the field that meaning determines; that of a string is not in it.
type scalar struct {
	meaning
	yes   bool
	int   int64
	uint  uint64
	float float64
}

// resolve returns the value of a plain scalar. A timestamp is a string, as in opm.
func resolve(text string) scalar {
	if !mayBeNonString(text) {
		return scalar{}
	}
	switch text {
	case "", "~", "null", "Null", "NULL":
		return scalar{meaning: meansNull}
	case "y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON":
		return scalar{meaning: meansBool, yes: true}
	case "n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF":
		return scalar{meaning: meansBool}
	case ".nan", ".NaN", ".NAN":
		return scalar{meaning: meansFloat, float: math.NaN()}
	case ".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF":
		return scalar{meaning: meansFloat, float: math.Inf(1)}
	case "-.inf", "-.Inf", "-.INF":
		return scalar{meaning: meansFloat, float: math.Inf(-1)}
	}
	if c := text[0]; c == '.' {
		return decimal(text)
	} else if c == '+' || c == '-' || isDigit(c) {
		return number(strings.ReplaceAll(text, "_", ""))
	}
	return scalar{}
}

// mayBeNonString returns false for nearly every scalar that is a string, at little cost.
func mayBeNonString[T string | []byte](text T) bool {
	if len(text) == 0 {
		return true
	}
	switch text[0] {
	case '+', '-', '.', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return true
	case '~', 'y', 'Y', 'n', 'N', 't', 'T', 'f', 'F', 'o', 'O':
		return len(text) <= len("false") && (len(text) < 4 || text[len(text)-1]|0x20 == 'e' || text[len(text)-1]|0x20 == 'l')
	}
	return false
}

func number(text string) scalar {
	if !strings.ContainsRune(text, '.') {
		if i, err := strconv.ParseInt(text, 0, 64); err == nil {
			return scalar{meaning: meansInt, int: i}
		}
		if u, err := strconv.ParseUint(text, 0, 64); err == nil {
			return scalar{meaning: meansUint, uint: u}
		}
	}
	if v := decimal(text); v.meaning != meansString {
		return v
	}
	// The library accepts a sign after 0b.
	if bits, ok := strings.CutPrefix(text, "0b"); ok {
		if i, err := strconv.ParseInt(bits, 2, 64); err == nil {
			return scalar{meaning: meansInt, int: i}
		}
	}
	return scalar{}
}

// decimal parses a floating point number. One out of the range of float64 is a string.
func decimal(text string) scalar {
	if !isDecimal(text) {
		return scalar{}
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return scalar{}
	}
	return scalar{meaning: meansFloat, float: f}
}

// isDecimal matches [-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?
func isDecimal(text string) bool {
	text = trimSign(text)
	rest := strings.TrimLeft(text, "0123456789")
	digits := len(text) - len(rest)
	if fraction, ok := strings.CutPrefix(rest, "."); ok {
		rest = strings.TrimLeft(fraction, "0123456789")
		digits += len(fraction) - len(rest)
	}
	if digits == 0 {
		return false
	}
	if rest == "" {
		return true
	}
	if rest[0]|0x20 != 'e' {
		return false
	}
	exponent := trimSign(rest[1:])
	return exponent != "" && strings.Trim(exponent, "0123456789") == ""
}

func trimSign(text string) string {
	if text != "" && (text[0] == '+' || text[0] == '-') {
		return text[1:]
	}
	return text
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// set sets the node to the value of a scalar that is written as source. It returns why JSON has no such value.
func (n *Node) set(v scalar, source string) (problem string) {
	switch v.meaning {
	case meansString:
		n.Kind, n.Text = String, source
		return ""
	case meansNull:
		n.Kind = Null
	case meansBool:
		n.Kind, n.Text = Bool, strconv.FormatBool(v.yes)
	case meansInt:
		n.Kind, n.Text = Number, intText(v.int)
	case meansUint:
		n.Kind, n.Text = Number, floatText(float64(v.uint))
	case meansFloat:
		if math.IsInf(v.float, 0) || math.IsNaN(v.float) {
			return source + " is no number that JSON knows"
		}
		n.Kind, n.Text = Number, floatText(v.float)
	}
	if n.Text != source {
		n.Source = source
	}
	return ""
}

func intText(i int64) string {
	const exact = 1 << 53
	if -exact <= i && i <= exact {
		return strconv.FormatInt(i, 10)
	}
	return floatText(float64(i))
}

// floatText returns the number as opm writes it: it converts every number to float64, and writes that with encoding/json.
func floatText(f float64) string {
	text, _ := json.Marshal(f) // fails for infinities and NaN only
	return string(text)
}

// keyText returns the name of a scalar as a key of a map (sigs.k8s.io/yaml: convertToJSONableObject), or false if it cannot be a key.
func keyText(v scalar, source string) (string, bool) {
	switch v.meaning {
	case meansString:
		return source, true
	case meansBool:
		return strconv.FormatBool(v.yes), true
	case meansInt:
		return strconv.FormatInt(v.int, 10), true
	case meansFloat:
		switch text := strconv.FormatFloat(v.float, 'g', -1, 32); text {
		case "+Inf":
			return ".inf", true
		case "-Inf":
			return "-.inf", true
		case "NaN":
			return ".nan", true
		default:
			return text, true
		}
	}
	return "", false
}

// resolveTagged returns the value of a scalar with an explicit tag in its short form, as "!!int", and its text, which !!binary changes.
// With a tag that is not one of YAML's it is a string.
func resolveTagged(tag, text string) (v scalar, value, problem string) {
	switch tag {
	case "!!bool", "!!int", "!!float", "!!null":
		v = resolve(text)
		if tag == "!!float" && v.meaning == meansInt {
			v = scalar{meaning: meansFloat, float: float64(v.int)}
		}
		if v.meaning.String() != tag {
			return v, text, "cannot read " + text + " as " + tag
		}
	case "!!timestamp":
		if resolve(text).meaning != meansString || !isTimestamp(text) {
			return v, text, "cannot read " + text + " as !!timestamp"
		}
	case "!!binary":
		data, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return v, text, "!!binary value contains invalid base64 data"
		}
		text = string([]rune(string(data))) // what is not UTF-8 becomes U+FFFD, byte by byte, as in encoding/json
	}
	return v, text, ""
}

// isTimestamp reports whether opm's YAML library reads a text as a timestamp.
func isTimestamp(text string) bool {
	if len(strings.TrimLeft(text, "0123456789"))+len("2006") != len(text) {
		return false
	}
	for _, form := range [...]string{
		"2006-1-2T15:4:5.999999999Z07:00",
		"2006-1-2t15:4:5.999999999Z07:00",
		"2006-1-2 15:4:5.999999999",
		"2006-1-2",
	} {
		if _, err := time.Parse(form, text); err == nil {
			return true
		}
	}
	return false
}
