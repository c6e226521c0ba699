// Package snapshot reads what kubectl prints of a cluster: YAML or JSON of any size, with the objects one after the other or in Lists.
//
// A List is not read as a whole. It is split into the texts of its items, so that an item that does not count costs no more than the
// search for its end, however many there are.
package snapshot

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/bundled"
	"github.com/olmgraph/olmgraph/catalogs/csv"
	"github.com/olmgraph/olmgraph/catalogs/find"
	"github.com/olmgraph/olmgraph/catalogs/tree"
	"github.com/olmgraph/olmgraph/catalogs/words"
)

// Snapshot has the objects of a cluster that decide how its operators are upgraded. Each counts once, even if it is given several times;
// copied ClusterServiceVersions are left out.
type Snapshot struct {
	Subscriptions          ByNamespace[Subscription]
	ClusterServiceVersions ByNamespace[ClusterServiceVersion]
	OperatorGroups         ByNamespace[OperatorGroup]
	OperatorConditions     ByNamespace[OperatorCondition]
	InstallPlans           ByNamespace[InstallPlan]
	CatalogSources         []CatalogSource
	// CRDs are the CustomResourceDefinitions, in the order of the text. They are parsed when their JSON is asked for.
	CRDs              []*bundled.Object
	ClusterExtensions []ClusterExtension
	ClusterCatalogs   []ClusterCatalog
	// ClusterOperators are the parts of OpenShift. One that is not upgradeable prevents the next minor version.
	ClusterOperators []ClusterOperator
	// OpenShift is the version of the cluster, "" if it is not known: the newest one in the ClusterVersion that was completed.
	OpenShift string
	// Kubelets are the versions of the nodes, oldest first, each once.
	Kubelets []string
	// Foreign counts the objects whose kind is one of OLM's but whose API group is another project's, by kind and group: "Subscription.g".
	Foreign map[string]int
	// Description is given instead of objects; else nil.
	Description *Description

	// CustomResources are the objects of kinds that are of neither Kubernetes nor OLM.
	CustomResources []*bundled.Object

	// Notes say what was read that may mean something else.
	Notes []string

	read        int               // objects of known kinds
	some        bool              // an object was read
	ofOpenShift bool              // an object says that the cluster is OpenShift
	file        string            // that is read
	given       map[string]*given // objects that were read, by kind, group, namespace and name
	found       map[string]int    // by kind
	versions    map[string]bool   // unknown ones, with their kinds
}

// ByNamespace are objects by their namespace, in the order of the text.
type ByNamespace[T any] map[string][]T

// namespaces returns the namespaces, sorted.
func (all ByNamespace[T]) namespaces() []string { return slices.Sorted(maps.Keys(all)) }

// Each yields all objects, in the order of the namespaces.
func (all ByNamespace[T]) Each() iter.Seq[*T] {
	return func(yield func(*T) bool) {
		for _, namespace := range all.namespaces() {
			for i := range all[namespace] {
				if !yield(&all[namespace][i]) {
					return
				}
			}
		}
	}
}

// given is an object that was read.
type given struct {
	text [sha256.Size]byte // the hash of its JSON
	at   string
	kept *bundled.Object // if it is not parsed yet
}

// IsMissing reports whether no object of a kind was found in any namespace: then it may have been left out.
func (s *Snapshot) IsMissing(kind string) bool { return s.found[kind] == 0 }

// Namespaces returns the names of the namespaces with Subscriptions or ClusterServiceVersions, sorted.
func (s *Snapshot) Namespaces() []string {
	names := append(s.Subscriptions.namespaces(), s.ClusterServiceVersions.namespaces()...)
	slices.Sort(names)
	return slices.Compact(names)
}

// CatalogSource returns a CatalogSource, nil if there is none of that name.
func (s *Snapshot) CatalogSource(namespace, name string) *CatalogSource {
	return find.Pointer(s.CatalogSources, func(o CatalogSource) bool { return o.Metadata.Name == name && o.Metadata.Namespace == namespace })
}

// ClusterCatalogFor returns the available ClusterCatalog of the image of a CatalogSource, which may be nil; nil if there is none.
func (s *Snapshot) ClusterCatalogFor(source *CatalogSource) *ClusterCatalog {
	return find.Pointer(s.ClusterCatalogs, func(c ClusterCatalog) bool {
		return source != nil && source.Spec.Image != "" && c.Spec.Source.Image.Ref == source.Spec.Image && c.Spec.AvailabilityMode != "Unavailable"
	})
}

