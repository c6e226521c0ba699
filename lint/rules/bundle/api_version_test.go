package bundle

import (
	"testing"
)

func TestAPIVersionOrder(t *testing.T) {
	ascending := []string{"v1alpha1", "v1alpha2", "v2alpha1", "v1beta1", "v1beta2", "v1", "v2", "v10"}
	for i, a := range ascending {
		for j, b := range ascending {
			if got := apiVersionLess(a, b); got != (i < j) {
				t.Errorf("%s before %s: %v", a, b, got)
			}
		}
		for _, other := range []string{"", "1", "v", "v1.0", "v1gamma1", "v1beta", "v01", "latest"} {
			if apiVersionLess(a, other) || apiVersionLess(other, a) {
				t.Errorf("%s and %q have an order", a, other)
			}
		}
	}
}
