package resolve

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/kubelist"
	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// Snapshot is what of a cluster decides how its operators are upgraded, as kubectl prints it. Copied ClusterServiceVersions are left out.
type Snapshot struct {
	subscriptions map[string][]subscriptionObject // by namespace, as the next ones
	csvs          map[string][]csvObject
	groups        map[string][]groupObject
	conditions    map[string][]conditionObject
	plans         map[string][]planObject
	sources       []sourceObject

	// OpenShift is the version of the cluster, "" if it is not known: the newest one in the ClusterVersion that was completed.
	OpenShift string
	// Kubelets are the versions of the nodes, oldest first, each once.
	Kubelets []string
	// CRDs are the CustomResourceDefinitions, in the order of the text. They are parsed when their JSON is asked for.
	CRDs            []*catalogs.Object
	Extensions      []ClusterExtension
	ClusterCatalogs []ClusterCatalog
	// ClusterOperators are the parts of OpenShift. One that is not upgradeable prevents the next minor version.
	ClusterOperators []ClusterOperator
	// Foreign counts the objects whose kind is one of OLM's but whose API group is another project's, by kind and group: "Subscription.g".
	Foreign map[string]int

	// Notes say what was read that may mean something else.
	Notes []string

	description []byte            // a description in a short form, instead of objects
	some        bool              // an object was read
	openShift   bool              // an object says that the cluster is OpenShift
	file        string            // that is read
	given       map[string]*given // objects that were read, by nameOf
	found       map[string]int
	versions    map[string]int // unknown ones, with their kinds
}

// given is an object that was read.
type given struct {
	text [sha256.Size]byte // the hash of its JSON
	at   string
}

// Missing reports whether no object of a kind was found in any namespace: then it may have been left out.
func (s *Snapshot) Missing(kind string) bool { return s.found[kind] == 0 }

// olmKinds are the kinds that are read, with the API group and versions.
func olmKinds() map[string][]string {
	return map[string][]string{
		"Subscription": {"operators.coreos.com", "v1alpha1"}, "ClusterServiceVersion": {"operators.coreos.com", "v1alpha1"},
		"InstallPlan": {"operators.coreos.com", "v1alpha1"}, "CatalogSource": {"operators.coreos.com", "v1alpha1"},
		"OperatorGroup": {"operators.coreos.com", "v1", "v1alpha2"}, "OperatorCondition": {"operators.coreos.com", "v1", "v2"},
		"ClusterVersion": {"config.openshift.io", "v1"}, "ClusterOperator": {"config.openshift.io", "v1"}, "Node": {"", "v1"},
		"ClusterExtension": {"olm.operatorframework.io", "v1", "v1alpha1"}, "ClusterCatalog": {"olm.operatorframework.io", "v1", "v1alpha1"},
		"CustomResourceDefinition": {"apiextensions.k8s.io", "v1", "v1beta1"},
	}
}

// Read adds the objects of a text. name is that of its file, for errors: they begin with it, and the line where that is known.
func (s *Snapshot) Read(name string, from io.Reader) error {
	if s.found == nil {
		s.subscriptions, s.csvs, s.groups = map[string][]subscriptionObject{}, map[string][]csvObject{}, map[string][]groupObject{}
		s.conditions, s.plans = map[string][]conditionObject{}, map[string][]planObject{}
		s.given = map[string]*given{}
		s.found, s.versions, s.Foreign = map[string]int{}, map[string]int{}, map[string]int{}
	}
	kinds := olmKinds()
	s.file = name
	r := kubelist.Reader{Ignore: s.isCopy}
	for o, err := range r.Objects(from) {
		if err == nil {
			err = s.add(o, kinds)
		}
		if err != nil {
			return kubelist.Positioned(name, err)
		}
		s.some = true
	}
	return nil
}

// isCopy is kubelist.IsCopy. Copies count as found: their kind was not left out.
func (s *Snapshot) isCopy(item []byte) bool {
	copied := kubelist.IsCopy(item)
	if copied {
		s.found["ClusterServiceVersion"]++
	}
	return copied
}

// add adds an object if it is of a kind that counts.
func (s *Snapshot) add(o *kubelist.Object, kinds map[string][]string) error {
	if strings.HasPrefix(o.Namespace, openShiftPrefix) || o.Kind == "ClusterVersion" && strings.HasPrefix(o.APIVersion, "config.openshift.io/") {
		s.openShift = true
	}
	switch known, group, version := kinds[o.Kind], "", o.APIVersion; {
	case !o.IsMap:
		return o.At(nil, "an object is wanted")
	case o.Kind == "":
		return s.describe(o)
	case known == nil:
		return nil
	default:
		if at := strings.LastIndexByte(version, '/'); at >= 0 {
			group, version = version[:at], version[at+1:]
		}
		if group != known[0] {
			s.Foreign[o.Kind+"."+group]++
			return nil
		}
		if !slices.Contains(known[1:], version) {
			s.noteVersion(o, known[1:])
		}
	}
	s.found[o.Kind]++
	return s.decode(o)
}

