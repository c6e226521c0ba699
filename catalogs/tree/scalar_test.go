package tree

import "testing"

// The expected values are those of opm: YAML 1.1 as go.yaml.in/yaml/v2 reads it, numbers as encoding/json writes them
// after a float64.
func TestPlainScalars(t *testing.T) {
	tests := []struct {
		source string
		kind   Kind
		text   string
	}{
		{"", Null, ""}, {"~", Null, ""}, {"null", Null, ""}, {"Null", Null, ""}, {"NULL", Null, ""},
		{"nULL", String, "nULL"}, {"nil", String, "nil"}, {"none", String, "none"},

		{"true", Bool, "true"}, {"True", Bool, "true"}, {"TRUE", Bool, "true"}, {"tRUE", String, "tRUE"},
		{"y", Bool, "true"}, {"Y", Bool, "true"}, {"yes", Bool, "true"}, {"Yes", Bool, "true"}, {"YES", Bool, "true"},
		{"on", Bool, "true"}, {"On", Bool, "true"}, {"ON", Bool, "true"}, {"oN", String, "oN"},
		{"false", Bool, "false"}, {"False", Bool, "false"}, {"FALSE", Bool, "false"}, {"fALSE", String, "fALSE"},
		{"n", Bool, "false"}, {"N", Bool, "false"}, {"no", Bool, "false"}, {"No", Bool, "false"}, {"NO", Bool, "false"},
		{"off", Bool, "false"}, {"Off", Bool, "false"}, {"OFF", Bool, "false"}, {"offf", String, "offf"},

		{"0", Number, "0"}, {"-0", Number, "0"}, {"+7", Number, "7"}, {"12", Number, "12"}, {"1_000", Number, "1000"},
		{"0x1F", Number, "31"}, {"0X1f", Number, "31"}, {"-0x10", Number, "-16"}, {"0x", String, "0x"},
		{"0777", Number, "511"}, {"0o17", Number, "15"}, {"089", Number, "89"}, {"0b101", Number, "5"}, {"-0b11", Number, "-3"},
		{"0b-1", Number, "-1"}, {"0b2", String, "0b2"}, {"1__2_", Number, "12"}, {"_1", String, "_1"}, {"-", String, "-"},
		{"9007199254740993", Number, "9007199254740992"}, {"9223372036854775807", Number, "9223372036854776000"},
		{"18446744073709551615", Number, "18446744073709552000"}, {"123456789012345678901234", Number, "1.2345678901234569e+23"},

		{"4.10", Number, "4.1"}, {"4.", Number, "4"}, {".5", Number, "0.5"}, {"-.5", Number, "-0.5"}, {"+.5e1", Number, "5"},
		{"1e3", Number, "1000"}, {"1E-7", Number, "1e-7"}, {"1e21", Number, "1e+21"}, {"-0.0", Number, "-0"}, {"1_0.5", Number, "10.5"},
		{"1e999", String, "1e999"}, {"1e", String, "1e"}, {"1.2.3", String, "1.2.3"}, {".", String, "."}, {"..", String, ".."},
		{"._5", String, "._5"}, {"0x1p4", String, "0x1p4"}, {"1e+", String, "1e+"}, {"+", String, "+"},

		{"2001-12-14", String, "2001-12-14"}, {"2001-12-14T21:59:43.10-05:00", String, "2001-12-14T21:59:43.10-05:00"},
		{"190:20:30", String, "190:20:30"}, {"v1.2.3", String, "v1.2.3"}, {"<<", String, "<<"}, {"=", String, "="},
	}
	for _, test := range tests {
		n := Node{}
		if problem := n.set(resolve(test.source), test.source); problem != "" {
			t.Errorf("%q: %s", test.source, problem)
			continue
		}
		want := Node{Kind: test.kind, Text: test.text}
		if test.kind != String && test.source != test.text {
			want.Source = test.source
		}
		if n.Kind != want.Kind || n.Text != want.Text || n.Source != want.Source {
			t.Errorf("%q is %v %q from %q, want %v %q from %q", test.source, n.Kind, n.Text, n.Source, want.Kind, want.Text, want.Source)
		}
	}
}

func TestPlainScalarsThatJSONLacks(t *testing.T) {
	for _, source := range []string{".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF", "-.inf", "-.Inf", "-.INF", ".nan", ".NaN", ".NAN"} {
		if problem := new(Node).set(resolve(source), source); problem == "" {
			t.Errorf("%s should be rejected", source)
		}
	}
}

func TestTaggedScalars(t *testing.T) {
	tests := []struct {
		tag, source string
		kind        Kind
		text        string // or the problem, where kind is Raw
	}{
		{"!!str", "1", String, "1"}, {"!!str", "", String, ""}, {"!local", "1", String, "1"}, {"!!set", "x", String, "x"},
		{"!!int", "0x10", Number, "16"}, {"!!int", "1.5", Raw, "cannot read 1.5 as !!int"}, {"!!int", "x", Raw, "cannot read x as !!int"},
		{"!!int", "18446744073709551615", Number, "18446744073709552000"},
		{"!!float", "1", Number, "1"}, {"!!float", "1.50", Number, "1.5"}, {"!!float", "18446744073709551615", Raw, "cannot read 18446744073709551615 as !!float"},
		{"!!bool", "on", Bool, "true"}, {"!!bool", "1", Raw, "cannot read 1 as !!bool"},
		{"!!null", "~", Null, ""}, {"!!null", "x", Raw, "cannot read x as !!null"},
		{"!!timestamp", "2001-1-2", String, "2001-1-2"}, {"!!timestamp", "2001", Raw, "cannot read 2001 as !!timestamp"},
		{"!!timestamp", "yesterday", Raw, "cannot read yesterday as !!timestamp"},
		{"!!binary", "aGk=", String, "hi"}, {"!!binary", "/w==", String, "\uFFFD"}, {"!!binary", "?", Raw, "!!binary value contains invalid base64 data"},
	}
	for _, test := range tests {
		v, text, problem := resolveTagged(test.tag, test.source)
		n := Node{Kind: Raw, Text: problem}
		if problem == "" {
			n.set(v, text)
		}
		if n.Kind != test.kind || n.Text != test.text {
			t.Errorf("%s %q is %v %q, want %v %q", test.tag, test.source, n.Kind, n.Text, test.kind, test.text)
		}
	}
}

func TestKeys(t *testing.T) {
	tests := []struct{ source, key string }{
		{"name", "name"}, {"yes", "true"}, {"off", "false"}, {"0x10", "16"}, {"1_0", "10"}, {"4.10", "4.1"}, {"1e3", "1000"},
		{"0.1", "0.1"}, {"1e21", "1e+21"}, {"16777217.0", "1.6777216e+07"}, {"1e300", ".inf"}, {"-1e300", "-.inf"},
		{".inf", ".inf"}, {"-.inf", "-.inf"}, {".nan", ".nan"}, {"2001-01-01", "2001-01-01"},
	}
	for _, test := range tests {
		if key, ok := keyText(resolve(test.source), test.source); !ok || key != test.key {
			t.Errorf("%s is the key %q, want %q", test.source, key, test.key)
		}
	}
	for _, source := range []string{"", "~", "null", "18446744073709551615"} {
		if key, ok := keyText(resolve(source), source); ok {
			t.Errorf("%q must not be a key, but is %q", source, key)
		}
	}
}
