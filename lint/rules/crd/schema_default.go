package crd

var schemaDefault = schemaRule("default", "an upgrade changes the default of a field",
	"objects without the field get another meaning", "default")
