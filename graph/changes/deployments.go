package changes

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

// podSecurity matches the fields of a Deployment by which its pods get rights on a node, without what is around them.
var podSecurity = regexp.MustCompile(`(^|\.)(hostNetwork|hostPID|hostIPC|hostUsers|hostPort|hostPath|automountServiceAccountToken|serviceAccountName)(\.|$)|[sS]ecurityContext(\.|$)`)

// isImage matches the fields of a Deployment that are compared as images: a container that is new or gone as well.
var isImage = regexp.MustCompile(`[cC]ontainers\[[^]]*\](\.image)?$|\.env\[[^]]*IMAGE[^]]*\]`)

func (c *comparison) compareDeployments() {
	before, after := c.deployments(c.rawOld), c.deployments(c.rawNew)
	gone, added := lacking(slices.Sorted(maps.Keys(before)), slices.Collect(maps.Keys(after))), lacking(slices.Sorted(maps.Keys(after)), slices.Collect(maps.Keys(before)))
	if len(gone) == 1 && len(added) == 1 {
		c.add(Deployments, false, "Deployment "+added[0], "replaces "+gone[0]+", which OLM deletes")
		before[added[0]], gone, added = before[gone[0]], nil, nil
	}
	for _, name := range gone {
		c.add(Deployments, true, "Deployment "+name, "is removed")
	}
	for _, name := range added {
		c.add(Deployments, false, "Deployment "+name, "is new")
	}
	for _, name := range slices.Sorted(maps.Keys(after)) {
		c.compareDeployment("Deployment "+name, before[name], after[name])
	}
	for _, refused := range c.pkg.Refused(c.from, c.to) {
		c.add(Deployments, true, refused.Kind+" "+refused.Name, refused.Field+" changes, and the upgrade fails ("+refused.Message+"): "+refused.Was+" → "+refused.Is)
	}
}

// deployments returns the specs of the Deployments of a ClusterServiceVersion, by name.
func (c *comparison) deployments(raw map[string]any) map[string]any {
	list, _ := at(raw, "spec", "install", "spec", "deployments").([]any)
	found := map[string]any{}
	for _, d := range list {
		if name, ok := at(d, "name").(string); ok {
			found[name] = at(d, "spec")
		}
	}
	return found
}

// compareDeployment compares the specs of a Deployment; was is nil if it is new, and then only what a reviewer must see is added.
func (c *comparison) compareDeployment(name string, was, is any) {
	podNonRoot := at(is, "template", "spec", "securityContext", "runAsNonRoot") == true
	for _, f := range differences("", was, is, true) {
		if podSecurity.MatchString(f.Path) && weakens(f) && !(f.Is == nil && lacksContainer(is, f.Path)) && !(podNonRoot && strings.HasSuffix(f.Path, "runAsNonRoot")) {
			c.add(PodSecurity, true, name, inPod(f.Path)+" "+f.say())
		}
	}
	if was == nil {
		return
	}
	for _, f := range differences("", was, is, false) {
		switch {
		case isImage.MatchString(f.Path), strings.HasPrefix(f.Path, "selector"), c.onlyVersion(f):
		case podSecurity.MatchString(f.Path):
			if !weakens(f) {
				c.add(PodSecurity, false, name, inPod(f.Path)+" "+f.say())
			}
		default:
			c.add(Deployments, false, name, inPod(f.Path)+" "+f.say())
		}
	}
}

// inContainer matches the path of a container.
var inContainer = regexp.MustCompile(`^template\.spec\.(containers|initContainers)\[([^]]*)\]`)

// lacksContainer reports whether a Deployment does not have the container of a path.
func lacksContainer(deployment any, path string) bool {
	m := inContainer.FindStringSubmatch(path)
	if m == nil {
		return false
	}
	list, _ := at(deployment, "template", "spec", m[1]).([]any)
	return !slices.ContainsFunc(list, func(one any) bool { return at(one, "name") == m[2] })
}

// inPod is a path without what all paths of a Deployment's pods have in common.
func inPod(path string) string { return strings.TrimPrefix(path, "template.spec.") }

// weakens reports whether a field gives pods more rights than before (Kubernetes: Pod Security Standards, baseline and restricted).
func weakens(f field) bool {
	key := f.Path[strings.LastIndexByte(f.Path, '.')+1:]
	switch {
	case strings.Contains(f.Path, "hostPath"):
		return f.Is != nil
	case strings.Contains(f.Path, "seccompProfile"), strings.Contains(f.Path, "appArmorProfile"):
		return key == "type" && (f.Is == "Unconfined" || f.Is == nil)
	case strings.Contains(f.Path, "seLinuxOptions"):
		return f.Is != nil
	}
	switch key {
	case "hostNetwork", "hostPID", "hostIPC", "privileged":
		return f.Is == true
	case "allowPrivilegeEscalation":
		return f.Is != false && (f.Is != nil || f.Was == false)
	case "runAsNonRoot":
		return f.Is != true && (f.Is != nil || f.Was == true)
	case "readOnlyRootFilesystem":
		return f.Was == true
	case "runAsUser", "runAsGroup":
		return f.Is == 0.0
	case "hostPort", "procMount":
		return f.Is != nil
	case "add":
		return f.Is != nil
	case "drop":
		return f.Was != nil && !strings.EqualFold(valueText(f.Was), valueText(f.Is))
	case "hostProcess":
		return f.Is == true
	case "sysctls":
		return f.Is != nil
	}
	return false
}
