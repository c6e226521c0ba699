package snapshot

import (
	"bytes"

	"github.com/olmgraph/olmgraph/catalogs/csv"
	"github.com/olmgraph/olmgraph/catalogs/stream"
)

// What OLM marks a copied ClusterServiceVersion with.
const (
	copiedFrom   = "olm.copiedFrom"        // label
	operatorHome = "olm.operatorNamespace" // annotation
)

// isCopied reports whether OLM has copied a ClusterServiceVersion with this head from the namespace of its OperatorGroup (api: v1alpha1
// isCopied).
func (h *head) isCopied() bool {
	from, in := h.Annotations[operatorHome]
	_, labelled := h.Labels[copiedFrom]
	return h.Reason == "Copied" || in && from != h.Namespace || labelled
}

// isCopy reports whether an item is a ClusterServiceVersion that OLM has copied from another namespace. One of another form than that in
// which kubectl prints it is recognized when it has been read.
func isCopy(item []byte) bool {
	if !bytes.Contains(item, []byte(csv.Kind)) {
		return false
	}
	var h head
	if stream.LooksLikeObject(item) {
		h = headOfText(item)
	} else if h.Kind, _ = yamlValue(item, "kind"); h.Kind == csv.Kind {
		h.readCopyFields(item)
	}
	return h.Kind == csv.Kind && h.isCopied()
}

// readCopyFields reads the fields that say whether it is a copy. The last one is behind the specification, so that it is read only if no other
// says so.
func (h *head) readCopyFields(item []byte) {
	if _, ok := yamlValue(item, "metadata", "labels", copiedFrom); ok {
		h.Labels = map[string]string{copiedFrom: ""}
		return
	}
	if from, ok := yamlValue(item, "metadata", "annotations", operatorHome); ok {
		h.Annotations = map[string]string{operatorHome: from}
		h.Namespace, _ = yamlValue(item, "metadata", "namespace")
	}
	h.Reason, _ = yamlValue(item, "status", "reason")
}