// kinds are the kinds that are read, with the API group and versions.
func kinds() map[string][]string {
	const v0, v1 = "operators.coreos.com", "olm.operatorframework.io"
	return map[string][]string{
		"Subscription": {v0, "v1alpha1"}, csv.Kind: {v0, "v1alpha1"}, "InstallPlan": {v0, "v1alpha1"}, "CatalogSource": {v0, "v1alpha1"},
		"OperatorGroup": {v0, "v1", "v1alpha2"}, "OperatorCondition": {v0, "v1", "v2"},
		"ClusterExtension": {v1, "v1", "v1alpha1"}, "ClusterCatalog": {v1, "v1", "v1alpha1"},
		"ClusterVersion": {"config.openshift.io", "v1"}, "ClusterOperator": {"config.openshift.io", "v1"}, "Node": {"", "v1"}, "Namespace": {"", "v1"},
		"CustomResourceDefinition": {"apiextensions.k8s.io", "v1", "v1beta1"},
	}
}

// Read adds the objects of a text. name is that of its file, for errors: they begin with it, and the line where that is known.
func (s *Snapshot) Read(name string, from io.Reader) error {
	if s.found == nil {
		s.Subscriptions, s.ClusterServiceVersions = ByNamespace[Subscription]{}, ByNamespace[ClusterServiceVersion]{}
		s.OperatorGroups, s.OperatorConditions = ByNamespace[OperatorGroup]{}, ByNamespace[OperatorCondition]{}
		s.InstallPlans, s.given, s.versions = ByNamespace[InstallPlan]{}, map[string]*given{}, map[string]bool{}
		s.found, s.Foreign = map[string]int{}, map[string]int{}
	}
	known := kinds()
	s.file = name
	r := reader{ignore: s.isCopy}
	for o, err := range r.objects(from) {
		if err == nil {
			err = s.add(o, known)
		}
		if err != nil {
			return addPosition(name, err)
		}
		s.some = true
	}
	return nil
}

// isCopy is isCopy. Copies count as found: their kind was not left out.
func (s *Snapshot) isCopy(item []byte) bool {
	copied := isCopy(item)
	if copied {
		s.found[csv.Kind]++
	}
	return copied
}

// openShiftPrefix is what the names of OpenShift's own namespaces begin with.
const openShiftPrefix = "openshift-"

// maxObjects is the largest number of objects of known kinds, without copies: five for each namespace that Kubernetes is tested with.
const maxObjects = 50_000

// add adds an object if it is of a kind that counts.
func (s *Snapshot) add(o *object, known map[string][]string) error {
	if strings.HasPrefix(o.Namespace, openShiftPrefix) || o.Kind == "ClusterVersion" && strings.HasPrefix(o.APIVersion, "config.openshift.io/") {
		s.ofOpenShift = true
	}
	want := known[o.Kind]
	group, version := o.group()
	switch {
	case !o.IsMap:
		return o.At(nil, "an object is wanted")
	case o.Kind == "":
		return s.describe(o)
	case want == nil || group != want[0]:
		if want != nil {
			s.Foreign[o.Kind+"."+group]++
		}
		if strings.Contains(group, ".") && !slices.Contains(ofKubernetes, group) {
			return s.keep(o, &s.CustomResources)
		}
		return nil
	case !IsName(o.Name) || o.Namespace != "" && !IsName(o.Namespace): // they are part of commands
		return o.At([]string{"metadata"}, fmt.Sprintf("%s: no Kubernetes object has that name", o.title()))
	case !slices.Contains(want[1:], version) && !s.versions[o.Kind+o.APIVersion]:
		s.versions[o.Kind+o.APIVersion] = true
		s.Notes = append(s.Notes, fmt.Sprintf("line %d: %s has apiVersion %q, of which nothing is known: its fields are read as those of %s",
			o.Line, o.title(), o.APIVersion, strings.Join(want[1:], " or ")))
	}
	s.found[o.Kind]++
	if s.read++; s.read > maxObjects {
		return o.At(nil, fmt.Sprintf("object %d of the kinds that decide upgrades, but olmgraph takes at most %d", s.read, maxObjects))
	}
	return s.decode(o)
}

