package crd

var schemaLimit = schemaRule("limit", "an upgrade tightens a limit",
	"objects beyond the limit are refused when they are next written",
	"maximum", "maxItems", "maxLength", "maxProperties", "minimum", "minItems", "minLength", "minProperties")