// noteVersion notes, once for each, that the version of an API is not known.
func (s *Snapshot) noteVersion(o *kubelist.Object, known []string) {
	version := o.Kind + " " + o.APIVersion
	if s.versions[version]++; s.versions[version] == 1 {
		s.Notes = append(s.Notes, fmt.Sprintf("line %d: %s has apiVersion %q, of which nothing is known: its fields are read as those of %s",
			o.Line, nameOf(o), o.APIVersion, strings.Join(known, " or ")))
	}
}

// describe takes a document without a kind as a description, which must be the only document.
func (s *Snapshot) describe(o *kubelist.Object) error {
	if s.some || s.description != nil {
		return o.At(nil, "an object without a kind: want objects of a cluster, or one description of a namespace")
	}
	if err := o.Repeated(); err != nil {
		return err
	}
	text, err := o.JSON(nil)
	s.description = text
	return err
}

// decode decodes an object of a known kind.
func (s *Snapshot) decode(o *kubelist.Object) error {
	switch o.Kind {
	case "Subscription":
		return decodeInto(s, o, s.subscriptions, nil)
	case "ClusterServiceVersion":
		var one csvObject
		if isNew, err := s.decodeNew(o, &one, unusedOfCSV); err != nil || !isNew || one.copied() {
			return err
		}
		s.csvs[o.Namespace] = append(s.csvs[o.Namespace], one)
		return nil
	case "OperatorGroup":
		return decodeInto(s, o, s.groups, nil)
	case "OperatorCondition":
		return decodeInto(s, o, s.conditions, nil)
	case "InstallPlan":
		if o.Phase == "Complete" {
			return decodeInto(s, o, s.plans, tree.SkipPath("status plan"))
		}
		return decodeInto(s, o, s.plans, nil)
	case "CatalogSource":
		return decodeOne(s, o, &s.sources)
	case "CustomResourceDefinition":
		return s.addCRD(o)
	case "ClusterVersion":
		return s.addClusterVersion(o)
	case "Node":
		return s.addNode(o)
	case "ClusterOperator":
		return decodeOne(s, o, &s.ClusterOperators)
	case "ClusterExtension":
		return decodeOne(s, o, &s.Extensions)
	}
	return decodeOne(s, o, &s.ClusterCatalogs)
}

// unusedOfCSV are the large parts of a ClusterServiceVersion that nothing depends on.
func unusedOfCSV(path []string) bool {
	if len(path) == 3 && path[0] == "metadata" && path[1] == "annotations" {
		return path[2] != properties && path[2] != kubelist.OperatorHome
	}
	return len(path) == 2 && path[0] == "spec" && slices.Contains([]string{"install", "icon", "description", "links", "relatedImages"}, path[1]) ||
		len(path) == 2 && path[0] == "metadata" && path[1] == "managedFields"
}

// decodeInto decodes an object and adds it to those of its namespace.
func decodeInto[T any](s *Snapshot, o *kubelist.Object, all map[string][]T, without tree.Skip) error {
	var one T
	if isNew, err := s.decodeNew(o, &one, without); err != nil || !isNew {
		return err
	}
	all[o.Namespace] = append(all[o.Namespace], one)
	return nil
}

func decodeOne[T any](s *Snapshot, o *kubelist.Object, all *[]T) error {
	var one T
	isNew, err := s.decodeNew(o, &one, nil)
	if isNew && err == nil {
		*all = append(*all, one)
	}
	return err
}

// decodeNew decodes an object, unless it was read before. It is an error if it was another one then.
func (s *Snapshot) decodeNew(o *kubelist.Object, into any, without tree.Skip) (isNew bool, err error) {
	text, err := o.JSON(func(path []string) bool {
		return len(path) == 2 && path[0] == "metadata" && (path[1] == "managedFields" || path[1] == "resourceVersion") || without != nil && without(path)
	})
	if err != nil {
		return false, err
	}
	if isNew, err = s.isNew(o, text); err != nil || !isNew {
		return false, err
	}
	return true, decodeText(o, text, into)
}

