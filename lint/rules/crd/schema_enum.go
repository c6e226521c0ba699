package crd

var schemaEnum = schemaRule("enum", "an upgrade removes values of an enumeration",
	"objects with one of these values are refused when they are next written", "enum")
