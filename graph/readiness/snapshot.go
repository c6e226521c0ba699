package readiness

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/csv"
	"github.com/olmgraph/olmgraph/catalogs/kubelist"
)

// metadata is the part of the metadata of an object that is used.
type metadata struct {
	Name        string            `json:"name"`
	Namespace   string            `json:"namespace"`
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
}

func (m *metadata) key() string { return m.Namespace + "/" + m.Name }

type subscription struct {
	Metadata metadata `json:"metadata"`
	Spec     struct {
		Package   string                     `json:"name"`
		Channel   string                     `json:"channel"`
		Source    string                     `json:"source"`
		Namespace string                     `json:"sourceNamespace"`
		Approval  string                     `json:"installPlanApproval"`
		Config    map[string]json.RawMessage `json:"config"`
	} `json:"spec"`
	Status struct {
		Installed string `json:"installedCSV"`
		State     string `json:"state"`
	} `json:"status"`
}

type installedCSV struct {
	Metadata metadata `json:"metadata"`
	Status   struct {
		Phase  string `json:"phase"`
		Reason string `json:"reason"`
	} `json:"status"`
	object *catalogs.Object
}

// copied reports whether OLM has copied it from the namespace of its OperatorGroup.
func (c *installedCSV) copied() bool {
	m := &c.Metadata
	return (&kubelist.Head{Namespace: m.Namespace, Labels: m.Labels, Annotations: m.Annotations, Reason: c.Status.Reason}).IsCopied()
}

