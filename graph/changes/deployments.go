package changes

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

// podSecurity matches the fields of a Deployment by which its pods get rights on a node, without what is around them.
var podSecurity = regexp.MustCompile(`(^|\.)(hostNetwork|hostPID|hostIPC|hostUsers|hostPort|hostPath|automountServiceAccountToken|serviceAccountName)(\.|$)|[sS]ecurityContext(\.|$)`)

// ofContainer matches the fields of a Deployment that are compared as images: a container that is new or gone as well. ofVariable matches those of
// variables, which are if their values are images.
var (
	ofContainer = regexp.MustCompile(`[cC]ontainers\[[^]]*\](\.image)?$`)
	ofVariable  = regexp.MustCompile(`\.env\[[^]]*\](\.value)?$`)
)

// isOfImages reports whether a field is compared as an image.
func (f field) isOfImages() bool {
	image := func(value any) bool {
		if object, ok := value.(map[string]any); ok {
			value = object["value"]
		}
		text, ok := value.(string)
		return value == nil || ok && isImage(text)
	}
	return ofContainer.MatchString(f.Path) || ofVariable.MatchString(f.Path) && image(f.Was) && image(f.Is)
}

func (c *comparison) compareDeployments() {
	before, after := deployments(c.rawOld), deployments(c.rawNew)
	gone, added := onlyIn(before, after)
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
}

// deployments returns the specs of the Deployments of a ClusterServiceVersion, by name.
func deployments(raw map[string]any) map[string]any {
	list, _ := lookup(raw, "spec", "install", "spec", "deployments").([]any)
	found := map[string]any{}
	for _, d := range list {
		if name, ok := lookup(d, "name").(string); ok {
			found[name] = lookup(d, "spec")
			dropAll(found[name])
		}
	}
	return found
}

// dropAll leaves ALL alone in the capabilities that containers drop, if they drop it: it includes the others.
func dropAll(deployment any) {
	for _, kind := range []string{"initContainers", "containers"} {
		list, _ := lookup(deployment, "template", "spec", kind).([]any)
		for _, one := range list {
			capabilities, _ := lookup(one, "securityContext", "capabilities").(map[string]any)
			drop, _ := capabilities["drop"].([]any)
			if slices.ContainsFunc(drop, func(name any) bool { return strings.EqualFold(valueText(name), "ALL") }) {
				capabilities["drop"] = []any{"ALL"}
			}
		}
	}
}

// compareDeployment compares the specs of a Deployment; was is nil if it is new, and then only what a reviewer must see is added.
func (c *comparison) compareDeployment(name string, was, is any) {
	var told []string
	podNonRoot := lookup(is, "template", "spec", "securityContext", "runAsNonRoot") == true
	for _, f := range differences("", was, is, true) {
		if podSecurity.MatchString(f.Path) && weakens(f) && !(f.Is == nil && lacksContainer(is, f.Path)) && !(podNonRoot && strings.HasSuffix(f.Path, "runAsNonRoot")) {
			told = append(told, f.Path)
			c.add(PodSecurity, true, name, inPod(f.Path)+" "+f.say())
		}
	}
	if was == nil {
		return
	}
	for _, f := range differences("", was, is, false) {
		switch {
		case f.isOfImages(), strings.HasPrefix(f.Path, "selector"), c.onlyVersion(f):
		case podSecurity.MatchString(f.Path):
			if !slices.ContainsFunc(told, func(path string) bool { return path == f.Path || strings.HasPrefix(path, f.Path+".") }) {
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
	list, _ := lookup(deployment, "template", "spec", m[1]).([]any)
	return !slices.ContainsFunc(list, func(one any) bool { return lookup(one, "name") == m[2] })
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
		return f.Was != nil && valueText(f.Is) != "ALL"
	case "hostProcess":
		return f.Is == true
	case "sysctls":
		return f.Is != nil
	}
	return false
}
