package judge

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/csv"
	"github.com/olmgraph/olmgraph/catalogs/words"
)

// labelSelector is the selector of a Deployment as Kubernetes reads it, without unknown fields.
type labelSelector struct {
	MatchLabels      map[string]string `json:"matchLabels,omitempty"`
	MatchExpressions []struct {
		Key      string   `json:"key"`
		Operator string   `json:"operator"`
		Values   []string `json:"values,omitempty"`
	} `json:"matchExpressions,omitempty"`
}

// parseSelector reads a selector, and returns it in JSON, too, which is "" if it cannot be read.
func parseSelector(text json.RawMessage) (s labelSelector, is string) {
	if json.Unmarshal(text, &s) != nil {
		return s, ""
	}
	return s, toJSON(s)
}

// matches reports whether labels match (k8s.io/apimachinery: LabelSelectorAsSelector).
func (s *labelSelector) matches(labels map[string]string) bool {
	for key, value := range s.MatchLabels {
		if has, ok := labels[key]; !ok || has != value {
			return false
		}
	}
	for _, e := range s.MatchExpressions {
		has, ok := labels[e.Key]
		within := ok && slices.Contains(e.Values, has)
		if e.Operator == "In" && !within || e.Operator == "NotIn" && within || e.Operator == "Exists" && !ok || e.Operator == "DoesNotExist" && ok {
			return false
		}
	}
	return true
}

// certVolumes are the volumes that OLM adds to a Deployment with webhooks or API services, and certPaths where it mounts them in place of others
// (OLM: install AddDefaultCertVolumeAndVolumeMounts).
var (
	certVolumes = []string{"apiservice-cert", "webhook-cert"}
	certPaths   = []string{"/apiserver.local.config/certificates", "/tmp/k8s-webhook-server/serving-certs"}
)

// podCase is the pod of a Deployment, which is checked as far as the API server rejects it.
type podCase struct {
	*bundleCase
	name    string
	path    string
	volumes []string
	seen    map[string]bool // containers
}

func (c *podCase) refuse(at, fix, says string, args ...any) {
	r := c.report(c.path+at, fix, "has the Deployment %q %s: the API server rejects it", c.name, fmt.Sprintf(says, args...)).WithCause(c.name)
	for _, name := range args {
		r.WithCause(fmt.Sprint(name))
	}
}

// checkDeployments reports Deployments that the API server rejects (Kubernetes: pkg/apis/apps/validation ValidateDeploymentSpec,
// pkg/apis/core/validation ValidatePodTemplateSpec).
func checkDeployments(c *bundleCase) {
	if c.CSV.Err != nil {
		return
	}
	for i, d := range c.CSV.Spec.Install.Spec.Deployments {
		pod := &podCase{c, d.Name, fmt.Sprintf("spec.install.spec.deployments[%d].spec.template", i), slices.Clone(certVolumes), map[string]bool{}}
		template := &d.Spec.Template
		if selector, is := parseSelector(d.Spec.Selector); is != "" && !selector.matches(template.Metadata.Labels) {
			pod.refuse(".metadata.labels", "give the pods the labels of the selector", "whose selector does not match the labels of its pods")
		}
		if c := template.Spec.Containers; c != nil && len(c) == 0 {
			pod.refuse(".spec", "add its containers", "without containers")
		}
		for _, v := range template.Spec.Volumes {
			pod.volumes = append(pod.volumes, v.Name)
		}
		for j, one := range template.Spec.Containers {
			pod.container(fmt.Sprintf(".spec.containers[%d]", j), &one)
		}
		for j, one := range template.Spec.InitContainers {
			pod.container(fmt.Sprintf(".spec.initContainers[%d]", j), &one)
		}
	}
}

func (c *podCase) container(at string, one *csv.Container) {
	switch {
	case one.Name != "" && !words.DNSLabel.MatchString(one.Name): // csv/required-field tells that there is none
		c.refuse(at, "give it a name of lower-case letters, digits and hyphens", "with the container %q, a name that Kubernetes does not allow", one.Name)
	case one.Name != "" && c.seen[one.Name]:
		c.refuse(at+".name", "give each a unique name", "with several containers %q", one.Name)
	case one.Image == "":
		c.refuse(at, "set its image", "with the container %q, which has no image", one.Name)
	}
	c.seen[one.Name] = true
	for k, m := range one.VolumeMounts {
		if !slices.Contains(c.volumes, m.Name) && !slices.Contains(certPaths, m.Path) {
			c.refuse(fmt.Sprintf("%s.volumeMounts[%d]", at, k), "add the volume, or remove the mount", "with the container %q, which mounts the volume %q that the pod does not have", one.Name, m.Name)
		}
	}
}

// checkDeploymentAccounts reports Deployments whose service account nobody makes: no pod starts, and the installation fails after five minutes.
func checkDeploymentAccounts(c *bundleCase) {
	if c.CSV.Err != nil {
		return
	}
	made := map[string]bool{"": true, "default": true}
	install := &c.CSV.Spec.Install.Spec
	for _, p := range slices.Concat(install.Permissions, install.ClusterPermissions) {
		made[p.ServiceAccountName] = true
	}
	for _, m := range c.Objects() {
		if m.Kind == "ServiceAccount" {
			made[m.Name] = true
		}
	}
	for i, d := range install.Deployments {
		if account := d.Spec.Template.Spec.ServiceAccountName; !made[account] {
			c.report(fmt.Sprintf("spec.install.spec.deployments[%d].spec.template.spec.serviceAccountName", i), "give the account permissions, or add it to the bundle",
				"has the Deployment %q with the service account %q, which has no permissions and is not in the bundle: no pod starts unless the account exists", d.Name, account).WithCause(d.Name, account)
		}
	}
}

// checkNativeAPIs reports native APIs that Kubernetes itself does not serve, or no longer (OLM: requirementStatus).
func checkNativeAPIs(c *bundleCase) {
	for i, api := range c.CSV.Spec.NativeAPIs {
		path := fmt.Sprintf("spec.nativeAPIs[%d]", i)
		if gone := removedIn(api.Group+"/"+api.Version, api.Kind); gone > 0 {
			c.report(path, "require the version that follows it", "requires the native API %s, which Kubernetes 1.%d removed", api, gone).WithCause(api.String()).
				Where = []Condition{{Kind: KubernetesFrom, Minor: gone}}
		} else if !isOfKubernetes(api.Group) {
			c.report(path, "require the API as a CRD, so that OLM installs it",
				"requires the native API %s: OLM v0 does not install it, and the ClusterServiceVersion stays Pending (RequirementsNotMet) without it", api).WithCause(api.String()).
				Where = []Condition{{Kind: notServed, API: api, OpenShift: strings.HasSuffix(api.Group, ".openshift.io")}}
		}
	}
}

// groupsOfKubernetes are the API groups that Kubernetes itself serves, of those with a dot.
var groupsOfKubernetes = []string{"admissionregistration", "apiextensions", "apiregistration", "authentication", "authorization", "certificates", "coordination", "discovery",
	"events", "flowcontrol.apiserver", "networking", "node", "rbac.authorization", "resource", "scheduling", "storage"}

func isOfKubernetes(group string) bool {
	short, of := strings.CutSuffix(group, ".k8s.io")
	return !strings.Contains(group, ".") || of && slices.Contains(groupsOfKubernetes, short)
}
