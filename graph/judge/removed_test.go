package judge

import (
	"testing"
)

func TestIn(t *testing.T) {
	for api, want := range map[[2]string]int{
		{"policy/v1beta1", "PodDisruptionBudget"}: 25, {"policy/v1", "PodDisruptionBudget"}: 0, {"storage.k8s.io/v1beta1", "CSIDriver"}: 22,
		{"storage.k8s.io/v1beta1", "CSIStorageCapacity"}: 27, {"flowcontrol.apiserver.k8s.io/v1beta3", "FlowSchema"}: 32,
		{"extensions/v1beta1", "Ingress"}: 22, {"extensions/v1beta1", "Deployment"}: 16, {"rbac.authorization.k8s.io/v1beta1", "Role"}: 22,
	} {
		if got := removedIn(api[0], api[1]); got != want {
			t.Errorf("%v: %d, want %d", api, got, want)
		}
	}
}