// isNew reports whether no object of this kind and name was read before. It is an error if one was whose JSON is another one.
func (s *Snapshot) isNew(o *kubelist.Object, text []byte) (bool, error) {
	name, now := nameOf(o), given{sha256.Sum256(text), s.placeOf(o)}
	first := s.given[name]
	switch {
	case first == nil || o.Name == "":
		s.given[name] = &now
		return true, nil
	case first.text == now.text:
		return false, nil
	}
	return false, o.At(nil, fmt.Sprintf("%s is not as in %s: give one of the two", name, first.at))
}

// decodeText decodes the JSON of an object. The error of a value of the wrong type is at it.
func decodeText(o *kubelist.Object, text []byte, into any) error {
	if err := json.Unmarshal(text, into); err != nil {
		var path []string
		var wrong *json.UnmarshalTypeError
		if errors.As(err, &wrong) {
			path = strings.Split(wrong.Field, ".")
		}
		return o.At(path, fmt.Sprintf("%s: %s", nameOf(o), explainTypeError(err)))
	}
	return nil
}

func nameOf(o *kubelist.Object) string { return nameOfKind(o.Kind, o.Name, o.Namespace) }

// addCRD adds a CRD, which is not parsed yet unless there is one of its name.
func (s *Snapshot) addCRD(o *kubelist.Object) error {
	if first := s.given[nameOf(o)]; first != nil && o.Name != "" {
		i := slices.IndexFunc(s.CRDs, func(c *catalogs.Object) bool { return c.Name == o.Name })
		first.text = sha256.Sum256(s.CRDs[i].JSON())
		text, err := o.JSON(nil)
		if err == nil {
			_, err = s.isNew(o, text)
		}
		return err
	}
	s.CRDs = append(s.CRDs, catalogs.ObjectOf(o.APIVersion, o.Kind, o.Name, o.Namespace, o.Keep()))
	s.given[nameOf(o)] = &given{at: s.placeOf(o)}
	return nil
}

// placeOf returns the file and line of an object.
func (s *Snapshot) placeOf(o *kubelist.Object) string {
	if s.file == "" {
		return fmt.Sprintf("line %d", o.Line)
	}
	return fmt.Sprintf("%s:%d", s.file, o.Line)
}

// addClusterVersion reads the version of OpenShift: the newest update that was completed is the first one in the history.
func (s *Snapshot) addClusterVersion(o *kubelist.Object) error {
	var one struct {
		Status struct {
			History []struct {
				State   string `json:"state"`
				Version string `json:"version"`
			} `json:"history"`
		} `json:"status"`
	}
	if isNew, err := s.decodeNew(o, &one, nil); err != nil || !isNew {
		return err
	}
	for _, update := range one.Status.History {
		if update.State == "Completed" && s.OpenShift == "" {
			s.OpenShift = update.Version
		}
	}
	return nil
}

func (s *Snapshot) addNode(o *kubelist.Object) error {
	var one struct {
		Status struct {
			Info struct {
				Kubelet string `json:"kubeletVersion"`
			} `json:"nodeInfo"`
		} `json:"status"`
	}
	beside := func(path []string) bool { return len(path) == 2 && path[0] == "status" && path[1] != "nodeInfo" }
	if isNew, err := s.decodeNew(o, &one, beside); err != nil || !isNew {
		return err
	}
	v := one.Status.Info.Kubelet
	if at, known := slices.BinarySearchFunc(s.Kubelets, v, compareKubelets); kubeletVersion(v).Major > 0 && !known {
		s.Kubelets = slices.Insert(s.Kubelets, at, v)
	}
	return nil
}

// Namespaces returns the names of the namespaces with Subscriptions or ClusterServiceVersions, sorted.
func (s *Snapshot) Namespaces() []string {
	all := map[string]bool{}
	for name := range s.subscriptions {
		all[name] = true
	}
	for name := range s.csvs {
		all[name] = true
	}
	return slices.Sorted(maps.Keys(all))
}

// Subscribed returns the names of the namespaces with Subscriptions, sorted.
func (s *Snapshot) Subscribed() []string { return slices.Sorted(maps.Keys(s.subscriptions)) }

// State returns what the snapshot says of a namespace. in is its name; it may be empty if only one has subscriptions. global is the
// namespace of global CatalogSources; it may be empty, too. The error says what is wrong with the snapshot, or a NamespaceError what is
// wrong with in.
func (s *Snapshot) State(in, global string) (*NamespaceState, error) {
	if s.description != nil {
		return readDescription(s.description, in, global)
	}
	name, err := chooseNamespace(slices.Collect(maps.Keys(s.subscriptions)), in)
	if err != nil {
		return nil, s.explain(err)
	}
	state, err := s.read(name, global)
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(state.Subscriptions, func(sub Subscription) bool { return sub.InstalledCSV != "" }); i >= 0 && s.Missing("ClusterServiceVersion") {
		return nil, fmt.Errorf("Subscription %q in namespace %q has installed %s, but there is no ClusterServiceVersion of any namespace: they were left out",
			state.Subscriptions[i].Name, name, state.Subscriptions[i].InstalledCSV)
	}
	return state, nil
}