// ofKubernetes are the groups of Kubernetes with many objects, which no CRD defines.
var ofKubernetes = []string{"rbac.authorization.k8s.io", "apiextensions.k8s.io", "apiregistration.k8s.io", "admissionregistration.k8s.io", "coordination.k8s.io",
	"discovery.k8s.io", "events.k8s.io", "networking.k8s.io", "scheduling.k8s.io", "storage.k8s.io", "flowcontrol.apiserver.k8s.io"}

// group returns the API group of an object, and its version.
func (o *object) group() (group, version string) {
	at := strings.LastIndexByte(o.APIVersion, '/')
	return o.APIVersion[:max(at, 0)], o.APIVersion[at+1:]
}

// title returns kind, name and namespace.
func (o *object) title() string {
	if o.Namespace == "" {
		return fmt.Sprintf("%s %q", o.Kind, o.Name)
	}
	return fmt.Sprintf("%s %q in namespace %q", o.Kind, o.Name, o.Namespace)
}

// IsName reports whether an object of Kubernetes can have a name.
func IsName(name string) bool { return words.NameFault(name) == "" }

// describe takes a document without a kind as a description, which must be the only document.
func (s *Snapshot) describe(o *object) error {
	if s.some || s.Description != nil {
		return o.At(nil, "an object without a kind: want objects of a cluster, or one description of a namespace")
	}
	if err := o.checkRepeated(); err != nil {
		return err
	}
	text, err := o.asJSON(nil)
	if err != nil {
		return err
	}
	s.Description = &Description{}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(s.Description); err != nil {
		return o.At(nil, fmt.Sprintf("neither Kubernetes objects nor a description of a namespace: %v", err))
	}
	return nil
}

// decode decodes an object of a known kind.
func (s *Snapshot) decode(o *object) error {
	switch o.Kind {
	case "Subscription":
		return decodeInto(s, o, s.Subscriptions)
	case csv.Kind:
		one, isNew, err := decodeNew[ClusterServiceVersion](s, o, unusedOfCSV)
		if err != nil || !isNew || o.isCopied() {
			return err
		}
		one.Object = bundled.NewLazyObject(o.APIVersion, o.Kind, o.Name, o.Namespace, o.keep())
		s.ClusterServiceVersions[o.Namespace] = append(s.ClusterServiceVersions[o.Namespace], one)
		return nil
	case "OperatorGroup":
		return decodeInto(s, o, s.OperatorGroups)
	case "OperatorCondition":
		return decodeInto(s, o, s.OperatorConditions)
	case "InstallPlan":
		return decodeInto(s, o, s.InstallPlans)
	case "CatalogSource":
		return decodeOne(s, o, &s.CatalogSources)
	case "CustomResourceDefinition":
		return s.keep(o, &s.CRDs)
	case "ClusterVersion":
		return s.addClusterVersion(o)
	case "Node":
		return s.addNode(o)
	case "Namespace":
		return s.addNamespace(o)
	case "ClusterOperator":
		return decodeOne(s, o, &s.ClusterOperators)
	case "ClusterExtension":
		return decodeOne(s, o, &s.ClusterExtensions)
	}
	return decodeOne(s, o, &s.ClusterCatalogs)
}

// decodeInto decodes an object and adds it to those of its namespace. Of the steps of an InstallPlan that is complete only the names count.
func decodeInto[T any](s *Snapshot, o *object, all ByNamespace[T]) error {
	var without tree.Skip
	if o.Kind == "InstallPlan" && o.Phase == "Complete" {
		without = tree.SkipPath("status plan [] resource manifest")
	}
	one, isNew, err := decodeNew[T](s, o, without)
	if isNew {
		all[o.Namespace] = append(all[o.Namespace], one)
	}
	return err
}

func decodeOne[T any](s *Snapshot, o *object, all *[]T) error {
	one, isNew, err := decodeNew[T](s, o, nil)
	if isNew {
		*all = append(*all, one)
	}
	return err
}