// requires returns the packages and APIs that it requires, each once (OLM: annotation operatorframework.io/properties).
func (c *installedCSV) requires() []string {
	var list struct {
		Properties []struct {
			Type  string          `json:"type"`
			Value json.RawMessage `json:"value"`
		} `json:"properties"`
	}
	var all []string
	if json.Unmarshal([]byte(c.Metadata.Annotations["operatorframework.io/properties"]), &list) != nil {
		return nil
	}
	for _, p := range list.Properties {
		var pkg catalogs.PackageProperty
		var api catalogs.API
		switch {
		case p.Type == catalogs.TypePackageRequired && json.Unmarshal(p.Value, &pkg) == nil:
			all = append(all, pkg.Name)
		case p.Type == catalogs.TypeGVKRequired && json.Unmarshal(p.Value, &api) == nil:
			all = append(all, api.String())
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

type operatorGroup struct {
	Metadata metadata `json:"metadata"`
	Spec     struct {
		Targets        []string       `json:"targetNamespaces"`
		Selector       map[string]any `json:"selector"`
		ServiceAccount string         `json:"serviceAccountName"`
		Strategy       string         `json:"upgradeStrategy"`
	} `json:"spec"`
	Status struct {
		Namespaces []string `json:"namespaces"`
	} `json:"status"`
}

type catalogSource struct {
	Metadata metadata `json:"metadata"`
	Spec     struct {
		Type  string `json:"sourceType"`
		Image string `json:"image"`
	} `json:"spec"`
}

type operatorCondition struct {
	Metadata metadata `json:"metadata"`
	Spec     struct {
		Conditions []json.RawMessage `json:"conditions"`
	} `json:"spec"`
	Status struct {
		Conditions []json.RawMessage `json:"conditions"`
	} `json:"status"`
}

type clusterCatalog struct {
	Metadata metadata `json:"metadata"`
	Spec     struct {
		Priority     int32  `json:"priority"`
		Availability string `json:"availabilityMode"`
		Source       struct {
			Image struct {
				Ref string `json:"ref"`
			} `json:"image"`
		} `json:"source"`
	} `json:"spec"`
}

type clusterExtension struct {
	Metadata metadata `json:"metadata"`
	Spec     struct {
		Source struct {
			Catalog struct {
				Package string `json:"packageName"`
			} `json:"catalog"`
		} `json:"source"`
	} `json:"spec"`
}

// Snapshot has the objects of a cluster that decide a migration from OLM v0 to OLM v1.
type Snapshot struct {
	subscriptions []subscription
	csvs          []installedCSV
	groups        []operatorGroup
	sources       []catalogSource
	conditions    []operatorCondition
	catalogs      []clusterCatalog
	extensions    []clusterExtension
	objects       []*catalogs.Object
}

// The API groups of OLM v0 and OLM v1.
const (
	groupV0 = "operators.coreos.com/"
	groupV1 = "olm.operatorframework.io/"
)

// Read adds the objects of a text. name is that of its file, for errors: they begin with it, and the line where that is known.
func (s *Snapshot) Read(name string, from io.Reader) error {
	r := kubelist.Reader{Ignore: kubelist.IsCopy}
	for o, err := range r.Objects(from) {
		if err == nil && !o.IsMap {
			err = o.At(nil, "an object is wanted")
		}
		if err != nil {
			return kubelist.Positioned(name, err)
		}
		one := catalogs.ObjectOf(o.APIVersion, o.Kind, o.Name, o.Namespace, o.Keep())
		s.objects = append(s.objects, one)
		if err := s.add(one); err != nil {
			return kubelist.Positioned(name, &kubelist.Error{Line: o.Line, Col: o.Col, Msg: fmt.Sprintf("%s %q: %v", o.Kind, o.Name, err)})
		}
	}
	return nil
}

// Check says what is missing or wrong in what was read.
func (s *Snapshot) Check() error {
	if len(s.subscriptions) == 0 {
		return errors.New("there is no Subscription in it")
	}
	slices.SortStableFunc(s.subscriptions, func(a, b subscription) int { return strings.Compare(a.Metadata.key(), b.Metadata.key()) })
	for i := range s.subscriptions {
		if err := s.subscriptions[i].check(); err != nil {
			return fmt.Errorf("the Subscription %q in namespace %q: %w", s.subscriptions[i].Metadata.Name, s.subscriptions[i].Metadata.Namespace, err)
		}
	}
	return nil
}

// check checks the fields that name objects, which are part of commands.
func (o *subscription) check() error {
	if o.Spec.Package == "" {
		return errors.New("spec.name is missing")
	}
	for _, field := range [][2]string{{"spec.source", o.Spec.Source}, {"spec.sourceNamespace", o.Spec.Namespace}, {"status.installedCSV", o.Status.Installed}} {
		if !isName(field[1]) && (field[0] != "status.installedCSV" || field[1] != "") {
			return fmt.Errorf("%s is %q, and no Kubernetes object has that name", field[0], field[1])
		}
	}
	return nil
}

// add adds an object, if it is of a kind that counts.
func (s *Snapshot) add(o *catalogs.Object) error {
	kind := o.Kind
	switch {
	case strings.HasPrefix(o.APIVersion, groupV1):
		kind = "v1 " + kind
	case !strings.HasPrefix(o.APIVersion, groupV0):
		return nil
	}
	switch kind {
	case "Subscription":
		return decode(o, &s.subscriptions)
	case csv.Kind:
		if err := decode(o, &s.csvs); err != nil {
			return err
		}
		s.csvs[len(s.csvs)-1].object = o
	case "OperatorGroup":
		return decode(o, &s.groups)
	case "CatalogSource":
		return decode(o, &s.sources)
	case "OperatorCondition":
		return decode(o, &s.conditions)
	case "v1 ClusterCatalog":
		return decode(o, &s.catalogs)
	case "v1 ClusterExtension":
		return decode(o, &s.extensions)
	}
	return nil
}

// dnsSubdomain matches the names of objects (k8s.io/apimachinery: pkg/util/validation IsDNS1123Subdomain).
var dnsSubdomain = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)

// isName reports whether an object of Kubernetes can have a name.
func isName(name string) bool { return len(name) <= 253 && dnsSubdomain.MatchString(name) }

func decode[T any](o *catalogs.Object, all *[]T) error {
	var v T
	if err := json.Unmarshal(o.JSON(), &v); err != nil {
		return err
	}
	if !isName(o.Name) || o.Namespace != "" && !isName(o.Namespace) { // they are part of commands
		return errors.New("no Kubernetes object has that name")
	}
	*all = append(*all, v)
	return nil
}

// Sources returns the CatalogSources that subscriptions use, as NAMESPACE/NAME, sorted; only those that exist, if the snapshot has any.
func (s *Snapshot) Sources() []string {
	var names []string
	for i := range s.subscriptions {
		if name := s.subscriptions[i].source(); len(s.sources) == 0 || s.catalogSource(name) != nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func (o *subscription) source() string { return o.Spec.Namespace + "/" + o.Spec.Source }

// SourcesNamed returns the sources that a name means: that of a CatalogSource, with or without its namespace, or of a ClusterCatalog of
// the same image.
func (s *Snapshot) SourcesNamed(name string) []string {
	var found []string
	for _, source := range s.Sources() {
		_, short, _ := strings.Cut(source, "/")
		c := s.clusterCatalog(source)
		if source == name || short == name || c != nil && c.Metadata.Name == name {
			found = append(found, source)
		}
	}
	return found
}

func (s *Snapshot) catalogSource(key string) *catalogSource {
	i := slices.IndexFunc(s.sources, func(c catalogSource) bool { return c.Metadata.key() == key })
	if i < 0 {
		return nil
	}
	return &s.sources[i]
}

// clusterCatalog returns the available ClusterCatalog of the image of a CatalogSource, nil if there is none.
func (s *Snapshot) clusterCatalog(source string) *clusterCatalog {
	of := s.catalogSource(source)
	if of == nil || of.Spec.Image == "" {
		return nil
	}
	i := slices.IndexFunc(s.catalogs, func(c clusterCatalog) bool {
		return c.Spec.Source.Image.Ref == of.Spec.Image && c.Spec.Availability != "Unavailable"
	})
	if i < 0 {
		return nil
	}
	return &s.catalogs[i]
}
