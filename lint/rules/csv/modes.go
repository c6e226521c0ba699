package csv

// installModes are the install modes of an operator (OLM: OperatorGroup).
var installModes = []string{"OwnNamespace", "SingleNamespace", "MultiNamespace", "AllNamespaces"}