// decodeNew decodes an object, unless it was read before. It is an error if it was another one then.
func decodeNew[T any](s *Snapshot, o *object, without tree.Skip) (one T, isNew bool, err error) {
	text, err := o.asJSON(func(path []string) bool {
		return len(path) == 2 && path[0] == "metadata" && (path[1] == "managedFields" || path[1] == "resourceVersion") || without != nil && without(path)
	})
	if err == nil {
		isNew, err = s.isNew(o, text)
	}
	if !isNew || err != nil {
		return one, false, err
	}
	if err := json.Unmarshal(text, &one); err != nil {
		var path []string
		var wrong *json.UnmarshalTypeError
		if errors.As(err, &wrong) {
			path = strings.Split(wrong.Field, ".")
		}
		return one, false, o.At(path, fmt.Sprintf("%s: %s", o.title(), explainTypeError(err)))
	}
	return one, true, nil
}

// explainTypeError says of a field of the wrong type which field it is, what it has and which type is expected.
func explainTypeError(err error) error {
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) || wrong.Field == "" {
		return err
	}
	want := map[reflect.Kind]string{reflect.String: "a string", reflect.Bool: "true or false", reflect.Int: "an integer", reflect.Int64: "an integer",
		reflect.Slice: "a list"}[wrong.Type.Kind()]
	if want == "" {
		want = "an object"
	}
	return fmt.Errorf("%s: want %s, found %s", wrong.Field, want, strings.ReplaceAll(wrong.Value, "array", "list"))
}

// isNew reports whether the object was not read before. It is an error if its JSON was another one then.
func (s *Snapshot) isNew(o *object, text []byte) (bool, error) {
	id, now := o.id(), given{text: sha256.Sum256(text), at: s.objectPlace(o)}
	first := s.given[id]
	switch {
	case first == nil:
		s.given[id] = &now
		return true, nil
	case first.kept != nil:
		first.text = sha256.Sum256(first.kept.JSON())
	}
	if first.text != now.text {
		return false, o.At(nil, fmt.Sprintf("%s is not as in %s: give one of the two", o.title(), first.at))
	}
	return false, nil
}

// id identifies an object of a cluster.
func (o *object) id() string {
	group, _ := o.group()
	return strings.Join([]string{group, o.Kind, o.Namespace, o.Name}, "/")
}

// keep adds an object, which is not parsed yet unless there is one of its name.
func (s *Snapshot) keep(o *object, all *[]*bundled.Object) error {
	if s.given[o.id()] != nil && o.Name != "" {
		text, err := o.asJSON(nil)
		if err == nil {
			_, err = s.isNew(o, text)
		}
		return err
	}
	one := bundled.NewLazyObject(o.APIVersion, o.Kind, o.Name, o.Namespace, o.keep())
	*all = append(*all, one)
	s.given[o.id()] = &given{at: s.objectPlace(o), kept: one}
	return nil
}

// objectPlace returns the file and line of an object.
func (s *Snapshot) objectPlace(o *object) string {
	if s.file == "" {
		return fmt.Sprintf("line %d", o.Line)
	}
	return fmt.Sprintf("%s:%d", s.file, o.Line)
}

// addClusterVersion reads the version of OpenShift: the newest update that was completed is the first one in the history.
func (s *Snapshot) addClusterVersion(o *object) error {
	one, isNew, err := decodeNew[struct {
		Status struct {
			History []struct {
				State   string `json:"state"`
				Version string `json:"version"`
			} `json:"history"`
		} `json:"status"`
	}](s, o, nil)
	if !isNew {
		return err
	}
	for _, update := range one.Status.History {
		if update.State == "Completed" && s.OpenShift == "" {
			s.OpenShift = update.Version
		}
	}
	return nil
}

// addNamespace reads the namespace that every cluster has, so that files of two clusters are not taken for one.
func (s *Snapshot) addNamespace(o *object) error {
	if o.Name != "kube-system" {
		return nil
	}
	_, _, err := decodeNew[struct{}](s, o, nil)
	return err
}

func (s *Snapshot) addNode(o *object) error {
	beside := func(path []string) bool { return len(path) == 2 && path[0] == "status" && path[1] != "nodeInfo" }
	one, isNew, err := decodeNew[struct {
		Status struct {
			Info struct {
				Kubelet string `json:"kubeletVersion"`
			} `json:"nodeInfo"`
		} `json:"status"`
	}](s, o, beside)
	if !isNew {
		return err
	}
	v := one.Status.Info.Kubelet
	if at, known := slices.BinarySearchFunc(s.Kubelets, v, compareKubelets); kubeletVersion(v).Major > 0 && !known {
		s.Kubelets = slices.Insert(s.Kubelets, at, v)
	}
	return nil
}