// explain adds to the error that there is no Subscription that there are others of that name.
func (s *Snapshot) explain(err error) error {
	for _, kind := range slices.Sorted(maps.Keys(s.Foreign)) {
		if group, ok := strings.CutPrefix(kind, "Subscription."); ok && len(s.subscriptions) == 0 {
			return fmt.Errorf("%w; those of API group %q are not OLM's", err, group)
		}
	}
	return err
}

// Assumed returns what the snapshot says of a namespace, which needs no Subscription. What is missing in the whole snapshot is assumed: one
// OperatorGroup that every operator supports, and that what is installed is what the subscriptions say.
func (s *Snapshot) Assumed(name, global string) (*NamespaceState, error) {
	state, err := s.read(name, global)
	if err != nil {
		return nil, err
	}
	if s.Missing("OperatorGroup") {
		state.Groups = nil
	}
	if s.Missing("ClusterServiceVersion") {
		for i := range state.Subscriptions {
			if in := state.Subscriptions[i].InstalledCSV; in != "" {
				state.install(in)
			}
		}
	}
	return state, nil
}

// Global returns the namespace of global CatalogSources: that of OpenShift if the objects are of OpenShift, which has a ClusterVersion and
// reserves namespaces that begin with openshift-, and else that of OLM (OLM: cmd/catalog, --namespace).
func (s *Snapshot) Global() string {
	if s.openShift {
		return openShiftCatalogs
	}
	if len(s.sources) == 0 {
		for _, all := range s.subscriptions {
			if slices.ContainsFunc(all, func(o subscriptionObject) bool { return o.Spec.Namespace == openShiftCatalogs }) {
				return openShiftCatalogs
			}
		}
	}
	return globalNamespace
}

// read reads the objects of a namespace.
func (s *Snapshot) read(name, global string) (*NamespaceState, error) {
	if global == "" {
		global = s.Global()
	}
	n := &NamespaceState{Refs: map[SourceKey]string{}}
	n.Name, n.Global, n.Kubernetes = name, global, s.Kubernetes()
	if err := n.readSubscriptions(s.subscriptions[name]); err != nil {
		return nil, err
	}
	if err := n.readInstalled(s.csvs[name]); err != nil {
		return nil, err
	}
	n.readGroups(s.groups[name], s.Missing("OperatorGroup"))
	n.readSources(s.sources)
	n.readConditions(s.conditions[name])
	n.readPlans(s.plans[name], s.Missing("InstallPlan"))
	return n, nil
}

// Sources returns the CatalogSources of all namespaces, sorted. If there is none of a namespace, those are assumed to which
// subscriptions refer there.
func (s *Snapshot) Sources() []SourceKey {
	known, all := map[string]bool{}, map[SourceKey]bool{}
	for i := range s.sources {
		o := &s.sources[i].Metadata
		known[o.Namespace], all[SourceKey{o.Name, o.Namespace}] = true, true
	}
	global := s.Global()
	for name, subs := range s.subscriptions {
		for i := range subs {
			key := SourceKey{subs[i].Spec.Source, subs[i].Spec.Namespace}
			if !known[key.Namespace] && (len(s.sources) == 0 || key.Namespace != name) && key.Namespace == global {
				all[key] = true
			}
		}
	}
	return slices.SortedFunc(maps.Keys(all), func(a, b SourceKey) int { return strings.Compare(a.String(), b.String()) })
}

// Images returns spec.image of the CatalogSources that the text has.
func (s *Snapshot) Images() map[SourceKey]string {
	all := map[SourceKey]string{}
	for i := range s.sources {
		o := &s.sources[i]
		all[SourceKey{o.Metadata.Name, o.Metadata.Namespace}] = o.Spec.Image
	}
	return all
}

// Described reports whether the text is a description in a short form, not objects.
func (s *Snapshot) Described() bool { return s.description != nil }

// Problems returns what OLM says in the conditions of a Subscription, by their types, if they are True.
func (s *Snapshot) Problems(namespace, name string) map[string]string {
	for i := range s.subscriptions[namespace] {
		o := &s.subscriptions[namespace][i]
		if o.Metadata.Name != name {
			continue
		}
		said := map[string]string{}
		for _, c := range o.Status.Conditions {
			if c.Status == "True" {
				said[c.Type] = cmp.Or(c.Message, c.Reason)
			}
		}
		return said
	}
	return nil
}
