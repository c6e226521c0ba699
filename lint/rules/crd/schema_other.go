package crd

var schemaOther = schemaRule("other", "an upgrade changes a schema in a way that OLM v1 rejects",
	"objects that the new schema does not accept are refused when they are next written", "unhandled", "pattern", "nullable", "scope")
