package kubelist

import (
	"bytes"

	"github.com/olmgraph/olmgraph/catalogs/stream"
)

// What OLM marks a copied ClusterServiceVersion with.
const (
	CopiedFrom   = "olm.copiedFrom"        // label
	OperatorHome = "olm.operatorNamespace" // annotation
	csvKind      = "ClusterServiceVersion"
)

// IsCopied reports whether OLM has copied a ClusterServiceVersion with this head from the namespace of its OperatorGroup (api: v1alpha1
// IsCopied).
func (h *Head) IsCopied() bool {
	from, in := h.Annotations[OperatorHome]
	_, labelled := h.Labels[CopiedFrom]
	return h.Reason == "Copied" || in && from != h.Namespace || labelled
}

// IsCopy reports whether an item is a ClusterServiceVersion that OLM has copied from another namespace. One of another form than that in
// which kubectl prints it is recognized when it has been read.
func IsCopy(item []byte) bool {
	if !bytes.Contains(item[:min(len(item), 1<<10)], []byte(csvKind)) && !bytes.Contains(item, []byte(csvKind)) {
		return false
	}
	var h Head
	if stream.LooksLikeObject(item) {
		h = HeadOf(item)
	} else if h.Kind, _ = ValueOf(item, "kind"); h.Kind == csvKind {
		h.readCopyFields(item)
	}
	return h.Kind == csvKind && h.IsCopied()
}

// readCopyFields reads the fields that say whether it is a copy. The last one is behind the specification, so that it is read only if no other
// says so.
func (h *Head) readCopyFields(item []byte) {
	if _, ok := ValueOf(item, "metadata", "labels", CopiedFrom); ok {
		h.Labels = map[string]string{CopiedFrom: ""}
		return
	}
	if from, ok := ValueOf(item, "metadata", "annotations", OperatorHome); ok {
		h.Annotations = map[string]string{OperatorHome: from}
		h.Namespace, _ = ValueOf(item, "metadata", "namespace")
	}
	h.Reason, _ = ValueOf(item, "status", "reason")
}
