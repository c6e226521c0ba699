package crd

var schemaType = schemaRule("type", "an upgrade changes the type of a field",
	"objects that were valid are refused when they are next written", "type")
